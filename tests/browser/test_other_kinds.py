"""Pictures that a person paints into a Hopfield network, by mouse and by keys."""

import re

import pytest
from playwright.sync_api import Page, expect

from core.attention.setups import DEFAULT_TEXT as TEXT
from core.chapters.other_kinds.four import NAMES, four_kinds
from core.chapters.other_kinds.hopfield import PICTURES, SIDE
from core.chapters.other_kinds.sentence import DRAWN
from tests.browser.conftest import OpenPage
from tests.browser.page import settle
from tests.browser.stage import heard
from tests.sampling import DEEP, some
from ui.chapters.other_kinds.hopfield import LAST_UPDATE

PAINTED = "other-kinds?kinds_part=paint"
STAGE = ".st-key-kinds_paint_stage"
BEGUN = 0 if DEEP else LAST_UPDATE["kinds_moment"] - SIDE
"""How far the picture is repaired before somebody has it repaired."""


def cell(page: Page, row: int, column: int) -> str:
    """The number of a cell of the first stored picture, once it is drawn."""
    return f'{STAGE} [data-part="focus"] [data-cell="stored.0.{row}.{column}"]'


@pytest.mark.parametrize("kind", some([*NAMES], 4, 1))
def test_a_map_opens_on_its_stage(open_page: OpenPage, kind: str) -> None:
    page = open_page("other-kinds?kinds_mixer=attention")
    stages = page.get_by_test_id("stage")
    settle(page)
    page.get_by_role("button", name=NAMES[kind]).click()
    of = four_kinds(TEXT, DRAWN)[kind]
    stage = stages.and_(page.locator(f'[data-step="{of.array}"]'))
    expect(stage).to_be_in_viewport()
    for place, weight in ((f"0.{at}.{at}", of.weights[at][at]) for at in (0, 5)):
        cell = stage.locator(f'[data-part="focus"] [data-cell="{of.array}.{place}"] .number')
        expect(cell).to_have_text(f"{weight:.2f}")
    heard(page)
    fresh = open_page(page.url)
    expect(fresh.locator(f'[data-testid=stage][data-step="{of.array}"]')).to_have_count(1)


def test_the_picture_is_repaired_in_sight(open_page: OpenPage) -> None:
    page = open_page(f"{PAINTED}&kinds_moment={BEGUN}")
    held = page.locator(f'{STAGE} [data-part="focus"][data-matrix="held"]')
    button = page.get_by_role("button", name="Repair the picture")
    moment = page.get_by_role("slider", name="Updates so far")
    button.click()
    expect(moment).to_have_value(str(LAST_UPDATE["kinds_moment"]), timeout=60_000)
    numbers = [[float(x) for x in row] for row in PICTURES[0]]
    for row, column in ((0, 0), (0, 3), (4, 3)):
        cell = held.locator(f'[data-cell="held.{row}.{column}"] .number')
        expect(cell).to_have_text(f"{numbers[row][column]:.2f}".replace("-", "\u2212"))
    heard(page)
    page.wait_for_function(
        """([button, held]) => {
          const boxes = [button, held].map((part) => part.getBoundingClientRect());
          const [top, bottom] = [boxes.map(({ top }) => top), boxes.map(({ bottom }) => bottom)];
          return Math.max(...bottom) - Math.min(...top) < 800;
        }""",
        arg=[button.element_handle(), held.element_handle()],
    )


@pytest.mark.deep
def test_a_stroke_paints_cells_and_the_link_keeps_them(open_page: OpenPage) -> None:
    page = open_page(PAINTED)
    first = page.locator(cell(page, 0, 2))
    expect(first.locator(".number")).to_have_text("\u22121.00")
    first.hover()
    page.mouse.down()
    for column in range(3, 6):
        page.locator(cell(page, 0, column)).hover()
    page.mouse.up()
    for column in range(2, 6):
        expect(page.locator(cell(page, 0, column)).locator(".number")).to_have_text("1.00")
    expect(page).to_have_url(re.compile("kinds_pictures=bd42"))  # 1011 1101 was 1000 0001
    settle(page)
    fresh = open_page(page.url)
    expect(fresh.locator(cell(fresh, 0, 3)).locator(".number")).to_have_text("1.00")
    said = page.locator("[data-testid=stMarkdown]").all_text_contents()
    expect(fresh.locator("[data-testid=stMarkdown]")).to_have_text(said)
    page.get_by_role("button", name="Reset the pictures").click()
    expect(first.locator(".number")).to_have_text("\u22121.00")
    expect(page).not_to_have_url(re.compile("kinds_pictures"))


def test_the_space_bar_paints_too_and_another_picture_is_repaired(open_page: OpenPage) -> None:
    page = open_page(PAINTED)
    corner = page.locator(cell(page, 0, 0))
    expect(corner.locator(".number")).to_have_text("1.00")
    corner.focus()
    settle(page)
    page.keyboard.press(" ")
    expect(corner.locator(".number")).to_have_text("\u22121.00")
    expect(page.get_by_text("At first, 12 of 64 entries differ from picture 1")).to_be_visible()
    page.keyboard.press(" ")
    expect(corner.locator(".number")).to_have_text("1.00")
    page.locator(".st-key-kinds_asked").get_by_role("radio", name="3").click()
    third = page.locator(f'{STAGE} [data-part="focus"] [data-cell="stored.2.0.3"] .number')
    expect(third).to_have_text("1.00")
    expect(page.get_by_text("differ from picture 3")).to_be_visible()
