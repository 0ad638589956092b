"""The questions on generation: work done again, a cache's growth, the corner, and what is left."""

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType

from core.attention.costs import Layer
from core.attention.decoding import UpperLeft
from core.draws import Draw
from core.program.arithmetic import Difference, Power, Product, Quotient, Sum, line
from core.program.rounding import CELL_DECIMALS
from core.questions.answers import Number
from core.questions.engine import Question, QuestionMaker, Table, WrongAnswer, question_maker
from core.questions.texts import equation, exact, number, total, whole

COUNT = Number(0.3, decimals=0)
"""Whole numbers are asked for; two of them never pass for one another."""
SHARE = Number(0.006)
FACTORS = ("0.2", "0.3", "0.5", "0.6", "0.8", "0.9", "2")


@question_maker("computed-again")
def computed_again_question(draw: Draw) -> Question | None:
    """How many rows of K are computed without a cache, all steps together? T(T + 1)/2."""
    T = draw.whole(3, 16)
    rows = tuple(range(1, T + 1))
    answer = sum(rows)
    return Question(
        id="",
        prompt=(
            f"A model writes ${T}$ tokens, one at a time, and keeps nothing from step to step: "
            "each step computes the keys of all tokens so far, the new one too. How many rows of "
            "$K$ has one head computed after the last step, all steps together?"
        ),
        kind=COUNT,
        answer=answer,
        wrong=(
            WrongAnswer(
                "you counted each token once", T,
                "So many are enough with a cache. Without one, the first token's key is computed "
                f"in each of the {T} steps.",
            ),
            WrongAnswer(
                "you took every step for the last one", T * T,
                f"Only the last step has {T} tokens. The first has one.",
            ),
            WrongAnswer(
                "you left the new token out", answer - T,
                "Each step computes the key of its new token as well.",
            ),
        ),
        hint="How many tokens are there in the first step, in the second, in the third?",
        explanation=(
            f"With a cache it would be {T} rows, one for each step. Without one the rows add up: "
            "twice as long a text takes about four times as many."
        ),
        working=(line(total(rows), 0),),
        would_mean=lambda given: (
            f"Over {T} steps that would be {equation(Quotient(number(given), *whole(T)))} rows a "
            f"step on average. The first step computes one row, the last {T}."
        ),
    )  # fmt: skip


@question_maker("cache-growth")
def cache_growth_question(draw: Draw) -> Question | None:
    """By how many bytes does a cache grow with each token? 2·layers·G·d_k·bytes."""
    layers, groups, d_k = draw.one_of((2, 4, 6, 12)), draw.one_of((1, 2, 4)), draw.one_of((8, 16))
    heads, each = 8, draw.one_of((2, 4))
    in_layer = Layer(heads * d_k, heads, groups, d_k).cached(1)
    answer = layers * in_layer * each
    wrong = [
        WrongAnswer(
            "you counted $K$ or $V$ alone", answer // 2,
            "Both are kept: $K$ to score with, $V$ to read from.",
        ),
        WrongAnswer(
            "you counted one layer", in_layer * each,
            f"Each of the {layers} layers has keys and values of its own.",
        ),
        WrongAnswer(
            "you counted all heads", answer * heads // groups,
            f"Only key/value heads are kept: {groups} {'is' if groups == 1 else 'are'} shared by "
            f"{heads} heads.",
        ),
    ]  # fmt: skip
    if each != 2:  # else it is as much as K alone
        wrong.append(
            WrongAnswer(
                "you counted numbers", answer // each,
                f"Asked are bytes, and each number takes {each} of them.",
            )
        )  # fmt: skip
    return Question(
        id="",
        prompt=(
            f"A model has {layers} layers, each with $H = {heads}$ heads of $d_k = d_v = {d_k}$ "
            f"that share $G = {groups}$ key/value {'head' if groups == 1 else 'heads'}. A number "
            f"takes {each} bytes. By how many bytes does its cache grow with each token?"
        ),
        kind=COUNT,
        answer=answer,
        wrong=tuple(wrong),
        hint="What does a token leave in one key/value head? Then count heads, layers and bytes.",
        explanation=(
            f"A key and a value of {d_k} numbers for each key/value head of each layer. It grows "
            "by the same amount with every token, however long the text already is."
        ),
        working=(line(Product(whole(2, layers, groups, d_k, each)), 0),),
        would_mean=lambda given: (
            f"Then each layer would keep {equation(Quotient(number(given), *whole(layers)))} bytes "
            "of a token. Compare that with a key and a value for each key/value head."
        ),
    )


