"""Two ways for a query to meet a key: the additive score of the first attention, and a dot product.

The first attention (Bahdanau et al. 2015) scores v_aᵀ tanh(W s + U h), where s is the state of the
decoder before the word that it writes, and h a row of the encoder. Here s and h are rows of one
sentence, and the maps W and U are W_Q and W_K.
"""

from dataclasses import replace
from functools import cache

import numpy as np

from core.attention.inputs import toy_inputs
from core.attention.phases import CAUSAL, EMBED, PROJECT, SCALE, SCORE, SOFTMAX, WEIGH
from core.attention.program import attention_program
from core.attention.tokens import few_enough
from core.draws import Draw
from core.operations.scores import additive_score
from core.program.families import Built, Family, Options, Toggle
from core.program.inputs import Inputs
from core.program.labels import told_label
from core.program.patterns import Cell
from core.program.program import Program
from core.program.steps import Input, Phase, Step
from core.program.trace import Trace

D_MODEL, D_K = 4, 2
DOT, ADDITIVE = "dot", "additive"
SCORES = Toggle(
    "kinds_score", "Score", {ADDITIVE: "additive", DOT: "dot product"}, ADDITIVE,
    shows={ADDITIVE: "scores", DOT: "scaled"},
)  # fmt: skip


@cache
def scored_program(kind: str) -> Program:
    """Causal attention of one head: softmax(mask(scores)) V with one of two scores."""
    base = attention_program(heads=1)
    kept = ("Q", "K", "V", "scores", "scaled", "mask", "masked", "weights", "context")
    steps = [base.step[name] for name in kept]
    inputs = tuple(one for one in base.inputs if one.name != "W_O")
    phases: tuple[Phase, ...] = (EMBED, PROJECT, SCORE, SCALE, CAUSAL, SOFTMAX, WEIGH)
    if kind == ADDITIVE:
        inputs += (Input("v_a", "h k o", _weight),)
        meet = Step("scores", additive_score(), ("Q", "K", "v_a"), _score)
        others = [replace(one, operands=tuple("scores" if n == "scaled" else n
                                              for n in one.operands)) for one in steps]  # fmt: skip
        steps = [meet if one.name == "scores" else one for one in others if one.name != "scaled"]
        phases = (EMBED, PROJECT, _MEET, CAUSAL, SOFTMAX, WEIGH)
    return replace(
        base, inputs=inputs, steps=tuple(steps), phases=phases, makes="the context"
    )  # fmt: skip


def scored_family(text: str) -> Family:
    """A sentence with either score. Raises `InputError`."""
    toy = toy_inputs(few_enough(text), heads=1, d_model=D_MODEL, d_k=D_K, d_v=D_K)
    given = {name: toy[name] for name in ("X", "W_Q", "W_K", "W_V")}
    v_a = np.array(Draw("v_a:0").wholes(-20, 20, D_K), dtype=float).reshape(1, D_K, 1) / 10

    def build(options: Options) -> Built:
        kind = options[SCORES.key]
        more = {"v_a": v_a} if kind == ADDITIVE else {}
        return Built(scored_program(kind), Inputs(given | more, toy.tokens))

    return Family((SCORES,), build)


def parameters(kind: str, d_k: int = D_K) -> int:
    """How many numbers a score learns by itself, beside W_Q and W_K."""
    return d_k if kind == ADDITIVE else 0


def bound(trace: Trace) -> float:
    """No additive score lies further from 0: Σ |v_a|."""
    return float(np.abs(trace["v_a"]).sum())


_MEET = Phase(
    "Score every pair", ("scores",), "v_a with the tanh of query plus key.",
    words="Query and key are added, feature by feature; tanh bends each sum to between −1 and 1; "
    "the dot product with v_a makes one number of them. Nothing is divided by √d_k: v_a is "
    "learned, and sets how large scores can be. No score is further from 0 than the sizes of v_a's "
    "entries add up to.",
)  # fmt: skip


def _weight(trace: Trace, cell: Cell) -> str:
    return f"How much feature {cell[1] + 1} counts in every score; training sets it."


def _score(trace: Trace, cell: Cell) -> str:
    query, key = told_label(trace, "i", cell[1]), told_label(trace, "j", cell[2])
    return f"How well the query of {query} and the key of {key} go together, by the additive score."
