"""Lessons on a projector: each scene is large and whole, and tells no answer before its time."""

import re
from functools import cache

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from core.attention.setups import DEFAULT_TEXT, Setup
from core.operations.masking import mask_fill
from core.program.numbers.display import shown
from core.program.trace import Trace
from tests.browser.conftest import OpenPage
from tests.browser.lessons import arrived, open_scene, words
from tests.browser.page import type_in
from tests.browser.stage import arithmetic, focus_cell, marked
from tests.browser.test_covers import SEEN
from tests.browser.test_present import LOOK
from tests.browser.test_projector_screen import SIZES
from tests.sampling import DEEP, paired, some
from ui.lessons.shelf import LESSON_NAMES, LinkTarget, place_of, shipped
from ui.links.links import parse_cell

PLACES = {
    f"{name}.{number}": place_of(scene.link)
    for name in LESSON_NAMES
    for number, scene in enumerate(shipped(name).scenes, start=1)
}
ABOUT_STAGES = [scene for scene, place in PLACES.items() if place.stage and not place.asks]
COVERED = [scene for scene, place in PLACES.items() if "cover" in place.params]
TYPED = (("1.10", "this step is left out"), (".61", "e is left out"), (".33", "another key"),
         ("7", "It is not 7"), ("3/6", "3/6 is right"))  # fmt: skip


def projected(open_page: OpenPage, scene: str, size: tuple[int, int] = (1280, 720)) -> Page:
    """A scene that fills a window of this size."""
    page = open_scene(open_page, scene, "&present=1", size=size)
    stage = page.locator(f".st-key-{PLACES[scene].stage} .stage.present")
    expect(stage.locator(".focus .cell").first).to_be_visible()
    return page


def is_large_and_whole(
    page: Page, scene: str, digits: float, labels: float, with_map: bool = False
) -> None:
    """Wait until nothing of a scene is cut or scrolls, neither its stage nor its words."""
    page.wait_for_function(
        f"""([stage, digits, labels, withMap]) => {{
          const seen = ({LOOK})(everywhere(".stage", document.querySelector(stage))[0]);
          const side = document.querySelector(".st-key-lesson");
          return seen.cells && !seen.cut.length && !seen.scrolls && seen.digits >= digits
            && seen.labels >= labels && (seen.map || !withMap)
            && side.scrollHeight <= side.clientHeight;
        }}""",
        arg=[f".st-key-{PLACES[scene].stage}", digits, labels, with_map],
    )


@pytest.mark.parametrize(("scene", "size"), paired(some(ABOUT_STAGES, 30, 12), [*SIZES][::-1]))
def test_a_scene_is_whole_and_large(open_page: OpenPage, scene: str, size: tuple[int, int]) -> None:
    page = projected(open_page, scene, size)
    is_large_and_whole(page, scene, SIZES[size], SIZES[size], with_map=True)


@cache
def trace_of(text: str, preset: str) -> Trace:
    return Setup(text=text, preset=preset).trace


def run_of(place: LinkTarget) -> Trace:
    return trace_of(place.params.get("text", DEFAULT_TEXT), place.params.get("preset", ""))


@pytest.mark.parametrize("scene", some(COVERED, 8, 2))
def test_nothing_beside_a_cover_shows_what_it_hides(open_page: OpenPage, scene: str) -> None:
    """The number that is asked for is in sight only if it is one of those that it is made of; no
    row in sight is the row that is asked for; and a mask that takes away is asked for too."""
    place = PLACES[scene]
    trace = run_of(place)
    page = projected(open_page, scene)
    asked, at = parse_cell(place.params["cell"]) or ("", ())
    step = place.params["step"]
    covered = page.locator('[data-part="focus"] .covered')
    hidden = set(covered.evaluate_all("all => all.map((cell) => cell.dataset.cell)"))
    if f"{asked}.{'.'.join(map(str, at))}" not in hidden:
        return  # it shows one number, and asks for others
    seen = page.evaluate(SEEN)
    text = shown(trace, asked, at).replace("-", "−")
    made_of = {
        shown(trace, name, cell)
        for name, cells in trace.sources(asked, at).items()
        for cell in cells
    }
    told = " ".join(seen["texts"] + seen["labels"])
    if text not in made_of and len(text) > 1:
        assert not re.search(rf"(?<![\d.−]){re.escape(text)}(?!\d)", told), text
    row = trace[asked][at[:-1]]
    bound = trace.steps[step]
    if isinstance(bound.operation, mask_fill):
        assert "mask" in {cell.split(".")[0] for cell in hidden}
        assert "−∞" not in " ".join(page.locator(".focus [data-cell]").all_inner_texts())
        return
    for name in {*bound.step.operands} - {cell.split(".")[0] for cell in hidden}:
        values = trace[name].reshape(-1, trace[name].shape[-1])
        if values.shape[-1] == len(row):
            assert not (np.abs(values - row).max(axis=1) < 0.005).any(), name


