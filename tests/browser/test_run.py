"""What the browser makes of a document is what the core says: on every program of the registry."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page

from core.program.axes import HEAD
from core.program.labels import axis_labels, cell_name
from core.program.numbers.display import shown_matrix
from core.program.patterns import Cell
from core.program.steps import Phase
from core.program.trace import Trace
from stage.document.document import document
from stage.document.places import carried
from tests.browser.scripts import script_of
from tests.registry import REGISTRY
from tests.sampling import some

PARTS = ("run.js", "step_head.js")
WAYS = """const ways = (stops, stop) => {
  const led = {}, nodes = [document.createElement("span"), document.createElement("span")];
  const go = (array, inside) => { led[""] = [array, !!inside]; };
  const head = new StepHead(...nodes, { go, play: () => {} });
  head.drawSteps({ stops, now: stop, covered: 0 });
  head.steps.querySelectorAll("[data-action]").forEach((button) => {
    button.click();
    if (led[""]) led[button.dataset.action] = led[""];
    delete led[""];
  });
  return led;
};"""
"""Where the buttons beside a step's title lead."""
ASKED = """(asked) => {
  const { told, cells, slices } = JSON.parse(asked);
  const run = new Run(told);
  return JSON.stringify({
    views: slices.flatMap((at) => Object.keys(run.arrays).map((name) => {
      const [plain, turned] = [false, true].map((way) => run.view(name, at, way));
      return [plain, turned].map((view) => ({
        ...view, at, flat: Array.from(view.flat), levels: Array.from(view.levels),
      }));
    })),
    names: cells.map(([, source, cell]) => run.cellName([source, ...cell].join("."))),
    carried: cells.map(([array, source, cell, at]) => run.carried(array, source, cell, at)),
    stops: Object.keys(run.arrays).flatMap((name) => [false, true].map((open) => {
      const stops = run.stops(name, open);
      const stop = run.stopOf(name, stops);
      return [name, open, stops.map(({ title }) => title), stop, ways(stops, stop)];
    })),
  });
}"""


@pytest.fixture(scope="module")
def page(empty: Page) -> Page:
    """An empty page that knows how the stage reads a document."""
    empty.evaluate(script_of(*PARTS, code=WAYS, shown="Run, ways"))
    return empty


def every_slice(trace: Trace) -> list[dict[str, int]]:
    """Ways to look at a run: the first places and the last ones of what is sliced."""
    sizes = {letter: trace.sizes[letter] for letter in trace.program.sliced}
    return [dict.fromkeys(sizes, 0), {letter: size - 1 for letter, size in sizes.items()}]


def prefix(trace: Trace, array: str, at: dict[str, int]) -> Cell:
    """Where the matrix on show lies, by the sizes of the axes alone."""
    found = []
    letters = trace.program.letters[array][:-2]
    for letter, size in zip(letters, trace[array].shape, strict=False):
        axis = trace.program.axis(letter)
        if axis.kind == HEAD and axis.of in at:
            found.append(at[axis.of] // (trace.sizes[axis.of] // size))
        else:
            found.append(at.get(letter, 0))
    return tuple(found)


OPENS = "a block that opens"


@pytest.mark.parametrize("name", sorted({OPENS, *some(list(REGISTRY), 12, 6)}))
def test_the_browser_reads_a_run_as_the_core_does(page: Page, name: str) -> None:
    trace = REGISTRY[name].run()
    last = trace.program.steps[-1].name
    told = document(trace, (last, (0,) * trace[last].ndim))
    slices, draw = every_slice(trace), np.random.default_rng(5)
    cells: list[Any] = []
    for n, array in enumerate(trace):
        for other in list(trace)[n % 3 :: 3]:
            cell = [int(draw.integers(size)) for size in trace[other].shape]
            cells.append([array, other, cell, slices[int(draw.integers(2))]])
    asked = json.dumps({"told": told, "cells": cells, "slices": slices})
    answered = json.loads(page.evaluate(ASKED, asked))
    for plain, turned in answered["views"]:
        check_view(trace, plain, turned)
    for (array, source, cell, at), found in zip(cells, answered["carried"], strict=True):
        assert tuple(found) == carried(trace, array, source, tuple(cell), at), (array, source, cell)
    for (_, array, cell, _), called in zip(cells, answered["names"], strict=True):
        assert called == cell_name(trace, array, tuple(cell))
    for array, opened, titles, stop, ways in answered["stops"]:
        stops = trace.program.stops(array, opened)
        check_ways(ways, stops, stop, trace.program.phases)
        assert titles == [phase.title for phase in stops]
        assert stop == trace.program.phase(array, stops), array


def check_ways(
    ways: dict[str, list[object]], stops: Sequence[Phase], at: int, outer: Sequence[Phase]
) -> None:
    """The buttons lead to the stop before, to the next, and into the first part of this one.

    Those inside another stop are gone to so that it stays open.
    """
    into = {"open": stops[at].phases[0]} if stops[at].phases else {}
    around = {"previous": stops[at - 1]} if at else {}
    around |= {"next": stops[at + 1]} if at + 1 < len(stops) else {}
    led = {way: [stop.main, stop not in outer] for way, stop in (into | around).items()}
    assert ways == led


def check_view(trace: Trace, plain: dict[str, Any], turned: dict[str, Any]) -> None:
    """A matrix on show is the one of its array at that place; turned, it is transposed."""
    name, at = plain["name"], prefix(trace, plain["name"], plain["at"])
    assert tuple(plain["prefix"]) == at
    matrix = np.atleast_2d(trace[name][at])
    assert (plain["rows"], plain["cols"]) == matrix.shape == (turned["cols"], turned["rows"])
    texts = np.array(shown_matrix(trace, name, at))
    assert plain["text"] == texts.ravel().tolist()
    assert turned["text"] == texts.T.ravel().tolist()
    places = np.atleast_2d(np.arange(trace[name].size).reshape(trace[name].shape)[at])
    assert plain["flat"] == places.ravel().tolist()
    assert turned["flat"] == places.T.ravel().tolist()
    levels = np.array(plain["levels"]).reshape(matrix.shape)
    assert turned["levels"] == levels.T.ravel().tolist()
    labels = [[""]] * (trace[name].ndim == 1) + axis_labels(trace, name)[-2:]
    assert [plain["rowLabels"], plain["colLabels"]] == labels
    assert [turned["rowLabels"], turned["colLabels"]] == labels[::-1]
    if trace[name].dtype != bool:
        check_colours(trace, name, matrix, levels)


def check_colours(trace: Trace, name: str, matrix: np.ndarray, levels: np.ndarray) -> None:
    """A level lies on the side of its number's sign, and what is removed or NaN has its own."""
    plain = levels[levels < 100]
    signed = plain.max(initial=0) > 20 or np.nanmin(trace[name]) < 0
    for value, level in zip(matrix.ravel().tolist(), levels.ravel().tolist(), strict=True):
        if level < 100 and signed and level != 20:
            assert (level > 20) == (value > 0), (name, value, level)
        assert (level == 254) == np.isnan(value)
        assert level == 255 or value != -np.inf
