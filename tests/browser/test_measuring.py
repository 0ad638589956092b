"""Leaving the page that measures ends the measurement, in whatever way it is left."""

import os
import select
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic

import pytest
from playwright.sync_api import Page, expect

from core.pytorch.speed import SILENCE
from tests.browser.axe import broken
from tests.browser.conftest import ROOT, OpenPage, Serve
from tests.browser.page import fits, settle
from tests.browser.test_heartbeat import TURN
from tests.sampling import some

PATIENCE = 30
LATE = 2.0
"""Seconds that a busy machine may need beyond the silence."""
APP = """
import sys

sys.path.insert(0, {root!r})
import streamlit as st
from starlette.middleware import Middleware

from ui.page.first_paint import OwnHead
from ui.page.frame import act_on_page
from ui.measuring import measurement, running

# The process holds a pipe open for as long as it lives: its reader sees it end.
HELD = ["sh", "-c", 'exec 9>"$0"; exec "$@"', {fifo!r}, *running.COMMAND]


def measuring():
    act_on_page()
    state = st.session_state
    state.runs = state.get("runs", 0) + 1
    st.write(f"run {{state.runs}} of the page")
    running.COMMAND = [*HELD, *st.query_params.get("with", "").split()]
    measurement()


def elsewhere():
    st.write("This is elsewhere.")


if __name__ == "__main__":
    pages = [st.Page(measuring, default=True), st.Page(elsewhere, url_path="elsewhere")]
    page = st.navigation(pages, position="hidden")
    for each in pages:  # in the page, as the app's are: its style leaves Streamlit's bar no room
        st.page_link(each)
    page.run()
else:
    app = st.App(__file__, middleware=[Middleware(OwnHead)])
"""
ENDLESS = "--lengths+16+--rounds+1000000+--budget+1000"
PATIENT = "--silence+20"
"""Where it is not about leaving: on a busy machine a heartbeat may be late."""


class Alive:
    """Whether a measuring process lives, as the pipe that it holds open knows."""

    def __init__(self, fifo: Path) -> None:
        self.pipe = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)

    def ends(self, within: float) -> bool:
        return bool(select.select([self.pipe], [], [], within)[0])

    def ends_for_silence(self) -> None:
        """It ends within the silence, from now."""
        start = monotonic()
        assert self.ends(PATIENCE)
        assert monotonic() - start < SILENCE + LATE


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("measuring")
    os.mkfifo(made / "alive")
    (made / "app.py").write_text(APP.format(root=str(ROOT), fifo=str(made / "alive")))
    shutil.copytree(ROOT / ".streamlit", made / ".streamlit")
    return made


@pytest.fixture(scope="module")
def measuring(folder: Path, serve: Serve) -> Iterator[str]:
    """The address of a server with a page that measures and one that does not."""
    with serve(folder) as url:
        yield url


@pytest.fixture
def alive(folder: Path) -> Iterator[Alive]:
    made = Alive(folder / "alive")
    yield made
    assert made.ends(PATIENCE), "no test leaves a measurement behind"
    os.close(made.pipe)


def begin(page: Page, alive: Alive) -> None:
    """Press the button, and wait until it measures."""
    page.get_by_role("button", name="Measure on this server").click()
    expect(page.get_by_text("Measuring: T = 16,")).to_be_visible()
    assert not alive.ends(0)


def said_to_be_left(page: Page) -> None:
    silent = "for 2 s nothing was heard from this page"
    expect(page.get_by_text("Ended early (T = 16,")).to_contain_text(silent)
    expect(page.locator("p", has_text="Measured here:")).to_contain_text("At T = 16 the fused form")
    expect(page.get_by_role("button", name="Measure again")).to_be_visible()


def close(page: Page, alive: Alive) -> None:
    page.close()
    alive.ends_for_silence()


