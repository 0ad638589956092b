"""The step of a question as a picture: where its cells are, and that it has no answer."""

from functools import cache

import numpy as np
import pytest

from core.attention.setups import Setup
from core.program import formulas as f
from core.program.numbers.display import shown, shown_matrix
from core.program.numbers.rounding import typeset
from core.program.trace import Trace
from core.questions import step_picture as module
from core.questions.step_picture import UNKNOWN, answered_picture, asked_picture
from tests.registry import REGISTRY


@cache
def trace(preset: str = "P2", text: str = "") -> Trace:
    return Setup(text=text, preset="").trace if text else Setup(preset=preset).trace


def cells(run: Trace) -> list[tuple[str, tuple[int, ...]]]:
    """The last cell of each array that a step makes."""
    return [(name, tuple(size - 1 for size in run[name].shape)) for name in run.steps]


@pytest.mark.parametrize("preset", ["P2", "P4", "P5-previous", "river-bank"])
def test_neither_result_nor_cover_is_read(preset: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def watched(run: Trace, array: str, prefix: tuple[int, ...] = ()) -> list[list[str]]:
        read.append(array)
        return shown_matrix(run, array, prefix)

    monkeypatch.setattr(module, "shown_matrix", watched)
    run = trace(preset)
    for array, cell in cells(run):
        for covered in [set[str](), set(run.steps[array].reads)]:
            read.clear()
            picture = asked_picture(run, array, cell, covered)
            assert not {array, *covered} & {*read}
            assert {text for row in picture.result.cells for text in row} == {UNKNOWN}
            assert not picture.result.removed
            for matrix in picture.operands if covered else ():
                assert not matrix.lit
                assert not matrix.removed


def test_a_covered_mask_leaves_no_trace_of_what_it_takes_away() -> None:
    run = trace("P2")
    shown_, hidden = (asked_picture(run, "masked", (0, 0, j), ["mask"]) for j in (0, 2))
    assert [one.lit for one in shown_.operands] == [((0, 0),), ()]
    assert [one.lit for one in hidden.operands] == [((0, 2),), ()]
    assert {text for row in hidden.operands[1].cells for text in row} == {UNKNOWN}


@pytest.mark.parametrize("preset", ["P2", "P4", "river-bank"])
def test_a_product_s_cell_is_where_its_row_and_its_column_cross(preset: str) -> None:
    run = trace(preset)
    corners = 0
    for array, cell in cells(run):
        picture = answered_picture(run, array, cell)
        if not picture.is_corner:
            continue
        corners += 1
        left, above = picture.operands[:2]
        result = picture.result
        assert result.asked
        assert {i for i, _ in left.lit} <= {result.asked[0]}
        assert {j for _, j in above.lit} <= {result.asked[1]}
        assert left.rows == result.rows
        assert above.columns == result.columns
        row_numbers, column_numbers = (
            [float(m.cells[i][j].replace("−", "-")) for i, j in m.lit] for m in (left, above)
        )
        row, column = result.asked
        made = float(result.cells[row][column].replace("−", "-"))
        assert np.dot(row_numbers, column_numbers) == pytest.approx(made, abs=0.06)
    assert corners > 4


def test_it_has_the_cells_that_the_run_names_as_sources_and_their_texts() -> None:
    run = trace("P2")
    picture = answered_picture(run, "weights", (0, 2, 1))
    (masked,) = picture.operands
    assert masked.lit == ((2, 0), (2, 1), (2, 2))
    assert masked.removed == ((0, 1), (0, 2), (1, 2))
    for matrix, name in ((masked, "masked"), (picture.result, "weights")):
        texts = [[typeset(shown(run, name, (0, i, j))) for j in range(3)] for i in range(3)]
        assert [list(row) for row in matrix.cells] == texts
    assert f.plain_formula(picture.result.caption) == "weights = softmax(masked)"
    assert picture.roles == {"weights": "weights"}
    assert picture.result.asked == (2, 1)


def test_a_matrix_of_keys_is_turned_in_a_product() -> None:
    _, keys = asked_picture(trace("P4"), "scores", (0, 1, 0)).operands
    assert keys.name == "Kᵀ"
    assert keys.columns == ("river", "bank")
    assert keys.lit == ((0, 0), (1, 0), (2, 0))


def test_a_matrix_times_itself_is_there_once() -> None:
    picture = asked_picture(REGISTRY["encoded, sinusoidal"].run(), "PE_dot", (1, 2))
    (places,) = picture.operands
    assert not picture.is_corner
    assert {i for i, _ in places.lit} == {1, 2}


@pytest.mark.parametrize("preset", ["P2", "P4", "river-bank"])
def test_matrices_share_the_axes_that_the_step_s_pattern_shares(preset: str) -> None:
    """In a product by rows, columns and the summed axis; else a place has its own place."""
    run = trace(preset)
    for array, cell in cells(run):
        picture = answered_picture(run, array, cell)
        down, across = picture.result.axes
        if picture.is_corner:
            left, above = picture.operands[:2]
            assert left.axes == (down, left.axes[1])
            assert above.axes == (left.axes[1], across)
            assert len({down, across, left.axes[1]}) == 3
        sizes = {down: picture.result.rows, across: picture.result.columns}
        for matrix in picture.operands:
            for axis, labels in zip(matrix.axes, (matrix.rows, matrix.columns), strict=True):
                assert sizes.get(axis, labels) == labels


def test_of_large_matrices_only_what_is_needed_is_there() -> None:
    run = trace(text=" ".join(f"w{n}" for n in range(14)))
    left, above = asked_picture(run, "scores", (0, 12, 3)).operands
    result = asked_picture(run, "scores", (0, 12, 3)).result
    assert left.rows == result.rows == ("w12",)
    assert above.columns == result.columns == ("w3",)
    assert result.cells == ((UNKNOWN,),)
    assert left.head == result.head == 1
