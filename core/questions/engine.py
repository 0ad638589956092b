"""The question engine: a question makes its own numbers from a seed and computes its answer.

A maker draws a question from a seed, the same one on every machine. `mark` says whether an answer
is right, how far off it is, and which usual mistake it shows. A question may be asked only if no
such mistake can pass for the answer or for another mistake; otherwise the maker draws again.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TypeVar

from core.draws import Draw
from core.program.display import shown_matrix
from core.program.labels import axis_labels
from core.program.patterns import Cell
from core.program.trace import Trace
from core.questions.answers import Answer, CellPick, Choice, Number

MOST_DRAWS = 1000
T = TypeVar("T")


@dataclass(frozen=True)
class WrongAnswer:
    """A usual mistake: what it is called, what it leads to, and what to think of instead."""

    name: str
    value: Answer
    hint: str


@dataclass(frozen=True)
class Table:
    """Numbers to show with a question, as texts."""

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, eq=False)
class Evidence:
    """Where the answer can be seen: an array of a trace, and the cell if it is one."""

    title: str
    trace: Trace
    array: str
    cell: Cell | None = None


@dataclass(frozen=True)
class Question:
    """What is asked, in what form the answer comes, and the answer as it was computed.

    `explanation` and `evidence` are for after the answer; everything else may be shown before.
    """

    id: str
    prompt: str
    kind: Number | CellPick | Choice
    answer: Answer
    wrong: tuple[WrongAnswer, ...]
    explanation: str
    tables: tuple[Table, ...] = ()
    evidence: tuple[Evidence, ...] = field(default=(), compare=False)


@dataclass(frozen=True)
class Verdict:
    """How an answer was: `gap` is given minus right where that is a number."""

    right: bool
    given: str
    answer: str
    gap: float | None = None
    mistake: WrongAnswer | None = None


def mark(question: Question, given: Answer) -> Verdict:
    """Compare an answer with the right one, and with the usual mistakes if it is wrong."""
    kind = question.kind
    right = kind.same(given, question.answer)
    mistakes = (w for w in question.wrong if not right and kind.same(given, w.value))
    return Verdict(
        right,
        kind.heard(given),
        kind.text(question.answer),
        kind.gap(given, question.answer),
        next(mistakes, None),
    )


def parse_answer(question: Question, text: str) -> Answer:
    """What a person typed, as an answer to this question. Raises `InputError`."""
    return question.kind.parse(text)


def is_askable(question: Question) -> bool:
    """Whether every answer means one thing: right, or one mistake, or neither.

    All values must be possible answers, and no answer may be taken for two of them.
    """
    values = [question.answer, *(wrong.value for wrong in question.wrong)]
    kind = question.kind
    return all(kind.allows(value) for value in values) and not any(
        kind.confusable(a, b) for n, a in enumerate(values) for b in values[:n]
    )


QuestionMaker = Callable[[int], Question]


def question_maker(name: str) -> Callable[[Callable[[Draw], Question | None]], QuestionMaker]:
    """Make a maker of a function that draws one question, or None where the numbers do not serve.

    The maker draws until the question can be asked, and names it after itself and its seed.
    """

    def decorate(draw_once: Callable[[Draw], Question | None]) -> QuestionMaker:
        @lru_cache(maxsize=64)  # a page draws its questions again at every change
        def make(seed: int) -> Question:
            for attempt in range(MOST_DRAWS):
                question = draw_once(Draw(f"question:{name}:{seed}:{attempt}"))
                if question is not None and is_askable(question):
                    return replace(question, id=f"{name}:{seed}")
            raise RuntimeError(f"{name}:{seed} made no question in {MOST_DRAWS} draws")

        make.__name__, make.__doc__ = draw_once.__name__, draw_once.__doc__
        return make

    return decorate


def table(trace: Trace, array: str, title: str) -> Table:
    """The first head of an array, as it is shown everywhere, with the labels of its axes."""
    *outer, rows, columns = axis_labels(trace, array)
    cells = shown_matrix(trace, array, (0,) * len(outer))
    return Table(title, tuple(rows), tuple(columns), tuple(map(tuple, cells)))
