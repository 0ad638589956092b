"""A lesson from a person's own file, and what a teacher takes from the page of lessons."""

import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import OpenPage
from tests.browser.lessons import arrived, open_scene, way, words
from tests.browser.page import downloaded, fits, settle, type_in
from ui.links.links import unpacked_data

OWN = """
title = "Two <b>tokens</b>"
for = "Anybody."

[[scene]]
title = "A *share*"
link = "https://example.org/?text=red+ball&heads=1&step=weights&cell=weights.0.1.0&cover=weights"
minutes = 4
say = '''<img src=x onerror="globalThis.pwned = true"> takes {weights.0.1.0}.

[Here](softmax) is **no** [mark](weight).'''
note = "For the teacher."

[[scene]]
title = "Elsewhere"
link = "heads?heads_text=red+ball"
minutes = 1
say = "Another page."
"""


HOSTILE = """
title = "\u202eevil https://evil.example/title"
for = "\u202eevil www.evil.example a@evil.example."

[[scene]]
title = "\u05e9\u05dc\u05d5\u05dd \u2069 mailto:a@evil.example"
link = "?text=red+ball&step=https://evil.example/step"
minutes = 4
say = "See https://evil.example/say, :smile: and {weights.0.1.0}."
do = "Ask a@evil.example -> b."
note = "www.evil.example, \u202eevil."
"""
PLACES = """(part, words) => {
  const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
  const range = document.createRange(), found = [];
  while (walker.nextNode()) {
    const at = walker.currentNode.data.indexOf(words);
    if (at < 0) continue;
    for (let n = at; n < at + words.length; n += 1) {
      range.setStart(walker.currentNode, n);
      range.setEnd(walker.currentNode, n + 1);
      found.push(range.getBoundingClientRect().x);
    }
  }
  return found;
}"""
"""Where each character of these words stands, from left to right."""


def test_of_a_lessons_texts_no_links_are_made_and_none_turns_ours_around(
    open_page: OpenPage, tmp_path: Path
) -> None:
    page = open_page("lessons")
    card = given(page, tmp_path, HOSTILE)
    expect(card).to_contain_text("1 scene, about")
    expect(page.locator('a[href*="evil"]')).to_have_count(0)
    assert "www.evil.example a@evil.example." in card.inner_text().replace("\u2060", "")
    ours = card.evaluate(PLACES, "about 4 minutes")
    assert ours
    assert ours == sorted(ours)
    card.get_by_role("link", name="Begin").click()
    arrived(page, 1, 1)
    expect(page.get_by_test_id("stAlert")).to_contain_text("step is")
    page.get_by_text("Teacher's note").click()
    expect(page.get_by_text("www").first).to_be_visible()
    expect(page.locator('a[href*="evil"]')).to_have_count(0)
    expect(words(page).locator("img")).to_have_count(0)
    said = words(page).inner_text().replace("\u2060", "")
    assert "See https://evil.example/say, :smile: and" in said
    assert "a@evil.example -> b." in said
    title = page.locator(".st-key-lesson").get_by_test_id("stCaptionContainer")
    ours = title.evaluate(PLACES, "scene 1 of 1")
    assert ours
    assert ours == sorted(ours)


