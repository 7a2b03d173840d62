"""What is too long: where it is cut, and that no input ever exceeds the limit (scenarios F03, F06, F09)."""

import re

import pytest
from markdown_it import MarkdownIt

from ingest.chunking.chunker import Chunker, ChunkerSettings
from ingest.chunking.words import model_input
from ingest.errors import SettingsInvalid

from .counters import CharacterCounter, WordCounter, minilm_counter
from .texts import assert_within_limit, paragraph, seeded, squeezed, texts_of, words

SMALL = WordCounter(42)
CHUNKER = Chunker(SMALL, "")


def paragraphs(count: int, length: int = 15) -> list[str]:
    rng = seeded(count)
    return [words(rng, length) for _ in range(count)]


def test_a_long_section_is_cut_between_paragraphs() -> None:
    parts = paragraphs(12)
    passages = CHUNKER.passages("# H\n\n" + "\n\n".join(parts), media="markdown")
    assert len(passages) > 4
    assert [part for passage in passages for part in passage.text.split("\n\n")] == parts
    assert {passage.heading_path for passage in passages} == {("H",)}


def test_a_section_of_exactly_the_limit_is_whole_and_one_token_more_is_cut() -> None:
    """F09"""
    assert len(texts_of(CHUNKER, " ".join(["word"] * 40))) == 1
    assert len(texts_of(CHUNKER, " ".join(["word"] * 41))) == 2


def test_a_long_paragraph_is_cut_between_sentences() -> None:
    rng = seeded(1)
    sentences = [words(rng, 9).capitalize() + "." for _ in range(30)]
    pieces = texts_of(CHUNKER, " ".join(sentences))
    assert len(pieces) > 5
    assert [f"{sentence}." for piece in pieces for sentence in re.split(r"\. ?", piece)[:-1]] == sentences


def test_lines_without_sentences_are_cut_between_lines() -> None:
    lines = paragraphs(40, 5)
    pieces = texts_of(CHUNKER, "\n".join(lines))
    assert [line for piece in pieces for line in piece.split("\n")] == lines


def test_code_is_kept_whole_where_it_fits() -> None:
    code = "```\n" + "\n\n".join(paragraphs(3, 9)) + "\n```"
    filler = "\n\n".join(paragraphs(4))
    assert any(code in piece for piece in texts_of(CHUNKER, f"{filler}\n\n{code}\n\n{filler}"))


@pytest.mark.parametrize("indent", ["", "    "])
def test_long_code_is_cut_between_lines(indent: str) -> None:
    lines = [f"{indent}{line}" for line in paragraphs(40, 6)]
    text = "\n".join(lines if indent else ["```", *lines, "```"])
    pieces = texts_of(CHUNKER, text)
    assert len(pieces) > 5
    assert "\n".join(pieces) == text


def test_a_list_is_cut_between_items_and_a_long_item_between_its_parts() -> None:
    items = [f"- {line}\n  - {line[:9]}" for line in paragraphs(8, 12)]
    long_item = "- " + "\n\n  ".join(paragraphs(5, 14))
    pieces = texts_of(CHUNKER, "\n".join([*items, long_item]))
    assert all(piece.lstrip(" ").startswith("-") or piece.strip() in long_item for piece in pieces)
    assert all(any(item in piece for piece in pieces) for item in items)


def test_what_ends_in_a_colon_is_rather_not_parted_from_what_it_introduces() -> None:
    lead = " ".join(["lead"] * 20) + ":"
    items = "\n".join(f"- {line}" for line in paragraphs(10, 6))
    assert "\n\n- " in texts_of(CHUNKER, f"{lead}\n\n{items}")[0]


def rows_of_a_table() -> list[str]:
    rng = seeded(5)
    rows = [f"| {number} | {words(rng, 2)} | a \\| b |" for number in range(60)]
    rows[30] = f"| 30 | {words(rng, 90)} | end |"
    return rows


def test_a_table_is_cut_between_rows_and_later_pieces_carry_its_header() -> None:
    """F03"""
    tokens = WordCounter(80)
    rows = rows_of_a_table()
    header = "| n | name | code |\n|---|------|------|"
    passages = Chunker(tokens, "").passages(f"# T\n\n{header}\n" + "\n".join(rows), media="markdown")
    assert len(passages) > 6
    assert_within_limit(passages, tokens)
    assert passages[0].carried == "" and passages[0].text.startswith(header)  # noqa: PT018
    assert {passage.carried for passage in passages[1:]} == {header}
    lines = [line for passage in passages for line in passage.text.split("\n")]
    assert [row for row in rows if row not in lines] == [rows[30]]
    for passage in passages:
        tree = MarkdownIt("commonmark").enable("table").parse(passage.shown)
        assert [token.type for token in tree if token.level == 0] == ["table_open", "table_close"]
        assert sum(token.type == "th_open" for token in tree) == 3


def test_a_header_that_would_fill_every_chunk_is_not_carried() -> None:
    header = "| " + " | ".join(["column"] * 12) + " |\n|" + "---|" * 12
    rows = "\n".join("| x" * 12 + " |" for _ in range(5))
    passages = CHUNKER.passages(f"{header}\n{rows}", media="markdown")
    assert {passage.carried for passage in passages} == {""}
    assert_within_limit(passages, SMALL)


HAN = "支付退款订单服务错误重试窗口运输保修终端"


