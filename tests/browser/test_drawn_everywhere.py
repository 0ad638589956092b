"""Every program's stage shows its own cells, with their numbers, their signs and their heads.

Walked in a file of its own: each stop, also those inside another, at the first and the last place
of what is looked at one at a time.
"""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from core import Trace
from core.program.numbers.display import shown
from stage import show
from tests.browser.conftest import OpenPage
from tests.browser.drawn import Drawn, aloud, cells, plain
from tests.browser.stage import STAGE
from tests.browser.tabs import THEMES, Theme
from tests.browser.test_run import every_slice, prefix
from tests.registry import REGISTRY
from tests.sampling import some

GO = f"""([array, slices]) => {{
  const stage = {STAGE};
  for (const [letter, at] of Object.entries(slices)) stage.slice(letter, at);
  stage.go(array, true);
}}"""
"""Inside a phase that opens there is no other way than through the stops before it."""


def walked(page: Page, trace: Trace) -> Iterator[tuple[dict[str, int], list[Drawn]]]:
    """The cells at each innermost stop and each slice."""
    stops = [inner for phase in trace.program.phases for inner in phase.innermost()]
    for at in every_slice(trace):
        for stop in stops:
            page.evaluate(GO, [stop.main, at])
            expect(page.get_by_test_id("stage")).to_have_attribute("data-step", stop.main)
            yield at, cells(page)


@pytest.fixture(scope="module")
def nothing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file whose numbers are all zero: their colour is neither that of + nor that of −."""
    program = REGISTRY["attention"].program
    trace = REGISTRY["attention"].run()
    zeros = {i.name: trace[i.name] * (trace[i.name].dtype == bool) for i in program.inputs}
    file = tmp_path_factory.mktemp("drawn") / "zeros.html"
    show(program.run(zeros)).save(file)
    return file


@pytest.mark.parametrize(
    ("name", "theme"),
    some([(name, THEMES[n % 2]) for n, name in enumerate(REGISTRY)], len(REGISTRY), 1),
)
def test_each_cell_shows_its_own_number_and_the_colour_of_its_sign(
    open_page: OpenPage, nothing: Path, tmp_path: Path, name: str, theme: Theme
) -> None:
    page = open_page(nothing.as_uri(), theme=theme, until=None)
    (zero,) = {one.tint for one in cells(page) if one.matrix == "X"}
    trace, file = REGISTRY[name].run(), tmp_path / "stage.html"
    show(trace).save(file)
    page.goto(file.as_uri())
    seen: dict[str, Drawn] = {}
    for at, drawn in walked(page, trace):
        assert {one.part for one in drawn} == {"focus", "strip"}
        for one in drawn:
            check(one, trace, at, zero)
            seen[one.id] = one
    for array in trace:
        mine = [one for one in seen.values() if one.matrix == array]
        assert mine, f"{array} is never drawn"
        check_colours(mine, trace, zero)


def check(one: Drawn, trace: Trace, at: dict[str, int], zero: int) -> None:
    """A cell is of the slice on show, says its number, and leans to the side of its sign."""
    assert one.cell[:-2] == prefix(trace, one.matrix, at), one
    value = trace[one.matrix][one.cell]
    if one.part == "focus":
        text = shown(trace, one.matrix, one.cell)
        assert plain(one.number) == text, one
        assert aloud(text) in one.label.split(", "), one
    if value == -np.inf:
        assert one.hatched, one
    elif not one.hatched and trace[one.matrix].dtype != bool and trace[one.matrix].min() < 0:
        assert np.sign(one.tint - zero) in (0, np.sign(value)), one


LITTLE = 0.025
"""Half of one of twenty levels: less is drawn as 0."""


def largest_operand(trace: Trace, array: str) -> float:
    """The largest number, by its size, of the operands that have the array's shape; 0 for none."""
    step = trace.program.step.get(array)
    operands = step.operands if step else ()
    sizes = [np.abs(trace[one]) for one in operands if trace[one].shape == trace[array].shape]
    return max((float(size[np.isfinite(size)].max(initial=0)) for size in sizes), default=0.0)


def check_colours(mine: list[Drawn], trace: Trace, zero: int) -> None:
    """Of two numbers of an array the larger one is never the less blue; the farthest has colour."""
    values = trace[mine[0].matrix]
    solid = [(float(values[one.cell]), one.tint) for one in mine if not one.hatched]
    rising = sorted((value, tint) for value, tint in solid if not np.isnan(value))
    for (low, less), (high, more) in pairwise(rising):
        assert less <= more + 1 or low == high, mine[0].matrix
    if rising and rising[0][0] < 0:
        far, tint = max(rising, key=lambda pair: abs(pair[0]))
        # What is rounding alone has none, nor what is little on the scale of what it was made of.
        if abs(far) > max(
            trace.noise[mine[0].matrix], LITTLE * largest_operand(trace, mine[0].matrix)
        ):
            assert np.sign(tint - zero) == np.sign(far), mine[0].matrix
