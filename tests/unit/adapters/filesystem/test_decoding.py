"""F05: bytes become the right text or a reason, never garbage."""

import codecs

import pytest

from ingest.adapters.filesystem.decoding import check_encoding, decode
from ingest.errors import ContentUnreadable, SettingsInvalid

TEXT = "Gebühr: 5 €\n完了\n"
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"


@pytest.mark.parametrize(
    ("raw", "encoding"),
    [
        (TEXT.encode(), "utf-8"),
        (codecs.BOM_UTF8 + TEXT.encode(), "utf-8"),
        (codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"), "utf-16-le"),
        (codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"), "utf-16-be"),
        (codecs.BOM_UTF32_LE + TEXT.encode("utf-32-le"), "utf-32-le"),
        (codecs.BOM_UTF32_BE + TEXT.encode("utf-32-be"), "utf-32-be"),
        (TEXT.replace("\n", "\r\n").encode(), "utf-8"),
        (TEXT.replace("\n", "\r").encode(), "utf-8"),
    ],
)
def test_a_mark_or_utf_8_decides(raw: bytes, encoding: str) -> None:
    decoded = decode(raw, shown="a.md")
    assert (decoded.text, decoded.encoding) == (TEXT, encoding)


@pytest.mark.parametrize(("encoding", "text"), [("cp1252", "café"), ("gbk", "退款说明")])
def test_the_declared_fallback_comes_after_utf_8_and_is_recorded(encoding: str, text: str) -> None:
    raw = text.encode(encoding)
    assert decode(raw, shown="a.md", fallback=encoding).text == text
    assert decode(raw, shown="a.md", fallback=encoding).encoding == encoding
    with pytest.raises(ContentUnreadable, match=r"a\.md is no text in utf-8; .*fallback_encoding"):
        decode(raw, shown="a.md")


@pytest.mark.parametrize(
    ("raw", "fallback", "reason"),
    [
        ("ends in é".encode()[:-1], None, "no text in utf-8;"),
        (b"\xff\xfea", None, "no text in utf-16-le;"),
        (b"\x81\x8d\xff", "cp1252", "no text in utf-8 or cp1252;"),
        (PNG, None, "binary"),
        (PNG, "latin-1", "binary"),
        (b"text\0text", None, "binary"),
        (codecs.BOM_UTF16_LE + "a\0b".encode("utf-16-le"), None, "binary"),
    ],
)
def test_what_is_no_text_is_unreadable_with_its_reason(raw: bytes, fallback: str | None, reason: str) -> None:
    with pytest.raises(ContentUnreadable, match=reason):
        decode(raw, shown="a.md", fallback=fallback)


def test_a_mark_alone_and_nothing_at_all_are_empty_texts() -> None:
    assert not decode(b"", shown="a.md").text
    assert not decode(codecs.BOM_UTF8, shown="a.md").text


@pytest.mark.parametrize("name", ["klingon", "rot13", "base64"])
def test_a_fallback_that_is_no_text_encoding_is_refused(name: str) -> None:
    with pytest.raises(SettingsInvalid, match=name):
        check_encoding(name)


def test_a_fallback_is_known_by_one_name() -> None:
    assert check_encoding("Windows-1252") == "cp1252"
    assert check_encoding(None) is None