def without_spaces(kind: str) -> str:
    rng = seeded(6)
    han = [chr(rng.randint(0x4E00, 0x9FA5)) for _ in range(20_000)]
    if kind == "sentences":
        return "".join(sign if rng.random() > 0.04 else "。" for sign in han)
    if kind == "no punctuation":
        return "".join(han)
    if kind == "kana and thai":
        return "ひらがな" * 1500 + "ภาษาไทย" * 1500
    return "".join(f"{HAN} PAY-042 call(x){'👩‍👩‍👧' if at % 3 == 0 else ''}；" for at in range(200))


@pytest.mark.parametrize("kind", ["sentences", "no punctuation", "mixed", "kana and thai"])
def test_text_without_spaces_is_cut_within_the_limit(kind: str) -> None:
    """F06"""
    tokens = minilm_counter()
    text = without_spaces(kind)
    passages = Chunker(tokens, "").passages(text, media="plain")
    assert_within_limit(passages, tokens)
    assert squeezed("".join(passage.text for passage in passages)) == squeezed(text)
    assert len(passages) < len(text) / 60


def test_cuts_prefer_the_ends_of_han_sentences() -> None:
    """F06"""
    pieces = texts_of(Chunker(CharacterCounter(62), ""), f"{HAN}。" * 4 + f"{HAN}；" * 4 + f"{HAN}……" * 4)
    assert all(piece[-1] in "。；…" for piece in pieces)


def test_no_cut_parts_an_accent_or_an_emoji_sequence() -> None:
    family = "👩\u200d👩\u200d👧\ufe0f"
    for piece in texts_of(Chunker(CharacterCounter(40), ""), (family + "e\u0301" * 3) * 60):
        assert piece[0] in "👩e"
        assert piece[-1] != "\u200d"


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(f"0x{number:032x}=={number * 7919 % 99991}|{number}" for number in range(300)),
        "1234567890" * 3000,
        "a" * 20_000,
        "한국어" * 4000,
        "`{}[]()<>;:,.`" * 900,
        f"# {'Deep heading of many words ' * 40}\n\n## {'inner ' * 200}\n\n" + "text " * 900,
    ],
    ids=["hex", "digits", "one word", "hangul", "signs", "long path"],
)
def test_dense_text_never_exceeds_the_limit(text: str) -> None:
    """F09"""
    tokens = minilm_counter(128)
    prompt = "passage: "
    passages = Chunker(tokens, prompt).passages(text, media="markdown")
    assert_within_limit(passages, tokens, prompt)
    assert squeezed("".join(passage.text for passage in passages)) == squeezed(text.rpartition("\n\n")[2])


def test_counts_that_do_not_add_up_still_end_within_the_limit() -> None:
    """F09"""
    tokens = WordCounter(30, joins=True)
    text = "\n".join(paragraphs(60, 4)) + "\n\n" + "\n\n\n\n".join(paragraphs(30, 1))
    passages = Chunker(tokens, "p: ").passages(text, media="markdown")
    assert_within_limit(passages, tokens, "p: ")
    assert squeezed("".join(passage.text for passage in passages)) == squeezed(text)


def test_outer_headings_leave_the_input_first_and_the_whole_path_is_kept() -> None:
    path = ("outer " * 8, "middle " * 4, "inner")
    headings = "".join(f"{'#' * level} {title}\n\n" for level, title in enumerate(path, 1))
    (passage,) = CHUNKER.passages(f"{headings}text", media="markdown")
    assert passage.heading_path == tuple(title.strip() for title in path)
    assert passage.embedded_path == passage.heading_path[1:]


def test_an_innermost_heading_that_is_too_long_is_cut_in_the_input() -> None:
    (passage,) = CHUNKER.passages(f"# {'word ' * 50}\n\ntext", media="markdown")
    assert passage.embedded_path == (" ".join(["word"] * 10),)
    assert passage.heading_path == (" ".join(["word"] * 50),)


def test_prompt_and_path_count_towards_the_limit() -> None:
    text = "# A b c\n\n" + " ".join(["word"] * 33)
    assert len(Chunker(SMALL, "").passages(text, media="markdown")) == 1
    assert len(Chunker(SMALL, "one two three four five ").passages(text, media="markdown")) == 2


def test_a_prompt_that_leaves_no_room_is_refused() -> None:
    with pytest.raises(SettingsInvalid, match="too few for its passage prompt"):
        Chunker(WordCounter(20), "one two three four five six seven eight nine ten")


def test_the_last_sentence_of_a_passage_reaches_the_model() -> None:
    """F09"""
    tokens = minilm_counter()
    text = "\n\n".join(paragraph(seeded(at)) for at in range(9))
    before, after = (Chunker(tokens, "").passages(end, media="plain") for end in (f"{text} Blue.", f"{text} Red."))
    assert model_input("", before[-1]) != model_input("", after[-1])
    assert before[:-2] == after[:-2]


def test_identity_changes_with_the_settings_alone() -> None:
    other = ChunkerSettings(least_percent=20)
    assert Chunker(SMALL, "").identity == Chunker(WordCounter(99), "p").identity == ChunkerSettings().version
    assert Chunker(SMALL, "", other).identity != CHUNKER.identity
    assert other.digest != ChunkerSettings().digest


def test_settings_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ValueError, match="between 1 and 50"):
        ChunkerSettings(path_percent=90)
