"""A lesson's sheet on paper: eight tasks on two pages, none of them half empty."""

from io import BytesIO

import numpy as np
import pypdfium2
import pytest
from playwright.sync_api import Page

from tests.browser.conftest import BrowserWith
from tests.browser.fonts import FONTS
from ui.lessons.printed_lesson import lesson_key, lesson_sheet
from ui.lessons.shelf import shipped

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
@pytest.mark.parametrize("font", FONTS)
def test_the_sheet_is_two_full_pages_and_the_key_is_one(
    browser_with: BrowserWith, paper: str, font: str
) -> None:
    page = browser_with(font).new_page()
    page.set_content(lesson_sheet("class", CLASS))
    sheet = used(page, paper)
    assert len(sheet) == 2
    assert min(sheet) > 0.5
    page.set_content(lesson_key("class", CLASS))
    assert len(used(page, paper)) == 1
    page.close()
