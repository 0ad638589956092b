"""Every page on a projector: what it is about fills the window, whole, large; and it is blanked."""

import pytest
from playwright.sync_api import Page, expect

from core.path import PATH
from tests.browser.conftest import OpenPage
from tests.browser.test_present import LOOK, ONLY_THE_CURTAIN, PROJECTING
from tests.browser.test_projector_screen import SIZES
from tests.sampling import paired, some
from tests.ui.support import opened, stages
from ui.lessons.shelf import place_of
from ui.links.path import BESIDE, address_of

MOST = 0.6
"""The stage has at least so much of the window."""
WALK = f"""async (least) => {{
  const stage = [...globalThis[Symbol.for("attention-stages")]].find((one) => one.presenting);
  const found = [];
  for (const stop of stage.stops) {{
    stage.go(stop.first, stop.inside);
    const isGood = (seen) => !seen.cut.length && seen.digits >= least && seen.labels >= least;
    const seen = await laterSeen(() => ({LOOK})(stage.root), isGood);
    const {{ width, height }} = stage.root.getBoundingClientRect();
    const {{ head }} = stage;
    const title = head.title.getBoundingClientRect(), line = head.root.getBoundingClientRect();
    seen.part = width * height / (innerWidth * innerHeight);
    seen.titled = title.right <= line.right && title.top >= 0 && line.right <= innerWidth
      && head.root.scrollWidth <= head.root.clientWidth;
    found.push(seen);
  }}
  return found;
}}"""
"""At each stop of the stage that fills the window, what is seen of it."""


def projected(open_page: OpenPage, name: str, size: tuple[int, int] = (1280, 720)) -> Page:
    page = open_page(f"{address_of(name)}?present=1", size=size)
    if opens_a_stage(name):
        expect(page.locator(".stage.present .focus .cell").first).to_be_visible()
    return page


def faults(page: Page, least: int) -> list[tuple[object, ...]]:
    """What is wrong at which stop of the stage that fills the window."""
    found: list[tuple[object, ...]] = []
    for seen in page.evaluate(WALK, least):
        assert seen["cells"]
        small = {part: seen[part] for part in ("digits", "labels") if 0 < seen[part] < least}
        whole = seen["map"] and seen["titled"] and seen["part"] >= MOST
        if seen["cut"] or small or seen["scrolls"] or not whole:
            found.append((seen["step"], small, whole, seen["part"], seen["cut"][:4]))
    return found


def opens_a_stage(name: str) -> bool:
    """Whether a page has a stage that stands in no fold."""
    return any(shown.config["fills"] for shown in stages(opened(name, present="1")))


PICTURED = 0.15
"""A picture has at least so much of the window where a page opens no stage."""
PICTURE = """() => everywhere("svg", document.querySelector("[data-testid=stMain]"))
  .filter((node) => !node.closest("button, details:not([open])")).map((node) => {
    const { top, bottom, width, height } = node.getBoundingClientRect();
    const whole = top >= 0 && bottom <= innerHeight;
    return [width * height / (innerWidth * innerHeight), whole];
  }).sort(([a], [b]) => b - a)[0]"""
"""How much of the window the largest picture has, and whether all of it is in sight."""


@pytest.mark.parametrize(("name", "size"), paired(some([*PATH], 12, 1), [*SIZES]))
def test_a_projected_page_is_its_stage_large_and_whole_at_every_step_or_else_its_picture(
    open_page: OpenPage, name: str, size: tuple[int, int]
) -> None:
    page = projected(open_page, name, size)
    if opens_a_stage(name):
        assert faults(page, SIZES[size]) == []
    else:
        page.wait_for_function(f"(least) => ({PICTURE})()?.[0] >= least", arg=PICTURED)
        assert page.evaluate(PICTURE)[1]
    is_blanked_whole(page)


def is_blanked_whole(page: Page) -> None:
    page.wait_for_function(PROJECTING)
    page.keyboard.press("b")
    page.wait_for_function(ONLY_THE_CURTAIN)
    page.keyboard.press("b")
    expect(page.get_by_test_id("curtain")).to_have_count(0)


@pytest.mark.deep
@pytest.mark.parametrize("name", BESIDE)
def test_every_page_beside_the_path_is_blanked_whole(open_page: OpenPage, name: str) -> None:
    page = open_page(f"{address_of(name)}?present=1", size=(1280, 720))
    is_blanked_whole(page)


@pytest.mark.deep
def test_a_link_about_another_stage_of_a_page_projects_that_one(open_page: OpenPage) -> None:
    asked = "softmax_over_cell=weights.0.2.1"
    page = open_page(f"softmax?present=1&{asked}", size=(1280, 720))
    key = place_of(f"softmax?{asked}").stage
    expect(page.locator(f".st-key-{key} .stage.present")).to_be_visible()
    expect(page.locator(".stage.present")).to_have_count(1)


@pytest.mark.deep
def test_what_a_page_has_besides_is_below_and_the_stage_comes_back(open_page: OpenPage) -> None:
    page = projected(open_page, "softmax")
    stage = page.locator(".stage.present")
    stage.get_by_label("Tools").click()
    stage.get_by_role("button", name="The page below").click()
    expect(page.locator(".stage.present")).to_have_count(0)
    expect(page.get_by_role("heading", level=1)).to_be_in_viewport()
    assert "present=1" in page.url
    page.keyboard.press("b")
    page.wait_for_function(ONLY_THE_CURTAIN)
    page.reload()
    expect(page.locator(".stage.present")).to_be_visible()


@pytest.mark.parametrize("name", some([*PATH, *BESIDE], 20, 17))
def test_a_projector_s_link_shows_the_page_on_a_phone(open_page: OpenPage, name: str) -> None:
    page = open_page(f"{address_of(name)}?present=1", size=(390, 844))
    expect(page.locator(".st-key-preamble")).to_be_visible()
    expect(page.locator(".stage.present")).to_have_count(0)
    assert "present" not in page.url
    letters = "getComputedStyle(document.documentElement).fontSize"
    assert page.evaluate(letters) == "16px"
