"""The projector's screen of a class: a step as the stage draws it, whole, large, at one size."""

from collections.abc import Sequence

import pytest
from playwright.sync_api import Page, expect

from core.program.numbers.display import shown, shown_texts
from core.program.numbers.rounding import typeset
from core.questions.answers import Choice
from tests.browser.axe import Known, beyond, found_in
from tests.browser.conftest import OpenPage
from tests.browser.page import box_of
from tests.browser.tabs import THEMES, Theme
from tests.browser.test_room import LINKS as EVERYTHING
from tests.browser.test_room import Frames, a_class, whole
from tests.sampling import DEEP, some
from ui.classroom.class_session import projector_address, room_address
from ui.classroom.questions.asked import asked_question
from ui.classroom.store.rooms import ANSWER, BARS, MOST_ASKS, Rooms
from ui.lessons.scene_words import run_of_scene
from ui.lessons.shelf import place_of, shipped

SIZES = {(1280, 720): 18, (1920, 1080): 27}
"""Windows of a projector, and the smallest letters in them."""
LINKS = {
    number: f"{place_of(scene.link).link}&lesson=class.{number}"
    for number, scene in enumerate(shipped("class").scenes, start=1)
    if "cover" in place_of(scene.link).params
}
"""Of each scene of the class that asks for a number, what is asked."""
PRODUCT, MASK = LINKS[6], LINKS[4]
CHOICE = "softmax?question=softmax-change.3"
PLACES = """() => {
  const all = (name) => everywhere(`.step-picture ${name}`).map((cell) => {
    const { x, y, width, height } = cell.getBoundingClientRect();
    return [Math.round(x + width / 2), Math.round(y + height / 2)];
  });
  return { left: all(".left .lit"), above: all(".above .lit"), asked: all(".asked") };
}"""


def projected_room(
    open_page: OpenPage, code: str, key: str = "", server: str = "", **options: object
) -> Page:
    """The projector's window of a room; with the room's key, as its teacher opens it."""
    address = projector_address((code, key)) if key else room_address(code)
    return open_page(f"{server}/{address}", **({"size": (1280, 720)} | options))


def vote(store: Rooms, code: str, number: int, link: str) -> None:
    """Six students answer, most of them rightly."""
    question = asked_question(link)
    values = [question.answer, *(wrong.value for wrong in question.wrong)]
    for n in range(6):
        text = question.kind.text(values[max(0, n - 2) % len(values)])
        store.answer(code, number, f"s{n}", text.replace("−", "-"))


@pytest.mark.parametrize("size", some(list(SIZES), 2))
def test_every_question_of_the_class_is_whole_and_large_and_its_words_keep_their_size(
    store: Rooms, open_page: OpenPage, size: tuple[int, int]
) -> None:
    links = [*some([*LINKS.values()], 7, 3), CHOICE]
    assert len(sizes_of_words(store, open_page, size, links, SIZES[size])) == 1


@pytest.mark.parametrize("size", some(list(SIZES), 2))
def test_what_else_is_asked_is_whole_and_large_after_two_votes(
    store: Rooms, open_page: OpenPage, size: tuple[int, int]
) -> None:
    links = some(EVERYTHING, 30)
    for start in range(0, len(links), MOST_ASKS):
        some_of_them = links[start : start + MOST_ASKS]
        sizes_of_words(store, open_page, size, some_of_them, size[1] / 45, votes=2)


