"""The stage reads each field of what it is told, and none that the description lacks."""

import json
from functools import partial
from pathlib import Path

from playwright.sync_api import Page, expect

from core import attention_program, toy_inputs
from core.attention.mistakes.hand_mistakes import KNOWN_MISTAKES
from stage.document.other_runs import mistaken
from tests.browser.conftest import OpenPage
from tests.browser.stage import choice, go_to_step, heard, told_ahead, tool
from tests.document_schema import SCHEMA, fields

WATCH = f"({Path(__file__).with_name('watch_told.js').read_text()})({json.dumps(SCHEMA)})"


def noted(page: Page, read: set[str]) -> None:
    """Adds the fields that were read; none was that has no description."""
    assert page.evaluate("unknownRead()") == []
    read.update(page.evaluate("fieldsRead()"))


def test_each_field_that_is_told_is_read_and_no_other(open_page: OpenPage) -> None:
    read: set[str] = set()
    opened = partial(open_page, script=WATCH)

    page = opened()
    for step in ("Q", "scores", "scaled", "masked", "weights", "context", "output"):
        go_to_step(page, step)
    tool(page, "Code").click()
    choice(page, "mask", "none").click()
    heard(page)
    told_ahead(page)
    noted(page, read)

    noted(opened("?step=weights&compare=scale"), read)
    page = opened("?present=1")
    page.keyboard.press("t")
    noted(page, read)

    trace = attention_program(heads=2).run(toy_inputs("The cat sat on the mat"))
    (first, *_) = mistaken(trace, KNOWN_MISTAKES)
    wrong = first["arrays"]["weights"].split(" ")[0]
    for link in ("?step=weights&cover=weights&cell=weights.0.0.0", "debug-lab?lab_cover=result"):
        page = opened(link)
        page.locator(".focus .cell.covered").first.click()
        page.get_by_label("The number that you worked out").fill(wrong)
        page.keyboard.press("Enter")
        expect(page.get_by_test_id("arithmetic")).to_contain_text(wrong)
        noted(page, read)

    page = opened("real-heads")
    expect(page.get_by_test_id("stage")).to_be_visible()
    heard(page)
    noted(page, read)
    assert fields() - read == set()
