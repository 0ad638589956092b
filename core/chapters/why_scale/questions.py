"""The questions about scaling: what aligned vectors score, and which divisor is right."""

import math
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from core.attention.program import attention_program
from core.draws import Draw
from core.program.arithmetic import Call, Product, Quotient, line
from core.program.inputs import Inputs
from core.program.rounding import CELL_DECIMALS
from core.program.trace import Trace
from core.questions.answers import Number
from core.questions.engine import (
    Evidence,
    Question,
    QuestionMaker,
    WrongAnswer,
    question_maker,
)
from core.questions.texts import (
    D_MODEL,
    DOT,
    ROOT,
    equation,
    exact,
    number,
    root_of,
    whole,
)

TOLERANCE = 0.01
ROOTS = (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)
"""√d_k; the lengths that are asked about are their squares."""
_WORDS = ("cat", "owl", "river", "bank", "train", "fox", "robot", "violin", "Ada", "Ben", "saw")
_SCALED = {heads: attention_program(heads=heads, mask="none") for heads in range(1, 9)}


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
    "A perfect match": aligned_score_question,
    "The divisor": divisor_question,
})  # fmt: skip


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
