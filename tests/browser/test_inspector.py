""" "This number": typeset by KaTeX, copied with one click, legible without either."""

import pytest
from playwright.sync_api import Page, expect

from core import Trace, attention_program, explain, toy_inputs
from tests.browser.conftest import OpenPage
from tests.browser.stage import arithmetic, expect_step
from ui.inspector import katex_module

CELL = (0, 2, 1)
NO_CLIPBOARD = "Object.defineProperty(navigator, 'clipboard', { value: undefined })"


@pytest.fixture(scope="module")
def trace() -> Trace:
    return attention_program(heads=2).run(toy_inputs("The cat sat on the mat", heads=2))


def copied(page: Page, label: str) -> str:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    arithmetic(page).get_by_role("button", name=label).click()
    expect(arithmetic(page).get_by_role("status")).to_have_text("Copied.")
    return str(page.evaluate("navigator.clipboard.readText()"))


def test_the_arithmetic_is_copied_as_latex_and_as_text(
    server: str, open_page: OpenPage, trace: Trace
) -> None:
    page = open_page(f"{server}/?step=scores&cell=scores.0.2.1")
    expect_step(page, "scores")
    explanation = explain(trace, "scores", CELL)
    assert copied(page, "Copy as text").splitlines() == explanation.plain
    latex = copied(page, "Copy as LaTeX")
    assert latex.startswith(r"\begin{aligned}")
    assert all(line in latex for line in explanation.latex)


def test_without_a_clipboard_the_text_is_there_selected(
    server: str, open_page: OpenPage, trace: Trace
) -> None:
    page = open_page(
        f"{server}/?step=scores&cell=scores.0.2.1",
        prepare=lambda page: page.add_init_script(NO_CLIPBOARD),
    )
    expect_step(page, "scores")
    field = arithmetic(page).get_by_role("textbox")
    expect(field).to_have_count(0)
    arithmetic(page).get_by_role("button", name="Copy as text").click()
    text = "\n".join(explain(trace, "scores", CELL).plain)
    expect(field).to_have_value(text)
    assert page.evaluate("getSelection().toString()") == text


def test_without_katex_the_lines_stand_there_as_text(
    server: str, open_page: OpenPage, trace: Trace
) -> None:
    def without_katex(page: Page) -> None:
        answer = {"body": "export default null;", "content_type": "text/javascript"}
        page.route(f"**/{katex_module()}", lambda route: route.fulfill(**answer))

    page = open_page(f"{server}/?step=scores&cell=scores.0.2.1", prepare=without_katex)
    expect_step(page, "scores")
    explanation = explain(trace, "scores", CELL)
    expect(arithmetic(page).locator("pre")).to_have_text("\n".join(explanation.plain))
    expect(arithmetic(page)).to_contain_text(explanation.words)
