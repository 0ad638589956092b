"""One query and several keys as a program: q kᵀ, a dot product for each key (P11)."""

from functools import cache

import numpy as np

from core.chapters.dot_products.vector_pair import P11_KEYS, P11_QUERY
from core.operations.products import matmul_transposed
from core.program.axes import Axis
from core.program.inputs import Inputs
from core.program.patterns import Cell
from core.program.program import Program
from core.program.steps import Input, Meaning, Phase, Step
from core.program.trace import Trace


@cache
def dot_program() -> Program:
    """Rows of q times rows of k: each score is a dot product."""
    return Program(
        (
            Input("q", "i k", _feature_of("q"), role="query"),
            Input("k", "j k", _feature_of("k"), role="key"),
        ),
        (Step("scores", matmul_transposed("i k, j k -> i j"), ("q", "k"), _score),),
        (Phase("Dot products", ("scores",), "Entry by entry multiplied, and added up."),),
        {},
        {
            "i": Axis("query", word="query"), "j": Axis("key", word="key"),
            "k": Axis("feature", word="feature"),
        },
        makes="the scores",
    )  # fmt: skip


def two_keys() -> Trace:
    """The query of P11 and its two keys."""
    return dot_program().run(Inputs({"q": np.array([P11_QUERY]), "k": np.array(P11_KEYS)}, ()))


def _feature_of(name: str) -> Meaning:
    def meaning(trace: Trace, cell: Cell) -> str:
        return f"Feature {cell[1] + 1} of {name}."

    return meaning


def _score(trace: Trace, cell: Cell) -> str:
    return f"The dot product of query {cell[0] + 1} and key {cell[1] + 1}."