@pytest.mark.deep
def test_pointing_at_a_cell_does_not_tell_what_a_covered_mask_takes(open_page: OpenPage) -> None:
    scene = next(s for s in COVERED if PLACES[s].params["cover"] == "mask")
    page = projected(open_page, scene)
    trace = run_of(PLACES[scene])
    lit = {}
    for cell in np.ndindex(trace["masked"].shape):
        name = ".".join(map(str, ("masked", *cell)))
        focus_cell(page, name).hover()
        expect(focus_cell(page, name)).to_have_class(re.compile("here"))
        lit[trace.is_removed("masked", cell)] = {id.split(".")[0] for id in marked(page, "source")}
    assert lit[True] == lit[False] == {"scaled", "mask"}
    page.keyboard.press("u")
    focus_cell(page, "masked.0.0.0").hover()
    focus_cell(page, "masked.0.0.1").hover()
    expect(focus_cell(page, "mask.0.1")).to_have_class(re.compile("source"))
    assert marked(page, "source") == {"mask.0.1"}


@pytest.mark.parametrize("size", some(list(SIZES), 2))
def test_projected_a_typed_number_is_answered_and_a_remote_goes_on_from_its_field(
    open_page: OpenPage, size: tuple[int, int]
) -> None:
    scene = next(s for s in COVERED if PLACES[s].params.get("preset") == "P2")
    page = projected(open_page, scene, size)
    field = page.get_by_label("The number that you worked out")
    said = arithmetic(page).get_by_role("status")
    for typed, answered in TYPED:
        type_in(field, typed)
        expect(said).to_contain_text(answered)
        expect(said).to_be_in_viewport(ratio=1)
        assert said.evaluate("box => box.scrollHeight <= box.clientHeight + 1")
    focus_cell(page, "weights.0.2.1").click()
    field.fill("1")
    field.press("PageDown")
    expect(page.locator(".focus .covered")).to_have_count(0)
    focus_cell(page, "weights.0.2.1").click()
    page.keyboard.press("PageUp")
    arrived(page, int(scene.split(".")[1]) - 1, len(shipped(scene.split(".")[0]).scenes))


def test_from_scene_to_scene_the_window_shows_what_the_scene_is_about(open_page: OpenPage) -> None:
    """Two stages of one page in turn, then a question of a page whose stage fills the window."""
    page = open_page("words?lesson=from-nothing.2&present=1", size=(1280, 720))
    for number in (2, 3):
        arrived(page, number, 15)
        place = PLACES[f"from-nothing.{number}"]
        expect(page.locator(f".st-key-{place.stage} .stage.present")).to_be_visible()
        expect(page.locator(".stage.present")).to_have_count(1)
        expect(words(page)).to_be_in_viewport()
        page.keyboard.press("PageDown")
    if not DEEP:
        return
    asks = next(scene for scene, place in PLACES.items() if place.asks)
    before = int(asks.split(".")[1]) - 1
    page = projected(open_page, f"from-nothing.{before}")
    words(page).get_by_role("link", name=re.compile("^Next")).click()
    arrived(page, before + 1, 15)
    expect(page.locator(".stage.present")).to_have_count(0)
    expect(page.get_by_label("Your prediction")).to_be_in_viewport()
