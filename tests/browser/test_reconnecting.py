"""A page that outlives its session: page, stage and address agree, and nothing done is lost.

Streamlit keeps a lost connection's session for two minutes; here it is gone at once, or the server
is killed, or another replica takes over. Whatever is done then, in between or before it was
noticed, is seen; and a fresh load of the address shows the same.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product

import pytest
from playwright.sync_api import Browser, Page, expect

from core.path import PATH
from tests.browser.conftest import FORGETFUL, ROOT, ColdServer, Serve, kill, restart
from tests.browser.lessons import way
from tests.browser.network import Network, network
from tests.browser.stage import choice, focus_cell
from tests.browser.test_arrows import grip
from tests.browser.test_attention_graph import board, node
from tests.browser.test_recursive_attention import drag, piece
from tests.browser.waiting import settle
from tests.browser.walking import go_by_path
from tests.sampling import DEEP

SHOWN = """() => {
  const within = (root) => [...root.querySelectorAll("*")].flatMap((one) => (
    [one, ...(one.shadowRoot ? within(one.shadowRoot) : [])]));
  const boards = within(document).filter((one) => one.dataset?.drawn || one.dataset?.forest);
  const stages = [...globalThis[Symbol.for("attention-stages")] || []];
  return JSON.stringify({
    address: location.pathname + [...new URLSearchParams(location.search)].map(String).sort(),
    stages: stages.map(({ run, at, options, cover, compare, acts }) => (
      [run?.id, at, Object.entries(options).sort(), cover, compare, acts.length])),
    boards: boards.map(({ dataset }) => [dataset.drawn, dataset.forest, dataset.settled]),
    fields: [...document.querySelectorAll("input")].map(({ value }) => value),
    says: [...document.querySelectorAll("[data-testid=stMain] [data-testid=stMarkdownContainer]")]
      .filter((one) => !one.closest("button")).map(({ textContent }) => textContent),
  });
}"""
Act = Callable[[Page], object]
Lost = tuple[str, Network, Callable[[], object]]
"""The address of a page, the network before it, and what else is lost when that is cut."""


def waits(page: Page) -> None:
    """Nobody does anything."""


@dataclass
class Trial:
    """A page, and what is done on it.

    Before its session is lost; when nobody hears it any more, and the page does not know; with no
    connection; and after.
    """

    address: str
    before: Act = waits
    unheard: Act = waits
    meanwhile: Act = waits
    after: Act = waits


def toggles(control: str, value: str) -> Act:
    def act(page: Page) -> None:
        choice(page, control, value).click()
        expect(choice(page, control, value)).to_have_attribute("aria-checked", "true")

    return act


def types(label: str, text: str) -> Act:
    def act(page: Page) -> None:
        field = page.get_by_role("textbox", name=label).first
        field.fill(text)
        field.press("Enter")

    return act


def steps(key: str, step: str) -> Act:
    def act(page: Page) -> None:
        page.keyboard.press(key)
        expect(page.get_by_test_id("stage")).to_have_attribute("data-step", step)

    return act


def edits(cell: str, text: str) -> Act:
    def act(page: Page) -> None:
        focus_cell(page, cell).dblclick()
        page.keyboard.type(text)
        page.keyboard.press("Enter")

    return act


def turns(to: int) -> Act:
    """The class goes on with a presenter's remote until that scene is asked for."""

    def act(page: Page) -> None:
        for _ in range(12):
            if f"lesson=class.{to}" in page.url:
                return
            page.keyboard.press("PageDown")
            page.evaluate("() => new Promise(requestAnimationFrame)")
        raise AssertionError(f"no scene {to}: {page.url}")

    return act


def follows(scene: int) -> Act:
    def act(page: Page) -> None:
        way(page).get_by_role("link", name=re.compile("^Next")).click()
        page.wait_for_url(f"**lesson=class.{scene}**")

    return act


def slides(name: str) -> Act:
    return lambda page: page.get_by_role("slider", name=name).press("ArrowRight")


def draws_edge(source: int, target: int) -> Act:
    def act(page: Page) -> None:
        board(page).get_by_role("button", name="to draw an edge").click()
        node(page, source).click()
        node(page, target).click()

    return act


def moves(name: str, key: str) -> Act:
    return lambda page: grip(page, name).press(key)


