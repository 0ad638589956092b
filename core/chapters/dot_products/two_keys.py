"""One query and several keys as a program: q kᵀ, a dot product for each key (P11)."""

from functools import cache

import numpy as np

from core.chapters.dot_products.vector_pair import P11_KEYS, P11_QUERY
from core.operations.products import matmul_transposed
from core.program.axes import Axis
from core.program.described import meaning, phase
from core.program.inputs import Inputs
from core.program.program import Program
from core.program.steps import Input, Step
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("dot_products")


@cache
def dot_program() -> Program:
    """Return rows of q times rows of k: each score is a dot product."""
    return Program(
        (
            Input("q", "i k", meaning(TEXTS, "feature_of_q", "i k", feature="k"), role="query"),
            Input("k", "j k", meaning(TEXTS, "feature_of_k", "j k", feature="k"), role="key"),
        ),
        (
            Step(
                "scores",
                matmul_transposed("i k, j k -> i j"),
                ("q", "k"),
                meaning(TEXTS, "product", "i j", query="i", key="j"),
            ),
        ),
        (phase(TEXTS, "products", ("scores",)),),
        {},
        {
            "i": Axis("query", word="query"),
            "j": Axis("key", word="key"),
            "k": Axis("feature", word="feature"),
        },
    )


def two_keys() -> Trace:
    """Return the run of the query of P11 and its two keys."""
    return dot_program().run(Inputs({"q": np.array([P11_QUERY]), "k": np.array(P11_KEYS)}, ()))
