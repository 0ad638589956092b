"""The questions on heads: parameters (M13), what a cache holds, whose a joined feature is."""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from core.chapters.heads.heads import (
    GROUPS,
    SHARED_HEADS,
    cache_size,
    count_parameters,
    grouped_program,
    maps_of,
)
from core.hash_random import Draw
from core.operations.shapes import join_heads
from core.program.inputs import Inputs
from core.program.numbers.arithmetic import Product, Quotient, arithmetic_line
from core.program.trace import Trace
from core.questions.answers import Choice, NumberAnswer
from core.questions.engine import (
    Evidence,
    Question,
    QuestionMaker,
    QuestionTable,
    WrongAnswer,
    question_maker,
)
from core.questions.texts import D_MODEL_SYMBOL, equation, sum_of_wholes, typeset_number
from core.texts import core_texts

TEXTS = core_texts("heads")
SAME, MORE, FEWER = TEXTS("same"), TEXTS("more"), TEXTS("fewer")
COUNT = NumberAnswer(0.3, decimals=0)
"""Whole numbers are asked for; two of them never pass for one another."""
_CUT = ("W_Q", "W_K", "W_V")
_SHARED = {groups: grouped_program(SHARED_HEADS, groups) for groups in GROUPS}


@question_maker("heads-parameters", beyond=True)
def heads_parameters_question(draw: Draw) -> Question | None:
    """M13: H heads instead of one, d_model fixed: more parameters? The same, if d_k shrinks."""
    heads, d_k = draw.whole(2, 16), draw.one_of((16, 32, 64, 128))
    d_model = heads * d_k
    split = draw.whole(1, 4) > 1
    width = d_k if split else d_model
    one = maps_of(d_model, 1)
    many = maps_of(d_model, heads, width)
    before, after = count_parameters(one), count_parameters(many)
    answer = SAME if after == before else MORE if after > before else FEWER
    each = f"{D_MODEL_SYMBOL} / {heads} = {width}" if split else f"{D_MODEL_SYMBOL} = {width}"
    hints = {
        MORE: TEXTS("not_more"),
        FEWER: TEXTS("not_fewer", narrower=split),
        SAME: TEXTS("not_same", width=f"${D_MODEL_SYMBOL}$"),
    }
    return Question(
        id="",
        prompt=TEXTS(
            "parameters", size=f"${D_MODEL_SYMBOL} = {d_model}$", one=f"$d_k = d_v = {d_model}$",
            heads=heads, each=f"$d_k = d_v = {each}$",
        ),
        kind=Choice((FEWER, SAME, MORE)),
        answer=answer,
        wrong=tuple(
            WrongAnswer(TEXTS("chosen", option=option), option, hints[option])
            for option in (FEWER, SAME, MORE) if option != answer
        ),
        hint=TEXTS("parameters_hint"),
        explanation=TEXTS(
            "parameters_answer", before=f"{before:,}", after=f"{after:,}", heads=heads,
            block=rf"${d_model} \times {width}$", rows=rf"${heads} \cdot {width}$",
            narrower=split, division=f"${D_MODEL_SYMBOL} / H$",
        ),
        tables=(
            QuestionTable(
                TEXTS("parameters_table"), TEXTS("layer"),
                (TEXTS("one_head"), TEXTS("many_heads", heads=heads)),
                (TEXTS("heads"), *(TEXTS("in_matrix", name=f"${name}$") for name in _CUT)),
                tuple(
                    (str(len(maps["W_Q"])), *(f"{maps[n][0].size:,}" for n in _CUT))
                    for maps in (one, many)
                ),
            ),
        ),
    )  # fmt: skip


