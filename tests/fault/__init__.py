"""Forced schedules: one test a row of DESIGN §10, on the fakes, over SQLite and where it matters over PostgreSQL."""
