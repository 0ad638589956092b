"""The transformer block: attention and a feed-forward net, each with a residual and a layer norm.

Post-norm (Vaswani et al. 2017, section 3.1), with x the rows that come in:

    Z = LN(x + attention(x)),  H = LN(Z + unit(Z W_up) W_down)

Pre-norm (GPT-2, Radford et al. 2019), where the sum itself is never normalised:

    Z = x + attention(LN(x)),  H = Z + unit(LN(Z) W_up) W_down

Layers are numbered from 1, and so are the names of their arrays; of a layer's two norms the first
ends in a, the second in b. No projection has a bias; a norm has a gain and a bias. f is a unit of
the feed-forward net.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from jaxtyping import Float

from core.attention.axes import AXES
from core.attention.inputs import SEED, toy_inputs
from core.attention.layers.decoding import APPEND_KEY, APPEND_VALUE, PROJECT_NEW, SEES_ALL
from core.attention.layers.feed_forward import UNITS, WIDER, feed_forward, feed_forward_inputs
from core.attention.layers.layer import (
    LayerPart,
    Reading,
    attention_part,
    joined_parts,
    layer_weights,
    numbered,
    residual,
    token_feature,
)
from core.attention.layers.row_norms import layer_norm, norm_inputs
from core.attention.masks import Rule
from core.attention.phases import EMBED, phases
from core.hash_random import Draw
from core.program.axes import Axis
from core.program.inputs import Inputs
from core.program.program import Program
from core.program.steps import Input, Phase, Step
from core.texts import core_texts

TEXTS = core_texts("layers")
POST, PRE = "post", "pre"
LAYER_AXES: Mapping[str, Axis] = {
    **AXES,
    "f": Axis(TEXTS("unit_axis"), word=TEXTS("unit_axis"), size="d_ff"),
    "o": Axis(TEXTS("row_axis"), word=TEXTS("row_axis")),
}  # fmt: skip
Arrays = dict[str, np.ndarray]


@dataclass(frozen=True)
class BlockKind:
    """Where the norms stand (`post`, `pre`), what the units do (`relu`, `gelu`), and the mask."""

    norm: str
    unit: str
    mask: str = "causal"


@lru_cache(maxsize=64)
def block_program(kind: BlockKind, layers: int, heads: int = 2) -> Program:
    """So many blocks, one on the other."""
    inputs = [Input("X", "i m", token_feature("embedding", "i m"))]
    steps, stops, source = list[Step](), [], "X"
    for layer in range(1, layers + 1):
        made = layer_parts(kind, layer, source)
        inputs += layer_inputs(layer)
        steps += made.steps
        stops.append(made.phases)
        source = f"H_{layer}"
    return Program(
        tuple(inputs),
        tuple(steps),
        (EMBED, *(stops[0] if layers == 1 else map(layer_opening, range(1, layers + 1), stops))),
        {"h": heads, "o": 1},
        LAYER_AXES,
    )


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
        **attention_arrays(layer, seed, heads, d_model),
        **net_arrays(layer, seed, d_model),
        **norm_arrays((f"{layer}a", f"{layer}b"), d_model),
    }


def layer_inputs(layer: int) -> list[Input]:
    """What a block learns."""
    return [
        *layer_weights(numbered(str(layer)), TEXTS("in_layer", layer=layer)),
        *norm_inputs(f"{layer}a"),
        *feed_forward_inputs(numbered(str(layer))),
        *norm_inputs(f"{layer}b"),
    ]


def layer_parts(kind: BlockKind, layer: int, source: str, kept: int = 0) -> LayerPart:
    """One block on the rows of `source`, in the order in which it is computed.

    `kept`: keys and values of so many earlier tokens come from a cache.
    """
    named = numbered(str(layer))
    read, added, below, down, raised, result = map(
        named, ("attn", "added", "Z", "down", "raised", "H")
    )
    first, second, unit = f"{layer}a", f"{layer}b", UNITS[kind.unit]

    def attends(rows: str) -> LayerPart:
        reading = Reading(Rule(kind.mask, offset=kept), rows, rows, kept=kept)
        if kept:
            return attention_part(
                reading, str(layer), SEES_ALL, (PROJECT_NEW, APPEND_KEY, APPEND_VALUE)
            )
        return attention_part(reading, str(layer), phases(Rule(kind.mask))[4])

    if kind.norm == POST:
        return joined_parts(
            attends(source),
            residual(added, source, read, "added_attention", "add"),
            layer_norm(first, added, below),
            feed_forward(unit, named, below),
            residual(raised, below, down, "added_net", "add_again"),
            layer_norm(second, raised, result),
        )
    return joined_parts(
        layer_norm(first, source, f"N_{first}"),
        attends(f"N_{first}"),
        residual(below, source, read, "added_attention", "add"),
        layer_norm(second, below, f"N_{second}"),
        feed_forward(unit, named, f"N_{second}"),
        residual(result, below, down, "added_net", "add_again"),
    )


def layer_opening(layer: int, inner: Sequence[Phase]) -> Phase:
    """A layer as one stop that opens into its own."""
    return Phase(
        TEXTS("layer", layer=layer), (f"H_{layer}",), TEXTS("layer_summary"),
        shows=(f"Z_{layer}", f"H_{layer}"), phases=tuple(inner), words=TEXTS("layer_words"),
    )  # fmt: skip


def attention_arrays(part: str, seed: int, heads: int, d_model: int) -> Arrays:
    """W_Q, W_K, W_V and W_O of a part, as the walkthrough draws them. Raises `InputError`."""
    drawn = toy_inputs("a", heads=heads, d_model=d_model, seed=seed)
    return {f"{name}_{part}": drawn[name] for name in ("W_Q", "W_K", "W_V", "W_O")}


def net_arrays(part: str, seed: int, d_model: int) -> Arrays:
    """W_up and W_down of a feed-forward net."""
    units = WIDER * d_model
    return {
        f"W_up_{part}": drawn_tenths(f"W_up:{seed}", d_model, units),
        f"W_down_{part}": drawn_tenths(f"W_down:{seed}", units, d_model),
    }


def norm_arrays(norms: Iterable[str], d_model: int) -> Arrays:
    """Gains of 1 and biases of 0, as they are before training."""
    gains = {f"g_{norm}": np.ones(d_model) for norm in norms}
    return gains | {f"b_{name[2:]}": np.zeros(d_model) for name in gains}


def drawn_tenths(key: str, rows: int, columns: int) -> Float[np.ndarray, "rows columns"]:
    """Whole tenths from −0.6 to 0.6."""
    return np.round(Draw(key).around_zero(6, rows * columns).reshape(rows, columns) / 10, 1)
