"""A program with an operation, letters and names of its own, made here alone, is on a stage."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import expect

from core.program.explanations import explain
from core.program.numbers.display import shown
from core.program.numbers.rounding import typeset
from tests.alone import RunAlone
from tests.browser.conftest import ROOT, ColdServer, OpenPage
from tests.browser.stage import focus_cell, marked
from tests.core.program.test_explanations import check_lines
from tests.core.properties import check_export, check_inverse, check_moved

PROGRAM = '''
import numpy as np

from core.program import formulas as f
from core.program.numbers.arithmetic import Product
from core.program.axes import HEAD, Axis
from core.program.operation import Operation
from core.program.program import Program
from core.program.steps import Input, Phase, Step


class gate(Operation):
    """A times B, entry by entry."""

    template = "w t, w t -> w t"

    def forward(self, *operands):
        return operands[0] * operands[1]

    def lines(self, operands, decimals, noise):
        (a,), (b,) = (operand.numbers() for operand in operands)
        return [], Product((a, b))

    def formula(self, *operands):
        return f.row(operands[0], f.word_formula("×"), operands[1])

    def code(self, names, shapes):
        return " * ".join(names)


def said(trace, cell):
    return f"Gate {cell[1] + 1} of week {cell[0] + 1}."


program = Program(
    (Input("rain", "w d", said, role="query"), Input("sun", "w d", said)),
    (Step("weather", gate(), ("rain", "sun"), said, "value"),),
    (Phase("Rain", ("rain",), "Given."), Phase("Gate", ("weather",), "Both.")),
    axes={"w": Axis("week", word="week", size="weeks"), "d": Axis("day", word="day")},
)
numbers = {"rain": [[1.5, -2.0, 0.5], [0.25, 3.0, 1.0]], "sun": [[2.0, 0.3, 1.0], [4.0, -1.1, 0.7]]}
trace = program.run({name: np.array(rows) for name, rows in numbers.items()})
'''
PAGE = """
from ui.stage.exhibit import draw_exhibit, exhibit_keys
from ui.links.session import open_link
keys = exhibit_keys(program, "weather")
open_link("outside", keys)
draw_exhibit(trace, ("weather", (1, 1)), keys)
"""


@pytest.fixture(scope="module")
def made() -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "outside"}
    exec(PROGRAM, names)
    return names


def test_it_is_explained_exported_with_sources(made: dict[str, Any], run_alone: RunAlone) -> None:
    trace = made["trace"]
    assert trace.program.letters["weather"] == ("w", "d")
    assert trace.sources("weather", (1, 2)) == {"rain": [(1, 2)], "sun": [(1, 2)]}
    check_moved(trace)
    check_inverse(trace)
    check_export(trace, run_alone)
    for cell in np.ndindex(2, 3):
        check_lines(trace, "weather", cell)
    explanation = explain(trace, "weather", (1, 1))
    assert explanation.title == "weather[2, 2]"
    assert explanation.plain == ["3*-1.1 = -3.30"]
    assert explanation.words == "Gate 2 of week 2."


def test_it_is_drawn_on_the_stage(
    made: dict[str, Any], cold_server: ColdServer, open_page: OpenPage, tmp_path: Path
) -> None:
    trace = made["trace"]
    shutil.copytree(ROOT / ".streamlit", tmp_path / ".streamlit")
    path = f"import sys\nsys.path.insert(0, {str(ROOT)!r})\n"
    (tmp_path / "app.py").write_text(path + PROGRAM + PAGE)
    page = open_page(cold_server(tmp_path))
    for cell in np.ndindex(2, 3):
        text = typeset(shown(trace, "weather", cell))
        expect(focus_cell(page, f"weather.{cell[0]}.{cell[1]}")).to_have_text(text)
    focus_cell(page, "weather.0.2").hover()
    assert marked(page, "source") == {"rain.0.2", "sun.0.2"}
    label = "weather, week 1, day 3, 0.50"
    expect(focus_cell(page, "weather.0.2")).to_have_attribute("aria-label", label)
    expect(page.locator('.caption math [class="value"]').first).to_have_text("weather")
