"""F35: groups are applied whole or not at all."""

from pathlib import Path

import pytest

from ingest.adapters.filesystem.groups_file import GroupsFile
from ingest.errors import SourceUnavailable
from ingest.model.principal import Principal
from ingest.model.source import Membership


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "groups.yaml"


def edge(member: str, group: str) -> Membership:
    return Membership(Principal(f"local:{member}"), Principal(f"local:group:{group}"))


def test_users_and_groups_belong_to_groups(file: Path) -> None:
    file.write_text("groups:\n  support: [user:ann, 'group:night shift']\n  night shift: [user:bob]\n  empty: []\n")
    expected = {edge("user:ann", "support"), edge("group:night shift", "support"), edge("user:bob", "night shift")}
    assert GroupsFile(file).memberships() == expected


def test_no_groups_is_a_complete_answer_when_it_is_said(file: Path) -> None:
    file.write_text("groups: {}\n")
    assert GroupsFile(file).memberships() == frozenset()


def test_the_directory_names_users_and_groups(file: Path) -> None:
    file.write_text("groups: {support: [corp:user:ann]}")
    (found,) = GroupsFile(file, "corp").memberships()
    assert (found.member, found.group) == ("corp:user:ann", "corp:group:support")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is empty"),
        ("# groups: {}", "is empty"),
        ("groups: {support: [user:ann", "broken YAML"),
        ("groups:", "a mapping"),
        ("groups: [support]", "a mapping"),
        ("{}", "groups is missing"),
        ("groups: {}\nroles: {}", "unknown key 'roles'"),
        ("groups: {support: user:ann}", "members of 'support' must be a list"),
        ("groups: {support: }", "members of 'support' must be a list"),
        ("groups: {support: [ann]}", "'ann' is no principal"),
        ("groups: {support: [role:admin]}", "'role:admin' is no principal"),
        ("groups: {support: [public]}", "'public' is no user or group"),
        ("groups: {support: [corp:user:ann]}", "'corp:user:ann' is no user or group of 'local'"),
        ("groups: {support: [{user: ann}]}", "one word"),
        ("groups: {group:support: [user:ann]}", "is no group name"),
        ("groups: {a: [user:ann], a: []}", "'a' is there twice"),
        ("groups: {a: &m [user:ann], b: *m}", "anchors"),
    ],
)
def test_what_is_not_understood_is_no_answer(file: Path, text: str, reason: str) -> None:
    file.write_text(text)
    with pytest.raises(SourceUnavailable, match=r"groups stay as they were$") as refused:
        GroupsFile(file).memberships()
    assert reason in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_missing_or_undecodable_file_is_no_answer(file: Path) -> None:
    with pytest.raises(SourceUnavailable, match="No such file"):
        GroupsFile(file).memberships()
    file.write_bytes(b"groups: {}\n# \xff")
    with pytest.raises(SourceUnavailable, match="utf-8"):
        GroupsFile(file).memberships()
