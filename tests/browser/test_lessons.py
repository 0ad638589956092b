"""Lessons: scene after scene in one session, by Next or by a remote, with the run's own numbers."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from core.attention.phases import PHASES
from core.files.lesson import Scene
from core.path import PATH
from core.program.numbers.rounding import cell_text, typeset
from tests.browser.conftest import OpenPage
from tests.browser.lessons import arrived, open_scene, way, words
from tests.browser.page import box_of, fits, go_by_path, settle, type_in
from tests.browser.stage import open_tools, tool
from tests.sampling import DEEP, some
from ui.lessons.scene_words import run_of_scene
from ui.lessons.shelf import LESSON_NAMES, LinkTarget, place_of, shipped
from ui.links.links import parse_cell
from ui.links.path import HOME

OTHERWISE = "These words are about the scene as it opens"
"""What is said where the stage shows something else than a scene's words are about."""


def stage_of(page: Page, place: LinkTarget) -> Locator:
    return page.locator(f".st-key-{place.stage} .stage")


def numbers(page: Page) -> Iterator[tuple[str, str]]:
    """The numbers of the stage in a scene's words: cell and text."""
    for link in words(page).locator('a[href^="#stage-"]').all():
        cell = (link.get_attribute("href") or "").removeprefix("#stage-")
        if "." in cell:
            yield cell, link.inner_text()


def seen(page: Page, scene: Scene, place: LinkTarget) -> dict[str, object]:
    """What a scene shows: its words, and its stage's step and numbers."""
    paragraphs = len(re.split(r"\n\s*\n", scene.words)) + bool(scene.task)
    expect(words(page).locator("p")).to_have_count(paragraphs + len(("lesson", "title", "state")))
    found: dict[str, object] = {"words": words(page).inner_text(), "address": page.url}
    if place.stage:
        stage = stage_of(page, place)
        expect(stage.locator(".focus .cell").first).to_be_visible()
        found["step"] = stage.get_attribute("data-step")
        found["cells"] = stage.locator(".focus .cell").all_inner_texts()
        selected = stage.locator('.focus [role="gridcell"][aria-selected="true"]')
        found["selected"] = selected.get_attribute("data-cell")
    return found


ASK_EARLY = """
globalThis.shown = new Set();
setInterval(() => {
  document.dispatchEvent(new CustomEvent("prose-asks"));
  const link = document.querySelector('.st-key-lesson a[href="#stage-X.5.0"]');
  if (link) shown.add(link.textContent);
}, 2);
"""
"""Stages are asked for the numbers of the words from the first moment on."""


@pytest.mark.deep
def test_the_words_never_have_a_number_of_another_stage(open_page: OpenPage) -> None:
    """Two stages of this page have an X. Which one is meant is known once the panel has come."""
    trace = run_of_scene(shipped("from-nothing").scenes[1].link)
    assert trace is not None
    number = typeset(cell_text(trace["X"][5, 0]))
    for _ in range(3):  # stages and panel come in any order
        page = open_page("?lesson=from-nothing.2", script=ASK_EARLY)
        page.wait_for_function("(number) => shown.has(number)", arg=number)
        assert set(page.evaluate("[...shown]")) <= {"X.5.0", number}


@pytest.mark.deep
@pytest.mark.parametrize("name", LESSON_NAMES)
def test_next_leads_through_every_scene_as_opened_afresh(open_page: OpenPage, name: str) -> None:
    scenes = shipped(name).scenes
    page = open_page(f"?lesson={name}.1")
    page.evaluate("globalThis.sameVisit = true")
    for number, scene in enumerate(scenes, start=1):
        place = place_of(scene.link)
        arrived(page, number, len(scenes))
        expect(words(page)).to_contain_text(scene.title)
        here = seen(page, scene, place)
        alone = open_page(f"?lesson={name}.{number}")
        arrived(alone, number, len(scenes))
        expect(stage_of(alone, place) if place.stage else words(alone)).to_be_visible()
        assert seen(alone, scene, place) == here
        if place.stage:
            assert here["step"] == place.params.get("step", here["step"])
            trace = run_of_scene(scene.link) if list(numbers(page)) else None
            for cell, text in numbers(page):
                assert trace is not None
                array, at = parse_cell(cell) or ("", ())
                hidden = text == "0" and trace[array][at] == 0  # what the mask has taken away
                assert hidden or text == typeset(cell_text(trace[array][at])), cell
        if number < len(scenes):
            way(page).get_by_role("link", name=re.compile("^Next")).click()
    assert page.evaluate("globalThis.sameVisit")
    expect(way(page)).to_contain_text("The end")


