"""Pages on paper: printed to PDF by a real Chromium, read back, and held against the page."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import pypdfium2
import pytest
from playwright.sync_api import Page, expect

from core.attention.configurations import CONFIGURATIONS
from core.attention.family import MASK_TOGGLE
from core.attention.setups import Setup
from core.path import PATH
from stage.hosts.standalone import standalone
from stage.paper.worksheet import ALL, ROW, worksheet
from tests.browser.conftest import OpenPage
from tests.browser.page import LATER, settle, unfold
from tests.browser.stage import arithmetic, go_to_step, heard, told_ahead
from tests.sampling import paired, some
from tests.stage.solving import Sheet as Worksheet

Format = Literal["A4", "Letter"]
POINTS: dict[Format, tuple[int, int]] = {"A4": (595, 842), "Letter": (612, 792)}
FORMATS = tuple(POINTS)
MARGIN, TOLERANCE = 28, 1.5
"""10 mm, and what a stroke or a rounded page may add, in points."""
SMALLEST = 2.2
"""The height of a digit in points. In the tests' font it is 0.56 of its size."""


DRESSED = """() => (
  !document.querySelector(".stApp") || globalThis[Symbol.for("attention-style")])"""
"""A page of the app has its style sheet, for paper too."""


class Char(NamedTuple):
    text: str
    left: float
    bottom: float
    right: float
    top: float


@dataclass(frozen=True)
class Sheet:
    """One page of a PDF: its characters, and where they are."""

    width: float
    height: float
    chars: list[Char] = field(repr=False)

    @cached_property
    def text(self) -> str:
        """Without spaces: between two cells there may be one or none."""
        return "".join(char.text for char in self.chars)

    def around(self, char: Char) -> tuple[Char, str]:
        """A character and what is written from there on."""
        at = self.chars.index(char)
        return char, "".join(each.text for each in self.chars[at : at + 40])

    def has_all(self, words: Iterable[str]) -> bool:
        """As often as they are asked for; "0.31" is also a part of "−0.31"."""
        wanted = Counter(map(joined, words))
        return all(
            self.text.count(word) >= sum(n for other, n in wanted.items() if word in other)
            for word in wanted
        )

    def has_axis(self, labels: Iterable[str]) -> bool:
        """In their order: each number by itself is common. A bar's may stand beside a label."""
        return bool(re.search(r"(−?[\d.]+)?".join(map(re.escape, map(joined, labels))), self.text))


def joined(text: str) -> str:
    return re.sub(r"[\s\u200b]+", "", text)  # Plotly puts an exponent between spaces of no width


def printed(page: Page, sheet: Format = "A4") -> list[Sheet]:
    """The page as it is printed; a sheet has its size, and nothing stands in its margins."""
    expect(page.locator(".this-number.unknown")).to_have_count(0)
    page.wait_for_function(DRESSED)
    document = pypdfium2.PdfDocument(page.pdf(format=sheet))
    sheets = [_read(one) for one in document]
    document.close()
    headings = tuple(map(joined, page.locator("h2, h3").all_inner_texts()))
    assert not any(one.text.endswith(headings) for one in sheets[:-1]), "a heading is left alone"
    for one in sheets:
        assert (one.width, one.height) == pytest.approx(POINTS[sheet], abs=2)
        assert one.chars, "an empty sheet"
        for char in one.chars:
            assert char.left >= MARGIN - TOLERANCE, one.around(char)
            assert char.right <= one.width - MARGIN + TOLERANCE, one.around(char)
            assert char.bottom >= MARGIN - TOLERANCE, one.around(char)
            assert char.top <= one.height - MARGIN + TOLERANCE, one.around(char)
            assert not char.text.isdigit() or tall(char) >= SMALLEST, char
        assert not overlapping(one.chars)
    return sheets


