"""What a worksheet and its key print of every question: whole numbers as such, and true labels."""

import re

from core.program import formulas as f
from core.questions.answers import NumberAnswer
from core.questions.engine import QuestionMaker, tables_after
from core.questions.texts import formula_rows
from core.questions.tries import answer_said
from tests.core.support import asked, every_maker, read


@every_maker
def test_a_whole_answer_has_no_decimals_an_open_one_a_question_mark(maker: QuestionMaker) -> None:
    for question in asked(maker):
        if question.working:  # after a second wrong number it is shown so
            assert f.latex(formula_rows(question.working, solved=False)[-1]).endswith("?}")
        if not isinstance(question.kind, NumberAnswer):
            continue
        assert isinstance(question.answer, int | float)
        printed = [read(answer_said(question)).rstrip(".")]
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
