"""Documents of folders that ended follow in pages; until then nobody reads them, since their chain is dead."""

from ingest.catalog import documents
from ingest.catalog.database import Database
from ingest.failpoints import failpoint
from ingest.indexing.accept import end_document

_PAGE = 500


def end_orphans(database: Database) -> int:
    """End one page of documents whose folder ended; returns how many. Run it after looks: a look may move some away."""
    with database.write() as tx:
        orphans = documents.in_deleted_folders(tx, _PAGE)
        documents.lock(tx, orphans)
        for document_id in orphans:
            end_document(tx, document_id, outcome="its folder ended")
    failpoint("orphans.after_commit")
    return len(orphans)
