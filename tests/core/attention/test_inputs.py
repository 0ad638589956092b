"""Toy inputs: exact decimals, the same everywhere, each depending on what it should."""

from functools import partial

import numpy as np

from core import toy_inputs
from core.attention.inputs import embedding
from tests.core.support import refuses


def test_every_entry_is_a_decimal_with_one_digit() -> None:
    for array in toy_inputs("The cat sat on the mat", d_model=12, heads=3).values():
        np.testing.assert_array_equal(array, np.rint(array * 10) / 10)


def test_a_word_has_one_vector_in_every_sentence_and_for_every_seed() -> None:
    first = toy_inputs("the cat sat", seed=0)["X"][1]
    np.testing.assert_array_equal(first, toy_inputs("a dog and a cat", seed=5)["X"][4])
    assert (embedding("The", 8) != embedding("the", 8)).any()
    repeated = toy_inputs("the the")
    assert len(repeated.tokens) == 2
    np.testing.assert_array_equal(*repeated["X"])


def test_the_numbers_are_the_same_on_every_machine() -> None:
    inputs = toy_inputs("cat", heads=1, d_model=4, seed=1)
    np.testing.assert_array_equal(inputs["X"], [[-0.7, 0.2, -1.8, 0.3]])
    np.testing.assert_array_equal(inputs["W_Q"][0], W_Q)


W_Q = [[-0.5, 0.4, 1.0, 0.7], [1.0, -0.7, -0.6, -0.1], [0.8, 0.1, -0.3, 0.1], [0.6, -0.9, 0.6, 0.9]]


def test_heads_cut_one_draw_anew_and_fewer_key_value_heads_take_the_first_blocks() -> None:
    whole = toy_inputs("a", heads=1)["W_Q"][0]
    for heads in (2, 4, 8):
        split = toy_inputs("a", heads=heads)["W_Q"]
        np.testing.assert_array_equal(np.concatenate(list(split), axis=1), whole)
    full, shared = toy_inputs("a", heads=4), toy_inputs("a", heads=4, kv_heads=2)
    for name in ("W_K", "W_V"):
        np.testing.assert_array_equal(shared[name], full[name][:2])
    for name in ("X", "W_Q", "W_O"):
        np.testing.assert_array_equal(shared[name], full[name])


def test_the_seed_changes_weights_alone_and_the_sentence_changes_none() -> None:
    first, second = toy_inputs("a b", seed=0), toy_inputs("a b", seed=1)
    np.testing.assert_array_equal(first["X"], second["X"])
    other = toy_inputs("one two three", seed=0)
    for name in ("W_Q", "W_K", "W_V", "W_O"):
        assert (first[name] != second[name]).any()
        np.testing.assert_array_equal(first[name], other[name])


def test_a_refusal_says_value_limit_and_remedy() -> None:
    made = partial(toy_inputs, "a b")
    refuses("7 heads cannot share d_model = 8 evenly: choose 1, 2, 4 or 8", made, heads=7)
    said = "3 key/value heads cannot serve 4 heads evenly: choose 1, 2 or 4"
    refuses(said, made, heads=4, kv_heads=3)
    refuses("heads is 0; it must be 1 to 16", made, heads=0)
    refuses("heads is 17; it must be 1 to 16", made, heads=17, d_model=17)
    refuses("d_model is 65; it must be 1 to 64", made, heads=1, d_model=65)
    refuses("seed is -1", made, seed=-1)
    refuses("d_k is 65", made, d_k=65)