@question_maker("heads-cache", beyond=True)
def cache_question(draw: Draw) -> Question | None:
    """How many numbers does a decoder keep for G key/value heads? 2·G·d_h·T."""
    groups, d_k, T = draw.one_of(GROUPS[1:]), draw.one_of((2, 4, 8, 16)), draw.whole(3, 12)
    trace = _shared_run(groups, d_k, T)
    answer, unshared = cache_size(trace), cache_size(_shared_run(SHARED_HEADS, d_k, T))
    wrong = [
        WrongAnswer(TEXTS("only_half"), answer // 2, TEXTS("only_half_why")),
        WrongAnswer(
            TEXTS("all_heads"),
            unshared,
            TEXTS("all_heads_why", groups=groups, heads=SHARED_HEADS),
        ),
        WrongAnswer(TEXTS("one_token"), answer // T, TEXTS("one_token_why", tokens=T)),
    ]
    if groups > 2:  # with two, one of them is as much as K alone
        why = TEXTS("one_group_why", groups=groups)
        wrong.append(WrongAnswer(TEXTS("one_group"), answer // groups, why))

    def would_mean(given: float) -> str:
        each = equation(Quotient(typeset_number(given), *sum_of_wholes(T)))
        return TEXTS("cache_means", tokens=T, each=each)

    return Question(
        id="",
        prompt=TEXTS(
            "cache",
            heads=f"$H = {SHARED_HEADS}$",
            width=f"$d_k = d_v = {d_k}$",
            groups=f"$G = {groups}$",
            one_group=groups == 1,
            tokens=f"$T = {T}$",
        ),
        kind=COUNT,
        answer=answer,
        wrong=tuple(wrong),
        hint=TEXTS("cache_hint"),
        explanation=TEXTS(
            "cache_answer", each=rf"${groups} \cdot {T} \cdot {d_k}$", unshared=f"{unshared:,}"
        ),
        working=(arithmetic_line(Product(sum_of_wholes(2, groups, d_k, T)), 0),),
        would_mean=would_mean,
        evidence=(Evidence(TEXTS("cache_evidence"), trace, "K"),),
    )


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
            return TEXTS("feature_range", heads=heads)
        first, last = (int(given) - 1) * d_v + 1, int(given) * d_v
        return TEXTS("feature_means", head=int(given), first=first, last=last)

    return Question(
        id="",
        prompt=TEXTS(
            "feature",
            width=f"${D_MODEL_SYMBOL} = {heads * d_v}$",
            heads=f"$H = {heads}$",
            feature=c,
        ),
        kind=COUNT,
        answer=answer,
        wrong=(
            WrongAnswer(TEXTS("in_turn"), (c - 1) % heads + 1, TEXTS("in_turn_why")),
            WrongAnswer(TEXTS("inside"), inside, TEXTS("inside_why")),
            WrongAnswer(TEXTS("from_0"), answer - 1, TEXTS("from_0_why")),
        ),
        hint=TEXTS("feature_hint", width=heads * d_v, heads=heads),
        explanation=TEXTS(
            "feature_answer",
            width=f"$d_v = {heads * d_v} / {heads} = {d_v}$",
            head=answer,
            first=(answer - 1) * d_v + 1,
            last=answer * d_v,
        ),
        would_mean=would_mean,
    )


QUESTIONS: Mapping[str, QuestionMaker] = MappingProxyType(
    {
        TEXTS("title_parameters"): heads_parameters_question,
        TEXTS("title_cache"): cache_question,
        TEXTS("title_feature"): feature_question,
    }
)


def _shared_run(groups: int, d_k: int, T: int) -> Trace:
    """A run of that many key/value heads; only its sizes are asked about."""
    H, X = SHARED_HEADS, np.zeros((T, 1))
    arrays = {
        "X": X,
        "W_Q": np.zeros((H, 1, d_k)),
        "W_K": np.zeros((groups, 1, d_k)),
        "W_V": np.zeros((groups, 1, d_k)),
        "W_O": np.zeros((H * d_k, 1)),
    }
    return _SHARED[groups].run(Inputs(arrays, tuple(str(n + 1) for n in range(T))))
