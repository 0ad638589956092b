"""The questions about scaling: what aligned vectors score, and which divisor is right."""

import math

import numpy as np

from core.attention.program import attention_program
from core.hash_random import Draw
from core.program.inputs import Inputs
from core.program.trace import Trace
from core.questions.answers import NumberAnswer
from core.questions.asking import NOUNS_AND_NAMES, Asking
from core.questions.engine import Evidence, Question, question_maker
from core.questions.texts import call_of, equation, exact_numbers, product_of, quotient_of, root_of
from core.texts import core_texts

TEXTS = core_texts("why_scale")
ABOUT = NumberAnswer(0.01)
ROOTS = (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)
"""√d_k; the lengths that are asked about are their squares."""
_SCALED = {heads: attention_program(heads=heads, mask="none") for heads in range(1, 9)}


@question_maker("aligned-score", beyond=True)
def aligned_score_question(draw: Draw) -> Question | None:
    """What do aligned vectors with entries ±1 score, scaled? √d_k, not 1 (CONCEPTS M11)."""
    root = draw.one_of(ROOTS)
    d_k, sign = root**2, draw.one_of((1, 1, 1, -1))
    query_word, key_word = draw.some_of(NOUNS_AND_NAMES, 2)
    q = np.array([draw.one_of((1.0, -1.0)) for _ in range(d_k)])
    trace = _run_of((query_word, key_word), np.stack([q, q])[None], np.stack([q, sign * q])[None])
    cell = (0, 0, 1)
    dot, answer = float(trace["scores"][cell]), float(trace["scaled"][cell])
    words = {"query": query_word, "key": key_word}
    sizes = {"d_k": d_k, "root": root_of(d_k), "deviations": root}
    numbers = exact_numbers(sign=sign, dot=dot)
    ask = Asking(TEXTS, "aligned", same=sign > 0, **words, **sizes, **numbers)
    needed = call_of("sqrt", d_k)
    return ask.question(
        ABOUT,
        answer,
        {"cosine": dot / d_k, "unscaled": dot, "lost_sign": -answer, "independent": 0.0},
        working=[product_of(d_k, sign), call_of("sqrt", d_k), quotient_of(dot, root)],
        would_mean=lambda x: ask("aligned_would_mean", needed=equation(product_of(x, needed))),
        evidence=(Evidence(TEXTS("scaled_score"), trace, "scaled", cell),),
    )


@question_maker("divisor", beyond=True)
def divisor_question(draw: Draw) -> Question | None:
    """By what are scores divided, given d_model and H? √(d_model / H) (CONCEPTS M12)."""
    root, heads = draw.one_of(ROOTS), draw.whole(2, 8)
    d_k = root**2
    d_model = d_k * heads
    ones = np.ones((heads, 1, d_k))
    trace = _run_of((draw.one_of(NOUNS_AND_NAMES),), ones, ones, d_model)
    cell = (0, 0, 0)
    ask = Asking(TEXTS, "divisor", d_model=d_model, heads=heads, d_k=d_k)

    def would_mean(given: float) -> str:
        square = equation(product_of(given, given)) if given > 0 else ""
        return ask("divisor_would_mean", positive=given > 0, square=square)

    return ask.question(
        ABOUT,
        float(trace["scores"][cell] / trace["scaled"][cell]),
        {
            "root_of_model": math.sqrt(d_model),
            "no_root": float(d_k),
            "root_of_heads": math.sqrt(heads),
            "factor": 1 / root,
        },
        working=[quotient_of(d_model, heads), call_of("sqrt", d_k)],
        would_mean=would_mean,
        evidence=(Evidence(TEXTS("scaled_score"), trace, "scaled", cell),),
    )


QUESTIONS = {
    TEXTS("aligned_title"): aligned_score_question,
    TEXTS("divisor_title"): divisor_question,
}


def _run_of(words: tuple[str, ...], Q: np.ndarray, K: np.ndarray, d_model: int = 1) -> Trace:
    """Return a run that starts from given queries and keys; its other inputs are minimal."""
    heads, T, _ = Q.shape
    arrays = {"X": np.zeros((T, d_model)), "W_O": np.zeros((heads, d_model))}
    arrays |= dict.fromkeys(("W_Q", "W_K", "W_V"), np.zeros((heads, d_model, 1)))
    return _SCALED[heads].run(Inputs(arrays, words), pinned={"Q": Q, "K": K})
