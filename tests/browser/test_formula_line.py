"""The formula on one line: the lit part inside its neighbours, at every width; all on demand."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from core.program import formulas as f
from core.program.formulas import Formula
from stage import show
from tests.browser.conftest import OpenPage
from tests.browser.fonts import in_fonts
from tests.browser.stage import STAGE, expect_step, told_ahead
from tests.registry import REGISTRY
from tests.sampling import some, three

LEAST = 13
"""Letters of a formula, its subscripts too, are so many pixels high at least."""
WIDTHS = [140, 288, 390, 640, 900, 1366, 1920]
"""In a head that is full, on phones, and alone in a large window."""

READ = """(bar) => {
  const seen = [...bar.line.children].filter((part) => part.getClientRects().length);
  const room = bar.root.getBoundingClientRect();
  const leaves = seen.flatMap((part) => [part, ...part.querySelectorAll("*")]);
  const out = leaves.filter((leaf) => {
    const { left, right, top, bottom } = leaf.getBoundingClientRect();
    return left < room.left || right > room.right + 0.5
      || top < room.top || bottom > room.bottom + 0.5;
  });
  const written = leaves.filter((leaf) => leaf.matches("mi, mn, mo, mtext, .dots"));
  const boxes = seen.map((part) => part.getBoundingClientRect());
  const [lowest, highest] = [
    Math.max(...boxes.map(({ top }) => top)), Math.min(...boxes.map(({ bottom }) => bottom)),
  ];
  return {
    shown: seen.map((part) => part.textContent).join(""),
    lit: seen.filter((part) => part.matches(".now")).map((part) => part.textContent).join(""),
    out: out.map((leaf) => leaf.textContent), below: lowest >= highest,
    scrolls: [bar.root, bar.line].some((box) => box.scrollWidth > box.clientWidth + 1),
    least: Math.min(...written.map((leaf) => parseFloat(getComputedStyle(leaf).fontSize))),
  };
}"""
AT_WIDTHS = f"""(widths) => {{
  const stage = {STAGE}, bar = stage.formula, read = {READ};
  return widths.map((width) => {{
    Object.assign(bar.root.style, {{ flex: "none", width: `${{width}}px` }});
    bar.fit();
    return read(bar);
  }});
}}"""
STOPS = f"""() => {{
  const all = ({{ first, phases }}) => [first, ...phases.flatMap(all)];
  return {STAGE}.run.phases.flatMap(all);
}}"""
GO = f"([step, open]) => {STAGE}.go(step, open)"
LETTERS = f"parseFloat(getComputedStyle({STAGE}.formula.root).fontSize)"
MEASURED = f"{STAGE}.formula.measured(getComputedStyle({STAGE}.formula.root).fontSize)"
WHOLE = ".formula .whole .definition"


def written(node: Formula) -> str:
    """A formula as the text of its MathML."""
    kind, *rest = node
    if kind == "name":
        return f"{rest[0]}{rest[1]}"
    if kind in ("word", "text", "mark"):
        return str(rest[0])
    if kind == "number":
        return str(rest[0]).replace("inf", "∞").replace("-", "−")
    return "".join(written(part) for part in rest if isinstance(part, list))


def line(page: Page) -> Locator:
    return page.locator(".formula .line")


def open_stage(open_page: OpenPage, path: Path, name: str) -> Page:
    file = path / "stage.html"
    show(REGISTRY[name].run()).save(file)
    page = open_page(file.as_uri(), until=None)
    expect(page.locator('[role="grid"]').first).to_be_attached()
    page.evaluate("document.fonts.ready")
    return page


@pytest.mark.parametrize("name", some(list(REGISTRY), len(REGISTRY) // 3 + 1, 6))
def test_at_every_step_and_width_the_lit_part_stands_whole_on_one_line(
    open_page: OpenPage, tmp_path: Path, name: str
) -> None:
    """It is a stretch of the formulas, or else the step's definition, or else its name."""
    page, program = open_stage(open_page, tmp_path, name), REGISTRY[name].program
    formulas = "".join(map(written, program.definitions))
    for step in page.evaluate(STOPS):
        page.evaluate(GO, [step, True])
        made = program.step.get(step)
        operands = map(f.name, made.operands) if made else ()
        right = f"={written(made.operation.formula(*operands))}" if made else ""
        instead = {written(f.name(step)), written(f.name(step)) + right}
        opened = without_closed(page, formulas)
        for width, seen in zip(WIDTHS, page.evaluate(AT_WIDTHS, WIDTHS), strict=True):
            assert not seen["out"], (step, width, seen)
            assert not seen["scrolls"], (step, width, seen)
            assert not seen["below"], (step, width, seen)
            assert seen["least"] >= LEAST, (step, width, seen)
            assert seen["lit"], (step, width, seen)
            stretch = seen["shown"].strip("…")
            assert stretch in instead or stretch in opened, (width, seen)


def without_closed(page: Page, formulas: str) -> str:
    """The formulas that the bar has: not those inside a stop that is closed."""
    opened = page.evaluate(f"() => {{ {STAGE}.formula.toggle(true); }}")
    assert opened is None
    definitions = page.locator(WHOLE).all_text_contents()
    page.evaluate(f"() => {{ {STAGE}.formula.toggle(false); }}")
    assert all(definition in formulas for definition in definitions)
    return "".join(definitions)


BEYOND = """(stage, parts) => {
  const { left, right } = stage.getBoundingClientRect();
  return [...stage.querySelectorAll(parts)].filter((part) => {
    const box = part.getBoundingClientRect();
    return box.left < left || box.right > right + 1;
  }).map((part) => part.textContent);
}"""
"""The parts that stand beyond the sides of a stage."""

