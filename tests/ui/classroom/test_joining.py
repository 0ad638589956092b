"""A student's page: into a room, one answer that can be changed, and what the teacher shows."""

import re
from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.practice_set import mixed_set
from core.questions.answers import CellPick, Choice, NumberAnswer
from core.questions.engine import Question, free_question
from core.questions.saved import question_to_json
from tests.ui.support import opened
from ui.classroom import joining, room_of_link
from ui.classroom.asked import asked_question
from ui.classroom.rates import Rate
from ui.classroom.rooms import ANSWER, BARS, Rooms
from ui.lessons.shelf import LinkTarget
from ui.question_link import LINK
from ui.text import question_markdown

NUMBER = "?preset=river-bank&step=scaled&cell=scaled.0.5.4&cover=scaled"
CHOICE = "softmax?question=softmax-change.3"
ME = "me"


@pytest.fixture(autouse=True)
def kept(server_rooms: Rooms) -> Rooms:
    return server_rooms


def student(code: str, who: str = ME) -> AppTest:
    """The page of a student whose browser has said its id."""
    page = opened("join", room=code)
    page.session_state["student"] = who
    return ran(page)


def ran(page: AppTest) -> AppTest:
    page.run()
    assert not page.exception
    return page


def send(page: AppTest, text: str) -> None:
    field = next(iter([*page.text_input, *page.radio]))
    field.set_value(text)
    press(page, "Send")


def press(page: AppTest, label: str) -> None:
    next(button for button in page.button if button.label == label).click()
    ran(page)


def said(page: AppTest) -> str:
    parts = (*page.title, *page.header, *page.markdown, *page.success, *page.warning, *page.info)
    return "\n".join(part.value for part in (*parts, *page.error, *page.caption))


def test_a_page_without_a_room_asks_for_its_code(kept: Rooms) -> None:
    code, _ = kept.create()
    page = opened("join")
    page.text_input[0].set_value(f" {code[:3].lower()}-{code[3:].lower()} ")
    press(page, "Join")
    assert page.query_params["room"] in (code, [code])
    page.session_state["student"] = ME
    assert f"Class {code}" in said(ran(page))
    assert kept.is_here(code, ME)


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


class OneAddress(Rate):
    """Everybody is at the same address; without a socket Streamlit knows none."""

    def allows(self, address: object) -> bool:
        return super().allows("10.0.0.1")


def test_guesses_are_slowed_and_no_rerun_of_a_room_is_one(
    kept: Rooms, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room_of_link, "LOOKS", OneAddress(at_once=3, each_second=0))
    code, _ = kept.create()
    page = student(code)
    for _ in range(5):
        ran(page)
    assert f"Class {code}" in said(page)
    for _ in range(2):
        opened("join", room="777777")
    assert "Too many codes" in said(opened("join", room=code))
    assert "Too many codes" not in said(ran(page))


def test_nobody_is_in_before_the_browser_has_said_who_it_is(kept: Rooms) -> None:
    code, key = kept.create()
    kept.ask(code, key, NUMBER)
    page = opened("join", room=code)
    assert "One moment" in said(page)
    assert not page.text_input
    room = kept.room(code)
    assert room is not None
    assert room.joined == 0


def test_a_room_that_wants_names_asks_for_one_once(kept: Rooms) -> None:
    code, key = kept.create(wants_names=True)
    page = student(code)
    page.text_input[0].set_value("   ")
    press(page, "Join")
    assert "The name is empty" in said(page)
    page.text_input[0].set_value("Ada")
    press(page, "Join")
    assert "Your teacher has not asked anything yet" in said(page)
    assert kept.names(code, key) == {ME: "Ada"}
    assert not student(code).text_input, "a page that is loaded anew knows it"


