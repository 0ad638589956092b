"""What the last steps of the opening example show: the mixture, and the row before and after."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.boxes import box_of
from tests.browser.conftest import OpenPage
from tests.browser.stage import arithmetic, expect_step
from tests.sampling import some

SIZES = [(1366, 657), (1440, 900), (390, 844)]


def widths(page: Page) -> list[float]:
    found: list[float] = page.locator(".workings .bar").evaluate_all(
        "(bars) => bars.map((bar) => bar.getBoundingClientRect().width)"
    )
    return found


@pytest.mark.parametrize(("width", "height"), some(SIZES, 3, 2))
def test_value_rows_are_as_wide_as_their_weights_and_the_end_leads_to_real_heads(
    open_page: OpenPage, width: int, height: int
) -> None:
    page = open_page("?preset=river-bank&step=context", width=width, height=height)
    expect_step(page, "context")
    expect(page.locator(".workings .bar")).to_have_count(7)
    *parts, whole = widths(page)
    assert parts[4] == pytest.approx(0.79 * whole, abs=0.02 * whole)
    assert sum(parts) == pytest.approx(whole, abs=0.06 * whole)
    if width > 1000:  # the picture is in sight as it opens
        assert box_of(page.locator(".workings table")).bottom <= height
    page.keyboard.press("PageDown")
    expect_step(page, "output")
    expect(page.locator(".workings tr.total th")).to_have_text("after")
    room = page.locator(".workings").evaluate("(part) => part.clientWidth - part.scrollWidth")
    assert room >= 0, "all of its features are in sight"
    line = page.get_by_text("What it is for")
    expect(line).to_be_visible()
    expect(page.locator("p", has=line).get_by_role("link")).to_have_text(
        ["The block", "Real heads"]
    )
    page.keyboard.press("PageUp")
    expect(line).to_have_count(0)


def test_nothing_of_a_covered_row_is_drawn(open_page: OpenPage) -> None:
    for cover, step in some([("V", "context"), ("X", "output"), ("X.5", "output")], 3, 2):
        page = open_page(f"?preset=river-bank&step={step}&cover={cover}")
        expect_step(page, step)
        expect(page.locator('[data-part="focus"] [role=gridcell]').first).to_be_visible()
        expect(page.locator(".workings :is(.bar, td)")).to_have_count(0)


def test_the_card_says_what_a_number_is_covered_or_not(open_page: OpenPage) -> None:
    link = "preset=river-bank&step=scores&cell=scores.0.5.4&cover=scores"
    page = open_page(f"?{link}")
    for covered in (True, False):
        title = arithmetic(page).locator("h3")
        expect(title).to_contain_text("How well bank matches river")
        expect(title.locator(".cell-name")).to_contain_text("scores[bank, river]")
        expect(arithmetic(page)).to_have_attribute(
            "aria-label",
            "This number: How well bank matches river, scores[bank, river] of head 1 "
            "(which meaning?)",
        )
        shown = expect(arithmetic(page))
        (shown.not_to_contain_text if covered else shown.to_contain_text)("6.86")
        page.keyboard.press("u")
