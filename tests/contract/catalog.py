"""What a catalog does, on every database: the cases of all its nouns together."""

from tests.contract.catalog_changes import ChangeCases
from tests.contract.catalog_decision import DecisionCases
from tests.contract.catalog_folders import FolderCases
from tests.contract.catalog_leases import LeaseCases
from tests.contract.catalog_records import RecordCases


class CatalogContract(LeaseCases, ChangeCases, RecordCases, FolderCases, DecisionCases):
    """A database's class inherits this and has a fixture `catalog`: a fresh one."""
