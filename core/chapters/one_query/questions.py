"""The questions on generation: work done again, a cache's growth, the corner, and what is left."""

from fractions import Fraction

from core.attention.costs import Layer
from core.attention.layers.decoding import UpperLeft
from core.hash_random import Draw
from core.program.numbers.arithmetic import Power
from core.questions.answers import COUNT, TWO_DECIMALS
from core.questions.asking import Asking
from core.questions.engine import Question, question_maker, table_of_numbers
from core.questions.texts import (
    difference_of,
    equation,
    exact_number,
    product_of,
    quotient_of,
    sum_of_terms,
    typeset_number,
)
from core.texts import core_texts

TEXTS = core_texts("one_query")
FACTORS = ("0.2", "0.3", "0.5", "0.6", "0.8", "0.9", "2")


@question_maker("computed-again")
def computed_again_question(draw: Draw) -> Question | None:
    """How many rows of K are computed without a cache, all steps together? T(T + 1)/2."""
    T = draw.whole(3, 16)
    rows = range(1, T + 1)
    ask = Asking(TEXTS, "again", tokens=T)
    return ask.question(
        COUNT,
        sum(rows),
        {"again_once": T, "again_every_last": T * T, "again_no_new": sum(rows) - T},
        working=[sum_of_terms(*rows)],
        would_mean=lambda x: ask("again_would_mean", average=equation(quotient_of(x, T))),
    )


@question_maker("cache-growth")
def cache_growth_question(draw: Draw) -> Question | None:
    """By how many bytes does a cache grow with each token? 2·layers·G·d_k·bytes."""
    layers, groups, d_k = draw.one_of((2, 4, 6, 12)), draw.one_of((1, 2, 4)), draw.one_of((8, 16))
    heads, each = 8, draw.one_of((2, 4))
    in_layer = Layer(heads * d_k, heads, groups, d_k).cached(1)
    answer = layers * in_layer * each
    wrong = {
        "growth_keys_only": answer // 2,
        "growth_one_layer": in_layer * each,
        "growth_all_heads": answer * heads // groups,
    }
    if each != 2:  # else it is as much as K alone
        wrong["growth_numbers"] = answer // each
    sizes = {"layers": layers, "heads": heads, "d_k": d_k, "groups": groups, "each": each}
    ask = Asking(TEXTS, "growth", **sizes)
    return ask.question(
        COUNT,
        answer,
        wrong,
        working=[product_of(2, layers, groups, d_k, each)],
        would_mean=lambda x: ask("growth_would_mean", in_layer=equation(quotient_of(x, layers))),
    )


@question_maker("which-corner")
def corner_question(draw: Draw) -> Question | None:
    """How many keys does the last of n new queries see with is_causal=True? n: upper left (M19)."""
    new = draw.whole(2, 5)
    keys = new + draw.whole(2, 7)
    mask = UpperLeft("causal").mask(new, keys)
    answer = int(mask[-1].sum())
    titles = TEXTS("corner_table"), TEXTS("queries_and_keys")
    queries = [TEXTS("new_query", number=n + 1) for n in range(new)]
    columns = [str(n + 1) for n in range(keys)]
    ask = Asking(TEXTS, "corner", new=new, keys=keys, kept=keys - new, seen=answer)
    return ask.question(
        COUNT,
        answer,
        {"corner_everything": keys, "corner_kept": keys - new, "corner_first": 1},
        working=[sum_of_terms(1, new - 1)],
        would_mean=lambda x: ask("corner_would_mean", first=equation(difference_of(x, new - 1))),
        after=(table_of_numbers(*titles, queries, columns, mask.astype(float)),),
    )


@question_maker("what-is-left")
def left_question(draw: Draw) -> Question | None:
    """What does a linear recurrent net's state hold of token 1 at token t? factor^(t−1)."""
    factor, t = draw.one_of(FACTORS), draw.whole(3, 6)
    a, steps = Fraction(factor), t - 1
    answer = a**steps
    if answer < Fraction(1, 100):
        return None
    ask = Asking(TEXTS, "left", factor=exact_number(a), token=t, steps=steps)
    return ask.question(
        TWO_DECIMALS,
        answer,
        {"left_once_more": a**t, "left_times_steps": a * steps, "left_one_step": a},
        working=[Power(typeset_number(a), steps)],
        would_mean=lambda x: ask("left_would_mean", next=t + 1, after=equation(product_of(x, a))),
    )


QUESTIONS = {
    TEXTS("again_question"): computed_again_question,
    TEXTS("growth_question"): cache_growth_question,
    TEXTS("corner_question"): corner_question,
    TEXTS("left_question"): left_question,
}
