"""Every kind of question, solved from its worksheet alone, has the answer that its key tells."""

import re
from fractions import Fraction
from pathlib import Path

import pytest

from core.practice_set import QUESTIONS, mixed_set
from core.questions.answers import NumberAnswer
from core.questions.engine import Question, mark_answer, parse_answer
from stage.paper.question_paper import question_key, question_sheet
from tests.core.support import MAKERS, asked
from tests.sampling import some
from tests.stage.questions_solved.printed import (
    PrintedQuestion,
    question_of,
    rounded,
    sections,
    told_by,
    values_told,
)
from tests.stage.questions_solved.solvers import ROOMS, SOLVERS


def on_paper(questions: list[Question]) -> list[tuple[PrintedQuestion, str]]:
    """Each question as its sheet prints it, and the answer that its key tells."""
    numbered = [(str(number), question) for number, question in enumerate(questions, start=1)]
    sheet, key = (sections(made("T", "V", numbered)) for made in (question_sheet, question_key))
    return [(question_of(one), told_by(other)) for one, other in zip(sheet, key, strict=True)]


def check(question: Question, printed: PrintedQuestion, told: str) -> None:
    """The own answer is what the key tells, digit for digit, and what the page takes for right."""
    found = SOLVERS[question.id.partition(".")[0]](printed)
    if isinstance(found, str):
        assert found == told, printed.text
        assert found in printed.options
        return
    assert isinstance(question.kind, NumberAnswer)
    assert question.answer == pytest.approx(float(found), rel=1e-9)
    exact, decimals = values_told(told)
    if exact is not None:
        assert float(exact) == pytest.approx(float(found), abs=1e-9), printed.text
    places = len(decimals.partition(".")[2])
    own = rounded(found, places)
    assert own == Fraction(decimals.replace("−", "-").replace(",", "")), (printed.text, found)
    assert places == 2 or own == rounded(found, 9), "it has more decimals than the key"
    typed = decimals if places else str(int(own))
    assert mark_answer(question, parse_answer(question, typed)).right, (printed.text, typed)


@pytest.mark.parametrize("name", sorted(MAKERS))
def test_each_question_is_solved_from_its_sheet_which_says_if_two_decimals_do(name: str) -> None:
    """It says so with every question of the kind, so that it gives no number away."""
    questions = asked(MAKERS[name])
    printed = on_paper(questions)
    for question, (shown, told) in zip(questions, printed, strict=True):
        check(question, shown, told)
    answers = [SOLVERS[name](shown) for shown, _ in printed[:60]]
    has_more = any(not isinstance(x, str) and rounded(x, 2) != rounded(x, 9) for x in answers)
    assert {"Two decimals are enough." in shown.text for shown, _ in printed[:60]} == {has_more}


@pytest.mark.parametrize("seed", some(range(100), 20))
def test_a_whole_set_is_solved_from_its_sheet(seed: int) -> None:
    questions = [drawn.question for drawn in mixed_set(list(QUESTIONS), seed)]
    for question, (printed, told) in zip(questions, on_paper(questions), strict=True):
        check(question, printed, told)


def test_a_key_that_is_wrong_in_its_last_digit_or_option_is_noticed() -> None:
    number, choice = MAKERS["cosine"](1), MAKERS["basis"](1)
    for question, wrong in ((number, "−0.93"), (choice, choice.kind.options[0])):  # type: ignore[union-attr]
        ((printed, told),) = on_paper([question])
        check(question, printed, told)
        with pytest.raises(AssertionError):
            check(question, printed, wrong.replace("$", ""))


def test_each_kind_of_question_has_one_solver() -> None:
    assert {*MAKERS} == {*SOLVERS}
    assert len(SOLVERS) == sum(map(len, ROOMS))


def test_no_solver_knows_more_than_what_is_printed() -> None:
    """It imports nothing of the product, so it has neither a run nor an answer of it."""
    rooms = [path for path in Path(__file__).parent.glob("*.py") if path != Path(__file__)]
    assert len(rooms) == 6
    for room in rooms:
        source = room.read_text(encoding="utf-8")
        assert not re.search(r"^\s*(from|import) (core|stage|ui|pages|app)\b", source, re.M), room
