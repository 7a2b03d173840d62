"""Exact codes are found alike in texts and in questions."""

import pytest

from ingest.model.codes import CodePattern


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("Error PAY-042 means the gateway is away.", ("PAY-042",)),
        ("(AX-204), then BX-900-E12; PAY-042, PAY-042.", ("AX-204", "BX-900-E12", "PAY-042")),
        ("what is pay-042?", ("PAY-042",)),
        ("使用PAY-042支付", ("PAY-042",)),
        ("an e-mail, a built-in, v2.3.1 and 04-12-2026", ()),
        ("XPAY-042X-", ("XPAY-042X",)),
        ("", ()),
    ],
)
def test_codes_are_found_whole_in_upper_case_and_once(text: str, codes: tuple[str, ...]) -> None:
    assert CodePattern().find(text) == codes
