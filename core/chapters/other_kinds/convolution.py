"""Convolution compared with attention: weights by distance only, or by content.

A convolution adds up the rows around a place, each times a weight that depends on the distance.
These weights are the same at every place and for every text; attention computes them from the text.
"""

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from jaxtyping import Float

from core.attention.layers.layer import projection_weight
from core.attention.phases import EMBED
from core.attention.tokens import few_enough
from core.chapters.other_kinds.sentence import (
    DRAWN,
    MATRICES,
    first_look,
    one_head_program,
    sentence_inputs,
)
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
KERNEL = (0.5, 0.3, 0.2)
"""The weights of a token itself, of the one before it, and of the one before that."""
ATTENTION, CONVOLUTION = "attention", "convolution"
_MIXERS = {CONVOLUTION: TEXTS("by_distance"), ATTENTION: TEXTS("by_content")}
_SHOWN = {CONVOLUTION: "kernel", ATTENTION: "weights"}
MIXER = Toggle("kinds_mixer", TEXTS("mixer"), _MIXERS, CONVOLUTION, shows=_SHOWN)
TYPED, TURNED = "typed", "turned"
TURN = Toggle(
    "kinds_first", TEXTS("one_row"), {TYPED: TEXTS("typed"), TURNED: TEXTS("turned")}, TYPED
)


@cache
def mixing_program(kind: str) -> Program:
    """Values mixed by a causal convolution, or by causal attention of one head."""
    base = one_head_program()
    if kind == ATTENTION:
        return base
    weight = Input("W_V", "h m v", projection_weight("value"), role="value")
    given = Input("kernel", "h i j", _by_distance, role="weights")
    value = meaning(TEXTS, "value", "h j v", token="j", feature="v")
    mixed = meaning(TEXTS, "mixed", "h i v", token="i", feature="v")
    steps = (
        Step("V", matmul("j m, h m v -> h j v"), ("X", "W_V"), value, "value"),
        Step("context", matmul("h i j, h j v -> h i v"), ("kernel", "V"), mixed),
    )
    phases = (EMBED, _VALUES, _KERNEL, _MIX)
    return Program((base.inputs[0], weight, given), steps, phases, {"h": 1}, base.axes)


def kernel(T: int) -> Float[np.ndarray, "1 T T"]:
    """The weights of a convolution as a matrix: row i, column j depends only on i − j."""
    return sum(
        (number * np.eye(T, k=-back) for back, number in enumerate(KERNEL)), np.zeros((1, T, T))
    )


def mixing_family(text: str) -> Family:
    """A sentence mixed either way, as typed or with the row of one token times −1.

    It is the token that `first_look` finds. Raises `InputError`.
    """
    few_enough(text)

    def build(options: Options) -> Built:
        kind, matrices = options[MIXER.key], options[MATRICES.key]
        changed = first_look(text, matrices).key if options[TURN.key] == TURNED else None
        inputs = mixing_inputs(sentence_inputs(text, matrices), kind, changed)
        return Built(mixing_program(kind), inputs)

    return Family((MIXER, TURN, MATRICES), build, "kinds_mix_", mixing_family)


def mixing_inputs(inputs: Inputs, kind: str, changed: int | None = None) -> Inputs:
    """The inputs, with the row of one token, counted from 0, times −1."""
    X = np.array(inputs["X"])
    if changed is not None:
        X[changed] = -X[changed]
    if kind == ATTENTION:
        return replace(inputs, arrays={**inputs, "X": X})
    by_distance = kernel(len(inputs.tokens))
    return replace(inputs, arrays={"X": X, "W_V": inputs["W_V"], "kernel": by_distance})


@dataclass(frozen=True)
class ChangedRows:
    """How many weights and how many rows of the result changed, of how many."""

    weights: int
    of_weights: int
    rows: int
    of_rows: int


def moved(text: str, kind: str, changed: int, matrices: str = DRAWN) -> ChangedRows:
    """What changes when the row of one token is multiplied by −1. Raises `InputError`."""
    inputs = sentence_inputs(text, matrices)
    before, after = (
        mixing_program(kind).run(mixing_inputs(inputs, kind, at)) for at in (None, changed)
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
