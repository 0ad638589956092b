"""A sentence through one block or several, in either order of norm and sum."""

import numpy as np

from core.attention.block import POST, PRE, BlockKind, block_inputs, block_program
from core.attention.feed_forward import UNIT_WORDS
from core.attention.tokens import few_enough
from core.program.families import Built, Family, Options, Toggle
from core.program.inputs import Inputs
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
        return Built(block_program(kind_of(options), layers), block_inputs(text, layers))

    return Family((NORM, UNIT_TOGGLE, LAYERS, MASK), build, "block_", block_family)


def with_another_token(inputs: Inputs, at: int) -> Inputs:
    """The same run with one token's row of X turned around: every entry with the other sign."""
    X = np.array(inputs["X"])
    X[at] = -X[at]
    return Inputs({**inputs, "X": X}, inputs.tokens)