@question_maker("which-corner")
def corner_question(draw: Draw) -> Question | None:
    """How many keys does the last of n new queries see with is_causal=True? n: upper left (M19)."""
    new = draw.whole(2, 5)
    keys = new + draw.whole(2, 7)
    mask = UpperLeft("causal").mask(new, keys)
    answer = int(mask[-1].sum())
    return Question(
        id="",
        prompt=(
            f"{new} new queries meet {keys} keys: {keys - new} that were kept, and their own, "
            f"which come last. You pass `is_causal=True` to `scaled_dot_product_attention`. How "
            "many keys does the last query see?"
        ),
        kind=COUNT,
        answer=answer,
        wrong=(
            WrongAnswer(
                "you let the last query see everything", keys,
                "That is what was meant. But positions are counted from the first query that is "
                "given and from the first key, as if the two stood side by side.",
            ),
            WrongAnswer(
                "you counted the keys that were kept", keys - new,
                "The mask knows two numbers, how many queries and how many keys there are. It does "
                "not know which keys were kept.",
            ),
            WrongAnswer(
                "you took the first query for the last", 1,
                "So many does the first query see. Each one after it sees one more.",
            ),
        ),
        hint=r"`is_causal` keeps key $j$ for query $i$ where $j \le i$, both counted from the "
        "first that is given.",
        explanation=(
            f"The triangle begins in the upper left corner, so the last query sees {answer} of "
            f"{keys} keys, and the rest is hidden from it. A mask whose triangle ends in the lower "
            "right corner must be given as `attn_mask`."
        ),
        after=(
            Table(
                "What `is_causal=True` lets them see: 1 is visible", "query ↓ key →",
                tuple(f"new {n + 1}" for n in range(new)), tuple(str(n + 1) for n in range(keys)),
                tuple(tuple(str(int(cell)) for cell in row) for row in mask),
            ),
        ),
        working=(line(Sum(whole(1, new - 1)), 0),),
        would_mean=lambda given: (
            "Each query sees one key more than the one before it, so the first would see "
            f"{equation(Difference(number(given), *whole(new - 1)))} keys. How many keys does the "
            "first row of the triangle have?"
        ),
    )  # fmt: skip


@question_maker("what-is-left")
def left_question(draw: Draw) -> Question | None:
    """What does a linear recurrent net's state hold of token 1 at token t? factor^(t−1)."""
    factor, t = draw.one_of(FACTORS), draw.whole(3, 6)
    a = Fraction(factor)
    answer = a ** (t - 1)
    if answer < Fraction(1, 100):
        return None
    times = t - 1
    return Question(
        id="",
        prompt=(
            f"The state of a linear recurrent net is multiplied by ${factor}$ at each step before "
            "the new token is added to it. Token 1 put $1$ into it, the others put in $0$. What "
            f"does the state hold at token {t}?"
        ),
        kind=SHARE,
        answer=float(answer),
        wrong=(
            WrongAnswer(
                f"you multiplied {t} times", float(a**t),
                "At token 1 the state holds all of it: nothing has been multiplied yet.",
            ),
            WrongAnswer(
                "you multiplied the steps", float(a * times),
                "Every step multiplies what is left, not what there was at first.",
            ),
            WrongAnswer(
                "you took one step", float(a),
                f"So much is left at token 2. Go on to token {t}.",
            ),
        ),
        hint="At token 1 the state is 1. What is it at token 2, and at token 3?",
        explanation=(
            f"From token 1 to token {t} there are {times} steps, and each multiplies by "
            f"{exact(float(a))}. Attention has no such steps: one weight leads from token 1 to "
            "any later token."
        ),
        working=(line(Power(number(float(a)), times), CELL_DECIMALS, trim=False),),
        would_mean=lambda given: (
            f"Then at token {t + 1} it would be "
            f"{equation(Product((number(given), number(float(a)))))}. Work it out from token 1 on: "
            "1, then once multiplied, then twice."
        ),
    )  # fmt: skip


ONE_QUERY_QUESTIONS: Mapping[str, QuestionMaker] = MappingProxyType({
    "Computed again": computed_again_question,
    "The cache grows": cache_growth_question,
    "Which corner": corner_question,
    "What is left": left_question,
})  # fmt: skip
