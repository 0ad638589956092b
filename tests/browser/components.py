"""Components alone, in a page that holds nothing else: what they draw, keep and tell, by tables."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Page

from core.texts.text_file import Plain, TextFile
from stage.assets import module
from tests.browser.conftest import ROOT

Step = tuple[str | int, str, object]
"""What is done, by a script or by so many milliseconds; what is asked then; and the answer."""
ADDRESS = "http://components.test/"
ABOUT = """
  globalThis.all = (what) => [...place.querySelectorAll(what)];
  globalThis.texts = (what) => all(what).map(({ textContent }) => textContent);
  globalThis.attrs = (what, name) => all(what).map((one) => one.getAttribute(name));
  globalThis.press = (what, at = 0) => all(what).at(at).click();
  globalThis.here = () => {
    const { activeElement } = place.getRootNode();
    return activeElement?.dataset;
  };
  globalThis.key = (key, what) => (what ? all(what)[0] : place.getRootNode().activeElement)
    .dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, composed: true, cancelable: true }));
  globalThis.point = (what, kind = "pointerdown", at = [0, 0]) => all(what)[0].dispatchEvent(
    new PointerEvent(kind, { bubbles: true, composed: true, clientX: at[0], clientY: at[1] }));
  globalThis.tap = (what) => { point(what); point(what, "pointerup"); };
  globalThis.numbers = (text) => text.match(/-?\\d+(\\.\\d+)?/g).map(Number);
  globalThis.ends = (path) => {
    const at = (length) => { const { x, y } = path.getPointAtLength(length); return [x, y].map(Math.round); };
    return [at(0), at(path.getTotalLength())];
  };
"""
LOAD = """async ([source, around]) => {
  const made = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  const { default: show } = await import(made);
  document.body.innerHTML = around;
  const root = document.querySelector("[data-shadow]")?.attachShadow({ mode: "open" }) ?? document.body;
  globalThis.place = root.appendChild(document.createElement("div"));
  globalThis.told = [];
  let heard = 0, data = {};
  const send = (name, { visit, number, ...event }) => {
    heard = number;
    told.push([name, event]);
  };
  globalThis.news = () => told.splice(0);
  globalThis.late = (given) => draw(given, heard - 1); // an answer to what was told before the last
  globalThis.draw = (given, answered = heard) => {
    const isPart = given?.constructor === Object;
    data = isPart ? { visit: "now", ...data, ...given, heard: answered } : given;
    show({ data: [data], parentElement: place, setStateValue: send });
  };
}"""
DO = "([does, asks]) => { (0, eval)(does); return (0, eval)(asks); }"


@dataclass(frozen=True)
class Component:
    """A component's scripts below ui/, and what its page has around its place."""

    scripts: Sequence[str | Path]
    around: str = ""
    texts: TextFile[Plain] | None = None

    def loaded(self, page: Page) -> None:
        self.load_source(page, module(*(ROOT / "ui" / one for one in self.scripts), texts=self.texts))

    def load_source(self, page: Page, source: str) -> None:
        page.evaluate(LOAD, [source, self.around])


def blank(page: Page) -> None:
    """A page of an address, so that it may keep something, with a clock that a test turns."""
    page.clock.install(time=0)
    page.route(ADDRESS, lambda route: route.fulfill(body="<!doctype html>", content_type="text/html"))
    page.goto(ADDRESS)
    page.clock.pause_at(1)
    page.evaluate(f"() => {{{ABOUT}}}")


def done(page: Page, steps: Sequence[Step]) -> None:
    """Each step does what it says."""
    for number, (does, asks, answer) in enumerate(steps):
        if isinstance(does, int):
            page.clock.run_for(does)
        found = page.evaluate(DO, ["" if isinstance(does, int) else does, asks])
        assert [number, asks, found] == [number, asks, answer]