def sizes_of_words(
    store: Rooms, open_page: OpenPage, size: tuple[int, int],
    links: Sequence[str], least: float, votes: int = 1,
) -> set[str]:  # fmt: skip
    """The sizes of the words of questions. Each is whole and large as it is asked, with its bars
    and with its answer, which is no smaller than `least`.
    """
    found = set()
    code, key = a_class(store)
    page = projected_room(open_page, code, size=size)
    for link in links:
        number, question = store.ask(code, key, link).number, asked_question(link)
        heading = page.get_by_role("heading", name=f"Question {number}", exact=True)
        expect(heading).to_be_visible()
        expect(page.locator(".st-key-asked_words p").first).to_be_visible()
        if question.picture:
            expect(page.get_by_test_id("step-picture").locator(".asked").first).to_be_visible()
        whole(page, SIZES[size])
        found.add(page.evaluate(WORDS))
        vote(store, code, number, link)
        if votes == 2:
            store.open_second_vote(code, key)
            vote(store, code, number, link)
        store.close_vote(code, key)
        store.show(code, key, BARS)
        expect(page.get_by_text(f"Vote {votes}: 6 answers")).to_be_visible()
        whole(page, least)
        found.add(page.evaluate(WORDS))
        store.show(code, key, ANSWER)
        expect(page.get_by_text("✓").first).to_be_visible()
        if question.picture and not isinstance(question.kind, Choice):
            expect(page.locator(".st-key-room_working .katex").first).to_be_visible()
        whole(page, least)
        found.add(page.evaluate(WORDS))
    return found


WORDS = "() => getComputedStyle(document.querySelector('.st-key-asked_words p')).fontSize"


ZOOMS = """() => [".st-key-room_options", ".st-key-asked_matrices"]
  .map((part) => getComputedStyle(document.querySelector(part)).zoom)"""


def test_of_a_covered_mask_nothing_is_sent_and_options_are_as_large_as_there_is_room_for(
    store: Rooms, open_page: OpenPage
) -> None:
    code, _ = a_class(store, MASK)
    page = projected_room(open_page, code)
    picture = page.get_by_test_id("step-picture")
    expect(picture.locator(".asked")).to_have_text("?")
    expect(picture.locator(".number")).to_have_text(["?"] * 4)
    expect(picture.locator(".removed")).to_have_count(0)
    whole(page, SIZES[1280, 720])
    options, pictures = page.evaluate(ZOOMS)
    assert options == pictures
    assert float(options) > 1.2, "here is room"


def test_a_code_is_drawn_where_its_words_are(
    server: str, store: Rooms, open_page: OpenPage
) -> None:
    code, _ = a_class(store)
    outside = server.replace("localhost", "class.test")
    page = projected_room(open_page, code, server=outside)
    picture = page.get_by_role("img", name="The address and the code")
    expect(picture).to_be_visible()
    words, box = box_of(page.locator(".st-key-room_code strong")), box_of(picture)
    assert abs(box.left - words.left) <= 1
    assert abs(box.width - box.height) <= 1, "no room at its side"


@pytest.mark.parametrize("theme", some(THEMES, 2, 1))
def test_a_product_stands_as_on_the_stage_stacks_on_a_phone_and_has_its_numbers_with_the_answer(
    store: Rooms, open_page: OpenPage, known: Known, theme: Theme
) -> None:
    run = run_of_scene(PRODUCT)
    assert run
    made_of = {typeset(text) for name in ("weights", "V") for text in shown_texts(run, name)}
    code, key = a_class(store)
    frames = Frames()
    store.ask(code, key, PRODUCT)
    page = projected_room(open_page, code, theme=theme, listen=frames.listen)
    picture = page.get_by_test_id("step-picture")
    expect(picture.locator(".asked")).to_have_text("?")
    expect(picture.locator(".result .number")).to_have_text(["?"] * 6)
    seen = page.evaluate(PLACES)
    ((x, y),) = seen["asked"]
    assert len(seen["left"]) == len(seen["above"]) == 3
    assert {at for _, at in seen["left"]} == {y}
    assert {at for at, _ in seen["above"]} == {x}

    phone = open_page(f"join?room={code}", size=(390, 844), theme=theme)
    expect(phone.get_by_test_id("step-picture").locator(".asked")).to_be_visible()
    window = [open_page(f"room?room={code}&key={key}")] if DEEP else []
    for each in (page, *window, *([phone] if DEEP else [])):
        expect(each.get_by_test_id("step-picture").locator(".asked")).to_be_visible()
        assert beyond(found_in(each, theme), known[theme]) == {}
    tops = phone.get_by_test_id("step-picture").locator("figure").evaluate_all(
        "all => all.map((one) => one.getBoundingClientRect().top)"
    )  # fmt: skip
    assert tops == sorted(set(tops))
    assert phone.evaluate("() => document.documentElement.scrollWidth") <= 390

    rows = [[typeset(shown(run, "context", (0, i, j))) for j in range(2)] for i in range(3)]
    assert frames.say(typeset(shown(run, "V", (0, 2, 0)))), "else nothing would be found"
    everything = " ".join(made_of)
    secrets = {text for row in rows for text in row if text not in everything}
    assert secrets
    assert not [text for text in secrets if frames.say(text)]
    store.show(code, key, ANSWER)
    expect(picture.locator(".result .number")).to_have_text([t for row in rows for t in row])
    expect(picture.get_by_role("table", name="context")).to_be_visible()


