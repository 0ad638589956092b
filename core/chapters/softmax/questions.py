"""The questions about softmax: what changes weights, and the ratio of two weights."""

import math
from collections.abc import Callable

import numpy as np

from core.attention.inputs import toy_inputs
from core.attention.program import attention_program
from core.chapters.softmax.shares import shares_family
from core.hash_random import Draw
from core.program.inputs import Inputs
from core.program.labels import axis_labels
from core.program.numbers.display import shown
from core.program.trace import Trace
from core.questions.answers import Choice, NumberAnswer
from core.questions.asking import NOUNS_AND_NAMES, Asking
from core.questions.engine import Evidence, Question, QuestionTable, question_maker
from core.questions.texts import about, call_of, difference_of, equation, quotient_of
from core.texts import core_texts

TEXTS = core_texts("softmax")

CLEAR_CHANGE = 0.05
"""A weight that changes must change by at least this, to be seen at two decimals."""
NOTHING, GROWS, SHRINKS, ALL_GROW = map(TEXTS, ("no_change", "grows", "shrinks", "all_grow"))
LARGEST_WEIGHT = 0.9
"""No key has more of the row than this to begin with."""
SUBTRACTED = "change_subtracted"
_CHANGES: dict[str, Callable[[np.ndarray, int], np.ndarray]] = {
    "change_added": lambda scores, c: scores + c,
    SUBTRACTED: lambda scores, c: scores - c,
    "change_multiplied": lambda scores, c: scores * c,
    "change_divided": lambda scores, c: scores / c,
}
"""What may be done to a row of scores, by the id of its text."""
_RAW = attention_program(heads=1, mask="none", scale=False)


@question_maker("softmax-change")
def softmax_change_question(draw: Draw) -> Question | None:
    """What does adding to, or multiplying, a row of scores do to its weights? (CONCEPTS M10)"""
    words = draw.some_of(NOUNS_AND_NAMES, 4)
    before = _RAW.run(toy_inputs(" ".join(words), heads=1, d_model=4, seed=draw.whole(0, 999)))
    row, c = draw.whole(0, len(words) - 1), draw.whole(2, 9)
    text, change = draw.one_of(tuple(_CHANGES.items()))
    inputs = Inputs({given.name: before[given.name] for given in _RAW.inputs}, before.tokens)
    after = _RAW.run(inputs, pinned={"scores": change(before["scores"], c)})
    old, new = (trace["weights"][0, row] for trace in (before, after))
    answer = _what_happened(old, new)
    if answer is None:
        return None
    cell = (0, row, int(old.argmax()))
    leads = _lead(before, row), _lead(after, row)
    if answer != NOTHING and leads[0] == leads[1]:
        return None
    changed = {"change": TEXTS(text, c=c), "subtracts": text == SUBTRACTED, "c": c}
    numbers = {"power": f"$e^{{{c}}}$", "before": leads[0], "after": leads[1]}
    said = {"sentence": " ".join(words), "query": words[row]}
    ask = Asking(TEXTS, "change", **said, **changed, **numbers)
    moved = answer != NOTHING
    reasons = {
        NOTHING: ("took_for_adding", "why_apart"),
        GROWS: ("wrong_direction", "why_apart") if moved else ("took_for_multiplying", "why_every"),
        SHRINKS: ("wrong_direction", "why_apart") if moved else ("took_for_dividing", "why_every"),
        ALL_GROW: ("let_all_grow", "why_not_all"),
    }
    title, corner = TEXTS("scores_table"), TEXTS("queries_and_keys")
    keys, scores = tuple(axis_labels(before, "scores")[2]), (_row(before, "scores", row),)
    asked = QuestionTable(title, corner, (words[row],), keys, scores)
    title, runs = TEXTS("weights_table", query=words[row]), (TEXTS("before"), TEXTS("after"))
    rows = _row(before, "weights", row), _row(after, "weights", row)
    told = QuestionTable(title, TEXTS("keys_across"), runs, tuple(words), rows)
    return ask.question(
        Choice((NOTHING, GROWS, SHRINKS, ALL_GROW)),
        answer,
        [ask.mistake(id, option, hint) for option, (id, hint) in reasons.items()],
        tables=(asked,),
        after=(told,),
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
    third, fourth = draw.whole(-3, 5), draw.whole(-3, 5)
    trace = shares_family([high, low, third, fourth]).run(softmax_temperature=str(temperature))
    first, second = trace["weights"][0, 0, :2]
    answer = float(first / second)
    wrong = {"divided_logits": high / low, "took_difference": float(gap)}
    if temperature != 1:
        wrong["no_temperature"] = math.exp(gap)
        wrong["times_temperature"] = math.exp(gap * temperature)
    if any(abs(value - answer) < CLEAR_CHANGE * answer for value in wrong.values()):
        return None
    power = quotient_of(difference_of(high, low), temperature)
    sizes = {"high": high, "low": low, "third": third, "fourth": fourth}
    ask = Asking(TEXTS, "ratio", temperature=temperature, **sizes)

    def would_mean(given: float) -> str:
        if given <= 0:
            return ask("ratio_not_positive")
        return ask("ratio_would_mean", given=about(math.log(given)), actual=equation(power))

    return ask.question(
        NumberAnswer(0.02 * answer),
        answer,
        wrong,
        working=[call_of("exp", power)],
        would_mean=would_mean,
        evidence=(
            Evidence(TEXTS("first_weight"), trace, "weights", (0, 0, 0)),
            Evidence(TEXTS("second_weight"), trace, "weights", (0, 0, 1)),
        ),
    )


QUESTIONS = {
    TEXTS("question_ratio"): ratio_question,
    TEXTS("question_change"): softmax_change_question,
}


def _what_happened(old: np.ndarray, new: np.ndarray) -> str | None:
    """Return the option that is true of two rows of weights; None if it could hardly be seen."""
    if old.max() > LARGEST_WEIGHT:
        return None
    moved = new - old
    if np.abs(moved).max() <= 1e-12:
        return NOTHING
    largest = moved[old.argmax()]
    if abs(largest) < CLEAR_CHANGE:
        return None
    return GROWS if largest > 0 else SHRINKS


def _row(trace: Trace, array: str, row: int) -> tuple[str, ...]:
    return tuple(shown(trace, array, (0, row, j)) for j in range(trace[array].shape[-1]))


def _lead(trace: Trace, row: int) -> str:
    """Return the difference of the two largest scores of a row, as printed."""
    *_, second, first = np.sort(trace["scores"][0, row])
    return about(float(first - second))
