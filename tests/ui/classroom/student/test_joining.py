"""A student's page: into a room, one answer that can be changed, and what the teacher shows."""

import re
from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.errors import InputError
from core.practice_set import mixed_set
from core.questions.answers import CellPick, Choice, NumberAnswer
from core.questions.engine import Question, free_question
from core.questions.saved import question_to_json
from tests.quotes import proves
from tests.ui.classroom.support import (
    ME,
    answered,
    asked,
    changes_for_students,
    press,
    ran,
    room_of,
    said,
    send,
    shown,
    student,
)
from tests.ui.support import opened
from ui.classroom import class_session
from ui.classroom.questions.asked import asked_question
from ui.classroom.store.rates import Rate
from ui.classroom.store.rooms import ANSWER, BARS, Rooms
from ui.classroom.student import joining
from ui.lessons.shelf import LinkTarget
from ui.links.question_link import LINK
from ui.text import question_markdown

NUMBER = "?preset=river-bank&step=scaled&cell=scaled.0.5.4&cover=scaled"
CHOICE = "softmax?question=softmax-change.3"


@proves("you answer here, without an account. Type the code that your teacher shows")
def test_a_page_without_a_room_asks_for_its_code_and_again_after_the_class(store: Rooms) -> None:
    page = opened("join")
    page.session_state["student"] = ME
    for _ in range(2):
        assert page.text_input[0].value == ""
        code, key = store.create()
        page.text_input[0].set_value(f" {code[:3].lower()}-{code[3:].lower()} ")
        press(page, "Join")
        assert page.query_params["room"] in (code, [code])
        assert f"Class {code}" in said(page)
        assert store.is_here(code, ME)
        store.delete_room(code, key)
        assert f"Class {code} is over. Its answers are deleted." in said(ran(page))


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("777777", "There is no class “777777”"),
        ("no code", "There is no class “no code”"),
        ("\0" * 9_000, "is no"),
    ],
)
def test_a_code_of_no_room_is_said_beside_the_field(code: str, why: str) -> None:
    page = opened("join", room=code)
    assert why in page.error[0].value.replace("\\", "")
    assert [field.label for field in page.text_input] == ["Class code"]


