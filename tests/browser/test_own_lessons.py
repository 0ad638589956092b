"""A lesson from a person's own file, and what a teacher takes from the page of lessons."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from core.path import PATH
from tests.browser.conftest import OpenPage
from tests.browser.lessons import arrived, way, words
from tests.browser.walking import go_by_path

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


@pytest.mark.deep
def test_a_lesson_of_ones_own_opens_from_a_file_as_text(
    server: str, open_page: OpenPage, tmp_path: Path
) -> None:
    page = open_page(f"{server}/lessons")
    chosen = page.locator('input[type="file"]')
    bad = tmp_path / "bad.toml"
    bad.write_text(OWN.replace("minutes = 4", "minutes = 'four'"))
    chosen.set_input_files(bad)
    expect(page.get_by_test_id("stAlert")).to_contain_text("Scene 1: minutes is 'four'")
    good = tmp_path / "good.toml"
    good.write_text(OWN)
    chosen.set_input_files(good)
    card = page.locator(".st-key-lesson_card_own")
    expect(card).to_contain_text("Two <b>tokens</b>")
    card.get_by_role("link", name="Begin").click()
    arrived(page, 1, 2)
    assert page.url.startswith(f"{server}/?lesson=own.1")
    expect(words(page)).to_contain_text('<img src=x onerror="globalThis.pwned = true"> takes ?.')
    expect(words(page)).to_contain_text("Here is *no* mark.")
    assert page.evaluate("globalThis.pwned") is None
    expect(page.locator(".focus .cell.covered")).not_to_have_count(0)
    way(page).get_by_role("link", name=re.compile("^Next")).click()
    arrived(page, 2, 2)
    expect(page.locator(".st-key-heads_text input")).to_have_value("red ball")
    go_by_path(page, PATH["softmax"].title)
    expect(words(page)).to_contain_text("waits at scene 2")


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
    server: str, open_page: OpenPage, tmp_path: Path
) -> None:
    page = open_page(f"{server}/lessons")
    lesson = tmp_path / "lesson.toml"
    lesson.write_text(HOSTILE, encoding="utf-8")
    page.locator('input[type="file"]').set_input_files(lesson)
    card = page.locator(".st-key-lesson_card_own")
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
def test_another_file_ends_the_lesson_that_was_open(
    server: str, open_page: OpenPage, tmp_path: Path
) -> None:
    page = open_page(f"{server}/lessons")
    long, short = tmp_path / "long.toml", tmp_path / "short.toml"
    long.write_text(OWN)
    short.write_text(OWN.partition('[[scene]]\ntitle = "Elsewhere"')[0])
    page.locator('input[type="file"]').set_input_files(long)
    page.locator(".st-key-lesson_card_own").get_by_role("link", name="Begin").click()
    arrived(page, 1, 2)
    way(page).get_by_role("link", name=re.compile("^Next")).click()
    arrived(page, 2, 2)
    page.get_by_role("link", name="Lessons", exact=True).click()
    expect(page.get_by_text("at scene 2 of 2")).to_be_visible()
    page.locator('input[type="file"]').set_input_files(short)
    expect(page.locator(".st-key-lesson_card_own")).to_contain_text("1 scene,")
    expect(words(page)).to_have_count(0)
    expect(page.get_by_text("at scene 2 of 2")).to_have_count(0)
    page.locator(".st-key-lesson_card_own").get_by_role("link", name="Begin").click()
    arrived(page, 1, 1)
    assert page.url == f"{server}/?lesson=own.1"


@pytest.mark.deep
def test_a_plan_is_downloaded_with_links_to_this_server(server: str, open_page: OpenPage) -> None:
    page = open_page(f"{server}/lessons")
    with page.expect_download() as saved:
        page.locator(".st-key-plan_class button").click()
    assert saved.value.suggested_filename == "class-plan.html"
    assert f"{server}/?lesson=class.2" in saved.value.path().read_text(encoding="utf-8")
