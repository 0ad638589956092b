"""A matrix of the stage, copied as LaTeX: what is copied is what is shown."""

import pytest
from playwright.sync_api import Page, expect

from core.attention.setups import Setup
from core.program.numbers.display import shown_matrix
from stage import Shown
from stage.hosts.standalone import standalone
from tests.browser.conftest import OpenPage
from tests.browser.scripts import script_of
from tests.browser.stage import tool
from tests.sampling import some

TEXTS = [
    ("0.40", "0.40"), ("−1.20", "-1.20"), ("−∞", r"-\infty"), ("∞", r"\infty"),
    ("NaN", r"\mathrm{NaN}"), ("3e−7", r"3 \cdot 10^{-7}"), ("−1.5e12", r"-1.5 \cdot 10^{12}"),
    ("?", r"\text{?}"), ("0", "0"),
]  # fmt: skip

COPIED = """async () => {
  let text = "";
  while (!text) text = await navigator.clipboard.readText();
  return text;
}"""


def latex(rows: list[list[str]]) -> str:
    """Written here anew, from the core's texts."""
    lines = [" & ".join(text.replace("inf", r"\infty") for text in row) for row in rows]
    return "\\begin{bmatrix}\n" + " \\\\\n".join(lines) + "\n\\end{bmatrix}"


def test_each_text_of_a_cell_has_its_latex(empty: Page) -> None:
    empty.evaluate(script_of("copying.js", shown="matrixLatex"))
    one = empty.evaluate("rows => matrixLatex(rows)", [[shown for shown, _ in TEXTS]])
    expected = " & ".join(written for _, written in TEXTS)
    assert one == f"\\begin{{bmatrix}}\n{expected}\n\\end{{bmatrix}}"
    wide = empty.evaluate("rows => matrixLatex(rows)", [["1"] * 11])
    assert wide.startswith("\\left[\\begin{array}{" + "r" * 11 + "}\n")
    assert wide.endswith("\n\\end{array}\\right]")


def test_matrices_of_a_step_are_copied_as_they_are_shown(open_page: OpenPage) -> None:
    page = open_page("?step=masked&head=2", step="masked")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    trace = Setup().trace
    copy = tool(page, "Copy masked as LaTeX")
    copy.click()
    status = page.locator(".tools .said")
    expect(status).to_have_text("Copied masked as LaTeX.")
    told = page.evaluate("navigator.clipboard.readText()")
    assert told == latex(shown_matrix(trace, "masked", (1,)))
    assert r"-\infty" in told
    page.locator('[data-matrix="masked"][data-part="focus"] .cell').nth(1).evaluate(
        "cell => cell.classList.add('covered')"
    )
    page.evaluate("navigator.clipboard.writeText('')")
    copy.click()
    covered = latex(shown_matrix(trace, "masked", (1,))).replace(r"-\infty", r"\text{?}", 1)
    assert page.evaluate(COPIED) == covered
    page.locator('.strip .phase[data-step="scores"]').click()
    expect(status).to_have_text("")
    expect(tool(page, "Copy Kᵀ as LaTeX")).to_have_count(1)


@pytest.mark.deep
@pytest.mark.parametrize("host", some(["page", "notebook"], 2))
def test_where_there_is_no_clipboard_the_matrix_stands_selected(
    open_page: OpenPage, tmp_path_factory: pytest.TempPathFactory, host: str
) -> None:
    trace = Setup(text="a b").trace
    whole = standalone(trace, ("scores", (0, 1, 0)))
    cell = Shown(whole, 900)._repr_html_()
    path = tmp_path_factory.mktemp("copying") / f"{host}.html"
    path.write_text(whole if host == "page" else f"<!doctype html><body>{cell}", encoding="utf-8")
    forbid = "Object.defineProperty(navigator, 'clipboard', { value: undefined })"
    page = open_page(path.as_uri(), until=None, prepare=lambda page: page.add_init_script(forbid))
    where = page if host == "page" else page.frame_locator("iframe")
    tool(where, "Copy scores as LaTeX").click()
    field = where.get_by_role("textbox", name="scores as LaTeX, to copy by hand")
    text = latex(shown_matrix(trace, "scores", (0,)))
    expect(field).to_have_value(text)
    expect(field).to_be_focused()
    selected = "field => field.value.slice(field.selectionStart, field.selectionEnd)"
    assert field.evaluate(selected) == text
    expect(where.locator(".tools .said")).to_contain_text("your keyboard")
