"""The modern Hopfield network: one update of a state is attention with β (Ramsauer et al. 2021).

    new state = softmax(β ξ Xᵀ) X

with the stored patterns as the rows of X: the state is the query, patterns are keys and values.
"""

from functools import lru_cache

import numpy as np
from jaxtyping import Float

from core.operations.products import matmul, matmul_transposed
from core.operations.scaling import multiply_by
from core.operations.softmax import softmax
from core.program.axes import HEAD, Axis
from core.program.families import Built, Family, Options, Toggle
from core.program.inputs import Inputs
from core.program.patterns import Cell
from core.program.program import Program
from core.program.steps import Input, Phase, Step
from core.program.trace import Trace

PATTERNS: Float[np.ndarray, "3 8"] = np.array([
    [1, 1, 1, 1, 1, 1, 1, 1],
    [1, 1, 1, 1, -1, -1, -1, -1],
    [1, -1, 1, -1, 1, -1, 1, -1],
], dtype=np.float64)  # fmt: skip
FLIPPED = (7, 0, 2, 4)
"""Which entries are flipped, one after another, counted from 0."""
BETAS = ("0.1", "0.25", "0.5", "1", "2", "4")
BETA = Toggle("kinds_beta", "β", {beta: beta for beta in BETAS}, "1")
PROBE = Toggle("kinds_pattern", "Pattern", {"1": "1", "2": "2", "3": "3"}, "1")


@lru_cache(maxsize=16)
def recall_program(beta: float) -> Program:
    """softmax(β ξ Xᵀ) X: one update of a modern Hopfield network. β > 0."""
    return Program(
        (Input("state", "h i q", _state, role="query"), Input("patterns", "h j q", _pattern)),
        (
            Step("overlaps", matmul_transposed("h i q, h j q -> h i j"), ("state", "patterns"),
                 _overlap),
            Step("sharpened", multiply_by(beta), ("overlaps",), _sharpened),
            Step("weights", softmax(), ("sharpened",), _share, "weights"),
            Step("new_state", matmul("h i j, h j q -> h i q"), ("weights", "patterns"), _new),
        ),
        (
            Phase("A noisy pattern", ("state",), "The state that asks.",
                  words="A pattern is a row of 1 and −1. Here some of its entries were flipped: "
                  "the state from which the memory starts. It plays the part of the query."),
            Phase("Compare", ("overlaps",), "With every pattern that is stored.", defines=True,
                  words="The dot product of the state and a pattern: how many entries agree, minus "
                  "how many do not. Patterns play the part of keys."),
            Phase("Sharpen", ("sharpened",), "β times.",
                  words="β in place of 1/√d: the larger it is, the more the best pattern gets."),
            Phase("Softmax", ("weights",), "Shares of the patterns.",
                  words="As in attention: e to each, over their sum."),
            Phase("New state", ("new_state",), "The patterns, each times its share.",
                  words="Patterns are values too. With a large β the new state is nearly the "
                  "stored pattern most like the state, unless several are equally like it. With a "
                  "small β it is a mixture of several."),
        ),
        {"h": 1},
        {
            "h": Axis("head", HEAD, "head", "heads"), "i": Axis("state", word="state"),
            "j": Axis("pattern", word="pattern"), "q": Axis("entry", word="entry"),
        },
        makes="the new state",
    )  # fmt: skip


def flipped(pattern: int, flips: int) -> Float[np.ndarray, "1 1 N"]:
    """A pattern, counted from 0, with so many entries flipped."""
    state = np.array(PATTERNS[pattern])
    state[list(FLIPPED[:flips])] *= -1
    return state[None, None]


def recall_family(flips: int) -> Family:
    """One of the patterns with so many entries flipped, at each β."""

    def build(options: Options) -> Built:
        state = flipped(int(options[PROBE.key]) - 1, flips)
        inputs = Inputs({"state": state, "patterns": PATTERNS[None]}, ())
        return Built(recall_program(float(options[BETA.key])), inputs)

    return Family((BETA, PROBE), build)


def wrong_entries(trace: Trace, pattern: int) -> tuple[int, int]:
    """How many entries have another sign than the pattern's: of the state, and of the new one."""
    signs = [np.where(trace[name][0, 0] >= 0, 1, -1) for name in ("state", "new_state")]
    before, after = (int((found != PATTERNS[pattern]).sum()) for found in signs)
    return before, after


def _state(trace: Trace, cell: Cell) -> str:
    return f"Entry {cell[2] + 1} of the state that asks."


def _pattern(trace: Trace, cell: Cell) -> str:
    return f"Entry {cell[2] + 1} of stored pattern {cell[1] + 1}."


def _overlap(trace: Trace, cell: Cell) -> str:
    return f"How many entries of the state agree with pattern {cell[2] + 1}, minus how many do not."


def _sharpened(trace: Trace, cell: Cell) -> str:
    return f"The overlap with pattern {cell[2] + 1}, times β."


def _share(trace: Trace, cell: Cell) -> str:
    return f"The share of pattern {cell[2] + 1} in the new state."


def _new(trace: Trace, cell: Cell) -> str:
    return f"Entry {cell[2] + 1} of the new state: the patterns' entries, each times its share."
