"""Places in a text where a cut does not tear a character apart."""

import unicodedata

_ZERO_WIDTH_JOINER = "\u200d"
_EMOJI_MODIFIERS = range(0x1F3FB, 0x1F400)
_LOW_SURROGATES = range(0xDC00, 0xE000)


def character_start(text: str, offset: int) -> int:
    """The nearest offset at or before `offset` that does not split a base from its marks.

    Returns `offset` itself when the sequence reaches back to the start of the text, so a cut there makes progress.
    """
    at = offset
    while 0 < at < len(text) and _continues(text, at):
        at -= 1
    return at or offset


def _continues(text: str, at: int) -> bool:
    here, before = text[at], text[at - 1]
    if here.isascii():
        return before == _ZERO_WIDTH_JOINER
    return (
        unicodedata.category(here).startswith("M")
        or _ZERO_WIDTH_JOINER in {here, before}
        or ord(here) in _EMOJI_MODIFIERS
        or ord(here) in _LOW_SURROGATES
    )