@pytest.mark.usefixtures("one_address")
@pytest.mark.parametrize("name", ["join", "room"])
def test_guesses_alone_are_slowed(store: Rooms, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(class_session, "LOOKS", Rate(at_once=3, each_second=0))
    code, _ = store.create()
    page = opened(name, room=code)
    for _ in range(5):
        ran(page)
    assert code in said(page)
    for _ in range(2):
        opened(name, room="777777")
    other, _ = store.create()
    assert "Too many codes" in said(opened(name, room=other))
    assert "Too many codes" not in said(ran(page))


def test_nobody_is_in_before_the_browser_has_said_who_it_is(store: Rooms) -> None:
    code, _ = asked(store, NUMBER)
    page = opened("join", room=code)
    assert "One moment" in said(page)
    assert not page.text_input
    assert room_of(store, code).joined == 0


def test_a_room_that_wants_names_asks_for_one_once(store: Rooms) -> None:
    code, key = store.create(wants_names=True)
    page = student(code)
    page.text_input[0].set_value("   ")
    press(page, "Join")
    assert "The name is empty" in said(page)
    page.text_input[0].set_value("Ada")
    press(page, "Join")
    assert "Your teacher has not asked anything yet" in said(page)
    assert store.names(code, key) == {ME: "Ada"}
    assert not student(code).text_input, "a page that is loaded anew knows it"


@proves("""
    You can change it until the vote is closed | You can change your answer until the vote is closed
""")
@pytest.mark.parametrize(
    ("link", "first", "then"),
    [(NUMBER, "0,5", "1/3"), (CHOICE, "No weight changes", "The largest weight grows")],
)
def test_answers_are_sent_changed_and_found(store: Rooms, link: str, first: str, then: str) -> None:
    code, key = store.create()
    page = student(code)
    assert "Your teacher has not asked anything yet" in said(page)
    store.ask(code, key, link)
    ran(page)
    assert page.header[0].value == "Question 1"
    send(page, first)
    assert "Sent" in said(page)
    assert store.answers(code, 1, 1) == [first]
    press(page, "Change")
    send(page, then)
    assert store.answers(code, 1, 1) == [then]
    assert "Sent" in said(student(code))
    other = student(code, "other")
    assert "Sent" not in said(other)
    send(other, first)
    assert sorted(store.answers(code, 1, 1)) == sorted([first, then])


@pytest.mark.parametrize(
    ("typed", "back"), [("1/3", "1/3"), (" -0.50 ", "−0.50"), ("0,5", "0,5"), ("-inf", "−∞")]
)
def test_an_answer_comes_back_as_it_was_typed(store: Rooms, typed: str, back: str) -> None:
    code, key = asked(store, NUMBER)
    page = student(code)
    send(page, typed)
    assert f"Sent: {back}" in shown(page).splitlines()
    store.show(code, key, ANSWER)
    assert f"Your answer: {back}" in shown(ran(page)).splitlines()
    assert f"- {back}: 1 of 1" in shown(page)
    assert "That is not right." in shown(page)
    assert "0.333" not in shown(page)


@pytest.mark.parametrize("text", ["", "much", "1/0", "1,234", "9" * 300, "<b>1</b>", "\0"])
def test_what_is_no_number_is_said_and_not_kept(store: Rooms, text: str) -> None:
    code, _ = asked(store, NUMBER)
    page = student(code)
    send(page, text)
    assert page.error
    assert store.answers(code, 1, 1) == []
    send(page, "0.5")
    assert not page.error
    assert store.answers(code, 1, 1) == ["0.5"]


def test_a_choice_that_is_sent_before_one_is_chosen_asks_for_one(store: Rooms) -> None:
    code, _ = asked(store, CHOICE)
    page = student(code)
    press(page, "Send")
    assert "Choose an answer first" in said(page)
    assert store.answers(code, 1, 1) == []


def test_an_answer_that_comes_after_the_vote_is_refused(store: Rooms) -> None:
    code, key = asked(store, NUMBER)
    page = student(code)
    page.text_input[0].set_value("0.5")
    store.close_vote(code, key)
    store.open_second_vote(code, key)
    press(page, "Send")
    assert store.answers(code, 1, 1) == []
    assert store.answers(code, 1, 2) == [], "it was meant for the first vote"


@proves("""
    Your first answer: {answer} | {answer}: {first} of {before}, then {second} of {after} | {answer}
    ({mistake}) | The vote is closed | See how the class answered, as soon as your teacher shows it
""")
def test_two_votes_and_what_the_teacher_shows_of_them(store: Rooms) -> None:
    question = asked_question(NUMBER)
    (mistake, *_) = (w for w in question.wrong if w.name == "this step is left out")
    right, wrong = f"{question.answer:.2f}", f"{mistake.value:.2f}"
    code, key = asked(store, NUMBER)
    page = student(code)
    send(page, wrong)
    for name, text in {"a": right, "b": wrong, "c": right}.items():
        answered(store, code, name, text)
    store.close_vote(code, key)
    assert "The vote is closed" in said(ran(page))
    assert right not in shown(page)
    store.show(code, key, BARS)
    assert f"- {wrong}: 2 of 4" in shown(ran(page))
    assert f"- {right}: 2 of 4" in shown(page)
    assert mistake.name not in shown(page), "bars do not say what is right"
    store.open_second_vote(code, key)
    assert f"Your first answer: {wrong}" in shown(ran(page))
    assert "of 4" not in shown(page)
    send(page, right)
    store.show(code, key, ANSWER)
    assert f"- **{right}** (right): 2 of 4, then 1 of 1" in shown(ran(page))
    assert f"- {wrong} ({mistake.name}): 2 of 4, then 0 of 1" in shown(page)
    assert "Right." in shown(page)
    late = student(code, "a")
    assert "You did not send an answer." in shown(late)
    assert right in shown(late)


@pytest.mark.parametrize("link", [NUMBER, CHOICE])
def test_before_it_is_shown_nothing_of_the_answer_is_on_the_page(store: Rooms, link: str) -> None:
    question = asked_question(link)
    code, key = asked(store, link)
    page = student(code)
    secrets = secrets_of([question])
    assert len(secrets) > 3
    assert told_of(secrets, page) == []
    send(page, typed_for(question))
    store.close_vote(code, key)
    store.show(code, key, BARS)
    assert told_of(secrets, ran(page)) == []


def _sent(page: AppTest) -> str:
    """All that the page was told, as Streamlit sends it."""
    elements = [element for block in page._tree for element in _elements(block)]
    assert len(elements) > 5
    return "\n".join(str(element.proto) for element in elements).replace("\\", "")


def _elements(node: Any) -> list[Any]:
    inside = getattr(node, "children", None)
    return [one for child in inside.values() for one in _elements(child)] if inside else [node]


def secrets_of(questions: Sequence[Question]) -> set[str]:
    """What tells how questions are answered, and is in none of them."""
    told = {text for one in questions for text in (one.explanation, one.hint, one.fact)}
    wrong = [wrong for one in questions for wrong in one.wrong]
    told |= {text for one in wrong for text in (one.name, one.hint)}
    told |= {one.kind.text(one.answer) for one in questions if isinstance(one.kind, NumberAnswer)}
    asked = " ".join(f"{one.prompt} {one.tables}" for one in questions)
    return {text[:40] for text in told if len(text) > 3 and text not in asked}


def told_of(secrets: set[str], page: AppTest) -> list[str]:
    """Those that a page says; a number that is a part of a random name is not said."""
    text, around = _sent(page), ("(?<![0-9a-f])", "(?![0-9a-f])")
    found = {one: re.escape(one).join(around if one.isdigit() else ("", "")) for one in secrets}
    return [one for one, pattern in found.items() if re.search(pattern, text)]


def typed_for(question: Question) -> str:
    if isinstance(question.kind, Choice):
        return question.kind.options[0]
    return "1, 1" if isinstance(question.kind, CellPick) else "77.5"


@proves("""
    You have answered {done} of {count}. You see how it went when your teacher closes the quiz | ‹
    Previous | Next ›
""")
def test_an_exit_quiz_is_gone_through_alone_and_tells_nothing_until_closed(store: Rooms) -> None:
    drawn = mixed_set(["softmax", "heads", "why_scale", "one_query"], 5)
    links = [LinkTarget(one.chapter, {LINK: one.question.id}).link for one in drawn]
    secrets = secrets_of([one.question for one in drawn])
    assert len(secrets) > 20
    code, key = store.create(shows_results=False)
    page = student(code)
    store.ask_all(code, key, [(link, "") for link in links])
    store.join(code, "other")
    for at, one in enumerate(drawn, start=1):
        assert ran(page).header[0].value == f"Question {at}"
        assert f"**{at - 1} of {len(drawn)}**" in said(page)
        assert [made.label for made in page.button] == ["Send", "‹ Previous", "Next ›"]
        store.answer(code, at, "other", typed_for(one.question))
        send(page, typed_for(one.question))
        assert "Sent: " in said(page)
        store.go_to(code, key, 1 + at % len(drawn))  # the teacher's screen is no student's
        assert f"Question {at}" in _sent(ran(page))
        assert told_of(secrets, page) == []
        assert "of 2" not in _sent(page)
        if at < len(drawn):
            press(page, "Next ›")
    assert next(made for made in page.button if made.label == "Next ›").disabled
    press(page, "‹ Previous")
    press(page, "Change")
    assert page.header[0].value == f"Question {len(drawn) - 1}"
    store.close_room(code, key)
    assert "The class is over" in said(ran(page))
    for at, one in enumerate(drawn, start=1):
        page.button_group[0].set_value(at)
        ran(page)
        assert page.header[0].value == f"Question {at}"
        assert "Your answer: " in said(page)
        assert "2 of 2" in said(page)
        assert question_markdown(one.question.explanation) in said(page)


def look_back(page: AppTest) -> list[str]:
    """What stands on the numbers of the questions."""
    return [one.content for group in page.button_group for one in group.proto.options]


@proves("You had {right} of {count} right. ✓ is right, ✗ is not right, – is not answered")
def test_a_student_sees_what_was_right_in_all_once_an_exit_quiz_is_closed(store: Rooms) -> None:
    links = [NUMBER, CHOICE, CHOICE, NUMBER]
    question = asked_question(NUMBER)
    code, key = store.create(shows_results=False)
    own = "?", question_to_json(free_question("Why?", "Why?"))
    store.ask_all(code, key, [*((link, "") for link in links), own])
    page = student(code)
    for number, text in ((1, f"{question.answer:.2f}"), (2, "No weight changes"), (5, "So")):
        store.answer(code, number, ME, text)
    store.answer(code, 4, ME, "77")
    store.answer(code, 4, ME, f"{question.answer:.2f}")
    assert not re.search("[✓✗]|You had", said(ran(page)))
    assert "You had" not in _sent(page)
    assert look_back(page) == []
    store.close_room(code, key)
    assert "You had **2 of 4** right." in said(ran(page))
    assert look_back(page) == ["1 ✓", "2 ✗", "3 –", "4 ✓", "5"]


def test_of_a_class_that_is_over_only_what_was_shown_is_marked(store: Rooms) -> None:
    code, key = asked(store, CHOICE)
    page = student(code)
    store.answer(code, 1, ME, "No weight changes")
    store.ask(code, key, CHOICE)
    store.close_room(code, key)
    assert "You had" not in said(ran(page))
    page.button_group[0].set_value(2)
    ran(page)
    store.show(code, key, ANSWER)
    assert "You had **0 of 1** right." in said(ran(page))
    assert look_back(page) == ["1", "2 –"]
    assert page.header[0].value == "Question 2"


@proves("Students can then no longer join or answer")
def test_a_room_that_is_closed_takes_nobody_in(store: Rooms) -> None:
    code, key = store.create()
    page = student(code)
    store.ask(code, key, NUMBER)
    store.close_room(code, key)
    assert "The class is over" in said(ran(page))
    assert f"Class {code} is closed" in said(student(code, "late"))
    with pytest.raises(InputError, match="closed"):
        store.answer(code, 1, ME, "1")


def test_what_others_answer_draws_nothing_anew(store: Rooms) -> None:
    code, key = asked(store, NUMBER)
    sees = partial(joining._seen_by, ME)
    before = sees(store.room(code))
    answered(store, code, "other", "1")
    assert sees(store.room(code)) == before
    for change in changes_for_students(store, code, key):
        change()
        before, last = sees(store.room(code)), before
        assert before != last


def test_a_link_that_asks_nothing_leaves_the_class_waiting(store: Rooms) -> None:
    code, _ = asked(store, "nowhere")
    page = student(code)
    assert page.error
    assert not page.text_input
