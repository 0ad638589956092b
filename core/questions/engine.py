"""The question engine: a question makes its own numbers from a seed and computes its answer.

A maker draws a question from a seed, the same one on every machine. `mark_answer` says whether an
answer is right, how far off it is, and which usual mistake it shows. A question may be asked only
if no such mistake can pass for the answer or for another mistake; otherwise the maker draws again.
What a person does with a question, try by try, is in `tries.py`; how texts are written in
`texts.py`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from core.hash_random import Draw
from core.program.labels import axis_labels
from core.program.numbers.arithmetic import ArithmeticLine
from core.program.numbers.display import shown_matrix, without_spare_decimals
from core.program.numbers.rounding import CELL_DECIMALS, operand_text
from core.program.patterns import Cell
from core.program.trace import Trace
from core.questions.answers import Answer, CellPick, Choice, FreeText, NumberAnswer, written_number
from core.questions.step_picture import StepPicture

MOST_DRAWS = 1000


@dataclass(frozen=True)
class WrongAnswer:
    """A usual mistake: what it is called, what it leads to, and why that is not the answer here.

    `name` completes "It looks as if …"; it is "" of an option that says itself what it is.
    `hint` does not say the answer, and holds for the numbers of its question. It is "" where
    the question's explanation says it.
    """

    name: str
    value: Answer
    hint: str


@dataclass(frozen=True)
class QuestionTable:
    """Numbers to show with a question, as texts.

    `corner` says what its rows are, or rows and columns; `marked` is the cell to look at, if any.
    """

    title: str
    corner: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]
    marked: tuple[int, int] | None = None


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

    `hint` says how to begin. `wrong` are the usual mistakes; of a choice, all the other options.
    `would_mean` says of any other number what it would come to, worked with that number.

    For after the answer: `working`, the lines that lead to a number; `explanation`; `evidence`,
    or tables `after` in its place. `fact` is what holds whatever the numbers, of a question whose
    answer never varies.

    `picture` says what its tables say if there is a step to draw, and `picture_after` is the same
    with the answer. `title` names what is asked in a few words, where nothing else does.
    """

    id: str
    prompt: str
    kind: NumberAnswer | CellPick | Choice | FreeText
    answer: Answer
    wrong: tuple[WrongAnswer, ...]
    explanation: str
    hint: str = ""
    fact: str = ""
    tables: tuple[QuestionTable, ...] = ()
    after: tuple[QuestionTable, ...] = ()
    working: tuple[ArithmeticLine, ...] = ()
    would_mean: Callable[[float], str] | None = field(default=None, compare=False)
    evidence: tuple[Evidence, ...] = field(default=(), compare=False)
    picture: StepPicture | None = field(default=None, compare=False)
    picture_after: StepPicture | None = field(default=None, compare=False)
    title: str = ""

    @property
    def is_free(self) -> bool:
        """Whether any text is an answer, and none is right or wrong."""
        return isinstance(self.kind, FreeText)


@dataclass(frozen=True)
class AnswerVerdict:
    """How an answer was: `gap` is given minus right where that is a number."""

    right: bool
    given: str
    answer: str
    gap: float | None = None
    mistake: WrongAnswer | None = None


def mark_answer(question: Question, given: Answer) -> AnswerVerdict:
    """Compare an answer with the right one, and with the usual mistakes if it is wrong."""
    kind, answer = question.kind, question.answer
    right = kind.same(given, answer)
    mistakes = (w for w in question.wrong if not right and kind.same(given, w.value))
    said, text, gap = kind.given_text(given), kind.text(answer), kind.gap(given, answer)
    return AnswerVerdict(right, said, text, gap, next(mistakes, None))


def parse_answer(question: Question, text: str) -> Answer:
    """What a person typed, as an answer to this question. Raises `InputError`."""
    return question.kind.parse(text)


def written_answer(question: Question, text: str) -> str:
    """Return an answer as its person wrote it, for others to read: 1/3, −1 or −∞, not 0.333333.

    Raises `InputError` if it is none.
    """
    answer = parse_answer(question, text)
    is_number = isinstance(question.kind, NumberAnswer)
    return written_number(text) if is_number else question.kind.text(answer)


def is_askable(question: Question) -> bool:
    """Whether every answer means one thing: right, or one mistake, or neither.

    All values must be possible answers, and no answer may be taken for two of them.
    """
    values = [question.answer, *(wrong.value for wrong in question.wrong)]
    kind = question.kind
    return all(kind.allows(value) for value in values) and not any(
        kind.confusable(a, b) for n, a in enumerate(values) for b in values[:n]
    )


class QuestionMaker:
    """Makes a question of a seed: draws until it can be asked, and names it `name.seed`.

    One that goes `beyond` asks for more than the step that its chapter explains: who has only
    walked through that step cannot answer it yet.
    """

    def __init__(
        self, name: str, draw_once: Callable[[Draw], Question | None], *, beyond: bool = False
    ) -> None:
        self.name, self.draw_once, self.beyond = name, draw_once, beyond
        self.__doc__ = draw_once.__doc__
        self._made = lru_cache(maxsize=64)(self._make)  # a page draws it again at every change

    def __call__(self, seed: int) -> Question:
        return self._made(seed)

    def _make(self, seed: int) -> Question:
        for attempt in range(MOST_DRAWS):
            question = self.draw_once(Draw(f"question:{self.name}:{seed}:{attempt}"))
            if question is not None and is_askable(question):
                return replace(question, id=f"{self.name}.{seed}")
        raise RuntimeError(f"{self.name}.{seed} made no question in {MOST_DRAWS} draws")


def free_question(title: str, prompt: str) -> Question:
    """Return a question that any text answers. `title` and `prompt` may have a question's marks."""
    return Question("", prompt, FreeText(), "", (), "", title=title)


def question_maker(
    name: str, *, beyond: bool = False
) -> Callable[[Callable[[Draw], Question | None]], QuestionMaker]:
    """Make a maker of a function that draws one question, or None where the numbers do not serve.

    `name` stands in links.
    """
    return lambda draw_once: QuestionMaker(name, draw_once, beyond=beyond)


def question_table(trace: Trace, array: str, title: str) -> QuestionTable:
    """The first head of an array, as it is shown everywhere, with the labels of its axes.

    If all its numbers are whole, they have no decimals.
    """
    *outer, rows, columns = axis_labels(trace, array)
    down, across = (trace.program.axis(x).word for x in trace.program.letters[array][-2:])
    corner = f"{down} ↓ {across} →"
    first = (0,) * len(outer)
    cells = without_spare_decimals(shown_matrix(trace, array, first), trace[array][first])
    return QuestionTable(title, corner, tuple(rows), tuple(columns), tuple(map(tuple, cells)))


def table_of_numbers(
    title: str,
    corner: str,
    rows: Sequence[str],
    columns: Sequence[str],
    numbers: Iterable[Iterable[float]],
) -> QuestionTable:
    """Return a table of numbers with two decimals, or as many as they have."""
    cells = tuple(tuple(operand_text(float(x), CELL_DECIMALS) for x in row) for row in numbers)
    return QuestionTable(title, corner, tuple(rows), tuple(columns), cells)


def tables_after(question: Question) -> tuple[QuestionTable, ...]:
    """What shows the answer: its tables, or its evidence where no line works the answer out."""
    if question.after or (question.working and not question.fact):
        return question.after
    return tuple(
        replace(
            question_table(seen.trace, seen.array, seen.title),
            marked=(seen.cell[-2], seen.cell[-1]) if seen.cell else None,
        )
        for seen in question.evidence
    )
