"""Texts with marks, numbers typeset, lines worked to their decimals; what papers print."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.program import formulas as f
from core.program.numbers.arithmetic import ArithmeticLine, arithmetic_line
from core.questions import answers, texts, tries
from core.questions.engine import QuestionMaker, tables_after
from core.questions.texts import equation, formula_rows, product_of, quotient_of, text_parts, worked
from tests.core.support import asked, every_maker, read


def test_a_text_is_cut_into_its_kinds() -> None:
    found = text_parts("The key of *cat* has $d_k = 4$; `x_1` too.")
    assert found == [
        ("prose", "The key of "), ("token", "cat"), ("prose", " has "), ("maths", "d_k = 4"),
        ("prose", "; "), ("code", "x_1"), ("prose", " too."),
    ]  # fmt: skip
    assert text_parts("") == []
    assert text_parts("$x$") == [("maths", "x")]


@pytest.mark.parametrize(
    ("value", "rounded", "short", "close"),
    [
        (1.5, "$1.50$", "$1.5$", "$1.5$"),
        (-2.0, "$-2.00$", "$-2$", "$-2$"),
        (1 / 3, "$0.33$", r"$\approx 0.33$", r"$\approx 0.33$"),
        (0.0625, "$0.06$", "$0.0625$", r"$\approx 0.06$"),
        (-0.125, "$-0.13$", "$-0.125$", r"$\approx -0.13$"),
        (3e-7, r"$3 \times 10^{-7}$", r"$3 \times 10^{-7}$", r"$3 \times 10^{-7}$"),
    ],
)
def test_numbers_are_typeset(value: float, rounded: str, short: str, close: str) -> None:
    assert (texts.numeral(value), texts.exact_number(value), texts.about(value)) == (
        rounded,
        short,
        close,
    )


@given(st.floats(-1e9, 1e9))
def test_a_number_that_may_be_worked_with_is_not_rounded_unsaid(value: float) -> None:
    latex = texts.exact_number(value).strip("$")
    if "approx" not in latex:
        printed = float(re.sub(r" \\times 10\^\{(-?\d+)\}", r"e\1", latex).replace("{,}", ""))
        assert printed == pytest.approx(value, rel=1e-11, abs=0)


def test_an_equation_says_whether_it_is_rounded() -> None:
    assert equation(product_of(0.7, 2)) == "$(0.7)(2) = 1.4$"
    assert equation(quotient_of(2, 3)) == r"$\dfrac{2}{3} \approx 0.67$"


def test_lines_take_the_decimals_that_their_end_needs() -> None:
    def made(decimals: int) -> tuple[ArithmeticLine, ...]:
        first = arithmetic_line(texts.call_of("exp", 5), decimals)
        return first, arithmetic_line(product_of(first.right, 0.01013), decimals)

    lines = worked("1.50", made)
    assert [made.plain() for made in lines] == ["exp(5) ≈ 148.41", "148.41*0.01013 ≈ 1.50"]
    with pytest.raises(ValueError, match=r"do not end in 9\.99"):
        worked("9.99", made)


def test_an_open_line_does_not_show_its_result() -> None:
    lines = (arithmetic_line(product_of(2, 3), 0), arithmetic_line(quotient_of(6, 4), 2))
    solved, unsolved = (" ".join(map(f.latex, formula_rows(lines, end))) for end in (True, False))
    assert solved.endswith(r"\dfrac{6}{4} = 1.5")
    assert unsolved == r"(2)(3) = 6 \dfrac{6}{4} = \text{?}"


@every_maker
def test_a_whole_answer_has_no_decimals_an_open_one_a_question_mark(maker: QuestionMaker) -> None:
    for question in asked(maker):
        if question.working:  # after a second wrong number it is shown so
            assert f.latex(formula_rows(question.working, solved=False)[-1]).endswith("?}")
        if not isinstance(question.kind, answers.NumberAnswer):
            continue
        assert isinstance(question.answer, int | float)
        printed = [read(tries.answer_said(question)).rstrip(".")]
        if question.working:
            printed.append(f.latex(formula_rows(question.working)[-1]))
        whole = abs(question.answer - round(question.answer)) < 1e-9
        for text in printed:
            last = re.findall(r"[\d,]+(?:\.\d+)?$", text.replace("{,}", ","))[0]
            assert ("." in last) != whole, (question.id, text)


@every_maker
def test_a_row_of_queries_is_not_called_as_a_key(maker: QuestionMaker) -> None:
    """As many queries as keys are the same tokens; of fewer the question names those that are."""
    for question in asked(maker):
        for table in (*question.tables, *tables_after(question)):
            assert len(table.rows) == len(table.cells)
            assert all(len(table.columns) == len(row) for row in table.cells)
            assert len(set(table.rows)) == len(table.rows)
            assert len(set(table.columns)) == len(table.columns)
            if table.corner == "query ↓ key →" and len(table.rows) != len(table.columns):
                alike = set(table.rows) & set(table.columns)
                assert all(f"*{token}*" in question.prompt for token in alike), question.id
