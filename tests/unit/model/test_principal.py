"""Principals as people write them."""

import pytest

from ingest.errors import Refused
from ingest.model.principal import is_group, parse_principal


@pytest.mark.parametrize(
    ("written", "principal"),
    [
        ("public", "public"),
        (" user:ann ", "corp:user:ann"),
        ("group:payments-operations", "corp:group:payments-operations"),
        ("other:group:x", "other:group:x"),
        ("user:a:b", None),
    ],
)
def test_a_short_form_belongs_to_the_directory_of_the_source(written: str, principal: str | None) -> None:
    if principal is None:
        with pytest.raises(Refused):
            parse_principal(written, directory="corp")
    else:
        assert parse_principal(written, directory="corp") == principal


@pytest.mark.parametrize("written", ["", "ann", "user:", "role:ann", "everyone", "group: "])
def test_anything_else_is_refused_with_what_was_written(written: str) -> None:
    with pytest.raises(Refused, match="is no principal"):
        parse_principal(written)


def test_only_groups_have_members() -> None:
    assert is_group(parse_principal("group:x"))
    assert not is_group(parse_principal("user:x"))
    assert not is_group(parse_principal("public"))
