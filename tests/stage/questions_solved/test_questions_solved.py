"""Every kind of question, solved from its worksheet alone, has the answer that its key tells."""

from collections.abc import Mapping
from fractions import Fraction

import pytest

from core.practice_set import QUESTIONS
from core.questions.answers import NumberAnswer
from core.questions.engine import Question, mark_answer, parse_answer
from stage.question_paper import question_key, question_sheet
from tests.core.support import MAKERS, asked
from tests.stage.questions_solved.by_counting import BY_COUNTING
from tests.stage.questions_solved.by_numbers import BY_NUMBERS
from tests.stage.questions_solved.by_trying import BY_TRYING
from tests.stage.questions_solved.printed import (
    PrintedQuestion,
    question_of,
    rounded,
    sections,
    told_by,
    values_told,
)

SOLVERS = {**BY_NUMBERS, **BY_COUNTING, **BY_TRYING}
REASONED: Mapping[str, str] = {}
"""Kinds that no number or word of the sheet decides, each with the reason."""


def on_paper(questions: list[Question]) -> list[tuple[PrintedQuestion, str]]:
    """Each question as its sheet prints it, and the answer that its key tells."""
    numbered = [(str(number), question) for number, question in enumerate(questions, start=1)]
    sheet, key = (sections(made("T", "V", numbered)) for made in (question_sheet, question_key))
    return [(question_of(one), told_by(other)) for one, other in zip(sheet, key, strict=True)]


def check(question: Question, printed: PrintedQuestion, told: str) -> None:
    """The own answer is what the key tells, digit for digit, and what the page takes for right."""
    name = question.id.partition(".")[0]
    found = SOLVERS[name](printed)
    if isinstance(found, str):
        assert found == told, printed.text
        assert found in printed.options
        return
    assert isinstance(question.kind, NumberAnswer)
    exact, decimals = values_told(told)
    if exact is not None:
        assert float(exact) == pytest.approx(float(found), abs=1e-9), printed.text
    places = len(decimals.partition(".")[2])
    own = rounded(found, places)
    assert own == Fraction(decimals.replace("−", "-").replace(",", "")), (printed.text, found)
    assert places == 2 or own == rounded(found, 9), "it has more decimals than the key"
    typed = decimals if places else str(int(own))
    assert mark_answer(question, parse_answer(question, typed)).right, (printed.text, typed)


@pytest.mark.parametrize("name", sorted({*MAKERS} - {*REASONED}))
def test_each_question_is_solved_from_its_sheet(name: str) -> None:
    questions = asked(MAKERS[name])
    for question, (printed, told) in zip(questions, on_paper(questions), strict=True):
        check(question, printed, told)


def test_each_kind_has_a_solver_or_a_reason() -> None:
    kinds = {maker.name for makers in QUESTIONS.values() for maker in makers.values()}
    assert kinds == {*SOLVERS, *REASONED}
    assert not {*SOLVERS} & {*REASONED}
