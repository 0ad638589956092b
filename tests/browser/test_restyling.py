"""What is put into a page is styled by itself: a chart measures each of its texts in this way."""

import json
from typing import Any

from playwright.sync_api import Page

from tests.browser.conftest import OpenPage
from tests.browser.page import fits

SIZES = ((1440, 900), (1366, 657), (1100, 600), (390, 844), (390, 640))
MEASURES_A_TEXT = """() => {
  const text = document.createElementNS("http://www.w3.org/2000/svg", "text");
  document.body.appendChild(document.createElementNS("http://www.w3.org/2000/svg", "svg"));
  document.body.lastChild.appendChild(text);
  document.body.getBoundingClientRect();
  performance.mark("begins");
  text.parentNode.removeChild(text);
  text.getBoundingClientRect();
  document.body.lastChild.appendChild(text).getBoundingClientRect();
  document.body.lastChild.remove();
}"""
MOST = 20
"""So many elements at most are styled anew, of some thousand."""


def test_a_text_that_is_measured_styles_nothing_else(open_page: OpenPage) -> None:
    page = open_page("softmax")
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        fits(page, width)
        styled = [
            one["args"]["elementCount"]
            for one in measured(page)
            if one["name"] == "UpdateLayoutTree" and "elementCount" in one.get("args", {})
        ]
        assert styled
        assert max(styled) <= MOST, f"{width}×{height}: {styled}"


def measured(page: Page) -> list[dict[str, Any]]:
    """What Chromium did from the mark on; a recording that set in too late for it is made again."""
    browser = page.context.browser
    assert browser
    for _ in range(5):
        browser.start_tracing(page=page, categories=["devtools.timeline", "blink.user_timing"])
        page.evaluate(MEASURES_A_TEXT)
        events = sorted(json.loads(browser.stop_tracing())["traceEvents"], key=lambda e: e["ts"])
        names = [event["name"] for event in events]
        if "begins" in names:
            return events[names.index("begins") :]
    raise AssertionError("five recordings without the mark")
