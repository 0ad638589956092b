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
    size = f"d_k = d_v = d_model / {heads} = {width}" if split else f"d_k = d_v = d_model = {width}"
    hints = {
        MORE: "There are more heads, and each is narrower by the same factor.",
        FEWER: "Each head is narrower, and there are more of them by the same factor.",
        SAME: "That holds where the heads share d_model; here each of them is as wide as it.",
    }
    if not split:
        hints[FEWER] = "No map has become narrower."
    return Question(
        id="",
        prompt=(
            f"A layer with d_model = {d_model} has one head with d_k = d_v = {d_model}. It gets "
            f"{heads} heads instead, each with {size}. How many parameters do W_Q, W_K, W_V and "
            "W_O hold now, compared with before?"
        ),
        kind=Choice((FEWER, SAME, MORE)),
        answer=answer,
        wrong=tuple(
            WrongAnswer("not so", option, hints[option])
            for option in (FEWER, SAME, MORE) if option != answer
        ),
        explanation=(
            f"Counted: {before:,} before, {after:,} now. W_Q, W_K and W_V have {heads} blocks of "
            f"{d_model} × {width}, and W_O has {heads} × {width} rows. "
            + ("Heads cut the maps into blocks; they add none." if split else
               "It is the division d_model / H that keeps the count, not the heads themselves.")
        ),
        tables=(
            Table(
                "Numbers in one head of each map", ("one head", f"{heads} heads"),
                ("heads", *_CUT),
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
            "you counted K or V alone",
            answer // 2,
            "Both are kept: K to score with, V to read from. Twice as many.",
        ),
        WrongAnswer(
            "you counted all heads",
            unshared,
            f"Only key/value heads are kept, and there are {groups}; the {SHARED_HEADS} "
            "heads differ in their queries, which are not kept.",
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
            f"A layer has H = {SHARED_HEADS} heads with d_k = d_v = {d_k} that share G = {groups} "
            f"key/value {'head' if groups == 1 else 'heads'}. How many numbers does its cache of "
            f"keys and values hold after T = {T} tokens?"
        ),
        kind=COUNT,
        answer=answer,
        wrong=tuple(wrong),
        explanation=(
            f"K and V have {groups} × {T} × {d_k} numbers each: 2 · {groups} · {d_k} · {T} = "
            f"{answer:,}. With a key/value head for each head it would be "
            f"{unshared:,}."
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
    return Question(
        id="",
        prompt=(
            f"A layer has d_model = {heads * d_v} and H = {heads} heads. Counted from 1, which "
            f"head does feature {c} of concat come from?"
        ),
        kind=COUNT,
        answer=answer,
        wrong=(
            WrongAnswer("you dealt the features out in turn", (c - 1) % heads + 1,
                        "Heads are not interleaved: head 1's features come first, all of them."),
            WrongAnswer("you gave the place inside the head", inside,
                        f"It is feature {inside} of its head. Asked is which head."),
            WrongAnswer("you counted from 0", answer - 1, "The first head is head 1 here."),
        ),
        explanation=(
            f"Each head has d_v = {heads * d_v} / {heads} = {d_v} features. Features "
            f"{(answer - 1) * d_v + 1} to {answer * d_v} of concat are head {answer}'s."
        ),
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
