"""What goes to the browser of the weights of all heads, and when."""

import gc
import json
import weakref
import zlib
from base64 import b64decode
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ui.components.head_maps.head_maps as head_maps
from tests.quotes import proves
from tests.sampling import some
from ui.components.head_maps import grid
from ui.components.head_maps.head_maps import (
    MOST_BYTES,
    MOST_SIDE,
    HeadMaps,
    map_legend,
    packed_cells,
    packed_weights,
)

MOST_OF_A_MESSAGE = 10_000_000
SIZES = [
    (1, 1, 1, 1), (3, 2, 64, 64), (2, 3, 65, 64), (2, 3, 67, 5), (3, 2, 131, 193), (5, 7, 3, 130),
]  # fmt: skip


def drawn(*shape: int, kind: type = np.float32) -> np.ndarray:
    """Seeded weights, most of them small, with 0 and 1 among them."""
    made = np.random.default_rng(0).random(shape) ** 6
    made.flat[0], made.flat[-1] = 1, 0
    return made.astype(kind)


def maps_of(weights: np.ndarray, causal: bool = False) -> HeadMaps:
    queries, keys = (
        tuple(f"{letter}{n}" for n in range(many))
        for letter, many in zip("qk", weights.shape[-2:], strict=True)
    )
    return HeadMaps(weights, queries, keys, causal)


def unpacked(packed: dict[str, Any]) -> np.ndarray:
    """Packed weights as numbers from 0 to 1."""
    kind = "<u2" if packed["most"] > 255 else "u1"
    levels = np.frombuffer(zlib.decompress(b64decode(packed["levels"])), kind)
    return levels.reshape(-1, packed["rows"], packed["columns"]) / packed["most"]


def is_near(found: np.ndarray, wanted: Any, most: int = 65_535) -> None:
    """To half of a step of so many."""
    exact = np.array(wanted, dtype=float)
    np.testing.assert_allclose(found, exact, rtol=0, atol=0.5001 / most)


def block_maxima(weights: np.ndarray, high: int, wide: int) -> list[list[list[float]]]:
    """The largest of each block of each head, cell by cell: in parts of its row's largest."""
    found = []
    for head in weights.reshape(-1, *weights.shape[-2:]).tolist():
        parts = [[weight / (max(row) or 1.0) for weight in row] for row in head]
        found.append(
            [
                [max(map(max, (row[j : j + wide] for row in parts[i : i + high])))
                 for j in range(0, len(head[0]), wide)]
                for i in range(0, len(head), high)
            ]
        )  # fmt: skip
    return found


@pytest.mark.parametrize("size", some(SIZES, 2), ids=str)
def test_a_point_of_a_small_map_is_the_largest_part_of_its_block(size: tuple[int, ...]) -> None:
    weights = drawn(*size)
    weights[0, 0, 0] = 0  # a row that reads nothing
    maps = maps_of(weights)
    packed, points = maps.small, unpacked(maps.small)
    assert points.shape[0] == size[0] * size[1]
    assert max(points.shape[1:]) <= MOST_SIDE
    assert maps.is_whole == (maps.block == (1, 1)) == (max(size[2:]) <= MOST_SIDE)
    wanted = block_maxima(weights, *packed["block"]) if not maps.is_whole else weights
    is_near(points, np.reshape(wanted, points.shape), packed["most"])


def test_small_maps_of_a_thousand_even_weights_are_not_empty() -> None:
    even = np.tri(1024, dtype=np.float32) / np.arange(1, 1025, dtype=np.float32)[:, None]
    points = unpacked(maps_of(even[None, None], causal=True).small)[0]
    np.testing.assert_array_equal(points, np.tri(64))


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_weights_of_any_type_are_packed_to_half_a_step(kind: type) -> None:
    weights = drawn(30, 50, kind=kind)
    is_near(unpacked(packed_weights(weights, causal=False))[0], weights)
    many = drawn(1, 1, 130, 70, kind=kind)
    is_near(unpacked(maps_of(many).small), block_maxima(many, 3, 2), most=255)


def test_a_weight_beyond_its_bounds_is_drawn_as_the_bound() -> None:
    weights = np.array([[1.001, -0.001]])
    np.testing.assert_array_equal(unpacked(packed_weights(weights, causal=False))[0], [[1, 0]])


