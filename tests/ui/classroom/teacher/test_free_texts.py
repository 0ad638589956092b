"""Free texts: asked of a scene, read by the teacher, and seen by the class if let through."""

import csv
from collections.abc import Callable
from datetime import UTC
from io import StringIO
from urllib.parse import parse_qs, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from core.errors import InputError
from core.files.lesson import Lesson, Scene
from core.questions import answers, engine, saved, tally
from core.questions.texts import plain_text
from tests.quotes import proves
from tests.ui.classroom import support
from tests.ui.support import opened
from ui.classroom.following import scene_on_show
from ui.classroom.questions import class_button, sheet
from ui.classroom.questions.asked import asked_question, asked_title, task_question
from ui.classroom.store.given_texts import GivenText
from ui.classroom.store.rooms import ANSWER, BARS, Rooms
from ui.classroom.teacher import free_texts
from ui.lessons.course import ScenePosition
from ui.lessons.shelf import LESSON_NAMES, shipped
from ui.text import question_markdown

LINK, WALK = "words?lesson=class.1", "?lesson=class.10"
"""Scenes of the class lesson that ask for a text, the second one on the walkthrough."""
SECRET, OTHER = "Look at the words around it", "At nothing"
HOSTILE = (
    "<b>bold</b> *x* $x^2$ `c` [l](https://example.org)", "https://example.org/a", "=1+1",
    "\u202eturned", "שלום 12", ":smile: -> www.example.org", "W" * answers.LONGEST_TEXT,
)  # fmt: skip
RAW = ("<b>", "$x^2$", "](https", "`c`", "*x*")
"""What would be seen of the first one if it were no text."""


def given(store: Rooms, code: str, key: str, vote: int = 1) -> dict[str, GivenText]:
    return {one.students[0]: one for one in store.texts(code, key, 1, vote)}


@pytest.mark.parametrize("name", LESSON_NAMES)
def test_each_scene_with_a_task_asks_something(name: str) -> None:
    """Which scenes of the class ask for a text: `test_scene_mistakes.py`."""
    for number, scene in enumerate(shipped(name).scenes, start=1):
        link = f"?lesson={name}.{number}"
        if not scene.task:
            continue
        question = asked_question(link)
        assert question.prompt
        if question.is_free:
            assert scene.title in plain_text(question.prompt)
            assert plain_text(asked_title(link)) == scene.title
            assert saved.question_from_json(saved.question_to_json(question)) == question


def test_a_task_is_text_but_for_its_tokens() -> None:
    scene = Scene(
        "Title $x$ <b>", "?step=X", "", 1, "Say *it* [softmax](softmax) `c` $y$ https://a.b"
    )
    question = task_question(scene)
    assert question
    assert plain_text(question.prompt) == "Title $x$ <b>. Say it softmax c $y$ https://a.b"
    written = question_markdown(question.prompt)
    assert written.count("*it*") == 1
    for text in ("<b>", "$x$", "$y$", "](", "https://"):
        assert text not in written
    assert task_question(Scene("Title", "?step=X", "", 1)) is None


@proves("Students answer with one line of text. It is not marked")
def test_no_text_is_right_or_wrong() -> None:
    question = asked_question(LINK)
    for text in ("", " ", "x" * (answers.LONGEST_TEXT + 1)):
        with pytest.raises(InputError):
            engine.parse_answer(question, text)
    longest = "x" * answers.LONGEST_TEXT
    verdict = engine.mark_answer(question, engine.parse_answer(question, f" {longest} "))
    assert (verdict.right, verdict.mistake, plain_text(verdict.given)) == (False, None, longest)
    counted = tally.tally(question, [SECRET, OTHER, OTHER])
    assert (counted.answered, counted.right, counted.given, counted.unread) == (3, 0, (), 0)


def test_a_text_is_hidden_until_it_is_let_through_and_again_when_it_changes(store: Rooms) -> None:
    code, key = support.asked(store, LINK, SECRET, OTHER)
    assert store.texts_let_through(code, 1, 1) == []
    store.let_texts_through(code, key, 1, 1, [given(store, code, key)["s0"]])
    assert store.texts_let_through(code, 1, 1) == [(SECRET, 1)]
    store.answer(code, 1, "s0", SECRET)
    assert store.texts_let_through(code, 1, 1) == [(SECRET, 1)], "the same text"
    before = given(store, code, key)["s0"]
    store.answer(code, 1, "s0", "rude")
    assert store.texts_let_through(code, 1, 1) == []
    store.let_texts_through(code, key, 1, 1, [before])
    assert store.texts_let_through(code, 1, 1) == [], "the teacher has not read this one"
    now = given(store, code, key)["s0"]
    store.let_texts_through(code, key, 1, 1, [now])
    store.let_texts_through(code, key, 1, 1, [now], False)
    assert store.texts_let_through(code, 1, 1) == []


