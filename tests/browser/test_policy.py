"""What the server's policy forbids, no page of it does.

A page that does it logs an error, and a test of any page fails of that (conftest.py). Here is what
no other test opens: each page with all that it has in folds.
"""

import pytest

from core.path import PATH
from tests.browser.conftest import OpenPage
from tests.browser.waiting import settle
from ui.path import BESIDE, UNLISTED, address_of

NAMES = (*PATH, *BESIDE, *UNLISTED)
FOLDS = "details:not([open]) > summary"


@pytest.mark.deep
@pytest.mark.parametrize("name", NAMES)
def test_no_page_does_what_the_policy_forbids(server: str, open_page: OpenPage, name: str) -> None:
    page = open_page(f"{server}/{address_of(name)}")
    for fold in page.locator(FOLDS).element_handles():
        if fold.is_visible():
            fold.click()
    settle(page)


def test_the_policy_keeps_out_what_is_not_the_servers_own_and_that_is_an_error(
    server: str, open_page: OpenPage, errors: list[str]
) -> None:
    """A script in a text, words that are run as one, and whatever is fetched elsewhere."""
    page = open_page(f"{server}/join")
    page.evaluate("""() => {
      globalThis.broken = new Set();
      document.addEventListener("securitypolicyviolation", ({ effectiveDirective }) => {
        broken.add(effectiveDirective);
      });
      const script = document.createElement("script");
      script.textContent = "globalThis.ran = true";
      const [picture, button] = ["img", "b"].map((tag) => document.createElement(tag));
      picture.setAttribute("src", "https://evil.example/a");
      button.setAttribute("onclick", "globalThis.ran = 1");
      document.body.append(script, picture, button);
      button.click();
      return fetch("https://evil.example/").catch(() => {});
    }""")
    page.wait_for_function("() => broken.size >= 4")
    assert page.evaluate("globalThis.ran") is None
    directives = {"script-src-elem", "script-src-attr", "img-src", "connect-src"}
    assert set(page.evaluate("[...broken]")) == directives
    for directive in directives:
        assert any("Content Security Policy" in one and directive[:8] in one for one in errors)
    errors.clear()
