"""The selected cell is always one that the step on show has, and at the place that was chosen."""

from collections.abc import Iterator
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core import Trace, explain
from core.attention.setups import Setup
from tests.sampling import paired, some
from tests.ui.support import changed, opened, stage

Selected = tuple[str, tuple[int, ...]]


def selected(page: AppTest) -> Selected | None:
    """The cell that the page's link names; None where it is the one of an untouched page."""
    assert not page.exception
    link = dict(page.query_params)
    if "cell" not in link:
        return None
    name, *places = link["cell"].split(".")
    return name, tuple(map(int, places))


def walked(page: AppTest, trace: Trace, steps: str) -> Iterator[Selected]:
    """What is selected at each of these steps, where the link names it: a cell that is there."""
    for step in steps.split():
        found = selected(changed(page, step=step, cell=""))
        if found:
            check_inside(found, trace, step)
            yield found


def check_inside(found: Selected, trace: Trace, step: str) -> None:
    name, cell = found
    assert name == step
    assert len(cell) == trace[name].ndim
    for place, size in zip(cell, trace[name].shape, strict=True):
        assert 0 <= place < size, (name, cell, trace[name].shape)


@pytest.mark.parametrize("cell", some(["X.5.7", "output.5.7", "V.0.5.3", "scores.1.5.5"], 2))
def test_a_cell_of_a_wide_step_becomes_one_that_each_narrower_step_has(cell: str) -> None:
    page = opened("walkthrough", step=cell.split(".")[0], cell=cell, kv_heads="1")
    steps = "X scores V output context weights K X Q masked"
    found = [*walked(page, Setup(kv_heads=1).trace, steps)]
    assert [name for name, _ in found] == steps.split()
    assert all(place[len(place) - 2] == 5 for _, place in found)


@pytest.mark.parametrize("cell", some(["W_K.0.7.3", "W_Q.1.7.3", "W_O.7.7"], 2))
def test_a_cell_of_a_weight_matrix_becomes_one_that_each_step_has(cell: str) -> None:
    page = opened("walkthrough", step="Q", cell=cell, kv_heads="1")
    found = walked(page, Setup(kv_heads=1).trace, "scores V output context weights X")
    assert len([*found]) >= 4


@pytest.mark.parametrize(
    ("smaller", "step"),
    paired(
        [{"text": "one two three"}, {"text": "one"}, {"d_model": 2}, {"heads": 1}],
        ["weights", "context", "X"],
    ),
)
def test_what_is_selected_is_there_whatever_shrinks(smaller: dict[str, Any], step: str) -> None:
    """What the page explains says so: it refuses a cell that is not there."""
    longest = tuple(size - 1 for size in Setup().trace[step].shape)
    page = opened("walkthrough", step=step, cell=".".join([step, *map(str, longest)]))
    assert selected(page) == (step, longest)
    trace = Setup(**smaller).trace
    if found := selected(changed(page, **smaller)):
        check_inside(found, trace, step)
    list(walked(page, trace, "output scores X"))


def exhibit_of_a_short_sentence(step: str, opening: tuple[str, tuple[int, ...]]) -> None:
    """A page of one exhibit, which opens where a longer sentence or wider vectors would be."""
    from core import attention_program
    from core.attention.setups import Setup
    from ui.links.session import open_link
    from ui.stage.exhibit import draw_exhibit, exhibit_keys

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
        explained = stage(page).answer["explained"]
        trace = Setup(text="one two three", d_model=4).trace
        assert explained["title"] == explain(trace, step, cell).title