def overlapping(chars: list[Char]) -> list[tuple[Char, Char]]:
    """Letters and digits of which one covers half of another: text printed over text.

    The letters of a ligature have one place, and an italic j reaches below the letter before it.
    """
    found = []
    letters = [char for char in chars if char.text.isalnum()]
    solid = sorted(without_outlines(letters), key=lambda char: char.left)
    for n, one in enumerate(solid):
        for other in solid[n + 1 :]:
            if other.left >= one.right:
                break
            wide = min(one.right, other.right) - other.left
            high = min(one.top, other.top) - max(one.bottom, other.bottom)
            small = min(size(one), size(other))
            covers = high > 0 and wide * high > small / 2 and one[1:] != other[1:]
            if covers and other.text != "j":
                found.append((one, other))
    return found


def without_outlines(chars: list[Char]) -> list[Char]:
    """Return the characters, each letter with a halo once: without the wider one around it."""
    alike: dict[str, list[Char]] = {}
    for char in chars:
        alike.setdefault(char.text, []).append(char)

    def is_outline(one: Char) -> bool:
        return any(
            size(one) > size(other) and other.left >= one.left and other.right <= one.right
            and other.bottom >= one.bottom and other.top <= one.top
            for other in alike[one.text]
        )  # fmt: skip

    return [one for one in chars if not is_outline(one)]


def size(char: Char) -> float:
    return (char.right - char.left) * (char.top - char.bottom)


def tall(char: Char) -> float:
    """How high a character is; one that is turned stands on its side."""
    return max(char.top - char.bottom, char.right - char.left)


def _read(page: pypdfium2.PdfPage) -> Sheet:
    text = page.get_textpage()
    found = ((text.get_text_range(n, 1), text.get_charbox(n)) for n in range(text.count_chars()))
    chars = [Char(said, *box) for said, box in found if said.strip()]
    return Sheet(page.get_width(), page.get_height(), chars)


WRITTEN = """matrices => matrices.map((matrix) => (
  [...matrix.querySelectorAll(".number, .change, .label")].map((one) => one.textContent)))"""


def check_stage(page: Page, sheets: list[Sheet], at_least: int) -> None:
    """Each matrix of the focus stands on one sheet, whole; so does the arithmetic."""
    matrices = page.locator('[data-part="focus"]').evaluate_all(WRITTEN)
    assert len(matrices) >= at_least
    boxes = [box.locator(".sentence").all_inner_texts() for box in arithmetic(page).all()]
    indices = [[said.replace("_", "") for said in box] for box in boxes]  # set below their letters
    for words in [*matrices, *indices]:
        assert any(sheet.has_all(words) for sheet in sheets), words


CONTROLS = (
    "button, summary, label, nav a, [data-testid=stWidgetLabel], [role=radio], "
    ".choices .word, .hint"
)
PRINTED = """const printed = [".strip", ".formula", "details[open] > summary",
    '[class*="st-key-question_"] [role=radiogroup]', "[data-testid=layer]"].join();"""
"""What is printed although it can be pressed: it names what is drawn."""
NAMES = f"""controls => {{
  {PRINTED}
  const icons = (node) => [...node.querySelectorAll('[data-testid="stIconMaterial"]')];
  const name = (node) => icons(node).reduce(
    (said, icon) => said.replace(icon.textContent, ""), node.textContent);
  // What can be covered is said in words that prose has too: all of them stand for the group.
  const whole = (node) => node.closest('[data-control="cover"]') || node;
  return controls.filter((node) => !node.closest(printed)).map((node) => name(whole(node)).trim());
}}"""
ON_PAPER = f"""controls => {{
  {PRINTED}
  const drawn = (node) => (
    node.getClientRects().length && node.checkVisibility({{ visibilityProperty: true }}));
  dispatchEvent(new Event("beforeprint"));
  const found = controls.filter((node) => !node.closest(printed) && drawn(node));
  const names = found.map((node) => node.textContent.trim());
  dispatchEvent(new Event("afterprint"));
  return names;
}}"""
HEADING = "Predict, then reveal"
"""The label of a page's questions, of which the open one is printed."""


