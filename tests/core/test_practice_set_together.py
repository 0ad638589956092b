"""Questions of one set: none prints the numbers in which another's answer is seen."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from core.practice_set import QUESTIONS, mixed_set
from core.questions.attention import first_weight_question, unchanged_row_question
from core.questions.engine import Question, QuestionTable, question_table, tables_after
from tests.core.support import MAKERS, asked, read
from tests.sampling import some

Cell = tuple[str, str, str, str]
"""An array, the labels of a place in it, and the number there as it is printed."""


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


def arrays_of(question: Question, table: QuestionTable) -> set[str]:
    """Which arrays of its runs a table of a question prints."""
    return {
        array
        for seen in question.evidence
        for array in seen.trace.steps
        if seen.trace[array].ndim >= 2
        and question_table(seen.trace, array, table.title).cells == table.cells
    }


def asked_cells(question: Question) -> Iterator[Cell]:
    """The cells in which its answer is seen."""
    for seen in question.evidence:
        if seen.cell:
            table = question_table(seen.trace, seen.array, "")
            i, j = seen.cell[-2:]
            yield seen.array, table.rows[i], table.columns[j], table.cells[i][j]


def printed_cells(question: Question) -> Iterator[Cell]:
    """All cells of its tables."""
    for table in question.tables:
        for array in arrays_of(question, table):
            for row, cells in zip(table.rows, table.cells, strict=True):
                yield from ((array, row, *one) for one in zip(table.columns, cells, strict=True))


def cells_given_away(questions: Sequence[Question]) -> list[tuple[str, str, Cell]]:
    """A question, another one, and the cell that the first asks for and the other prints."""
    return [
        (asking.id, other.id, cell)
        for asking in questions
        for other in questions
        if other is not asking
        for cell in {*asked_cells(asking)} & {*printed_cells(other)}
    ]


SETS = [
    *((list(QUESTIONS), seed) for seed in some(range(200), 16)),
    *(([chapter], seed) for chapter in QUESTIONS for seed in some(range(20), 20)),
]
"""Chapters and seed of sets of ten; an exit quiz is such a set too."""


@pytest.mark.parametrize(("chapters", "seed"), SETS)
def test_no_question_of_a_set_prints_what_another_asks_for(chapters: list[str], seed: int) -> None:
    questions = [drawn.question for drawn in mixed_set(chapters, seed)]
    assert cells_given_away(questions) == []
    assert given_away(questions) == [], "the matrix of the answer"


def test_a_set_that_prints_an_asked_cell_is_noticed() -> None:
    asking = first_weight_question(0)
    (seen,) = asking.evidence
    table = question_table(seen.trace, "weights", "Weights")
    telling = replace(unchanged_row_question(1), tables=(table,), evidence=asking.evidence)
    (found,) = cells_given_away([asking, telling])
    assert found[:2] == (asking.id, telling.id)
    assert found[2][0] == "weights"


def test_a_text_that_one_question_gives_the_work_of_is_not_asked_for_by_another() -> None:
    given, wanted = set(), set()
    for question in asked(MAKERS["longer-text"]):
        d, short, _, long = (int(text) for text in re.findall(r"\d+", read(question.prompt)))
        given.add((d, short))
        wanted.add((d, long))
    assert given & wanted == set()


def test_a_set_that_does_is_noticed() -> None:
    asking = unchanged_row_question(0)
    telling = replace(unchanged_row_question(1), tables=tables_after(asking))
    assert given_away([asking, telling]) == [(asking.id, telling.id)]
