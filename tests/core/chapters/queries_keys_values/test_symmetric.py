"""The eigenvalues of X Xᵀ, beside the singular values of X; B4."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from core.attention.inputs import toy_inputs
from core.chapters.queries_keys_values.ladder import (
    asymmetry,
    climb,
    eigenvalues_of_scores,
    red_ball,
    symmetry,
)
from core.program.inputs import Inputs

NUMBERS = st.integers(-90, 90).map(lambda n: n / 10)


@given(arrays(float, array_shapes(min_dims=2, max_dims=2, max_side=7), elements=NUMBERS))
def test_no_eigenvalue_of_x_alone_is_below_0(X: np.ndarray) -> None:
    """They are the squares of the singular values of X, and 0 where X has fewer."""
    trace = climb(1, Inputs({"X": X}, tuple("abcdefg"[: len(X)])))
    found = eigenvalues_of_scores(trace)
    singular = torch.linalg.svdvals(torch.tensor(X)).numpy()
    squares = np.zeros(len(X))
    squares[: len(singular)] = singular**2
    np.testing.assert_allclose(found, np.sort(squares), rtol=1e-9, atol=1e-10 * (1 + squares.max()))
    assert min(found) >= 0
    assert asymmetry(trace) <= 1e-12 * (1 + squares.max())


def test_learned_maps_need_not_be_symmetric_and_may_have_eigenvalues_below_0() -> None:
    """Ball asks red with 4, red asks ball with 0; turned maps make every eigenvalue negative."""
    assert asymmetry(climb(2, red_ball())) == 4
    one = red_ball()
    turned = Inputs({**one.arrays, "W_Q": -one["W_K"]}, one.tokens)
    assert np.linalg.eigvalsh(climb(2, turned)["scores"][0]).min() < 0


@pytest.mark.parametrize("text", ["cat", "a a", "a b", "The cat sat on the mat"])
def test_what_is_found_of_a_sentence_is_true_of_it(text: str) -> None:
    toy = toy_inputs(text, heads=1, d_model=4, d_k=2, d_v=3)
    X, found = toy["X"], symmetry(text)
    values = torch.linalg.eigvalsh(torch.tensor(X @ X.T)).numpy()
    rank = np.linalg.matrix_rank(X)
    assert (len(found.eigenvalues), len(found.above), found.zeros) == (len(X), rank, len(X) - rank)
    np.testing.assert_allclose(found.above, values[len(X) - rank :], rtol=0, atol=1e-9)
    Q, K = (X @ toy[f"W_{name}"][0] for name in "QK")
    most = np.abs(Q @ K.T - (Q @ K.T).T).max()
    assert found.apart == pytest.approx(most, abs=1e-9)
    assert bool(found.apart) == (most > 0)
