"""Convolution compared with attention: weights by distance only, or by content.

A convolution adds up the rows around a place, each times a weight that depends on the distance.
These weights are the same at every place and for every text; attention computes them from the text.
"""

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from jaxtyping import Float

from core.attention.description_helpers import projection_weight
from core.attention.inputs import toy_inputs
from core.attention.phases import CAUSAL_RULE, EMBED, PROJECT, SCALE, SCORE, SOFTMAX, WEIGH
from core.attention.program import attention_program
from core.attention.tokens import few_enough
from core.operations.products import matmul
from core.program.described import meaning, phase
from core.program.families import Built, Family, Options, Toggle
from core.program.inputs import Inputs
from core.program.labels import told_label
from core.program.patterns import Cell
from core.program.program import Program
from core.program.steps import Input, Step
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("other_kinds")
D_MODEL, D_K = 4, 2
KERNEL = (0.5, 0.3, 0.2)
"""The weights of a token itself, of the one before it, and of the one before that."""
ATTENTION, CONVOLUTION = "attention", "convolution"
MIXER = Toggle(
    "kinds_mixer",
    TEXTS("mixer"),
    {CONVOLUTION: TEXTS("by_distance"), ATTENTION: TEXTS("by_content")},
    CONVOLUTION,
    shows={CONVOLUTION: "kernel", ATTENTION: "weights"},
)
TYPED, TURNED = "typed", "turned"
FIRST = Toggle(
    "kinds_first", TEXTS("first"), {TYPED: TEXTS("typed"), TURNED: TEXTS("turned")}, TYPED
)


@cache
def mixing_program(kind: str) -> Program:
    """Values mixed by a causal convolution, or by causal attention of one head."""
    base = attention_program(heads=1)
    if kind == ATTENTION:
        kept = ("Q", "K", "V", "scores", "scaled", "mask", "masked", "weights", "context")
        return replace(
            base,
            inputs=tuple(one for one in base.inputs if one.name != "W_O"),
            steps=tuple(base.step[name] for name in kept),
            phases=(EMBED, PROJECT, SCORE, SCALE, CAUSAL_RULE, SOFTMAX, WEIGH),
        )
    return Program(
        (
            base.inputs[0],
            Input("W_V", "h m v", projection_weight("value"), role="value"),
            Input("kernel", "h i j", _by_distance, role="weights"),
        ),
        (
            Step("V", matmul("j m, h m v -> h j v"), ("X", "W_V"),
                 meaning(TEXTS, "value", "h j v", token="j", feature="v"), "value"),
            Step("context", matmul("h i j, h j v -> h i v"), ("kernel", "V"),
                 meaning(TEXTS, "mixed", "h i v", token="i", feature="v")),
        ),
        (EMBED, _VALUES, _KERNEL, _MIX),
        {"h": 1},
        base.axes,
    )  # fmt: skip


def kernel(T: int) -> Float[np.ndarray, "1 T T"]:
    """The weights of a convolution as a matrix: row i, column j depends only on i − j."""
    return sum(
        (number * np.eye(T, k=-back) for back, number in enumerate(KERNEL)), np.zeros((1, T, T))
    )


def mixing_family(text: str) -> Family:
    """A sentence mixed either way, as typed or with its first row times −1.

    Raises `InputError`.
    """
    toy = toy_inputs(few_enough(text), heads=1, d_model=D_MODEL, d_k=D_K, d_v=D_K)

    def build(options: Options) -> Built:
        return Built(
            mixing_program(options[MIXER.key]),
            mixing_inputs(toy, options[MIXER.key], 0 if options[FIRST.key] == TURNED else None),
        )

    return Family((MIXER, FIRST), build, "kinds_mix_", mixing_family)


def mixing_inputs(toy: Inputs, kind: str, changed: int | None = None) -> Inputs:
    """The inputs, with the row of one token, counted from 0, times −1."""
    X = np.array(toy["X"])
    if changed is not None:
        X[changed] = -X[changed]
    more = ("W_Q", "W_K", "W_V") if kind == ATTENTION else ("W_V",)
    given = {"X": X, **{name: toy[name] for name in more}}
    if kind == CONVOLUTION:
        given["kernel"] = kernel(len(toy.tokens))
    return Inputs(given, toy.tokens)


@dataclass(frozen=True)
class ChangedRows:
    """How many weights and how many rows of the result changed, of how many."""

    weights: int
    of_weights: int
    rows: int
    of_rows: int


def moved(text: str, kind: str, changed: int) -> ChangedRows:
    """What changes when the row of one token is multiplied by −1. Raises `InputError`."""
    toy = toy_inputs(few_enough(text), heads=1, d_model=D_MODEL, d_k=D_K, d_v=D_K)
    before, after = (
        mixing_program(kind).run(mixing_inputs(toy, kind, at)) for at in (None, changed)
    )
    name = "weights" if kind == ATTENTION else "kernel"
    visible = np.tri(len(before.tokens), dtype=bool)
    weights = (before[name] != after[name])[0][visible]
    rows = (before["context"] != after["context"])[0].any(axis=1)
    return ChangedRows(int(weights.sum()), weights.size, int(rows.sum()), rows.size)


def _by_distance(trace: Trace, cell: Cell) -> str:
    query, key = told_label(trace, "i", cell[1]), told_label(trace, "j", cell[2])
    return TEXTS("kernel", query=query, key=key, back=cell[1] - cell[2], width=len(KERNEL))


_VALUES = phase(TEXTS, "values", ("V",), defines=True)
_KERNEL = phase(TEXTS, "kernel", ("kernel",))
_MIX = phase(TEXTS, "mix", ("context",))
