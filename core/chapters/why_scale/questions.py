"""The questions about scaling: what softmax notices, what aligned vectors score, which divisor."""

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from core.attention.inputs import toy_inputs
from core.attention.program import attention_program
from core.draws import Draw
from core.program.arithmetic import Call, Product, Quotient, line
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
from core.questions.texts import (
    D_MODEL,
    DOT,
    ROOT,
    about,
    equation,
    exact,
    number,
    root_of,
    whole,
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
    relation, kind = ("k = q", "the same") if sign > 0 else ("k = -q", "the opposite")
    points = "exactly as" if sign > 0 else "exactly against"
    products = r"products $q_i \cdot k_i$"

    def would_mean(given: float) -> str:
        needed = equation(Product((number(given), Call("sqrt", whole(d_k)))))
        return (
            f"Then {DOT} would have to be {needed}. It is a sum of {d_k} {products}: what is each "
            "of them?"
        )

    return Question(
        id="",
        prompt=(
            f"The query $q$ of *{query_word}* has $d_k = {d_k}$ entries, each $1$ or $-1$ with "
            f"equal chance, so of variance 1. The key $k$ of *{key_word}* has {kind} entries: "
            rf"${relation}$. What is their scaled score $q \cdot k / \sqrt{{d_k}}$?"
        ),
        kind=Number(TOLERANCE),
        answer=answer,
        wrong=(
            WrongAnswer(
                "you gave the cosine", dot / d_k,
                f"That is {DOT} divided by $d_k$. Scaling divides by {root_of(d_k)} only, so the "
                "score is not bounded by 1.",
            ),
            WrongAnswer(
                f"you forgot {ROOT}", dot, f"{DOT} is {exact(dot)}; divide it by {root_of(d_k)}."
            ),
            WrongAnswer(
                "you lost the sign", -answer,
                f"$k$ points {points} $q$, so every one of the {products} is {exact(sign)}.",
            ),
            WrongAnswer(
                "you took the value that is expected of independent vectors", 0.0,
                "Independent $q$ and $k$ average 0 over many draws; these two are not independent.",
            ),
        ),
        hint=f"What is each of the {d_k} {products}? Add them up, then divide by {root_of(d_k)}.",
        explanation=(
            f"Every one of the {d_k} {products} is {exact(sign)}. For independent vectors the "
            f"scaled score has standard deviation 1; this pair stands {root} of them from 0. "
            "Scaling keeps the spread in check and leaves a real match large."
        ),
        working=(
            line(Product(whole(d_k, sign)), 0), line(Call("sqrt", whole(d_k)), 0),
            line(Quotient(*whole(int(dot), root)), CELL_DECIMALS, trim=False),
        ),
        would_mean=would_mean,
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
            f"A layer has ${D_MODEL} = {d_model}$ and $H = {heads}$ heads of equal size. By which "
            "number are its scores divided before softmax?"
        ),
        kind=Number(TOLERANCE),
        answer=answer,
        wrong=(
            WrongAnswer(
                f"you took the root of ${D_MODEL}$", math.sqrt(d_model),
                f"Each head multiplies vectors of ${D_MODEL} / H = {d_k}$ entries, and it is their "
                "number that widens the scores.",
            ),
            WrongAnswer(
                "you forgot the root", float(d_k),
                f"The variance of {DOT} grows like $d_k = {d_k}$, its spread like its root.",
            ),
            WrongAnswer(
                "you took the root of $H$", math.sqrt(heads),
                f"The number of heads matters only through $d_k = {D_MODEL} / H$.",
            ),
            WrongAnswer(
                "you gave the factor", 1 / root,
                f"Scores are multiplied by one over {ROOT}. Asked is the divisor, {root_of(d_k)}.",
            ),
        ),
        hint="How many entries do a query and a key of one head have?",
        explanation=(
            f"Each head has $d_k = {D_MODEL} / H$ entries in a query, and its scores are divided "
            f"by {ROOT}."
        ),
        working=(
            line(Quotient(*whole(d_model, heads)), 0),
            line(Call("sqrt", whole(d_k)), CELL_DECIMALS, trim=False),
        ),
        would_mean=lambda given: (
            f"Then $d_k$ would be its square, {equation(Product((number(given),) * 2))}."
            if given > 0 else "The divisor is a root, and positive."
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
