"""A decoder's steps are the rows of the whole pass; what "causal" means with fewer queries."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core import attention_program, toy_inputs
from core.attention.decoding import UpperLeft, decoding_program, last_rows
from core.attention.masks import Rule
from tests.sampling import DEEP

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


@pytest.mark.parametrize("seed", range(100 if DEEP else 5))
def test_a_sentence_written_token_by_token_by_a_plain_loop(seed: int) -> None:
    """One query at a time, keys and values appended to lists; PyTorch's own attention beside it."""
    given_ = toy_inputs(TEXT, seed=seed)
    X, *maps = (torch.tensor(np.array(given_[n])) for n in ("X", "W_Q", "W_K", "W_V", "W_O"))
    W_Q, W_K, W_V, W_O = maps
    keys, values = [], []
    whole = WHOLE.run(given_)
    for t, row in enumerate(X):
        keys.append(torch.einsum("m,hmk->hk", row, W_K))
        values.append(torch.einsum("m,hmv->hv", row, W_V))
        q = torch.einsum("m,hmk->hk", row, W_Q)[:, None]
        read = torch.nn.functional.scaled_dot_product_attention(
            q, torch.stack(keys, 1), torch.stack(values, 1)
        )
        made = read[:, 0].reshape(-1) @ W_O
        np.testing.assert_allclose(whole["output"][t], made, rtol=0, atol=1e-12)


def test_one_cached_query_under_is_causal_sees_key_1_alone() -> None:
    """M19: one query, five cached keys."""
    whole = WHOLE.run(toy_inputs("a b c d e"))
    right = decoding_program(2, 4).run(last_rows(whole, 1))
    wrong = decoding_program(2, 4, upper_left=True).run(last_rows(whole, 1))
    assert right["mask"].tolist() == [[True] * 5]
    assert wrong["mask"].tolist() == [[True, False, False, False, False]]
    np.testing.assert_array_equal(wrong["weights"][:, 0], [[1, 0, 0, 0, 0]] * 2)


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


def test_both_corners_agree_where_queries_are_as_many_as_keys() -> None:
    np.testing.assert_array_equal(UpperLeft("causal").mask(4, 4), Rule("causal").mask(4, 4))


def test_kept_rows_come_with_the_noise_of_the_run_that_made_them() -> None:
    whole = WHOLE.run(toy_inputs(TEXT))
    step = decoding_program(2, 6).run(last_rows(whole, 1))
    assert step.noise["K_kept"] == whole.noise["K"] > 0
