"""Chunking over random documents: lossless, within the limit, the same whatever else was chunked (F08)."""

from concurrent.futures import ThreadPoolExecutor
from itertools import cycle

from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.chunking.chunker import Chunker, Media
from ingest.model.chunk import Passage
from ingest.ports import TokenCounter
from tests.unit.chunking.counters import CharacterCounter, WordCounter, minilm_counter
from tests.unit.chunking.texts import assert_within_limit, paragraph, seeded, squeezed

PROMPT = "p: "
COUNTERS: list[TokenCounter] = [WordCounter(24), WordCounter(40, joins=True), CharacterCounter(48), minilm_counter(64)]
CHUNKERS = [(Chunker(tokens, PROMPT), tokens) for tokens in COUNTERS]

PROSE = ["a", "word ", "Sent one. ", "x! ", "Dr. ", ":\n", "。", "；", "好", "한국어", "y" * 130, "T" * 30 + "\n"]
BLANKS = ["\n", "\n\n", "    ", "\t", "\r", "\u2028", "\x0c", "\x0b", "\x00", "\x1c", "\u3000", "\u00a0", "\u200b"]
MARKS = [
    "> ",
    "- ",
    "  - ",
    "1. ",
    "```\n",
    "```py\n",
    "~~~\n",
    "````\n",
    "<div>\n",
    "<!",
    "\\",
    "`",
    "*",
    "_",
    "e\u0301",
]
TABLES = ["| a | b |\n", "|:--|:--|\n", "| 1 | \\| |\n", "|\n", "[x]: /u\n", "[x]: ", '"t"', "👩\u200d👩", "e\u0301"]
SNIPPETS = st.sampled_from([*PROSE, *BLANKS, *MARKS, *TABLES])
HEADLESS = st.lists(SNIPPETS, max_size=60).map("".join)
TITLES = ["# {}\n", "## {} ##\n", "### {}\n\n", "\n{}\n===\n", "###### {}\n"]
MEDIA: st.SearchStrategy[Media] = st.sampled_from(["markdown", "plain"])


@st.composite
def documents(draw: st.DrawFn) -> str:
    """Random Markdown whose headings, wherever they turn out to stand, are called H1x, H2x, ..."""
    parts = draw(st.lists(st.one_of(st.sampled_from(TITLES), HEADLESS), max_size=12))
    return "".join(f"\n{part.format(f'H{at}x')}" if part in TITLES else part for at, part in enumerate(parts))


def in_order(passages: tuple[Passage, ...]) -> str:
    return squeezed("".join(passage.text for passage in passages))


def assert_sound(passages: tuple[Passage, ...], text: str) -> None:
    source = text.replace("\r\n", "\n").replace("\r", "\n")
    at = 0
    for passage in passages:
        assert passage.text.strip()
        at = source.find(passage.text, at)
        assert at >= 0, "a passage is no slice of the source, or out of order"
        at += len(passage.text)
        assert passage.carried in source


@settings(max_examples=250, deadline=None)
@given(HEADLESS, MEDIA, st.sampled_from(CHUNKERS))
def test_every_character_of_a_text_without_headings_is_in_a_passage(
    text: str, media: Media, by: tuple[Chunker, TokenCounter]
) -> None:
    passages = by[0].passages(text, media=media)
    assert in_order(passages) == squeezed(text)
    assert_sound(passages, text)
    assert_within_limit(passages, by[1], PROMPT)


@settings(max_examples=250, deadline=None)
@given(documents(), st.sampled_from(CHUNKERS))
def test_every_character_is_in_a_passage_or_a_heading_path(text: str, by: tuple[Chunker, TokenCounter]) -> None:
    passages = by[0].passages(text, media="markdown")
    assert_sound(passages, text)
    assert_within_limit(passages, by[1], PROMPT)
    said = in_order(passages)
    paths = {title for passage in passages for title in passage.heading_path}
    for line in text.replace("\r", "\n").split("\n"):
        title = squeezed(line).strip("#=")
        assert title in said or any(title in squeezed(heading) for heading in paths)


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=300), MEDIA)
def test_any_text_at_all_is_cut_soundly(text: str, media: Media) -> None:
    chunker, tokens = CHUNKERS[3]
    passages = chunker.passages(text, media=media)
    assert_sound(passages, text)
    assert_within_limit(passages, tokens, PROMPT)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(["one two", "# in code", "", "  deep", "x " * 60]), max_size=25), MEDIA)
def test_where_lines_are_cut_a_passage_is_made_of_whole_ones(lines: list[str], media: Media) -> None:
    text = "\n".join(["~~~", *lines, "~~~"]) if media == "markdown" else "\n".join(lines)
    chunker, _ = CHUNKERS[0]
    for passage in chunker.passages(text, media=media):
        for line in passage.text.split("\n"):
            assert line in text.split("\n") or set(line.split()) == {"x"}


def some_documents() -> list[str]:
    rng = seeded(8)
    shapes = cycle(
        ["# H\n\n{}\n\n{}", "```\n{}\n{}", "- {}\n- {}", "> {}\n\n[x]: /y\n{}", "| a |\n|---|\n| {} |\n| {} |"]
    )
    return [shape.format(paragraph(rng) * 3, paragraph(rng)) for shape, _ in zip(shapes, range(100), strict=False)]


def test_passages_depend_neither_on_order_nor_on_threads() -> None:
    """F08"""
    texts = some_documents()
    alone = {text: Chunker(WordCounter(64), PROMPT).passages(text, media="markdown") for text in texts}
    shared = Chunker(WordCounter(64), PROMPT)
    seeded(9).shuffle(texts)
    assert {text: shared.passages(text, media="markdown") for text in texts} == alone
    with ThreadPoolExecutor(4) as threads:
        cut = threads.map(lambda text: shared.passages(text, media="markdown"), texts)
        assert dict(zip(texts, cut, strict=True)) == alone


class FailingCounter(WordCounter):
    """Fails once, half way through a document."""

    calls = 0

    def count(self, text: str) -> int:
        self.calls += 1
        if self.calls == 20:
            raise RuntimeError("half way")
        return super().count(text)


def test_an_error_half_way_leaves_nothing_behind() -> None:
    """F08"""
    private, public = "secret " * 900, "# B\n\n" + "public " * 300
    chunker = Chunker(FailingCounter(64), "")
    try:
        chunker.passages(private, media="plain")
    except RuntimeError:
        failed = True
    assert failed
    assert chunker.passages(public, media="markdown") == Chunker(WordCounter(64), "").passages(public, media="markdown")
