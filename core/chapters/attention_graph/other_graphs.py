"""Graphs of other forms: two sentences, and several layers.

Two sentences: who reads whom in an encoder and a decoder. One program serves all three. An encoder
reads its own sentence with every edge, a decoder its own under the causal mask: queries, keys and
values are of the same sentence. Then the decoder reads the encoder's sentence: queries are of one,
keys and values of the other, the graph is bipartite and the matrix of weights L_q × L_k.

Layers: how far they reach is counted in paths along the edges of a mask, by powers of its matrix.
With A[i, j] = 1 where query i reads key j, the entry i, j of Aⁿ is the number of paths of n edges
from j to i. Something of token j can come to token i through n layers exactly where it is above 0.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from jaxtyping import Bool

from core.attention.axes import AXES
from core.attention.inputs import toy_inputs
from core.attention.layers.encoder_decoder import READ
from core.attention.masks import GALLERY_WORDS, KINDS
from core.attention.phases import CAUSAL_RULE, OPEN, SCALE, SCORE, SOFTMAX, WEIGH
from core.attention.program import attention_program
from core.attention.tokens import few_enough, tokenise
from core.chapters.attention_graph.messages import D_MODEL
from core.operations.products import matmul
from core.program.axes import POSITION, Axis
from core.program.described import meaning, phase
from core.program.families import Built, Family, Options, Toggle
from core.program.inputs import Inputs
from core.program.labels import axis_labels, token_labels, told_label
from core.program.patterns import Cell
from core.program.program import Program
from core.program.steps import Input, Meaning, Step
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("attention_graph")
SIDE = Toggle(
    "graph_side", TEXTS("side"), {id: TEXTS(id) for id in ("encoder", "decoder", "cross")}, "cross"
)


@cache
def cross_program(mask: str = "none") -> Program:
    """Attention of one head: softmax(mask(Q Kᵀ / √d_k)) V, Q = X_q W_Q, and K and V of X_kv
    (Vaswani et al. 2017, section 3.2.3: queries of the decoder, keys and values of the encoder's
    output).
    """
    base = attention_program(heads=1, mask=mask)
    kept = ("scores", "scaled", "mask", "masked", "weights")
    return Program(
        (
            Input("X_q", "i m", meaning(TEXTS, "embedded", "i m", token="i", feature="m")),
            Input("X_kv", "j m", meaning(TEXTS, "embedded", "j m", token="j", feature="m")),
            *(given for given in base.inputs if given.name in ("W_Q", "W_K", "W_V")),
        ),
        (
            Step("Q", matmul("i m, h m k -> h i k"), ("X_q", "W_Q"),
                 meaning(TEXTS, "query", "h i k", token="i", feature="k"), "query"),
            Step("K", matmul("j m, g m k -> g j k"), ("X_kv", "W_K"),
                 meaning(TEXTS, "key", "g j k", token="j", feature="k"), "key"),
            Step("V", matmul("j m, g m v -> g j v"), ("X_kv", "W_V"),
                 meaning(TEXTS, "value", "g j v", token="j", feature="v"), "value"),
            *(base.step[name] for name in kept),
            replace(
                base.step["context"],
                meaning=meaning(TEXTS, "context", "h i v", token="i", feature="v"),
            ),
        ),
        (
            phase(TEXTS, "given", ("X_q", "X_kv"), defines=True),
            phase(TEXTS, "project", ("Q", "K", "V"), defines=True),
            SCORE, SCALE, CAUSAL_RULE if mask == "causal" else OPEN, SOFTMAX, WEIGH,
        ),
        {"h": 1, "g": 1},
        {**AXES, "j": Axis("key position", POSITION, "key", "L_k", tokens=READ),
         "i": Axis("query position", POSITION, "query", "L_q")},
    )  # fmt: skip


def cross_family(asking: str, read: str) -> Family:
    """An encoder's sentence that is read, and a decoder's that asks. Raises `InputError`."""
    decoder, encoder = (
        toy_inputs(few_enough(text), heads=1, d_model=D_MODEL) for text in (asking, read)
    )

    def build(options: Options) -> Built:
        side = options[SIDE.key]
        asks = encoder if side == "encoder" else decoder
        gives = decoder if side == "decoder" else encoder
        given: dict[str, np.ndarray] = {"X_q": asks["X"], "X_kv": gives["X"]}
        given |= {name: asks[name] for name in ("W_Q", "W_K", "W_V")}
        mask = "causal" if side == "decoder" else "none"
        return Built(cross_program(mask), Inputs(given, asks.tokens, {READ: gives.tokens}))

    return Family((SIDE,), build)


@dataclass(frozen=True)
class Sides:
    """The tokens of both sentences as nodes, those of the encoder first.

    `asks` and `gives` are the nodes of the queries and of the keys, `idle` those that are neither.
    """

    labels: Sequence[str]
    encoder: int
    asks: Sequence[int]
    gives: Sequence[int]

    @property
    def idle(self) -> list[int]:
        return sorted({*range(len(self.labels))} - {*self.asks, *self.gives})


def sides(asking: str, read: str, side: str) -> Sides:
    """The nodes, by who reads whom."""
    encoder, decoder = (token_labels(tokenise(text)) for text in (read, asking))
    first, both = len(encoder), len(encoder) + len(decoder)
    return Sides(
        [*encoder, *decoder],
        first,
        range(first) if side == "encoder" else range(first, both),
        range(first, both) if side == "decoder" else range(first),
    )


def cross(asking: str, read: str, side: str = "cross") -> Trace:
    """One sentence reads another, or itself. Raises `InputError`."""
    return cross_family(asking, read).run(**{SIDE.key: side})


MOST_LAYERS = 4
REACH_MASK = Toggle(
    "graph_reach_mask", TEXTS("edges_of_each"), {**GALLERY_WORDS, "none": TEXTS("all")}, "window"
)
_PATHS = {str(n): f"P_{n}" for n in range(2, MOST_LAYERS + 1)}
LAYERS = Toggle(
    "graph_layers", TEXTS("number_of_layers"), {n: n for n in _PATHS}, "2", shows=_PATHS
)
LIKE = "P_[2-4]"
"""How the arrays of paths are called, as a regular expression."""


@cache
def reach_program(layers: int) -> Program:
    """Return the program of A, A², … for a number of layers: P_n = A · P_(n−1)."""
    names = ["A", *(f"P_{n}" for n in range(2, layers + 1))]
    steps = tuple(
        Step(name, matmul("i p, p j -> i j"), ("A", before), _paths(n))
        for n, (before, name) in enumerate(itertools.pairwise(names), 2)
    )
    phases = [phase(TEXTS, "one_layer", ("A",), defines=True)]
    for n, name in enumerate(names[1:], 2):
        phases.append(phase(TEXTS, "layers", (name,), {"n": n}, defines=True))
    return Program((Input("A", "i j", _edge),), steps, tuple(phases), {}, AXES)


def reach_family(text: str, sizes: Sequence[int]) -> Family:
    """The masks of the gallery over a sentence, through several layers. Raises `InputError`."""

    def build(options: Options) -> Built:
        tokens = tuple(tokenise(text))
        mask = KINDS[options[REACH_MASK.key]].rule(*sizes).mask(len(tokens), len(tokens))
        A = mask.astype(float)
        return Built(reach_program(int(options[LAYERS.key])), Inputs({"A": A}, tokens))

    return Family((REACH_MASK, LAYERS), build)


def receptive_fields(trace: Trace) -> list[list[int]]:
    """For each number of layers, from 1: the tokens from which something can come to the last."""
    return [np.flatnonzero(trace[name][-1] > 0).tolist() for name in trace.program.names]


def cone(trace: Trace) -> list[tuple[int, int, int]]:
    """The edges on paths to the last token: (layer, key, query), layers counted from 0 at the
    tokens themselves.
    """
    fields = receptive_fields(trace)
    layers, T = len(fields), len(trace.tokens)
    mask: Bool[np.ndarray, "T T"] = trace["A"] > 0
    # A layer's nodes that matter: those from which the rest of the layers leads to the last token.
    kept = [fields[layers - n - 1] for n in range(layers)] + [[T - 1]]
    return [
        (n, int(j), i) for n in range(layers) for i in kept[n + 1] for j in np.flatnonzero(mask[i])
    ]


def unreached(trace: Trace) -> list[str]:
    """Return the tokens that cannot reach the last one through any number of layers."""
    labels, edge = axis_labels(trace, "A")[1], trace["A"] > 0
    reached, grown = np.zeros(len(labels), bool), edge[-1]
    while (grown != reached).any():
        reached, grown = grown, grown | edge[grown].any(0)
    return [label for label, comes in zip(labels, reached, strict=True) if not comes]


def farthest(trace: Trace) -> int:
    """Return the distance of the first token that can reach the last; 0 if only itself can."""
    return len(trace.tokens) - 1 - min(receptive_fields(trace)[-1])


def window_reach(size: int, layers: int) -> int:
    """How many tokens back n layers of a window of w reach: n(w − 1)."""
    return layers * (size - 1)


def field_labels(trace: Trace) -> list[list[str]]:
    """The same tokens by their labels, for each number of layers."""
    labels = axis_labels(trace, "A")[1]
    return [[labels[j] for j in field] for field in receptive_fields(trace)]


def _edge(trace: Trace, cell: Cell) -> str:
    query, key = told_label(trace, "i", cell[0]), told_label(trace, "j", cell[1])
    return TEXTS("edge", query=query, reads=bool(trace["A"][cell]), key=key)


def _paths(layers: int) -> Meaning:
    def meaning(trace: Trace, cell: Cell) -> str:
        query, key = told_label(trace, "i", cell[0]), told_label(trace, "j", cell[1])
        count = int(trace[f"P_{layers}"][cell])
        return TEXTS("paths", count=count, query=query, key=key, layers=layers)

    return meaning
