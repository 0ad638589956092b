"""Two ways for a query to meet a key: the additive score of 2015, and a dot product.

Bahdanau et al. (2015, appendix A.1.2) score v_aᵀ tanh(W s + U h), where s is the state of the
decoder before the word that it writes, and h a row of the encoder. Here s and h are rows of one
sentence, and the maps W and U are W_Q and W_K.
"""

from dataclasses import replace
from functools import cache

import numpy as np

from core.attention.inputs import toy_inputs
from core.attention.phases import CAUSAL_RULE, EMBED, PROJECT, SCALE, SCORE, SOFTMAX, WEIGH
from core.attention.program import attention_program
from core.attention.tokens import few_enough
from core.hash_random import Draw
from core.operations.scores import additive_score
from core.program.described import meaning, phase
from core.program.families import Built, Family, Options, Toggle
from core.program.inputs import Inputs
from core.program.program import Program
from core.program.steps import Input, Phase, Step
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("other_kinds")
D_MODEL, D_K = 4, 2
DOT, ADDITIVE = "dot", "additive"
SCORES = Toggle(
    "kinds_score",
    TEXTS("score"),
    {ADDITIVE: TEXTS("additive"), DOT: TEXTS("dot")},
    ADDITIVE,
    shows={ADDITIVE: "scores", DOT: "scaled"},
)


@cache
def scored_program(kind: str) -> Program:
    """Causal attention of one head: softmax(mask(scores)) V with one of two scores."""
    base = attention_program(heads=1)
    kept = ("Q", "K", "V", "scores", "scaled", "mask", "masked", "weights", "context")
    steps = [base.step[name] for name in kept]
    inputs = tuple(one for one in base.inputs if one.name != "W_O")
    phases: tuple[Phase, ...] = (EMBED, PROJECT, SCORE, SCALE, CAUSAL_RULE, SOFTMAX, WEIGH)
    if kind == ADDITIVE:
        inputs += (Input("v_a", "h k o", meaning(TEXTS, "v_a", "h k o", feature="k")),)
        meet = Step("scores", additive_score(), ("Q", "K", "v_a"), _score)
        others = [
            replace(one, operands=tuple("scores" if n == "scaled" else n for n in one.operands))
            for one in steps
        ]
        steps = [meet if one.name == "scores" else one for one in others if one.name != "scaled"]
        phases = (EMBED, PROJECT, _MEET, CAUSAL_RULE, SOFTMAX, WEIGH)
    return replace(base, inputs=inputs, steps=tuple(steps), phases=phases)


def scored_family(text: str) -> Family:
    """A sentence with either score. Raises `InputError`."""
    toy = toy_inputs(few_enough(text), heads=1, d_model=D_MODEL, d_k=D_K, d_v=D_K)
    given = {name: toy[name] for name in ("X", "W_Q", "W_K", "W_V")}
    v_a = np.array(Draw("v_a:0").wholes(-20, 20, D_K), dtype=float).reshape(1, D_K, 1) / 10

    def build(options: Options) -> Built:
        kind = options[SCORES.key]
        more = {"v_a": v_a} if kind == ADDITIVE else {}
        return Built(scored_program(kind), Inputs(given | more, toy.tokens))

    return Family((SCORES,), build, "kinds_score_", scored_family)


def score_parameters(kind: str, d_k: int = D_K) -> int:
    """Return how many numbers a score learns in addition to W_Q and W_K."""
    return d_k if kind == ADDITIVE else 0


def bound(trace: Trace) -> float:
    """Return Σ |v_a|: no additive score is further from 0."""
    return float(np.abs(trace["v_a"]).sum())


_MEET = phase(TEXTS, "meet", ("scores",))
_score = meaning(TEXTS, "additive_score", "h i j", query="i", key="j")