@pytest.mark.parametrize(("link", "first", "then"), [
    (NUMBER, "0,5", "1/3"), (CHOICE, "No weight changes", "The largest weight grows"),
])  # fmt: skip
def test_an_answer_is_sent_changed_and_found_again(
    kept: Rooms, link: str, first: str, then: str
) -> None:
    code, key = kept.create()
    page = student(code)
    assert "Your teacher has not asked anything yet" in said(page)
    kept.ask(code, key, link)
    ran(page)
    assert page.header[0].value == "Question 1"
    send(page, first)
    assert "Sent" in said(page)
    assert kept.answers(code, 1, 1) == [first]
    press(page, "Change")
    send(page, then)
    assert kept.answers(code, 1, 1) == [then]
    again = student(code)
    assert "Sent" in said(again)
    other = student(code, "other")
    assert "Sent" not in said(other)
    send(other, first)
    assert sorted(kept.answers(code, 1, 1)) == sorted([first, then])


@pytest.mark.parametrize(
    ("typed", "back"), [("1/3", "1/3"), (" -0.50 ", "−0.50"), ("0,5", "0,5"), ("-inf", "−∞")]
)
def test_an_answer_comes_back_as_it_was_typed(kept: Rooms, typed: str, back: str) -> None:
    code, key = kept.create()
    kept.ask(code, key, NUMBER)
    page = student(code)
    send(page, typed)
    assert f"Sent: {back}" in shown(page).splitlines()
    kept.show(code, key, ANSWER)
    assert f"Your answer: {back}" in shown(ran(page)).splitlines()
    assert f"- {back}: 1 of 1" in shown(page)
    assert "That is not right." in shown(page)
    assert "0.333" not in shown(page)


@pytest.mark.parametrize("text", ["", "much", "1/0", "1,234", "9" * 300, "<b>1</b>", "\0"])
def test_what_is_no_number_is_said_and_not_kept(kept: Rooms, text: str) -> None:
    code, key = kept.create()
    kept.ask(code, key, NUMBER)
    page = student(code)
    send(page, text)
    assert page.error
    assert kept.answers(code, 1, 1) == []
    send(page, "0.5")
    assert not page.error
    assert kept.answers(code, 1, 1) == ["0.5"]


def test_a_choice_that_is_sent_before_one_is_chosen_asks_for_one(kept: Rooms) -> None:
    code, key = kept.create()
    kept.ask(code, key, CHOICE)
    page = student(code)
    press(page, "Send")
    assert "Choose an answer first" in said(page)
    assert kept.answers(code, 1, 1) == []


def test_an_answer_that_comes_after_the_vote_is_refused(kept: Rooms) -> None:
    code, key = kept.create()
    kept.ask(code, key, NUMBER)
    page = student(code)
    page.text_input[0].set_value("0.5")
    kept.close_vote(code, key)
    kept.open_second_vote(code, key)
    press(page, "Send")
    assert kept.answers(code, 1, 1) == []
    assert kept.answers(code, 1, 2) == [], "it was meant for the first vote"


def test_two_votes_and_what_the_teacher_shows_of_them(kept: Rooms) -> None:
    question = asked_question(NUMBER)
    (mistake, *_) = (w for w in question.wrong if w.name == "this step is left out")
    right, wrong = f"{question.answer:.2f}", f"{mistake.value:.2f}"
    code, key = kept.create()
    kept.ask(code, key, NUMBER)
    page = student(code)
    send(page, wrong)
    for name, text in {"a": right, "b": wrong, "c": right}.items():
        kept.join(code, name)
        kept.answer(code, 1, name, text)
    kept.close_vote(code, key)
    assert "The vote is closed" in said(ran(page))
    assert right not in shown(page)
    kept.show(code, key, BARS)
    assert f"- {wrong}: 2 of 4" in shown(ran(page))
    assert f"- {right}: 2 of 4" in shown(page)
    assert mistake.name not in shown(page), "bars do not say what is right"
    kept.open_second_vote(code, key)
    assert f"Your first answer: {wrong}" in shown(ran(page))
    assert "of 4" not in shown(page)
    send(page, right)
    kept.show(code, key, ANSWER)
    assert f"- **{right}** (right): 2 of 4, then 1 of 1" in shown(ran(page))
    assert f"- {wrong} ({mistake.name}): 2 of 4, then 0 of 1" in shown(page)
    assert "Right." in shown(page)
    late = student(code, "a")
    assert "You did not send an answer." in shown(late)
    assert right in shown(late)


