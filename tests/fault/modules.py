"""Stand-ins for modules of which one function differs, so that only one importer sees the difference."""

from types import ModuleType, SimpleNamespace
from typing import Any


def module_with(module: ModuleType, **different: Any) -> SimpleNamespace:
    """Everything of a module, with some of it replaced."""
    missing = different.keys() - vars(module).keys()
    assert not missing, f"{module.__name__} has no {missing} any more"
    return SimpleNamespace(**{**vars(module), **different})
