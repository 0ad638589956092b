"""The two questions of the dot-product page: a cosine, and which key gets the most weight."""

from dataclasses import replace

import numpy as np

from core.chapters.dot_products.similarity import similarity_program
from core.chapters.dot_products.vector_pair import Vector, VectorPair, favourites
from core.hash_random import Draw
from core.program.inputs import Inputs
from core.program.trace import Trace
from core.questions.answers import Choice, NumberAnswer
from core.questions.asking import Asking
from core.questions.engine import (
    Evidence,
    Question,
    QuestionTable,
    question_maker,
    question_table,
    table_of_numbers,
)
from core.questions.texts import about, equation, exact_number, product_of
from core.texts import core_texts

TEXTS = core_texts("dot_products")
CLEAR = 0.1
"""Cosines that are compared differ by at least this, so that nobody has to guess."""
# Whole lengths, so that paper is enough.
_WHOLE = ((3, 4), (4, 3), (6, 8), (8, 6), (5, 12), (12, 5), (0, 2), (2, 0), (0, 5), (5, 0))
_ARROWS = tuple(TEXTS("arrow", letter=letter) for letter in "ABC")


@question_maker("cosine", beyond=True)
def cosine_question(draw: Draw) -> Question | None:
    """What is the cosine of two small vectors? q·k / (‖q‖ ‖k‖) (T: a·b = ‖a‖ ‖b‖ cos θ)."""
    q, k = (_signed(draw, draw.one_of(_WHOLE)) for _ in range(2))
    pair = VectorPair(q, k)
    long_q, long_k = pair.lengths
    lost = sum(abs(a * b) for a, b in zip(q, k, strict=True)) / (long_q * long_k)
    # Right angles, no minus sign to lose, the same direction: too little to ask about.
    if not pair.cosine or pair.degrees is None or lost == pair.cosine or long_k == long_q:
        return None
    made = pair.lines
    ask = Asking(TEXTS, "cosine", length_q=f"{long_q:g}", length_k=f"{long_k:g}")

    def would_mean(given: float) -> str:
        if not -1 <= given <= 1:
            return ask("too_far")
        lengths = (made["length_q"].right, made["length_k"].right)
        return ask("would_be", product=equation(product_of(given, *lengths)))

    return ask.question(
        NumberAnswer(0.01),
        pair.cosine,
        {
            "gave_dot": pair.dot,
            "only_k": pair.dot / long_k,
            "only_q": pair.dot / long_q,
            "sum_of_lengths": pair.dot / (long_q + long_k),
            "lost_minus": lost,
            "gave_angle": pair.degrees,
        },
        working=[
            *(made[name] for name in ("dot", "length_q", "length_k", "lengths")),
            made["cosine"].left,
        ],
        would_mean=would_mean,
        tables=(_arrows(TEXTS("two_arrows"), ("$q$", "$k$"), (q, k)),),
        evidence=(Evidence(TEXTS("the_cosine"), _run("cosine", q, (k, k)), "scores", (0, 0, 0)),),
    )


@question_maker("favourite-key", beyond=True)
def favourite_question(draw: Draw) -> Question | None:
    """Which of three keys gets the most weight, by dot product or by cosine (in the manner of P11)?

    One key wins by dot product, another by cosine, and the third is the longest of all.
    """
    q, *keys = (tuple(map(float, draw.wholes(-4, 4, 2))) for _ in range(4))
    rule = draw.one_of(("dot", "cosine"))
    pairs = [VectorPair(q, k) for k in keys]
    cosines = [pair.cosine for pair in pairs if pair.cosine is not None]
    if len(cosines) < len(pairs) or not _clear([p.dot for p in pairs], 1.0) or not _clear(cosines):
        return None
    by_dot, by_cosine = favourites(q, keys)
    lengths = [pair.lengths[1] for pair in pairs]
    longest = int(np.argmax(lengths))
    facing = pairs[by_dot].dot > 0 and pairs[by_cosine].dot > 0
    if len({by_dot, by_cosine, longest}) < 3 or not _clear(lengths) or not facing:
        return None
    by_length = rule == "dot"
    right, other = (by_dot, by_cosine) if by_length else (by_cosine, by_dot)
    run = _run(rule, q, tuple(keys))
    first, second = sorted(run["weights"][0, 0], reverse=True)[:2]
    scores = (
        TEXTS("both_scores", arrow=arrow, dot=exact_number(p.dot), cosine=about(cosine))
        for arrow, p, cosine in zip(_ARROWS, pairs, cosines, strict=True)
    )
    score = exact_number(pairs[longest].dot) if by_length else about(cosines[longest])
    told = {"scores": "; ".join(scores), "first": about(first), "second": about(second)}
    arrows = {"right": _ARROWS[right], "other": _ARROWS[other]}
    ask = Asking(TEXTS, "best", by_length=by_length, score=score, **told, **arrows)
    wrong = {"only_direction" if by_length else "counted_length": other, "picked_longest": longest}
    weights = question_table(run, "weights", TEXTS("the_weights"))
    told_after = replace(weights, corner=TEXTS("arrow_corner"), rows=("$q$",), marked=(0, right))
    return ask.question(
        Choice(_ARROWS),
        _ARROWS[right],
        [ask.mistake(id, _ARROWS[n], arrow=_ARROWS[n]) for id, n in wrong.items()],
        tables=(_arrows(TEXTS("four_arrows"), ("$q$", *_ARROWS), (q, *keys)),),
        after=(told_after,),
        evidence=(Evidence(TEXTS("the_weights"), run, "weights", (0, 0, right)),),
    )


QUESTIONS = {TEXTS("a_cosine"): cosine_question, TEXTS("best_match"): favourite_question}


def _signed(draw: Draw, sizes: tuple[int, int]) -> Vector:
    return tuple(float(size * draw.one_of((-1, 1))) + 0.0 for size in sizes)


def _clear(values: list[float], by: float = CLEAR) -> bool:
    """Return whether the largest value is larger than the next by this much."""
    *_, second, first = sorted(values)
    return first - second >= by


def _run(rule: str, q: Vector, keys: tuple[Vector, ...]) -> Trace:
    """Return the run of one query, pinned, and keys that are the rows of X."""
    same = np.eye(2)[None]
    arrays = {"X": np.array(keys), "W_Q": same, "W_K": same, "W_V": same}
    return similarity_program(rule).run(
        Inputs(arrays, _ARROWS[: len(keys)]), pinned={"Q": np.array([[q]])}
    )


def _arrows(title: str, names: tuple[str, ...], rows: tuple[Vector, ...]) -> QuestionTable:
    return table_of_numbers(title, TEXTS("entry_corner"), names, ("1", "2"), rows)
