"""How many heads joined weights can have, against those that they were made with."""

from itertools import starmap

import numpy as np
import pytest

from core.attention.given.head_counts import HeadCount, possible_heads
from tests.core.support import refuses
from tests.sampling import SEEDS


@pytest.mark.parametrize("seed", SEEDS)
def test_the_true_numbers_are_among_them_and_all_have_the_same_ratio(seed: int) -> None:
    G, group, d_model, d_k, d_v = np.random.default_rng(seed).integers(1, 5, size=5).tolist()
    H = G * group
    shapes = {"W_Q": (d_model, H * d_k), "W_K": (d_model, G * d_k), "W_V": (d_model, G * d_v)}
    found = possible_heads(shapes | {"W_O": (H * d_v, d_model)})
    assert (H, G) in found
    assert {heads // groups for heads, groups in found} == {group}
    for _, groups in found:
        assert G * d_k % groups == 0
        assert G * d_v % groups == 0
    assert found == tuple(sorted(found))


@pytest.mark.parametrize(
    ("shapes", "counts"),
    [
        ({"W_Q": (8, 8), "W_K": (8, 8), "W_V": (8, 8)}, [(1, 1), (2, 2), (4, 4), (8, 8)]),
        ({"W_Q": (8, 8), "W_K": (8, 2), "W_V": (8, 2)}, [(4, 1), (8, 2)]),  # shared by heads
        ({"W_Q": (6, 8, 3), "W_K": (2, 8, 3)}, [(6, 2)]),  # an axis of heads says it
        ({"W_Q": (8, 12), "b_Q": (4, 3)}, [(4, 4)]),
        ({"W_V": (8, 2), "W_O": (8, 8)}, [(4, 1), (8, 2)]),
        ({"W_Q": (8, 8), "W_V": (8, 4)}, [(1, 1), (2, 2), (4, 4)]),
    ],
)
def test_shapes_tell_the_numbers_of_heads_that_there_can_be(
    shapes: dict[str, tuple[int, ...]], counts: list[tuple[int, int]]
) -> None:
    assert possible_heads(shapes) == tuple(starmap(HeadCount, counts))


def test_biases_side_by_side_leave_the_number_of_heads_open() -> None:
    assert HeadCount(4, 4) in possible_heads({"W_Q": (8, 12), "b_Q": (1, 12)})


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
    refuses("no number of heads fits it", possible_heads, shapes)