@proves("The class sees only the texts that you tick")
def test_the_teacher_ticks_a_text_and_the_projector_shows_it(store: Rooms) -> None:
    code, key = support.asked(store, LINK, SECRET, OTHER)
    window, projector = opened("room", room=code, key=key), opened("room", room=code)
    assert [one.label for one in window.checkbox] == [SECRET, OTHER]
    assert "**2 of 2** answered" in support.said(projector)
    assert SECRET not in support.said(projector)
    assert not support.bars_of(window)
    assert "right" not in support.said(window)
    ids = {one.key for one in window.button if one.key}
    assert {"room_close_vote", "room_vote_again"} <= ids
    assert "room_show_bars" not in ids

    def tick() -> None:
        row = next(one for one in window.checkbox if one.label == SECRET)
        row.set_value(not row.value).run()

    tick()
    assert SECRET in support.said(projector.run())
    assert OTHER not in support.said(projector)
    window.run()
    tick()
    assert SECRET not in support.said(projector.run())


@pytest.mark.parametrize(("link", "is_covered"), [(LINK, True), (WALK, False)])
def test_the_window_lifts_a_free_texts_cover(store: Rooms, link: str, is_covered: bool) -> None:
    """The projector keeps it covered until then, and has no key that lifts it."""
    code, key = support.asked(store, link, SECRET)
    store.show_scene(code, key, True)
    window = opened("room", room=code, key=key)
    buttons = [one for one in window.button if one.key == "room_show_answer"]
    assert len(buttons) == is_covered
    for button in buttons:
        before = scene_on_show(support.room_of(store, code))
        button.click().run()
        after = scene_on_show(support.room_of(store, code))
        assert before
        assert after
        assert before[1]["words_read_cover"] == "weights"
        assert after[1]["words_read_cover"] == "none"


def test_the_scenes_answer_to_a_free_text_is_shown_when_told(store: Rooms) -> None:
    """To the class, on both screens; and a scene that has none is offered no button for it."""
    code, key = support.asked(store, LINK, SECRET)
    screens = opened("room", room=code), support.student(code, "s0")
    answer = "**Answer.** The words around it. Here it is *river*."
    for page in screens:
        assert "Answer." not in support.said(page)
        assert "Here it is" not in support.said(page)
    opened("room", room=code, key=key).button(key="room_show_answer").click().run()
    for page in screens:
        assert answer in support.said(page.run()).replace("\\", "").splitlines()


def test_the_teacher_reads_the_task_of_a_scene_once(store: Rooms) -> None:
    code, key = support.asked(store, LINK, SECRET)
    assert support.said(opened("room", room=code, key=key)).count("is meant in") == 1
    store.ask(code, key, "?lesson=class.4")
    assert support.said(opened("room", room=code, key=key)).count("May the query") == 1


@pytest.mark.parametrize("shown", [BARS, ANSWER])
def test_a_free_text_has_no_results(store: Rooms, shown: str) -> None:
    """Also if a screen of another day asked for them."""
    code, key = support.asked(store, LINK, SECRET, OTHER)
    store.close_vote(code, key)
    store.show(code, key, shown)
    for page in (opened("room", room=code), support.student(code, "s1")):
        assert SECRET not in support.said(page)
        assert "right" not in support.said(page).lower()
        assert not support.bars_of(page)
        assert "The class answered" not in support.said(page)
        assert not page.info
        assert not [one for one in page.warning if OTHER in one.value]