NARROWER: list[tuple[str, list[str]]] = [
    ("weights", ["…V=XWVconcat(softmax(mask(QKT/dk))V)WO", "…softmax(mask(QKT/dk))V)…",
                 "weights=softmax(masked)", "weights", "…"]),
    ("X", ["XQ=XWQ…", "X…", "X"]),
    ("Q", ["XQ=XWQK=XWKV=XWVconcat(softmax(mask(QKT/dk))V)WO", "XQ=XWQK=XWKV=XWV…",
           "…Q=XWQ…", "Q=XWQ", "Q", "…"]),
]  # fmt: skip
"""What the line of a step shows, of other lines in between, as its room shrinks."""


def test_neighbours_give_way_from_the_far_ends_then_the_definition_then_the_name(
    open_page: OpenPage, tmp_path: Path
) -> None:
    for step, shown in three(NARROWER):
        page = open_stage(open_page, tmp_path, "attention")
        page.evaluate(GO, [step, True])
        seen = page.evaluate(AT_WIDTHS, list(range(1000, 20, -2)))
        met = list(dict.fromkeys(one["shown"] for one in seen))
        assert [text for text in met if text in shown] == shown, met
        lit = [one["lit"] for one in seen if one["lit"]]
        assert len(lit[0]) >= len(lit[-1])


@pytest.mark.parametrize(("width", "fonts"), in_fonts(*some([320, 1440], 2)))
def test_a_press_opens_it_and_each_part_goes_to_its_step(open_page: OpenPage, width: int) -> None:
    page = open_page("?step=weights", size=(width, 900), step="weights")
    whole = page.locator(".formula .whole")
    expect(whole).to_be_hidden()
    told_ahead(page)
    line(page).focus()
    page.keyboard.press("Enter")
    expect(line(page)).to_have_attribute("aria-expanded", "true")
    expect(page.locator(WHOLE)).to_have_count(5)
    assert page.get_by_test_id("stage").evaluate(BEYOND, f"{WHOLE} .part") == []
    for step in ("scaled", "X", "output"):
        if whole.is_hidden():
            line(page).click()
        whole.locator(f'button[data-step="{step}"]').click()
        expect_step(page, step)
        expect(whole).to_be_hidden()
        expect(line(page)).to_be_focused()


@pytest.mark.deep
def test_escape_or_a_press_elsewhere_closes_it(open_page: OpenPage) -> None:
    page = open_page("?step=weights")
    whole = page.locator(".formula .whole")
    line(page).click()
    whole.locator("button").first.focus()
    page.keyboard.press("Escape")
    expect(whole).to_be_hidden()
    expect(line(page)).to_be_focused()
    line(page).click()
    expect(whole).to_be_visible()
    page.locator(".heading h2").first.click()
    expect(whole).to_be_hidden()
    expect_step(page, "weights")
    line(page).click()
    line(page).click()
    expect(whole).to_be_hidden()


@pytest.mark.deep
@pytest.mark.parametrize("size", [(640, 400), (1280, 720)])
def test_projected_it_is_one_line_and_opens(open_page: OpenPage, size: tuple[int, int]) -> None:
    page = open_page("?step=weights&present=1", size=size, step="weights")
    width, height = size
    page.evaluate("document.fonts.ready")
    for higher in (height, 2 * height):  # where letters are larger, fewer of them fit
        page.set_viewport_size({"width": width, "height": higher})
        page.wait_for_function(f"(size) => {LETTERS} >= size", arg=higher / 30 - 0.1)
        seen: dict[str, Any] = page.evaluate(f"({READ})({STAGE}.formula)")
        assert (seen["out"], seen["below"], seen["scrolls"]) == ([], False, False)
        assert seen["least"] >= LEAST
        assert "softmax" in seen["lit"] or seen["lit"] == "weights"
    page.set_viewport_size({"width": width, "height": height})
    line(page).click()
    page.locator(WHOLE).first.locator("button").click()
    expect_step(page, "X")
    assert page.evaluate(f"({READ})({STAGE}.formula)")["lit"] == "X"


@pytest.mark.deep
def test_a_font_that_comes_late_is_measured_again(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_stage(open_page, tmp_path, "attention")
    page.evaluate(GO, ["Q", True])
    wide = page.evaluate(MEASURED)
    page.evaluate(LATE)
    page.wait_for_function("() => globalThis.arrived")
    settled = page.evaluate(f"({READ})({STAGE}.formula)")
    assert settled["out"] == []
    again = page.evaluate(MEASURED)
    assert again["ends"][-1][1] > wide["ends"][-1][1]


LATE = f"""async () => {{
  const style = document.createElement("style");
  style.textContent = ".formula math {{ letter-spacing: 4px; }}";
  {STAGE}.formula.root.getRootNode().head.append(style);
  document.fonts.dispatchEvent(new Event("loadingdone"));
  globalThis.arrived = true;
}}"""


@pytest.mark.deep
def test_on_paper_it_is_written_out_whole_and_wraps(open_page: OpenPage) -> None:
    page = open_page("block?block_norm=pre")
    expect(line(page).first).to_be_visible()
    formulas = page.locator(".formula").first.locator(".definition")
    expect(formulas).to_have_count(0)
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(line(page).first).to_be_hidden()
    assert formulas.count() > 5
    assert page.get_by_test_id("stage").first.evaluate(BEYOND, f"{WHOLE} .part") == []
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="null")
    expect(line(page).first).to_be_visible()
    expect(formulas).to_have_count(0)
