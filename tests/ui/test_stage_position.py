"""The selected cell is always one that the step on show has, and at the place that was chosen."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core import Trace, explain
from core.attention.setups import Setup
from tests.ui.support import opened, stage


def selected(page: AppTest) -> tuple[str, tuple[int, ...]] | None:
    """The cell that the page's link names; None where it is the one of an untouched page."""
    assert not page.exception
    link = dict(page.query_params)
    if "cell" not in link:
        return None
    name, *places = link["cell"].split(".")
    return name, tuple(map(int, places))


def check_inside(found: tuple[str, tuple[int, ...]], trace: Trace, step: str) -> None:
    name, cell = found
    assert name == step
    assert len(cell) == trace[name].ndim
    for place, size in zip(cell, trace[name].shape, strict=True):
        assert 0 <= place < size, (name, cell, trace[name].shape)


@pytest.mark.parametrize("cell", ["X.5.7", "output.5.7", "V.0.5.3", "scores.1.5.5"])
def test_a_cell_of_a_wide_step_becomes_one_that_each_narrower_step_has(cell: str) -> None:
    page = opened("walkthrough", step=cell.split(".")[0], cell=cell, kv_heads="1")
    trace = Setup(kv_heads=1).trace
    for after in ("X", "scores", "V", "output", "context", "weights", "K", "X", "Q", "masked"):
        page.session_state["step"], page.session_state["cell"] = after, ""
        found = selected(page.run())
        assert found is not None
        check_inside(found, trace, after)
        assert found[1][0 if trace[after].ndim == 2 else 1] == 5


@pytest.mark.parametrize("cell", ["W_Q.1.7.3", "W_K.0.7.3", "W_O.7.7"])
def test_a_cell_of_a_weight_matrix_becomes_one_that_each_step_has(cell: str) -> None:
    page = opened("walkthrough", step="Q", cell=cell, kv_heads="1")
    trace, carried = Setup(kv_heads=1).trace, 0
    for after in ("scores", "V", "output", "context", "weights", "X"):
        page.session_state["step"], page.session_state["cell"] = after, ""
        if found := selected(page.run()):
            check_inside(found, trace, after)
            carried += 1
    assert carried >= 4


@pytest.mark.parametrize("step", ["X", "weights", "context"])
@pytest.mark.parametrize(
    "smaller", [{"text": "one two three"}, {"text": "one"}, {"d_model": 2}, {"heads": 1}]
)
def test_whatever_becomes_smaller_the_selection_is_a_cell_that_is_there(
    step: str, smaller: dict[str, Any]
) -> None:
    """What the page explains says so: it refuses a cell that is not there."""
    longest = tuple(size - 1 for size in Setup().trace[step].shape)
    page = opened("walkthrough", step=step, cell=".".join([step, *map(str, longest)]))
    assert selected(page) == (step, longest)
    for key, value in smaller.items():
        page.session_state[key] = value
    trace = Setup(**smaller).trace
    if found := selected(page.run()):
        check_inside(found, trace, step)
    for after in ("output", "scores", "X"):
        page.session_state["step"], page.session_state["cell"] = after, ""
        if found := selected(page.run()):
            check_inside(found, trace, after)


def exhibit_of_a_short_sentence(step: str, opening: tuple[str, tuple[int, ...]]) -> None:
    """A page of one exhibit, which opens where a longer sentence or wider vectors would be."""
    from core import attention_program
    from core.attention.setups import Setup
    from ui.exhibit import draw_exhibit, exhibit_keys
    from ui.session import open_link

    trace = Setup(text="one two three", d_model=4).trace
    keys = exhibit_keys(attention_program(), step)
    open_link("short", keys)
    draw_exhibit(trace, opening, keys)


@pytest.mark.parametrize(
    ("opening", "nearest"),
    [
        (("scores", (0, 5, 1)), {"scores": (0, 2, 1), "context": (0, 2, 0), "X": (2, 0)}),
        (("weights", (0, 1, 9)), {"weights": (0, 1, 2), "V": (0, 2, 0), "masked": (0, 1, 2)}),
        (("output", (4, 7)), {"output": (2, 3), "X": (2, 3), "Q": (0, 2, 0)}),
        (("context", (0, 1, 3)), {"context": (0, 1, 1), "V": (0, 1, 1), "scores": (0, 1, 1)}),
    ],
)
def test_where_the_place_to_look_at_is_not_there_the_nearest_one_is(
    opening: tuple[str, tuple[int, ...]], nearest: dict[str, tuple[int, ...]]
) -> None:
    for step, cell in nearest.items():
        page = AppTest.from_function(
            exhibit_of_a_short_sentence, default_timeout=60, args=(step, opening)
        ).run()
        assert not page.exception
        explained = stage(page).answer["explained"]
        trace = Setup(text="one two three", d_model=4).trace
        assert explained["title"] == explain(trace, step, cell).title
