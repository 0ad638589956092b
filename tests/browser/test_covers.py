"""Covers: what is hidden is hidden everywhere, until it is lifted or worked out."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from core import attention_program, toy_inputs
from core.attention.mistakes.hand_mistakes import KNOWN_MISTAKES
from core.program.numbers.display import shown_texts
from core.questions.engine import mark_answer, parse_answer
from stage import show
from stage.document.other_runs import mistaken
from tests.browser.conftest import OpenPage
from tests.browser.page import box_of, go_by_path, settle, unfold
from tests.browser.scripts import script_of
from tests.browser.stage import arithmetic, choice, focus_cell, numbers, said
from tests.sampling import some
from tests.typed import RIGHT, WRONG, judged
from ui.classroom.questions.asked import asked_question

TRACE = attention_program(heads=2).run(toy_inputs("The cat sat on the mat"))

# What is shown of each cell and said of each covered one; every other text and label of the page.
SEEN = """() => {
  const found = { cells: [], covered: [], texts: [], labels: [] };
  everywhere().forEach((node) => {
    if (node.dataset.cell) {
      const { part } = node.closest("[data-part]")?.dataset || {};
      found.cells.push([node.dataset.cell, part, node.className, node.getAttribute("aria-label")]);
    }
    if (node.matches(".cell.covered")) {
      const own = getComputedStyle(node).backgroundColor;
      found.covered.push([node.dataset.cell, node.className, node.textContent, own]);
    }
    for (const name of ["aria-label", "title", "alt"]) {
      if (node.hasAttribute(name) && !node.dataset.cell) found.labels.push(node.getAttribute(name));
    }
    if (node.matches("script, style, .focus .number, .label")) return;
    const own = [...node.childNodes].filter((child) => child.nodeType === 3);
    found.texts.push(...own.map((child) => child.data).filter((text) => text.trim()));
  });
  return found;
}"""


def texts(array: str) -> np.ndarray:
    return np.array(shown_texts(TRACE, array)).reshape(TRACE[array].shape)


def open_covered(open_page: OpenPage, address: str) -> Page:
    page = open_page(address)
    expect(page.locator(".focus .covered").first).to_be_visible()
    said(page)
    return page


@pytest.mark.parametrize(
    ("cover", "step", "hidden"),
    some([
        ("result", "weights", [("weights", (0, i, j)) for i in range(6) for j in range(6)]),
        ("scores", "scores", [("scores", (0, i, j)) for i in range(6) for j in range(6)]),
        ("scores.2", "scaled", [(n, (0, 2, j)) for n in ("scores", "scaled") for j in range(6)]),
        ("weights.0.3.1", "context", [("weights", (0, 3, 1))]
         + [("context", (0, 3, v)) for v in range(4)]),
    ], 4, 2),
)  # fmt: skip
def test_a_covered_number_is_nowhere_until_it_is_lifted(
    open_page: OpenPage, cover: str, step: str, hidden: list[tuple[str, tuple[int, ...]]]
) -> None:
    page = open_covered(open_page, f"?step={step}&cover={cover}")
    drawn = {".".join([name, *map(str, at)]): texts(name)[at] for name, at in hidden}
    seen = page.evaluate(SEEN)
    large = {cell for cell, _, text, _ in seen["covered"] if text == "?"}
    assert large == set(drawn)
    assert all(text in ("", "?") for _, _, text, _ in seen["covered"])
    # One look for all: neither a colour of a scale, nor the hatching of the mask.
    looks = [set(look.split()) - {"source", "use", "source-far", "use-far", "here"}
             for _, look, _, _ in seen["covered"]]  # fmt: skip
    assert all(look == {"cell", "covered"} for look in looks)
    assert len({colour for *_, colour in seen["covered"]}) == 1
    # Wherever such a cell stands, it is covered, and its label says no number.
    there = [cell for cell in seen["cells"] if cell[0] in drawn]
    assert {part for _, part, *_ in there} == {"focus", "strip"}
    for cell, _, look, label in there:
        assert "covered" in look.split(), cell
        assert not re.search(r"\d\.\d|minus|infinity", label or ""), cell
    # The arithmetic, the workings and the prose have none of the numbers, wherever one looks.
    for cell, text in list(drawn.items())[:: max(1, len(drawn) // 3)]:
        focus_cell(page, cell).click()
        expect(arithmetic(page)).to_contain_text("Covered")
        assert text not in arithmetic(page).inner_text()
        assert not arithmetic(page).locator("math").count()
    seen = page.evaluate(SEEN)
    others = " ".join(seen["texts"] + seen["labels"])
    unusual = {t.replace("-", "−") for t in drawn.values() if len(t) > 3}
    assert not [t for t in unusual if re.search(rf"(?<![\d.]){re.escape(t)}(?!\d)", others)]
    page.keyboard.press("u")
    for name in {name for name, _ in hidden}:
        if page.locator(f'[data-part="focus"][data-matrix="{name}"]').count():
            expected = [t.replace("-", "−").replace("inf", "∞") for t in texts(name)[0].ravel()]
            assert numbers(page, name) == expected
    expect(page.locator(".focus .covered")).to_have_count(0)


@pytest.mark.deep
@pytest.mark.parametrize(
    ("covered", "beside"), some([((0, 2, 1), (0, 2, 0)), ((0, 5, 2), (0, 5, 3))], 2)
)
@pytest.mark.parametrize("step", some(["weights", "context"], 2))
def test_the_row_at_work_is_out_of_sight_while_one_of_its_numbers_is_covered(
    open_page: OpenPage, step: str, covered: tuple[int, ...], beside: tuple[int, ...]
) -> None:
    """Also where one looks at its neighbour; projected, the room is kept, so that no cell moves."""
    cover, cell = (f"{step}.{'.'.join(map(str, at))}" for at in (covered, beside))
    link = f"?step={step}&cover={cover}&cell={cell}"
    page = open_covered(open_page, link)
    expect(arithmetic(page).locator("math").last).to_be_visible()
    workings = page.locator(".workings")
    expect(workings).to_have_class(re.compile("withheld"))
    expect(workings.locator("table")).to_have_count(0)
    shown = open_covered(open_page, f"{link}&present=1")
    expect(shown.locator(".workings table")).to_be_hidden()
    told = shown.locator('.workings :is(caption, td, [scope="row"])').all_text_contents()
    assert told
    assert not re.search("[1-9]", "".join(told))
    place = box_of(focus_cell(shown, cell))
    shown.keyboard.press("PageDown")
    expect(shown.locator(".workings table")).to_be_visible()
    assert box_of(focus_cell(shown, cell)) == place
    expect(focus_cell(shown, cover)).to_have_text(re.compile(r"\d"))


@pytest.mark.deep
def test_a_page_of_its_own_opens_covered_until_lifted(open_page: OpenPage, tmp_path: Path) -> None:
    file = tmp_path / "covered.html"
    show(TRACE, ("weights", (0, 2, 1)), cover="weights").save(file)
    page = open_page(file.as_uri(), until=None)
    expect(page.locator('.focus [data-cell^="weights"].covered')).to_have_count(36)
    choice(page, "cover", "").click()
    expect(page.locator(".covered")).to_have_count(0)
    page.reload()
    expect(focus_cell(page, "weights.0.2.1")).to_have_text(re.compile(r"\d"))
    expect(page.locator(".covered")).to_have_count(0)


def test_a_typed_number_is_right_named_or_wrong(open_page: OpenPage) -> None:
    page = open_covered(open_page, "?step=weights&cover=weights&cell=weights.0.2.1")
    wrong = {m["name"]: m for m in mistaken(TRACE, KNOWN_MISTAKES)}
    named = wrong["the mask comes after softmax"]
    at = int(np.ravel_multi_index((0, 2, 1), TRACE["weights"].shape))
    by_mistake, right = named["arrays"]["weights"].split(" ")[at], texts("weights")[0, 2, 1]
    cell = focus_cell(page, "weights.0.2.1")
    for typed, answered in (
        (by_mistake, "the mask comes after softmax"), ("7", "It is not 7."),
        (texts("weights")[0, 2, 0], "another key. That number is in the same row"),
        (texts("weights")[0, 4, 1], "another query. That number is in the same column"),
        ("seven", "is no number"), (right, f"{right} is right."),
    ):  # fmt: skip
        if typed == "seven":
            page.get_by_label("The number that you worked out").fill(typed)
            page.get_by_test_id("stage").get_by_role("button", name="Check", exact=True).click()
        else:
            cell.press(typed[0])
            page.keyboard.type(typed[1:])
            page.keyboard.press("Enter")
        expect(arithmetic(page)).to_contain_text(answered)
        settle(page)
    expect(cell).to_have_text(right)
    expect(arithmetic(page).locator("math").last).to_be_visible()
    expect(page.locator(".focus .covered")).to_have_count(35)


@pytest.mark.deep
def test_the_number_of_another_cell_is_named_as_in_a_class(open_page: OpenPage) -> None:
    link = "?preset=P2&step=weights&cell=weights.0.2.2&cover=weights"
    page = open_covered(open_page, link)
    question = asked_question(link)
    for typed, why in (("1/6", "the same row"), ("0", "the same column")):
        named = mark_answer(question, parse_answer(question, typed)).mistake
        assert named is not None
        assert why in named.hint
        page.get_by_label("The number that you worked out").fill(typed)
        page.get_by_test_id("stage").get_by_role("button", name="Check", exact=True).click()
        expect(arithmetic(page)).to_contain_text(f"{typed} comes out if {named.name}. {named.hint}")
        settle(page)


PROSE = [
    ("why-scale?", "scale_", "weights", 0),
    ("softmax?", "softmax_", "weights", 0),
    ("words?", "words_mean_", "average", 2),
    ("queries-keys-values?", "qkv_ladder_", "scores", 0),
    ("queries-keys-values?qkv_part=lookup&", "qkv_lookup_", "context", 1),
    ("heads?", "heads_hand_", "context", 1),
    ("heads?heads_part=split&", "heads_split_", "Q", 2),
    ("why-mask?", "mask_cheat_", "context", 2),
    ("one-query?", "query_row_", "y_t", 1),
    ("recursive-attention?", "pieces_", "v_1234", 0),
    ("word-order?order_encoding=alibi&", "order_told_", "slope", 1),
    ("word-order?order_encoding=sinusoidal&", "order_told_", "frequency", 1),
    ("attention-graph?", "graph_", "y_i", 0),
    ("block?block_part=model&", "block_model_", "probs", 1),
]
"""A page, the stage that its numbers in prose belong to, an array of it, and which stage it is."""


@pytest.mark.parametrize(("address", "prefix", "array", "which"), some(PROSE, len(PROSE), 3))
def test_numbers_in_prose_lead_to_their_cells_and_are_covered_with_them(
    address: str, prefix: str, array: str, which: int, open_page: OpenPage
) -> None:
    page = open_page(f"{address}{prefix}step={array}&{prefix}cover={array}")
    links = page.locator(f'a[href^="#stage-{array}."]')
    expect(links.first).to_have_text("?")
    settle(page)
    if address.startswith("block"):
        expect(links.first).to_be_hidden()  # all that is said beside a model is
    else:
        unfold(page)
    assert set(links.all_text_contents()) == {"?"}
    lift_and_follow(links, page.get_by_test_id("stage").nth(which))


def lift_and_follow(links: Locator, stage: Locator) -> None:
    """Lift the cover: each link has the number of its cell, and pointing at it lights the cell."""
    choice(stage, "cover", "").click()
    expect(links.first).not_to_have_text("?")
    told = links.all_text_contents()
    assert "?" not in told
    for at in {0, len(told) - 1}:
        cell = str(links.nth(at).get_attribute("href")).removeprefix("#stage-")
        drawn = stage.locator(f'[data-cell="{cell}"]')
        if not drawn.count():
            continue  # of another head than the one on show
        on_stage = stage.locator(f'[data-part="focus"] [data-cell="{cell}"] .number')
        said = (on_stage.inner_text(), told[at])
        assert len({float(text.replace("−", "-")) for text in said}) == 1
        links.nth(at).hover()
        expect(drawn.and_(stage.locator(".here")).first).to_be_attached()


@pytest.mark.deep
def test_prose_beside_the_stage_is_covered_with_its_cell(open_page: OpenPage) -> None:
    page = open_page("debug-lab?lab_told=yes")
    in_prose = '[data-testid=stMarkdownContainer] a[href^="#stage-"][href*="."]'
    number = page.locator(in_prose)
    expect(page.locator(".focus .cell").first).to_be_visible()  # the stage may come after the prose
    expect(number).to_be_visible()
    said = number.inner_text()
    step = page.get_by_test_id("stage").get_attribute("data-step")
    page = open_covered(open_page, f"debug-lab?lab_told=yes&lab_cover={step}")
    number = page.locator(in_prose)
    expect(number).to_have_text("?")
    page.keyboard.press("u")
    expect(number).to_have_text(said)


def test_charts_are_hidden_while_their_page_covers_not_on_the_next(open_page: OpenPage) -> None:
    page = open_covered(open_page, "why-mask?mask_edit_cover=output")
    chart = page.get_by_test_id("stPlotlyChart").first
    expect(chart).to_be_hidden()
    go_by_path(page, "Why scale")
    expect(page.get_by_role("heading", level=1)).to_contain_text("scale")
    expect(page.get_by_test_id("stPlotlyChart").first).to_be_visible()


@pytest.mark.deep
def test_a_cover_that_names_nothing_is_said(open_page: OpenPage) -> None:
    page = open_page("?cover=scores.17")
    expect(page.get_by_text("There is no scores.17 here")).to_be_visible()
    expect(page.locator(".covered")).to_have_count(0)


JUDGE = """(asked) => JSON.stringify(JSON.parse(asked).map(([typed, shown, others]) => (
  judged(typed, shown, others)
)))"""


def test_the_browser_judges_as_the_core_does(empty: Page) -> None:
    """A thousand cells, each with what is right, what mistakes give, and what is neither."""
    draw = np.random.default_rng(11)
    wrong = mistaken(TRACE, KNOWN_MISTAKES)
    asked: list[tuple[str, str, list[tuple[str, str]]]] = []
    made = list(TRACE.steps)
    for _ in range(1000):
        name = made[int(draw.integers(len(made)))]
        at = int(draw.integers(TRACE[name].size))
        shown = shown_texts(TRACE, name)[at]
        others = [
            (m["name"], m["arrays"][name].split(" ")[at]) for m in wrong if name in m["arrays"]
        ]
        near = [f"{float(shown) + float(draw.normal()) / 100:.{n}f}" for n in range(1, 5)]
        fractions = [f"{float(shown) * n:.4f}/{n}" for n in (3, 7)] if "inf" not in shown else []
        typed = [shown, shown.replace("-", "−"), *(text for _, text in others), *near, "x", "1e3"]
        typed += [*fractions, "-1 / 3", "1/0", ".5/.2", "40 %", "12,5%", "1⁄8", "1 / 2 / 3"]
        asked.append((typed[int(draw.integers(len(typed)))], shown, others))
    expected = [judged(typed, shown, dict(others)) for typed, shown, others in asked]
    assert {RIGHT, WRONG, "", *(m["name"] for m in wrong[:1])} <= set(expected)
    empty.evaluate(script_of("answer_check.js", shown="judged"))
    assert json.loads(empty.evaluate(JUDGE, json.dumps(asked))) == expected


SAID = [
    ("word-order", "order_cover=difference", "Every row has followed its token"),
    ("word-order", "order_mask=causal&order_cover=result", "rows have changed"),
    ("attention-graph", "graph_cover=mask", "of 36 possible"),
    ("attention-graph", "graph_cover=difference", "in the matrix form is the same"),
    ("block", "block_part=model&block_model_cover=result", "The last word, a, occurred"),
    ("other-kinds", "kinds_cover=result", "The largest weight of the last row"),
    ("other-kinds", "kinds_part=memory&kinds_memory_cover=result", "after one update"),
]
"""A page, what its link covers, and what is said of that."""


@pytest.mark.parametrize(("chapter", "cover", "said"), some(SAID, len(SAID), 5))
def test_what_is_said_of_a_covered_array_is_out_of_sight(
    open_page: OpenPage, chapter: str, cover: str, said: str
) -> None:
    page = open_page(f"{chapter}?{cover}")
    stage = page.get_by_test_id("stage").filter(has=page.locator(".covered"))
    expect(stage.locator(".covered").first).to_be_attached()
    expect(page.get_by_text(said)).to_be_hidden()
    if "mask" in cover and chapter == "attention-graph":
        expect(page.locator(".st-key-graph_board .edge").first).to_be_hidden()
    choice(stage, "cover", "").click()
    expect(page.get_by_text(said)).to_be_visible()
