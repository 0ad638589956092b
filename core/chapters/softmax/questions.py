"""The questions about softmax: what it notices, and what a temperature makes of two scores."""

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from core.attention.inputs import toy_inputs
from core.attention.program import attention_program
from core.chapters.softmax.shares import shares_family
from core.draws import Draw
from core.program.arithmetic import Call, Difference, Quotient, line
from core.program.display import shown
from core.program.inputs import Inputs
from core.program.labels import axis_labels
from core.program.rounding import CELL_DECIMALS
from core.program.trace import Trace
from core.questions.answers import Choice, Number
from core.questions.engine import (
    Evidence,
    Question,
    QuestionMaker,
    Table,
    WrongAnswer,
    question_maker,
)
from core.questions.texts import about, equation, whole

CLEAR_CHANGE = 0.05
"""A weight that changes must change by at least this, to be seen at two decimals."""
NOTHING, GROWS, SHRINKS, ALL_GROW = (
    "No weight changes", "The largest weight grows", "The largest weight shrinks",
    "Every weight grows",
)  # fmt: skip
MOST = 0.9
"""No key has more of the row than this to begin with."""
_CHANGES: dict[str, Callable[[np.ndarray, int], np.ndarray]] = {
    "{c} is added to each of these scores": lambda scores, c: scores + c,
    "{c} is subtracted from each of these scores": lambda scores, c: scores - c,
    "Each of these scores is multiplied by {c}": lambda scores, c: scores * c,
    "Each of these scores is divided by {c}": lambda scores, c: scores / c,
}
_WORDS = ("cat", "owl", "river", "bank", "train", "fox", "robot", "violin", "Ada", "Ben", "saw")
_RAW = attention_program(heads=1, mask="none", scale=False)


@question_maker("softmax-change")
def softmax_change_question(draw: Draw) -> Question | None:
    """What does adding to, or multiplying, a row of scores do to its weights? (CONCEPTS M10)"""
    words = draw.some_of(_WORDS, 4)
    before = _RAW.run(toy_inputs(" ".join(words), heads=1, d_model=4, seed=draw.whole(0, 999)))
    row, c = draw.whole(0, len(words) - 1), draw.whole(2, 9)
    said, change = draw.one_of(tuple(_CHANGES.items()))
    after = _RAW.run(_inputs(before), pinned={"scores": change(before["scores"], c)})
    old, new = (trace["weights"][0, row] for trace in (before, after))
    answer = _what_happened(old, new)
    if answer is None:
        return None
    cell = (0, row, int(old.argmax()))
    leads = _lead(before, row), _lead(after, row)
    if answer != NOTHING and leads[0] == leads[1]:
        return None
    return Question(
        id="",
        prompt=(
            f"“{' '.join(words)}”: these are the scores of the query *{words[row]}*, which enter "
            f"softmax as they are. {said.format(c=c)}. What happens to the weights of the row?"
        ),
        kind=Choice((NOTHING, GROWS, SHRINKS, ALL_GROW)),
        answer=answer,
        wrong=_wrong_changes(answer, c, leads),
        hint=(
            "The ratio of two weights is $e$ to the difference of their scores. What becomes of "
            "the differences?"
        ),
        explanation=(
            "The ratio of two weights depends on the difference of their scores alone: adding the "
            "same number to all keeps the differences, multiplying by more than 1 stretches them, "
            "dividing by it shrinks them."
        ),
        tables=(
            Table(
                "Scores", "query ↓ key →", (words[row],), tuple(axis_labels(before, "scores")[2]),
                (tuple(shown(before, "scores", (0, row, j)) for j in range(len(words))),),
            ),
        ),
        after=(
            Table(
                f"The weights of the query *{words[row]}*", "key →", ("before", "now"),
                tuple(words),
                (_row(before, row), _row(after, row)),
            ),
        ),
        evidence=(
            Evidence("The weights before", before, "weights", cell),
            Evidence("The weights after", after, "weights", cell),
        ),
    )  # fmt: skip


