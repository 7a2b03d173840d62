"""What every adapter of a port must do: written once, inherited for each adapter."""

import pytest

pytest.register_assert_rewrite(
    *(
        f"tests.contract.{suite}"
        for suite in (
            "catalog",
            "content_source",
            "content_source_looks",
            "embedding_model",
            "index",
            "index_access",
            "lexical_english",
            "lexical_index",
            "lexical_questions",
            "vector_index",
        )
    )
)
