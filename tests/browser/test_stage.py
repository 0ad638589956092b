"""The stage in a real browser: pointing, clicking, keys, painting, playing."""

import re
from pathlib import Path
from unicodedata import normalize
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Browser, Page, expect

from core import explain
from core.program.numbers.display import shown
from core.program.numbers.rounding import typeset
from stage.hosts.component import FONT, font_script
from tests.browser.conftest import OpenPage
from tests.browser.fonts import ADVANCES, FONTS, in_fonts
from tests.browser.page import box_of, downloaded, fits, settle
from tests.browser.stage import (
    arithmetic,
    cells_of,
    choice,
    expect_selected,
    expect_step,
    focus_cell,
    go_to_step,
    marked,
    numbers,
    told_ahead,
    tool,
    untouched,
)
from tests.sampling import some, three

SVG = "{http://www.w3.org/2000/svg}"


def test_a_score_is_pointed_at_without_the_server_and_leads_to_steps(open_page: OpenPage) -> None:
    """Miniatures and the formula go to a step; the mask is seen there."""
    sent: list[object] = []
    page = open_page("?step=scores", sent=sent, step="scores")
    assert marked(page, "here") == {"scores.0.2.1"}
    assert marked(page, "source") == cells_of(untouched().sources("scores", (0, 2, 1)), "Q", "K")
    expect(arithmetic(page)).to_contain_text("scores[sat, cat]")
    told_ahead(page)
    sent.clear()
    for cell in ((0, 4, 2), (0, 5, 0), (0, 1, 1)):
        name = ".".join(["scores", *map(str, cell)])
        focus_cell(page, name).hover()
        expect(focus_cell(page, name)).to_contain_class("here")
        assert marked(page, "source") == cells_of(untouched().sources("scores", cell), "Q", "K")
        assert marked(page, "use", "strip") == cells_of(untouched().uses("scores", cell), "scaled")
    near = {"focus source", "focus use"}
    strips = {f"strip {kind}{end}" for kind in ("source", "use") for end in ("", "-far")}
    frames_sources_in_orange_and_uses_in_teal(page, "scores.0.4.2", "Q.0.4.1", where=near | strips)
    assert not sent
    arrow_keys_move_selection_and_arithmetic(page)
    shows_the_arithmetic_of_a_cell_that_is_clicked(page)
    stays_on_the_step_when_an_operand_is_clicked(page)
    go_to_step(page, "weights")
    hatches_masked_cells_which_never_look_like_zero(page)
    for step in ("scaled", "X", "output"):
        page.locator(".formula .line").click()
        page.locator(f'.formula button[data-step="{step}"]').click()
        expect_step(page, step)
    lights_no_future_token_of_an_output(page)


def test_what_is_further_away_has_the_same_two_colours(open_page: OpenPage) -> None:
    page = open_page("softmax")
    go_to_step(page, "weights")
    far = {"focus source-far", "focus use-far"}
    frames_sources_in_orange_and_uses_in_teal(page, "weights.0.0.0", "raised.0.0.0", where=far)


FRAMES = """stage => ["source", "source-far", "use", "use-far"].flatMap((kind) => (
  [...stage.querySelectorAll(`:is(.focus, .strip) .cell.${kind}`)].map((cell) => {
    const { part } = cell.closest("[data-part]").dataset, style = getComputedStyle(cell);
    const [colour, line] = part === "focus"
      ? [style.outlineColor, style.outlineStyle] : [style.boxShadow, ""];
    const [red, , blue] = colour.match(/[0-9]+/g);
    return [part, kind, red - blue > 30 ? "orange" : "teal", line];
  })
))"""