def test_a_student_writes_changes_and_sees_no_other_text(store: Rooms) -> None:
    code, key = support.asked(store, LINK, SECRET)
    store.let_texts_through(code, key, 1, 1, [given(store, code, key)["s0"]])
    page = support.student(code, "s1")
    assert f"up to {answers.LONGEST_TEXT} characters" in support.said(page)
    support.send(page, "x" * (answers.LONGEST_TEXT + 1))
    assert f"the limit is {answers.LONGEST_TEXT}\\: shorten it" in support.said(page)
    support.send(page, "mine $x$")
    assert r"mine \$x\$" in support.said(page)
    support.press(page, "Change")
    support.send(page, "another")
    assert given(store, code, key)["s1"].text == "another"
    store.close_vote(code, key)
    assert "Your answer: another" in support.said(page.run()).replace("\\", "")
    assert SECRET not in support.said(page)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_text_is_shown_as_text(store: Rooms, text: str) -> None:
    code, key = support.asked(store, LINK, text)
    store.let_texts_through(code, key, 1, 1, [given(store, code, key)["s0"]])
    screens = opened("room", room=code), opened("room", room=code, key=key)
    for page in (*screens, support.student(code, "s0")):
        parts = [*(part.value for part in [*page.markdown, *page.success])]
        for part in [*parts, *(one.label for one in page.checkbox)]:
            assert not [raw for raw in (*RAW, ":smile:", "https://e") if raw in part]


def test_an_exit_quiz_shows_its_texts_when_it_is_closed(store: Rooms) -> None:
    code, key = support.asked(store, LINK, SECRET, OTHER, shows_results=False)
    store.let_texts_through(code, key, 1, 1, [given(store, code, key)["s0"]])
    window = opened("room", room=code, key=key)
    assert [one.disabled for one in window.checkbox if one.label == SECRET] == [True]
    assert window.button(key="room_show_texts").disabled
    assert SECRET not in support.said(opened("room", room=code))
    store.close_room(code, key)
    assert SECRET in support.said(opened("room", room=code))
    assert SECRET in support.said(support.student(code, "s0")), "one's own"


def test_a_second_vote_begins_with_no_text(store: Rooms) -> None:
    code, key = support.asked(store, LINK, SECRET)
    store.let_texts_through(code, key, 1, 1, [given(store, code, key)["s0"]])
    store.open_second_vote(code, key)
    assert store.texts(code, key, 1, 2) == []
    assert SECRET not in support.said(opened("room", room=code))
    store.answer(code, 1, "s0", OTHER)
    assert given(store, code, key, vote=2)["s0"] == GivenText(OTHER, ("s0",), False)


def test_the_files_have_texts_without_a_verdict(store: Rooms) -> None:
    code, key = support.asked(store, LINK, *HOSTILE)
    store.close_vote(code, key)
    now = support.room_of(store, code)
    (row,) = csv.DictReader(StringIO(sheet.sheet_file(now, "", UTC).decode("utf-8-sig")))
    assert row["Question"] == "What does “bank” mean?"
    assert (row["First vote: answers"], row["First vote: right"]) == (str(len(HOSTILE)), "")
    assert (row["Answer"], row["First vote: mistakes"]) == ("", "")
    lines = [*csv.DictReader(StringIO(sheet.answers_file(now, key).decode("utf-8-sig")))]
    texts = [line["Answer given"] for line in lines]
    assert "'=1+1" in texts
    assert HOSTILE[0] in texts, "marks are as they were typed"
    assert {(line["Right"], line["Mistake"]) for line in lines} == {("", "")}
    assert f"{len(HOSTILE)} answers" in support.said(opened("room", room=code, key=key))


def texts_of(window: AppTest) -> list[str]:
    return [one.label.strip("\u2068\u2069") for one in window.checkbox]


@proves("The newest text is at the bottom")
def test_texts_stand_in_the_order_in_which_they_were_given(store: Rooms) -> None:
    """Whatever ids their students have, and whenever a window was opened; a changed one stays."""
    code, key = support.asked(store, LINK)
    order = ("first", "second", "third", "fourth")
    for name, text in zip("dbca", order, strict=True):
        support.answered(store, code, name, text)
    for _ in range(2):  # two windows
        assert texts_of(opened("room", room=code, key=key)) == [*order]
    store.answer(code, 1, "b", "changed")
    assert [one.text for one in store.texts(code, key, 1, 1)] == ["first", "changed", *order[2:]]


