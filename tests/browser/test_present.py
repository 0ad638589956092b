"""The stage alone in the window: what a class sees of it from the last row."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage
from tests.browser.fonts import in_fonts
from tests.browser.stage import expect_step, focus_cell, tool
from tests.sampling import DEEP, some

# What of the focus is cut or outside, and the size of the smallest number.
LOOK = """(stage) => {
  const inside = (box, room) => box.left >= room.left && box.top >= room.top
    && box.right <= room.right + 0.5 && box.bottom <= room.bottom + 0.5;
  const shows = stage.querySelector(".shows").getBoundingClientRect();
  const screen = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
  const rooms = [shows, screen], seen = (part) => part.closest(".window .grid") || part;
  const parts = [...stage.querySelectorAll(".focus :is(.cell, .label, .caption)")];
  const drawn = parts.filter((part) => part.getClientRects().length);
  const cut = drawn.filter((part) => (
    !rooms.every((room) => inside(seen(part).getBoundingClientRect(), room))
    || (part.matches(".cell, .label") && part.scrollWidth > part.clientWidth + 1)
  ));
  const all = [...stage.querySelectorAll(".focus .number")];
  const numbers = all.filter((number) => number.getClientRects().length);
  const digits = numbers.map((n) => parseFloat(getComputedStyle(n).fontSize));
  // A digit is three quarters of its size high; a line of text has air above and below.
  cut.push(...numbers.filter((number) => {
    const { left, right, top, bottom } = number.getBoundingClientRect();
    const half = 0.375 * parseFloat(getComputedStyle(number).fontSize), middle = (top + bottom) / 2;
    const digits = { left, right, top: middle - half, bottom: middle + half };
    return !inside(digits, number.closest(".cell").getBoundingClientRect());
  }));
  const behind = document.documentElement.scrollHeight > innerHeight;
  const scrolls = behind && !stage.matches(":popover-open");
  return {
    step: stage.dataset.step, cells: drawn.length, scrolls,
    digits: digits.length && Math.min(...digits),
    labels: Math.min(...drawn.filter((part) => part.matches(".label, .caption"))
      .concat([...stage.querySelectorAll(".badge")].filter((part) => part.getClientRects().length))
      .map((part) => parseFloat(getComputedStyle(part).fontSize))),
    map: [...stage.querySelectorAll(".strip .title")].every((title) => (
      title.offsetHeight < 2 * parseFloat(getComputedStyle(title).fontSize)
      && inside(title.getBoundingClientRect(), title.closest(".strip").getBoundingClientRect())
    )),
    cut: cut.map((part) => `${part.className} ${part.textContent}`),
  };
}"""
STOPS = ["X", "Q", "K", "V", "scores", "scaled", "masked", "weights", "context", "output"]


def look(page: Page, least: float = 0) -> dict[str, object]:
    """What is seen once sizes have followed the window, which takes them a few frames."""
    found: dict[str, object] = page.get_by_test_id("stage").evaluate(
        f"""(stage, least) => laterSeen(
          () => ({LOOK})(stage), (seen) => !seen.cut.length && seen.digits >= least, 120)""",
        least,
    )
    return found


@pytest.mark.parametrize(
    ("start", "fonts"), in_fonts("/?step=X", *["/debug-lab?lab_step=X"] * DEEP)
)
def test_at_every_step_all_the_focus_is_in_sight_and_large(open_page: OpenPage, start: str) -> None:
    """All the way there in a small window; in the long run all the way back in a large one."""
    page = open_page(f"{start}&present=1", size=(1280, 720))
    walk = [STOPS[0], "Q_all", *STOPS[1:]] if "lab" in start else STOPS
    ways = ((1280, 720, 18, "PageDown", walk), (1920, 1080, 27, "ArrowLeft", walk[::-1]))
    for width, height, least, key, stops in ways if DEEP else ways[:1]:
        page.set_viewport_size({"width": width, "height": height})
        for step in stops:
            expect_step(page, step)
            seen = look(page, least)
            assert seen["step"] == step
            assert seen["cells"]
            assert not seen["cut"], (width, step, seen)
            assert float(str(seen["digits"])) >= least, (width, step, seen)
            assert float(str(seen["labels"])) >= 18, (width, step, seen)
            assert seen["map"], (width, step)
            assert not seen["scrolls"]
            page.keyboard.press(key)
        expect_step(page, stops[-1])  # there is nothing beyond


@pytest.mark.parametrize("size", some([(1280, 720), (1920, 1080)], 2))
@pytest.mark.parametrize("step", some(["scaled", "weights", "context", "output"], 4, 1))
def test_the_arithmetic_is_whole_or_ends_in_its_result(
    open_page: OpenPage, step: str, size: tuple[int, int]
) -> None:
    page = open_page(f"?present=1&step={step}&cell={LAST_ROW[step]}", size=size, step=step)
    b_or_a_point_blank_the_whole_screen_and_any_key_brings_it_back(page, "of 10")
    box = page.get_by_test_id("arithmetic")
    expect(box.locator("math").last).to_be_visible()
    page.wait_for_function(ON_ITS_LINE, arg=size[1] / 60)
    result = focus_cell(page, LAST_ROW[step]).inner_text()
    assert str(box.locator("math").last.text_content()).endswith(result)


LAST_ROW = {"scaled": "scaled.0.5.1", "weights": "weights.0.5.0", "context": "context.0.5.1",
            "output": "output.5.1"}  # fmt: skip
# Each part of the line that is drawn lies inside its box, in letters of a size.
ON_ITS_LINE = """(least) => {
  const { root } = [...globalThis[Symbol.for("attention-stages")]][0];
  const box = root.querySelector(".this-number").getBoundingClientRect();
  const drawn = [...root.querySelectorAll(".rows math, .rows math *")]
    .filter((part) => part.getClientRects().length);
  return drawn.length && drawn.every((part) => {
    const { left, right, top, bottom } = part.getBoundingClientRect();
    return left >= box.left && right <= box.right + 0.5
      && top >= box.top - 0.5 && bottom <= box.bottom + 0.5
      && parseFloat(getComputedStyle(part).fontSize) >= 0.7 * least;
  });
}"""


@pytest.mark.deep
def test_a_scene_is_blanked_with_its_words(open_page: OpenPage) -> None:
    page = open_page("?lesson=class.2&present=1", size=(1280, 720))
    b_or_a_point_blank_the_whole_screen_and_any_key_brings_it_back(page, "A product by hand")


def b_or_a_point_blank_the_whole_screen_and_any_key_brings_it_back(page: Page, seen: str) -> None:
    text, curtain = page.get_by_text(seen).first, page.get_by_test_id("curtain")
    expect(text).to_be_visible()
    page.wait_for_function(PROJECTING)  # before it is heard by nobody
    for key in ("b", "."):
        page.keyboard.press(key)
        expect(curtain).to_have_css("background-color", "rgb(0, 0, 0)")
        page.evaluate(DRAWN_ANEW)
        assert page.evaluate(ONLY_THE_CURTAIN)
        page.keyboard.press("PageDown")  # it shows the page, and does not go on behind
        expect(curtain).to_have_count(0)
    expect(text).to_be_visible()


PROJECTING = "globalThis[Symbol.for('attention-curtain')]?.projecting.size > 0"
DRAWN_ANEW = """() => [...globalThis[Symbol.for("attention-stages")] || []].forEach(
  (stage) => {
    if (!stage.presenting) return;
    stage.draw();
    const words = document.querySelector(".st-key-lesson.projected");  // they may come late
    words?.hidePopover();
    words?.showPopover();
    stage.projection.makeRoom();
  })"""
ONLY_THE_CURTAIN = """() => [0.02, 0.5, 0.98].every((x) => [0.02, 0.5, 0.98].every((y) => (
  document.elementFromPoint(x * innerWidth, y * innerHeight)?.dataset.testid === "curtain")))"""


def test_a_person_fills_the_window_and_leaves_it_and_the_link_says_so(open_page: OpenPage) -> None:
    page = open_page("?step=scores")
    sentence = page.get_by_role("textbox", name="Sentence")
    sentence.focus()
    tool(page, "Full window").click()
    page.wait_for_url("**present=1**")
    assert look(page)["cut"] == []
    sentence.evaluate("field => field.focus()")
    expect(sentence).not_to_be_focused()  # what is behind the window cannot be reached
    expect(page.get_by_text("Step 5 of 10")).to_be_visible()
    tool(page, "Leave the full window").click()
    page.wait_for_url(lambda url: "present" not in url)
    expect(page.get_by_text("Step 3 of 8")).to_be_visible()
    sentence.focus()
    expect(sentence).to_be_focused()
    tool(page, "Full window").click()
    page.wait_for_url("**present=1**")


@pytest.mark.deep
@pytest.mark.parametrize("path", some(["", "/debug-lab"], 2))
def test_embedded_the_stage_and_its_way_on_are_in_the_box(open_page: OpenPage, path: str) -> None:
    stops = [STOPS[0], "Q_all", *STOPS[1:]] if path else STOPS
    key = "lab_step" if path else "step"
    page = open_page(f"{path}?embed=true&{key}=X", size=(640, 400))
    boxes = ((640, 400, "next", stops), (800, 600, "previous", stops[::-1]))
    for width, height, onward, walk in boxes:
        page.set_viewport_size({"width": width, "height": height})
        for step in walk:
            expect_step(page, step)
            seen = look(page)
            assert seen["cells"]
            assert seen["cut"] == [], (width, step)
            ways = {"previous": step != stops[0], "play": True, "next": step != stops[-1]}
            for action in (action for action, there in ways.items() if there):
                expect(page.locator(f'[data-action="{action}"]')).to_be_in_viewport(ratio=1)
            if step != walk[-1]:
                page.locator(f'[data-action="{onward}"]').click()