def frames_sources_in_orange_and_uses_in_teal(page: Page, *cells: str, where: set[str]) -> None:
    """Solid and dashed too, where the cells are large."""
    found: set[tuple[str, ...]] = set()
    for cell in cells:
        focus_cell(page, cell).hover()
        expect(focus_cell(page, cell)).to_contain_class("here")
        found |= {tuple(one) for one in page.get_by_test_id("stage").evaluate(FRAMES)}
    looks = {"source": ("orange", "solid"), "use": ("teal", "dashed")}
    assert {f"{part} {kind}" for part, kind, *_ in found} >= where
    for part, kind, *look in found:
        colour, line = looks[kind.removesuffix("-far")]
        assert look == [colour, line if part == "focus" else ""], (part, kind)


def arrow_keys_move_selection_and_arithmetic(page: Page) -> None:
    spoken = "scores, query sat, key cat, minus 0.31"
    expect(focus_cell(page, "scores.0.2.1")).to_have_attribute("aria-label", spoken)
    focus_cell(page, "scores.0.2.1").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    expect_selected(page, "scores.0.3.2")
    expect(arithmetic(page)).to_contain_text("scores[on, sat]")
    expect(focus_cell(page, "scores.0.3.2")).to_be_focused()


def shows_the_arithmetic_of_a_cell_that_is_clicked(page: Page) -> None:
    focus_cell(page, "scores.0.4.3").click()
    expect_selected(page, "scores.0.4.3")
    explanation = explain(untouched(), "scores", (0, 4, 3))
    expect(arithmetic(page)).to_contain_text(explanation.title)
    result = typeset(shown(untouched(), "scores", (0, 4, 3)))
    expect(arithmetic(page).locator("math").last).to_contain_text(result)
    assert "cell=scores.0.4.3" in page.url


def stays_on_the_step_when_an_operand_is_clicked(page: Page) -> None:
    focus_cell(page, "K.0.4.2").click()
    expect_selected(page, "K.0.4.2")
    expect_step(page, "scores")
    expect(arithmetic(page)).to_contain_text(explain(untouched(), "K", (0, 4, 2)).title)


def hatches_masked_cells_which_never_look_like_zero(page: Page) -> None:
    for name, text in (("masked.0.1.4", "−∞"), ("weights.0.1.4", "0")):
        cell = focus_cell(page, name)
        expect(cell).to_contain_class("masked")
        expect(cell).to_have_text(text)
        background = cell.evaluate("cell => getComputedStyle(cell).backgroundImage")
        assert "repeating-linear-gradient" in background
    expect(focus_cell(page, "weights.0.4.1")).not_to_contain_class("masked")


def lights_no_future_token_of_an_output(page: Page) -> None:
    focus_cell(page, "output.2.3").hover()
    expect(focus_cell(page, "output.2.3")).to_contain_class("here")
    lit = marked(page, "source-far", "strip") | marked(page, "source", "strip")
    rows = {int(cell.split(".")[1]) for cell in lit if cell.startswith("X.")}
    assert rows == {0, 1, 2}
    keys = {int(cell.split(".")[2]) for cell in lit if cell.startswith(("K.", "V."))}
    assert keys == {0, 1, 2}


@pytest.mark.deep
def test_nan_has_a_look_of_its_own_and_special_numbers_are_read_aloud(open_page: OpenPage) -> None:
    page = open_page("debug-lab?lab_case=10&lab_told=yes", step="weights")
    row = {f"weights.0.0.{j}" for j in range(6)}
    assert marked(page, "nan") == row
    assert marked(page, "nan", "strip") > row
    assert marked(page, "source") == {f"masked.0.0.{j}" for j in range(6)}
    label = "weights, query The, key cat, not a number, was 0"
    expect(focus_cell(page, "weights.0.0.1")).to_have_attribute("aria-label", label)
    label = "weights, query cat, key The, 0, hidden by the mask"
    expect(focus_cell(page, "weights.0.1.0")).to_have_attribute("aria-label", label)
    assert "nan" not in page.locator("body").inner_text()
    small = focus_cell(open_page("?preset=P5-previous&step=weights"), "weights.0.2.0")
    expect(small).to_have_text("2e−9")
    label = "weights, query t, key L, 2 times 10 to the minus 9"
    expect(small).to_have_attribute("aria-label", label)


