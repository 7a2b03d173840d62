"""What every embedding model promises. Adapters inherit the class and give two fixtures."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest.errors import InputRejected
from ingest.ports import EmbeddingModel, FloatMatrix

PASSAGE_PROMPT = "passage: "
QUERY_PROMPT = "query: "
TEXTS = [
    "A refund reaches the card within five working days.",
    "Reconnect the terminal before the shift begins.",
    "The warranty of the blender covers the motor for two years, and nothing that was dropped on the floor.",
    "PAY-042",
]

checked = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.differing_executors],
)
plain_words = st.lists(
    st.sampled_from(["refund", "the", "reconnection", "a", "PAY-042", "tz"]), min_size=1, max_size=60
)
any_text = st.text(st.characters(), max_size=200) | st.lists(
    st.sampled_from(["e\u0301", "日本", "👍🏽", "x" * 130, " ", "\n", "refund", "[SEP]", "\ud800", "ﬃ", "\u00ad"]),
    max_size=60,
).map("".join)


def input_of(model: EmbeddingModel, tokens: int, last: str = "word") -> str:
    """An embedding input of exactly so many tokens, whose last word is `last`."""
    text = f"{model.passage_prompt}word"
    missing = tokens - model.tokens.count(f"{text} {last}")
    text = f"{text}{' word' * missing} {last}"
    assert model.tokens.count(text) == tokens
    return text


class EmbeddingModelContract:
    """`model` has the prompts of this module; `bare` is the same model without prompts."""

    tolerance = 1e-5
    """Of one number of a vector, between batches of other composition."""

    def close(self, left: FloatMatrix, right: FloatMatrix) -> bool:
        return bool(np.abs(left - right).max() <= self.tolerance)

    def test_gives_one_row_of_length_one_per_input(self, model: EmbeddingModel) -> None:
        vectors = model.embed_passages(TEXTS)
        assert vectors.shape == (len(TEXTS), model.dimension)
        assert vectors.dtype == np.float32
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)

    def test_gives_a_matrix_without_rows_for_no_inputs(self, model: EmbeddingModel) -> None:
        vectors = model.embed_passages([])
        assert (vectors.dtype.name, *vectors.shape) == ("float32", 0, model.dimension)

    def test_a_question_has_one_vector_of_length_one(self, model: EmbeddingModel) -> None:
        vector = model.embed_query("How long does a refund take?")
        assert vector.shape == (model.dimension,)
        assert vector.dtype == np.float32
        assert abs(float(np.linalg.norm(vector)) - 1.0) < 1e-5

    def test_rows_keep_the_order_of_inputs_whatever_else_is_in_the_call(self, model: EmbeddingModel) -> None:
        alone = np.vstack([model.embed_passages([text]) for text in TEXTS])
        order = [2, 0, 3, 1, 0, 2]
        assert self.close(model.embed_passages(TEXTS), alone)
        assert self.close(model.embed_passages([TEXTS[at] for at in order]), alone[order])

    def test_many_inputs_of_mixed_lengths_keep_their_rows(self, model: EmbeddingModel) -> None:
        texts = [f"{'word ' * (number * 7 % 40)}number {number}" for number in range(70)]
        vectors = model.embed_passages(texts)
        for row in (0, 17, 33, 69):
            assert self.close(vectors[row : row + 1], model.embed_passages([texts[row]]))

    def test_a_passage_about_the_question_is_nearer_than_another(self, model: EmbeddingModel) -> None:
        question = model.embed_query("terminal shift begins")
        refund, reconnect = model.embed_passages(TEXTS[:2]) @ question
        assert reconnect > refund

    def test_the_query_prompt_goes_before_a_question_and_nowhere_else(
        self, model: EmbeddingModel, bare: EmbeddingModel
    ) -> None:
        asked = model.embed_query("refund")[None, :]
        assert self.close(asked, bare.embed_query(f"{QUERY_PROMPT}refund")[None, :])
        assert self.close(asked, bare.embed_passages([f"{QUERY_PROMPT}refund"]))
        assert not self.close(asked, bare.embed_query("refund")[None, :])

    def test_a_passage_is_embedded_as_it_comes(self, model: EmbeddingModel, bare: EmbeddingModel) -> None:
        assert model.passage_prompt == PASSAGE_PROMPT
        assert bare.passage_prompt == ""
        for text in ("refund", f"{PASSAGE_PROMPT}refund"):
            assert self.close(model.embed_passages([text]), bare.embed_passages([text]))

    def test_prompts_are_part_of_the_fingerprint(self, model: EmbeddingModel, bare: EmbeddingModel) -> None:
        assert model.fingerprint != bare.fingerprint
        assert model.name == bare.name != ""

    def test_an_input_over_the_limit_is_refused_by_its_row(self, model: EmbeddingModel) -> None:
        limit = model.tokens.limit
        with pytest.raises(InputRejected) as refused:
            model.embed_passages([TEXTS[0], input_of(model, limit + 1), TEXTS[1]])
        assert refused.value.row == 1
        with pytest.raises(InputRejected):
            model.embed_query("word " * limit)

    def test_the_last_word_of_an_input_at_the_limit_counts(self, model: EmbeddingModel) -> None:
        limit = model.tokens.limit
        first, second = (input_of(model, limit, last) for last in ("word", "refund"))
        assert not self.close(model.embed_passages([first]), model.embed_passages([second]))

    def test_an_input_is_counted_beyond_the_limit(self, model: EmbeddingModel) -> None:
        assert model.tokens.count("word " * 5_000) >= 5_000

    def test_special_tokens_are_counted(self, model: EmbeddingModel) -> None:
        assert model.tokens.count("word") > 1
        assert model.tokens.count("") == model.tokens.count("word") - 1

    @checked
    @given(text=any_text, limit=st.integers(1, 40))
    def test_a_cut_makes_progress_and_fits(self, model: EmbeddingModel, text: str, limit: int) -> None:
        offset = model.tokens.cut(text, limit)
        assert min(len(text), 1) <= offset <= len(text)
        assert offset == min(len(text), 1) or model.tokens.count(text[:offset]) <= limit

    @checked
    @given(text=any_text)
    def test_a_text_that_fits_is_not_cut(self, model: EmbeddingModel, text: str) -> None:
        assert model.tokens.cut(text, model.tokens.count(text)) == len(text)

    @checked
    @given(words=plain_words, limit=st.integers(4, 40))
    def test_the_next_word_would_not_have_fitted(self, model: EmbeddingModel, words: list[str], limit: int) -> None:
        text = " ".join(words)
        offset = model.tokens.cut(text, limit)
        end = text.find(" ", offset + 1)
        assert offset == len(text) or model.tokens.count(text if end < 0 else text[:end]) > limit

    def test_several_threads_may_ask_at_once(self, model: EmbeddingModel) -> None:
        expected = model.embed_passages(TEXTS)
        with ThreadPoolExecutor(4) as threads:
            answers = list(threads.map(model.embed_passages, [TEXTS] * 8))
        assert all(self.close(answer, expected) for answer in answers)
