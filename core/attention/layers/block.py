"""The transformer block: attention and a feed-forward net, each with a residual and a layer norm.

Post-norm (Vaswani et al. 2017, section 3.1), with x the rows that come in:

    Z = LN(x + attention(x)),  H = LN(Z + unit(Z W_up) W_down)

Pre-norm (GPT-2, Radford et al. 2019), where the sum itself is never normalised:

    Z = x + attention(LN(x)),  H = Z + unit(LN(Z) W_up) W_down

Layers are numbered from 1, and so are the names of their arrays; of a layer's two norms the first
ends in a, the second in b. No projection has a bias; a norm has a gain and a bias. f is a unit of
the feed-forward net.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

import numpy as np

from core.attention.axes import AXES
from core.attention.description_helpers import token_feature
from core.attention.inputs import SEED, toy_inputs
from core.attention.layers.decoding import APPEND_KEY, APPEND_VALUE, PROJECT_NEW, SEES_ALL
from core.attention.layers.feed_forward import (
    UNITS,
    feed_forward,
    feed_forward_inputs,
    feed_forward_phases,
)
from core.attention.layers.layer import Reading, attention_steps, layer_weights
from core.attention.layers.layer_inputs import attention_arrays, net_arrays, norm_arrays
from core.attention.layers.row_norms import layer_norm, norm_inputs, norm_phase
from core.attention.layers.sublayers import attention_phase, numbered, residual, residual_phase
from core.attention.masks import Rule
from core.attention.phases import EMBED
from core.attention.phases import phases as all_phases
from core.program.axes import Axis
from core.program.inputs import Inputs
from core.program.program import Program
from core.program.steps import Input, Phase, Step
from core.texts import core_texts

TEXTS = core_texts("layers")
POST, PRE = "post", "pre"
LAYER_AXES: Mapping[str, Axis] = MappingProxyType({
    **AXES,
    "f": Axis(TEXTS("unit_axis"), word=TEXTS("unit_axis"), size="d_ff"),
    "o": Axis(TEXTS("row_axis"), word=TEXTS("row_axis")),
})  # fmt: skip


@dataclass(frozen=True)
class BlockKind:
    """Where the norms stand (`post`, `pre`), what the units do (`relu`, `gelu`), and the mask."""

    norm: str
    unit: str
    mask: str = "causal"


@lru_cache(maxsize=64)
def block_program(kind: BlockKind, layers: int, heads: int = 2) -> Program:
    """So many blocks, one on the other."""
    inputs, steps, source = [Input("X", "i m", token_feature("embedding", "i m"))], [], "X"
    for layer in range(1, layers + 1):
        inputs += layer_inputs(layer)
        steps += layer_steps(kind, layer, source)
        source = f"H_{layer}"
    stops = [layer_phases(kind, layer) for layer in range(1, layers + 1)]
    return Program(
        tuple(inputs), tuple(steps),
        (EMBED, *(stops[0] if layers == 1 else map(layer_opening, range(1, layers + 1), stops))),
        {"h": heads, "o": 1},
        LAYER_AXES,
    )  # fmt: skip


def block_inputs(text: str, layers: int, *, heads: int = 2, d_model: int = 4) -> Inputs:
    """Toy inputs for so many blocks: layer n's weights are drawn with seed n − 1.

    Gains are 1 and biases 0, as they are before training. Raises `InputError` past a limit.
    """
    first = toy_inputs(text, heads=heads, d_model=d_model)
    arrays = {"X": first["X"]}
    for layer in range(1, layers + 1):
        arrays |= layer_arrays(str(layer), SEED + layer - 1, heads, d_model)
    return Inputs(arrays, first.tokens)


def layer_arrays(layer: str, seed: int, heads: int, d_model: int) -> dict[str, np.ndarray]:
    """What a block learns, drawn."""
    return {
        **attention_arrays(layer, seed, heads, d_model), **net_arrays(layer, seed, d_model),
        **norm_arrays((f"{layer}a", f"{layer}b"), d_model),
    }  # fmt: skip


def layer_inputs(layer: int) -> list[Input]:
    """What a block learns."""
    return [
        *layer_weights(numbered(str(layer)), TEXTS("in_layer", layer=layer)),
        *norm_inputs(f"{layer}a"),
        *feed_forward_inputs(numbered(str(layer))),
        *norm_inputs(f"{layer}b"),
    ]


def layer_steps(kind: BlockKind, layer: int, source: str, kept: int = 0) -> list[Step]:
    """One block on the rows of `source`, in the order in which it is computed.

    `kept`: keys and values of so many earlier tokens come from a cache.
    """
    read, added, below, result = (f"{name}_{layer}" for name in ("attn", "added", "Z", "H"))
    down, named, unit = f"down_{layer}", numbered(str(layer)), UNITS[kind.unit]

    def attention(rows: str) -> list[Step]:
        rule = Rule(kind.mask, offset=kept)
        return attention_steps(Reading(rule, rows, rows, kept=kept), named)

    if kind.norm == POST:
        return [
            *attention(source),
            residual(added, source, read, "added_attention"),
            *layer_norm(f"{layer}a", added, below),
            *feed_forward(unit, named, below),
            residual(f"raised_{layer}", below, down, "added_net"),
            *layer_norm(f"{layer}b", f"raised_{layer}", result),
        ]
    return [
        *layer_norm(f"{layer}a", source, f"N_{layer}a"),
        *attention(f"N_{layer}a"),
        residual(below, source, read, "added_attention"),
        *layer_norm(f"{layer}b", below, f"N_{layer}b"),
        *feed_forward(unit, named, f"N_{layer}b"),
        residual(result, below, down, "added_net"),
    ]


def layer_opening(layer: int, phases: tuple[Phase, ...]) -> Phase:
    """A layer as one stop that opens into its own."""
    return Phase(
        TEXTS("layer", layer=layer), (f"H_{layer}",), TEXTS("layer_summary"),
        shows=(f"Z_{layer}", f"H_{layer}"), phases=phases, words=TEXTS("layer_words"),
    )  # fmt: skip


def layer_phases(kind: BlockKind, layer: int, kept: int = 0) -> tuple[Phase, ...]:
    """The stops of one block."""
    attention = (
        attention_phase(str(layer), SEES_ALL, PROJECT_NEW, APPEND_KEY, APPEND_VALUE)
        if kept
        else attention_phase(str(layer), all_phases(Rule(kind.mask))[4])
    )
    net = feed_forward_phases(UNITS[kind.unit], numbered(str(layer)))
    if kind.norm == POST:
        return (
            attention,
            residual_phase(f"added_{layer}", "add"),
            norm_phase(f"{layer}a", f"Z_{layer}"),
            *net,
            residual_phase(f"raised_{layer}", "add_again"),
            norm_phase(f"{layer}b", f"H_{layer}"),
        )
    return (
        norm_phase(f"{layer}a", f"N_{layer}a"),
        attention,
        residual_phase(f"Z_{layer}", "add"),
        norm_phase(f"{layer}b", f"N_{layer}b"),
        *net,
        residual_phase(f"H_{layer}", "add_again"),
    )
