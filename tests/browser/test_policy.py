"""What the server's policy forbids, no page of it does.

A page that does it logs an error, and a test of any page fails of that (conftest.py). What pages
have in folds is opened in test_phone.py and test_zoom.py.
"""

from tests.browser.conftest import OpenPage


def test_what_is_not_the_servers_own_is_kept_out(open_page: OpenPage, errors: list[str]) -> None:
    """A script in a text, words that are run as one, and whatever is fetched elsewhere."""
    page = open_page("join")
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
