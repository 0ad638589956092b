"""The questions on heads: parameters (M13), what a cache holds, whose a joined feature is."""

import numpy as np

from core.attention.program import attention_program
from core.chapters.heads.heads import GROUPS, SHARED_HEADS, cache_size, count_parameters, maps_of
from core.hash_random import Draw
from core.operations.shapes import join_heads
from core.program.inputs import Inputs
from core.program.trace import Trace
from core.questions.answers import COUNT, Choice
from core.questions.asking import Asking
from core.questions.engine import Evidence, Question, QuestionTable, question_maker
from core.questions.texts import D_MODEL_SYMBOL, equation, product_of, quotient_of
from core.texts import core_texts

TEXTS = core_texts("heads")
SAME, MORE, FEWER = TEXTS("same"), TEXTS("more"), TEXTS("fewer")
_CUT = ("W_Q", "W_K", "W_V")
_SHARED = {groups: attention_program(heads=SHARED_HEADS, kv_heads=groups) for groups in GROUPS}


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
    whole = D_MODEL_SYMBOL
    each = f"{whole} / {heads} = {width}" if split else f"{whole} = {width}"
    sizes = {"size": f"${whole} = {d_model}$", "width": f"${whole}$", "division": f"${whole} / H$"}
    of_heads = {"one": f"$d_k = d_v = {d_model}$", "each": f"$d_k = d_v = {each}$"}
    shapes = {"block": rf"${d_model} \times {width}$", "rows": rf"${heads} \cdot {width}$"}
    counts = {"heads": heads, "narrower": split, "before": f"{before:,}", "after": f"{after:,}"}
    ask = Asking(TEXTS, "parameters", **sizes, **of_heads, **shapes, **counts)
    hints = {FEWER: "not_fewer", SAME: "not_same", MORE: "not_more"}
    table = QuestionTable(
        TEXTS("parameters_table"),
        TEXTS("layer"),
        (TEXTS("one_head"), TEXTS("many_heads", heads=heads)),
        (TEXTS("heads"), *(TEXTS("in_matrix", name=f"${name}$") for name in _CUT)),
        tuple(
            (str(len(maps["W_Q"])), *(f"{maps[n][0].size:,}" for n in _CUT)) for maps in (one, many)
        ),
    )
    return ask.question(
        Choice((FEWER, SAME, MORE)),
        SAME if after == before else MORE if after > before else FEWER,
        [ask.mistake("chosen", option, hint, option=option) for option, hint in hints.items()],
        tables=(table,),
    )


@question_maker("heads-cache", beyond=True)
def cache_question(draw: Draw) -> Question | None:
    """How many numbers does a decoder keep for G key/value heads? 2·G·d_h·T."""
    groups, d_k, T = draw.one_of(GROUPS[1:]), draw.one_of((2, 4, 8, 16)), draw.whole(3, 12)
    trace = _shared_run(groups, d_k, T)
    answer, unshared = cache_size(trace), cache_size(_shared_run(SHARED_HEADS, d_k, T))
    wrong = {"only_half": answer // 2, "all_heads": unshared, "one_token": answer // T}
    if groups > 2:  # with two, one of them is as much as K alone
        wrong["one_group"] = answer // groups
    sizes = {"heads": SHARED_HEADS, "d_k": d_k, "groups": groups, "tokens": T}
    counts = {"each": rf"${groups} \cdot {T} \cdot {d_k}$", "unshared": f"{unshared:,}"}
    ask = Asking(TEXTS, "cache", one_group=groups == 1, **sizes, **counts)
    return ask.question(
        COUNT,
        answer,
        wrong,
        working=[product_of(2, groups, d_k, T)],
        would_mean=lambda x: ask("cache_means", each=equation(quotient_of(x, T))),
        evidence=(Evidence(TEXTS("cache_evidence"), trace, "K"),),
    )


@question_maker("heads-feature")
def feature_question(draw: Draw) -> Question | None:
    """Which head made a feature of concat? Heads stand side by side, d_v features each."""
    heads, d_v = draw.whole(2, 8), draw.whole(2, 8)
    d_model = heads * d_v
    c = draw.whole(1, d_model)
    numbered = np.repeat(np.arange(1.0, heads + 1), d_v).reshape(heads, 1, d_v)
    answer = int(join_heads().forward(numbered)[0, c - 1])
    inside = int(join_heads().forward(np.tile(np.arange(1.0, d_v + 1), (heads, 1, 1)))[0, c - 1])
    width = f"$d_v = {d_model} / {heads} = {d_v}$"
    sizes = {"d_model": d_model, "heads": heads, **_features(answer, d_v)}
    ask = Asking(TEXTS, "feature", feature=c, width=width, **sizes)

    def would_mean(given: float) -> str:
        if given != int(given) or not 1 <= given <= heads:
            return ask("feature_range")
        return TEXTS("feature_means", **_features(int(given), d_v))

    return ask.question(
        COUNT,
        answer,
        {"in_turn": (c - 1) % heads + 1, "inside": inside, "from_0": answer - 1},
        would_mean=would_mean,
    )


def _features(head: int, d_v: int) -> dict[str, int]:
    """A head and the features of concat that are its own."""
    return {"head": head, "first": (head - 1) * d_v + 1, "last": head * d_v}


QUESTIONS = {
    TEXTS("title_parameters"): heads_parameters_question,
    TEXTS("title_cache"): cache_question,
    TEXTS("title_feature"): feature_question,
}


def _shared_run(groups: int, d_k: int, T: int) -> Trace:
    """A run of that many key/value heads; only its sizes are asked about."""
    H = SHARED_HEADS
    shapes = {"X": (T, 1), "W_Q": (H, 1, d_k), "W_O": (H * d_k, 1)}
    shapes |= dict.fromkeys(("W_K", "W_V"), (groups, 1, d_k))
    arrays = {name: np.zeros(shape) for name, shape in shapes.items()}
    return _SHARED[groups].run(Inputs(arrays, tuple(str(n + 1) for n in range(T))))