def check_controls(page: Page, sheets: list[Sheet], *some: str) -> None:
    """No name of a control is printed, but where prose says it too. One word alone may be any."""
    names = page.locator(CONTROLS).evaluate_all(NAMES)
    titles = {chapter.title for chapter in PATH.values()}  # a page names those that come before it
    models = {configuration.name for configuration in CONFIGURATIONS}  # a chart names them all
    maps = set(page.get_by_test_id("maps").locator(".name").all_inner_texts())  # as their tabs
    named = {name for name in names if " " in name} - {HEADING} - titles - models - maps
    # Prose counts so too, and the ribbon names the head on show.
    named -= {name for name in named if re.fullmatch(r"\d+ more|Head \d+.*", name)}
    assert named >= set(some), named
    prose = joined("".join(page.locator("[data-testid=stMarkdown]:visible p").all_inner_texts()))
    paper = "".join(sheet.text for sheet in sheets)
    for name in map(joined, named):
        assert paper.count(name) <= prose.count(name), name


def check_no_control_is_drawn(page: Page) -> None:
    """Not for paper: also none whose name is one word. Charts are laid out anew by this."""
    page.emulate_media(media="print")
    assert set(page.locator(CONTROLS).evaluate_all(ON_PAPER)) <= {HEADING}
    page.emulate_media(media="null")


LAYOUT = """stage => [stage, ...stage.querySelectorAll("*")].map((node) => {
  const { x, y, width, height } = node.getBoundingClientRect();
  const { style, open, scrollLeft } = node, className = [...node.classList].sort().join(" ");
  return [className, style?.cssText, x, y, width, height, open, scrollLeft].join();
})"""


def layout(page: Page) -> list[str]:
    """Where each part of the stage stands on the screen, how large, and how it is drawn."""
    found: list[str] = page.get_by_test_id("stage").evaluate(LAYOUT)
    return found


def test_the_walkthrough_prints_whole_and_comes_back_as_it_was(open_page: OpenPage) -> None:
    page = open_page("?step=Q", size=(1440, 700), until=told_ahead)
    page.mouse.wheel(0, 400)
    page.locator('[data-part="focus"] [data-cell="Q.0.2.1"]').hover()
    before = layout(page)
    sheets = printed(page)
    assert layout(page) == before
    check_stage(page, sheets, 7)
    check_controls(page, sheets, "Check against PyTorch", "Numbers: random", "▶ Play")
    go_to_step(page, "weights")
    expect(page.locator(".workings td").first).to_be_attached()
    sheets = printed(page, "Letter")
    check_stage(page, sheets, 2)
    check_controls(page, sheets, "Mix the values →", "Page Up / Page Down to change step")
    table = page.locator(".workings tr").all_inner_texts()
    assert sheets[0].has_all(" ".join(table).split())
    check_no_control_is_drawn(page)


@pytest.mark.deep
def test_every_step_and_a_long_sentence_print_whole(open_page: OpenPage) -> None:
    page = open_page("?step=X", until=told_ahead)
    for step in ("X", "Q", "scores", "scaled", "masked", "weights", "context", "output"):
        go_to_step(page, step)
        heard(page)
        check_stage(page, printed(page), 1)
    words = "+".join(f"w{n}" for n in range(24))
    long = open_page(f"?text={words}&heads=1&step=weights", size=(390, 900))
    for step, at_least in (("weights", 2), ("Q", 7)):
        go_to_step(long, step)
        before = layout(long)
        sheets = printed(long)
        assert layout(long) == before
        check_stage(long, sheets, at_least)


