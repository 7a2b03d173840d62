"""What a directory tree shows beyond the contract."""

from pathlib import Path

import pytest

from ingest.adapters.filesystem.source import FileSource
from ingest.errors import ContentUnreadable, SettingsInvalid
from ingest.model.access import Policy, PolicyKind
from ingest.model.principal import PUBLIC, Principal
from ingest.model.source import DocumentSeen, FolderSeen, Gone

ANN, BOB = Principal("local:user:ann"), Principal("local:user:bob")
COMPOSED, DECOMPOSED = "r\u00e9sum\u00e9.md", "re\u0301sume\u0301.md"


def read(source: FileSource, key: str) -> DocumentSeen:
    seen = source.document(key)
    assert isinstance(seen, DocumentSeen)
    return seen


def root_policy(source: FileSource) -> Policy:
    seen = source.folder("")
    assert isinstance(seen, FolderSeen)
    return seen.rules.policy


def test_front_matter_title_link_and_encoding_come_with_the_text(tmp_path: Path) -> None:
    raw = "---\ntitle: Geld zurück\ntags: [a, b]\nacl: x\n---\n# Rückgabe\r\n".encode("cp1252")
    (tmp_path / "a b").mkdir()
    (tmp_path / "a b" / "é.md").write_bytes(raw)
    seen = read(FileSource(tmp_path, fallback_encoding="cp1252"), "a b/é.md")
    assert (seen.text, seen.title, seen.metadata) == ("# Rückgabe\n", "Geld zurück", {"tags": "a, b"})
    assert (seen.media, seen.encoding, seen.identity.size) == ("markdown", "cp1252", len(raw))
    assert seen.link == f"{tmp_path.as_uri()}/a%20b/%C3%A9.md"
    assert seen.closed


def test_a_title_is_the_first_heading_else_the_name(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Intro\n\n## Refunds\n")
    (tmp_path / "b.txt").write_text("## no heading here\n")
    source = FileSource(tmp_path)
    assert (read(source, "a.md").title, read(source, "b.txt").title) == ("Refunds", "b.txt")
    assert read(source, "b.txt").media == "plain"


def test_links_follow_a_template(tmp_path: Path) -> None:
    (tmp_path / "a b.md").write_text("x")
    source = FileSource(tmp_path, link_template="https://docs.example.com/{key}?raw={x}")
    assert read(source, "a b.md").link == "https://docs.example.com/a%20b.md?raw={x}"
    with pytest.raises(SettingsInvalid, match="key"):
        FileSource(tmp_path, link_template="https://docs.example.com/")


@pytest.mark.parametrize("raw", [b"", b"\xef\xbb\xbf", b"---\ntitle: x\n---\n", b" \n\n"])
def test_documents_without_words_are_documents(tmp_path: Path, raw: bytes) -> None:
    (tmp_path / "a.md").write_bytes(raw)
    assert not read(FileSource(tmp_path), "a.md").text.strip()


def test_a_document_over_the_size_limit_is_unreadable(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("12345")
    assert read(FileSource(tmp_path, max_bytes=5), "a.md").text == "12345"
    with pytest.raises(ContentUnreadable, match=r"a\.md has 5 bytes, more than max_bytes \(4\)"):
        FileSource(tmp_path, max_bytes=4).document("a.md")


def test_what_is_excluded_is_not_part_of_the_source(tmp_path: Path) -> None:
    for name in ("a.md", ".a.md", "a.md~", "a.pdf"):
        (tmp_path / name).write_text("x")
    (tmp_path / "drafts").mkdir()
    (tmp_path / "drafts" / "b.md").write_text("x")
    source = FileSource(tmp_path, exclude=["drafts/"])
    assert set(source.listing().documents) == {"a.md"}
    assert set(source.listing().folders) == {""}
    for key in (".a.md", "a.md~", "a.pdf", "drafts/b.md", ".access.yaml"):
        assert isinstance(source.document(key), Gone)
        assert source.identity(key) is None
    assert isinstance(source.folder("drafts"), Gone)


def test_the_settings_policy_of_the_root_counts_where_the_file_states_no_allow(tmp_path: Path) -> None:
    settings = Policy(PolicyKind.STATED, frozenset({ANN}), frozenset({BOB}))
    source, file = FileSource(tmp_path, root_policy=settings), tmp_path / ".access.yaml"
    assert root_policy(source) == settings
    file.write_text("metadata: {a: b}\ndeny: [public]")
    assert root_policy(source) == Policy(PolicyKind.STATED, frozenset({ANN}), frozenset({BOB, PUBLIC}))
    assert not source.listing().problems
    file.write_text("allow: []")
    assert root_policy(source) == Policy(PolicyKind.STATED, frozenset(), frozenset({BOB}))
    assert "the file's allow counts" in source.listing().problems[0]
    file.write_text("allow: [")
    assert root_policy(source).kind is PolicyKind.UNREADABLE


def test_the_settings_policy_is_the_roots_alone(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    seen = FileSource(tmp_path, root_policy=Policy(PolicyKind.STATED, frozenset({ANN}))).folder("a")
    assert isinstance(seen, FolderSeen)
    assert seen.rules.policy == Policy()


def test_a_key_in_another_unicode_form_is_resolved_and_both_forms_stay_two_documents(tmp_path: Path) -> None:
    (tmp_path / "a\u0308").mkdir()
    (tmp_path / "a\u0308" / COMPOSED).write_text("composed")
    source = FileSource(tmp_path)
    assert source.exact_key(f"\u00e4/{DECOMPOSED}") == f"a\u0308/{COMPOSED}"
    assert isinstance(source.document(f"\u00e4/{DECOMPOSED}"), Gone)
    (tmp_path / "a\u0308" / DECOMPOSED).write_text("decomposed")
    assert source.exact_key(f"\u00e4/{DECOMPOSED}") == f"a\u0308/{DECOMPOSED}"
    assert len(source.listing().documents) == 2
    assert read(source, f"a\u0308/{DECOMPOSED}").text == "decomposed"
    assert source.exact_key("\u00e4/nowhere.md") is None
    assert source.exact_key("") == ""


def test_a_form_that_two_names_could_mean_is_not_resolved(tmp_path: Path) -> None:
    half = "re\u0301sum\u00e9.md"
    for name in (COMPOSED, DECOMPOSED):
        (tmp_path / name).write_text("x")
    assert FileSource(tmp_path).exact_key(half) is None
