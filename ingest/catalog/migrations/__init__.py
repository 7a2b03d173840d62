"""Alembic migrations of the catalog; `ingest.catalog.migrate` runs them."""