def shown(page: AppTest) -> str:
    return said(page).replace("\\", "")


@pytest.mark.parametrize("link", [NUMBER, CHOICE])
def test_before_it_is_shown_nothing_of_the_answer_is_on_the_page(kept: Rooms, link: str) -> None:
    question = asked_question(link)
    code, key = kept.create()
    kept.ask(code, key, link)
    page = student(code)
    options = question.kind.options if isinstance(question.kind, Choice) else ()
    secret = {question.explanation, question.hint, *(wrong.hint for wrong in question.wrong)}
    secret |= {wrong.name for wrong in question.wrong}
    if not options:
        secret.add(f"{question.answer:.2f}")
    text = _sent(page)
    for one in filter(None, secret):
        assert one[:40] not in text, one
    send(page, options[0] if options else "77.5")
    kept.close_vote(code, key)
    kept.show(code, key, BARS)
    for one in filter(None, secret):
        assert one[:40] not in _sent(ran(page)), one


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


def is_in(secret: str, text: str) -> bool:
    """Whether a text says it; a number that is a part of a random name is not said."""
    around = ("(?<![0-9a-f])", "(?![0-9a-f])") if secret.isdigit() else ("", "")
    return re.search(re.escape(secret).join(around), text) is not None


def typed_for(question: Question) -> str:
    if isinstance(question.kind, Choice):
        return question.kind.options[0]
    return "1, 1" if isinstance(question.kind, CellPick) else "77.5"


def test_an_exit_quiz_is_gone_through_alone_and_tells_nothing_before_it_is_closed(
    kept: Rooms,
) -> None:
    drawn = mixed_set(["softmax", "heads", "why_scale", "one_query"], 5)
    links = [LinkTarget(asked.chapter, {LINK: asked.question.id}).link for asked in drawn]
    secrets = secrets_of([asked.question for asked in drawn])
    assert len(secrets) > 20
    code, key = kept.create(shows_results=False)
    page = student(code)
    kept.ask_all(code, key, [(link, "") for link in links])
    kept.join(code, "other")
    for at, asked in enumerate(drawn, start=1):
        assert ran(page).header[0].value == f"Question {at}"
        assert f"**{at - 1} of {len(drawn)}**" in said(page)
        assert [one.label for one in page.button] == ["Send", "‹ Previous", "Next ›"]
        kept.answer(code, at, "other", typed_for(asked.question))
        send(page, typed_for(asked.question))
        assert "Sent: " in said(page)
        kept.go_to(code, key, 1 + at % len(drawn))  # the teacher's screen is no student's
        text = _sent(ran(page))
        assert f"Question {at}" in text
        assert [secret for secret in secrets if is_in(secret, text)] == []
        assert "of 2" not in text
        if at < len(drawn):
            press(page, "Next ›")
    assert next(one for one in page.button if one.label == "Next ›").disabled
    press(page, "‹ Previous")
    press(page, "Change")
    assert page.header[0].value == f"Question {len(drawn) - 1}"
    kept.close_room(code, key)
    assert "The class is over" in said(ran(page))
    for at, asked in enumerate(drawn, start=1):
        page.button_group[0].set_value(at)
        ran(page)
        assert page.header[0].value == f"Question {at}"
        assert "Your answer: " in said(page)
        assert "2 of 2" in said(page)
        assert question_markdown(asked.question.explanation) in said(page)


