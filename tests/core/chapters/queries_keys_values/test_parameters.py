"""Counts equal PyTorch's, ranks stay below d_k, and shapes are those of a run."""

from dataclasses import replace
from math import prod

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core import InputError, attention_program
from core.chapters.queries_keys_values.parameters import (
    LENGTHS,
    MOST_TOKENS,
    PAPER,
    RANK_LENGTHS,
    WIDTHS,
    Budget,
    Sizes,
    random_scores,
    score_ranks,
    shapes,
)
from tests.quotes import proves


@given(st.integers(1, 2000), st.integers(1, 700), st.integers(1, 90))
def test_counts_are_pytorch_s(n: int, d_model: int, d_k: int) -> None:
    counted = Budget(n, d_model, d_k)
    maps = [torch.nn.Linear(d_model, d_k, bias=False, device="meta") for _ in range(2)]
    assert counted.parameters == sum(p.numel() for m in maps for p in m.parameters())
    Q, K = (m(torch.empty(n, d_model, device="meta")) for m in maps)
    assert counted.scores == (Q @ K.T).numel()
    assert counted.equal_at**2 == pytest.approx(counted.parameters)
    assert counted.scores_per_parameter == pytest.approx(counted.scores / counted.parameters)


def test_the_paper_s_head_has_as_many_scores_as_parameters_at_256_tokens() -> None:
    assert PAPER.parameters == 65_536
    assert PAPER.equal_at == 256
    assert Budget(256, 512, 64).scores == PAPER.parameters
    layer = torch.nn.MultiheadAttention(PAPER.d_model, PAPER.heads, device="meta")
    assert (PAPER.heads, layer.head_dim) == (8, PAPER.d_k)


def test_parameters_and_scores_meet_at_a_length_that_can_be_chosen() -> None:
    for d_k in WIDTHS:
        assert Budget(16, PAPER.d_model, d_k).equal_at in LENGTHS


@proves("The rank of QKᵀ is at most d_k = {d_k}")
@pytest.mark.parametrize("d_k", WIDTHS)
def test_the_rank_of_scores_is_at_most_d_k(d_k: int) -> None:
    ranks = score_ranks(PAPER.d_model, d_k)
    assert list(ranks) == [Budget(n, PAPER.d_model, d_k).rank_bound for n in RANK_LENGTHS]
    scores = torch.tensor(random_scores(RANK_LENGTHS[-1], PAPER.d_model, d_k))
    assert ranks[-1] == int(torch.linalg.matrix_rank(scores)) == min(d_k, RANK_LENGTHS[-1])


def test_each_shape_is_told_by_names_that_multiply_to_it() -> None:
    sizes = {"T": 5, "d_model": 11, "d_q": 3, "d_k": 3, "d_v": 7, "heads": 2}
    trace = Sizes(**sizes).run()
    for row in shapes(trace):
        named = [prod(sizes[part] for part in axis.split("·")) for axis in row.axes.split(" × ")]
        assert tuple(named) == trace[row.array].shape
        assert row.sizes == " × ".join(map(str, named))
    told = {row.array: row for row in shapes(trace)}
    assert (told["W_Q"].made, told["scores"].made) == ("given", "Q Kᵀ")
    assert (told["Q"].axes, told["K"].axes) == ("heads × T × d_q", "heads × T × d_k")


@proves("A score multiplies a query and a key, feature by feature, so d_q must equal d_k")
@pytest.mark.parametrize(("d_q", "d_k"), [(3, 4), (4, 3), (1, 16)])
def test_queries_and_keys_of_different_widths_are_refused(d_q: int, d_k: int) -> None:
    with pytest.raises(InputError, match=f"K has {d_k} .* scores needs {d_q} there: make .* equal"):
        Sizes(d_q=d_q, d_k=d_k).run()


def test_every_other_size_is_free() -> None:
    for name, most in {"T": MOST_TOKENS, "d_model": 64, "d_v": 16, "heads": 8}.items():
        for value in (1, 7, most):
            changed: Sizes = replace(Sizes(), **{name: min(value, most)})
            assert changed.run()["scores"].shape == (changed.heads, changed.T, changed.T)


@proves("""
    So every {n} × {n} matrix of scores is possible, if the rows of X are independent. So not every
    {n} × {n} matrix of scores is possible
""")
@pytest.mark.parametrize(("n", "d_k"), [(3, 3), (4, 6), (7, 7)])
def test_so_few_tokens_can_have_any_scores(n: int, d_k: int) -> None:
    """What the page says where n ≤ d_k: maps are found for scores that are drawn."""
    draw = np.random.default_rng(n)
    X, wanted = draw.normal(size=(n, 9)), draw.normal(size=(n, n))
    inverse = np.linalg.pinv(X)
    room, idle = np.zeros((9, d_k - n)), {"W_V": np.zeros((1, 9, 1)), "W_O": np.zeros((1, 9))}
    W_Q, W_K = (np.hstack([part, room])[None] for part in (inverse @ wanted, inverse))
    trace = attention_program(heads=1).run({"X": X, "W_Q": W_Q, "W_K": W_K, **idle})
    np.testing.assert_allclose(trace["scores"][0], wanted, atol=1e-9)
