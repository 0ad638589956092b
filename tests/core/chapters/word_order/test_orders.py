"""Orders of tokens: those to choose from, and one that somebody types."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.chapters.word_order.orders import ORDERS, order_of, permutation_matrix
from tests.core.support import refuses
from tests.sampling import examples


@given(st.permutations(["a", "b", "b", "c", "a"]))
@examples(15)
def test_tokens_in_the_order_of_somebody_stand_as_they_were_typed(again: list[str]) -> None:
    text = ["a", "b", "b", "c", "a"]
    order = order_of(" ".join(text), "  ".join(again))
    assert sorted(order) == list(range(5))
    assert [text[at] for at in order] == again
    for token in "ab":  # equal tokens keep their order
        places = [at for at in order if text[at] == token]
        assert sorted(places) == places


@pytest.mark.parametrize("again", ["", "   "])
def test_an_order_that_says_nothing_is_as_typed(again: str) -> None:
    assert order_of("b a", again) == (0, 1)


@pytest.mark.parametrize("again", ["a", "a b b", "a c", "a b a b", "A b", "c"])
def test_other_tokens_are_no_order_of_these(again: str) -> None:
    refuses("the tokens of the sentence are a, b", order_of, "a b", again)


@pytest.mark.parametrize("name", ORDERS)
def test_a_permutation_matrix_takes_each_row_once(name: str) -> None:
    for T in range(1, 9):
        order = ORDERS[name](T)
        assert sorted(order) == list(range(T))
        rows = np.arange(2.0 * T).reshape(T, 2)
        np.testing.assert_array_equal(permutation_matrix(order) @ rows, rows[list(order)])
