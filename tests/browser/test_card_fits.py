""" "This number" keeps its arithmetic inside its card: long rows go on below, before a sign."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from core import Trace, attention_program, explain, toy_inputs
from core.program import formulas as f
from core.program.explanations import Explanation
from core.program.inputs import Inputs
from stage import show
from tests.browser.conftest import OpenPage
from tests.browser.scripts import explained, show_number_alone
from tests.browser.stage import STAGE, arithmetic
from tests.registry import REGISTRY
from tests.sampling import some

CARDS = [340, 318, 258]
"""Beside the focus, and on phones of 390 and of 320 pixels."""
LEAST = 12
"""Digits are so many pixels high at least."""
DECIMALS = {"toy": 1, "four decimals": 4}
FIFTEEN = "the very old captain slowly sailed his leaking wooden boat back into our quiet harbour"

LOOK = """(card) => {
  card.querySelector(".rows").classList.add("unfolded"); // with what comes before a cell's own line
  const room = card.querySelector(".maths"), { left, right } = room.getBoundingClientRect();
  const leaves = [...room.querySelectorAll("math, math :not(mspace)")];
  const out = leaves.filter((leaf) => {
    const box = leaf.getBoundingClientRect();
    return box.left < left - 0.5 || box.right > right + 0.5;
  });
  const digits = [...room.querySelectorAll("mn, mi, mtext")]
    .map((leaf) => parseFloat(getComputedStyle(leaf).fontSize));
  const begun = [...room.querySelectorAll(".rows > div")].flatMap((row) => {
    const terms = [...row.children]
      .map((term) => [term.getBoundingClientRect().top, term.textContent[0]]);
    return terms.filter(([top], n) => n && top > terms[n - 1][0] + 8).map(([, first]) => first);
  });
  return {
    out: out.map((leaf) => leaf.textContent), begun: begun.join(""), digits: Math.min(...digits),
    wide: [room, card].some((box) => box.scrollWidth > box.clientWidth),
  };
}"""
LOOK_AT_ALL = f"""([told, widths]) => told.flatMap((explanation) => {{
  number.show(explanation);
  return widths.map((width) => {{
    number.root.style.width = `${{width}}px`;
    return ({LOOK})(number.root);
  }});
}})"""


@pytest.fixture(scope="module")
def card(empty: Page) -> Page:
    """ "This number" in a page that holds nothing else."""
    show_number_alone(empty, (1440, 900), 'document.body.appendChild(element("div", "stage"))')
    empty.evaluate("number.root.style.boxSizing = 'border-box'")
    empty.evaluate(LOOK_AT_ALL, [[asdict(explained(f.number_formula("1")))], CARDS])
    empty.evaluate("document.fonts.ready")
    return empty


def looked_at(card: Page, told: list[Explanation]) -> Iterator[tuple[Explanation, int, Any]]:
    found = iter(card.evaluate(LOOK_AT_ALL, [[asdict(one) for one in told], CARDS]))
    yield from ((one, width, next(found)) for one in told for width in CARDS)


def check(card: Page, trace: Trace) -> str:
    """Nothing of the last cell of any array is outside; what the lines begin with that go on."""
    told = [
        explain(trace, array, tuple(size - 1 for size in values.shape))
        for array, values in trace.items()
    ]
    begun = ""
    for one, width, seen in looked_at(card, told):
        assert not seen["out"], (one.title, width, seen)
        assert not seen["wide"], (one.title, width, seen)
        assert seen["digits"] >= LEAST, (one.title, width, seen)
        begun += seen["begun"]
    return begun


@pytest.mark.parametrize("numbers", DECIMALS)
@pytest.mark.parametrize("name", some(list(REGISTRY), len(REGISTRY) // 3 + 1, 7))
def test_arithmetic_of_every_array_is_inside_its_card(card: Page, name: str, numbers: str) -> None:
    entry = REGISTRY[name]
    inputs = {
        array: values if values.dtype == bool else np.round(values, DECIMALS[numbers])
        for array, values in entry.inputs().items()
    }
    begun = check(card, entry.program.run(inputs))
    assert set(begun) <= set("+−=≈")


@pytest.mark.parametrize("mask", ["causal", "none"])
def test_a_sentence_of_fifteen_words_is_inside_too(card: Page, mask: str) -> None:
    trace = attention_program(heads=2, mask=mask).run(toy_inputs(FIFTEEN, heads=2))
    assert len(trace.tokens) == 15
    check(card, trace)


def test_products_of_floats_go_on_below_before_their_sign(card: Page) -> None:
    """Queries and keys of three decimals, which stood beyond the edge of the card."""
    assert "+" in check(card, of_floats(3))
    card.set_viewport_size({"width": 390, "height": 844})
    assert card.evaluate("document.documentElement.scrollWidth") <= 390
    card.set_viewport_size({"width": 1440, "height": 900})


def of_floats(decimals: int) -> Trace:
    """A walk with one head of eight features, whose X, W_Q and W_K have so many decimals."""
    toy, rng = toy_inputs("The cat sat", heads=1, d_model=8), np.random.default_rng(0)
    drawn = {n: np.round(rng.normal(size=toy[n].shape), decimals) for n in ("X", "W_Q", "W_K")}
    return attention_program(heads=1).run(Inputs({**toy, **drawn}, toy.tokens))


NUMBER = f.number_formula("-1234567.123456789")
LONG = [
    f.row(f.word_formula("="), f.bracketed(NUMBER), f.bracketed(NUMBER)),
    f.row(
        f.call("exp", f.row(NUMBER, f.word_formula("−"), f.bracketed(NUMBER))),
        f.word_formula("="),
        f.number_formula("1"),
    ),
    f.row(
        f.name("scores"),
        f.word_formula("["),
        f.text("internationalisierungsbeauftragte"),
        f.word_formula(","),
        f.text("w" * 60),
        f.word_formula("]"),
    ),
    f.row(f.call("max", *(f.number_formula("-12.3456") for _ in range(9)))),
]


def test_what_is_too_long_by_itself_breaks_inside(card: Page) -> None:
    for one, width, seen in looked_at(card, [explained(row) for row in LONG]):
        assert not seen["out"], (one, width, seen)
        assert not seen["wide"], (one, width, seen)


@pytest.mark.parametrize(("width", "height"), some([(390, 844), (1366, 768), (1440, 900)], 3))
def test_on_the_stage_the_card_holds_it_at_every_width(
    open_page: OpenPage, tmp_path: Path, width: int, height: int
) -> None:
    file = tmp_path / "stage.html"
    show(of_floats(4)).save(file)
    page = open_page(file.as_uri(), size=(width, height), until=None)
    for step in ("Q", "scores", "weights", "output"):
        page.evaluate(f"(step) => {STAGE}.go(step)", step)
        expect(arithmetic(page)).to_contain_text(f"{step}[".replace("_", ""))
        page.evaluate("document.fonts.ready")
        seen = arithmetic(page).evaluate(LOOK)
        assert not seen["out"], (step, seen)
        assert not seen["wide"], (step, seen)
        assert seen["digits"] >= LEAST
        assert arithmetic(page).evaluate("card => card.getBoundingClientRect().right") <= width
