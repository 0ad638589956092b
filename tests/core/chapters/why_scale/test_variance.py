"""Scores spread with √d, scaling undoes it, and a wide row saturates softmax."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.chapters.why_scale import variance
from tests.quotes import proves
from tests.sampling import some

SEEDS = some(range(5), 3)
rows = st.lists(st.floats(-50, 50), min_size=2, max_size=9)


def test_dot_products_are_those_of_the_first_d_entries() -> None:
    vectors = variance.draw_vectors(7, 3, seed=11)
    products = variance.dot_products(vectors)
    assert products.shape == (len(variance.DIMENSIONS), 7, 3)
    for d, found in zip(variance.DIMENSIONS, products, strict=True):
        q, k = vectors[:, 0, :d], vectors[:, 1:, :d]
        np.testing.assert_allclose(found, (q[:, None] * k).sum(axis=-1), rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_variance_is_d_and_scaled_it_is_1(seed: int) -> None:
    """E = 0, Var = d and scaled Var = 1, within 5 % at n = 20,000 (Vaswani et al., footnote 4)."""
    drawn = variance.sample(20_000, seed)
    np.testing.assert_allclose(drawn.variances, variance.DIMENSIONS, rtol=0.05)
    np.testing.assert_allclose(drawn.scaled_variances, 1, rtol=0.05)
    # Five standard errors of a mean of 20,000 draws with standard deviation √d.
    assert (np.abs(drawn.means) < 5 * np.sqrt(np.array(variance.DIMENSIONS) / 20_000)).all()


@proves("""
    The square of a sum of d products is a sum over all pairs i, j | is the average over all draws |
    Let all entries of q and k be independent
""")
@pytest.mark.parametrize("seed", SEEDS)
def test_the_terms_of_the_variance_are_1_on_the_diagonal_and_0_off_it(seed: int) -> None:
    drawn = variance.sample(20_000, seed)
    np.testing.assert_allclose(drawn.grid, np.eye(variance.GRID_D), rtol=0, atol=0.1)
    np.testing.assert_array_equal(drawn.grid, drawn.grid.T)


@pytest.mark.parametrize("draws", variance.DRAWS)
def test_no_draw_is_missing_from_a_histogram(draws: int) -> None:
    for values in variance.sample(draws, 1).products:
        shown = variance.histogram(values)
        np.testing.assert_allclose(shown.shares.sum(), 1)
        np.testing.assert_allclose(np.diff(shown.middles), shown.width)


def test_a_histogram_counts_by_hand() -> None:
    shown = variance.histogram(np.array([[0.1], [0.2], [0.7], [-0.1]]))
    np.testing.assert_array_equal(shown.middles, [-0.25, 0.25, 0.75])
    np.testing.assert_array_equal(shown.shares, [0.25, 0.5, 0.25])


def test_the_largest_of_eight_weights_at_d_64() -> None:
    """.875 on average without scaling, .360 with it."""
    at = variance.saturation(0, rows=5_000).at(64)
    np.testing.assert_allclose(at, (0.875, 0.360), rtol=0, atol=0.01)
    every = variance.dot_products(variance.draw_vectors(5_000, 8, 5))
    scores = torch.from_numpy(every[variance.DIMENSIONS.index(64)])
    largest = [torch.softmax(s, -1).amax(-1).mean() for s in (scores, scores / 8)]
    np.testing.assert_allclose(largest, (0.875, 0.360), rtol=0, atol=0.01)


@pytest.mark.parametrize("seed", SEEDS)
def test_without_scaling_entropy_and_gradient_vanish_and_with_it_they_stay(seed: int) -> None:
    found = variance.saturation(seed)
    for quantity in ("evenness", "jacobian_norm"):
        without, with_root = (getattr(means, quantity) for means in (found.unscaled, found.scaled))
        assert (np.diff(without[1:]) < 0).all()
        assert without[-1] < 0.45 * with_root[-1]
        np.testing.assert_allclose(with_root, with_root[0], rtol=0.1)
    np.testing.assert_array_equal(found.unscaled.largest[0], found.scaled.largest[0])


@proves(r"""
    how much each weight changes when an input changes a little. For a row of weights p, its
    diagonal holds $p_i(1-p_i)$ and everything else is $-p_i\,p_j$ | Its norm is the root of the
    summed squares
""")
@given(rows)
def test_jacobian_is_diag_p_minus_p_pt(scores: list[float]) -> None:
    """Against automatic differentiation in PyTorch."""
    row = torch.tensor(scores, dtype=torch.float64)
    wanted = torch.autograd.functional.jacobian(lambda s: torch.softmax(s, -1), row).numpy()
    p = variance.weights_of(np.array(scores))
    np.testing.assert_allclose(variance.softmax_jacobian(p), wanted, rtol=0, atol=1e-13)
    exact = np.diag(p) - np.outer(p, p)
    np.testing.assert_allclose(variance.softmax_jacobian(p), exact, atol=1e-15)


@proves("""
    √d_k does not prevent overflow: softmax subtracts the row's maximum for that. d_k counts the
    features of one head: d_model / H for H equal heads, not d_model. Variance 1 holds for
    independent vectors, before training. A query and a key that match may score far more
""")
def test_what_the_root_does_not_do() -> None:
    large = torch.full((2,), 1e5) / math.sqrt(64)
    assert torch.isinf(large.exp()).all()
    assert torch.softmax(large, 0).tolist() == [0.5, 0.5]
    assert torch.nn.MultiheadAttention(64, 4).head_dim == 64 / 4
    q = variance.draw_vectors(1, 1, seed=0)[0, 0, :64]
    assert q @ q / math.sqrt(64) > 4


@given(rows)
def test_entropy_and_jacobian_norm_stay_in_their_ranges(scores: list[float]) -> None:
    p = variance.weights_of(np.array(scores))
    assert 0 <= variance.entropy(p) <= math.log(len(p)) + 1e-12
    assert 0 <= variance.jacobian_norm(p) <= 0.5 + 1e-12
    wanted = torch.distributions.Categorical(probs=torch.from_numpy(p)).entropy()
    np.testing.assert_allclose(variance.entropy(p), wanted, rtol=0, atol=1e-9)


def test_equal_and_saturated_weights_by_hand() -> None:
    even, all_on_one = variance.RowWeights(np.full(8, 1 / 8)), variance.RowWeights(np.eye(8)[2])
    np.testing.assert_allclose((even.nats, even.bits, even.most_bits), (math.log(8), 3, 3))
    np.testing.assert_allclose(even.jacobian_norm, math.sqrt(7) / 8)
    assert (all_on_one.nats, all_on_one.jacobian_norm, all_on_one.largest) == (0, 0, 1)
    assert math.copysign(1, all_on_one.nats) == 1
    np.testing.assert_allclose(variance.RowWeights(np.array([0.5, 0.5])).jacobian_norm, 0.5)


def test_what_is_kept_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        variance.sample(500, 0).products[0] = 1