@pytest.mark.deep
def test_options_have_letters_lists_a_column_and_a_free_task_large_ones(
    store: Rooms, open_page: OpenPage
) -> None:
    code, key = a_class(store, CHOICE)
    page = projected_room(open_page, code)
    listed = page.locator(".st-key-room_options ol")
    expect(listed).to_have_css("list-style-type", "upper-alpha")
    store.answer(code, 1, "s0", "No weight changes")
    store.close_vote(code, key)
    store.show(code, key, BARS)
    expect(page.locator(".vote-bars tbody th").first).to_have_text("A No weight changes")
    number = store.ask(code, key, PRODUCT).number
    vote(store, code, number, PRODUCT)
    store.close_vote(code, key)
    store.show(code, key, ANSWER)
    listed, joins = page.locator(".st-key-room_side ul"), page.locator(".st-key-room_code")
    expect(listed).to_be_visible()
    assert page.evaluate("""() => {
      const style = getComputedStyle(document.querySelector(".st-key-room_side ul"));
      return parseFloat(style.paddingLeft) / parseFloat(style.fontSize);
    }""") > 1  # fmt: skip
    assert joins.evaluate("(code) => parseFloat(getComputedStyle(code).paddingTop)") > 8
    store.ask(code, key, "words?words_read_step=X&lesson=class.1")
    free = page.locator(".st-key-room_free p")
    expect(free).to_be_visible()
    size = "(text) => parseFloat(getComputedStyle(text).fontSize)"
    assert free.evaluate(size) > 1.5 * page.locator(".st-key-room_code p").first.evaluate(size)


@pytest.mark.deep
def test_the_code_is_in_sight_and_fills_the_window_if_asked(
    server: str, store: Rooms, open_page: OpenPage
) -> None:
    """At an address that phones could open; of this machine's own there is no code."""
    address = server.replace("localhost", "class.test")
    code, _ = a_class(store, CHOICE)
    page = projected_room(open_page, code, server=address)
    expect(page.locator(".st-key-room_side [data-testid=stImage] img")).to_be_visible()
    button, dialog = page.get_by_role("button", name="QR code (q)"), page.locator("dialog")
    expect(dialog).to_be_hidden()
    for opens, shuts in ((button.click, "q"), (lambda: page.keyboard.press("q"), "Escape")):
        opens()
        expect(dialog).to_contain_text(code)
        expect(dialog).to_contain_text("class.test")
        assert box_of(dialog.locator("img")).height > 600
        page.keyboard.press(shuts)
        expect(dialog).to_be_hidden()
    store.answer(code, 1, "s0", "No weight changes")
    expect(page.get_by_text("1 of 6 answered")).to_be_visible()
    expect(page.locator(".st-key-room_code")).to_contain_text(code)
    expect(page.locator(".st-key-room_code")).to_contain_text("/join")


@pytest.mark.deep
def test_a_focus_that_a_script_moves_has_no_ring_in_a_class(open_page: OpenPage) -> None:
    phone = open_page("join", size=(390, 844))
    phone.keyboard.press("Tab")
    ring = """(node) => {
      node.tabIndex = -1;
      node.focus();
      return getComputedStyle(node).outlineStyle;
    }"""
    student = phone.locator(".st-key-student")
    assert student.evaluate(ring) == "none"
    assert student.evaluate("(node) => node.matches(':focus-visible')")
    stage = open_page("?preset=P4&step=scores&present=1", size=(1280, 720))
    stage.keyboard.press("Tab")
    title = stage.locator(".present .heading h2").first
    assert title.evaluate(ring) == "none"
    assert title.evaluate("(node) => node.matches(':focus-visible')")
