"""Documents of folders that ended follow in pages; until then nobody reads them, since their chain is dead."""

from ingest.catalog import documents, folders
from ingest.catalog.database import Database
from ingest.failpoints import failpoint
from ingest.indexing.accept import end_document

_PAGE = 500


def end_orphans(database: Database) -> int:
    """End one page of documents whose folder ended; returns how many. Run it after looks: a look may move some away."""
    with database.write() as tx:
        ended = folders.ended(tx)
        if not ended:
            return 0
        orphans = documents.in_deleted_folders(tx, _PAGE)
        documents.lock(tx, orphans)
        for document_id in orphans:
            end_document(tx, document_id, outcome="its folder ended")
        if len(orphans) < _PAGE:
            # only those locked above: one that ended since then still waits for its documents
            folders.followed(tx, ended)
    failpoint("orphans.after_commit")
    return len(orphans)
