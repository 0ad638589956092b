"""A decoder's steps are the rows of the whole pass; what "causal" means with fewer queries."""

import re

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core import attention_program, explain, toy_inputs
from core.attention.layers.decoding import decoding_program, last_rows
from core.chapters.one_query.cached import CORNER, corner_family
from tests.quotes import proves

WHOLE = attention_program(heads=2)
TEXT = "one two three four five six seven"


@given(seed=st.integers(0, 999_999), new=st.integers(1, 6))
def test_a_step_with_a_cache_is_the_last_rows_of_the_whole_pass(seed: int, new: int) -> None:
    whole = WHOLE.run(toy_inputs(TEXT, seed=seed))
    step = decoding_program(2, 7 - new).run(last_rows(whole, new))
    for name in ("Q", "scores", "scaled", "masked", "weights", "context"):
        theirs = whole[name][:, -new:]
        np.testing.assert_allclose(step[name], theirs, rtol=0, atol=1e-12, err_msg=name)
    for name in ("concat", "output"):
        np.testing.assert_allclose(step[name], whole[name][-new:], rtol=0, atol=1e-12)
    for name in ("K", "V"):
        np.testing.assert_allclose(step[name], whole[name], rtol=0, atol=1e-12)
    assert step.tokens == whole.tokens


@pytest.mark.parametrize("new", [1, 2, 3, 5])
def test_the_corners_are_pytorchs(new: int) -> None:
    """`is_causal` is upper left; lower right has to be given as a mask."""
    whole = WHOLE.run(toy_inputs("a b c d e f"))
    q = torch.tensor(whole["Q"][:, -new:].copy())
    k, v = (torch.tensor(whole[name].copy()) for name in ("K", "V"))
    attention = torch.nn.functional.scaled_dot_product_attention
    upper = decoding_program(2, 6 - new, upper_left=True).run(last_rows(whole, new))
    np.testing.assert_allclose(upper["context"], attention(q, k, v, is_causal=True), atol=1e-12)
    mask = torch.ones(new, 6, dtype=torch.bool).tril(6 - new)
    lower = decoding_program(2, 6 - new).run(last_rows(whole, new))
    np.testing.assert_allclose(lower["context"], attention(q, k, v, attn_mask=mask), atol=1e-12)


@proves("the triangle begins at the first key, so new query {query} sees only the first {query}")
def test_where_the_triangle_is_said_to_lie_it_lies() -> None:
    for choice, words in CORNER.options.items():
        trace = corner_family().run(query_corner=choice, query_new="2")
        left = not trace["mask"][0, 1:].any()
        assert words == ("begins upper left" if left else "ends lower right")
        for i, j in np.ndindex(trace["mask"].shape) if left else ():
            said = explain(trace, "mask", (i, j)).words
            seen = int(trace["mask"][i].sum())
            assert re.search(rf"new query {i + 1} sees only the first ({seen} keys|key)\b", said)


def test_kept_rows_come_with_the_noise_of_the_run_that_made_them() -> None:
    whole = WHOLE.run(toy_inputs(TEXT))
    assert decoding_program(2, 6).run(last_rows(whole, 1)).noise["K_kept"] == whole.noise["K"] > 0
