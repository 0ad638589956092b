"""Every chapter in a real browser: a cold deep link, keys, both themes, a phone's width."""

import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import ROOT, ColdServer, OpenPage
from tests.browser.fonts import FONTS
from tests.browser.waiting import settle

CHAPTERS = (
    "dot-products", "queries-keys-values", "why-scale", "why-mask", "heads", "debug-lab",
)  # fmt: skip
WIDER = "document.querySelector('[data-testid=stMain]').scrollWidth - innerWidth"


def first_stage(page: Page) -> str:
    """The step of the page's first stage, once all of them stand there: they come in any order."""
    hosts = page.locator('[class*="st-key-"][class*="_stage"], .st-key-stage')
    stages = page.get_by_test_id("stage")
    expect(stages).to_have_count(hosts.count())
    stage = stages.first
    expect(stage.locator(".cell").first).to_be_attached()
    return str(stage.get_attribute("data-step"))


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_chapter_opens_from_its_link_and_follows_the_theme(
    server: str, open_page: OpenPage, chapter: str
) -> None:
    page = open_page(f"{server}/{chapter}", theme="light")
    paper = "getComputedStyle(document.querySelector('.stApp')).backgroundColor"
    light = page.evaluate(paper)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"light => {paper} !== light", arg=light)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.get_by_text("Page not found")).to_have_count(0)
    assert first_stage(page)
    expect(page.get_by_test_id("stAlert")).to_have_count(0)
    assert "?" not in page.url
    expect(page.get_by_text("In code")).to_be_visible()


def test_a_chapter_opened_directly_asks_for_nothing_that_is_not_there(
    server: str, open_page: OpenPage
) -> None:
    """It looks for the server under its own path first; the answer sends it on to the right one."""
    answers: dict[str, int] = {}
    sockets: list[str] = []

    def listen(page: Page) -> None:
        page.on("response", lambda answer: answers.update({answer.url: answer.status}))
        page.on("websocket", lambda socket: sockets.append(socket.url))

    page = open_page(f"{server}/heads", prepare=listen)
    assert first_stage(page)
    assert {url: status for url, status in answers.items() if status >= 400} == {}
    for asked in ("health", "host-config"):
        assert not 200 <= answers[f"{server}/heads/_stcore/{asked}"] < 300
        assert answers[f"{server}/_stcore/{asked}"] == 200
    assert [urlsplit(url).path for url in sockets] == ["/_stcore/stream"]


@pytest.mark.parametrize("fonts", FONTS)
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_chapter_fits_a_phone(server: str, open_page: OpenPage, chapter: str) -> None:
    page = open_page(f"{server}/{chapter}", width=390, height=844)
    assert first_stage(page)
    assert page.evaluate(WIDER) <= 0


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_chapter_is_worked_by_keys_and_its_view_is_in_the_link(
    server: str, open_page: OpenPage, chapter: str
) -> None:
    page = open_page(f"{server}/{chapter}")
    page.wait_for_load_state("networkidle")
    before = first_stage(page)
    stage = page.get_by_test_id("stage").first
    selected = stage.locator('[role="gridcell"][aria-selected="true"]').first
    title = stage.locator(".heading strong").inner_text()
    selected.press("PageDown" if stage.locator(".next").count() else "PageUp")
    expect(stage.locator(".heading strong")).not_to_have_text(title)
    settle(page)
    after = str(stage.get_attribute("data-step"))
    assert after != before
    expect(page).to_have_url(re.compile(rf"_step={after}"))
    again = open_page(page.url)
    expect(again.get_by_test_id("stage").first).to_have_attribute("data-step", after)


def test_a_chapter_opened_first_on_a_cold_server_has_its_navigation(
    cold_server: ColdServer, open_page: OpenPage
) -> None:
    page = open_page(f"{cold_server(ROOT)}/why-mask?mask_kind=blocks")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Why mask")
    expect(page.get_by_text("can be skipped").first).to_be_visible()
    expect(page.get_by_test_id("stTopNavSection")).to_have_count(2)


def test_page_down_moves_one_stage_of_several(server: str, open_page: OpenPage) -> None:
    page = open_page(f"{server}/why-mask")
    stages = page.get_by_test_id("stage")
    expect(stages).to_have_count(3)
    steps = [stage.get_attribute("data-step") for stage in stages.all()]
    stages.nth(1).locator('[role="gridcell"][aria-selected="true"]').press("PageDown")
    expect(stages.nth(1)).not_to_have_attribute("data-step", str(steps[1]))
    settle(page)
    assert [stages.nth(n).get_attribute("data-step") for n in (0, 2)] == [steps[0], steps[2]]


def test_a_gallery_mask_is_painted_and_shared(server: str, open_page: OpenPage) -> None:
    page = open_page(f"{server}/why-mask?mask_kind=draw&mask_gallery_step=masked")
    cell = page.locator('[data-part="focus"] [data-cell="mask.0.5"]').first
    cell.scroll_into_view_if_needed()
    cell.click()
    expect(page.get_by_text("37 of 64 cells")).to_be_visible()
    settle(page)
    expect(page).to_have_url(re.compile("mask_drawn=100001"))
