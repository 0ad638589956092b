"""A notebook that shows a run, saved and turned into a page by nbconvert, with no network."""

import re
from pathlib import Path

import nbformat
from nbconvert import HTMLExporter
from playwright.sync_api import Page, expect

from core import attention_program, explain, toy_inputs
from core.program.numbers.display import shown_matrix
from core.program.numbers.rounding import typeset
from stage import show
from tests.browser.conftest import OpenPage

TEXT = "<b> &amp; $x"


def test_a_saved_notebook_still_shows_the_stage(open_page: OpenPage, tmp_path: Path) -> None:
    trace = attention_program().run(toy_inputs(TEXT, d_model=4))
    data = {"text/html": show(trace)._repr_html_(), "text/plain": "Shown(…)"}
    cell = nbformat.v4.new_code_cell(
        "show(trace)",
        execution_count=1,
        outputs=[nbformat.v4.new_output("execute_result", data, execution_count=1)],
    )
    language = {"language_info": {"name": "python", "pygments_lexer": "python3"}}
    saved = nbformat.writes(nbformat.v4.new_notebook(cells=[cell], metadata=language))
    page_of, _ = HTMLExporter().from_notebook_node(nbformat.reads(saved, as_version=4))
    path = tmp_path / "notebook.html"
    path.write_text(page_of, encoding="utf-8")
    asked: list[str] = []

    def alone(page: Page) -> None:
        page.context.set_offline(True)
        # nbconvert's own page asks for MathJax and require.js: they stay away, and quietly.
        page.route(re.compile("^https?:"), lambda route: route.fulfill(body=""))
        page.on("request", lambda it: asked.append(it.url) if it.frame.parent_frame else None)

    page = open_page(path.as_uri(), until=None, prepare=alone)
    frame = page.frame_locator("iframe")
    frame.locator('.strip .phase[data-step="weights"]').click()
    expect(frame.get_by_test_id("stage")).to_have_attribute("data-step", "weights")
    numbers = frame.locator('[data-part="focus"][data-matrix="weights"] .number')
    rows = shown_matrix(trace, "weights", (0,))
    expect(numbers).to_have_text([typeset(text) for row in rows for text in row])
    frame.locator('[data-part="focus"] [data-cell="weights.0.3.1"]').click()
    told = explain(trace, "weights", (0, 3, 1))
    expect(frame.get_by_test_id("arithmetic")).to_contain_text(told.title)
    maths = frame.get_by_role("img", name="; ".join(told.plain), exact=True)
    expect(maths).to_be_visible()
    assert all(url.startswith(("about:", "data:", "blob:")) for url in asked), asked
