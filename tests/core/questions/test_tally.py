"""A vote counted agrees with a plain loop over its answers."""

import random

import pytest

from core.errors import InputError
from core.path import PATH
from core.questions.answers import Choice, NumberAnswer
from core.questions.engine import Question, WrongAnswer, mark_answer, parse_answer
from core.questions.tally import tally, two_votes

ROWS = WrongAnswer("you took the other row", 2.0, "Look at its own row.")
HALF = WrongAnswer("you halved it", 0.25, "Do not halve it.")
HALVES = WrongAnswer("you halved it", 0.125, "Do not halve it twice.")
NUMBER = Question("n.0", "?", NumberAnswer(0.005), 0.5, (ROWS, HALF, HALVES), "")
PICK = Question(
    "c.0", "?", Choice(("up", "down", "both")), "down",
    (WrongAnswer("a", "up", "b"), WrongAnswer("b", "both", "c")), "",
)  # fmt: skip


def test_numbers_are_counted_as_they_were_heard() -> None:
    answers = ["0.5", "1/2", "0,5", "50 %", "0.502", "2", "2.0", "1/4", ".125", "7", "7", "-3", "x"]
    found = tally(NUMBER, answers)
    assert (found.answered, found.right, found.unread) == (13, 5, 1)
    assert [(each.text, each.times, each.is_right, each.mistake) for each in found.given] == [
        ("0.50", 4, True, None), ("2", 2, False, ROWS), ("7", 2, False, None),
        ("-3", 1, False, None), ("0.125", 1, False, HALVES), ("0.25", 1, False, HALF),
        ("0.502", 1, True, None),
    ]  # fmt: skip
    assert found.mistakes == (("you halved it", 2), ("you took the other row", 2))
    assert found.most_given is not None
    assert found.most_given.text == "0.50"


def test_nothing_that_nobody_typed_is_in_the_count_of_a_number() -> None:
    found = tally(NUMBER, ["0.502", "x"])
    assert [each.text for each in found.given] == ["0.502"]
    assert found.mistakes == ()
    empty = tally(NUMBER, [])
    assert (empty.answered, empty.given, empty.most_given) == (0, (), None)


def test_options_stay_in_their_order_also_if_nobody_took_them() -> None:
    found = tally(PICK, ["both", "both", "Down", "sideways"])
    counts = [(each.text, each.times, each.is_right) for each in found.given]
    assert counts == [("up", 0, False), ("down", 1, True), ("both", 2, False)]
    assert (found.answered, found.right, found.unread) == (4, 1, 1)
    assert found.mistakes == (("b", 2),)
    assert tally(PICK, []).most_given is None


def test_two_votes_are_next_to_each_other() -> None:
    rows = two_votes(tally(NUMBER, ["7", "7", "2", "0.5"]), tally(NUMBER, ["0.5", "1/2", "9", "2"]))
    assert [(row.text, row.first, row.second, row.is_right) for row in rows] == [
        ("7", 2, 0, False), ("0.50", 1, 2, True), ("2", 1, 1, False), ("9", 0, 1, False),
    ]  # fmt: skip
    assert rows[2].mistake == ROWS
    options = two_votes(tally(PICK, ["up"]), tally(PICK, []))
    assert [(row.text, row.first, row.second) for row in options] == [
        ("up", 1, 0), ("down", 0, 0), ("both", 0, 0),
    ]  # fmt: skip


@pytest.mark.parametrize("chapter", PATH)
def test_the_count_of_every_question_agrees_with_a_plain_loop(chapter: str) -> None:
    draw = random.Random(chapter)
    for make in PATH[chapter].questions.values():
        question = make(3)
        kind = question.kind
        texts = [typed(question, value) for value in
                 (question.answer, *(wrong.value for wrong in question.wrong))]  # fmt: skip
        answers = draw.choices([*texts, "0.7321", "1, 1", "no answer at all"], k=60)
        right = unread = 0
        by_mistake: dict[str, int] = {}
        for text in answers:
            try:
                answer = parse_answer(question, text)
            except InputError:
                unread += 1
                continue
            verdict = mark_answer(question, answer)
            right += verdict.right
            if verdict.mistake:
                name = verdict.mistake.name
                by_mistake[name] = by_mistake.get(name, 0) + 1
        found = tally(question, answers)
        assert (found.answered, found.right, found.unread) == (60, right, unread), kind
        assert dict(found.mistakes) == by_mistake
        assert sum(each.times for each in found.given) == 60 - unread
        assert len({each.text for each in found.given}) == len(found.given)


def typed(question: Question, value) -> str:
    """A value as a person types it."""
    if isinstance(value, tuple):
        return ", ".join(str(place + 1) for place in value)
    return str(value) if isinstance(question.kind, Choice) else question.kind.text(value)
