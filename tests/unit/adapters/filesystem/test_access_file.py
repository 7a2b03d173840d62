"""Access files: understood to the last word, or nobody reads."""

import pytest

from ingest.adapters.filesystem.access_file import read_rules
from ingest.model.access import AccessRules, DocumentRule, Policy, PolicyKind
from ingest.model.principal import PUBLIC, Principal

OPERATIONS, ANN = Principal("local:group:payments-operations"), Principal("local:user:ann")


def read(text: str, directory: str = "local") -> AccessRules:
    return read_rules(text, file="a/.access.yaml", directory=directory)


def test_everything_an_access_file_can_say() -> None:
    rules = read("""\
allow: [group:payments-operations, user:ann, public]
deny: ["local:user:bob"]
metadata: {category: payments, language: no}
documents:
  runbook.md: {allow: [group:payments-operations], metadata: {kind: runbook}}
  draft v2.md:
    deny: [public]
""")
    assert rules == AccessRules(
        Policy(PolicyKind.STATED, frozenset({OPERATIONS, ANN, PUBLIC}), frozenset({Principal("local:user:bob")})),
        {"category": "payments", "language": "no"},
        {
            "runbook.md": DocumentRule(Policy(PolicyKind.STATED, frozenset({OPERATIONS})), {"kind": "runbook"}),
            "draft v2.md": DocumentRule(Policy(deny=frozenset({PUBLIC}))),
        },
    )


def test_no_allow_inherits_and_an_empty_one_is_nobody() -> None:
    assert read("{}").policy == Policy()
    assert read("metadata: {a: b}").policy == Policy()
    assert read("deny: [user:ann]").policy == Policy(deny=frozenset({ANN}))
    assert read("allow: []").policy == Policy(PolicyKind.STATED)
    assert read("documents: {a.md: {allow: []}}").documents["a.md"].policy == Policy(PolicyKind.STATED)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is empty; write {}"),
        ("# a comment\n", "is empty"),
        ("allow: [", "line 1: broken YAML"),
        ("- public", "line 1: a mapping"),
        ("alow: [public]", "did you mean allow?"),
        ("allow: [public]\nowner: ann", "line 2: unknown key 'owner'"),
        ("allow: public", "allow must be a list"),
        ("allow:", "write [] for nobody"),
        ("deny: {user: ann}", "deny must be a list"),
        ("allow: [ann]", "'ann' is no principal"),
        ("allow: [user: ann]", "without a blank"),
        ("allow: [42]", "one word"),
        ("allow: [yes]", "one word"),
        ("allow: [role:admin]", "'role:admin' is no principal"),
        ("allow: [corp:group:support]", "not of this source's directory 'local'"),
        ("allow: [public]\nallow: []", "'allow' is there twice"),
        ("allow: &everyone [public]\ndeny: *everyone", "anchors"),
        ("metadata: [a]", "a mapping"),
        ("documents: [a.md]", "a mapping"),
        ("documents: {a/b.md: {}}", "is no file in this folder"),
        ("documents: {..: {}}", "is no file in this folder"),
        ("documents: {a.md: }", "nothing is said of 'a.md'"),
        ("documents: {a.md: [public]}", "a mapping"),
        ("documents: {a.md: {documents: {}}}", "unknown key 'documents'"),
        ("documents: {a.md: {alow: [public]}}", "did you mean allow?"),
    ],
)
def test_what_is_not_understood_is_unreadable_with_one_line(text: str, reason: str) -> None:
    rules = read(text)
    assert rules.policy == Policy(PolicyKind.UNREADABLE)
    assert not rules.documents
    assert not rules.metadata
    assert rules.problem
    assert rules.problem.startswith("a/.access.yaml")
    assert reason in rules.problem
    assert "\n" not in rules.problem


def test_principals_belong_to_the_sources_directory() -> None:
    assert read("allow: [group:x, corp:user:y]", "corp").policy.allow == {"corp:group:x", "corp:user:y"}


def test_a_rule_counts_for_a_name_in_either_unicode_form() -> None:
    composed, decomposed = "r\u00e9sum\u00e9.md", "re\u0301sume\u0301.md"
    rules = read(f"documents: {{{decomposed}: {{allow: []}}}}").documents
    assert rules[composed] == rules[decomposed] == DocumentRule(Policy(PolicyKind.STATED))


def test_a_name_stated_in_both_forms_is_two_documents() -> None:
    rules = read("documents: {r\u00e9.md: {allow: []}, re\u0301.md: {allow: [public]}}").documents
    assert rules["r\u00e9.md"].policy.allow == frozenset()
    assert rules["re\u0301.md"].policy.allow == {PUBLIC}
