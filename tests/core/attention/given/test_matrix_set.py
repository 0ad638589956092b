"""A whole set of matrices, as an exercise or a library has it, against plain numpy and PyTorch."""

from typing import Any

import numpy as np
import pytest
import torch

from core.attention.given.matrix_set import HIDDEN, VISIBLE, setup_of_matrices, setup_with
from core.attention.setups import Setup
from tests.core.support import refuses
from tests.quotes import proves
from tests.sampling import SEEDS, some
from tests.ui.plain_attention import softmax

Array = np.ndarray
EXERCISE: dict[str, Any] = {
    "X": [[1, 0, 1, 0], [0, 2, 0, 2], [1, 1, 1, 1]],
    "W_Q": [[1, 0, 1], [1, 0, 0], [0, 0, 1], [0, 1, 1]],
    "W_K": [[0, 0, 1], [1, 1, 0], [0, 1, 0], [1, 1, 0]],
    "W_V": [[0, 2, 0], [0, 3, 0], [1, 0, 3], [1, 1, 0]],
}


def arrays(**given: Any) -> dict[str, np.ndarray]:
    return {name: np.array(numbers, dtype=float) for name, numbers in given.items()}


@pytest.mark.parametrize("seed", some(SEEDS, 6))
def test_any_sizes_that_fit_together_are_taken(seed: int) -> None:
    rng = np.random.default_rng(seed)
    T, d_model, d_k, d_v = rng.integers(1, 9, size=4)
    X = rng.normal(size=(T, d_model))
    W_Q, W_K = rng.normal(size=(2, d_model, d_k))
    W_V = rng.normal(size=(d_model, d_v))
    set_up = setup_of_matrices(Setup(), arrays(X=X, W_Q=W_Q, W_K=W_K, W_V=W_V)).setup
    scores = X @ W_Q @ (X @ W_K).T / np.sqrt(d_k)
    wanted = softmax(np.where(np.tri(T) > 0, scores, -np.inf)) @ X @ W_V
    np.testing.assert_allclose(set_up.trace["output"], wanted, rtol=0, atol=1e-12)
    again = Setup(heads=1, d_model=int(d_model), edits=set_up.edits)  # as a link brings it
    np.testing.assert_array_equal(again.trace["output"], set_up.trace["output"])


@pytest.mark.parametrize("heads", [1, 2, 4])
def test_joined_weights_are_cut_into_heads_as_pytorch_cuts_them(heads: int) -> None:
    torch.manual_seed(heads)
    module = torch.nn.MultiheadAttention(8, heads, bias=False, batch_first=True).double()
    X = torch.randn(5, 8, dtype=torch.float64)
    hidden = torch.ones(5, 5).triu(1).bool()
    with torch.no_grad():
        wanted, weights = module(X, X, X, attn_mask=hidden, average_attn_weights=False)
        joined = [part.T.numpy() for part in module.in_proj_weight.chunk(3)]
    given = dict(zip(("W_Q", "W_K", "W_V"), joined, strict=True))
    given |= {"X": X.numpy(), "W_O": module.out_proj.weight.detach().T.numpy()}
    trace = setup_of_matrices(Setup(), given, heads).setup.trace
    np.testing.assert_allclose(trace["weights"], weights.numpy(), rtol=0, atol=1e-12)
    np.testing.assert_allclose(trace["output"], wanted.numpy(), rtol=0, atol=1e-12)


@pytest.mark.parametrize(("T", "S"), [(12, 12), (2, 5), (5, 2)])
def test_queries_keys_and_values_alone_need_no_other_size(T: int, S: int) -> None:
    rng = np.random.default_rng(T * S)
    Q, K, V = rng.normal(size=(T, 6)), rng.normal(size=(S, 6)), rng.normal(size=(S, 3))
    given = setup_of_matrices(Setup(mask="none"), arrays(Q=Q, K=K, V=V))
    wanted = softmax(Q @ K.T / np.sqrt(6)) @ V
    np.testing.assert_allclose(given.setup.trace["output"], wanted, rtol=0, atol=1e-12)
    assert given.identity
    assert given.drawn == ()


def test_what_is_drawn_in_place_of_a_missing_matrix_is_said() -> None:
    given = setup_of_matrices(Setup(), arrays(X=EXERCISE["X"], W_Q=EXERCISE["W_Q"]))
    assert given.drawn == ("W_K", "W_V")
    assert not given.identity
    assert given.setup.trace["W_K"].shape == (1, 4, 3)


def test_a_mask_comes_along_and_one_that_is_the_rule_s_leaves_the_rule() -> None:
    """As in our own download of a causal run."""
    mask = np.array([[1, 1, 0], [1, 1, 0], [0, 1, 1]], dtype=bool)
    trace = setup_of_matrices(Setup(), {**arrays(**EXERCISE), "mask": mask}).setup.trace
    assert np.array_equal(trace["mask"], mask)
    causal = np.tri(3, dtype=bool)
    given = {**arrays(**EXERCISE), "mask": causal}
    ruled = setup_of_matrices(Setup(mask="causal"), given).setup
    assert ruled.settings["mask"] == "causal"
    assert "mask" not in ruled.edits
    drawn = setup_of_matrices(Setup(mask="none"), given).setup
    assert drawn.settings["mask"] == "custom"
    assert np.array_equal(drawn.trace["mask"], causal)


def test_what_does_not_fit_is_refused_whole() -> None:
    def refused(says: str, heads: int = 1, **changed: Any) -> None:
        refuses(says, setup_of_matrices, Setup(), arrays(**{**EXERCISE, **changed}), heads)

    refused("W_Z", W_Z=[[1.0]])
    refused("W_K", W_K=[[1.0, 2.0]])
    refused("W_Q is 4 × 3; its columns are shared by 2 heads", heads=2, W_Q=np.ones((4, 3)))
    refused("1e", X=np.full((3, 4), 1e9))


@proves("""
    The mask can be read in two ways: a query sees no key if 1 (True) means visible | here 1 means
    visible; some libraries write 1 for hidden | swap 1 and 0 if 1 means hidden; else write 0 for
    visible and -inf for hidden | 0 at the start can be padding on the left, or 1 at the end can
    mean hidden | write 0 for visible and -inf for hidden
""")
@pytest.mark.parametrize("mask", [1.0 - np.tri(3), np.array([[0.0, 0, 1]])])
def test_a_mask_in_doubt_is_read_once_it_is_said_or_written_as_it_is_asked(mask: Array) -> None:
    visible = np.broadcast_to(mask == 1, (3, 3))
    refuses("two ways", read_mask, mask)
    np.testing.assert_array_equal(read_mask(np.where(mask == 1, 0, -np.inf)), visible)
    np.testing.assert_array_equal(read_mask(mask, VISIBLE), visible)
    np.testing.assert_array_equal(read_mask(mask, HIDDEN), ~visible)
    if len(mask) > 1:
        assert not visible[-1].any()
        np.testing.assert_array_equal(read_mask(1 - mask), ~visible)


def read_mask(mask: np.ndarray, one_means: str = "") -> np.ndarray:
    return setup_with(Setup(text="a b c"), {"mask": mask}, one_means=one_means).setup.trace["mask"]
