"""Questions compute their answers, tell usual mistakes apart, and read what people type."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core import InputError, attention_from
from core.chapters.walkthrough.questions import QUESTIONS as WALKTHROUGH_QUESTIONS
from core.chapters.walkthrough.questions import score_question
from core.hash_random import Draw
from core.questions import attention, engine
from core.questions.answers import Answer, CellPick, Choice, NumberAnswer
from core.questions.engine import Question, WrongAnswer, mark_answer, parse_answer, question_maker
from tests.core.support import asked, figure, read, refuses


@pytest.fixture(scope="module")
def rows() -> list[Question]:
    return asked(attention.unchanged_row_question)


def number_question(answer: float = 1.5, wrong: float = 3.0, tolerance: float = 0.01) -> Question:
    mistake = WrongAnswer("you forgot √d_k", wrong, "Divide by √d_k.")
    return Question("", "How much?", NumberAnswer(tolerance), answer, (mistake,), "So much.")


def cell_question() -> Question:
    kind = CellPick("weights", (("1",), ("The", "cat"), ("The", "cat")))
    return Question("", "Which?", kind, (0, 1, 0), (WrongAnswer("transposed", (0, 0, 1), ""),), "")


def choice_question() -> Question:
    kind = Choice(("The", "cat", "the"))
    return Question("", "Which?", kind, "the", (WrongAnswer("the first", "The", ""),), "")


def test_row_hints_say_what_the_mask_takes(rows: list[Question]) -> None:
    for question in rows:
        free = question.evidence[0].trace["weights"][0]
        for i, wrong in enumerate(question.wrong):
            number = free[0, 0] if i == 0 else free[i, i + 1 :].sum()
            numbers = [figure(w) for w in read(wrong.hint).split() if w[0].isdigit()]
            later = len(free) - 1 - i
            assert any(abs(n - number) <= 0.005 * max(1, later) + 1e-9 for n in numbers)
            if i and later > 1:  # the sum that is said is that of the numbers that are shown
                shown = [Fraction(f"{share:.2f}") for share in free[i, i + 1 :]]
                assert numbers[-1] == pytest.approx(float(sum(shown)), abs=0.011)
        assert question.wrong[0].name == "you picked the row that loses the most keys"


@pytest.mark.parametrize("maker", WALKTHROUGH_QUESTIONS.values())
def test_the_same_seed_asks_the_same_and_another_seed_another(maker: engine.QuestionMaker) -> None:
    questions = [maker(seed) for seed in range(40)]
    assert [maker(seed) for seed in (0, 1, 39)] == [questions[0], questions[1], questions[39]]
    assert len({question.answer for question in questions}) > 5
    assert len({read(question.prompt) for question in questions}) > 30
    assert len({question.id for question in questions}) == 40


def test_a_question_never_changes_between_machines() -> None:
    assert read(score_question(75).prompt).startswith("“violin met”: the query of met")
    assert score_question(75).tables[0].cells == (("3", "1", "-3", "-1"), ("0", "1", "-1", "1"))
    assert read(attention.unchanged_row_question(3).prompt).startswith("“Cleo drew Hugo”")


def test_mark_recognises_the_mistake_and_takes_answers_within_tolerance() -> None:
    verdict = mark_answer(number_question(), 3.004)
    assert (verdict.right, verdict.mistake) == (False, number_question().wrong[0])
    assert (verdict.given, verdict.answer) == ("3.004", "1.50")
    assert verdict.gap == pytest.approx(1.504)
    question = number_question()
    assert all(mark_answer(question, near).right for near in (1.5, 1.49, 1.51, 1.505))
    far = mark_answer(question, 1.52)
    assert (far.right, far.mistake) == (False, None)
    within = mark_answer(number_question(wrong=1.505), 1.505)
    assert (within.right, within.mistake) == (True, None)


@pytest.mark.parametrize("given", [math.nan, math.inf, -math.inf])
def test_mark_of_no_finite_number_is_wrong(given: float) -> None:
    assert not mark_answer(number_question(), given).right
    found = mark_answer(number_question(answer=-math.inf), given)
    assert found.right == (given == -math.inf) == (found.gap == 0)


def test_cells_and_choices_are_marked_by_being_the_same() -> None:
    assert mark_answer(cell_question(), (0, 1, 0)).right
    swapped = mark_answer(cell_question(), (0, 0, 1))
    assert swapped.mistake == cell_question().wrong[0]
    assert (swapped.given, swapped.answer) == ("weights[1, The, cat]", "weights[1, cat, The]")
    assert mark_answer(choice_question(), "the").right
    assert mark_answer(choice_question(), "cat").mistake is None


@pytest.mark.parametrize(
    "question",
    [
        number_question(wrong=1.505),
        number_question(wrong=1.5 + 0.02),
        number_question(wrong=math.nan),
        number_question(answer=math.nan),
        replace(number_question(), wrong=tuple(WrongAnswer(n, 3.0, "") for n in "ab")),
        replace(cell_question(), answer=(0, 2, 0)),
        replace(cell_question(), answer=(0, 0, 1)),
        replace(choice_question(), answer="dog"),
        replace(choice_question(), kind=Choice(("the", "the", "The"))),
    ],
)
def test_an_ambiguous_or_impossible_question_is_not_asked(question: Question) -> None:
    assert not engine.is_askable(question)
    assert all(map(engine.is_askable, (number_question(), cell_question(), choice_question())))


def test_a_maker_draws_again_until_the_question_can_be_asked() -> None:
    drawn: list[int] = []

    @question_maker("test")
    def maker(draw: Draw) -> Question | None:
        drawn.append(draw.whole(0, 3))
        return number_question(wrong=1.5 + drawn[-1]) if len(drawn) != 1 else None

    question = maker(5)
    assert question.id == "test.5"
    assert 1.5 + drawn[-1] == question.wrong[0].value != 1.5
    assert all(number == 0 for number in drawn[1:-1])


def test_a_maker_that_never_succeeds_says_so() -> None:
    @question_maker("hopeless")
    def maker(draw: Draw) -> Question | None:
        return None

    with pytest.raises(RuntimeError, match=r"hopeless\.0"):
        maker(0)


def test_draws_stay_in_range_and_reach_every_value() -> None:
    draw = Draw("key")
    numbers = draw.wholes(-2, 2, 200)
    assert set(numbers) == {-2, -1, 0, 1, 2}
    assert sorted(draw.some_of("abc", 3)) == ["a", "b", "c"]
    assert Draw("key").wholes(-2, 2, 200) == numbers != Draw("other").wholes(-2, 2, 200)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.5", 1.5), ("1,5", 1.5), ("−0.5", -0.5), ("–0,5", -0.5), ("- 2", -2), ("+2", 2),
        (" 7 ", 7), (".5", 0.5), ("5.", 5), ("1/4", 0.25), ("-1 / 4", -0.25), ("1⁄4", 0.25),
        ("1.5/2", 0.75), ("25%", 0.25), ("25 %", 0.25), ("12,5 %", 0.125), ("2e-3", 0.002),
        ("1E2", 100), ("-inf", -math.inf), ("−∞", -math.inf), ("∞", math.inf), ("0,125", 0.125),
        ("-0", 0), ("2.333", 2.333),
    ],
)  # fmt: skip
def test_numbers_are_read_as_people_write_them(text: str, value: float) -> None:
    assert parse_answer(number_question(), text) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty; it must be a number"),
        ("  ", "is empty"),
        ("1,500", "'1,500' can be read in two ways; .* write 1.500 or 1500"),
        ("12,500", "'12,500' can be read in two ways; .* write 12.500 or 12500"),
        ("-150,000", "'-150,000' can be read in two ways; .* write -150.000 or -150000"),
        ("1/0", "'1/0' divides by 0"),
        ("two", "'two' is not a number; it must be one number: write it as 1.5"),
        ("1.234,5", "is not a number"),
        ("1 500", "is not a number"),
        ("1/2/3", "is not a number"),
        ("1_000", "is not a number"),
        ("nan", "is not a number"),
        ("0x10", "is not a number"),
        ("1e999", "is too large"),
        ("1e99", "is too large; the limit is 1,000,000,000"),
        ("9" * 5000, "is not a number"),
        ("__import__('os')", "is not a number"),
    ],
)
def test_what_is_no_number_is_refused_with_a_remedy(text: str, message: str) -> None:
    refuses(message, parse_answer, number_question(), text)


def test_cells_are_typed_as_counted_from_one() -> None:
    question = replace(cell_question(), kind=CellPick("scores", (("a", "b"), ("a", "b", "c"))))
    assert parse_answer(question, "2, 3") == (1, 2)
    assert parse_answer(question, "(1 2)") == (0, 1)
    said = "is not a cell of scores; it is 2 × 3, counted from 1"
    for text in ("", "0, 1", "3, 1", "1", "1, 1, 1", "a, b", "1, 1" + "x" * 99):
        refuses(said, parse_answer, question, text)


def test_choices_may_be_typed_and_case_decides_only_where_it_must() -> None:
    assert parse_answer(choice_question(), " CAT ") == "cat"
    assert parse_answer(choice_question(), "The") == "The"
    for text in ("THE", "dog", ""):
        with pytest.raises(InputError, match="is not an option; the options are The, cat, the"):
            parse_answer(choice_question(), text)


@given(st.text() | st.text("0123456789.,/%eE+-−∞ inf", max_size=12))
@example("1e-99")
@example("0" * 30 + "%")
def test_any_text_is_an_answer_or_refused_with_a_short_message(text: str) -> None:
    for question in (number_question(), cell_question(), choice_question()):
        answer = answer_or_message(question, text)
        if isinstance(answer, InputError):
            assert len(str(answer)) < 300
            assert all((answer.value, answer.limit, answer.remedy))
        else:
            assert question.kind.allows(answer)
            mark_answer(question, answer)


def answer_or_message(question: Question, text: str) -> Answer | InputError:
    try:
        return parse_answer(question, text)
    except InputError as refused:
        return refused


@pytest.mark.parametrize(
    ("given", "heard"),
    [(99.0, "99"), (0.123, "0.123"), (1 / 3, "0.333333"), (-2.5, "-2.50"), (-math.inf, "-inf")],
)
def test_what_was_said_is_repeated_as_it_was(given: float, heard: str) -> None:
    assert mark_answer(number_question(answer=8192), given).given == heard


def test_the_corner_of_a_table_names_its_rows_and_its_columns() -> None:
    table = engine.question_table(
        attention_from(np.eye(2), np.eye(3, 2), np.eye(3, 4)), "weights", "W"
    )
    assert (len(table.rows), len(table.columns)) == (2, 3)
    assert table.corner == "query ↓ key →"
