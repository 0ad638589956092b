"""The code of a step, below its heading when somebody asks for it, and of the page at its end."""

from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from core.attention.mistakes.attention_mistakes import MISTAKES
from core.attention.mistakes.wrong_lines_of_attention import WRONG_LINES
from core.attention.setups import Setup
from core.program.code.exercise import exercise_script
from core.program.trace import Trace
from tests.browser.conftest import MadeOnce, OpenPage
from tests.browser.page import box_of, downloaded, fits, settle
from tests.browser.stage import choice, expect_step, told_ahead, tool
from tests.sampling import some
from ui.chapters.walkthrough.sharing import standalone_view
from ui.links.stage_position import View


def button(page: Page) -> Locator:
    return tool(page, "Code of this step")


def panels(page: Page) -> list[str]:
    return page.locator(".stage .lines-of-code pre").all_inner_texts()


def lines(trace: Trace, *names: str) -> list[str]:
    """What stands in the two panels: the lines of these steps."""
    made = [trace.steps[name] for name in names]
    numpys = [
        "\n\n".join(filter(None, [b.operation.helper.strip(), f"{b.step.name} = {b.code}"]))
        for b in made
    ]
    return ["\n".join(numpys), "\n".join(f"{b.step.name} = {b.torch_code}" for b in made)]


def walk(page: Page, trace: Trace) -> None:
    """From the step of scores: shut at first, then open at every step that makes something."""
    assert panels(page) == []
    expect(button(page)).to_have_attribute("aria-expanded", "false")
    button(page).focus()
    page.keyboard.press("Enter")
    expect(button(page)).to_have_attribute("aria-expanded", "true")
    expect(button(page)).to_be_focused()
    assert panels(page) == lines(trace, "scores")
    steps = {"scaled": ["scaled"], "masked": ["mask", "masked"], "weights": ["weights"],
             "context": ["context"], "output": ["concat", "output"]}  # fmt: skip
    for step, names in steps.items():
        page.keyboard.press("PageDown")
        expect(page.get_by_test_id("stage")).to_have_attribute("data-step", step)
        assert panels(page) == lines(trace, *names)
    page.keyboard.press("Space")
    expect(button(page)).to_have_attribute("aria-expanded", "false")
    assert panels(page) == []


@pytest.mark.deep
def test_a_step_shows_its_lines_on_request(open_page: OpenPage) -> None:
    page = open_page("?step=scores")
    walk(page, Setup().trace)
    page.locator('.strip .phase[data-step="X"]').click()
    expect_step(page, "X")
    expect(button(page)).to_have_count(0)  # it is given


@pytest.mark.deep
@pytest.mark.parametrize("width", some([390, 1440], 2, 1))
def test_its_lines_follow_a_toggle_are_no_wider_than_the_page_and_away_while_projecting(
    open_page: OpenPage, width: int
) -> None:
    page = open_page("?step=masked", until=told_ahead)
    button(page).click()
    choice(page, "mask", "none").click()
    first = page.locator(".stage .lines-of-code pre").first
    expect(first).to_contain_text("np.ones((6, 6), dtype=bool)")
    assert panels(page) == lines(Setup(mask="none").trace, "mask", "masked")
    page.set_viewport_size({"width": width, "height": 844})
    fits(page, width)
    numpys, torches = map(box_of, page.locator(".stage .lines-of-code figure").all())
    assert min(numpys.left, torches.left) >= 0
    assert max(numpys.right, torches.right) <= width
    assert (numpys.top == torches.top) is (width > 800)
    if width < 800:
        return  # a phone's window is full
    tool(page, "Full window").click()
    expect(page.get_by_text("Step 7 of 10")).to_be_visible()
    expect(page.locator(".stage .lines-of-code")).to_be_hidden()
    expect(page.locator('[data-action="code"]')).to_be_hidden()


def test_it_is_in_the_single_file_too(open_page: OpenPage, made_once: MadeOnce) -> None:
    setup = Setup()
    trace = setup.trace
    view = View(trace, "scores", {"h": 0}, "scores", (0, 2, 1), (0, 2, 1), False)
    path = made_once("code.html", lambda: standalone_view(setup, view))
    page = open_page(path.as_uri(), until=None)
    expect(button(page)).to_be_visible()
    walk(page, trace)


@pytest.mark.deep
def test_paper_has_what_was_open(open_page: OpenPage) -> None:
    page = open_page("?step=weights")
    expect(button(page)).to_be_visible()
    for shown in (False, True):
        if shown:
            button(page).click()
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        page.emulate_media(media="print")
        expect(page.locator('[data-action="code"]')).to_be_hidden()
        expect(page.locator(".stage .lines-of-code pre")).to_have_count(2 if shown else 0)
        for text in page.locator(".stage .lines-of-code pre").all():
            expect(text).to_be_visible()
            assert text.evaluate("text => text.scrollWidth <= text.clientWidth")
        page.emulate_media(media="screen")
        page.evaluate("dispatchEvent(new Event('afterprint'))")


def open_code(page: Page) -> Locator:
    """Open 'In code'; its blocks."""
    summary = page.locator(".st-key-in_code summary")
    summary.scroll_into_view_if_needed()
    summary.click()
    blocks = page.locator(".st-key-in_code [data-testid=stCode] code")
    expect(blocks.first).to_be_visible()
    settle(page)
    return blocks


@pytest.mark.deep
def test_blanks_are_of_the_numbers_shown_when_taken(open_page: OpenPage, tmp_path: Path) -> None:
    """Also after an edit, which the code on show knows nothing of."""
    page = open_page("?step=X")
    open_code(page)
    cell = page.locator('[data-part="focus"] [data-cell="X.0.0"]')
    cell.scroll_into_view_if_needed()
    cell.dblclick()
    page.keyboard.type("0.9")
    page.keyboard.press("Enter")
    expect(cell.locator(".number")).to_have_text("0.90")
    settle(page)
    path = downloaded(page, page.get_by_role("button", name="Blanks as a script"), tmp_path)
    assert path.name == "attention_yourself.py"
    X = Setup().trace["X"].copy()
    X[0, 0] = 0.9
    expected = exercise_script(Setup(edits={"X": X}).trace, MISTAKES.values(), WRONG_LINES)
    assert path.read_text(encoding="utf-8") == expected