def test_typing_into_a_cell_edits_a_matrix_unless_it_is_no_number(open_page: OpenPage) -> None:
    page = open_page("?step=Q&cell=W_Q.0.0.0", step="Q")
    before = numbers(page, "Q")
    focus_cell(page, "W_Q.0.0.0").focus()
    page.keyboard.press("F2")
    page.keyboard.type("1e308")
    page.keyboard.press("Enter")
    refused = page.get_by_test_id("stage").get_by_role("alert")
    expect(refused).to_contain_text("W_Q[1, 1] of head 1 stays as it was")
    expect(refused).to_contain_text("1e308")
    assert numbers(page, "Q") == before
    told_ahead(page)  # a rerun that nobody asked for
    expect(refused).to_contain_text("1e308")
    edits_the_matrix_and_undo_takes_it_back(page)


def edits_the_matrix_and_undo_takes_it_back(page: Page) -> None:
    before = {name: numbers(page, name) for name in ("Q", "K", "V", "W_Q")}
    focus_cell(page, "W_Q.0.0.0").focus()
    page.keyboard.type("1.5")
    page.keyboard.press("Enter")
    expect(focus_cell(page, "W_Q.0.0.0")).to_have_text("1.50")
    settle(page)
    after = {name: numbers(page, name) for name in before}
    assert after["K"] == before["K"]
    assert after["V"] == before["V"]
    changed = [n for n, (a, b) in enumerate(zip(before["Q"], after["Q"], strict=True)) if a != b]
    assert changed
    assert all(n % 4 == 0 for n in changed)
    assert "m=" in page.url
    page.get_by_role("button", name="Undo").click()
    expect(focus_cell(page, "W_Q.0.0.0")).to_have_text("0.00")
    settle(page)
    assert {name: numbers(page, name) for name in before} == before


def test_a_custom_mask_is_painted_by_dragging(open_page: OpenPage) -> None:
    page = open_page("?mask=custom&step=masked", step="masked")
    expect(focus_cell(page, "mask.0.2")).to_contain_class("masked")
    focus_cell(page, "mask.0.2").hover()
    page.mouse.down()
    focus_cell(page, "mask.0.3").hover()
    page.mouse.up()
    for cell in ("mask.0.2", "mask.0.3", "masked.0.0.2"):
        expect(focus_cell(page, cell)).not_to_contain_class("masked")
    expect(focus_cell(page, "mask.0.4")).to_contain_class("masked")
    settle(page)
    drawn_by_a_finger(page, "mask.1.3", "mask.1.4", "mask.1.5")
    for cell in ("mask.1.3", "mask.1.4", "mask.1.5"):
        expect(focus_cell(page, cell)).not_to_contain_class("masked")


def drawn_by_a_finger(page: Page, *cells: str) -> None:
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
    for kind, cell in (("touchStart", cells[0]), *(("touchMove", cell) for cell in cells)):
        point = dict(zip("xy", box_of(focus_cell(page, cell)).middle, strict=True))
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [point]})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    session.send("Emulation.setTouchEmulationEnabled", {"enabled": False})
    session.detach()


def test_play_walks_rows_with_their_arithmetic_and_into_the_next_step(open_page: OpenPage) -> None:
    page = open_page("?text=red+green&cell=scores.0.0.0")
    page.get_by_role("button", name="Play").click()
    expect(focus_cell(page, "scores.0.1.0")).to_contain_class("here")
    expect(page.get_by_test_id("arithmetic")).to_contain_text("scores[green, red]")
    expect_step(page, "scaled")
    expect(focus_cell(page, "scaled.0.0.0")).to_contain_class("here")
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    expect(page.get_by_test_id("arithmetic")).to_contain_text("scaled[")


