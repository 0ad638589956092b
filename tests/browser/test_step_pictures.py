"""The picture of a step that a question brings: whole and large on a projector, a phone, a laptop.

Its places are derived: each step of the walkthrough that can be asked, for two sentences, and of
each chapter one step of each shape.
"""

from collections.abc import Iterator, Sequence
from functools import cache

import pytest
from playwright.sync_api import Page, expect

from core.attention.setups import DEFAULT_TEXT, Setup
from core.path import PATH
from core.program.trace import Trace
from core.questions.saved import question_to_json
from core.questions.step_picture import StepPicture, asked_picture
from tests.browser.conftest import OpenPage
from tests.browser.test_projector_screen import LINKS, SIZES
from tests.browser.test_room import a_class, whole
from tests.sampling import DEEP, some
from ui.classroom.questions.asked import asked_question
from ui.classroom.questions.covered import can_be_asked, cell_question
from ui.classroom.store.rooms import ANSWER, Ask, Rooms

Asked = tuple[str, str]
"""The link of a question, and its JSON where the link alone does not make it."""
SETUPS = {
    "?preset=river-bank": Setup(preset="river-bank"),
    f"?text={DEFAULT_TEXT}": Setup(text=DEFAULT_TEXT),
}
GROUPS = range(3 if DEEP else 1)
"""In so many rooms all is asked: a room takes a limited number of questions."""


def last(run: Trace, array: str) -> tuple[int, ...]:
    return tuple(size - 1 for size in run[array].shape)


def can_be_covered(run: Trace) -> Iterator[str]:
    yield from (array for array in run.steps if can_be_asked(run, array, last(run, array)))


def walked() -> Sequence[Asked]:
    return [
        (f"{link}&step={array}&cover={array}", "")
        for link, setup in SETUPS.items()
        for array in can_be_covered(setup.trace)
    ]


def shape_of(picture: StepPicture) -> tuple[object, ...]:
    """What a picture's layout hangs on."""
    sizes = [(len(one.rows), len(one.columns)) for one in (*picture.operands, picture.result)]
    return picture.is_corner, *sizes


def of_chapters() -> Iterator[tuple[str, Trace, str]]:
    """Arrays of chapters that can be covered, one of each shape of its picture."""
    seen = set()
    for name, chapter in PATH.items():
        for family in chapter.families.values():
            run = family.built(**family.defaults).run()
            for array in can_be_covered(run):
                shape = shape_of(asked_picture(run, array, last(run, array), [array]))
                if shape not in seen:
                    seen.add(shape)
                    yield name, run, array


@cache
def places() -> Sequence[Asked]:
    """What is asked, when the first test runs: a worker that runs none of them builds nothing."""
    chapters: Sequence[Asked] = [
        (name, question_to_json(cell_question(run, array, last(run, array), [array])))
        for name, run, array in some(list(of_chapters()), 70, 20)
    ]
    return [*some(walked(), 11, 1), *chapters]


ROOT = "everywhere('.step-picture')[0]"
"""The picture on the page, for a script."""
DIGITS = f"""() => Math.min(...[...({ROOT})?.querySelectorAll(".number") ?? []]
  .map((one) => parseFloat(getComputedStyle(one).fontSize) * one.currentCSSZoom))"""
"""The smallest digits of a picture, in pixels of the window."""
IN_ITS_PLACE = f"""() => {{
  const root = {ROOT}, {{ left, right }} = root.getBoundingClientRect();
  const parts = [...root.querySelectorAll("td, th, figcaption")]
    .filter((one) => one.getClientRects().length);
  const cut = parts.filter((one) => {{
    const box = one.getBoundingClientRect();
    return box.left < left - 1 || box.right > right + 1;
  }});
  const style = getComputedStyle(root);
  const hasEdge = style.overflowX === "auto" && parseFloat(style.borderRightWidth) > 0;
  const words = [...root.querySelectorAll("th bdi")]
    .filter(({{ textContent }}) => !/\\s/.test(textContent) && textContent.length < 9);
  const broken = words.filter((one) => {{
    const {{ writingMode, fontSize }} = getComputedStyle(one);
    const across = writingMode === "horizontal-tb" ? one.offsetHeight : one.offsetWidth;
    return across > 1.9 * parseFloat(fontSize);
  }});
  return (!cut.length || hasEdge) && !broken.length
    && document.documentElement.scrollWidth <= innerWidth;
}}"""
"""Whether no part is outside of its place without a visible edge, and no short word is broken."""


