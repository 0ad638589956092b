"""A sentence through one block or several, in either order of norm and sum."""

from dataclasses import replace

import numpy as np

from core.attention.examples.presets import OPENING, preset
from core.attention.inputs import SEED
from core.attention.layers.block import (
    POST,
    PRE,
    BlockKind,
    block_inputs,
    block_program,
    drawn_tenths,
)
from core.attention.layers.feed_forward import UNIT_WORDS
from core.attention.tokens import few_enough
from core.program.families import Built, Family, Options, Toggle
from core.program.inputs import Inputs
from core.program.patterns import Cell
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("block")
MOST_LAYERS = 3
NORM = Toggle(
    "block_norm", TEXTS("layer_norm"), {POST: TEXTS("after_the_sum"), PRE: TEXTS("before")}, POST
)
UNIT_TOGGLE = Toggle(
    "block_units", TEXTS("units"), UNIT_WORDS, "relu", shows=dict.fromkeys(UNIT_WORDS, "units_1")
)
LAYERS = Toggle(
    "block_layers",
    TEXTS("layers"),
    {str(n): str(n) for n in range(1, MOST_LAYERS + 1)},
    "1",
    resizes=True,
    shows={str(n): f"H_{n}" for n in range(1, MOST_LAYERS + 1)},
)
MASK = Toggle(
    "block_mask",
    TEXTS("mask"),
    {"causal": TEXTS("causal"), "none": TEXTS("none")},
    "causal",
    shows={"causal": "weights_1", "none": "weights_1"},
)
BY_HAND, DRAWN = "hand", "drawn"
ATTENTION_TOGGLE = Toggle(
    "block_attention",
    TEXTS("attention_weights"),
    {BY_HAND: TEXTS("made_by_hand"), DRAWN: TEXTS("drawn_at_random")},
    BY_HAND,
    resizes=True,
)
UNITS_BY_HAND = 16
"""Units of a net beside attention made by hand: few enough that its numbers are shown."""
LIKE = (
    "((W_)?[QKV]|W_O|W_up|W_down|scores|scaled|mask|masked|weights|context|concat|attn|Z|up|units"
    "|down|added|raised|H)_[1-3]|(N|mean|centred|variance|normed|g|b)_[1-3][ab]"
)
"""How the arrays of layers are called, as a regular expression."""


def kind_of(options: Options) -> BlockKind:
    return BlockKind(options[NORM.key], options[UNIT_TOGGLE.key], options[MASK.key])


def block_family(text: str) -> Family:
    """A sentence through each kind of block, and up to `MOST_LAYERS` of them.

    Raises `InputError`.
    """
    few_enough(text)

    def build(options: Options) -> Built:
        layers = int(options[LAYERS.key])
        inputs = inputs_of(text, layers, options[ATTENTION_TOGGLE.key])
        return Built(block_program(kind_of(options), layers), inputs)

    return Family(
        (NORM, UNIT_TOGGLE, LAYERS, MASK, ATTENTION_TOGGLE), build, "block_", block_family
    )


def opening_cell(trace: Trace, weights: str) -> Cell:
    """The cell of `attn_1` at which an untouched page looks.

    By hand it is what the second token, "sat" of the example, reads most; else the last row.
    """
    last = len(trace.tokens) - 1
    if weights == DRAWN:
        return last, 0
    row = min(1, last)
    return row, int(trace["attn_1"][row].argmax())


def inputs_of(text: str, layers: int, weights: str = DRAWN) -> Inputs:
    """Toy inputs for so many blocks; if `BY_HAND`, layer 1 has the opening example's attention.

    Raises `InputError`.
    """
    if weights == DRAWN:
        return block_inputs(text, layers)
    example = preset(OPENING).on(text)
    width = example.sizes["d_model"]
    drawn = block_inputs(text, layers, heads=example.sizes["heads"], d_model=width)
    made = {f"{name}_1": example.arrays[name] for name in ("W_Q", "W_K", "W_V", "W_O")}
    nets = {
        f"{name}_{layer}": drawn_tenths(f"{name}:{SEED + layer - 1}", *shape)
        for layer in range(1, layers + 1)
        for name, shape in (("W_up", (width, UNITS_BY_HAND)), ("W_down", (UNITS_BY_HAND, width)))
    }
    arrays = {**drawn, **made, **nets, "X": example.arrays["X"]}
    return replace(example.inputs(), arrays=arrays)


def with_another_token(inputs: Inputs, at: int) -> Inputs:
    """The same run with one token's row of X turned around: every entry with the other sign."""
    X = np.array(inputs["X"])
    X[at] = -X[at]
    return Inputs({**inputs, "X": X}, inputs.tokens)
