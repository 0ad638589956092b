"""Numbers of large arrays, tile by tile: the same as every cell is written by itself."""

import numpy as np
import pytest

from core import Trace, attention_from
from core.program.numbers.display import shown
from stage.document.document import document
from stage.document.number_tiles import TILE, all_texts, tile_texts


def head(tokens: int, d_k: int) -> Trace:
    draw = np.random.default_rng(1)
    q, k, v = (draw.normal(size=(tokens, d_k)) for _ in range(3))
    return attention_from(q, k, v, tokens=[f"w{n}" for n in range(tokens)], mask="causal")


@pytest.mark.parametrize(
    ("tile", "rows", "columns"),
    [("masked.0.0.0", 32, 32), ("masked.0.1.2", 32, 6), ("masked.0.2.2", 6, 6),
     ("Q.0.2.1", 6, 3), ("mask.1.0", 32, 32)],
)  # fmt: skip
def test_a_tile_has_the_numbers_of_its_cells(tile: str, rows: int, columns: int) -> None:
    trace = head(70, 35)
    name, *place = tile.split(".")
    *outer, row, column = map(int, place)
    want = [
        shown(trace, name, (*outer, TILE * row + i, TILE * column + j))
        for i in range(rows)
        for j in range(columns)
    ]
    assert tile_texts(trace, [tile])[tile].split(" ") == want


@pytest.mark.parametrize(
    "tile", ["", "masked", "masked.0.3.0", "masked.1.0.0", "masked.0.0", "other.0.0.0", "Q.0.-1.0"]
)
def test_what_is_no_tile_has_no_numbers(tile: str) -> None:
    assert tile_texts(head(70, 35), [tile]) == {}


def test_numbers_that_are_not_in_the_document_can_be_asked_for() -> None:
    trace = head(33, 32)
    arrays = document(trace, ("scores", (0, 0, 0)))["arrays"]
    asked = {name for name, array in arrays.items() if array["texts"] is None}
    assert asked == {"Q", "K", "V", "scores", "scaled", "mask", "masked", "weights", "context"}
    assert all_texts(trace).keys() == asked
    for name in asked:
        texts = [shown(trace, name, at) for at in np.ndindex(trace[name].shape)]
        assert all_texts(trace)[name].split(" ") == texts
        longest = max(text.isascii() and len(text) for text in texts if "inf" not in text)
        assert arrays[name]["longest"] >= longest, name


def test_an_array_that_is_long_one_way_alone_keeps_its_numbers() -> None:
    arrays = document(head(12, 64), ("scores", (0, 0, 0)))["arrays"]
    assert all(array["texts"] for array in arrays.values())
