"""The scenes of the class on a projector: large, whole, right, and no answer before its time."""

import re
from urllib.parse import urlencode

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from core.program.numbers.display import shown
from core.program.numbers.rounding import typeset
from core.program.trace import Trace
from tests.browser.conftest import OpenPage
from tests.browser.lessons import words
from tests.browser.page import box_of
from tests.browser.test_covers import SEEN
from tests.browser.test_lessons import numbers
from tests.browser.test_projected import PLACES, is_large_and_whole, projected
from tests.sampling import paired, some
from ui.lessons.scene_words import run_of_scene
from ui.lessons.shelf import LinkTarget, shipped
from ui.links.links import parse_cell
from ui.links.path import address_of

SIZES = {(1280, 720): 24, (1920, 1080): 36}
"""Windows of a projector, and the smallest digits of a scene as it opens. Words may be smaller."""
SCENES = [f"class.{number}" for number in range(1, 11)]
COVERED = [scene for scene in SCENES if "cover" in PLACES[scene].params]


def hidden_arrays(trace: Trace, cover: str) -> set[str]:
    """The covered array and all that is computed from it, by the program's steps."""
    found = {cover}
    for name, bound in trace.steps.items():
        if found & {*bound.step.operands}:
            found.add(name)
    return found


@pytest.mark.parametrize(("scene", "size"), paired(some(SCENES, 5, 3), [*SIZES]))
def test_a_scene_is_large_and_whole_and_has_its_numbers_but_not_before_they_are_revealed(
    open_page: OpenPage, scene: str, size: tuple[int, int]
) -> None:
    place, told = PLACES[scene], shipped("class").scenes[int(scene.split(".")[1]) - 1]
    page = projected(open_page, scene, size)
    is_large_and_whole(page, scene, SIZES[size], 0.75 * SIZES[size])
    everything = page.content()
    for kept in filter(None, (told.answer, told.note)):
        assert kept.split(".")[0][:40] not in everything
    expect(page.get_by_text("Teacher's note")).to_have_count(0)
    trace = run_of_scene(place.link)
    says_numbers_of_the_run(page, told.words, trace)
    if scene in COVERED:
        assert trace
        asks_until_it_is_revealed(page, place, trace)


def says_numbers_of_the_run(page: Page, said: str, trace: Trace | None) -> None:
    """The words beside the stage, as they are marked in the lesson's file."""
    found = dict(numbers(page))
    assert set(found) == set(re.findall(r"\{(\w+\.[\d.]+)\}", said))
    expect(words(page)).to_be_visible()
    for name, text in found.items():
        array, at = parse_cell(name) or ("", ())
        assert trace is not None
        assert text == typeset(shown(trace, array, at)), name


def asks_until_it_is_revealed(page: Page, place: LinkTarget, trace: Trace) -> None:
    """What is asked is a question mark, and then the run's number."""
    hidden = hidden_arrays(trace, place.params["cover"].split(".")[0])
    seen = page.evaluate(SEEN)
    in_focus = [cell for cell in seen["cells"] if cell[1] == "focus"]
    assert in_focus
    for name, _, looks, label in in_focus:
        if name.split(".")[0] in hidden:
            assert "covered" in looks, name
            assert not re.search(r"[−-]?\d+\.\d\d\b|∞", label or ""), (name, label)
    assert {text.strip() for _, _, text, _ in seen["covered"]} <= {"?", ""}, seen["covered"]
    if place.params["step"] not in hidden:
        return  # the next step is asked for
    page.keyboard.press("u")
    expect(page.locator(".focus .covered")).to_have_count(0)
    name = place.params["step"]
    for at in np.ndindex(trace[name].shape):
        cell = page.locator(f'.focus [data-cell="{".".join(map(str, (name, *at)))}"]')
        if cell.count():
            expect(cell.first).to_have_text(typeset(shown(trace, name, at)))


LIFTED = {
    scene: f"{address_of(PLACES[scene].page)}?"
    + urlencode(dict(PLACES[scene].params) | {key: "none"} | {"lesson": scene, "present": "1"})
    for scene in COVERED
    for key in PLACES[scene].params
    if key.endswith("cover")
}
"""Scenes that cover something, after the reveal."""
TWO_WORDS = "?lesson=class.10&text=hello+you&step=context&present=1"
WORKED = """(least) => {
  const inside = everywhere(".stage .rows :is(mn, mi, mo, mtext), .stage .workings :is(th, td)");
  const drawn = inside.filter((one) => (
    one.getClientRects().length && /\\d/.test(one.textContent) && !one.closest("msup, msub")));
  const sizes = drawn.map((one) => parseFloat(getComputedStyle(one).fontSize));
  return inside.length && sizes.every((size) => size >= least - 0.1);
}"""
"""Whether the digits of the arithmetic and of the row's table are so large, exponents apart."""


@pytest.mark.parametrize(
    ("link", "size"), paired([TWO_WORDS, *some([*LIFTED.values()], 8)], [*SIZES])
)
def test_what_is_worked_out_after_the_reveal_is_read_from_the_last_row(
    open_page: OpenPage, link: str, size: tuple[int, int]
) -> None:
    page = open_page(link, size=size)
    expect(page.get_by_test_id("arithmetic").first).to_be_visible()
    page.wait_for_function(WORKED, arg=size[1] / 40, timeout=8_000)


def test_the_first_scene_shows_what_bank_reads_once_it_was_asked(open_page: OpenPage) -> None:
    """What it covers takes no room before, and moves no stage after."""
    page = open_page("words?lesson=class.1", size=(1366, 768))
    stage = page.locator(".st-key-words_read_stage")
    beside = page.locator(".st-key-beside_readings")
    percent = beside.get_by_text(re.compile(r"^\d+\s%$")).first
    expect(stage.locator(".focus .cell").first).to_be_visible()
    expect(percent).to_be_attached()
    expect(percent).to_be_hidden()
    expect(beside.get_by_text("Notice.")).to_be_hidden()
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollTop") == 0
    assert beside.bounding_box() is None
    stage.get_by_role("button", name="Weights →").click()
    expect(stage.locator(".focus .covered")).not_to_have_count(0)
    expect(percent).to_be_hidden()
    before = box_of(stage).top
    stage.get_by_role("button", name="Reveal", exact=True).first.click()
    expect(stage.locator(".focus .covered")).to_have_count(0)
    expect(percent).to_be_visible()
    expect(beside.get_by_text("Notice.")).to_be_visible()
    assert box_of(stage).top == pytest.approx(before, abs=1)