@pytest.mark.deep
def test_the_debug_lab_prints_in_the_dark_theme_as_black_on_white(open_page: OpenPage) -> None:
    page = open_page("debug-lab?lab_case=5&lab_step=masked", theme="dark")
    controls = ("Case (easiest first)", "Reveal the mistake")
    for name in controls:
        expect(page.get_by_text(name, exact=True)).to_be_visible()
    sheets = printed(page)
    check_stage(page, sheets, 3)
    check_controls(page, sheets, *controls)
    page.get_by_text("Reveal the mistake", exact=True).click()
    expect(page.locator(".change").first).to_be_attached()
    expect(page.get_by_test_id("stCode").first).to_be_visible()
    check_stage(page, printed(page), 2)
    check_no_control_is_drawn(page)
    document = pypdfium2.PdfDocument(page.pdf(format="A4"))
    for one in document:
        shades = one.render(scale=1, grayscale=True).to_numpy()
        assert shades[5, 5] == 255
        assert (shades > 200).mean() > 0.8  # paper, with black letters and pale cells on it
        assert (shades < 90).mean() > 0.002
    document.close()


CHARTS = """charts => charts.map((chart) => {
  const seen = (text) => text.checkVisibility({ opacityProperty: true })
    && text.getBoundingClientRect().width;
  const said = (what) => (
    [...chart.querySelectorAll(what)].filter(seen).map((text) => text.textContent));
  const axes = ["x", "y", "x2", "y2"].map((axis) => said(`.${axis}tick text`));
  return [axes, said('text[class$="title"], .annotation-text')];
})"""
"""What stands along each axis of a chart, and its other words."""
DRAWN = """(charts) => {
  const wide = (chart) => Number(chart.querySelector(".main-svg")?.getAttribute("width"));
  const fills = (chart) => Math.abs(wide(chart) - chart.parentElement.clientWidth) < 2;
  const drawn = (chart) => chart.querySelector(".xtick, .ytick, .js-fill") && fills(chart);
  return !document.querySelector('[data-testid="stSkeleton"]')
  && [...document.querySelectorAll(".js-plotly-plot")].filter(drawn).length >= charts;
}"""


CHARTED: list[tuple[str, int, list[str]]] = [
    ("why-scale", 5, ["Seed of the row", "New numbers"]),
    ("words", 2, ["Merges learned", "Neighbours on each side"]),
    ("softmax", 3, ["Add c to all", "Made positive by", "New numbers"]),
    ("cost?cost_part=work", 6, ["What is counted", "Tokens of a text", "Measure on this server"]),
    ("block?block_part=deep", 1, []),  # prose and buttons call its parts by the same names
    ("other-kinds?kinds_part=paint", 2, ["Start from picture", "Flipped cells", "Updates so far"]),
]
"""A page, how many charts it has, and controls that are not printed."""


@pytest.mark.parametrize(("path", "count", "controls"), some(CHARTED, 6, 1))
def test_charts_are_whole(open_page: OpenPage, path: str, count: int, controls: list[str]) -> None:
    page = open_page(path)
    unfold(page, but=LATER)
    page.wait_for_function(DRAWN, arg=count)
    charts = page.locator(".js-plotly-plot").evaluate_all(CHARTS)
    assert len(charts) == count
    for sheet in some(FORMATS, 2):
        sheets = printed(page, sheet)
        for axes, words in charts:
            whole = [one for one in sheets if one.has_all(words) and all(map(one.has_axis, axes))]
            assert whole, (axes, words)
        check_stage(page, sheets, 2)
        if controls:
            check_controls(page, sheets, *controls)
    check_no_control_is_drawn(page)


@pytest.mark.deep
def test_a_tree_and_its_schedule_print_whole(open_page: OpenPage) -> None:
    page = open_page("recursive-attention?pieces_part=ring", theme="dark")
    board = page.get_by_test_id("trees")
    expect(board).to_have_attribute("data-settled", "true")
    pieces = board.locator(".node > .head").all_inner_texts()
    assert len(pieces) == 7
    sheets = printed(page, "A4")
    for told in pieces:
        words = re.findall(r"[\d.]+", told)
        assert any(sheet.has_all(words) for sheet in sheets), told
    matrices = page.locator('[data-part="focus"]').evaluate_all(WRITTEN)
    assert len(matrices) == 2 + 4
    for words in matrices:
        assert any(sheet.has_all(words) for sheet in sheets), words
    for name in ("two halves", "Count key again", "Drag a piece", "Machines", "Undo"):
        assert not any(joined(name) in sheet.text for sheet in sheets), name


