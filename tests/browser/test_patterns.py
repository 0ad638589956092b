"""The stage's JavaScript follows index patterns exactly as the core does."""

import json
from collections.abc import Callable, Sequence
from functools import cache
from itertools import product

import numpy as np
import pytest
from playwright.sync_api import Page

from core.program.patterns import Cell
from core.program.trace import Trace
from stage.document.document import document
from tests.browser.scripts import script_of
from tests.registry import REGISTRY
from tests.sampling import DEEP, some

CELLS = 4 if DEEP else 1
"""So many of each array."""
LEVELS = {"far source": 1, "source": 2, "far use": 3, "use": 4, "here": 5}
REACH = """(asked) => {
  const { ways, cells } = JSON.parse(asked);
  const bits = (text) => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  const unpacked = (packed) => (
    Object.fromEntries(Object.entries(packed).map(([name, text]) => [name, bits(text)]))
  );
  const steps = ways.steps.map((step) => compileStep(step, ways.shapes));
  const program = {
    shapes: ways.shapes, steps, removed: unpacked(ways.removed),
    overwritten: unpacked(ways.overwritten), unguarded: unpacked(ways.unguarded),
  };
  return JSON.stringify(cells.map(([array, cell]) => {
    const levels = reach(program, array, cell);
    return Object.fromEntries(Object.entries(levels).map(([n, found]) => [n, [...found]]));
  }));
}"""


Follow = Callable[[str, Cell], dict[str, list[Cell]]]
SIGNS = ("//", "%", "*", "~", "+", "<=", "-{")
"""What an index may be made with."""


def every_sign(names: Sequence[str]) -> list[str]:
    """These programs, and one more for each sign that none of them has in a pattern."""
    chosen = list(names)
    for name, sign in product(REGISTRY, SIGNS):
        if has_sign(name, sign) and not any(has_sign(other, sign) for other in chosen):
            chosen.append(name)
    return chosen


def has_sign(name: str, sign: str) -> bool:
    return any(sign in step.operation.template for step in REGISTRY[name].program.steps)


def expected(
    trace: Trace, sources: Follow, uses: Follow, array: str, cell: Cell
) -> dict[str, np.ndarray]:
    """The same by following `sources` and `uses` of the core, one step at a time."""
    levels = {name: np.zeros(values.shape, dtype=int) for name, values in trace.items()}
    for follow, near, far in ((sources, "source", "far source"), (uses, "use", "far use")):
        waiting = [(array, cell, 0)]
        seen = set()
        while waiting:
            name, at, depth = waiting.pop(0)
            for found, cells in follow(name, at).items():
                for new in cells:
                    if (found, new) not in seen:
                        seen.add((found, new))
                        levels[found][new] = LEVELS[near if depth == 0 else far]
                        waiting.append((found, new, depth + 1))
    levels[array][cell] = LEVELS["here"]
    return levels


@pytest.fixture(scope="module")
def page(empty: Page) -> Page:
    """An empty page that knows the stage's patterns."""
    empty.evaluate(script_of("patterns.js", shown="compileStep, reach"))
    return empty


@pytest.mark.parametrize("name", every_sign(some(list(REGISTRY), 12)))
def test_reach_in_the_browser_equals_sources_and_uses_of_the_core(page: Page, name: str) -> None:
    trace = REGISTRY[name].run()
    first = trace.program.steps[-1].name
    ways = document(trace, (first, (0,) * trace[first].ndim))["ways"]
    ways = ways | {"shapes": {array: values.shape for array, values in trace.items()}}
    draw = np.random.default_rng(7)
    asked = [
        (array, int(flat))
        for array, values in trace.items()
        for flat in draw.choice(values.size, size=min(CELLS, values.size), replace=False)
    ]
    # Asked in one go and as text: Playwright takes a nested answer apart value by value.
    answered = json.loads(page.evaluate(REACH, json.dumps({"ways": ways, "cells": asked})))
    sources, uses = cache(trace.sources), cache(trace.uses)  # the ways cross again and again
    for (array, flat), found in zip(asked, answered, strict=True):
        cell = tuple(int(n) for n in np.unravel_index(flat, trace[array].shape))
        for other, levels in expected(trace, sources, uses, array, cell).items():
            np.testing.assert_array_equal(
                found[other], levels.ravel(), err_msg=f"{other} from {array}{cell}"
            )
