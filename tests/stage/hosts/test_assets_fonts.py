"""The shipped font: what it holds, and that every formula of the product is written with it."""

import string
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest

import stage
from core import explain
from core.program.formulas import Formula
from core.program.numbers.rounding import typeset
from stage.hosts.component import FONT, font_script, style_sheet
from tests.registry import REGISTRY
from tests.sampling import some
from tools.subset_font import CHARACTERS, LATIN

FONTS = Path(stage.__file__).parent / "browser/fonts"


def written(node: Formula) -> Iterator[str]:
    """The texts of a formula that the program chose; a token may be of any script."""
    kind, *rest = node
    if kind == "name":
        yield from rest[:2]
    elif kind in ("word", "mark", "number"):
        yield typeset(rest[0])
    elif kind != "text":
        for part in rest:
            if isinstance(part, list):
                yield from written(part)


@pytest.mark.parametrize("name", some(list(REGISTRY), 8, 3))
def test_every_character_of_every_formula_is_in_the_font(name: str) -> None:
    trace = REGISTRY[name].run()
    formulas = [*trace.program.definitions]
    for array, values in trace.items():
        formulas += explain(trace, array, (0,) * values.ndim).rows
        if array in trace.steps:
            names = [["name", operand, "", operand] for operand in trace.steps[array].step.operands]
            formulas.append(trace.steps[array].operation.formula(*names))
    found = {char for formula in formulas for text in written(formula) for char in text}
    assert len(found) > 10
    assert found <= CHARACTERS


def test_a_letter_alone_is_there_in_italics_as_mathml_draws_it() -> None:
    italics = {unicodedata.normalize("NFKC", char): char for char in CHARACTERS - {*LATIN}}
    assert {*string.ascii_letters} <= {*LATIN} & {*italics}


def test_the_font_is_small_and_its_licence_is_with_it() -> None:
    font = FONTS / "stix-two-math.woff2"
    assert font.read_bytes()[:4] == b"wOF2"
    assert font.stat().st_size < 30_000  # some 25 KB were promised
    assert "SIL OPEN FONT LICENSE Version 1.1" in (FONTS / "OFL.txt").read_text()


def test_the_family_that_is_brought_is_the_one_that_formulas_ask_for() -> None:
    assert f'math {{ font-family: "{FONT}", math; }}' in style_sheet()
    assert f'bringFont("{FONT}", "data:font/woff2;base64,' in font_script()
