"""A covered cell of a run as a question: its number is the answer, a mistake's number is named."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from core.attention.mistakes.hand_mistakes import KNOWN_MISTAKES
from core.errors import input_error
from core.program import formulas as f
from core.program.axes import HEAD
from core.program.explanations import arithmetic
from core.program.labels import cell_id, cell_name, off_stage, told_cell, told_label
from core.program.numbers.display import shown_matrix
from core.program.numbers.rounding import CELL_DECIMALS, fraction_text, rounded, settled
from core.program.paper import PrintedRun, worked_on_paper
from core.program.patterns import Cell
from core.program.trace import Trace
from core.questions.answers import Answer, Choice, NumberAnswer, read_number
from core.questions.engine import Question, QuestionTable, WrongAnswer
from core.questions.step_picture import answered_picture, asked_picture, needed_places
from core.questions.texts import maths
from core.texts import core_texts
from stage.document.other_runs import mistaken
from ui.page_texts import plain_ui_texts

TEXTS, STAGE = plain_ui_texts("asked"), core_texts("stage")
LINES = ("elsewhere_row", "elsewhere_column")
WHOLE = 1e-4
"""Nobody can tell 42.99995 from 43: an answer so near to a whole number is that number."""
NEAR = 0.01
"""An answer that is this near is right, whatever it was rounded to."""
MatrixTexts = Callable[[str, Cell], list[list[str]]]
"""Writes the matrix of an array at its first indices: on a screen, or on paper."""


def can_be_asked(trace: Trace, array: str, cell: Cell) -> bool:
    """Whether there is a `cell_question` for a cell: a step computes it, and it is a number."""
    if array not in trace.steps:
        return False
    value = trace[array][cell]
    return trace[array].dtype == bool or NumberAnswer(NEAR).allows(float(value))


def cell_question(trace: Trace, array: str, cell: Cell, covered: Collection[str] = ()) -> Question:
    """Return the question for one cell's number, with the matrices that it is made of as tables and
    the step that makes it as a picture. Neither has a number of an array that is `covered`.

    Raises `InputError` for a cell that is not there, that no step computes, or that is NaN.
    """
    cell = trace.checked(array, cell)
    name = cell_name(trace, array, cell)
    if not can_be_asked(trace, array, cell):
        is_given = array not in trace.steps
        raise input_error(TEXTS, "given_cell" if is_given else "no_number", cell=name)
    if trace[array].dtype == bool:
        return _visibility_question(trace, array, cell, covered)
    answer = settled(float(trace[array][cell]), WHOLE)
    kind = _kind(trace, array, cell, answer)
    operation, sources = trace.steps[array].operation, trace.sources(array, cell)
    formula = operation.formula(*map(f.name, trace.steps[array].step.operands))
    made = maths(f.row(f.name(array), f.word_formula("="), formula))
    return Question(
        id=cell_id(array, cell),
        prompt=TEXTS(
            "asked_cell",
            cell=told_cell(trace, array, cell),
            formula=made,
            sizes=_sizes(trace, formula),
            exact=np.isclose(answer, round(answer, 2), rtol=0, atol=1e-9) or np.isinf(answer),
        ),
        kind=kind,
        answer=answer,
        wrong=tuple(_mistakes(trace, array, cell, answer, kind)),
        explanation=off_stage(trace.program.meaning[array](trace, cell)),
        hint=operation.by_hand,
        tables=_tables(trace, array, cell, covered, partial(shown_matrix, trace)),
        working=arithmetic(trace, array, cell) if sources else (),
        picture=asked_picture(trace, array, cell, covered),
        picture_after=answered_picture(trace, array, cell),
    )


def question_on_paper(
    run: PrintedRun, array: str, cell: Cell, covered: Collection[str] = ()
) -> Question:
    """Return the same question as a sheet prints it. The answer is what its numbers lead to.

    Of a mask it has the empty matrix, because that says which token comes first. Raises
    `InputError` as `cell_question` does.
    """
    question = cell_question(run.exact, array, cell, covered)
    if not isinstance(question.answer, float):
        return replace(question, tables=(_empty_table(run.exact, array, cell),))
    found = float(run.on_paper[array][cell])
    is_same = found == rounded(question.answer, CELL_DECIMALS)
    return replace(
        question,
        tables=_tables(run.exact, array, cell, covered, run.matrix),
        answer=question.answer if is_same and fraction_text(question.answer) else found,
        working=arithmetic(run.on_paper, array, cell) if question.working else (),
    )


def _visibility_question(
    trace: Trace, array: str, cell: Cell, covered: Collection[str]
) -> Question:
    """Return the question whether a cell of a mask lets a query read a key."""
    down, across = trace.program.letters[array][-2:]
    options = TEXTS("visible"), TEXTS("hidden")
    answer, other = options if trace[array][cell] else options[::-1]
    why = off_stage(trace.program.meaning[array](trace, cell))
    query, key = told_label(trace, down, cell[-2]), told_label(trace, across, cell[-1])
    return Question(
        id=cell_id(array, cell),
        prompt=TEXTS("asked_mask", query=query, key=key),
        kind=Choice(options),
        answer=answer,
        wrong=(WrongAnswer("", other, ""),),
        explanation=why,
        picture=asked_picture(trace, array, cell, covered),
        picture_after=answered_picture(trace, array, cell),
    )


def _kind(trace: Trace, array: str, cell: Cell, answer: float) -> NumberAnswer:
    """A number that is right if it is near the answer, or near what the printed numbers give."""
    printed = float(worked_on_paper(trace, (array,))[array][cell])
    apart = abs(printed - answer) if np.isfinite(printed) and np.isfinite(answer) else 0.0
    return NumberAnswer(tolerance=NEAR + apart)


def _sizes(trace: Trace, formula: f.Formula) -> list[dict[str, object]]:
    """The sizes that a formula names, such as d_k, with their names as mathematics."""
    written = f.plain_formula(formula)
    named = {f"d_{letter}": size for letter, size in trace.sizes.items()}
    return [
        {"name": maths(f.name(name)), "size": size}
        for name, size in named.items()
        if name in written
    ]


def _mistakes(
    trace: Trace, array: str, cell: Cell, answer: float, kind: NumberAnswer
) -> Iterator[WrongAnswer]:
    """The mistakes that give another number here; of several with one number the first."""
    values: list[Answer] = [answer]
    for wrong in (*_known_mistakes(trace, array, cell), *_in_line(trace, array, cell)):
        if not any(kind.confusable(wrong.value, known) for known in values):
            values.append(wrong.value)
            yield wrong


def _known_mistakes(trace: Trace, array: str, cell: Cell) -> Iterator[WrongAnswer]:
    at = np.ravel_multi_index(cell, trace[array].shape)
    for mistake in mistaken(trace, KNOWN_MISTAKES):
        texts = mistake["arrays"].get(array, "").split(" ")
        value = _value(texts[at]) if len(texts) > at else None
        if value is not None:
            yield WrongAnswer(mistake["name"], value, mistake["why"])


def _in_line(trace: Trace, array: str, cell: Cell) -> Iterator[WrongAnswer]:
    """The numbers of the other cells of a cell's row, then of its column, as the stage names them.

    The stage does the same (`inLine` in stage/browser/act/covers.js).
    """
    last = trace[array].ndim - 1
    for axis, why in zip((last, last - 1)[: last + 1], LINES, strict=False):
        word = trace.program.axis(trace.program.letters[array][axis]).word
        for place in range(trace[array].shape[axis]):
            value = float(trace[array][*cell[:axis], place, *cell[axis + 1 :]])
            if place != cell[axis] and not np.isnan(value):
                yield WrongAnswer(STAGE("elsewhere", word=word), value, STAGE(why))


def _value(text: str) -> float | None:
    """The number of a cell's text; None for NaN."""
    number = read_number(text)
    if number is None:
        return None
    return number.endless * np.inf if number.endless else float(number.value)


