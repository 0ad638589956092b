"""How far layers reach: paths along the edges of a mask, counted by powers of its matrix.

With A[i, j] = 1 where query i reads key j, the entry i, j of Aⁿ is the number of paths of n edges
from j to i. Something of token j can come to token i through n layers exactly where it is above 0.
"""

import itertools
from collections.abc import Sequence
from functools import cache

import numpy as np
from jaxtyping import Bool

from core.attention.axes import AXES
from core.attention.masks import GALLERY_WORDS, KINDS
from core.attention.tokens import tokenise
from core.operations.products import matmul
from core.program.described import phase
from core.program.families import Built, Family, Options, Toggle
from core.program.inputs import Inputs
from core.program.labels import axis_labels, told_label
from core.program.patterns import Cell
from core.program.program import Program
from core.program.steps import Input, Meaning, Step
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("attention_graph")
MOST_LAYERS = 4
REACH_MASK = Toggle(
    "graph_reach_mask", TEXTS("edges_of_each"), {**GALLERY_WORDS, "none": TEXTS("all")}, "window"
)
LAYERS = Toggle(
    "graph_layers",
    TEXTS("number_of_layers"),
    {str(n): str(n) for n in range(2, MOST_LAYERS + 1)},
    "2",
    shows={str(n): f"P_{n}" for n in range(2, MOST_LAYERS + 1)},
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
    return Program(
        (Input("A", "i j", _edge),),
        steps,
        (
            phase(TEXTS, "one_layer", ("A",), defines=True),
            *(
                phase(TEXTS, "layers", (f"P_{n}",), {"n": n}, defines=True)
                for n in range(2, layers + 1)
            ),
        ),
        {},
        AXES,
    )


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
