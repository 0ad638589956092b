"""The stage's JavaScript follows index patterns exactly as the core does."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser

from core import attention_program, toy_inputs
from core.bugs import BUGS, on_sentence
from core.patterns import Cell
from core.programs import Trace
from ui.stage.views import stage_data

PATTERNS = (Path(__file__).parents[2] / "ui/stage/patterns.js").read_text(encoding="utf-8")
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


def expected(trace: Trace, array: str, cell: Cell) -> dict[str, np.ndarray]:
    """The same by following `sources` and `uses` of the core, one step at a time."""
    levels = {name: np.zeros(values.shape, dtype=int) for name, values in trace.items()}
    for follow, near, far in (
        (trace.sources, "source", "far source"),
        (trace.uses, "use", "far use"),
    ):
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


@pytest.mark.parametrize(
    "settings",
    [
        {"heads": 2, "kv_heads": 1, "mask": "causal"},
        {"heads": 4, "kv_heads": 2, "mask": "window", "window": 2},
        {"heads": 1, "mask": "none", "scale": False},
        {"heads": 2, "mask": "prefix", "scale": 0.5},
        {"heads": 2, "mask": "custom"},
    ],
)
def test_reach_in_the_browser_equals_sources_and_uses_of_the_core(
    chromium: Browser, settings: dict[str, Any]
) -> None:
    mask = None
    if settings["mask"] == "custom":
        mask = np.tri(5, dtype=bool)
        mask[2] = False
        mask[0, 4] = True
    sizes = {key: settings[key] for key in ("heads", "kv_heads") if key in settings}
    trace = attention_program(**settings).run(
        toy_inputs("one two three two five", d_model=4, mask=mask, **sizes)
    )
    check_reach(chromium, trace)


@pytest.mark.parametrize("name", list(BUGS))
def test_reach_in_the_browser_equals_that_of_the_core_in_broken_runs(
    chromium: Browser, name: str
) -> None:
    check_reach(chromium, on_sentence(BUGS[name], "one two three two")[1])


def check_reach(chromium: Browser, trace: Trace) -> None:
    ways = stage_data(trace, "scores", (0, 0, 0))["trace"]
    draw = np.random.default_rng(7)
    cells = [
        (array, int(flat))
        for array, values in trace.items()
        for flat in draw.choice(values.size, size=min(6, values.size), replace=False)
    ]
    # Asked in one go and as text: Playwright takes a nested answer apart value by value.
    page = chromium.new_page()
    page.evaluate(PATTERNS + "\nObject.assign(globalThis, { compileStep, reach });")
    found = json.loads(page.evaluate(REACH, json.dumps({"ways": ways, "cells": cells})))
    page.close()
    for (array, flat), reached in zip(cells, found, strict=True):
        cell = tuple(int(n) for n in np.unravel_index(flat, trace[array].shape))
        for name, levels in expected(trace, array, cell).items():
            np.testing.assert_array_equal(
                reached[name], levels.ravel(), err_msg=f"{name} from {array}{cell}"
            )
