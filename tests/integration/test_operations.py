"""What operators ask and do, on a small library with a stand-in model."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.catalog import marks
from ingest.errors import Refused
from tests.integration.library import Rules
from tests.integration.opened import Opened, opened
from tests.integration.watched import edited


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[Opened]:
    with opened(tmp_path) as installation:
        yield installation


def reasons(installation: Opened) -> dict[str, tuple[str, int]]:
    return {one["where"]: (one["reason"], one["documents"]) for one in installation.do("status")["unreadable_because"]}


# status


def test_status_of_an_indexed_library_has_nothing_waiting(installation: Opened) -> None:
    said = installation.do("status")
    assert (said["documents"], said["behind"], said["waiting_events"], said["access_due"]) == (8, 0, 0, 0)
    assert said["records"] == {"open": 24, "staged": 0, "leaving": 0}
    assert said["embeddings"] == 24
    assert said["held"] == []
    assert said["oldest_waiting_s"] is None
    assert [(one["name"], one["state"], one["documents"]) for one in said["sources"]] == [("library", "live", 8)]
    assert 0 < said["disk_used"] < said["disk_free"]
    assert (said["unreadable"], said["unreadable_because"]) == (0, [])


def test_status_counts_who_nobody_can_read_under_what_says_so(installation: Opened) -> None:
    library = installation.library
    library.rules["staff"] = Rules(allow=set())
    library.write_rules("staff")
    (library.root / "spare").mkdir(exist_ok=True)
    (library.root / "spare" / ".access.yaml").write_text("allow: {broken")
    file = library.root / "open" / "topic000.md"
    file.write_text("---\nallow: [public]\n---\n" + file.read_text())
    library.rules["open"].documents["topic004.md"] = Rules(allow={"user:ann"}, deny={"user:ann"})
    library.write_rules("open")
    installation.index()
    said = reasons(installation)
    assert said["folder staff"] == ("its allow is empty: nobody", 2)
    assert said["folder spare"][1] == 2
    assert ".access.yaml" in said["folder spare"][0]
    assert "front matter" in said["document open/topic000.md"][0]
    assert said["document open/topic004.md"] == ("everybody whom it allows is denied", 1)
    assert installation.do("status")["unreadable"] == 6


def test_where_nothing_is_stated_nobody_reads_and_status_says_so(installation: Opened) -> None:
    installation.library.rules[""] = Rules()
    installation.library.write_rules("")
    installation.index()
    assert reasons(installation)["the root folder"][1] == 6  # the folder staff states its own
    assert "nothing is stated" in reasons(installation)["the root folder"][0]
    assert "open/topic000.md" not in installation.found("topic000")


def test_an_unsynced_source_is_readable_by_nobody_until_it_is_scanned(installation: Opened) -> None:
    assert installation.found("topic000")
    installation.do("unsync")
    assert installation.found("topic000") == []
    assert reasons(installation)["source library"][1] == 8
    installation.index()
    assert installation.found("topic000")


def test_a_change_that_waits_shows_as_lag(installation: Opened) -> None:
    library = installation.library
    library.write("open/topic000.md", edited(library.topics["open/topic000.md"], 1))
    for source in installation.lockstep.sources:
        installation.lockstep.scan(source).run()
    waiting = installation.do("status")
    assert waiting["waiting_events"] >= 1
    assert waiting["oldest_waiting_s"] >= 0
    installation.lockstep.look()
    behind = installation.do("status")
    assert (behind["waiting_events"], behind["behind"]) == (0, 1)
    assert behind["oldest_waiting_s"] >= waiting["oldest_waiting_s"]


def test_a_document_without_text_is_named(installation: Opened) -> None:
    (installation.library.root / "open" / "empty.md").write_text("\n")
    installation.index()
    said = installation.do("status")
    assert (said["empty"], said["empty_documents"]) == (1, ["open/empty.md"])


def test_a_held_document_is_named_with_its_reason_and_can_be_tried_again(installation: Opened) -> None:
    file = installation.library.root / "open" / "topic000.md"
    good = file.read_bytes()
    file.write_bytes(b"caf\xe9 \xfa\xfb")
    installation.index()
    (held,) = installation.do("status")["held"]
    assert (held["document"], held["step"]) == ("open/topic000.md", "look")
    assert installation.found("topic000")[0] == "open/topic000.md"  # the old version stays
    file.write_bytes(good)
    assert installation.do("retry", documents=["open/topic000.md"])["retried"] == 1
    assert installation.do("status")["held"] == []


# access


def test_access_names_the_entry_and_the_memberships_that_lead_to_it(installation: Opened) -> None:
    said = installation.do("access", document="staff/topic001.md", callers=["user:ann"])
    assert said["allow"] == ["local:group:staff"]
    assert [step["at"] for step in said["steps"]] == ["the document itself", "folder staff", "the root folder"]
    assert said["caller"] == {
        "may_read": True,
        "because": "folder staff allows local:group:staff",
        "path": ["local:user:ann", "local:group:staff"],
    }
    assert installation.do("access", document="staff/topic001.md", callers=["user:bob"])["caller"]["may_read"] is False


def test_a_deny_anywhere_beats_an_allow_and_is_named(installation: Opened) -> None:
    installation.library.rules[""] = Rules(allow={"public"}, deny={"group:staff"})
    installation.library.write_rules("")
    installation.library.rules["staff"] = Rules(allow={"group:staff", "user:bob"})
    installation.library.write_rules("staff")
    installation.index()
    said = installation.do("access", document="staff/topic001.md", callers=["user:ann"])["caller"]
    assert said["may_read"] is False
    assert said["because"] == "the root folder denies local:group:staff"
    assert installation.do("access", document="staff/topic001.md", callers=["user:bob"])["caller"]["may_read"]


def test_access_agrees_with_what_searches_return(installation: Opened) -> None:
    for key in installation.library.topics:
        for reader in ("user:ann", "user:bob", "public"):
            said = installation.do("access", document=key, callers=[reader])["caller"]
            shown = key in installation.found(key[-11:-3], reader)
            assert said["may_read"] == shown, (key, reader, said)


# show and plan


def test_show_gives_the_chunks_in_order_with_the_version_that_brought_them(installation: Opened) -> None:
    library = installation.library
    library.write("open/topic000.md", edited(library.topics["open/topic000.md"], 1))
    installation.index()
    said = installation.do("show", document="open/topic000.md")
    assert (said["content_version"], said["published_version"]) == (2, 2)
    assert [chunk["heading_path"] for chunk in said["chunks"]] == [["Handbook", f"Part {n}"] for n in (1, 2, 3)]
    assert [chunk["since_version"] for chunk in said["chunks"]] == [2, 1, 1]


def test_show_as_somebody_says_no_more_than_that_somebody_may_know(installation: Opened) -> None:
    assert installation.do("show", document="staff/topic001.md", callers=["user:ann"])["chunks"]
    with pytest.raises(Refused) as forbidden:
        installation.do("show", document="staff/topic001.md", callers=["user:bob"])
    with pytest.raises(Refused) as unknown:
        installation.do("show", document="staff/nothing.md", callers=["user:bob"])
    assert str(forbidden.value).replace("topic001", "nothing") == str(unknown.value)


def test_plan_shows_what_an_edit_would_cost_and_changes_nothing(installation: Opened) -> None:
    assert installation.do("plan") == {"plans": []}
    library = installation.library
    library.write("open/topic000.md", edited(library.topics["open/topic000.md"], 1))
    (library.root / "open" / "new.md").write_text("# New\n\nSomething new.\n")
    (library.root / "open" / "broken.md").write_bytes(b"caf\xe9 \xfa\xfb")
    library.delete("spare/topic002.md")
    before = installation.do("status")
    plans = {one["document"]: one for one in installation.do("plan")["plans"]}
    counted = ("change", "add", "keep", "close", "embed")
    assert {key: tuple(one[word] for word in counted) for key, one in plans.items()} == {
        "open/topic000.md": ("changed", 1, 2, 1, 1),
        "open/new.md": ("new", 1, 0, 0, 1),
        "spare/topic002.md": ("gone", 0, 0, 3, 0),
        "open/broken.md": ("unreadable", 0, 0, 0, 0),
    }
    assert "open/broken.md" in plans["open/broken.md"]["problem"]
    assert installation.do("plan", documents=["library:spare/topic002.md"])["plans"][0]["change"] == "gone"
    after = installation.do("status")
    assert {**before, "disk_free": 0, "sources": 0} == {**after, "disk_free": 0, "sources": 0}


# sources


def test_a_removed_source_is_read_by_nobody_and_leaves_the_stores(installation: Opened) -> None:
    said = installation.do("remove-source", source="library")
    assert (said["documents"], said["in_settings"]) == (8, True)
    assert installation.found("topic000") == []
    installation.do("vacuum")
    installation.do("vacuum")
    installation.do("vacuum")
    said = installation.do("audit")
    assert (said["clean"], said["stores"]["lexical"]["checked"]) == (True, 0)
    assert installation.do("sources")["sources"][0]["state"] == "removed"
    installation.index()
    assert installation.do("status")["documents"] == 0


def test_a_suspicious_drop_is_deleted_once_it_is_approved(tmp_path: Path) -> None:
    with opened(tmp_path, topics=24) as installation:
        for key in list(installation.library.topics)[:12]:
            installation.library.delete(key)
        installation.index()
        assert installation.do("sources")["sources"][0]["held_drop"] == 12
        assert installation.do("status")["documents"] == 24
        assert installation.do("approve", source="library") == {"source": "library", "approved": 12, "missing": 12}
        assert installation.do("status")["documents"] == 12
        with pytest.raises(Refused, match="nothing to approve"):
            installation.do("approve", source="library")


# doctor


def test_doctor_finds_nothing_wrong_and_says_what_it_looked_at(installation: Opened) -> None:
    found = installation.do("doctor")["findings"]
    wrong = [one for one in found if not one["good"]]
    assert [one["says"] for one in wrong] == ["a search without --as finds only what is public"]
    assert {"versions", "catalog", "generation", "model", "lexical", "vector", "disk"} <= {one["part"] for one in found}


def test_a_part_that_is_down_is_a_finding_that_stops_no_other(installation: Opened) -> None:
    installation.lockstep.vector.close()
    (installation.base / "groups.yaml").write_text("groups: [")
    found = {one["part"]: one for one in installation.do("doctor")["findings"] if not one["good"]}
    assert {"vector", "directory local"} <= found.keys()
    assert all(one["do"] for one in found.values())
    assert "lexical" not in found
    installation.lockstep.vector.create()


# without a running process


def test_after_an_unclean_stop_the_stores_are_mended_before_a_search(installation: Opened) -> None:
    lexical = installation.lockstep.lexical
    with installation.lockstep.database.write() as tx:
        marks.put(tx, marks.RUNNING, "1")
    lexical.delete([stored.id for stored in lexical.ids(after=None, limit=100)])
    assert installation.found("topic000")[0] == "open/topic000.md"
    assert len(lexical.ids(after=None, limit=100)) == 24
    assert installation.do("audit")["clean"]
    with installation.lockstep.database.read() as tx:
        assert marks.get(tx, marks.RUNNING) is None


def test_a_command_that_dies_while_it_writes_leaves_the_mark_of_an_unclean_stop(
    installation: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(type(installation.lockstep.lexical), "delete", die)
    with pytest.raises(KeyboardInterrupt):
        installation.do("erase", document="open/topic000.md")
    with installation.lockstep.database.read() as tx:
        assert marks.get(tx, marks.RUNNING) is not None
