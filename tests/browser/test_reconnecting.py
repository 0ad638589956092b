"""A page that outlives its session: page, stage and address agree, and nothing done is lost.

Streamlit keeps a lost connection's session for two minutes; here it is gone at once, or the server
is killed, or another replica takes over. Whatever is done then, in between or before it was
noticed, is seen; and a fresh load of the address shows the same.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import product

import pytest
from playwright.sync_api import Page, expect

from core.path import PATH
from tests.browser.conftest import ROOT, ColdServer, OpenPage, Serve, kill, restart
from tests.browser.lessons import way
from tests.browser.network import Network, network
from tests.browser.page import go_by_path, settle, type_in
from tests.browser.stage import choice, focus_cell
from tests.browser.test_arrows import grip
from tests.browser.test_attention_graph import board, node
from tests.browser.test_recursive_attention import drag, piece
from tests.sampling import DEEP

SHOWN = """() => {
  const boards = everywhere().filter((one) => one.dataset?.drawn || one.dataset?.forest);
  const stages = [...globalThis[Symbol.for("attention-stages")] || []];
  return JSON.stringify({
    address: location.pathname + [...new URLSearchParams(location.search)].map(String).sort(),
    stages: stages.map(({ run, at, options, covers: { cover }, compare, edits }) => (
      [run?.id, at, Object.entries(options).sort(), cover, compare, edits.length])),
    boards: boards.map(({ dataset }) => [dataset.drawn, dataset.forest, dataset.settled]),
    fields: [...document.querySelectorAll("input")].map(({ value }) => value),
    says: [...document.querySelectorAll("[data-testid=stMain] [data-testid=stMarkdownContainer]")]
      .filter((one) => !one.closest("button")).map(({ textContent }) => textContent),
  });
}"""
Act = Callable[[Page], object]
Lost = tuple[str, Network, Callable[[], object]]
"""The address of a page, the network before it, and what else is lost when that is cut."""


def does(act: Callable[..., object], *given: object) -> Act:
    return lambda page: act(page, *given)


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


def toggle(page: Page, control: str, value: str) -> None:
    choice(page, control, value).click()
    expect(choice(page, control, value)).to_have_attribute("aria-checked", "true")


def enter(page: Page, label: str, text: str) -> None:
    type_in(page.get_by_role("textbox", name=label).first, text)


def step_on(page: Page, key: str, step: str) -> None:
    page.keyboard.press(key)
    expect(page.get_by_test_id("stage")).to_have_attribute("data-step", step)


def edit(page: Page, cell: str, text: str) -> None:
    focus_cell(page, cell).dblclick()
    page.keyboard.type(text)
    page.keyboard.press("Enter")


def turn(page: Page, to: int) -> None:
    """The class goes on with a presenter's remote until that scene is asked for."""
    for _ in range(12):
        if f"lesson=class.{to}" in page.url:
            return
        page.keyboard.press("PageDown")
        page.evaluate("() => new Promise(requestAnimationFrame)")
    raise AssertionError(f"no scene {to}: {page.url}")


def follow(page: Page, scene: int) -> None:
    way(page).get_by_role("link", name=re.compile("^Next")).click()
    page.wait_for_url(f"**lesson=class.{scene}**")


def slide(page: Page, name: str) -> None:
    page.get_by_role("slider", name=name).press("ArrowRight")


def draw_edge(page: Page, source: int, target: int) -> None:
    board(page).get_by_role("button", name="to draw an edge").click()
    node(page, source).click()
    node(page, target).click()


def move(page: Page, name: str, key: str) -> None:
    grip(page, name).press(key)


