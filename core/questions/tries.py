"""What a person does with one question, try by try, and what is said to it.

Nothing here says the answer before it is found or asked for, or no other is left.
"""

import math
from dataclasses import dataclass, replace

from core.program.numbers.arithmetic import ArithmeticLine
from core.questions.answers import Answer, Choice, NumberAnswer
from core.questions.engine import AnswerVerdict, Question, mark_answer
from core.questions.texts import printed
from core.texts import core_texts

TEXTS = core_texts("questions")
CLOSE = 3
"""A number that is off by no more than so many tolerances was most often rounded too early."""


@dataclass(frozen=True)
class Tries:
    """The answers that a person gave, and whether the hint or the answer was asked for."""

    given: tuple[Answer, ...] = ()
    hinted: bool = False
    shown: bool = False

    def with_answer(self, answer: Answer) -> "Tries":
        """One try more; the same answer once more is none."""
        return self if self.given[-1:] == (answer,) else replace(self, given=(*self.given, answer))


@dataclass(frozen=True)
class Reply:
    """What is said to the last try: whether it is right, in a word, why, and lines to go on from.

    The last line of `working` is for the person to finish.
    """

    right: bool
    said: str
    why: str = ""
    working: tuple[ArithmeticLine, ...] = ()


def is_settled(question: Question, tries: Tries) -> bool:
    """Whether the answer may be said: it is found, it was asked for, or no other is left."""
    if tries.shown or any(mark_answer(question, answer).right for answer in tries.given):
        return True
    kind = question.kind
    return isinstance(kind, Choice) and len(set(tries.given)) >= len(kind.options) - 1


def reply(question: Question, tries: Tries) -> Reply | None:
    """What is said to the last answer; None before the first."""
    if not tries.given:
        return None
    verdict = mark_answer(question, tries.given[-1])
    if verdict.right:
        return Reply(True, TEXTS("right"))
    if isinstance(question.kind, NumberAnswer):
        return _of_number(question, tries, verdict)
    why = verdict.mistake.hint if verdict.mistake else ""
    return Reply(False, TEXTS("not_that_option", given=verdict.given), why)


def answer_said(question: Question) -> str:
    """The answer in a sentence. Only for when it is settled."""
    text = question.kind.text(question.answer)
    if isinstance(question.kind, NumberAnswer):
        return TEXTS("answer_number", answer=printed(text))
    return TEXTS("answer_option", answer=text)


def _of_number(question: Question, tries: Tries, verdict: AnswerVerdict) -> Reply:
    text = TEXTS("not_that_number", given=printed(verdict.given))
    if verdict.mistake:
        mistake = verdict.mistake
        return Reply(False, text, TEXTS("mistake", mistake=mistake.name, hint=mistake.hint))
    given = float(tries.given[-1])  # type: ignore[arg-type]
    if not math.isfinite(given):
        return Reply(False, text, TEXTS("finite"))
    working = question.working if len(tries.given) > 1 else ()
    why = question.would_mean(given) if question.would_mean else ""
    tolerance = question.kind.tolerance if isinstance(question.kind, NumberAnswer) else 0.0
    if given and question.kind.same(-given, question.answer):
        why = TEXTS("wrong_sign")
    elif verdict.gap is not None and abs(verdict.gap) <= CLOSE * tolerance < CLOSE * 0.1:
        why = TEXTS("close", more=why)
    return Reply(False, text, why, working)
