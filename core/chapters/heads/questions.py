"""The questions on heads: parameters (M13), what a cache holds, whose a joined feature is."""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from core.chapters.heads.heads import (
    GROUPS,
    SHARED_HEADS,
    cache_size,
    maps_of,
    parameters,
    program_of,
)
from core.draws import Draw
from core.operations.shapes import join_heads
from core.program.arithmetic import Product, Quotient, line
from core.program.inputs import Inputs
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
from core.questions.texts import D_MODEL, equation, number, whole

SAME, MORE, FEWER = "the same", "more", "fewer"
COUNT = Number(0.3, decimals=0)
"""Whole numbers are asked for; two of them never pass for one another."""
_CUT = ("W_Q", "W_K", "W_V")
_SHARED = {groups: program_of(SHARED_HEADS, groups) for groups in GROUPS}


@question_maker("heads-parameters")
def parameters_question(draw: Draw) -> Question | None:
    """M13: H heads instead of one, d_model fixed: more parameters? The same, if d_k shrinks."""
    heads, d_k = draw.whole(2, 16), draw.one_of((16, 32, 64, 128))
    d_model = heads * d_k
    split = draw.whole(1, 4) > 1
    width = d_k if split else d_model
    one = maps_of(d_model, 1)
    many = maps_of(d_model, heads, width)
    before, after = parameters(one), parameters(many)
    answer = SAME if after == before else MORE if after > before else FEWER
    size = f"{D_MODEL} / {heads} = {width}" if split else f"{D_MODEL} = {width}"
    hints = {
        MORE: "There are more heads, and each is narrower by the same factor.",
        FEWER: "Each head is narrower, and there are more of them by the same factor.",
        SAME: f"That holds where the heads share ${D_MODEL}$; here each of them is as wide as it.",
    }
    if not split:
        hints[FEWER] = "No map has become narrower."
    return Question(
        id="",
        prompt=(
            f"A layer with ${D_MODEL} = {d_model}$ has one head with $d_k = d_v = {d_model}$. It "
            f"gets {heads} heads instead, each with $d_k = d_v = {size}$. How many parameters do "
            "$W_Q$, $W_K$, $W_V$ and $W_O$ hold now, compared with before?"
        ),
        kind=Choice((FEWER, SAME, MORE)),
        answer=answer,
        wrong=tuple(
            WrongAnswer(f"you chose “{option}”", option, hints[option])
            for option in (FEWER, SAME, MORE) if option != answer
        ),
        hint="Multiply the numbers of one head by the number of heads, before and now.",
        explanation=(
            f"Counted: {before:,} before, {after:,} now. $W_Q$, $W_K$ and $W_V$ have {heads} "
            rf"blocks of ${d_model} \times {width}$, and $W_O$ has ${heads} \cdot {width}$ rows. "
            + ("Heads cut the maps into blocks; they add none." if split else
               f"The division ${D_MODEL} / H$ keeps the count, not the heads themselves.")
        ),
        tables=(
            Table(
                "Numbers in one head of each map", "layer", ("one head", f"{heads} heads"),
                ("heads", *(f"${name}$" for name in _CUT)),
                tuple(
                    (str(len(maps["W_Q"])), *(f"{maps[n][0].size:,}" for n in _CUT))
                    for maps in (one, many)
                ),
            ),
        ),
    )  # fmt: skip