@pytest.mark.deep
def test_a_graph_prints_whole_and_in_black(open_page: OpenPage) -> None:
    page = open_page("attention-graph", theme="dark")
    board = page.locator(".st-key-graph_board").get_by_test_id("graph")
    expect(board).to_have_attribute("data-settled", "true")
    tokens = board.locator(".node text").all_text_contents()
    numbers = board.locator(".number.in text").all_text_contents()
    assert (len(tokens), len(numbers)) == (6, 6)
    sheets = printed(page, "A4")
    assert any(sheet.has_all([*tokens, *numbers]) for sheet in sheets)
    for name in ("to draw an edge", "Undo", "Hide edges below"):
        assert not any(joined(name) in sheet.text for sheet in sheets), name


@pytest.mark.deep
def test_a_page_of_its_own_prints_whole(open_file: OpenPage) -> None:
    setup = Setup()
    keep = {MASK_TOGGLE.key: ("causal", "none")}
    whole = standalone(
        setup.trace, ("output", (2, 1)), family=setup.family, options=setup.options, keep=keep
    )
    page = open_file(whole)
    expect(arithmetic(page).locator("math").first).to_be_visible()
    sheets = printed(page)
    check_stage(page, sheets, 3)
    check_controls(page, sheets, "▶ Play")


def test_a_covered_number_is_a_blank_on_paper(open_page: OpenPage) -> None:
    page = open_page("?step=weights&cover=weights.4&text=one+two+three+four+five")
    row = page.locator('[data-part="focus"][data-matrix="weights"] .cell[data-row="4"]')
    expect(row).to_have_text(["?"] * 5)
    title = page.get_by_role("heading", level=1).inner_text()
    covered, *others = printed(page)
    page.keyboard.press("u")
    expect(page.locator(".focus .covered")).to_have_count(0)
    beside = page.locator('[data-part="focus"][data-matrix="masked"] .cell').all_inner_texts()
    secret = [text for text in row.all_inner_texts() if not any(text in one for one in beside)]
    lifted = printed(page)[0]
    assert secret
    assert lifted.has_all(secret)
    assert not any(text in sheet.text for text in secret for sheet in (covered, *others))
    assert "?" not in covered.text.replace(joined(title), "")


