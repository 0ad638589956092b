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
from core.attention.inputs import toy_inputs
from core.attention.layers.encoder_decoder import READ
from core.attention.phases import CAUSAL_RULE, OPEN, SCALE, SCORE, SOFTMAX, WEIGH
from core.attention.program import attention_program
from core.attention.tokens import few_enough, tokenise
from core.chapters.attention_graph.messages import D_MODEL
from core.operations.products import matmul
from core.program.axes import POSITION, Axis
from core.program.described import meaning, phase
from core.program.families import Built, Family, Options, Toggle
from core.program.inputs import Inputs
from core.program.labels import token_labels
from core.program.program import Program
from core.program.steps import Input, Step
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("attention_graph")
SIDE = Toggle(
    "graph_side",
    TEXTS("side"),
    {"encoder": TEXTS("encoder"), "decoder": TEXTS("decoder"), "cross": TEXTS("cross")},
    "cross",
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
