"""Forced schedules: one test a row of DESIGN §10, on the fakes, over SQLite and where it matters over PostgreSQL.

Which rows are where:
`test_query_races`        what changes while a question is answered: stamps, groups, horizon, filters, one statement
`test_publish_races`      staging and publishing: both stores, leases, epochs, attempts, access in flight
`test_vacuum_races`       condemning, late writers, chunks that come back
`test_look_races`         looks against revocations, deletes, metadata, and content that changes with access
`test_behind_races`       `behind_at` of looks and publishes against accept
`test_access_file_races`  access files gone or unusable for an instant, late patches
`test_access_races`       folders not looked at yet, unreadable, moved with text that was out of date, in a circle
`test_folder_move_races`  folders that move
`test_first_events`       events about what nobody knows yet, or that come twice at one moment
`test_late_events`        events late, in the wrong order, invented, never; directory syncs
`test_repair_races`       stores that lost records or were restored
`test_dying_workers`      documents that kill their worker
`test_lock_order`         who waits for whom on PostgreSQL
Each is also run with its guard switched off, and must then fail (`rig.guarded_by`).
"""