TRIALS = {
    "a sentence": Trial(
        "/?step=weights", before=does(toggle, "mask", "none"),
        after=does(enter, "Sentence", "one two three"),
    ),
    "a sentence that nobody heard": Trial(
        "/?step=weights", before=does(enter, "Sentence", "a b"),
        unheard=does(enter, "Sentence", "one two three"),
    ),
    "a sentence of a chapter that nobody heard": Trial(
        "/one-query", unheard=does(enter, "Sentence", "one two three"),
    ),
    "a toggle": Trial(
        "/?step=weights", before=does(enter, "Sentence", "a b c d"),
        after=does(toggle, "mask", "none"),
    ),
    "a toggle that nobody heard": Trial(
        "/?step=weights", before=does(step_on, "PageUp", "masked"),
        unheard=does(toggle, "mask", "none"), after=does(enter, "Sentence", "red green blue"),
    ),
    "steps": Trial(
        "/?step=weights", before=does(toggle, "scale", "off"),
        meanwhile=does(step_on, "PageDown", "context"), after=does(step_on, "PageDown", "output"),
    ),
    "a toggle meanwhile": Trial("/queries-keys-values", meanwhile=does(toggle, "qkv_rung", "1")),
    "an edit": Trial(
        "/?step=Q", before=does(edit, "W_Q.0.1.0", "2"), meanwhile=does(edit, "W_Q.0.2.1", "1.5")
    ),
    "a scene": Trial("/?lesson=class.3", after=does(follow, 4)),
    "a scene meanwhile": Trial("/?lesson=class.3", meanwhile=does(follow, 4)),
    "projecting": Trial("/?lesson=class.4&present=1", meanwhile=does(turn, 5)),
    "projecting, after": Trial("/?lesson=class.4&present=1", after=does(turn, 5)),
    "a graph": Trial(
        "/attention-graph", before=does(draw_edge, 4, 1), meanwhile=does(draw_edge, 5, 2),
        after=does(enter, "Sentence", "one two three"),
    ),
    "a tree": Trial(
        "/recursive-attention",
        before=lambda page: piece(page, "((1 2) (3 4))").locator("> .head .apart").click(),
        meanwhile=does(drag, "(1 2)", "(3 4)"),
    ),
    "arrows": Trial(
        "/dot-products", before=does(move, "q", "ArrowUp"), meanwhile=does(move, "k", "ArrowLeft"),
        after=does(move, "q", "ArrowUp"),
    ),
    "a slider": Trial(
        "/softmax?softmax_2=2", before=does(slide, "Score of key 1"),
        after=does(slide, "Score of key 2"),
    ),
    "another page": Trial(
        "/softmax", before=does(slide, "Score of key 1"),
        after=does(go_by_path, PATH["queries_keys_values"].title),
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def forgetful(serve: Serve) -> Iterator[str]:
    with serve(ROOT, changed="forgetful") as url:
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


def agrees(page: Page, open_page: OpenPage) -> None:
    """Wait until the page shows what a fresh load of its address shows."""
    settled(page)
    fresh = open_page("about:blank", until=None, complains=True)
    for _ in range(40):
        url = page.url
        fresh.goto(url)
        settled(fresh)
        expected = fresh.evaluate(SHOWN)
        if page.evaluate(SHOWN) == expected and page.url == url:
            return
    assert page.evaluate(SHOWN) == expected


LOSSES = ("cut", "restarted", "other replica")
"""Nothing passes for longer than Streamlit keeps a session; or the server is killed, and another
one begins in its place; or another one is there."""


@contextmanager
def losing(loss: str, forgetful: str, cold_server: ColdServer) -> Iterator[Lost]:
    servers = [forgetful] if loss == "cut" else [cold_server(ROOT)]
    ways: dict[str, Callable[[str], object]]
    ways = {"cut": str, "restarted": restart, "other replica": kill}
    servers += [cold_server(ROOT)] if loss == "other replica" else []
    with network(*servers) as (url, net):
        yield url, net, partial(ways[loss], servers[0])


SHORT = [("cut", "projecting")]
LONG = list(product(LOSSES, TRIALS))


@pytest.mark.parametrize(("loss", "name"), LONG if DEEP else SHORT)
def test_a_page_that_outlives_its_session(
    open_page: OpenPage, forgetful: str, cold_server: ColdServer, loss: str, name: str
) -> None:
    trial = TRIALS[name]
    with losing(loss, forgetful, cold_server) as (url, net, lose):
        page = open_page(url + trial.address, complains=True)
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
        agrees(page, open_page)


def test_without_a_connection_a_page_says_so_and_works(server: str, open_page: OpenPage) -> None:
    """Streamlit's own dialog, for the person who started it, would shut off the page."""
    with network(server) as (url, net):
        page = open_page(f"{url}/?step=weights", complains=True)
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
        expect(page).to_have_url(re.compile("cell=weights.0.3.1"))


SHOWS_DIALOGS = """() => {
  globalThis.dialogs = 0;
  const count = () => { globalThis.dialogs += document.querySelectorAll("[role=dialog]").length; };
  new MutationObserver(count).observe(document.body, { childList: true, subtree: true });
}"""
