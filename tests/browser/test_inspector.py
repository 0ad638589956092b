""" "This number": typeset by KaTeX, copied with one click, legible without either."""

import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from core import Trace, attention_program, explain, toy_inputs
from tests.browser.conftest import ROOT, ColdServer, OpenPage
from tests.browser.stage import arithmetic, expect_step
from ui.inspector import katex_module

CELL = (0, 2, 1)
NO_CLIPBOARD = "Object.defineProperty(navigator, 'clipboard', { value: undefined })"


@pytest.fixture(scope="module")
def trace() -> Trace:
    return attention_program(heads=2).run(toy_inputs("The cat sat on the mat", heads=2))


def copied(page: Page, form: str) -> str:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    arithmetic(page).get_by_role("button", name=f"Copy as {form}").click()
    expect(arithmetic(page).get_by_role("status")).to_have_text(f"Copied as {form}.")
    return str(page.evaluate("navigator.clipboard.readText()"))


def test_the_arithmetic_is_copied_as_latex_and_as_text(
    server: str, open_page: OpenPage, trace: Trace
) -> None:
    page = open_page(f"{server}/?step=scores&cell=scores.0.2.1")
    expect_step(page, "scores")
    explanation = explain(trace, "scores", CELL)
    assert copied(page, "text").splitlines() == explanation.plain
    latex = copied(page, "LaTeX")
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
    expect(field).to_be_focused()
    assert page.evaluate("getSelection().toString()") == text


def test_without_katex_the_lines_stand_there_as_text(
    server: str, open_page: OpenPage, trace: Trace
) -> None:
    def without_katex(page: Page) -> None:
        answer = {"body": "throw new Error('gone');", "content_type": "text/javascript"}
        page.route(f"**/{katex_module()}", lambda route: route.fulfill(**answer))

    page = open_page(f"{server}/?step=scores&cell=scores.0.2.1", prepare=without_katex)
    expect_step(page, "scores")
    explanation = explain(trace, "scores", CELL)
    expect(arithmetic(page).locator("pre")).to_have_text("\n".join(explanation.plain))
    expect(arithmetic(page)).to_contain_text(explanation.words)


BESIDE = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
import streamlit as st
from core import attention_program, explain, toy_inputs
from ui.inspector import inspector

trace = attention_program(heads=2).run(toy_inputs("Un café (naïve) 10^-7 a_b", heads=2))
for name in trace.program.names:
    explanation = explain(trace, name, (0,) * trace[name].ndim)
    inspector(explanation, key=f"ours_{{name}}")
    lines = r" \\\\ ".join(explanation.latex)
    with st.container(key=f"markdown_{{name}}"):
        st.markdown("$$\\n\\\\begin{{aligned}}" + lines + "\\\\end{{aligned}}\\n$$")
"""
BOXES = """(name) => [`ours_${name}`, `markdown_${name}`].map((key) => {
  const parts = [...document.querySelectorAll(`.st-key-${key} .katex-html *`)]
    .filter((part) => !part.children.length && part.textContent);
  const { left, top } = parts[0].getBoundingClientRect();
  return parts.map((part) => {
    const box = part.getBoundingClientRect();
    return [part.textContent, box.left - left, box.top - top, box.width, box.height];
  });
})"""


def test_it_is_typeset_as_streamlits_markdown_is(
    cold_server: ColdServer, open_page: OpenPage, trace: Trace, tmp_path: Path
) -> None:
    (tmp_path / "app.py").write_text(BESIDE)
    shutil.copytree(ROOT / ".streamlit", tmp_path / ".streamlit")
    page = open_page(cold_server(tmp_path))
    names = trace.program.names
    expect(page.locator(".katex-html")).to_have_count(2 * len(names))
    for name in names:
        ours, markdown = page.evaluate(BOXES, name)
        assert [part[0] for part in ours] == [part[0] for part in markdown]
        assert len(ours) > 1
        for here, there in zip(ours, markdown, strict=True):
            assert here[1:] == pytest.approx(there[1:], abs=1), (name, here, there)
