"""The questions on other kinds: a row of linear attention, a state's size, a kernel, a recall."""

import numpy as np

from core.chapters.other_kinds.convolution import ATTENTION, CONVOLUTION, moved
from core.chapters.other_kinds.recall import recall_program
from core.hash_random import Draw
from core.program.inputs import Inputs
from core.questions.answers import COUNT, TWO_DECIMALS, Choice
from core.questions.asking import NOUNS, Asking
from core.questions.engine import Question, question_maker
from core.questions.texts import (
    equation,
    exact_list,
    exact_number,
    exact_row,
    product_of,
    products_summed,
    quotient_of,
    sum_of_terms,
)
from core.texts import core_texts

TEXTS = core_texts("other_kinds")
NO_WEIGHT, SOME_WEIGHTS = TEXTS("none_moved"), TEXTS("some_moved")


@question_maker("linear-row")
def linear_row_question(draw: Draw) -> Question | None:
    """A query over three keys without e^x: Σ (q·k) v / Σ q·k (P10 is one of these)."""
    query = [draw.whole(1, 2), draw.whole(0, 2)]
    keys = [[draw.whole(0, 2), draw.whole(0, 2)] for _ in range(3)]
    values = [draw.whole(1, 6) for _ in range(3)]
    met = [query[0] * key[0] + query[1] * key[1] for key in keys]
    total = sum(met)
    if not total or total in (1, 3):
        return None
    top = sum(m * v for m, v in zip(met, values, strict=True))
    answer = top / total
    if answer == total:  # a reply names the total: it would name the answer
        return None
    mean, powers = sum(values) / 3, np.exp(np.array(met, dtype=float))
    soft = float(powers @ np.array(values) / powers.sum())
    if len({round(x, 2) for x in (answer, float(top), mean, soft)}) < 4:
        return None
    given = {"query": exact_row(query), "keys": ", ".join(map(exact_row, keys))}
    numbers = {"values": exact_list(values), "met": exact_list(met), "total": exact_number(total)}
    ask = Asking(TEXTS, "row", **given, **numbers)
    return ask.question(
        TWO_DECIMALS,
        answer,
        {"row_sum": float(top), "row_mean": mean, "row_softmax": soft},
        working=[products_summed(met, values), quotient_of(top, total)],
        would_mean=lambda x: ask("row_would", equation=equation(product_of(x, total))),
    )


@question_maker("state-size")
def state_size_question(draw: Draw) -> Question | None:
    """How many numbers are kept of a text? T keys and values, or one state."""
    d, T = draw.one_of((4, 8, 16)), draw.one_of((32, 64, 100, 256))
    answer, cache, pairs = d * d + d, 2 * T * d, T * T
    if len({answer, cache, pairs, T * answer}) < 4:
        return None
    ask = Asking(TEXTS, "size", features=exact_number(d), tokens=exact_number(T))
    return ask.question(
        COUNT,
        answer,
        {"size_cache": cache, "size_pairs": pairs, "size_states": T * answer},
        working=[sum_of_terms(product_of(d, d), d)],
        would_mean=lambda x: ask("size_would", equation=equation(quotient_of(x, d))),
    )


@question_maker("kernel-moves")
def kernel_moves_question(draw: Draw) -> Question | None:
    """Which weights change if a token does? (B13)"""
    words = draw.some_of(NOUNS[:6], 4)
    at, kind = draw.whole(0, 3), draw.one_of((ATTENTION, CONVOLUTION))
    found = moved(" ".join(words), kind, at)
    told = {"text": " ".join(words), "word": words[at], "by_content": kind == ATTENTION}
    ask = Asking(TEXTS, "moves", **told, **vars(found))
    return ask.question(
        Choice((NO_WEIGHT, SOME_WEIGHTS)),
        SOME_WEIGHTS if found.weights else NO_WEIGHT,
        {"moves_fixed": NO_WEIGHT, "moves_content": SOME_WEIGHTS},
    )


@question_maker("recalled")
def recalled_question(draw: Draw) -> Question | None:
    """Which stored pattern does a large β bring back?"""
    patterns = [[draw.one_of((1, -1)) for _ in range(4)] for _ in range(3)]
    state = [draw.one_of((1, -1)) for _ in range(4)]
    overlaps = [sum(a * b for a, b in zip(p, state, strict=True)) for p in patterns]
    if sorted(overlaps)[-1] == sorted(overlaps)[-2] or len({tuple(p) for p in patterns}) < 3:
        return None
    arrays = {"state": np.array([[state]], float), "patterns": np.array([patterns], float)}
    trace = recall_program(4.0).run(Inputs(arrays, ()))
    best = int(trace["weights"][0, 0].argmax())
    options = tuple(TEXTS("recall_option", number=n) for n in (1, 2, 3))
    stored = "; ".join(f"{n}: {exact_row(p)}" for n, p in enumerate(patterns, 1))
    rows = {"patterns": stored, "state": exact_row(state), "overlaps": exact_list(overlaps)}
    ask = Asking(TEXTS, "recall", **rows)
    return ask.question(
        Choice(options),
        options[best],
        [ask.mistake("recall_other", option) for option in options],
        working=[products_summed(patterns[best], state)],
    )


QUESTIONS = {
    TEXTS("row_question"): linear_row_question,
    TEXTS("size_question"): state_size_question,
    TEXTS("moves_question"): kernel_moves_question,
    TEXTS("recall_question"): recalled_question,
}
