"""What Alembic runs. The connection comes from `ingest.catalog.migrate`; there is no offline mode."""

from alembic import context

from ingest.catalog.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    # SQLite cannot alter a column in place
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
