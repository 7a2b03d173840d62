"""A folder's rules for single documents, as the catalog keeps them: plain JSON."""

from collections.abc import Mapping
from typing import Any

from ingest.model.access import INHERIT, AccessRules, Policy, PolicyKind
from ingest.model.principal import Principal


def to_json(rules: AccessRules) -> dict[str, Any]:
    """The rules of `rules.documents`."""
    return {
        name: {
            "policy": rule.policy.kind.value,
            "allow": sorted(rule.policy.allow),
            "deny": sorted(rule.policy.deny),
            "metadata": rule.metadata,
        }
        for name, rule in rules.documents.items()
    }


def document_policy(rules: Mapping[str, Any], name: str) -> Policy:
    """What the folder says of a document; INHERIT when it says nothing."""
    rule = rules.get(name)
    if rule is None:
        return INHERIT
    allow = frozenset(Principal(p) for p in rule["allow"])
    return Policy(PolicyKind(rule["policy"]), allow, frozenset(Principal(p) for p in rule["deny"]))


def rule_metadata(rules: Mapping[str, Any], name: str) -> dict[str, str]:
    """Metadata the folder gives one document."""
    rule = rules.get(name)
    return dict(rule["metadata"]) if rule else {}