def _tables(
    trace: Trace, array: str, cell: Cell, covered: Collection[str], texts: MatrixTexts
) -> tuple[QuestionTable, ...]:
    """The matrices that a cell is made of, but for those that are covered."""
    sources = trace.sources(array, cell).items()
    return tuple(
        _table(trace, name, cells, texts) for name, cells in sources if name not in covered
    )


def _table(trace: Trace, array: str, cells: Sequence[Cell], texts: MatrixTexts) -> QuestionTable:
    """A matrix that a cell is made of, its tokens marked; of a large one what is needed."""
    *_, down, across = ("", *trace.program.letters[array])
    matrix = texts(array, cells[0][: max(trace[array].ndim - 2, 0)])
    rows = needed_places(len(matrix), (cell[-2] if len(cell) > 1 else 0 for cell in cells))
    columns = needed_places(len(matrix[0]), (cell[-1] for cell in cells))
    words = [trace.program.axis(letter).word for letter in (down, across) if letter]
    return QuestionTable(
        title=_title(trace, array, cells[0]),
        corner=f"{words[0]} ↓ {words[1]} →" if down else f"{words[0]} →",
        rows=tuple(told_label(trace, down, i) if down else "" for i in rows),
        columns=tuple(told_label(trace, across, j) for j in columns),
        cells=tuple(tuple(matrix[i][j] for j in columns) for i in rows),
    )


def _empty_table(trace: Trace, array: str, cell: Cell) -> QuestionTable:
    """A matrix without its numbers, and the asked cell marked."""
    table = _table(trace, array, [cell], partial(shown_matrix, trace))
    at = (
        table.rows.index(told_label(trace, trace.program.letters[array][-2], cell[-2])),
        table.columns.index(told_label(trace, trace.program.letters[array][-1], cell[-1])),
    )
    return replace(table, cells=tuple(("",) * len(row) for row in table.cells), marked=at)


def _title(trace: Trace, array: str, cell: Cell) -> str:
    """An array's name, and its head if there are several."""
    for letter, at, size in zip(
        trace.program.letters[array], cell, trace[array].shape, strict=True
    ):
        if trace.program.axis(letter).kind == HEAD and size > 1:
            return TEXTS("head", name=maths(f.name(array)), number=at + 1)
    return maths(f.name(array))