def test_a_worksheet_is_of_the_view_and_prints_without_its_answers_before_the_key(
    server: str, open_page: OpenPage, tmp_path: Path
) -> None:
    page = open_page(f"{server}/?text=red+green+blue&step=weights&head=2&mask=none")
    page.get_by_role("button", name="Worksheet", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Worksheet (.html)").press("Enter")
    file = tmp_path / "worksheet.html"
    download.value.save_as(file)
    trace = Setup(text="red green blue", mask="none").trace
    whole = file.read_text()
    assert whole == worksheet(trace, ["weights"], slices=(1,), amount=ALL)
    for choice in ("every step", "every head", "numbers and sums", ROW):
        page.get_by_role("radio", name=choice, exact=True).click()
        settle(page)
    wanted = worksheet(trace, list(trace.steps), slices=None, amount=ROW, sums=True)
    for _ in range(20):  # nothing on the page tells when the last choice is heard
        with page.expect_download() as download:
            page.get_by_role("button", name="Worksheet (.html)").press("Enter")
        chosen = Path(download.value.path()).read_text(encoding="utf-8")
        if chosen == wanted:
            break
    assert chosen == wanted
    (weights,) = Worksheet(whole).key
    sheets = printed(open_page(file.as_uri(), until=None))
    (key,) = [n for n, one in enumerate(sheets) if one.text.startswith("Key")]
    asked, told = ("".join(one.text for one in part) for part in (sheets[:key], sheets[key:]))
    numbers = {text for row in weights.cells for text, _ in row}
    assert all(text in told for text in numbers)
    assert asked.count("weights")
    assert not any(text in asked for text in numbers - {"0.00"})


LONG_WORDS = "internationalisation of incomprehensibilities counterrevolutionaries"
WorksheetCase = tuple[Setup, tuple[int, ...] | None, int, int]
WORKSHEETS: list[WorksheetCase] = [
    (Setup(), (0,), 3, 2),
    (Setup(), None, 4, 3),
    (Setup(heads=4), (2,), 3, 2),
    (Setup(heads=4, kv_heads=2), None, 6, 4),
    (Setup(text="one two three four five six seven eight nine ten a b c d"), (0,), 6, 4),
    (Setup(text=LONG_WORDS, heads=1, d_model=16), (0,), 6, 3),
    (Setup(preset="P2"), (0,), 2, 1),
    (Setup(edits={"X": np.round(np.sin(np.arange(48.0)).reshape(6, 8), 6)}), (0,), 4, 2),
]
"""A run, the heads on its sheet, and how many pages of paper it and its key may have."""


@pytest.mark.parametrize(("case", "form"), paired(some(WORKSHEETS, 4, 2), FORMATS))
def test_every_step_fits_a_few_pages_and_each_matrix_is_whole_on_one(
    open_file: OpenPage, case: WorksheetCase, form: Format
) -> None:
    setup, slices, most, most_of_key = case
    trace = setup.trace
    whole = worksheet(trace, list(trace.steps), slices=slices)
    sheets = printed(open_file(whole), form)
    (key,) = [n for n, one in enumerate(sheets) if one.text.startswith("Key")]
    assert key <= most
    assert len(sheets) - key <= most_of_key
    read = Worksheet(whole)
    for tables, part in ((read.tables, sheets[:key]), (read.key, sheets[key:])):
        for table in tables:
            texts = [text for row in table.cells for text, _ in row if text]
            words = [table.title.replace("_", ""), *table.labels, *texts]
            assert any(one.has_all(words) for one in part), table.title


@pytest.mark.deep
def test_of_questions_the_worksheet_and_the_key_print_apart(open_page: OpenPage) -> None:
    told = {}
    for view in ("sheet", "key"):
        page = open_page(f"practice?practice_view={view}&practice_seed=2", theme="dark")
        expect(page.locator(f'[class*="st-key-question_{view}"]')).to_have_count(10)
        told[view] = "".join(joined(sheet.text) for sheet in printed(page))
        assert all(f"{number}." in told[view] for number in range(1, 11))
        for name in ("Seed", "one by one", "Chapters", "Worksheet (.html)"):
            assert joined(name) not in told[view], name
    assert "Theanswer" not in told["sheet"]
    assert told["sheet"].count("☐") + told["sheet"].count("Answer:") >= 10
    assert told["key"].count("Theanswer") == 10
    assert "Answer:" not in told["key"]


@pytest.mark.deep
def test_a_scene_prints_its_words_and_no_note(open_page: OpenPage) -> None:
    page = open_page("?lesson=class.2")
    page.get_by_text("Teacher's note").click()
    note = page.get_by_text("Let somebody type a wrong number")
    expect(note).to_be_visible()
    expect(page.locator(".focus .covered")).to_have_count(4)
    text = joined("".join(sheet.text for sheet in printed(page)))
    assert joined("Work out the score of the query") in text
    assert joined("Let somebody type a wrong") not in text
    for name in ("Teacher's note", "Answer", "Leave the lesson", "All scenes"):
        assert joined(name) not in text, name


def test_lines_that_are_folded_on_the_screen_are_on_paper(open_page: OpenPage) -> None:
    page = open_page("?d_model=32&step=Q&cell=Q.0.0.0")
    folded = page.locator(".maths .rows > .before").first
    expect(folded).to_be_hidden()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    expect(folded).to_be_visible()
