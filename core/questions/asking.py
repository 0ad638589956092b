"""How a maker states its question: the id of its texts, and the numbers that go into them.

The texts of a question are `<id>_prompt`, `<id>_hint` and `<id>_explanation`. A usual mistake has
its name under an id of its own and its hint under `<id>_hint`. Of the question's values each text
gets those that it asks for.
"""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from core.program.numbers.arithmetic import ArithmeticLine, Expression, arithmetic_line
from core.program.numbers.rounding import CELL_DECIMALS
from core.questions.answers import Answer, CellPick, Choice, NumberAnswer
from core.questions.engine import Question, WrongAnswer
from core.texts.text_file import Plain, TextFile

NOUNS = ("cat", "owl", "river", "bank", "train", "fox", "robot", "violin")
VERBS = ("saw", "met", "heard", "drew", "found", "called", "fed", "followed")
NOUNS_AND_NAMES = (*NOUNS, "Ada", "Ben", "saw")
"""Words to draw. Another word or order makes other questions of the same seeds."""


class Asking:
    """A question in the making: the id of its texts, and the values that are filled into them."""

    def __init__(self, texts: TextFile[Plain], id: str, **values: object) -> None:
        self.texts, self.id, self.values = texts, id, values

    def __call__(self, id: str, **values: object) -> Plain:
        """Return the text of an id, with these values and those of the question's it asks for."""
        shared = self.texts.placeholders(id) & self.values.keys()
        return self.texts(id, **{name: self.values[name] for name in shared} | values)

    def mistake(
        self, id: str, value: Answer | Fraction, hint: str = "", **values: object
    ) -> WrongAnswer:
        """Return a usual mistake; `hint` is the id of its hint if that is not `<id>_hint`."""
        said = Asking(self.texts, self.id, **self.values | values)
        return WrongAnswer(said(id), _answer(value), said(hint or f"{id}_hint"))

    def question(
        self,
        kind: NumberAnswer | CellPick | Choice,
        answer: Answer | Fraction,
        wrong: Mapping[str, Answer | Fraction] | Iterable[WrongAnswer],
        working: Sequence[Expression | ArithmeticLine] = (),
        **more: Any,
    ) -> Question:
        """Return the question.

        `wrong` are its mistakes, or what each leads to by its id. Those of a choice may be of all
        options: none is of the answer. `working` are lines, or what they work out: the last one
        has the decimals of the answer. `more` are other fields of a `Question`.
        """
        if isinstance(wrong, Mapping):
            wrong = [self.mistake(id, value) for id, value in wrong.items()]
        return Question(
            id="",
            prompt=self(f"{self.id}_prompt"),
            kind=kind,
            answer=_answer(answer),
            wrong=tuple(w for w in wrong if w.value != answer or not isinstance(kind, Choice)),
            hint=self(f"{self.id}_hint"),
            explanation=self(f"{self.id}_explanation"),
            working=_lines(working, kind),
            **more,
        )


def _answer(value: Answer | Fraction) -> Answer:
    return float(value) if isinstance(value, Fraction) else value


def _lines(
    working: Sequence[Expression | ArithmeticLine], kind: NumberAnswer | CellPick | Choice
) -> tuple[ArithmeticLine, ...]:
    """Lines of arithmetic; an answer that is a number ends the last with all its decimals."""
    decimals, last = CELL_DECIMALS, 0
    if isinstance(kind, NumberAnswer):
        decimals, last = kind.decimals, len(working)
    return tuple(
        made
        if isinstance(made, ArithmeticLine)
        else arithmetic_line(made, decimals, trim=n != last)
        for n, made in enumerate(working, 1)
    )
