"""What a class writes is seen by its teacher, and by others only if the teacher lets it through."""

import pytest
from playwright.sync_api import expect

from core.questions.answers import LONGEST_TEXT
from tests.browser.axe import Known, beyond, found_in
from tests.browser.conftest import OpenPage
from tests.browser.tabs import THEMES
from tests.browser.test_join import PHONE, joined, send
from tests.browser.test_room import SIZES, Frames, a_class, whole
from tests.sampling import some
from ui.classroom.store.rooms import Rooms

SCENE = "words?lesson=class.1"
TASK = "What would you look at to know which bank is meant in “we sat by the river bank”?"
WALK = "?lesson=class.10"
RUDE, KIND = "something rude", "whatever is next to it"
HOSTILE = "<b>bold</b> *x* $x^2$ https://example.org www.example.org a@b.example"
TURNED = "\u202eabc"


def test_nobody_gets_a_text_until_the_teacher_lets_it(store: Rooms, open_page: OpenPage) -> None:
    code, key = a_class(store, SCENE, 0)
    seen = {name: Frames() for name in ("projector", "other", "window")}
    projector = open_page(f"room?room={code}", size=(1280, 720), listen=seen["projector"].listen)
    window = open_page(f"room?room={code}&key={key}", listen=seen["window"].listen)
    other = joined(open_page, code, listen=seen["other"].listen)
    writer = joined(open_page, code)
    for page in (projector, writer, other):
        expect(page.get_by_text(f"What does “bank” mean? {TASK}")).to_be_visible()
    send(writer, RUDE)
    expect(window.get_by_text(RUDE)).to_be_visible()
    writer.get_by_role("button", name="Change").click()
    send(writer, KIND)
    expect(window.get_by_text(KIND)).to_be_visible()
    expect(projector.get_by_text("1 of 2 answered")).to_be_visible()
    assert not seen["projector"].say(KIND)
    window.locator(".st-key-room_texts_given").get_by_text(KIND).click()
    expect(projector.get_by_text(KIND)).to_be_visible()
    writer.get_by_role("button", name="Change").click()
    send(writer, RUDE)
    expect(projector.get_by_text(KIND)).to_have_count(0)
    window.get_by_role("button", name="Close the vote", exact=True).click()
    expect(other.get_by_text("You did not send an answer.")).to_be_visible()
    expect(writer.get_by_text(f"Your answer: {RUDE}")).to_be_visible()
    assert seen["window"].say(RUDE), "else nothing would be found"
    assert seen["projector"].say(KIND), "it was let through"
    assert not seen["projector"].say(RUDE)
    assert not any(seen["other"].say(text) for text in (RUDE, KIND))


@pytest.mark.parametrize("size", some(list(SIZES), 2))
def test_texts_let_through_are_the_largest_words_on_the_projector_and_plain_and_fit(
    store: Rooms, open_page: OpenPage, size: tuple[int, int]
) -> None:
    hostile = [TURNED, "שלום 12", "W" * LONGEST_TEXT, "long words " * (LONGEST_TEXT // 11), HOSTILE]
    code, key = a_class(store, SCENE, 7)
    page = open_page(f"room?room={code}", size=size)
    shown = page.locator(".st-key-room_texts")
    for n, text in enumerate(("the river", KIND, *hostile)):
        store.answer(code, 1, f"s{n}", text)
        store.let_texts_through(code, key, 1, 1, store.texts(code, key, 1, 1))
        if text == KIND:
            expect(shown.get_by_role("listitem")).to_have_count(2)
            page.wait_for_function(LARGEST, arg=size[1] / 15, timeout=8_000)
            whole(page, size[1] / 40)
    expect(shown.get_by_role("listitem")).to_have_count(7)
    whole(page, 16 * size[1] / 720)
    assert shown.locator("a, b, em, .katex").count() == 0
    written = shown.inner_text().replace("\u2060", "")
    assert HOSTILE in written
    assert f"\u2068{TURNED}" in written


LARGEST = """(least) => {
  const size = (one) => parseFloat(getComputedStyle(one).fontSize) * one.currentCSSZoom;
  const sizes = (names) => [...document.querySelectorAll(names)].map(size);
  const texts = Math.min(...sizes(".st-key-room_texts li"));
  return texts >= least && texts > Math.max(...sizes(".st-key-room_free p"));
}"""


@pytest.mark.deep
def test_a_text_becomes_the_sentence_of_the_walkthrough(store: Rooms, open_page: OpenPage) -> None:
    sentence = "the (first) class & its #1 sentence"
    code, key = a_class(store, WALK, 1)
    store.answer(code, 1, "s0", sentence)
    window = open_page(f"room?room={code}&key={key}")
    with window.context.expect_page() as opens:
        window.get_by_role("link", name="Open it as the sentence").click()
    page = opens.value
    expect(page.get_by_text("All of it, on a sentence of yours").first).to_be_visible()
    expect(page.get_by_role("textbox", name="Sentence")).to_have_value(sentence)
    assert key not in page.url


@pytest.mark.deep
def test_axe_finds_nothing_it_fits_a_phone(store: Rooms, open_page: OpenPage, known: Known) -> None:
    code, key = a_class(store, SCENE)
    for n, text in enumerate((KIND, HOSTILE, "W" * LONGEST_TEXT, "one", "two", "three")):
        store.answer(code, 1, f"s{n}", text)
    for given in store.texts(code, key, 1, 1):
        store.let_texts_through(code, key, 1, 1, [given])
    for theme, address in zip(THEMES, ("", f"&key={key}"), strict=True):
        page = open_page(f"room?room={code}{address}", theme=theme)
        expect(page.get_by_text(KIND)).to_be_visible()
        assert beyond(found_in(page, theme), known[theme]) == {}
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    page.wait_for_function("() => document.documentElement.scrollWidth <= innerWidth")
