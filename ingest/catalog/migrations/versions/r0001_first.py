"""The catalog as first released."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def Id() -> sa.types.TypeEngine[int]:  # noqa: N802 -- a type
    """Surrogate keys: 64 bits, and SQLite's row id where there is one."""
    return sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def where(condition: str) -> dict[str, Any]:
    """A partial index on both databases."""
    return {"postgresql_where": sa.text(condition), "sqlite_where": sa.text(condition)}


def upgrade() -> None:
    """Tables in the order of their references, then the rows that every catalog has."""
    _access_clock()
    _embeddings()
    _generations()
    _marks()
    _principals()
    _sources()
    _epoch_samples()
    _folders()
    _inbox()
    _membership_tombstones()
    _memberships()
    _policy_entries()
    _tombstones()
    _access_work()
    _documents()
    _contents()
    _indexing()
    _records()
    op.execute("INSERT INTO access_clock (id, value) VALUES (1, 0)")
    # principal 0: everybody
    op.execute("INSERT INTO principals (id, name) VALUES (0, 'public')")


def _access_clock() -> None:
    op.create_table(
        "access_clock",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("value", sa.BigInteger(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_access_clock"),
    )


def _embeddings() -> None:
    op.create_table(
        "embeddings",
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("input_hash", sa.String(length=64), nullable=False),
        sa.Column("vector", sa.LargeBinary(), nullable=False),
        sa.Column("used_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("fingerprint", "input_hash", name="pk_embeddings"),
    )


def _generations() -> None:
    op.create_table(
        "generations",
        sa.Column("id", Id(), nullable=False),
        sa.Column("suffix", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("epoch", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("horizon", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("publishing_paused_until", sa.Double(), nullable=True),
        sa.Column("pause_token", sa.Text(), nullable=True),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("dimension", sa.Integer(), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.CheckConstraint(
            "state IN ('building', 'ready', 'active', 'soaking', 'retired')", name="ck_generations_state"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_generations"),
        sa.UniqueConstraint("suffix"),
    )
    op.create_index("generations_active", "generations", ["state"], unique=True, **where("state = 'active'"))


def _marks() -> None:
    op.create_table(
        "marks",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_marks"),
    )


def _principals() -> None:
    op.create_table(
        "principals",
        sa.Column("id", Id(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_principals"),
        sa.UniqueConstraint("name"),
    )


def _sources() -> None:
    op.create_table(
        "sources",
        sa.Column("id", Id(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("can_look", sa.Boolean(), server_default=sa.true(), nullable=False),
        sa.Column("state", sa.Text(), server_default="unsynced", nullable=False),
        sa.Column("synced_at", sa.Double(), nullable=True),
        sa.Column("max_age_s", sa.Double(), nullable=True),
        sa.Column("problem", sa.Text(), nullable=True),
        sa.Column("held_drop", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("approved_drop", sa.BigInteger(), server_default="0", nullable=False),
        sa.CheckConstraint("state IN ('unsynced', 'live', 'removed')", name="ck_sources_state"),
        sa.PrimaryKeyConstraint("id", name="pk_sources"),
        sa.UniqueConstraint("name"),
    )


def _epoch_samples() -> None:
    op.create_table(
        "epoch_samples",
        sa.Column("generation_id", Id(), nullable=False),
        sa.Column("epoch", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["generation_id"], ["generations.id"], name="fk_epoch_samples_generation_id"),
        sa.PrimaryKeyConstraint("generation_id", "epoch", name="pk_epoch_samples"),
    )


def _folders() -> None:
    op.create_table(
        "folders",
        sa.Column("id", Id(), nullable=False),
        sa.Column("source_id", Id(), nullable=False),
        sa.Column("parent_id", Id(), nullable=True),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("policy", sa.Text(), nullable=False),
        sa.Column("problem", sa.Text(), nullable=True),
        sa.Column("metadata", sa.JSON(), server_default="{}", nullable=False),
        sa.Column("document_rules", sa.JSON(), server_default="{}", nullable=False),
        sa.Column("has_access_file", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("access_file", sa.JSON(), nullable=True),
        sa.Column("device", sa.BigInteger(), nullable=True),
        sa.Column("inode", sa.BigInteger(), nullable=True),
        sa.Column("opened_at", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("revision", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("looked_at", sa.Double(), nullable=True),
        sa.Column("look_ready_at", sa.Double(), nullable=True),
        sa.Column("look_leased", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("look_token", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("deleted_at", sa.Double(), nullable=True),
        sa.CheckConstraint("policy IN ('inherit', 'stated', 'unreadable')", name="ck_folders_policy"),
        sa.ForeignKeyConstraint(["parent_id"], ["folders.id"], name="fk_folders_parent_id"),
        sa.ForeignKeyConstraint(["source_id"], ["sources.id"], name="fk_folders_source_id"),
        sa.PrimaryKeyConstraint("id", name="pk_folders"),
    )
    op.create_index("folders_by_inode", "folders", ["source_id", "inode"])
    op.create_index(
        "folders_by_name",
        "folders",
        ["parent_id", "name"],
        unique=True,
        **where("deleted_at IS NULL AND parent_id IS NOT NULL"),
    )
    op.create_index("folders_look_due", "folders", ["look_ready_at"], **where("look_ready_at IS NOT NULL"))
    op.create_index("folders_root", "folders", ["source_id"], unique=True, **where("parent_id IS NULL"))


def _inbox() -> None:
    op.create_table(
        "inbox",
        sa.Column("id", Id(), nullable=False),
        sa.Column("source_id", Id(), nullable=False),
        sa.Column("event_id", sa.Text(), nullable=False),
        sa.Column("body_hash", sa.String(length=64), nullable=False),
        sa.Column("body", sa.JSON(), nullable=False),
        sa.Column("document_id", Id(), nullable=True),
        sa.Column("folder_id", Id(), nullable=True),
        sa.Column("clock", sa.BigInteger(), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=True),
        sa.Column("leased_by", sa.BigInteger(), nullable=True),
        sa.Column("accepted_at", sa.Double(), nullable=False),
        sa.Column("done_at", sa.Double(), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["source_id"], ["sources.id"], name="fk_inbox_source_id"),
        sa.PrimaryKeyConstraint("id", name="pk_inbox"),
        sa.UniqueConstraint("source_id", "event_id", name="uq_inbox_event"),
    )
    op.create_index("inbox_done", "inbox", ["done_at"], **where("done_at IS NOT NULL"))
    op.create_index("inbox_of_document", "inbox", ["document_id", "version"])
    op.create_index("inbox_waiting_document", "inbox", ["document_id"], **where("done_at IS NULL"))
    op.create_index("inbox_waiting_folder", "inbox", ["folder_id"], **where("done_at IS NULL"))


def _membership_tombstones() -> None:
    op.create_table(
        "membership_tombstones",
        sa.Column("member_id", Id(), nullable=False),
        sa.Column("group_id", Id(), nullable=False),
        sa.Column("removed_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["group_id"], ["principals.id"], name="fk_membership_tombstones_group_id"),
        sa.ForeignKeyConstraint(["member_id"], ["principals.id"], name="fk_membership_tombstones_member_id"),
        sa.PrimaryKeyConstraint("member_id", "group_id", name="pk_membership_tombstones"),
    )


def _memberships() -> None:
    op.create_table(
        "memberships",
        sa.Column("member_id", Id(), nullable=False),
        sa.Column("group_id", Id(), nullable=False),
        sa.Column("granted_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["group_id"], ["principals.id"], name="fk_memberships_group_id"),
        sa.ForeignKeyConstraint(["member_id"], ["principals.id"], name="fk_memberships_member_id"),
        sa.PrimaryKeyConstraint("member_id", "group_id", name="pk_memberships"),
    )
    op.create_index("memberships_of_group", "memberships", ["group_id"])


def _policy_entries() -> None:
    op.create_table(
        "policy_entries",
        sa.Column("kind", sa.String(length=1), nullable=False),
        sa.Column("object_id", Id(), autoincrement=False, nullable=False),
        sa.Column("effect", sa.String(length=1), nullable=False),
        sa.Column("principal_id", Id(), nullable=False),
        sa.CheckConstraint("kind IN ('f', 'd') AND effect IN ('a', 'd')", name="ck_policy_entries"),
        sa.ForeignKeyConstraint(["principal_id"], ["principals.id"], name="fk_policy_entries_principal_id"),
        sa.PrimaryKeyConstraint("kind", "object_id", "effect", "principal_id", name="pk_policy_entries"),
    )


def _tombstones() -> None:
    op.create_table(
        "tombstones",
        sa.Column("source_id", Id(), nullable=False),
        sa.Column("old_key", sa.Text(), nullable=False),
        sa.Column("document_id", Id(), nullable=False),
        sa.ForeignKeyConstraint(["source_id"], ["sources.id"], name="fk_tombstones_source_id"),
        sa.PrimaryKeyConstraint("source_id", "old_key", name="pk_tombstones"),
    )


def _access_work() -> None:
    op.create_table(
        "access_work",
        sa.Column("id", Id(), nullable=False),
        sa.Column("generation_id", Id(), nullable=False),
        sa.Column("folder_id", Id(), nullable=False),
        sa.Column("expanded", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("after_document", sa.BigInteger(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(["folder_id"], ["folders.id"], name="fk_access_work_folder_id"),
        sa.ForeignKeyConstraint(["generation_id"], ["generations.id"], name="fk_access_work_generation_id"),
        sa.PrimaryKeyConstraint("id", name="pk_access_work"),
    )
    op.create_index("access_work_of_generation", "access_work", ["generation_id", "id"])


def _documents() -> None:
    op.create_table(
        "documents",
        sa.Column("id", Id(), nullable=False),
        sa.Column("source_id", Id(), nullable=False),
        sa.Column("folder_id", Id(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("policy", sa.Text(), nullable=False),
        sa.Column("closed", sa.Text(), nullable=True),
        sa.Column("hidden", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("opened_at", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("revision", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("content_version", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("device", sa.BigInteger(), nullable=True),
        sa.Column("inode", sa.BigInteger(), nullable=True),
        sa.Column("size", sa.BigInteger(), nullable=True),
        sa.Column("mtime_ns", sa.BigInteger(), nullable=True),
        sa.Column("looked_at", sa.Double(), nullable=True),
        sa.Column("look_ready_at", sa.Double(), nullable=True),
        sa.Column("look_since", sa.Double(), nullable=True),
        sa.Column("look_leased", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("look_token", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("look_attempts", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("look_held", sa.Text(), nullable=True),
        sa.Column("deleted_at", sa.Double(), nullable=True),
        sa.CheckConstraint("policy IN ('inherit', 'stated', 'unreadable')", name="ck_documents_policy"),
        sa.ForeignKeyConstraint(["folder_id"], ["folders.id"], name="fk_documents_folder_id"),
        sa.ForeignKeyConstraint(["source_id"], ["sources.id"], name="fk_documents_source_id"),
        sa.PrimaryKeyConstraint("id", name="pk_documents"),
    )
    op.create_index("documents_by_inode", "documents", ["source_id", "inode"], **where("deleted_at IS NULL"))
    op.create_index("documents_by_name", "documents", ["folder_id", "name"], unique=True, **where("deleted_at IS NULL"))
    op.create_index("documents_deleted", "documents", ["deleted_at"], **where("deleted_at IS NOT NULL"))
    op.create_index("documents_in_folder", "documents", ["folder_id", "id"], **where("deleted_at IS NULL"))
    op.create_index("documents_look_due", "documents", ["look_ready_at"], **where("look_ready_at IS NOT NULL"))


def _contents() -> None:
    op.create_table(
        "contents",
        sa.Column("document_id", Id(), autoincrement=False, nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("media", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("link", sa.Text(), nullable=False),
        sa.Column("own_metadata", sa.JSON(), nullable=False),
        sa.Column("metadata", sa.JSON(), nullable=False),
        sa.Column("encoding", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["document_id"], ["documents.id"], name="fk_contents_document_id"),
        sa.PrimaryKeyConstraint("document_id", name="pk_contents"),
    )


def _indexing() -> None:
    op.create_table(
        "indexing",
        sa.Column("generation_id", Id(), nullable=False),
        sa.Column("document_id", Id(), nullable=False),
        sa.Column("wanted_version", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("published_version", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("behind_at", sa.BigInteger(), nullable=True),
        sa.Column("carried_access", sa.String(length=32), nullable=True),
        sa.Column("access_due", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("ready_at", sa.Double(), nullable=False),
        sa.Column("leased", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("lease_token", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("attempts", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("attempts_alone", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("retries", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("held", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["document_id"], ["documents.id"], name="fk_indexing_document_id"),
        sa.ForeignKeyConstraint(["generation_id"], ["generations.id"], name="fk_indexing_generation_id"),
        sa.PrimaryKeyConstraint("generation_id", "document_id", name="pk_indexing"),
    )
    op.create_index("indexing_access_due", "indexing", ["generation_id", "ready_at"], **where("access_due"))
    op.create_index(
        "indexing_due",
        "indexing",
        ["generation_id", "ready_at"],
        unique=False,
        **where("published_version < wanted_version AND held IS NULL"),
    )
    op.create_index("indexing_of_document", "indexing", ["document_id"])


def _records() -> None:
    op.create_table(
        "records",
        sa.Column("id", sa.Uuid(as_uuid=False), nullable=False),
        sa.Column("generation_id", Id(), nullable=False),
        sa.Column("document_id", Id(), nullable=False),
        sa.Column("chunk", sa.String(length=40), nullable=False),
        sa.Column("input_hash", sa.String(length=64), nullable=False),
        sa.Column("order_key", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=False),
        sa.Column("from_epoch", sa.BigInteger(), nullable=True),
        sa.Column("to_epoch", sa.BigInteger(), nullable=True),
        sa.Column("since_version", sa.BigInteger(), nullable=False),
        sa.Column("stale_since", sa.BigInteger(), nullable=True),
        sa.Column("lost", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("condemned_at", sa.Double(), nullable=True),
        sa.Column("deleted_once_at", sa.Double(), nullable=True),
        sa.Column("heading", sa.JSON(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("codes", sa.JSON(), nullable=False),
        sa.Column("metadata", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["document_id"], ["documents.id"], name="fk_records_document_id"),
        sa.ForeignKeyConstraint(["generation_id"], ["generations.id"], name="fk_records_generation_id"),
        sa.PrimaryKeyConstraint("id", name="pk_records"),
    )
    op.create_index(
        "records_closed",
        "records",
        ["generation_id", "to_epoch"],
        unique=False,
        **where("to_epoch IS NOT NULL AND condemned_at IS NULL"),
    )
    op.create_index(
        "records_condemned",
        "records",
        ["condemned_at"],
        **where("condemned_at IS NOT NULL AND deleted_once_at IS NULL"),
    )
    op.create_index("records_deleted_once", "records", ["deleted_once_at"], **where("deleted_once_at IS NOT NULL"))
    op.create_index("records_of_document", "records", ["document_id"])
    op.create_index("records_of_input", "records", ["input_hash"])
    op.create_index("records_open", "records", ["generation_id", "document_id"], **where("to_epoch IS NULL"))
    op.create_index("records_staged", "records", ["generation_id", "document_id"], **where("from_epoch IS NULL"))
