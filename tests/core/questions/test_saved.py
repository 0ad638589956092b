"""A question that was written as JSON is asked, marked and explained as before."""

import json
import math
from dataclasses import replace

import pytest

from core.errors import InputError
from core.hash_random import Draw
from core.program import formulas as f
from core.program.numbers.arithmetic import ArithmeticLine, PrintedNumber, Sum
from core.questions import answers, engine, tally, tries
from core.questions.saved import LONGEST, question_from_json, question_to_json
from core.questions.texts import formula_rows
from tests.core.support import every_maker, refuses
from tests.sampling import SEEDS, some

INFINITE = engine.Question("", "What?", answers.NumberAnswer(0.01), -math.inf, (), "")


def texts_given(question: engine.Question) -> list[str]:
    """What somebody may type: the answer, each mistake, and what is neither."""
    given = [question.answer, *(wrong.value for wrong in question.wrong)]
    written = [", ".join(str(n + 1) for n in v) if isinstance(v, tuple) else str(v) for v in given]
    return [*written, "0.37", "54321", "two"]


def marked(question: engine.Question, text: str) -> object:
    try:
        given = engine.parse_answer(question, text)
    except InputError as error:
        return str(error)
    said = tries.reply(replace(question, would_mean=None), tries.Tries((given,)))
    return engine.mark_answer(question, given), said


def worked(question: engine.Question) -> list[str]:
    return [f.latex(row) for row in formula_rows(question.working)] if question.working else []


def assert_asks_the_same(question: engine.Question) -> None:
    kept = question_from_json(question_to_json(question))
    assert replace(kept, after=question.after) == question
    assert engine.tables_after(kept) == engine.tables_after(question)
    assert tries.answer_said(kept) == tries.answer_said(question)
    assert worked(kept) == worked(question)
    for text in texts_given(question):
        assert marked(kept, text) == marked(question, text)
    given = texts_given(question)
    assert tally.tally(kept, given) == tally.tally(question, given)


@every_maker
def test_each_question_of_a_chapter_is_the_same_question_again(maker: engine.QuestionMaker) -> None:
    for seed in some(SEEDS, 20):
        assert_asks_the_same(maker(seed))


def test_a_free_text_and_an_endless_number_are_kept() -> None:
    for question in (engine.free_question("Title", "Say *it*."), INFINITE):
        assert_asks_the_same(question)
    assert question_from_json(question_to_json(INFINITE)).answer == -math.inf
    json.loads(question_to_json(INFINITE), parse_constant=pytest.fail)


def test_a_working_that_is_too_long_is_left_out_and_longer_questions_are_refused() -> None:
    draw = Draw("terms")
    terms = tuple(PrintedNumber(str(draw.whole(10_000, 99_999))) for _ in range(LONGEST // 20))
    long = replace(INFINITE, working=(ArithmeticLine(Sum(terms), PrintedNumber("1")),))
    assert question_from_json(question_to_json(long)) == INFINITE
    refuses("characters", question_to_json, replace(INFINITE, prompt="x" * LONGEST))


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "3", "[]", "null", '{"class": "Question"}', '{"class": "InputError"}',
        '{"class": "Choice", "options": ["a"]}', '{"class": 3}', '{"number": "x"}', "[" * 100_000,
        question_to_json(INFINITE).replace('"prompt"', '"prmpt"'),
    ],
)  # fmt: skip
def test_a_text_that_is_no_question_is_refused(text: str) -> None:
    refuses("cannot be read", question_from_json, text)
