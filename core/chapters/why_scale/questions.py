"""The questions about scaling: what softmax notices, what aligned vectors score, which divisor."""

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from core.attention.inputs import toy_inputs
from core.attention.program import attention_program
from core.draws import Draw
from core.program.display import shown
from core.program.inputs import Inputs
from core.program.labels import axis_labels
from core.program.rounding import decimal_text, typeset
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

TOLERANCE = 0.01
ROOTS = (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)
"""√d_k; the lengths that are asked about are their squares."""
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
_SCALED = {heads: attention_program(heads=heads, mask="none") for heads in range(1, 9)}


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
    return Question(
        id="",
        prompt=(
            f"Below are the scores of the query {words[row]}, which enter softmax as they are. "
            f"{said.format(c=c)}. What happens to the weights of the row?"
        ),
        kind=Choice((NOTHING, GROWS, SHRINKS, ALL_GROW)),
        answer=answer,
        wrong=_wrong_changes(answer, before, row),
        explanation=(
            f"The weights were {_row(before, row)}; they are now {_row(after, row)}. A weight "
            "depends on the differences between scores alone: adding the same number to all keeps "
            "them, multiplying stretches them, dividing shrinks them."
        ),
        tables=(
            Table(
                "Scores", (words[row],), tuple(axis_labels(before, "scores")[2]),
                (tuple(shown(before, "scores", (0, row, j)) for j in range(len(words))),),
            ),
        ),
        evidence=(
            Evidence("The weights before", before, "weights", cell),
            Evidence("The weights after", after, "weights", cell),
        ),
    )  # fmt: skip


@question_maker("aligned-score")
def aligned_score_question(draw: Draw) -> Question | None:
    """What do aligned vectors with entries ±1 score, scaled? √d_k, not 1 (CONCEPTS M11)."""
    root = draw.one_of(ROOTS)
    d_k, sign = root**2, draw.one_of((1, 1, 1, -1))
    query_word, key_word = draw.some_of(_WORDS, 2)
    q = np.array([draw.one_of((1.0, -1.0)) for _ in range(d_k)])
    trace = _run_of((query_word, key_word), np.stack([q, q])[None], np.stack([q, sign * q])[None])
    cell = (0, 0, 1)
    dot, answer = float(trace["scores"][cell]), float(trace["scaled"][cell])
    relation, kind = ("k = q", "the same") if sign > 0 else ("k = −q", "the opposite")
    points = "exactly as" if sign > 0 else "exactly against"
    return Question(
        id="",
        prompt=(
            f"The query q of {query_word} has d_k = {d_k} entries, each 1 or −1 with equal "
            f"chance, so of variance 1. The key k of {key_word} has {kind} entries: {relation}. "
            "What is their scaled score q·k / √d_k?"
        ),
        kind=Number(TOLERANCE),
        answer=answer,
        wrong=(
            WrongAnswer(
                "you gave the cosine", dot / d_k,
                f"That is q·k / d_k. Scaling divides by √{d_k} = {root} only, so the score is not "
                "bounded by 1.",
            ),
            WrongAnswer("you forgot √d_k", dot, f"q·k = {_whole(dot)}; divide it by √{d_k}."),
            WrongAnswer(
                "you lost the sign", -answer,
                f"k points {points} q, so every one of the products q_i·k_i is {_whole(sign)}.",
            ),
            WrongAnswer(
                "you took the value that is expected of independent vectors", 0.0,
                "Independent q and k average 0 over many draws; these two are not independent.",
            ),
        ),
        explanation=(
            f"Every product q_i·k_i is {_whole(sign)}, so q·k = {_whole(dot)}, and divided by "
            f"√{d_k} = {root} that is {_whole(answer)}. For independent vectors the scaled score "
            f"has standard deviation 1; this pair stands {root} of them from 0. Scaling keeps the "
            "spread in check and leaves a real match large."
        ),
        evidence=(Evidence("The score, scaled", trace, "scaled", cell),),
    )  # fmt: skip


