"""Two ways for a query to meet a key: the additive score of 2015, and a dot product.

Bahdanau et al. (2015, appendix A.1.2) score v_aᵀ tanh(W s + U h), where s is the state of the
decoder before the word that it writes, and h a row of the encoder. Here s and h are rows of one
sentence, and the maps W and U are W_Q and W_K.

By hand the additive score has matrices of its own, a hidden unit for each of the two meanings: with
those of the dot product tanh is near 1 for every key. Its tanh lets the query decide. The queries
of words with one meaning are so far below 0 that tanh is flat and no key counts; that of a word
which is open in meaning is near 0, where tanh is steep.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from types import MappingProxyType

import numpy as np
from jaxtyping import Float

from core.attention.examples.river_bank import BANK_LEXICON, LEXICON
from core.attention.examples.two_meanings import FEATURE_NAMES
from core.attention.phases import CAUSAL_RULE, EMBED, PROJECT, SOFTMAX, WEIGH
from core.attention.tokens import few_enough
from core.chapters.other_kinds.sentence import (
    BY_HAND,
    D_K,
    DRAWN,
    MATRICES,
    one_head_program,
    sentence_inputs,
)
from core.hash_random import Draw
from core.operations.scores import additive_score
from core.program.described import meaning, phase
from core.program.families import Built, Family, Options, Toggle
from core.program.program import Program
from core.program.steps import Input, Step
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("other_kinds")
DOT, ADDITIVE = "dot", "additive"
_WAYS = {ADDITIVE: TEXTS("additive"), DOT: TEXTS("dot")}
_SHOWN = {ADDITIVE: "scores", DOT: "scaled"}
SCORES = Toggle("kinds_score", TEXTS("score"), _WAYS, ADDITIVE, resizes=True, shows=_SHOWN)


@cache
def scored_program(kind: str) -> Program:
    """Causal attention of one head: softmax(mask(scores)) V with one of two scores."""
    base = one_head_program()
    if kind == DOT:
        return base
    meet = Step("scores", additive_score(), ("Q", "K", "v_a"), _score)
    unscaled = [
        replace(one, operands=tuple("scores" if n == "scaled" else n for n in one.operands))
        for one in base.steps
        if one.name != "scaled"
    ]
    return replace(
        base,
        inputs=(*base.inputs, Input("v_a", "h k o", meaning(TEXTS, "v_a", "h k o", feature="k"))),
        steps=tuple(meet if one.name == "scores" else one for one in unscaled),
        phases=(EMBED, PROJECT, _MEET, CAUSAL_RULE, SOFTMAX, WEIGH),
    )


def scored_family(text: str) -> Family:
    """A sentence with either score. Raises `InputError`."""
    few_enough(text)

    def build(options: Options) -> Built:
        kind, matrices = options[SCORES.key], options[MATRICES.key]
        inputs = sentence_inputs(text, matrices)
        own = _OF_ADDITIVE[matrices] if kind == ADDITIVE else {}
        return Built(scored_program(kind), replace(inputs, arrays={**inputs, **own}))

    return Family((SCORES, MATRICES), build, "kinds_score_", scored_family)


def bound(trace: Trace) -> float:
    """Return Σ |v_a|: no additive score is further from 0."""
    return float(np.abs(trace["v_a"]).sum())


def flattest_query() -> float:
    """Return the largest query that the additive score by hand gives a word with one meaning."""
    rows = [row for word, row in LEXICON.items() if not BANK_LEXICON.is_open(word)]
    return float((np.array(rows) @ _OF_ADDITIVE[BY_HAND]["W_Q"][0]).max())


_MEET = phase(TEXTS, "meet", ("scores",))
_score = meaning(TEXTS, "additive_score", "h i j", query="i", key="j")


def _two_units(rows: Mapping[str, tuple[float, float]]) -> Float[np.ndarray, "1 8 2"]:
    """A matrix with a column for each hidden unit; a feature that is not named has zeros."""
    return np.array([[rows.get(feature, (0.0, 0.0)) for feature in FEATURE_NAMES]])


_FLAT = dict.fromkeys(("person", "action", "thing", "small word"), (-4.0, -4.0))
_MEANINGS = {"water": (1.0, 0.0), "money": (0.0, 1.0)}
_MADE = {"W_Q": _two_units(_FLAT | {"open": (2.5, 2.5)}), "W_K": _two_units(_MEANINGS)}
_TENTHS = np.array(Draw("v_a:0").wholes(-20, 20, D_K), dtype=float).reshape(1, D_K, 1)
_OF_ADDITIVE = MappingProxyType(
    {BY_HAND: {**_MADE, "v_a": np.full((1, 2, 1), 3.0)}, DRAWN: {"v_a": _TENTHS / 10}}
)
"""What the additive score has of its own, by where the matrices come from."""
