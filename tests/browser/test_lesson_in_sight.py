"""What the scenes of the lesson for beginners point to is in the window as each scene opens."""

import pytest
from playwright.sync_api import Locator, expect

from core.files.lesson import MARKS
from tests.browser.conftest import OpenPage
from tests.browser.lessons import arrived, open_scene, way, words
from tests.browser.page import box_of
from tests.sampling import DEEP, some
from ui.lessons.shelf import LESSON_NAMES, place_of, shipped

LAPTOP, PHONE = (1366, 657), (390, 844)
LESSON = LESSON_NAMES[0]
SCENES = shipped(LESSON).scenes
CONTROLS = {
    "A row of numbers for each word": "[data-control=words_neighbour]",
    "To read is to take an average": "[data-control=words_neighbour]",
    "Step 1: the sentence as rows": "[data-testid=ribbon] .chip >> nth=0",
    "Step 4: keep the scores in bounds": ".folded:has([data-control=scale])",
    "Step 5: hide what comes later": ".folded:has([data-control=mask])",
    "Step 6: scores become weights": ".folded:has([data-control=scale])",
    "Step 7: read": "[aria-label=Sentence]",
    "Words in pieces": ".st-key-words_merges",
    "With a sentence of your own": "[aria-label=Sentence]",
    "Predict a number": "[data-testid=stTextInput] >> nth=-1",
}
"""What a scene asks to use."""
BLACK = """() => {
  return everywhere('.next, [data-testid^="stBaseButton-primary"]').filter((one) => {
    const { top, bottom, height } = one.getBoundingClientRect();
    const ground = getComputedStyle(one).backgroundColor;
    const [red, green, blue, seen] = ground.match(/[\\d.]+/g).map(Number);
    const isSeen = one.checkVisibility() && height && top < innerHeight && bottom > 0;
    return isSeen && seen !== 0 && red + green + blue < 200;
  }).map((one) => one.textContent.trim());
}"""


def in_sight(part: Locator) -> None:
    expect(part).to_be_in_viewport(ratio=0.9)


@pytest.mark.parametrize("number", some(range(1, len(SCENES) + 1), 12, 3))
def test_what_a_scene_points_to_is_in_the_window(open_page: OpenPage, number: int) -> None:
    scene, page = SCENES[number - 1], open_scene(open_page, f"{LESSON}.{number}", size=LAPTOP)
    assert box_of(words(page)).top >= box_of(page.locator("header").first).bottom
    place = place_of(scene.link)
    if place.stage:
        focus = page.locator(f".st-key-{place.stage} .focus")
        for name in (mark["place"] for mark in MARKS.finditer(scene.words) if mark["place"]):
            if "." in name:
                in_sight(focus.locator(f'[data-cell="{name}"]'))
            else:
                expect(focus.locator(f'[data-matrix="{name}"]').first).to_be_in_viewport()
        if not place.asks:
            in_sight(focus.locator('[role="gridcell"][aria-selected="true"]'))
            card = page.locator(f".st-key-{place.stage}").get_by_test_id("arithmetic")
            in_sight(card.locator("h3"))
            if "card" in scene.words:
                in_sight(card.locator(".maths"))
    if scene.title in CONTROLS:
        in_sight(page.locator(CONTROLS[scene.title]).first)
    assert len(page.evaluate(BLACK)) == 1, page.evaluate(BLACK)


@pytest.mark.parametrize("number", range(2, 12) if DEEP else [5])
def test_on_a_phone_a_scene_s_number_is_above_its_words(open_page: OpenPage, number: int) -> None:
    page = open_scene(open_page, f"{LESSON}.{number}", size=PHONE)
    place = place_of(SCENES[number - 1].link)
    selected = page.locator(f'.st-key-{place.stage} .focus [role="gridcell"][aria-selected="true"]')
    in_sight(selected)
    assert box_of(selected).bottom <= box_of(words(page)).top
    page.get_by_test_id("stMain").evaluate("main => main.scrollTo(0, main.scrollHeight)")
    assert box_of(page.locator(".st-key-page_footer")).bottom <= box_of(words(page)).top


@pytest.mark.parametrize("size", some([LAPTOP, PHONE], 2, 1))
def test_the_front_page_leads_to_both_sentences_before_and_after(
    open_page: OpenPage, size: tuple[int, int]
) -> None:
    page = open_page("/", size=size)
    page.get_by_role("link", name="New to this?").click()
    arrived(page, 1, len(SCENES))
    pictures = page.locator(".st-key-words_picture figure")
    expect(pictures).to_have_count(2)
    for number in range(2):
        in_sight(pictures.nth(number))
    panel, last = box_of(words(page)), box_of(pictures.nth(1))
    assert panel.right <= last.left or last.bottom <= panel.top
    expect(way(page).locator(".next")).to_be_in_viewport(ratio=1)


def test_the_column_of_a_scene_scrolls_where_a_window_is_too_low(open_page: OpenPage) -> None:
    page = open_scene(open_page, f"{LESSON}.1", size=(1366, 400))
    page.locator(".course .all summary").click()
    words(page).hover(position={"x": 150, "y": 150})
    page.mouse.wheel(0, 200)
    page.wait_for_function("() => document.querySelector('.st-key-lesson_side').scrollTop > 0")
