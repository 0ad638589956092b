"""Two sentences as a graph: who reads whom in an encoder and a decoder.

One program serves all three. An encoder reads its own sentence with every edge, a decoder its own
under the causal mask: queries, keys and values are of the same sentence. Then the decoder reads the
encoder's sentence: queries are of one, keys and values of the other, the graph is bipartite and the
matrix of weights L_q × L_k.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from core.attention.axes import AXES
from core.attention.encoder_decoder import READ
from core.attention.inputs import toy_inputs
from core.attention.phases import CAUSAL, OPEN, SCALE, SCORE, SOFTMAX, WEIGH
from core.attention.program import attention_program
from core.attention.tokens import few_enough, tokenise
from core.chapters.attention_graph.messages import D_MODEL
from core.operations.products import matmul
from core.program.axes import POSITION, Axis
from core.program.families import Built, Family, Options, Toggle
from core.program.inputs import Inputs
from core.program.labels import token_labels, told_label
from core.program.patterns import Cell
from core.program.program import Program
from core.program.steps import Input, Meaning, Phase, Step
from core.program.trace import Trace

SIDE = Toggle(
    "graph_side", "Who reads",
    {"encoder": "encoder itself", "decoder": "decoder itself", "cross": "decoder the encoder"},
    "cross",
)  # fmt: skip


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
            Input("X_q", "i m", _embedded("i")),
            Input("X_kv", "j m", _embedded("j")),
            *(given for given in base.inputs if given.name in ("W_Q", "W_K", "W_V")),
        ),
        (
            Step("Q", matmul("i m, h m k -> h i k"), ("X_q", "W_Q"), _projected("i", "looks for"),
                 "query"),
            Step("K", matmul("j m, g m k -> g j k"), ("X_kv", "W_K"),
                 _projected("j", "can be found by"), "key"),
            Step("V", matmul("j m, g m v -> g j v"), ("X_kv", "W_V"),
                 _projected("j", "hands over"), "value"),
            *(base.step[name] for name in kept),
            replace(base.step["context"], meaning=_read),
        ),
        (
            Phase(
                "Who asks, who is read", ("X_q", "X_kv"), "Rows of those that read, and of those "
                "that are read.", defines=True,
                words="Each sentence has a matrix of its own: a row for each token. In a "
                "translator the encoder has the sentence to translate, and the decoder the "
                "translation as far as it is written. Where a sentence reads itself, both "
                "matrices are the same.",
            ),
            Phase(
                "Project", ("Q", "K", "V"), "Queries of one, keys and values of the other.",
                defines=True,
                words="Queries are made of the rows of X_q, keys and values of those of X_kv. "
                "Where both are the same, this is self-attention; nothing else differs.",
            ),
            SCORE, SCALE, CAUSAL if mask == "causal" else OPEN, SOFTMAX, WEIGH,
        ),
        {"h": 1, "g": 1},
        {**AXES, "j": Axis("key position", POSITION, "key", "L_k", tokens=READ),
         "i": Axis("query position", POSITION, "query", "L_q")},
        makes="the context",
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


def _embedded(letter: str) -> Meaning:
    return lambda trace, cell: (
        f"Feature {cell[1] + 1} of the embedding of {told_label(trace, letter, cell[0])}."
    )


def _projected(letter: str, what: str) -> Meaning:
    return lambda trace, cell: (
        f"Feature {cell[2] + 1} of what {told_label(trace, letter, cell[1])} {what}."
    )


def _read(trace: Trace, cell: Cell) -> str:
    return (
        f"Feature {cell[2] + 1} of what {told_label(trace, 'i', cell[1])} reads: the values of "
        "the sentence that is read, each times its weight, added up."
    )