def hide(page: Page, alive: Alive) -> None:
    page.evaluate(TURN, "hidden")
    alive.ends_for_silence()
    expect(page.get_by_role("button", name="Stop")).to_be_visible()  # nobody looked
    page.evaluate(TURN, "visible")
    said_to_be_left(page)


def go_elsewhere(page: Page, alive: Alive) -> None:
    page.get_by_role("link", name="elsewhere").click()
    expect(page.get_by_text("This is elsewhere.")).to_be_visible()
    alive.ends_for_silence()
    page.get_by_role("link", name="measuring").click()
    said_to_be_left(page)


@pytest.mark.deep
@pytest.mark.parametrize("leave", some([hide, close, go_elsewhere], 3))
def test_leaving_the_page_ends_the_measurement_and_coming_back_tells(
    leave: Callable[[Page, Alive], None], measuring: str, alive: Alive, open_page: OpenPage
) -> None:
    page = open_page(f"{measuring}/?with={ENDLESS}", prepare=lambda page: None)
    begin(page, alive)
    leave(page, alive)


@pytest.mark.deep
def test_a_page_in_front_keeps_its_measurement_and_reruns_nothing_else(
    measuring: str, alive: Alive, open_page: OpenPage
) -> None:
    silence = 2 * SILENCE
    options = f"--lengths+16+--rounds+1000000+--silence+{silence}+--budget+{silence + 2}"
    page = open_page(f"{measuring}/?with={options}")
    runs = page.get_by_text("of the page").inner_text()
    begin(page, alive)
    start = monotonic()
    assert alive.ends(PATIENCE)
    assert monotonic() - start > silence
    expect(page.get_by_text("for measuring were over")).to_be_visible()
    expect(page.get_by_role("button", name="Measure again")).to_be_visible()
    settle(page)
    assert page.get_by_text("of the page").inner_text() == runs


@pytest.mark.deep
def test_who_waits_sees_the_place_begins_by_itself_when_others_leave_and_stops_at_once(
    measuring: str, alive: Alive, open_page: OpenPage
) -> None:
    url = f"{measuring}/?with={ENDLESS}+{PATIENT}"
    first, second = (open_page(url, prepare=lambda page: None) for _ in range(2))
    third = open_page(url)
    begin(first, alive)
    for page, place in ((second, 1), (third, 2)):
        page.get_by_role("button", name="Measure on this server").click()
        expect(page.get_by_text(f"You are number {place} in the queue.")).to_be_visible()
    second.close()
    expect(third.get_by_text("You are number 1 in the queue.")).to_be_visible()
    first.get_by_role("button", name="Stop").click()
    expect(first.get_by_text("Stopped (T = 16,")).to_be_visible()
    expect(third.get_by_text("Measuring: T = 16,")).to_be_visible()
    third.get_by_role("button", name="Stop").click()
    expect(third.get_by_text("Stopped (T = 16,")).to_be_visible()
    assert alive.ends(0)
    third.get_by_role("button", name="Measure again").click()
    expect(third.get_by_text("Measuring: T = 16,")).to_be_visible()
    third.get_by_role("button", name="Stop").click()
    assert alive.ends(PATIENCE)  # before the page is left: what is not heard then goes on


@pytest.mark.deep
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_fits_a_phone(theme: str, measuring: str, alive: Alive, open_page: OpenPage) -> None:
    options = f"--lengths+16+32+1024+--rounds+3+{PATIENT}"
    page = open_page(f"{measuring}/?with={options}", size=(390, 844), theme=theme)
    page.get_by_role("button", name="Measure on this server").click()
    expect(page.locator("p", has_text="Measured here:")).to_contain_text("At T = 1,024")
    expect(page.get_by_role("cell", name="1,024", exact=True)).to_be_visible()
    expect(page.locator(".js-plotly-plot .annotation-text")).to_have_count(3)
    fits(page, 390)
    # In the tests' wide font the table scrolls; Chromium lets the keyboard into what scrolls.
    assert broken(page).keys() <= {"scrollable-region-focusable"}