def test_page_down_walks_a_lessons_steps_with_each_answer_closed(open_page: OpenPage) -> None:
    scenes = shipped("from-nothing").scenes
    of_steps = [n for n, s in enumerate(scenes, 1) if place_of(s.link).page == HOME]
    last = next(n for n in of_steps if n + 1 not in of_steps)
    steps = {n: place_of(scenes[n - 1].link).params["step"] for n in range(of_steps[0], last + 1)}
    for phase in PHASES:
        assert set(steps.values()) & set(phase.names), phase.title
    walked = list(steps) if DEEP else list(steps)[-3:]
    page = open_page(f"?lesson=from-nothing.{walked[0]}")
    stage = page.locator(".stage").first
    answer, note = (page.locator(f'[class*="st-key-lesson_{of}"] details') for of in FOR_TEACHERS)
    for number in walked:
        arrived(page, number, len(scenes))
        expect(stage).to_have_attribute("data-step", steps[number])
        if scenes[number - 1].answer:  # closed, though that of the scene before was opened
            expect(answer).not_to_have_attribute("open", "")
            answer.locator("summary").click()
            expect(answer).to_have_attribute("open", "")
        if number == last:
            note.locator("summary").click()
            expect(note).to_have_attribute("open", "")
            keeps_what_is_the_teachers_off_paper(page)
        stage.locator('.focus [role="gridcell"][aria-selected="true"]').focus()
        if stage.get_by_role("button", name="Reveal", exact=True).first.is_visible():
            page.keyboard.press("PageDown")
        page.keyboard.press("PageDown")
    arrived(page, last + 1, len(scenes))


FOR_TEACHERS = ("answer", "note")


def keeps_what_is_the_teachers_off_paper(page: Page) -> None:
    """Though it is open on the screen."""
    page.emulate_media(media="print")
    for of in FOR_TEACHERS:
        expect(page.locator(f'[class*="st-key-lesson_{of}"] details[open]')).to_have_count(1)
        expect(page.locator(f'[class*="st-key-lesson_{of}"] details')).to_be_hidden()
    expect(words(page).locator("p").first).to_be_visible()
    page.emulate_media(media="screen")


def test_a_remote_leads_a_class_through_steps_covers_and_scenes(open_page: OpenPage) -> None:
    scenes = shipped("class").scenes
    page = open_scene(open_page, "class.2", "&present=1")
    side = words(page)
    expect(side).to_be_in_viewport()
    expect(side).to_contain_text(scenes[1].title)
    for title in ("Teacher's note", "Answer"):
        expect(page.get_by_text(title, exact=True)).to_have_count(0)
    assert scenes[1].answer not in page.content()
    assert scenes[1].note.split(".")[0] not in page.content()
    expect(page.locator(".focus .cell.covered")).to_have_count(4)
    page.keyboard.press("PageDown")
    expect(page.locator(".focus .cell.covered")).to_have_count(0)
    page.keyboard.press("PageDown")
    arrived(page, 3, len(scenes))
    assert "present=1" in page.url
    expect(page.locator(".stage.present")).to_be_visible()
    expect(side).to_be_in_viewport()
    expect(page.locator(".stage")).to_have_attribute("data-step", "scaled")
    page.keyboard.press("PageUp")
    arrived(page, 2, len(scenes))
    expect(page.locator(".focus .cell.covered")).to_have_count(4)
    assert box_of(side).right <= box_of(page.locator(".stage")).left + 1


@pytest.mark.deep
@pytest.mark.parametrize("name", LESSON_NAMES)
def test_on_a_phone_a_scene_stands_below_what_it_is_about(open_page: OpenPage, name: str) -> None:
    page = open_page(f"?lesson={name}.1")
    page.set_viewport_size({"width": 390, "height": 844})
    scenes = shipped(name).scenes
    for number in range(1, len(scenes) + 1):
        arrived(page, number, len(scenes))
        fits(page, 390)
        assert box_of(page.locator(".st-key-lesson_side")).top > 844 / 2
        assert box_of(page.locator(".st-key-lesson_side")).bottom <= 844
        if number < len(scenes):
            way(page).get_by_role("link", name=re.compile("^Next")).click()


@pytest.mark.deep
@pytest.mark.parametrize(
    "address", some(["lessons", "practice", "practice?practice_view=sheet"], 3, 1)
)
def test_the_pages_beside_the_path_fit_a_phone(open_page: OpenPage, address: str) -> None:
    """And what they are about begins in the first screen."""
    page = open_page(address, size=(390, 844))
    question = page.locator('[class*="st-key-question_practice"]')
    first = {
        "lessons": page.get_by_role("link", name="Begin").first,
        "practice": question.get_by_test_id("stMarkdown").first,
        "practice?practice_view=sheet": page.get_by_text("Name:"),
    }[address]
    fits(page, 390)
    expect(first).to_be_in_viewport(ratio=1)


