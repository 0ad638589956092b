"""The questions about softmax: what changes weights, and the ratio of two weights."""

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from core.attention.inputs import toy_inputs
from core.attention.program import attention_program
from core.chapters.softmax.shares import shares_family
from core.hash_random import Draw
from core.program.inputs import Inputs
from core.program.labels import axis_labels
from core.program.numbers.arithmetic import Call, Quotient, Subtraction, arithmetic_line
from core.program.numbers.display import shown
from core.program.numbers.rounding import CELL_DECIMALS
from core.program.trace import Trace
from core.questions.answers import Choice, NumberAnswer
from core.questions.engine import (
    Evidence,
    Question,
    QuestionMaker,
    QuestionTable,
    WrongAnswer,
    question_maker,
)
from core.questions.texts import about, equation, sum_of_wholes
from core.texts import core_texts

TEXTS = core_texts("softmax")

CLEAR_CHANGE = 0.05
"""A weight that changes must change by at least this, to be seen at two decimals."""
NOTHING, GROWS, SHRINKS, ALL_GROW = map(TEXTS, ("no_change", "grows", "shrinks", "all_grow"))
MOST = 0.9
"""No key has more of the row than this to begin with."""
SUBTRACTED = "change_subtracted"
_CHANGES: dict[str, Callable[[np.ndarray, int], np.ndarray]] = {
    "change_added": lambda scores, c: scores + c,
    SUBTRACTED: lambda scores, c: scores - c,
    "change_multiplied": lambda scores, c: scores * c,
    "change_divided": lambda scores, c: scores / c,
}
"""What may be done to a row of scores, by the id of its text."""
_WORDS = ("cat", "owl", "river", "bank", "train", "fox", "robot", "violin", "Ada", "Ben", "saw")
_RAW = attention_program(heads=1, mask="none", scale=False)


@question_maker("softmax-change")
def softmax_change_question(draw: Draw) -> Question | None:
    """What does adding to, or multiplying, a row of scores do to its weights? (CONCEPTS M10)"""
    words = draw.some_of(_WORDS, 4)
    before = _RAW.run(toy_inputs(" ".join(words), heads=1, d_model=4, seed=draw.whole(0, 999)))
    row, c = draw.whole(0, len(words) - 1), draw.whole(2, 9)
    text, change = draw.one_of(tuple(_CHANGES.items()))
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
        prompt=TEXTS(
            "change_prompt", sentence=" ".join(words), query=words[row], change=TEXTS(text, c=c)
        ),
        kind=Choice((NOTHING, GROWS, SHRINKS, ALL_GROW)),
        answer=answer,
        wrong=_wrong_changes(answer, c, text == SUBTRACTED, leads),
        hint=TEXTS("change_hint"),
        explanation=TEXTS("change_explanation"),
        tables=(
            QuestionTable(
                TEXTS("scores_table"),
                TEXTS("queries_and_keys"),
                (words[row],),
                tuple(axis_labels(before, "scores")[2]),
                (tuple(shown(before, "scores", (0, row, j)) for j in range(len(words))),),
            ),
        ),
        after=(
            QuestionTable(
                TEXTS("weights_table", query=words[row]),
                TEXTS("keys_across"),
                (TEXTS("before"), TEXTS("after")),
                tuple(words),
                (_row(before, row), _row(after, row)),
            ),
        ),
        evidence=(
            Evidence(TEXTS("weights_before"), before, "weights", cell),
            Evidence(TEXTS("weights_after"), after, "weights", cell),
        ),
    )


@question_maker("softmax-ratio", beyond=True)
def ratio_question(draw: Draw) -> Question | None:
    """What is the ratio of two keys' weights at a temperature? e^((a − b) / T)."""
    low, gap, temperature = draw.whole(1, 4), draw.whole(1, 4), draw.one_of((1, 2, 4))
    high = low + gap
    others = [draw.whole(-3, 5), draw.whole(-3, 5)]
    trace = shares_family([high, low, *others]).run(softmax_temperature=str(temperature))
    first, second = trace["weights"][0, 0, :2]
    answer = float(first / second)
    wrong = {"divided_logits": high / low, "took_difference": float(gap)}
    if temperature != 1:
        wrong["no_temperature"] = math.exp(gap)
        wrong["times_temperature"] = math.exp(gap * temperature)
    if any(abs(value - answer) < CLEAR_CHANGE * answer for value in wrong.values()):
        return None
    power = Quotient(Subtraction(*sum_of_wholes(high, low)), *sum_of_wholes(temperature))

    def would_mean(given: float) -> str:
        if given <= 0:
            return TEXTS("ratio_not_positive")
        return TEXTS("ratio_would_mean", given=about(math.log(given)), actual=equation(power))

    return Question(
        id="",
        prompt=TEXTS(
            "ratio_prompt",
            high=high,
            low=low,
            third=others[0],
            fourth=others[1],
            temperature=temperature,
        ),
        kind=NumberAnswer(0.02 * answer),
        answer=answer,
        wrong=tuple(
            WrongAnswer(TEXTS(id), value, TEXTS(f"{id}_words")) for id, value in wrong.items()
        ),
        hint=TEXTS("ratio_hint"),
        explanation=TEXTS("ratio_explanation"),
        working=(arithmetic_line(Call("exp", (power,)), CELL_DECIMALS, trim=False),),
        would_mean=would_mean,
        evidence=(
            Evidence(TEXTS("first_weight"), trace, "weights", (0, 0, 0)),
            Evidence(TEXTS("second_weight"), trace, "weights", (0, 0, 1)),
        ),
    )


QUESTIONS: Mapping[str, QuestionMaker] = MappingProxyType(
    {
        TEXTS("question_ratio"): ratio_question,
        TEXTS("question_change"): softmax_change_question,
    }
)


def _what_happened(old: np.ndarray, new: np.ndarray) -> str | None:
    """Return the option that is true of two rows of weights; None if it could hardly be seen."""
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
    """Return the difference of the two largest scores of a row, as printed."""
    *_, second, first = np.sort(trace["scores"][0, row])
    return about(float(first - second))


def _wrong_changes(
    answer: str, c: int, subtracts: bool, leads: tuple[str, str]
) -> tuple[WrongAnswer, ...]:
    """Return what to think of at each of the other options."""
    every = TEXTS("why_every", subtracts=subtracts, c=c, power=f"$e^{{{c}}}$")
    apart = TEXTS("why_apart", before=leads[0], after=leads[1])
    reasons = {
        NOTHING: ("took_for_adding", apart),
        GROWS: ("took_for_multiplying", every),
        SHRINKS: ("took_for_dividing", every),
        ALL_GROW: ("let_all_grow", TEXTS("why_not_all")),
    }
    if answer != NOTHING:
        reasons[GROWS] = reasons[SHRINKS] = ("wrong_direction", apart)
    return tuple(
        WrongAnswer(TEXTS(name), option, hint)
        for option, (name, hint) in reasons.items()
        if option != answer
    )