@question_maker("softmax-ratio")
def ratio_question(draw: Draw) -> Question | None:
    """How many times the share of another does a key get, at a temperature? e^((a − b) / T)."""
    low, gap, temperature = draw.whole(1, 4), draw.whole(1, 4), draw.one_of((1, 2, 4))
    high = low + gap
    others = [draw.whole(-3, 5), draw.whole(-3, 5)]
    trace = shares_family([high, low, *others]).run(softmax_temperature=str(temperature))
    first, second = trace["portions"][0, 0, :2]
    answer = float(first / second)
    wrong = [
        ("you divided the logits", high / low,
         "Each logit stands in an exponent: divide the exponentials."),
        ("you took the difference of the logits", float(gap),
         "The difference is the exponent, not the ratio."),
    ]  # fmt: skip
    if temperature != 1:
        wrong += [
            ("you left out the temperature", math.exp(gap),
             "Each logit is divided by the temperature first."),
            ("you multiplied by the temperature", math.exp(gap * temperature),
             "Each logit is divided by it, not multiplied."),
        ]  # fmt: skip
    if any(abs(value - answer) < CLEAR_CHANGE * answer for _, value, _ in wrong):
        return None
    power = Quotient(Difference(*whole(high, low)), *whole(temperature))

    def would_mean(given: float) -> str:
        if given <= 0:
            return "Shares are positive, so their ratio is too."
        return (
            f"Then the logits over $T$ would differ by {about(math.log(given))}. They differ by "
            f"{equation(power)}."
        )

    return Question(
        id="",
        prompt=(
            f"Four keys have the logits ${high}$, ${low}$, ${others[0]}$ and ${others[1]}$, and "
            f"softmax is taken at temperature $T = {temperature}$. How many times the share of the "
            "second key does the first key get?"
        ),
        kind=Number(0.02 * answer),
        answer=answer,
        wrong=tuple(WrongAnswer(*one) for one in wrong),
        hint="Both shares have the same sum below them. What is left of it in their ratio?",
        explanation=(
            "The sum cancels: the ratio of two shares is $e$ to the difference of their logits "
            "over $T$. The other keys make no difference to it."
        ),
        working=(line(Call("exp", (power,)), CELL_DECIMALS, trim=False),),
        would_mean=would_mean,
        evidence=(
            Evidence("The first share", trace, "portions", (0, 0, 0)),
            Evidence("The second share", trace, "portions", (0, 0, 1)),
        ),
    )  # fmt: skip


SOFTMAX_QUESTIONS: Mapping[str, QuestionMaker] = MappingProxyType({
    "How many times as much": ratio_question,
    "Add or multiply": softmax_change_question,
})  # fmt: skip


def _what_happened(old: np.ndarray, new: np.ndarray) -> str | None:
    """The option that is true of two rows of weights; None where it could hardly be seen."""
    if old.max() > MOST:
        return None
    moved = new - old
    if np.abs(moved).max() <= 1e-12:
        return NOTHING
    largest = moved[old.argmax()]
    if abs(largest) < CLEAR_CHANGE:
        return None
    return GROWS if largest > 0 else SHRINKS


def _inputs(trace: Trace) -> Inputs:
    return Inputs({i.name: trace[i.name] for i in trace.program.inputs}, trace.tokens)


def _row(trace: Trace, row: int) -> tuple[str, ...]:
    keys = range(trace["weights"].shape[-1])
    return tuple(shown(trace, "weights", (0, row, j)) for j in keys)


def _lead(trace: Trace, row: int) -> str:
    """How far the two largest scores of a row are apart, as printed."""
    *_, second, first = np.sort(trace["scores"][0, row])
    return about(float(first - second))


def _wrong_changes(answer: str, c: int, leads: tuple[str, str]) -> tuple[WrongAnswer, ...]:
    """What to think of at each of the other options."""
    every = (
        f"Adding or subtracting {c} in every exponent multiplies or divides the largest "
        f"exponential by $e^{{{c}}}$, and every other one of the row too, and so their sum."
    )
    apart = (
        f"The two largest scores are {leads[0]} apart before and {leads[1]} after, and the ratio "
        "of their weights is $e$ to that."
    )
    said = {
        NOTHING: ("you took it for adding", apart),
        GROWS: ("you took it for multiplying", every),
        SHRINKS: ("you took it for dividing", every),
        ALL_GROW: (
            "you let all of them grow",
            "The weights of a row sum to 1 before and after, so they cannot all grow.",
        ),
    }
    if answer != NOTHING:
        said[GROWS] = said[SHRINKS] = ("you turned the direction round", apart)
    return tuple(
        WrongAnswer(name, option, hint) for option, (name, hint) in said.items() if option != answer
    )