@pytest.mark.deep
def test_in_the_full_window_there_are_no_notes(open_page: OpenPage) -> None:
    page = open_page("?lesson=class.2")
    note = page.get_by_text("Teacher's note")
    expect(note).to_be_visible()
    tool(page, "Full window").click()
    expect(page.locator(".stage.present")).to_be_visible()
    title = words(page).get_by_text(shipped("class").scenes[1].title).first
    seen = """(text) => {
      const [{ x, y, height }] = text.getClientRects();
      return text.contains(document.elementFromPoint(x + height / 2, y + height / 2));
    }"""
    page.wait_for_function(seen, arg=title.element_handle())
    assert not note.evaluate(seen)


@pytest.mark.deep
def test_what_was_changed_is_said_in_a_link_and_set_back(server: str, open_page: OpenPage) -> None:
    page = open_scene(open_page, "from-nothing.8")
    expect(words(page)).not_to_contain_text(OTHERWISE)
    share = words(page).locator('a[href="#stage-masked.0.4.5"]')
    before = share.inner_text()
    page.get_by_role("radio", name="none", exact=True).click()
    expect(words(page)).to_contain_text(OTHERWISE)
    expect(share).to_have_text(before)  # the words stay true: they are about the scene
    page.wait_for_url("**lesson=from-nothing.8**mask=none**")
    settle(page)
    again = open_page(page.url)
    expect(again.get_by_role("radio", name="none", exact=True)).to_be_checked()
    expect(words(again)).to_contain_text(OTHERWISE)
    words(page).get_by_role("link", name="Show it so again").click()
    expect(share).to_have_text(before)
    expect(words(page)).not_to_contain_text(OTHERWISE)
    assert page.url == f"{server}/?lesson=from-nothing.8"


@pytest.mark.deep
def test_a_default_is_in_the_link_where_the_scene_has_another(open_page: OpenPage) -> None:
    page = open_scene(open_page, "class.3")
    open_tools(page)
    cover = page.locator("[data-control=cover]")
    cover.get_by_role("radio", name="nothing").click()
    page.wait_for_url("**cover=none**")
    expect(page.locator(".focus .cell.covered")).to_have_count(0)
    settle(page)
    again = open_page(page.url)
    arrived(again, 3, len(shipped("class").scenes))
    expect(again.locator(".focus .cell").first).to_be_visible()
    expect(again.locator(".focus .cell.covered")).to_have_count(0)


@pytest.mark.deep
def test_a_lesson_waits_on_another_page_and_ends_where_it_is_left(open_page: OpenPage) -> None:
    page = open_scene(open_page, "class.4")
    go_by_path(page, PATH["heads"].title)
    expect(page.locator("h1")).to_contain_text("Heads")
    expect(words(page)).to_contain_text("waits at scene 4")
    assert "lesson" not in page.url
    words(page).get_by_role("link", name=re.compile("^Back to")).click()
    arrived(page, 4, len(shipped("class").scenes))
    page.get_by_role("button", name="Leave the lesson").click()
    expect(words(page)).to_have_count(0)
    page.wait_for_url("**preset=P4**")
    assert "lesson" not in page.url
    settle(page)
    again = open_page(page.url)
    expect(again.locator(".stage")).to_have_attribute("data-step", "masked")
    expect(again.locator(".focus .cell.covered")).not_to_have_count(0)


@pytest.mark.deep
def test_an_example_that_is_left_in_a_scene_is_left_in_its_link(open_page: OpenPage) -> None:
    page = open_scene(open_page, "class.2")
    type_in(page.get_by_role("textbox", name="Sentence"), "red green blue")
    page.wait_for_url("**preset=none**")
    expect(page.locator(".focus .cell")).not_to_have_count(4)
    expect(words(page)).to_contain_text(OTHERWISE)
    settle(page)
    again = open_page(page.url)
    expect(again.get_by_role("textbox", name="Sentence")).to_have_value("red green blue")
    expect(again.get_by_test_id("stAlert")).to_have_count(0)


@pytest.mark.deep
@pytest.mark.parametrize("present", some(["", "&present=1"], 2, 1))
def test_what_a_class_sets_in_a_scene_is_there_once_back(open_page: OpenPage, present: str) -> None:
    scenes = shipped("class").scenes
    page = open_scene(open_page, f"class.{len(scenes)}", f"&text=we+like+tea{present}")
    page.keyboard.press("PageUp")
    arrived(page, len(scenes) - 1, len(scenes))
    page.wait_for_url(lambda url: "text=" not in url)
    page.keyboard.press("PageDown")  # lifts the cover
    page.keyboard.press("PageDown")
    page.keyboard.press("PageDown")
    arrived(page, len(scenes), len(scenes))
    page.wait_for_url("**text=we+like+tea**")
    expect(page.locator('.focus [data-matrix="X"]').get_by_text("tea")).to_be_visible()
    if not present:
        words(page).get_by_role("link", name="Show it so again").click()
        page.wait_for_url(lambda url: "text=" not in url)