@pytest.mark.deep
def test_another_file_ends_an_open_lesson(server: str, open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(f"{server}/lessons")
    given(page, tmp_path, OWN).get_by_role("link", name="Begin").click()
    arrived(page, 1, 2)
    way(page).get_by_role("link", name=re.compile("^Next")).click()
    arrived(page, 2, 2)
    page.get_by_role("link", name="Lessons", exact=True).click()
    expect(page.get_by_text("at scene 2 of 2")).to_be_visible()
    short = given(page, tmp_path, OWN.partition('[[scene]]\ntitle = "Elsewhere"')[0])
    expect(short).to_contain_text("1 scene,")
    expect(words(page)).to_have_count(0)
    expect(page.get_by_text("at scene 2 of 2")).to_have_count(0)
    short.get_by_role("link", name="Begin").click()
    arrived(page, 1, 1)
    assert page.url.startswith(f"{server}/?lesson=own.1&own=")


def shared(page: Page) -> list[str]:
    """The links of the panel Share: this view's, the students', the projector's."""
    page.get_by_role("button", name="Share", exact=True).click()
    panel = page.get_by_test_id("stPopoverBody")
    expect(panel.get_by_alt_text("The link as a QR code")).to_be_visible()
    settle(page)
    return [link for link in panel.locator("code").all_inner_texts() if "://" in link]


def test_a_lesson_of_ones_own_is_in_its_links_without_its_notes_in_the_one_for_students(
    open_page: OpenPage, tmp_path: Path
) -> None:
    page = open_page("lessons")
    links_and_buttons_look_alike(page)
    given(page, tmp_path, OWN).get_by_role("link", name="Begin").click()
    arrived(page, 1, 2)
    expect(page.get_by_text("Teacher's note")).to_be_visible()
    teachers, students, projectors = shared(page)
    assert "lesson=own.1" in teachers
    assert projectors == f"{teachers}&present=1"
    for link, has_note in ((teachers, True), (students, False)):
        packed = parse_qs(urlsplit(link).query)["own"][0]
        assert (b"For the teacher" in unpacked_data(packed, 10_000)) == has_note
    phone = open_page(students, size=(390, 844))
    arrived(phone, 1, 2)
    assert "role=student" in phone.url
    onward = way(phone).get_by_role("link", name=re.compile("^Next"))
    asked = urlsplit(onward.get_attribute("href") or "").query
    assert parse_qs(asked).keys() - {"heads_count"} == {"lesson", "own", "role"}
    onward.click()
    arrived(phone, 2, 2)
    expect(phone.locator(".st-key-heads_text input")).to_have_value("red ball")
    assert "For the teacher" not in phone.content()
    fits(phone, 390)


def given(page: Page, folder: Path, lesson: str) -> Locator:
    """The card of a lesson that is opened from a file."""
    file = folder / "lesson.toml"
    file.write_text(lesson, encoding="utf-8")
    page.locator('input[type="file"]').set_input_files(file)
    return page.locator(".st-key-lesson_card_own")


def test_a_student_stays_one_on_every_page_and_gets_students_links(open_page: OpenPage) -> None:
    page = open_scene(open_page, "class.2", "&role=student")
    expect(page.get_by_text("Teacher's note")).to_have_count(0)
    (link,) = shared(page)
    assert "role=student" in link
    page.keyboard.press("Escape")
    page.get_by_role("link", name="Lessons", exact=True).click()
    page.wait_for_url("**/lessons?role=student**")
    expect(page.locator(".st-key-lesson_card_class")).to_be_visible()
    settle(page)
    expect(page.locator('[class*="st-key-plan_"]')).to_have_count(0)
    page.locator(".st-key-lesson_card_class").get_by_role("link", name="Begin").click()
    arrived(page, 1, 10)
    assert "role=student" in page.url
    expect(page.get_by_text("Teacher's note")).to_have_count(0)


@pytest.mark.deep
def test_a_plan_has_links_to_this_server(server: str, open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(f"{server}/lessons")
    open_files(page)
    lesson = page.get_by_role("combobox", name="Lesson")
    type_in(lesson, "A 45-minute class")  # what is typed is the only option then
    expect(lesson).to_have_value("A 45-minute class")
    settle(page)
    plan = downloaded(page, page.locator(".st-key-plan_class button"), tmp_path)
    assert plan.name == "class-plan.html"
    assert f"{server}/?lesson=class.2" in plan.read_text(encoding="utf-8")


def test_a_long_lesson_given_to_a_class_has_a_short_link_for_phones_and_notes_in_the_window(
    server: str, open_page: OpenPage, tmp_path: Path
) -> None:
    page = open_page(f"{server}/lessons")
    long = "".join(chr(0x4E00 + n * 7919 % 20_000) for n in range(2_900))
    card = given(page, tmp_path, OWN + f"do = '{long}'\nanswer = 'The answer.'\n")
    card.get_by_role("button", name="Give it to a class").click()
    expect(card.get_by_text("has the lesson")).to_be_visible()
    code = re.compile("Class ([A-Z0-9]{6})").search(card.inner_text())
    assert code
    expect(card.get_by_alt_text("The link as a QR code")).to_be_visible()
    links = [link for link in card.locator("code").all_inner_texts() if "://" in link]
    _, students, _ = links
    assert students == f"{server}/?lesson=~{code[1]}.1&role=student"
    phone = open_page(students, size=(390, 844))
    arrived(phone, 1, 2)
    onward = way(phone).get_by_role("link", name=re.compile("^Next")).get_attribute("href") or ""
    assert f"~{code[1]}.2" in onward.replace("%7E", "~")
    assert "The answer" not in phone.content()
    phone.goto(f"{server}/?lesson=~{code[1]}.1")  # who is no student may be anybody
    arrived(phone, 1, 2)
    assert "For the teacher" not in phone.content()
    card.get_by_role("link", name="Begin").click()
    arrived(page, 1, 2)
    assert f"~{code[1]}.1" in page.url.replace("%7E", "~")
    expect(page.get_by_text("Teacher's note")).to_be_visible()
    page.locator(".st-key-ask_class_scene").get_by_role("button", name="Ask the class").click()
    window = page.get_by_role("link", name="Open my window").get_attribute("href") or ""
    teachers = open_page(f"{server}/{window.removeprefix('./')}")
    expect(teachers.get_by_text("For the teacher.")).to_be_visible()


PLAN = "Teacher's plan (.html)"
LINKS_AND_BUTTONS = ("Begin →", "Questions on what it touches", PLAN, "Download .toml")
LOOK = """(one) => {
  const { borderTopColor, borderTopWidth } = getComputedStyle(one);
  return [borderTopColor, borderTopWidth, one.getBoundingClientRect().height];
}"""


def links_and_buttons_look_alike(page: Page) -> None:
    open_files(page)
    looks = []
    for text in LINKS_AND_BUTTONS:
        part = page.get_by_text(text, exact=True).first
        around = part.locator("xpath=ancestor-or-self::*[self::a or self::button][1]")
        looks.append(around.evaluate(LOOK))
    assert looks == looks[-1:] * 4


def open_files(page: Page) -> None:
    """Open the fold for teachers, of the first lesson."""
    page.get_by_text("Links, plans and files", exact=True).click()
    expect(page.get_by_role("button", name="Download .toml")).to_be_visible()  # all of it has come
    settle(page)