@question_maker("heads-cache")
def cache_question(draw: Draw) -> Question | None:
    """How many numbers does a decoder keep for G key/value heads? 2·G·d_h·T."""
    groups, d_k, T = draw.one_of(GROUPS[1:]), draw.one_of((2, 4, 8, 16)), draw.whole(3, 12)
    trace = _shared_run(groups, d_k, T)
    answer, unshared = cache_size(trace), cache_size(_shared_run(SHARED_HEADS, d_k, T))
    wrong = [
        WrongAnswer(
            "you counted $K$ or $V$ alone",
            answer // 2,
            "Both are kept: $K$ to score with, $V$ to read from. Twice as many.",
        ),
        WrongAnswer(
            "you counted all heads",
            unshared,
            f"Of key/value heads, which are kept, there {'is' if groups == 1 else 'are'} {groups}; "
            f"the {SHARED_HEADS} heads differ in their queries, which are not kept.",
        ),
        WrongAnswer(
            "you counted one token",
            answer // T,
            f"Each of the {T} tokens leaves its keys and values.",
        ),
    ]
    if groups > 2:  # with two, one of them is as much as K alone
        wrong.append(
            WrongAnswer(
                "you counted one key/value head", answer // groups, f"There are {groups} of them."
            )
        )
    return Question(
        id="",
        prompt=(
            f"A layer has $H = {SHARED_HEADS}$ heads with $d_k = d_v = {d_k}$ that share "
            f"$G = {groups}$ key/value {'head' if groups == 1 else 'heads'}. How many numbers does "
            f"its cache of keys and values hold after $T = {T}$ tokens?"
        ),
        kind=COUNT,
        answer=answer,
        wrong=tuple(wrong),
        hint="What does one token leave in one key/value head? Then count heads and tokens.",
        explanation=(
            rf"$K$ and $V$ have ${groups} \cdot {T} \cdot {d_k}$ numbers each. With a key/value "
            f"head for each head it would be {unshared:,} numbers."
        ),
        working=(line(Product(whole(2, groups, d_k, T)), 0),),
        would_mean=lambda given: (
            f"Then each of the {T} tokens would leave "
            f"{equation(Quotient(number(given), *whole(T)))} numbers. Compare that with a key and "
            "a value for each key/value head."
        ),
        evidence=(Evidence("The keys that are kept", trace, "K"),),
    )  # fmt: skip


@question_maker("heads-feature")
def feature_question(draw: Draw) -> Question | None:
    """Which head made a feature of concat? Heads stand side by side, d_v features each."""
    heads, d_v = draw.whole(2, 8), draw.whole(2, 8)
    c = draw.whole(1, heads * d_v)
    numbered = np.repeat(np.arange(1.0, heads + 1), d_v).reshape(heads, 1, d_v)
    answer = int(join_heads().forward(numbered)[0, c - 1])
    inside = int(join_heads().forward(np.tile(np.arange(1.0, d_v + 1), (heads, 1, 1)))[0, c - 1])

    def would_mean(given: float) -> str:
        if given != int(given) or not 1 <= given <= heads:
            return f"The heads are counted from 1 to {heads}."
        first, last = (int(given) - 1) * d_v + 1, int(given) * d_v
        return f"Head {int(given)} has the features {first} to {last} of concat."

    return Question(
        id="",
        prompt=(
            f"A layer has ${D_MODEL} = {heads * d_v}$ and $H = {heads}$ heads of equal size. "
            f"Counted from 1, which head does feature {c} of concat come from?"
        ),
        kind=COUNT,
        answer=answer,
        wrong=(
            WrongAnswer("you dealt the features out in turn", (c - 1) % heads + 1,
                        "Heads are not interleaved: head 1's features come first, all of them."),
            WrongAnswer("you gave the place inside the head", inside,
                        "That is where the feature stands in its head. Asked is which head."),
            WrongAnswer("you counted from 0", answer - 1, "The first head is head 1 here."),
        ),
        hint=f"A head has {heads * d_v} / {heads} features. In concat head 1's come first.",
        explanation=(
            f"Each head has $d_v = {heads * d_v} / {heads} = {d_v}$ features. Features "
            f"{(answer - 1) * d_v + 1} to {answer * d_v} of concat are head {answer}'s."
        ),
        would_mean=would_mean,
    )  # fmt: skip


HEAD_QUESTIONS: Mapping[str, QuestionMaker] = MappingProxyType({
    "More parameters?": parameters_question,
    "What a cache holds": cache_question,
    "Whose feature": feature_question,
})  # fmt: skip


def _shared_run(groups: int, d_k: int, T: int) -> Trace:
    """A run of that many key/value heads; only its sizes are asked about."""
    H, X = SHARED_HEADS, np.zeros((T, 1))
    arrays = {
        "X": X, "W_Q": np.zeros((H, 1, d_k)), "W_K": np.zeros((groups, 1, d_k)),
        "W_V": np.zeros((groups, 1, d_k)), "W_O": np.zeros((H * d_k, 1)),
    }  # fmt: skip
    return _SHARED[groups].run(Inputs(arrays, tuple(str(n + 1) for n in range(T))))