def look_back(page: AppTest) -> list[str]:
    """What stands on the numbers of the questions."""
    return [one.content for group in page.button_group for one in group.proto.options]


def test_a_student_sees_what_was_right_in_all_once_an_exit_quiz_is_closed(kept: Rooms) -> None:
    links = [NUMBER, CHOICE, CHOICE, NUMBER]
    question = asked_question(NUMBER)
    code, key = kept.create(shows_results=False)
    own = "?", question_to_json(free_question("Why?", "Why?"))
    kept.ask_all(code, key, [*((link, "") for link in links), own])
    page = student(code)
    for number, text in ((1, f"{question.answer:.2f}"), (2, "No weight changes"), (5, "So")):
        kept.answer(code, number, ME, text)
    kept.answer(code, 4, ME, "77")
    kept.answer(code, 4, ME, f"{question.answer:.2f}")
    assert not re.search("[✓✗]|You had", said(ran(page)))
    assert "You had" not in _sent(page)
    assert look_back(page) == []
    kept.close_room(code, key)
    assert "You had **2 of 4** right." in said(ran(page))
    assert look_back(page) == ["1 ✓", "2 ✗", "3 –", "4 ✓", "5"]


def test_of_a_class_that_is_over_only_what_was_shown_is_marked(kept: Rooms) -> None:
    code, key = kept.create()
    page = student(code)
    kept.ask(code, key, CHOICE)
    kept.answer(code, 1, ME, "No weight changes")
    kept.ask(code, key, CHOICE)
    kept.close_room(code, key)
    assert "You had" not in said(ran(page))
    page.button_group[0].set_value(2)
    ran(page)
    kept.show(code, key, ANSWER)
    assert "You had **0 of 1** right." in said(ran(page))
    assert look_back(page) == ["1", "2 –"]
    assert page.header[0].value == "Question 2"


def test_a_room_that_is_closed_takes_nobody_in_and_one_that_is_deleted_is_gone(
    kept: Rooms,
) -> None:
    code, key = kept.create()
    page = student(code)
    kept.close_room(code, key)
    assert "The class is over" in said(ran(page))
    assert f"Class {code} is closed" in said(student(code, "late"))
    kept.delete_room(code, key)
    assert f"Class {code} is over. Its answers are deleted." in said(ran(page))


def test_the_code_of_a_class_that_is_deleted_leaves_the_field(kept: Rooms) -> None:
    code, key = kept.create()
    page = opened("join")
    page.session_state["student"] = ME
    page.text_input[0].set_value(code.lower())
    press(page, "Join")
    assert f"Class {code}" in said(page)
    kept.delete_room(code, key)
    assert f"Class {code} is over" in said(ran(page))
    assert page.text_input[0].value == ""
    other, _ = kept.create()
    page.text_input[0].set_value(other)
    press(page, "Join")
    assert f"Class {other}" in said(page)


def test_what_others_answer_draws_nothing_anew(kept: Rooms) -> None:
    code, key = kept.create()
    sees = partial(joining._seen_by, ME)
    kept.ask(code, key, NUMBER)
    before = sees(kept.room(code))
    kept.join(code, "other")
    kept.answer(code, 1, "other", "1")
    assert sees(kept.room(code)) == before
    for change in (
        lambda: kept.close_vote(code, key), lambda: kept.show(code, key, BARS),
        lambda: kept.open_second_vote(code, key), lambda: kept.ask(code, key, CHOICE),
        lambda: kept.go_to(code, key, 1), lambda: kept.close_room(code, key),
        lambda: kept.delete_room(code, key),
    ):  # fmt: skip
        change()
        before, last = sees(kept.room(code)), before
        assert before != last


def test_a_link_that_asks_nothing_leaves_the_class_waiting(kept: Rooms) -> None:
    code, key = kept.create()
    kept.ask(code, key, "nowhere")
    page = student(code)
    assert page.error
    assert not page.text_input