@pytest.mark.deep
def test_play_ends_at_the_last_row_of_the_last_step(open_page: OpenPage) -> None:
    page = open_page("?text=red+green&step=output&cell=output.0.2")
    page.get_by_role("button", name="Play").click()
    expect_selected(page, "output.1.2")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    expect_selected(page, "output.1.2")


@pytest.mark.deep
def test_with_reduced_motion_play_takes_one_step_a_press(open_page: OpenPage) -> None:
    page = open_page("?cell=scores.0.0.1", reduced_motion="reduce")
    page.get_by_role("button", name="Play").click()
    expect(focus_cell(page, "scores.0.1.1")).to_contain_class("here")
    expect(page.get_by_role("button", name="Play")).to_be_visible()


NUMBERS_OUTSIDE_THEIR_CELL = """cells => cells.filter((cell) => {
  const inner = written(cell).getBoundingClientRect(), outer = cell.getBoundingClientRect();
  return inner.width > outer.width || inner.height > outer.height;
}).map((cell) => cell.dataset.cell)"""


@pytest.mark.parametrize(
    ("sizes", "fonts"),
    in_fonts(*some(["d_model=64&heads=1", "d_model=8&heads=8", "d_model=8&heads=4"], 3)),
)
def test_matrices_of_any_size_fit_and_numbers_their_cells(open_page: OpenPage, sizes: str) -> None:
    page = open_page(f"?{sizes}&step=X&compare=scale")
    strip, focus = page.locator(".strip"), page.locator(".focus")
    wide = "64" in sizes
    for step in ("X", "weights") if wide else ("X", "Q", "scores", "masked", "weights", "output"):
        go_to_step(page, step)
        expect(strip.locator(".now")).to_be_visible()
        assert strip.evaluate("strip => strip.scrollWidth <= strip.clientWidth")
        box = box_of(page.locator('.strip [data-matrix="X"]'))
        assert 40 < box.width < 200
        assert focus.locator(".cell").evaluate_all(NUMBERS_OUTSIDE_THEIR_CELL) == []
        assert (wide and step == "X") or focus.evaluate(
            "focus => focus.scrollWidth <= focus.clientWidth"
        )


@pytest.mark.parametrize(
    ("family", "fonts"),
    in_fonts(*three(["system-ui", "ui-monospace", "serif", "math", "'DejaVu Sans'"])),
)
def test_a_text_is_as_wide_as_the_tests_font_says_whatever_is_installed(
    chromium: Browser, fonts: str, family: str
) -> None:
    text = "Ein Maß √d_k ≤ Σ"
    with chromium.new_context() as context:
        page = context.new_page()
        page.set_content(f'<span style="font: 100px {family}">{text}</span>')
        width = page.locator("span").evaluate("span => span.getBoundingClientRect().width")
    assert width == pytest.approx(len(text) * ADVANCES[fonts] / 10, rel=0.02)


@pytest.mark.parametrize("fonts", some(FONTS, 2, 1))
def test_on_a_phone_nothing_is_wider_and_the_strip_shows_the_step(open_page: OpenPage) -> None:
    page = open_page("?step=X", size=(390, 844))
    strip, now = page.locator(".strip"), page.locator(".strip .now")
    expect(strip.locator(".number:visible")).to_have_text([str(n + 1) for n in range(8)])
    expect(strip.locator(".name:visible")).to_have_text("Embed")
    page.locator(".stage h2").focus()  # a cell that had it would be kept in sight instead
    for step in ("Q", "scores", "scaled", "masked", "weights", "context", "output"):
        page.keyboard.press("PageDown")
        expect_step(page, step)
        expect(now).to_be_in_viewport(ratio=0.95)
        assert strip.evaluate("strip => strip.scrollWidth <= strip.clientWidth")
        fits(page, 390)
        for arrow in page.locator(".side-by-side .arrow:visible").all():  # → from above to below
            down = "one => new DOMMatrix(getComputedStyle(one).transform).b"
            assert arrow.evaluate(down) == pytest.approx(1)
    strip.locator('.phase[data-step="scores"]').click()
    expect_step(page, "scores")
    right = box_of(focus_cell(page, "scores.0.0.5"))
    assert right.right <= 390
    focus_cell(page, "scores.0.1.0").click()
    expect(arithmetic(page)).to_contain_text("scores[cat, The]")
    tapped = box_of(page.locator('[data-part="focus"][data-matrix="scores"]'))
    said = box_of(arithmetic(page))
    assert 0 <= said.top - (tapped.bottom) < 40  # right under it


