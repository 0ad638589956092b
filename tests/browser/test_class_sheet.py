"""Sheets on paper: of a class that was held, and of a lesson, with as few pages as it needs."""

import csv
import re
from io import BytesIO, StringIO

import numpy as np
import pypdfium2
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage
from tests.browser.fonts import FONTS
from tests.browser.page import STANDS_OPEN, downloaded
from tests.browser.test_printing import joined, printed
from tests.quotes import proves
from ui.classroom.store.rooms import ANSWER, Rooms
from ui.lessons.printed_lesson import lesson_key, lesson_sheet
from ui.lessons.shelf import shipped

HIDDEN = "no, the mask hides it: 0 in the mask"
QUESTIONS = (
    *((f"?lesson=class.{scene}", given) for scene, given in (
        (2, ("3", "2", "4")), (3, ("1.15", "2", "1.73")), (4, (HIDDEN,)),
        (5, ("1/2", "3", "0.33")), (6, ("7", "18", "-1")), (7, ("1", "1.76")),
        (8, ("1", "1/4")), (9, ("43", "58", "24")),
    )),
    ("softmax?question=softmax-change.3", ("No weight changes", "The largest weight shrinks")),
    ("why-scale?question=aligned-score.1", ("12", "-3")),
)  # fmt: skip


def ten_questions(store: Rooms) -> tuple[str, str]:
    """A room in which ten questions had two votes each."""
    code, key = store.create()
    for n in range(12):
        store.join(code, f"s{n}")
    for number, (link, given) in enumerate(QUESTIONS, start=1):
        store.ask(code, key, link)
        for n in range(12):
            store.answer(code, number, f"s{n}", given[n % len(given)])
        store.close_vote(code, key)
        store.open_second_vote(code, key)
        for n in range(12):
            store.answer(code, number, f"s{n}", given[n % len(given) if n % 4 else 0])
        store.show(code, key, ANSWER)
    return code, key


def words_of(page: Page) -> str:
    """All that is printed, without spaces."""
    document = pypdfium2.PdfDocument(page.pdf(format="A4"))
    text = joined("".join(one.get_textpage().get_text_range() for one in document))
    document.close()
    return text


@proves("Print this page while the sheet is open: only the sheet is printed")
def test_a_sheet_of_ten_questions_is_one_page_no_more(store: Rooms, open_page: OpenPage) -> None:
    code, key = ten_questions(store)
    page = open_page(f"room?room={code}&key={key}")
    summary = page.locator("summary", has_text="The sheet")
    table = page.locator(".st-key-class_sheet")
    summary.click()
    expect(table.locator("table")).to_be_visible()
    page.wait_for_function(STANDS_OPEN, arg=summary.element_handle())
    expect(table.locator("td, th")).to_have_count(6 * 11)
    told = [joined(text) for text in table.locator("td, th").all_inner_texts()]
    assert len(printed(page)) == 1
    text = words_of(page)
    head, body = text.split("No.", 1)
    assert re.fullmatch(rf"Class{code}·\d{{4}}-\d\d-\d\d·A45-minuteclass", head)
    assert "window" not in text
    assert "Closetheroom" not in text
    assert key not in text
    numbers = [one for one in told if re.fullmatch(r"[−\d.,/]+", one)]
    assert [one for one in numbers if one not in body] == []
    assert body.count("Mostgiven:") == sum("Mostgiven:" in one for one in told) > 0

    page.get_by_text("The sheet", exact=True).click()
    expect(page.locator(".st-key-class_sheet table")).to_be_hidden()
    assert f"Class{code}:yourwindow" in words_of(page)


@pytest.mark.deep
def test_the_file_s_links_work_anywhere(server: str, store: Rooms, open_page: OpenPage) -> None:
    code, key = ten_questions(store)
    page = open_page(f"room?room={code}&key={key}")
    file = downloaded(page, page.get_by_role("button", name="Download the sheet (.csv)"))
    rows = [*csv.DictReader(StringIO(file.read_text(encoding="utf-8-sig")))]
    assert [row["Link"] for row in rows] == [f"{server}/{link}" for link, _ in QUESTIONS]
    page.goto(rows[-2]["Link"])
    expect(page.get_by_text("Ask the class")).to_be_visible()


CLASS = shipped("class")


def used(page: Page, paper: str) -> list[float]:
    """How far down each printed page has anything on it, as a part of its height."""
    document = pypdfium2.PdfDocument(BytesIO(page.pdf(format=paper)))
    parts = []
    for one in document:
        rows = np.flatnonzero((np.asarray(one.render().to_numpy()) < 128).any(axis=(1, 2)))
        parts.append(float(rows.max()) / one.render().height)
    document.close()
    return parts


@pytest.mark.parametrize("paper", ["A4", "Letter"])
@pytest.mark.parametrize("fonts", FONTS)
def test_the_sheet_is_two_full_pages_and_the_key_is_one(open_file: OpenPage, paper: str) -> None:
    sheet = used(open_file(lesson_sheet("class", CLASS)), paper)
    assert len(sheet) == 2
    assert min(sheet) > 0.5
    assert len(used(open_file(lesson_key("class", CLASS)), paper)) == 1