def put(store: Rooms, code: str, key: str, page: Page, asked: Asked) -> Ask:
    """Ask a question, and wait for its picture."""
    ask = store.ask(code, key, *asked)
    expect(page.get_by_role("heading", name=f"Question {ask.number}", exact=True)).to_be_visible()
    picture = page.get_by_test_id("step-picture")
    expect(picture.locator(".asked")).to_have_text("?")
    return ask


def answered(store: Rooms, code: str, key: str, ask: Ask, page: Page) -> None:
    """Four students answer, two of them wrongly, and the class sees what is right."""
    question = asked_question(ask)
    values = [question.answer, *(wrong.value for wrong in question.wrong)]
    for n in range(4):
        text = question.kind.text(values[max(0, n - 1) % len(values)]).replace("−", "-")
        store.answer(code, ask.number, f"s{n}", text)
    store.close_vote(code, key)
    store.show(code, key, ANSWER)
    expect(page.get_by_text("✓").first).to_be_visible()
    expect(page.get_by_test_id("step-picture").locator(".asked")).not_to_have_text("?")


def large(page: Page, least: float) -> None:
    page.wait_for_function(f"(least) => ({DIGITS})() >= least", arg=least, timeout=8_000)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("group", GROUPS)
def test_on_a_projector_nothing_is_cut_or_left_out_and_digits_are_read_from_the_last_row(
    store: Rooms, open_page: OpenPage, group: int, size: tuple[int, int]
) -> None:
    asked_here = places()[group :: len(GROUPS)]
    code, key = a_class(store)
    page = open_page(f"room?room={code}", size=size)
    for asked in asked_here if DEEP else asked_here[[*SIZES].index(size) :: len(SIZES)]:
        ask = put(store, code, key, page, asked)
        large(page, SIZES[size])
        whole(page, SIZES[size])
        points_to_result(page)
        if ask.link.startswith("?"):  # of the walkthrough: a chapter may ask of longer rows
            shows_all_that_its_cell_is_made_of(page, ask)
        answered(store, code, key, ask, page)
        large(page, SIZES[size])
        whole(page, SIZES[size])
    page.set_viewport_size({"width": 1100, "height": 1000})
    points_to_result(page)


def shows_all_that_its_cell_is_made_of(page: Page, ask: Ask) -> None:
    """What there is no room for is left out, and a gap says so."""
    picture, asked = page.get_by_test_id("step-picture"), asked_question(ask).picture
    assert asked
    made_of = [m.cells[i][j] for m in asked.operands for i, j in m.lit]
    expect(picture.locator(".lit")).to_have_text(made_of)
    labels = {text for m in (*asked.operands, asked.result) for text in (*m.rows, *m.columns)}
    seen = set(picture.locator("th bdi").all_inner_texts())
    assert seen < labels if picture.locator(".gap").count() else seen == labels


@pytest.mark.parametrize("group", GROUPS)
def test_on_a_phone_all_is_in_its_place(store: Rooms, open_page: OpenPage, group: int) -> None:
    code, key = a_class(store)
    page = open_page(f"join?room={code}", size=(390, 844))
    for asked in places()[group :: len(GROUPS)]:
        put(store, code, key, page, asked)
        page.wait_for_function(IN_ITS_PLACE, timeout=8_000)
        points_to_result(page)
        large(page, 12)


@pytest.mark.parametrize("scene", some([*LINKS], 9))
def test_a_teacher_s_window_has_it_in_sight(store: Rooms, open_page: OpenPage, scene: int) -> None:
    code, key = a_class(store)
    page = open_page(f"room?room={code}&key={key}", size=(1366, 768))
    store.ask(code, key, LINKS[scene])
    picture = page.get_by_test_id("step-picture")
    expect(picture.locator(".asked")).to_have_text("?")
    page.wait_for_function(READING, timeout=8_000)
    large(page, 12)


READING = """() => {
  const { scrollHeight, clientHeight } = document.querySelector(".st-key-window_reading");
  return scrollHeight <= clientHeight + 1;
}"""
"""Whether nothing of what a teacher reads has to be scrolled for."""
POINTS_TO_RESULT = f"""() => {{
  const root = {ROOT}, names = ["figure:not(.result)", ".result", ".arrow"];
  const [first, result, arrow] = names.map((name) => root?.querySelector(name));
  if (root && (!first || root.querySelector(".left"))) return !arrow;
  const [above, below] = [first, result].map((one) => one?.getBoundingClientRect());
  return Boolean(below?.width) && arrow.textContent === (below.top >= above.bottom ? "↓" : "→");
}}"""
"""Whether the arrow points down to a result below its operands, else to the right; a corner between
a matrix to the left and one above has none."""


def points_to_result(page: Page) -> None:
    page.wait_for_function(POINTS_TO_RESULT, timeout=8_000)
