"""What the server's policy forbids, no page of it does."""

import pytest
from playwright.sync_api import Browser, Page

from core.path import PATH
from tests.browser.conftest import OpenPage
from tests.browser.waiting import settle
from tests.sampling import three
from ui.path import BESIDE, UNLISTED, address_of

NAMES = (*PATH, *BESIDE, *UNLISTED)
BROKEN = """() => {
  globalThis.broken = [];
  document.addEventListener("securitypolicyviolation", (event) => {
    broken.push([event.effectiveDirective, event.blockedURI, event.sample].join(" "));
  });
}"""
FOLDS = "details:not([open]) > summary"


def watch(page: Page) -> None:
    page.add_init_script(f"({BROKEN})()")


@pytest.mark.parametrize("name", three(NAMES, 3))
def test_no_page_does_what_the_policy_forbids(server: str, open_page: OpenPage, name: str) -> None:
    """With all that it has in folds, at the start and after a reload."""
    page = open_page(f"{server}/{address_of(name).removeprefix('./')}", prepare=watch)
    folds = page.locator(FOLDS)
    for fold in folds.element_handles():
        if fold.is_visible():
            fold.click()
    settle(page)
    assert page.evaluate("broken") == []


def test_the_policy_keeps_out_what_is_not_the_servers_own(server: str, chromium: Browser) -> None:
    """A script in a text, words that are run as one, and whatever is fetched elsewhere."""
    page = chromium.new_context().new_page()
    watch(page)
    page.goto(f"{server}/why-mask")
    settle(page)
    page.evaluate("""() => {
      const script = document.createElement("script");
      script.textContent = "globalThis.ran = true";
      const button = document.createElement("div");
      button.innerHTML = `<img src="https://evil.example/a"><b onclick="globalThis.ran = 1"></b>`;
      document.body.append(script, button);
      button.querySelector("b").click();
      return fetch("https://evil.example/").catch(() => {});
    }""")
    page.wait_for_function("() => broken.length >= 4")
    assert page.evaluate("globalThis.ran") is None
    directives = {text.split()[0] for text in page.evaluate("broken")}
    assert directives == {"script-src-elem", "script-src-attr", "img-src", "connect-src"}
    page.context.close()