TRIALS = {
    "a sentence": Trial(
        "/?step=weights", before=toggles("mask", "none"),
        after=types("Sentence", "one two three"),
    ),
    "a sentence that nobody heard": Trial(
        "/?step=weights", before=types("Sentence", "a b"),
        unheard=types("Sentence", "one two three"),
    ),
    "a sentence of a chapter that nobody heard": Trial(
        "/one-query", unheard=types("Sentence", "one two three"),
    ),
    "a toggle": Trial(
        "/?step=weights", before=types("Sentence", "a b c d"), after=toggles("mask", "none")
    ),
    "a toggle that nobody heard": Trial(
        "/?step=weights", before=steps("PageUp", "masked"), unheard=toggles("mask", "none"),
        after=types("Sentence", "red green blue"),
    ),
    "steps": Trial(
        "/?step=weights", before=toggles("scale", "off"), meanwhile=steps("PageDown", "context"),
        after=steps("PageDown", "output"),
    ),
    "a toggle meanwhile": Trial("/queries-keys-values", meanwhile=toggles("qkv_rung", "1")),
    "an edit": Trial(
        "/?step=Q", before=edits("W_Q.0.1.0", "2"), meanwhile=edits("W_Q.0.2.1", "1.5")
    ),
    "a scene": Trial("/?lesson=class.3", after=follows(4)),
    "a scene meanwhile": Trial("/?lesson=class.3", meanwhile=follows(4)),
    "projecting": Trial("/?lesson=class.4&present=1", meanwhile=turns(5)),
    "projecting, after": Trial("/?lesson=class.4&present=1", after=turns(5)),
    "a graph": Trial(
        "/attention-graph", before=draws_edge(4, 1), meanwhile=draws_edge(5, 2),
        after=types("Sentence", "one two three"),
    ),
    "a tree": Trial(
        "/recursive-attention",
        before=lambda page: piece(page, "((1 2) (3 4))").locator("> .head .apart").click(),
        meanwhile=lambda page: drag(page, "(1 2)", "(3 4)"),
    ),
    "arrows": Trial(
        "/dot-products", before=moves("q", "ArrowUp"), meanwhile=moves("k", "ArrowLeft"),
        after=moves("q", "ArrowUp"),
    ),
    "a slider": Trial(
        "/softmax?softmax_2=2", before=slides("Score of key 1"), after=slides("Score of key 2")
    ),
    "another page": Trial(
        "/softmax", before=slides("Score of key 1"),
        after=lambda page: go_by_path(page, PATH["queries_keys_values"].title),
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def forgetful(serve: Serve) -> Iterator[str]:
    with serve(ROOT, script=FORGETFUL) as url:
        yield url


def connected(page: Page, still: bool = True) -> None:
    """Wait until the page knows that it is connected, or is not."""
    mark = '[data-test-connection-state="CONNECTED"]'
    page.locator(f'[data-testid="stApp"]{mark if still else f":not({mark})"}').wait_for()


HEARD = """() => {
  const stages = [...globalThis[Symbol.for("attention-stages")] || []];
  const idle = ({ run, answered, number }) => run && answered.number >= number;
  const noStage = location.pathname.endsWith("/dot-products"); // its stages are in folds
  return (noStage || stages.length) && stages.every(idle);
}"""


def settled(page: Page) -> None:
    """Wait until every stage has its numbers, and the server has answered all that was done."""
    page.wait_for_function(HEARD)
    settle(page)


def loads(chromium: Browser, url: str) -> Page:
    page = chromium.new_context(viewport={"width": 1440, "height": 900}).new_page()
    page.goto(url)
    settle(page)
    return page


def agrees(page: Page) -> None:
    """Wait until the page shows what a fresh load of its address shows."""
    assert page.context.browser
    settled(page)
    for _ in range(40):
        url = page.url
        fresh = loads(page.context.browser, url)
        settled(fresh)
        expected = fresh.evaluate(SHOWN)
        fresh.context.close()
        if page.evaluate(SHOWN) == expected and page.url == url:
            return
    assert page.evaluate(SHOWN) == expected


@contextmanager
def cut(forgetful: str, cold_server: ColdServer) -> Iterator[Lost]:
    """Nothing passes for longer than Streamlit keeps a session."""
    with network(forgetful) as (url, net):
        yield url, net, lambda: None


@contextmanager
def restarted(forgetful: str, cold_server: ColdServer) -> Iterator[Lost]:
    """The server is killed, and another one begins in its place."""
    server = cold_server(ROOT)
    with network(server) as (url, net):
        yield url, net, lambda: restart(server)


@contextmanager
def other_replica(forgetful: str, cold_server: ColdServer) -> Iterator[Lost]:
    """The server is killed, and another one is there."""
    first, second = cold_server(ROOT), cold_server(ROOT)
    with network(first, second) as (url, net):
        yield url, net, lambda: kill(first)


LOSSES = {"cut": cut, "restarted": restarted, "other replica": other_replica}
SHORT = [("cut", "projecting")]
LONG = list(product(LOSSES, TRIALS))


@pytest.mark.parametrize(("loss", "name"), LONG if DEEP else SHORT)
def test_a_page_that_outlives_its_session(
    chromium: Browser, forgetful: str, cold_server: ColdServer, loss: str, name: str
) -> None:
    trial = TRIALS[name]
    with LOSSES[loss](forgetful, cold_server) as (url, net, lose):
        page = loads(chromium, url + trial.address)
        settled(page)
        trial.before(page)
        settled(page)
        net.go_silent()
        trial.unheard(page)
        net.cut()
        lose()
        connected(page, False)
        trial.meanwhile(page)
        net.mend()
        connected(page)
        settled(page)
        trial.after(page)
        agrees(page)
        page.context.close()


def test_without_a_connection_the_page_says_so_and_can_be_used(
    chromium: Browser, server: str
) -> None:
    """Streamlit's own dialog, for the person who started it, would shut off the page."""
    with network(server) as (url, net):
        page = loads(chromium, f"{url}/?step=weights")
        settled(page)
        net.cut()
        note = page.get_by_text("Connection lost. What you do on the stage is kept")
        expect(note).to_be_visible()
        page.evaluate(SHOWS_DIALOGS)
        page.wait_for_function("() => globalThis.dialogs > 0", timeout=60_000)
        expect(page.get_by_role("dialog")).to_have_count(0)
        focus_cell(page, "weights.0.3.1").click()
        expect(focus_cell(page, "weights.0.3.1")).to_have_attribute("aria-selected", "true")
        net.mend()
        connected(page)
        expect(note).to_have_count(0)
        agrees(page)
        page.context.close()


SHOWS_DIALOGS = """() => {
  globalThis.dialogs = 0;
  const count = () => { globalThis.dialogs += document.querySelectorAll("[role=dialog]").length; };
  new MutationObserver(count).observe(document.body, { childList: true, subtree: true });
}"""
