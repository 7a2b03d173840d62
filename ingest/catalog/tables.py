"""The tables. Times are seconds since 1970 by the database's own clock; the access clock counts widenings.

Names follow DESIGN §2. Indexes are named after what they serve; the plans of the hot statements are held by tests.
"""

from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    Uuid,
    false,
    text,
    true,
)

metadata = MetaData(naming_convention={"pk": "pk_%(table_name)s", "fk": "fk_%(table_name)s_%(column_0_name)s"})

Id = BigInteger().with_variant(Integer, "sqlite")
RecordKey = Uuid(as_uuid=False)


def _where(condition: str) -> dict[str, Any]:
    return {"postgresql_where": text(condition), "sqlite_where": text(condition)}


def _count(name: str, default: int = 0) -> Column[int]:
    return Column(name, BigInteger, nullable=False, server_default=str(default))


# One row. Counts widenings in commit order: whoever moves it holds its row lock until the commit.
access_clock = Table("access_clock", metadata, Column("id", Integer, primary_key=True), _count("value"))

# Facts about the installation, such as the mark of a process that runs on the embedded stores.
marks = Table("marks", metadata, Column("name", Text, primary_key=True), Column("value", Text, nullable=False))

sources = Table(
    "sources",
    metadata,
    Column("id", Id, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("kind", Text, nullable=False),
    Column("can_look", Boolean, nullable=False, server_default=true()),
    # unsynced: nobody reads until the source has been scanned; removed: nobody, ever
    Column("state", Text, nullable=False, server_default="unsynced"),
    Column("synced_at", Double),
    Column("max_age_s", Double),
    Column("problem", Text),
    # documents that a scan found missing in suspicious number; 0 = none
    _count("held_drop"),
    _count("approved_drop"),
    CheckConstraint("state IN ('unsynced', 'live', 'removed')", name="ck_sources_state"),
)

folders = Table(
    "folders",
    metadata,
    Column("id", Id, primary_key=True),
    Column("source_id", ForeignKey(sources.c.id), nullable=False),
    Column("parent_id", ForeignKey("folders.id")),
    Column("name", Text, nullable=False),
    Column("policy", Text, nullable=False),
    Column("problem", Text),
    Column("metadata", JSON, nullable=False, server_default="{}"),
    Column("document_rules", JSON, nullable=False, server_default="{}"),
    Column("has_access_file", Boolean, nullable=False, server_default=false()),
    Column("access_file", JSON),
    Column("device", BigInteger),
    Column("inode", BigInteger),
    _count("opened_at"),
    _count("revision"),
    Column("looked_at", Double),
    Column("look_ready_at", Double),
    Column("look_leased", Boolean, nullable=False, server_default=false()),
    _count("look_token"),
    Column("deleted_at", Double),
    CheckConstraint("policy IN ('inherit', 'stated', 'unreadable')", name="ck_folders_policy"),
    Index(
        "folders_by_name", "parent_id", "name", unique=True, **_where("deleted_at IS NULL AND parent_id IS NOT NULL")
    ),
    Index("folders_root", "source_id", unique=True, **_where("parent_id IS NULL")),
    Index("folders_by_inode", "source_id", "inode"),
    Index("folders_look_due", "look_ready_at", **_where("look_ready_at IS NOT NULL")),
)

documents = Table(
    "documents",
    metadata,
    Column("id", Id, primary_key=True),
    Column("source_id", ForeignKey(sources.c.id), nullable=False),
    Column("folder_id", ForeignKey(folders.c.id), nullable=False),
    Column("name", Text, nullable=False),
    Column("policy", Text, nullable=False),
    # why nobody may read it whatever its folder says
    Column("closed", Text),
    Column("hidden", Boolean, nullable=False, server_default=false()),
    _count("opened_at"),
    _count("revision"),
    _count("content_version"),
    Column("device", BigInteger),
    Column("inode", BigInteger),
    Column("size", BigInteger),
    Column("mtime_ns", BigInteger),
    Column("looked_at", Double),
    Column("look_ready_at", Double),
    Column("look_since", Double),
    Column("look_leased", Boolean, nullable=False, server_default=false()),
    _count("look_token"),
    _count("look_attempts"),
    Column("look_held", Text),
    Column("deleted_at", Double),
    CheckConstraint("policy IN ('inherit', 'stated', 'unreadable')", name="ck_documents_policy"),
    Index("documents_by_name", "folder_id", "name", unique=True, **_where("deleted_at IS NULL")),
    Index("documents_in_folder", "folder_id", "id", **_where("deleted_at IS NULL")),
    Index("documents_by_inode", "source_id", "inode", **_where("deleted_at IS NULL")),
    Index("documents_look_due", "look_ready_at", **_where("look_ready_at IS NOT NULL")),
    Index("documents_deleted", "deleted_at", **_where("deleted_at IS NOT NULL")),
)

# Where a document used to be: a late narrowing by the old key finds it. Never purged.
tombstones = Table(
    "tombstones",
    metadata,
    Column("source_id", ForeignKey(sources.c.id), primary_key=True),
    Column("old_key", Text, primary_key=True),
    Column("document_id", Id, nullable=False),
)

contents = Table(
    "contents",
    metadata,
    Column("document_id", ForeignKey(documents.c.id), primary_key=True, autoincrement=False),
    Column("version", BigInteger, nullable=False),
    Column("hash", Text, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Column("media", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("link", Text, nullable=False),
    # the document's own, and what is in force with its folders'
    Column("own_metadata", JSON, nullable=False),
    Column("metadata", JSON, nullable=False),
    Column("encoding", Text, nullable=False),
)

principals = Table(
    "principals",
    metadata,
    Column("id", Id, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
)

# Live edges only: removed ones move to membership_tombstones, so that SQLite never builds a filter over both.
memberships = Table(
    "memberships",
    metadata,
    Column("member_id", ForeignKey(principals.c.id), primary_key=True),
    Column("group_id", ForeignKey(principals.c.id), primary_key=True),
    Column("granted_at", BigInteger, nullable=False),
    Index("memberships_of_group", "group_id"),
)

membership_tombstones = Table(
    "membership_tombstones",
    metadata,
    Column("member_id", ForeignKey(principals.c.id), primary_key=True),
    Column("group_id", ForeignKey(principals.c.id), primary_key=True),
    Column("removed_at", BigInteger, nullable=False),
)

policy_entries = Table(
    "policy_entries",
    metadata,
    Column("kind", String(1), primary_key=True),
    Column("object_id", Id, primary_key=True, autoincrement=False),
    Column("effect", String(1), primary_key=True),
    Column("principal_id", ForeignKey(principals.c.id), primary_key=True),
    CheckConstraint("kind IN ('f', 'd') AND effect IN ('a', 'd')", name="ck_policy_entries"),
)

generations = Table(
    "generations",
    metadata,
    Column("id", Id, primary_key=True),
    Column("suffix", Text, nullable=False, unique=True),
    Column("state", Text, nullable=False),
    _count("epoch"),
    _count("horizon"),
    Column("publishing_paused_until", Double),
    Column("pause_token", Text),
    Column("fingerprint", Text, nullable=False),
    Column("dimension", Integer, nullable=False),
    Column("settings", JSON, nullable=False),
    CheckConstraint("state IN ('building', 'ready', 'active', 'soaking', 'retired')", name="ck_generations_state"),
    Index("generations_active", "state", unique=True, **_where("state = 'active'")),
)

indexing = Table(
    "indexing",
    metadata,
    Column("generation_id", ForeignKey(generations.c.id), primary_key=True),
    Column("document_id", ForeignKey(documents.c.id), primary_key=True),
    _count("wanted_version"),
    _count("published_version"),
    Column("behind_at", BigInteger),
    # hash of the access fields that every visible and staged record carries; NULL = unknown, patch them
    Column("carried_access", String(32)),
    Column("access_due", Boolean, nullable=False, server_default=false()),
    # due time, end of a backoff, or end of a lease
    Column("ready_at", Double, nullable=False),
    # true from a claim to its verdict; found true by the next claim, the one before ended without one
    Column("leased", Boolean, nullable=False, server_default=false()),
    _count("lease_token"),
    _count("attempts"),
    _count("attempts_alone"),
    _count("retries"),
    Column("held", Text),
    Index("indexing_of_document", "document_id"),
    Index("indexing_due", "generation_id", "ready_at", **_where("published_version < wanted_version AND held IS NULL")),
    Index("indexing_access_due", "generation_id", "ready_at", **_where("access_due")),
)

records = Table(
    "records",
    metadata,
    Column("id", RecordKey, primary_key=True),
    Column("generation_id", ForeignKey(generations.c.id), nullable=False),
    Column("document_id", ForeignKey(documents.c.id), nullable=False),
    Column("chunk", String(40), nullable=False),
    Column("input_hash", String(64), nullable=False),
    # bytes compare alike on both databases
    Column("order_key", Text().with_variant(Text(collation="C"), "postgresql"), nullable=False),
    Column("from_epoch", BigInteger),
    Column("to_epoch", BigInteger),
    Column("since_version", BigInteger, nullable=False),
    Column("stale_since", BigInteger),
    Column("lost", Boolean, nullable=False, server_default=false()),
    Column("condemned_at", Double),
    Column("deleted_once_at", Double),
    Column("heading", JSON, nullable=False),
    Column("body", Text, nullable=False),
    Column("codes", JSON, nullable=False),
    Column("metadata", JSON, nullable=False),
    Index("records_open", "generation_id", "document_id", **_where("to_epoch IS NULL")),
    Index("records_staged", "generation_id", "document_id", **_where("from_epoch IS NULL")),
    Index("records_closed", "generation_id", "to_epoch", **_where("to_epoch IS NOT NULL AND condemned_at IS NULL")),
    Index("records_condemned", "condemned_at", **_where("condemned_at IS NOT NULL AND deleted_once_at IS NULL")),
    Index("records_deleted_once", "deleted_once_at", **_where("deleted_once_at IS NOT NULL")),
    Index("records_of_document", "document_id"),
    Index("records_of_input", "input_hash"),
)

embeddings = Table(
    "embeddings",
    metadata,
    Column("fingerprint", Text, primary_key=True),
    Column("input_hash", String(64), primary_key=True),
    Column("vector", LargeBinary, nullable=False),
    Column("used_at", Double, nullable=False),
)

# Folders whose documents' access fields have to follow a change; a row goes when its last page patched nothing.
access_work = Table(
    "access_work",
    metadata,
    Column("id", Id, primary_key=True),
    Column("generation_id", ForeignKey(generations.c.id), nullable=False),
    Column("folder_id", ForeignKey(folders.c.id), nullable=False),
    Column("expanded", Boolean, nullable=False, server_default=false()),
    _count("after_document"),
    Index("access_work_of_generation", "generation_id", "id"),
)

epoch_samples = Table(
    "epoch_samples",
    metadata,
    Column("generation_id", ForeignKey(generations.c.id), primary_key=True),
    Column("epoch", BigInteger, primary_key=True),
    Column("at", Double, nullable=False),
)

inbox = Table(
    "inbox",
    metadata,
    Column("id", Id, primary_key=True),
    Column("source_id", ForeignKey(sources.c.id), nullable=False),
    Column("event_id", Text, nullable=False),
    Column("body_hash", String(64), nullable=False),
    Column("body", JSON, nullable=False),
    Column("document_id", Id),
    Column("folder_id", Id),
    # the access clock at accept
    Column("clock", BigInteger, nullable=False),
    # the content version that the completing look stored or confirmed
    Column("version", BigInteger),
    # the look that will complete it
    Column("leased_by", BigInteger),
    Column("accepted_at", Double, nullable=False),
    Column("done_at", Double),
    Column("outcome", Text),
    UniqueConstraint("source_id", "event_id", name="uq_inbox_event"),
    Index("inbox_of_document", "document_id", "version"),
    Index("inbox_waiting_document", "document_id", **_where("done_at IS NULL")),
    Index("inbox_waiting_folder", "folder_id", **_where("done_at IS NULL")),
    Index("inbox_done", "done_at", **_where("done_at IS NOT NULL")),
)
