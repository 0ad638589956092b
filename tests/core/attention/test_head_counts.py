"""How many heads joined weights can have, against those that they were made with."""

import numpy as np
import pytest

from core.attention.head_counts import HeadCount, possible_heads
from core.errors import InputError
from tests.sampling import SEEDS


def shapes_of(H: int, G: int, d_model: int, d_k: int, d_v: int) -> dict[str, tuple[int, ...]]:
    return {
        "W_Q": (d_model, H * d_k),
        "W_K": (d_model, G * d_k),
        "W_V": (d_model, G * d_v),
        "W_O": (H * d_v, d_model),
    }


@pytest.mark.parametrize("seed", SEEDS)
def test_the_true_numbers_are_among_them_and_all_have_the_same_ratio(seed: int) -> None:
    rng = np.random.default_rng(seed)
    G, group, d_model, d_k, d_v = rng.integers(1, 5, size=5).tolist()
    found = possible_heads(shapes_of(G * group, G, d_model, d_k, d_v))
    assert (G * group, G) in found
    assert {heads // groups for heads, groups in found} == {group}
    for _, groups in found:
        assert G * d_k % groups == 0
        assert G * d_v % groups == 0
    assert found == tuple(sorted(found))


def test_joined_weights_of_one_width_can_have_any_number_that_divides_it() -> None:
    shapes = {"W_Q": (8, 8), "W_K": (8, 8), "W_V": (8, 8)}
    assert [heads for heads, _ in possible_heads(shapes)] == [1, 2, 4, 8]
    assert all(heads == groups for heads, groups in possible_heads(shapes))


def test_narrower_keys_mean_that_heads_share_them() -> None:
    shapes = {"W_Q": (8, 8), "W_K": (8, 2), "W_V": (8, 2)}
    assert possible_heads(shapes) == (HeadCount(4, 1), HeadCount(8, 2))


def test_an_axis_of_heads_says_how_many_there_are() -> None:
    assert possible_heads({"W_Q": (6, 8, 3), "W_K": (2, 8, 3)}) == (HeadCount(6, 2),)
    assert possible_heads({"W_Q": (8, 12), "b_Q": (4, 3)}) == (HeadCount(4, 4),)
    assert HeadCount(4, 4) in possible_heads({"W_Q": (8, 12), "b_Q": (1, 12)})


def test_output_weights_tell_what_queries_and_values_leave_open() -> None:
    assert possible_heads({"W_V": (8, 2), "W_O": (8, 8)}) == (HeadCount(4, 1), HeadCount(8, 2))
    assert all(h == g for h, g in possible_heads({"W_Q": (8, 8), "W_V": (8, 4)}))


@pytest.mark.parametrize(
    "shapes",
    [
        {"W_Q": (8, 8), "W_K": (8, 3)},
        {"W_Q": (8, 4), "W_K": (8, 8)},
        {"W_Q": (2, 8, 4), "W_K": (4, 8, 4)},
        {"W_Q": (8, 8), "W_K": (8, 8), "W_V": (8, 8), "W_O": (12, 8)},
        {"W_Q": (8, 68), "W_K": (8, 4)},
    ],
)
def test_what_no_number_of_heads_fits_is_refused(shapes: dict[str, tuple[int, ...]]) -> None:
    with pytest.raises(InputError, match="no number of heads fits it"):
        possible_heads(shapes)
