"""A slow way back: what is done before the server's answer has come counts as it was meant."""

import re
from collections.abc import Callable
from functools import partial

import pytest
from playwright.sync_api import Locator, Page, WebSocketRoute, expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from core.path import PATH
from tests.browser.conftest import OpenPage, stopped
from tests.browser.controls import example
from tests.browser.lessons import arrived, way
from tests.browser.stage import STAGE, choice, strip_phase
from tests.browser.waiting import settle
from tests.browser.walking import go_by_path
from ui.lessons.shelf import shipped

FRAMES = 3600
"""How long an answer may take: a minute's frames."""


def sentence(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Sentence")


def ends_a_run(message: str | bytes) -> bool:
    assert isinstance(message, bytes)
    return ForwardMsg.FromString(message).WhichOneof("type") == "script_finished"


def says_address(query: str, message: str | bytes) -> bool:
    assert isinstance(message, bytes)
    return query in ForwardMsg.FromString(message).page_info_changed.query_string


class SlowWayBack:
    """Holds what the server sends, from `hold` on; what is sent to it goes through."""

    def __init__(self) -> None:
        self.held: list[str | bytes] | None = None

    def on(self, page: Page) -> None:
        page.route_web_socket(re.compile("_stcore/stream"), self._between)

    def _between(self, browser: WebSocketRoute) -> None:
        def told(message: str | bytes) -> None:
            if self.held is None:
                browser.send(message)
            else:
                self.held.append(message)

        self.browser, server = browser, browser.connect_to_server()
        server.on_message(told)
        browser.on_message(server.send)

    def hold(self) -> None:
        self.held = []

    def answered(
        self, page: Page, times: int, what: Callable[[str | bytes], bool] = ends_a_run
    ) -> None:
        """Wait until so many messages of that kind have come since `hold`."""
        for _ in range(FRAMES):
            if len(list(filter(what, self.held or []))) >= times:
                return
            page.evaluate("() => new Promise(requestAnimationFrame)")  # lets messages come
        raise AssertionError("the server does not answer")

    def click_meanwhile(self, page: Page, what: Locator) -> None:
        """When the answer to what was done is made, and not here yet."""
        self.answered(page, 1)
        what.click()
        self.answered(page, 2)
        self.let_go()

    def let_go(self) -> None:
        held, self.held = self.held or [], None
        for message in held:
            self.browser.send(message)


@pytest.mark.deep
def test_an_example_that_is_chosen_stays_chosen_whatever_is_done_on_the_stage_at_once(
    server: str, open_page: OpenPage
) -> None:
    slow = SlowWayBack()
    page = open_page(f"{server}/?preset=P3&step=weights", prepare=slow.on)
    choice(page, "mask", "none").click()
    expect(page.get_by_text("You have changed the mask of the example.")).to_be_visible()
    settle(page)
    chosen = example(page, "P1")
    expect(chosen).to_be_visible()
    settle(page)
    slow.hold()
    chosen.click()
    slow.click_meanwhile(page, choice(page, "cover", "result"))
    expect(sentence(page)).to_have_value("1 2 3")
    expect(page.locator(".focus .cell.covered")).not_to_have_count(0)
    expect(page).to_have_url(re.compile(r"\?preset=P1&step=weights&cover=result$"))
    expect(page.get_by_text("This is no longer the example")).to_have_count(0)


@pytest.mark.deep
def test_so_does_one_that_is_left_and_gone_back_to(server: str, open_page: OpenPage) -> None:
    slow = SlowWayBack()
    page = open_page(f"{server}/?preset=P1&step=weights", prepare=slow.on)
    sentence(page).fill("red green blue")
    sentence(page).press("Enter")
    page.wait_for_url("**text=red+green+blue**")
    settle(page)
    slow.hold()
    page.get_by_role("button", name="Back to the example").click()
    slow.click_meanwhile(page, choice(page, "cover", "result"))
    expect(sentence(page)).to_have_value("1 2 3")
    expect(page).to_have_url(re.compile(r"\?step=weights&preset=P1&cover=result$"))


@pytest.mark.deep
def test_an_example_that_is_left_for_ones_own_sentence_stays_left(
    server: str, open_page: OpenPage
) -> None:
    slow = SlowWayBack()
    page = open_page(f"{server}/?text=red+green&preset=P4&step=weights", prepare=slow.on)
    settle(page)
    slow.hold()
    page.get_by_role("button", name="Back to my sentence").click()
    slow.click_meanwhile(page, choice(page, "mask", "none"))
    expect(sentence(page)).to_have_value("red green")
    expect(page.locator(".story strong")).to_have_count(0)
    expect(page).to_have_url(re.compile(r"\?text=red\+green&step=weights.*mask=none"))


@pytest.mark.deep
def test_words_that_are_typed_stay_whatever_is_done_on_the_stage_at_once(
    server: str, open_page: OpenPage
) -> None:
    slow = SlowWayBack()
    page = open_page(f"{server}/?text=red+green&step=weights", prepare=slow.on)
    settle(page)
    slow.hold()
    sentence(page).fill("one two three four")
    sentence(page).press("Enter")
    slow.click_meanwhile(page, choice(page, "mask", "none"))
    expect(page.locator(".focus .cell")).not_to_have_count(0)
    expect(sentence(page)).to_have_value("one two three four")
    expect(choice(page, "mask", "none")).to_have_attribute("aria-checked", "true")
    page.wait_for_url("**text=one+two+three+four**mask=none**")


@pytest.mark.deep
def test_two_words_are_written_by_two_clicks(server: str, open_page: OpenPage) -> None:
    slow = SlowWayBack()
    page = open_page(f"{server}/block?block_part=model", prepare=slow.on)
    prompt = page.get_by_role("textbox", name="Prompt")
    write = page.get_by_role("button", name="Write the next word")
    expect(prompt).to_have_value("a cat saw a")
    settle(page)
    slow.hold()
    write.click()
    slow.click_meanwhile(page, write)
    expect(prompt).to_have_value("a cat saw a cat saw")


@pytest.mark.deep
def test_an_answer_of_the_scene_before_takes_no_scene_back(
    server: str, open_page: OpenPage
) -> None:
    """It says which address its run had. What is told from there on is of the scene before, too."""
    slow, scenes = SlowWayBack(), shipped("from-nothing").scenes
    page = open_page(f"{server}/?lesson=from-nothing.8", prepare=slow.on)
    arrived(page, 8, len(scenes))
    slow.hold()
    choice(page, "mask", "none").click()
    slow.answered(page, 1, partial(says_address, "mask=none"))
    with stopped(server):
        way(page).get_by_role("link", name=re.compile("^Next")).click()
        slow.let_go()
        page.wait_for_url("**mask=none**")
        page.locator(strip_phase("scores")).first.click()
        page.wait_for_function(f"() => !{STAGE}.unsent")
    arrived(page, 9, len(scenes))
    expect(page.get_by_test_id("stage")).to_have_attribute("data-step", "weights")
    expect(choice(page, "mask", "causal")).to_have_attribute("aria-checked", "true")
    expect(page).to_have_url(f"{server}/?lesson=from-nothing.9")


@pytest.mark.deep
def test_an_answer_of_the_page_before_leaves_nothing_in_the_address(
    server: str, open_page: OpenPage
) -> None:
    slow = SlowWayBack()
    page = open_page(f"{server}/softmax", prepare=slow.on)
    settle(page)
    slow.hold()
    page.get_by_role("slider", name="Key 1").press("ArrowRight")
    slow.answered(page, 1, partial(says_address, "softmax_1="))
    go_by_path(page, PATH["dot_products"].title)
    slow.answered(page, 2)
    slow.let_go()
    expect(page.locator("h1")).to_contain_text("Dot products")
    settle(page)
    expect(page).to_have_url(f"{server}/dot-products")
