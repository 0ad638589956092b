"""What is said to each try: nothing gives the answer away before it is found or asked for."""

import math
from dataclasses import replace

import pytest

from core.chapters.debug_lab.questions import axis_question, cached_question
from core.chapters.walkthrough.questions import score_question
from core.questions.answers import Answer, Choice, NumberAnswer
from core.questions.engine import Question, QuestionMaker, mark_answer
from core.questions.tries import Reply, Tries, answer_said, is_settled, reply
from tests.core.support import asked, every_maker, read

SCORE = score_question(75)
"""Its answer is 3/2: q·k is 3 and √d_k is 2."""
CACHED = cached_question(1)
AXIS = axis_question(1)


def said(question: Question, *given: Answer) -> Reply:
    tries = Tries()
    for answer in given:
        tries = tries.with_answer(answer)
    found = reply(question, tries)
    assert found is not None
    return found


def test_before_the_first_try_nothing_is_said() -> None:
    assert reply(SCORE, Tries()) is None
    assert reply(SCORE, Tries(hinted=True)) is None
    assert not is_settled(SCORE, Tries(hinted=True))


def test_a_usual_mistake_is_named_and_nobody_is_told_the_answer() -> None:
    found = said(SCORE, 3.0)
    assert not found.right
    assert read(found.said) == "It is not 3."
    assert read(found.why) == "It looks as if you forgot √d_k. q·k is 3. Divide it by √4 = 2."
    assert not is_settled(SCORE, Tries((3.0,)))


def test_another_number_is_worked_with_and_at_the_second_try_the_lines_come_but_the_last() -> None:
    first, second = said(SCORE, 2.7), said(SCORE, 2.7, 4.5)
    assert "q·k would have to be (2.7)(2) = 5.4, because √4 = 2" in read(first.why)
    assert "q·k would have to be (4.5)(2) = 9," in read(second.why)
    assert (first.working, second.working) == ((), SCORE.working)
    assert not is_settled(SCORE, Tries((2.7, 4.5)))


@every_maker
def test_a_wrong_sign_is_called_a_wrong_sign(maker: QuestionMaker) -> None:
    for question in asked(maker)[:8]:
        kind, answer = question.kind, question.answer
        if not isinstance(kind, NumberAnswer) or kind.same(-answer, answer):  # type: ignore[operator]
            continue
        if kind.allows(answer) and not mark_answer(question, -answer).mistake:  # type: ignore[operator]
            assert "sign is wrong" in said(question, -answer).why  # type: ignore[operator]


def test_the_same_number_once_more_is_no_second_try() -> None:
    assert Tries().with_answer(2.7).with_answer(2.7) == Tries((2.7,))
    assert said(SCORE, 2.7, 2.7).working == ()
    assert said(SCORE, 2.7, 3.0, 2.7).working == SCORE.working


def test_a_number_rounded_too_early_is_called_close() -> None:
    assert "That is close: keep more decimals" in said(SCORE, 1.52).why
    assert "close" not in said(SCORE, 1.54).why


@pytest.mark.parametrize("given", [math.inf, -math.inf])
def test_what_is_not_finite_is_not_worked_with(given: float) -> None:
    assert said(SCORE, given).why == "The answer is a finite number."


def test_a_right_answer_settles_it_also_after_wrong_ones() -> None:
    assert said(SCORE, 3.0, 1.5).right
    assert is_settled(SCORE, Tries((3.0, 1.5)))
    assert is_settled(SCORE, Tries(shown=True))
    assert read(answer_said(SCORE)) == "The answer is 1.50."


def test_a_wrong_choice_is_told_why_and_others_are_left() -> None:
    assert isinstance(CACHED.kind, Choice)
    wrong = CACHED.wrong[0]
    found = said(CACHED, wrong.value)
    assert found.said == f"It is not “{wrong.value}”."
    assert found.why == wrong.hint
    assert not is_settled(CACHED, Tries((wrong.value,)))
    assert not is_settled(CACHED, Tries((wrong.value,)).with_answer(wrong.value))
    more = replace(CACHED, kind=Choice((*CACHED.kind.options, "none")))
    tried = (wrong.value, CACHED.wrong[1].value, wrong.value)
    assert not is_settled(more, Tries(tried)), "two are left"


def test_where_only_the_answer_is_left_it_may_be_said() -> None:
    assert is_settled(CACHED, Tries(tuple(wrong.value for wrong in CACHED.wrong)))
    assert is_settled(AXIS, Tries((AXIS.wrong[0].value,)))
    assert answer_said(AXIS) == "The answer: no."
