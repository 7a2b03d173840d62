"""`make demo`: index the sample documents, ask, edit, move, revoke, audit; every number comes from a real command."""

import argparse
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deploy.demo.commands import Commands, DemoFailed, environment, until

SAMPLE = Path(__file__).resolve().parents[1] / "sample"
OPERATIONS = "user:ops-reader"
SUPPORT = "user:support-reader"


@dataclass(frozen=True, slots=True)
class Scene:
    """What is asked and edited: another code and another paragraph give the same story."""

    code: str
    runbook: str
    edited: str
    replacement: str


SCENES = {
    "gateway": Scene(
        code="How do I reconnect the payment gateway after PAY-042?",
        runbook="payments/runbooks/reconnect-gateway.md",
        edited="shop/shipping.md",
        replacement="Parcels to the lighthouse leave by quokka courier every Thursday at noon.",
    ),
    "certificate": Scene(
        code="How do I replace the gateway certificate after PAY-043?",
        runbook="payments/runbooks/rotate-certificates.md",
        edited="shop/warranty.md",
        replacement="Engravings made by the narwhal workshop are covered for eleven years.",
    ),
}


def main() -> int:
    """Play one scene in a temporary folder."""
    parser = argparse.ArgumentParser(prog="python -m deploy.demo")
    parser.add_argument("--scene", choices=sorted(SCENES), default="gateway")
    scene = SCENES[parser.parse_args().scene]
    environment()
    folder = Path(tempfile.mkdtemp(prefix="lockstep-demo-"))
    try:
        shutil.copytree(SAMPLE / "documents", folder / "documents")
        shutil.copy(SAMPLE / "groups.yaml", folder / "groups.yaml")
        play(Commands(folder), folder / "documents", scene)
    except DemoFailed as error:
        say(f"the demonstration failed: {error}")
        return 1
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 0


def play(lockstep: Commands, documents: Path, scene: Scene) -> None:
    """The story, step by step; every step checks what it says."""
    lockstep.json("init", "documents")
    first = lockstep.json("run", "--once")
    say(f"indexed      {first['documents']} documents as {first['added']} chunks, {first['embedded']} texts embedded")
    ask_as_two_readers(lockstep, scene)
    with lockstep.running():
        edit_one_paragraph(lockstep, documents, scene)
        move_a_file(lockstep, documents)
        revoke(lockstep, documents, scene)
    lockstep.json("run", "--once")
    audited = lockstep.json("audit")
    need(audited["clean"], "the audit is clean")
    counted = ", ".join(f"{store['checked']} records in the {name} index" for name, store in audited["stores"].items())
    say(f"audit        clean: {counted}")


def ask_as_two_readers(lockstep: Commands, scene: Scene) -> None:
    """The operations reader gets the error section and the runbook; support does not get the runbook."""
    for reader, expected in ((OPERATIONS, True), (SUPPORT, False)):
        found = documents_of(lockstep.json("search", scene.code, "--as", reader))
        need("payments/error-reference.md" in found, f"{reader} finds the error reference")
        need((scene.runbook in found) is expected, f"{reader} {'finds' if expected else 'never sees'} the runbook")
        say(f"asked        {scene.code!r} as {reader}: {', '.join(dict.fromkeys(found[:5]))}")


def edit_one_paragraph(lockstep: Commands, documents: Path, scene: Scene) -> None:
    """One input is embedded, the new text is found, the old one is not."""
    file = documents / scene.edited
    text = file.read_text(encoding="utf-8")
    # the last line of prose of the document
    old = next(line for line in reversed(text.splitlines()) if len(line) > 60 and not line.startswith(("|", "#", "-")))
    before = lockstep.json("status")
    file.write_text(text.replace(old, scene.replacement), encoding="utf-8")
    took = until(lambda: finds(lockstep, scene.replacement, scene.replacement), "the new text is found")
    after = lockstep.json("status")
    embedded = after["embeddings"] - before["embeddings"]
    need(embedded == 1, f"one text embedded, not {embedded}")
    need(not finds(lockstep, old, old), "the old text is not found")
    say(f"edited       one paragraph of {scene.edited}: {embedded} text embedded, found in {took:.1f} s, old text gone")


def move_a_file(lockstep: Commands, documents: Path) -> None:
    """Nothing is embedded."""
    before = lockstep.json("status")["embeddings"]
    (documents / "shop/gift-cards.md").rename(documents / "shop/vouchers.md")
    until(
        lambda: "shop/vouchers.md" in documents_of(lockstep.json("search", "gift card balance", "--as", "public")),
        "the moved document is found under its new name",
    )
    embedded = lockstep.json("status")["embeddings"] - before
    need(embedded == 0, f"nothing embedded by a move, not {embedded}")
    say(f"moved        shop/gift-cards.md to shop/vouchers.md: {embedded} texts embedded")


def revoke(lockstep: Commands, documents: Path, scene: Scene) -> None:
    """Once access is removed, a search does not return the text."""
    access = documents / Path(scene.runbook).parent / ".access.yaml"
    access.write_text("allow: []\n", encoding="utf-8")
    took = until(
        lambda: scene.runbook not in documents_of(lockstep.json("search", scene.code, "--as", OPERATIONS)),
        "the runbook is no longer returned",
    )
    say(f"revoked      {scene.runbook}: not returned to {OPERATIONS} {took:.1f} s later")


def finds(lockstep: Commands, question: str, text: str) -> bool:
    """Whether a search returns a chunk with this text."""
    answer = lockstep.json("search", question[:200], "--as", "public")
    return any(text in hit["text"] for hit in answer["hits"])


def documents_of(answer: Any) -> list[str]:
    """The documents of an answer, best first."""
    return [hit["document"] for hit in answer["hits"]]


def need(holds: bool, what: str) -> None:
    """Raises DemoFailed unless it holds."""
    if not holds:
        raise DemoFailed(f"expected: {what}")


def say(line: str) -> None:
    """One line of the story."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