@question_maker("divisor")
def divisor_question(draw: Draw) -> Question | None:
    """By what are scores divided, given d_model and H? √(d_model / H) (CONCEPTS M12)."""
    root, heads = draw.one_of(ROOTS), draw.whole(2, 8)
    d_k = root**2
    d_model = d_k * heads
    ones = np.ones((heads, 1, d_k))
    trace = _run_of((draw.one_of(_WORDS),), ones, ones, d_model)
    cell = (0, 0, 0)
    answer = float(trace["scores"][cell] / trace["scaled"][cell])
    return Question(
        id="",
        prompt=(
            f"A layer has d_model = {d_model} and H = {heads} heads of equal size. By which number "
            "are its scores divided before softmax?"
        ),
        kind=Number(TOLERANCE),
        answer=answer,
        wrong=(
            WrongAnswer(
                "you took the root of d_model", math.sqrt(d_model),
                f"Each head multiplies vectors of d_model / H = {d_k} entries, and it is their "
                "number that widens the scores.",
            ),
            WrongAnswer(
                "you forgot the root", float(d_k),
                f"The variance of q·k grows like d_k = {d_k}, its spread like the root of that.",
            ),
            WrongAnswer(
                "you took the root of H", math.sqrt(heads),
                "The number of heads matters only through d_k = d_model / H.",
            ),
            WrongAnswer(
                "you gave the factor", 1 / root,
                f"Scores are multiplied by 1/√d_k. Asked is the divisor, √{d_k}.",
            ),
        ),
        explanation=(
            f"Each head has d_k = d_model / H = {d_model} / {heads} = {d_k}, and its scores are "
            f"divided by √d_k = √{d_k} = {_whole(answer)}."
        ),
        evidence=(Evidence("A scaled score", trace, "scaled", cell),),
    )  # fmt: skip


SCALE_QUESTIONS: Mapping[str, QuestionMaker] = MappingProxyType({
    "Add or multiply": softmax_change_question,
    "A perfect match": aligned_score_question,
    "The divisor": divisor_question,
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


def _run_of(words: tuple[str, ...], Q: np.ndarray, K: np.ndarray, d_model: int = 1) -> Trace:
    """A run that starts from given queries and keys; what else it needs is as small as can be."""
    heads, T, _ = Q.shape
    arrays = {
        "X": np.zeros((T, d_model)),
        "W_Q": np.zeros((heads, d_model, 1)),
        "W_K": np.zeros((heads, d_model, 1)),
        "W_V": np.zeros((heads, d_model, 1)),
        "W_O": np.zeros((heads, d_model)),
    }
    return _SCALED[heads].run(Inputs(arrays, words), pinned={"Q": Q, "K": K})


def _inputs(trace: Trace) -> Inputs:
    return Inputs({i.name: trace[i.name] for i in trace.program.inputs}, trace.tokens)


def _row(trace: Trace, row: int) -> str:
    keys = range(trace["weights"].shape[-1])
    return ", ".join(shown(trace, "weights", (0, row, j)) for j in keys)


def _whole(value: int | float) -> str:
    return typeset(decimal_text(float(value), 0))


def _wrong_changes(answer: str, before: Trace, row: int) -> tuple[WrongAnswer, ...]:
    """What to think of at each of the other options."""
    scores = np.sort(before["scores"][0, row])
    gap = decimal_text(float(scores[-1] - scores[-2]))
    cancels = (
        "The same number in every exponent is the same factor in every exponential, and in their "
        "sum, so it cancels."
    )
    lead = f"The two largest scores are {gap} apart, and the ratio of their weights is e to that."
    said = {
        NOTHING: ("you took it for adding", f"{lead} Here the difference itself changes."),
        GROWS: ("you took it for multiplying", cancels),
        SHRINKS: ("you took it for dividing", cancels),
        ALL_GROW: (
            "you let all of them grow",
            "The weights of a row sum to 1 before and after, so they cannot all grow.",
        ),
    }
    if answer != NOTHING:
        sharper = (
            "Multiplying by more than 1 stretches the differences, dividing by it shrinks them."
        )
        said[GROWS] = said[SHRINKS] = ("you turned the direction round", f"{lead} {sharper}")
    return tuple(
        WrongAnswer(name, option, hint) for option, (name, hint) in said.items() if option != answer
    )
