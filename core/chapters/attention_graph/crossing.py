"""Two sentences as a bipartite graph: the tokens of one read those of the other.

Queries come from one sentence, keys and values from the other, as a decoder reads an encoder; so
the matrix of weights is L_q × L_k. With the same sentence on both sides it is self-attention.
"""

from dataclasses import replace
from functools import cache

import numpy as np

from core.attention.axes import AXES
from core.attention.inputs import toy_inputs
from core.attention.phases import SCALE, SCORE, SOFTMAX, WEIGH
from core.attention.program import attention_program
from core.attention.tokens import few_enough, tokenise
from core.chapters.attention_graph.messages import D_MODEL
from core.operations.products import matmul
from core.program.axes import POSITION, Axis
from core.program.inputs import Inputs
from core.program.labels import told_label
from core.program.patterns import Cell
from core.program.program import Program
from core.program.steps import Input, Meaning, Phase, Step
from core.program.trace import Trace

ASKING_TEXT = "Le chat est"
"""A translation as far as it is written: it asks."""
READ = "read"
"""What the list of the other sentence's tokens is called."""


@cache
def cross_program() -> Program:
    """Cross-attention of one head without a mask: softmax(Q Kᵀ / √d_k) V, Q = X_q W_Q, and K and V
    of X_kv (Vaswani et al. 2017, section 3.2.3: queries of the decoder, keys and values of the
    encoder's output).
    """
    base = attention_program(heads=1, mask="none")
    steps = {name: base.step[name] for name in ("scores", "scaled", "weights", "context")}
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
            steps["scores"],
            steps["scaled"],
            replace(steps["weights"], operands=("scaled",)),
            replace(steps["context"], meaning=_read),
        ),
        (
            Phase(
                "Two sentences", ("X_q", "X_kv"), "One asks, the other is read.", defines=True,
                words="Each sentence has a matrix of its own: a row for each token. In a "
                "translator the sentence that is read is the one to translate, and the one that "
                "asks is the translation as far as it is written.",
            ),
            Phase(
                "Project", ("Q", "K", "V"), "Queries of one, keys and values of the other.",
                defines=True,
                words="Queries are made of the rows of X_q, keys and values of those of X_kv. This "
                "is all that differs from self-attention.",
            ),
            SCORE, SCALE, SOFTMAX, WEIGH,
        ),
        {"h": 1, "g": 1},
        {**AXES, "j": Axis("key position", POSITION, "key", "L_k", tokens=READ),
         "i": Axis("query position", POSITION, "query", "L_q")},
        makes="the context",
    )  # fmt: skip


def cross(asking: str, read: str) -> Trace:
    """One sentence reads another. Raises `InputError`."""
    few_enough(asking)
    few_enough(read)
    asks, gives = (toy_inputs(text, heads=1, d_model=D_MODEL) for text in (asking, read))
    given: dict[str, np.ndarray] = {"X_q": asks["X"], "X_kv": gives["X"]}
    given |= {name: asks[name] for name in ("W_Q", "W_K", "W_V")}
    return cross_program().run(Inputs(given, asks.tokens, {READ: tuple(tokenise(read))}))


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
        f"Feature {cell[2] + 1} of what {told_label(trace, 'i', cell[1])} reads of the other "
        "sentence: its values, each times its weight, added up."
    )