@pytest.mark.deep
def test_the_picture_of_a_step_is_saved_as_svg(open_page: OpenPage, tmp_path: Path) -> None:
    """Its formulas are those of the screen, in the font that is shipped, which it brings along."""
    page = open_page("?step=X&text=%3Cimg%20src=x%3E+%F0%9F%98%80")
    for step in some(("Q", "scaled", "masked"), 3, 1):
        go_to_step(page, step)
        picture = downloaded(page, tool(page, "Save a picture as SVG"), tmp_path)
        assert picture.name == f"attention-{step}.svg"
        root = ElementTree.parse(picture).getroot()
        drawn = list(root.iter(f"{SVG}text"))
        texts = [node.text or "" for node in drawn]
        for number in numbers(page, step):
            assert number in texts
        assert "img" in texts
        assert font_script().partition('", "')[2][:-3] in (root.findtext(f"{SVG}style") or "")
        signs = "".join(t for t, node in zip(texts, drawn, strict=True) if FONT in family(node))
        assert "=" in signs
        captions = page.locator(".focus .caption math")
        assert normalize("NFKC", signs) == re.sub(r"\s", "", "".join(captions.all_text_contents()))
        lines = [node for node in root.iter(f"{SVG}path") if node.get("stroke")]
        assert len(lines) == captions.locator("msqrt, mfrac").count() == (step != "Q")


@pytest.mark.deep
def test_where_nothing_differs_or_is_drawn_a_button_leads_to_it(open_page: OpenPage) -> None:
    page = open_page("?step=X", until=told_ahead)
    expect(page.locator("button.lead")).to_have_count(0)
    choice(page, "compare", "mask").click()
    page.get_by_role("button", name=re.compile("^First difference: .+ →$")).click()
    expect_step(page, "masked")
    expect(page.locator(".badge").filter(has_text="numbers of masked differ")).to_be_visible()
    expect(page.locator("button.lead")).to_have_count(0)
    choice(page, "compare", "none").click()
    choice(page, "mask", "custom").click()
    draw = page.locator(".badge.doing")
    expect(draw).to_have_text("Draw on mask: press a cell and drag.")
    page.keyboard.press("PageUp")
    expect_step(page, "scaled")
    page.get_by_role("button", name=re.compile("^Draw on mask: .+ →$")).click()
    expect_step(page, "mask")
    expect(draw).to_be_visible()


def family(node: ElementTree.Element) -> str:
    return node.get("font-family", "")


@pytest.mark.deep
def test_a_double_click_on_a_cell_opens_a_field_that_survives_reruns(open_page: OpenPage) -> None:
    page = open_page("?step=X", step="X")
    focus_cell(page, "X.3.4").dblclick()
    settle(page)
    page.keyboard.type("7")
    page.locator(".strip .phase").nth(2).evaluate("button => button.click()")
    expect_step(page, "scores")
    assert "m=" not in page.url
    go_to_step(page, "X")  # the field that the stage took away has committed nothing
    focus_cell(page, "X.3.4").dblclick()
    settle(page)
    expect(arithmetic(page)).to_contain_text("X[on, 5]")
    field = focus_cell(page, "X.3.4").locator("input")
    expect(field).to_be_focused()
    page.keyboard.type("1.75")
    page.keyboard.press("Enter")
    expect(focus_cell(page, "X.3.4")).to_have_text("1.75")
    expect(page.get_by_text("with your own X")).to_be_visible()