@proves("{texts}, {different} different, {new} of them new since your last tick")
def test_the_window_says_how_many_texts_are_new_since_the_last_tick(store: Rooms) -> None:
    code, key = support.asked(store, LINK, "one", "two")
    window = opened("room", room=code, key=key)
    assert "2 texts" in support.said(window)
    assert "new since" not in support.said(window)
    window.checkbox[0].set_value(True).run()
    for name, text in (("s2", "three"), ("s1", "two, changed")):
        support.answered(store, code, name, text)
    for page in (window.run(), opened("room", room=code, key=key)):
        assert "3 texts, 2 of them new since your last tick" in support.said(page)
        assert ["new" in one.label for one in page.checkbox] == [False, True, True]
    assert [one.is_new for one in store.texts(code, key, 1, 1)] == [False, True, True]
    window.checkbox[2].set_value(True).run()
    assert "3 texts" in support.said(window)
    assert "new since" not in support.said(window)
    store.open_second_vote(code, key)
    store.answer(code, 1, "s0", "again")
    assert not any(one.is_new for one in store.texts(code, key, 1, 2))


def test_what_came_after_a_window_was_drawn_stays_new(store: Rooms) -> None:
    code, key = support.asked(store, LINK, "one", "two")
    window = opened("room", room=code, key=key)
    support.answered(store, code, "late", "three")
    window.checkbox[0].set_value(True).run()
    assert [one.text for one in store.texts(code, key, 1, 1) if one.is_new] == ["three"]


@pytest.mark.parametrize("text", ["The cat & the dog? #1 (x)", "a+b=c%20"])
def test_a_text_is_opened_as_the_sentence_of_the_scene_that_asked_for_it(text: str) -> None:
    for link, beside in ((LINK, {}), (WALK, {"lesson": ["class.10"]})):
        address = free_texts.sentence_address(link, text)
        assert address.startswith("./?")
        assert not set("()<>[] ") & set(address)
        assert parse_qs(urlsplit(address).query) == {**beside, "text": [text]}
    assert free_texts.sentence_address(LINK, "w " * 99) == ""


def test_a_teacher_asks_something_of_their_own(store: Rooms) -> None:
    code, key = store.create()
    window = opened("room", room=code, key=key)

    def ask(text: str) -> None:
        window.text_input(key="room_own_question").set_value(text)
        next(one for one in window.button if one.label.startswith("Ask the class")).click().run()
        assert not window.exception

    for text, why in ((" ", "The question is empty"), ("q" * 201, "the limit is 200")):
        ask(text)
        assert why in support.said(window)
        assert not support.room_of(store, code).asks
    ask(HOSTILE[0])
    assert window.text_input(key="room_own_question").value == ""
    now = support.asked_now(store, code)
    assert asked_question(now).is_free
    assert plain_text(asked_title(now)) == plain_text(asked_question(now).prompt) == HOSTILE[0]
    for page in (window, opened("room", room=code), support.student(code, "s0")):
        assert not [raw for raw in RAW if raw in support.said(page)]
        assert "bold" in support.said(page)
    store.close_room(code, key)
    keys = [one.key for one in opened("room", room=code, key=key).text_input]
    assert "room_own_question" not in keys


def test_the_next_scene_is_asked_though_it_has_only_a_task(store: Rooms) -> None:
    code, key = support.asked(store, "?lesson=class.9")
    window = opened("room", room=code, key=key)
    window.button(key="room_next").click().run()
    assert not window.exception
    now = support.asked_now(store, code)
    assert now.link.endswith("lesson=class.10")
    assert "Give a sentence." in plain_text(asked_question(now).prompt)


OWN = Lesson(
    "Mine",
    "All",
    (
        Scene("Say it", "?step=X", "Look.", 2.0, "Give a sentence.", "the words", "hush"),
        Scene("Work it out", "?step=scores&cover=scores", "Look.", 2.0, "What is it?"),
        Scene("Look", "?step=X", "Look.", 2.0),
    ),
)


def test_a_scene_of_ones_own_lesson_brings_its_task_along(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[tuple[str, engine.Question | None]] = []

    def note(
        link: str, place: str, label: str, question: Callable[[], engine.Question] | None = None
    ) -> None:
        found.append((link, question() if question else None))

    monkeypatch.setattr(class_button, "ask_class", note)
    for at in range(3):
        class_button.ask_scene(ScenePosition("own", OWN, at))
    (free, task), (covered, none), (_, nothing) = found
    assert task
    assert plain_text(task.prompt) == "Say it. Give a sentence."
    assert not [text for text in ("the words", "hush") if text in saved.question_to_json(task)]
    assert "lesson" not in free + covered
    assert none is None
    assert asked_question(covered).kind
    assert nothing is None