@pytest.mark.parametrize(
    ("columns", "heads", "positions"),
    some([(128, 64, 48), (1, 2, 1024), (31, 30, 32), (12, 12, 96)], 3),
)
def test_no_message_is_too_large(columns: int, heads: int, positions: int) -> None:
    """Noise, which hardly can be compressed, before a change and after."""
    labels = tuple("x" * 20 for _ in range(positions))
    sizes = (columns, heads, positions, positions)
    made = np.random.default_rng(0).random(sizes, np.float32)
    both = [HeadMaps(made, labels, labels, False)] * 2
    said = [grid._small(both, "1.1"), grid._large(both, "1.1", (columns - 1, heads - 1))]
    assert max(len(json.dumps(one)) for one in said) < 0.9 * MOST_OF_A_MESSAGE
    small = both[0].small
    each = 2 if small["most"] > 255 else 1
    assert columns * heads * small["rows"] * small["columns"] * each <= MOST_BYTES


@proves(
    "A point of a small map shows the strongest colour in a block of {rows} × {columns} weights"
)
def test_the_legend_names_the_block() -> None:
    of_row = "In each row of a map, the largest weight has the strongest colour."
    of_block = "A point of a small map shows the strongest colour in a block of 3 × 8 weights."
    assert map_legend(maps_of(drawn(1, 2, 130, 500)).block) == f"{of_row} {of_block}"
    assert map_legend(maps_of(drawn(1, 2, 7, 31)).block) == of_row


def test_the_large_map_has_every_weight_of_its_head() -> None:
    weights = drawn(2, 3, 100, 70)
    maps = maps_of(weights, causal=True)
    for place in ((1, 2), (0, 1), (1, 2)):
        packed = maps.large(place)
        assert (packed["block"], packed["causal"], packed["queries"]) == ((1, 1), True, 100)
        is_near(unpacked(packed)[0], weights[place])


def test_columns_may_be_read_one_by_one() -> None:
    weights = drawn(3, 2, 90, 110)
    names = maps_of(weights)
    lazily = HeadMaps(list(weights), names.queries, names.keys, False)
    assert lazily.size == (3, 2)
    assert lazily.small == names.small
    assert lazily.large((2, 1)) == names.large((2, 1))


def test_what_is_sent_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Mock()
    for name in ("packed_blocks", "packed_weights"):
        made.attach_mock(Mock(wraps=getattr(head_maps, name)), name)
        monkeypatch.setattr(head_maps, name, getattr(made, name))
    maps = maps_of(drawn(2, 2, 80, 80))
    for _ in range(3):
        grid._small([maps], "1")
        grid._large([maps], "1", (1, 0))
    assert [name for name, *_ in made.mock_calls] == ["packed_blocks", "packed_weights"]


def test_a_run_that_is_dropped_is_freed_and_no_two_have_one_number() -> None:
    """At once, without the collector, with all that was made of it."""
    weights = drawn(2, 2, 80, 80)
    maps = maps_of(weights)
    grid._small([maps], "1")
    grid._large([maps], "1", (1, 0))
    assert len({maps_of(weights).number for _ in range(20)}) == 20
    dropped = weakref.ref(maps)
    gc.disable()
    try:
        del maps
        assert dropped() is None
    finally:
        gc.enable()


@pytest.mark.parametrize(
    ("queries", "keys", "columns"),
    [(3, 5, ()), (4, 4, ()), (4, 5, ("a",)), (4, 5, ("a", "b", "c"))],
)
def test_labels_must_fit(queries: int, keys: int, columns: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match=r"labels|names"):
        HeadMaps(drawn(2, 2, 4, 5), ("q",) * queries, ("k",) * keys, False, columns)


def test_maps_of_before_must_be_of_the_same_heads_and_tokens() -> None:
    with pytest.raises(ValueError, match="≠"):
        grid.head_grid(
            "maps", maps_of(drawn(2, 2, 4, 4)), (0, 0), print, before=maps_of(drawn(2, 2, 4, 5))
        )


@given(st.integers(1, 20), st.integers(1, 20), st.integers(0, 2**20))
def test_marked_cells_are_those_that_are_given(rows: int, columns: int, seed: int) -> None:
    cells = np.random.default_rng(seed).random((rows, columns)) < 0.5
    np.testing.assert_array_equal(unpacked(packed_cells(cells))[0], cells)
