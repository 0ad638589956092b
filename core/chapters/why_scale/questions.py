"""The questions about scaling: what aligned vectors score, and which divisor is right."""

import math
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from core.attention.program import attention_program
from core.hash_random import Draw
from core.program.inputs import Inputs
from core.program.numbers.arithmetic import Call, Product, Quotient, arithmetic_line
from core.program.numbers.rounding import CELL_DECIMALS
from core.program.trace import Trace
from core.questions.answers import NumberAnswer
from core.questions.engine import (
    Evidence,
    Question,
    QuestionMaker,
    WrongAnswer,
    question_maker,
)
from core.questions.texts import equation, exact_number, root_of, sum_of_wholes, typeset_number
from core.texts import core_texts

TEXTS = core_texts("why_scale")
TOLERANCE = 0.01
ROOTS = (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)
"""√d_k; the lengths that are asked about are their squares."""
_WORDS = ("cat", "owl", "river", "bank", "train", "fox", "robot", "violin", "Ada", "Ben", "saw")
_SCALED = {heads: attention_program(heads=heads, mask="none") for heads in range(1, 9)}


@question_maker("aligned-score", beyond=True)
def aligned_score_question(draw: Draw) -> Question | None:
    """What do aligned vectors with entries ±1 score, scaled? √d_k, not 1 (CONCEPTS M11)."""
    root = draw.one_of(ROOTS)
    d_k, sign = root**2, draw.one_of((1, 1, 1, -1))
    query_word, key_word = draw.some_of(_WORDS, 2)
    q = np.array([draw.one_of((1.0, -1.0)) for _ in range(d_k)])
    trace = _run_of((query_word, key_word), np.stack([q, q])[None], np.stack([q, sign * q])[None])
    cell = (0, 0, 1)
    dot, answer = float(trace["scores"][cell]), float(trace["scaled"][cell])
    same, each = sign > 0, exact_number(sign)

    def would_mean(given: float) -> str:
        needed = equation(Product((typeset_number(given), Call("sqrt", sum_of_wholes(d_k)))))
        return TEXTS("aligned_would_mean", needed=needed, d_k=d_k)

    return Question(
        id="",
        prompt=TEXTS("aligned", query=query_word, key=key_word, d_k=d_k, same=same),
        kind=NumberAnswer(TOLERANCE),
        answer=answer,
        wrong=(
            WrongAnswer(TEXTS("cosine"), dot / d_k, TEXTS("cosine_hint", root=root_of(d_k))),
            WrongAnswer(
                TEXTS("unscaled"),
                dot,
                TEXTS("unscaled_hint", dot=exact_number(dot), root=root_of(d_k)),
            ),
            WrongAnswer(TEXTS("lost_sign"), -answer, TEXTS("lost_sign_hint", same=same, sign=each)),
            WrongAnswer(TEXTS("independent"), 0.0, TEXTS("independent_hint")),
        ),
        hint=TEXTS("aligned_hint", d_k=d_k, root=root_of(d_k)),
        explanation=TEXTS("aligned_explanation", d_k=d_k, sign=each, deviations=root),
        working=(
            arithmetic_line(Product(sum_of_wholes(d_k, sign)), 0),
            arithmetic_line(Call("sqrt", sum_of_wholes(d_k)), 0),
            arithmetic_line(Quotient(*sum_of_wholes(int(dot), root)), CELL_DECIMALS, trim=False),
        ),
        would_mean=would_mean,
        evidence=(Evidence(TEXTS("scaled_score"), trace, "scaled", cell),),
    )


@question_maker("divisor", beyond=True)
def divisor_question(draw: Draw) -> Question | None:
    """By what are scores divided, given d_model and H? √(d_model / H) (CONCEPTS M12)."""
    root, heads = draw.one_of(ROOTS), draw.whole(2, 8)
    d_k = root**2
    d_model = d_k * heads
    ones = np.ones((heads, 1, d_k))
    trace = _run_of((draw.one_of(_WORDS),), ones, ones, d_model)
    cell = (0, 0, 0)
    answer = float(trace["scores"][cell] / trace["scaled"][cell])

    def would_mean(given: float) -> str:
        square = equation(Product((typeset_number(given),) * 2)) if given > 0 else ""
        return TEXTS("divisor_would_mean", positive=given > 0, square=square)

    return Question(
        id="",
        prompt=TEXTS("divisor", d_model=d_model, heads=heads),
        kind=NumberAnswer(TOLERANCE),
        answer=answer,
        wrong=(
            WrongAnswer(
                TEXTS("root_of_model"), math.sqrt(d_model), TEXTS("root_of_model_hint", d_k=d_k)
            ),
            WrongAnswer(TEXTS("no_root"), float(d_k), TEXTS("no_root_hint", d_k=d_k)),
            WrongAnswer(TEXTS("root_of_heads"), math.sqrt(heads), TEXTS("root_of_heads_hint")),
            WrongAnswer(TEXTS("factor"), 1 / root, TEXTS("factor_hint")),
        ),
        hint=TEXTS("divisor_hint"),
        explanation=TEXTS("divisor_explanation"),
        working=(
            arithmetic_line(Quotient(*sum_of_wholes(d_model, heads)), 0),
            arithmetic_line(Call("sqrt", sum_of_wholes(d_k)), CELL_DECIMALS, trim=False),
        ),
        would_mean=would_mean,
        evidence=(Evidence(TEXTS("scaled_score"), trace, "scaled", cell),),
    )


QUESTIONS: Mapping[str, QuestionMaker] = MappingProxyType(
    {
        TEXTS("aligned_title"): aligned_score_question,
        TEXTS("divisor_title"): divisor_question,
    }
)


def _run_of(words: tuple[str, ...], Q: np.ndarray, K: np.ndarray, d_model: int = 1) -> Trace:
    """Return a run that starts from given queries and keys; its other inputs are minimal."""
    heads, T, _ = Q.shape
    arrays = {
        "X": np.zeros((T, d_model)),
        "W_Q": np.zeros((heads, d_model, 1)),
        "W_K": np.zeros((heads, d_model, 1)),
        "W_V": np.zeros((heads, d_model, 1)),
        "W_O": np.zeros((heads, d_model)),
    }
    return _SCALED[heads].run(Inputs(arrays, words), pinned={"Q": Q, "K": K})
