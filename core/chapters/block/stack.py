"""A sentence through one block or several, in either order of norm and sum.

And one token changed: which rows move in which part of a block (C8, K10).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

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
from core.errors import InputError
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
_LAST = {str(n): f"H_{n}" for n in range(1, MOST_LAYERS + 1)}
LAYERS = Toggle(
    "block_layers", TEXTS("layers"), {n: n for n in _LAST}, "1", resizes=True, shows=_LAST
)
_MASKS = {mask: TEXTS(mask) for mask in ("causal", "none")}
MASK = Toggle(
    "block_mask", TEXTS("mask"), _MASKS, "causal", shows=dict.fromkeys(_MASKS, "weights_1")
)
BY_HAND, DRAWN = "hand", "drawn"
_MADE = {BY_HAND: TEXTS("made_by_hand"), DRAWN: TEXTS("drawn_at_random")}
ATTENTION_TOGGLE = Toggle(
    "block_attention", TEXTS("attention_weights"), _MADE, BY_HAND, resizes=True
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
    """A sentence in each kind of block, up to `MOST_LAYERS` of them. Raises `InputError`."""
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


CLEAR = 1e-9
"""A row has moved if one of its numbers differs by more than float noise."""
ATTENTION, SUM, LAYER_NORM, FEED_FORWARD = map(
    TEXTS, ("attention", "sum", "layer_norm", "feed_forward")
)
PARTS_OF_LAYER = {
    "post": (
        (ATTENTION, "attn_1", "X"), (SUM, "added_1", "attn_1"), (LAYER_NORM, "Z_1", "added_1"),
        (FEED_FORWARD, "down_1", "Z_1"), (SUM, "raised_1", "down_1"),
        (LAYER_NORM, "H_1", "raised_1"),
    ),
    PRE: (
        (LAYER_NORM, "N_1a", "X"), (ATTENTION, "attn_1", "N_1a"), (SUM, "Z_1", "attn_1"),
        (LAYER_NORM, "N_1b", "Z_1"), (FEED_FORWARD, "down_1", "N_1b"), (SUM, "H_1", "down_1"),
    ),
}  # fmt: skip
"""The parts of the first layer, in order: what each is called, what it makes, what comes in."""


@dataclass(frozen=True)
class MovedPart:
    """A part of a block and the array it makes; for each token, whether its row moves.

    `alone` where nothing but one row of what comes into this part is another; `inside` where one
    row of X is, and all that follows from it.
    """

    name: str
    array: str
    alone: Sequence[bool]
    inside: Sequence[bool]


@dataclass(frozen=True)
class Box:
    """A part of a block, for every token at once: `alone[i][j]` says whether another row of token i
    moves row j, where nothing else that comes into the part is another; `inside` as in `MovedPart`.

    A sum also adds what the box number `adds` has made; −1 is what came into the block.
    """

    name: str
    array: str
    alone: Sequence[Sequence[bool]]
    inside: Sequence[Sequence[bool]]
    adds: int | None


@lru_cache(maxsize=32)
def boxes(kind: BlockKind, text: str, weights: str = DRAWN) -> tuple[Box, ...]:
    """Return the parts of one block, each with the rows that each token moves in it."""
    count = len(inputs_of(text, 1, weights).tokens)
    runs = [moved_rows(kind, text, changed, weights) for changed in range(count)]
    steps = {step.name: step for step in block_program(kind, 1).steps}
    made = {"X": -1} | {array: at for at, (_, array, _) in enumerate(PARTS_OF_LAYER[kind.norm])}
    found = []
    for at, (name, array, source) in enumerate(PARTS_OF_LAYER[kind.norm]):
        others = [made[of] for of in steps[array].operands if of in made and of != source]
        parts = [run[at] for run in runs]
        alone, inside = [part.alone for part in parts], [part.inside for part in parts]
        found.append(Box(name, array, alone, inside, others[0] if others else None))
    return tuple(found)


@lru_cache(maxsize=64)
def moved_rows(
    kind: BlockKind, text: str, changed: int, weights: str = DRAWN
) -> tuple[MovedPart, ...]:
    """Part by part of one block: the rows that move with one token's row, counted from 0."""
    program, inputs = block_program(kind, 1), inputs_of(text, 1, weights)
    before, after = program.run(inputs), program.run(with_another_token(inputs, changed))
    found = []
    for name, array, source in PARTS_OF_LAYER[kind.norm]:
        alone = after
        if source != "X":
            rows = np.array(before[source])
            rows[changed] = -rows[changed] + 1  # a constant row would be lost on a norm
            rows[changed, 0] += 1
            alone = program.run(inputs, pinned={source: rows})
        gaps = [abs(before[array] - run[array]).max(axis=-1) for run in (alone, after)]
        found.append(MovedPart(name, array, *((of_rows > CLEAR).tolist() for of_rows in gaps)))
    return tuple(found)


def moved_by_attention(
    parts: Sequence[Box], array: str, token: int, causal: bool
) -> tuple[int, bool]:
    """Return how many rows move with a token's, and whether they are all that may read it."""
    (moved,) = (part.alone[token] for part in parts if part.array == array)
    return sum(moved), list(moved) == [not causal or token <= row for row in range(len(moved))]


def check_token(number: int, count: int) -> None:
    """Raise `InputError` unless a sentence of `count` tokens has this one, counted from 1."""
    if not 1 <= number <= count:
        there, choose = (TEXTS(id, count=count) for id in ("tokens_there", "choose_token"))
        raise InputError(TEXTS("token_to_change", number=number), there, choose)
