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
`test_vanishing_rows`     events about rows that somebody ends, moves or drops at that moment
`test_unlucky_batches`    batches that lose their worker, a cached vector or a document on their way
`test_many_workers`       everything at once on PostgreSQL, without a schedule

Scenarios from the field: F13 `test_late_events`, F15 `test_listings`, F22 `test_shorter_documents`, F23 to F25
`test_failed_writes`, F27 `test_bad_vectors`, F33 `test_access_changes`, F34 and F35 `test_groups`, F36
`test_selective_readers`.

Each is also run with its guard switched off, and must then fail (`rig.guarded_by`).
"""
