"""Questions of one set: none prints the numbers in which another's answer is seen."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from core.practice_set import QUESTIONS, mixed_set
from core.questions.attention import unchanged_row_question
from core.questions.engine import Question, question_table, tables_after
from tests.sampling import some


def given_away(questions: Sequence[Question]) -> list[tuple[str, str]]:
    """A question and another one that prints the matrix of its answer."""
    found = []
    for asking in questions:
        answers = [question_table(e.trace, e.array, "").cells for e in asking.evidence]
        answers += [table.cells for table in tables_after(asking)]
        found += [
            (asking.id, other.id)
            for other in questions
            if other is not asking and any(table.cells in answers for table in other.tables)
        ]
    return found


@pytest.mark.parametrize("seed", some(range(200), 16))
def test_no_question_of_a_set_prints_the_matrix_of_another_answer(seed: int) -> None:
    assert given_away([drawn.question for drawn in mixed_set(list(QUESTIONS), seed)]) == []


def test_a_set_that_does_is_noticed() -> None:
    asking = unchanged_row_question(0)
    telling = replace(unchanged_row_question(1), tables=tables_after(asking))
    assert given_away([asking, telling]) == [(asking.id, telling.id)]
