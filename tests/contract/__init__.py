"""What every adapter of a port must do: written once, inherited for each adapter."""

import pytest

pytest.register_assert_rewrite(
    "tests.contract.index",
    "tests.contract.index_access",
    "tests.contract.lexical_index", "tests.contract.vector_index",
    "tests.contract.lexical_english",
    "tests.contract.lexical_questions",
)
