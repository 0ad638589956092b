"""The modern Hopfield network: one update of a state is attention with β (Ramsauer et al. 2021).

    new state = softmax(β ξ Xᵀ) X

with the stored patterns as the rows of X: the state is the query, patterns are keys and values.
"""

from functools import lru_cache

import numpy as np
from jaxtyping import Float

from core.operations.products import matmul, matmul_transposed
from core.operations.scores import multiply_by
from core.operations.softmax import softmax
from core.program.axes import HEAD, Axis
from core.program.described import meaning, phase
from core.program.families import Built, Family, Options, Toggle
from core.program.inputs import Inputs
from core.program.program import Program
from core.program.steps import Input, Step
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("other_kinds")
PATTERNS: Float[np.ndarray, "3 8"] = np.array(
    [[1, 1, 1, 1, 1, 1, 1, 1], [1, 1, 1, 1, -1, -1, -1, -1], [1, -1, 1, -1, 1, -1, 1, -1]],
    dtype=np.float64,
)
FLIPPED = (7, 0, 2, 4)
"""Which entries are flipped, one after another, counted from 0."""
BETAS = ("0.1", "0.25", "0.5", "1", "2", "4")
BETA = Toggle("kinds_beta", "β", {beta: beta for beta in BETAS}, "1")
PROBE = Toggle("kinds_pattern", TEXTS("pattern"), {"1": "1", "2": "2", "3": "3"}, "1")


@lru_cache(maxsize=16)
def recall_program(beta: float) -> Program:
    """softmax(β ξ Xᵀ) X: one update of a modern Hopfield network. β > 0."""
    return Program(
        (Input("state", "h i q", _STATE, role="query"), Input("patterns", "h j q", _PATTERN)),
        (
            Step("overlaps", matmul_transposed("h i q, h j q -> h i j"), ("state", "patterns"),
                 _OVERLAP),
            Step("sharpened", multiply_by(beta), ("overlaps",), _SHARPENED),
            Step("weights", softmax(), ("sharpened",), _WEIGHT, "weights"),
            Step("new_state", matmul("h i j, h j q -> h i q"), ("weights", "patterns"), _NEW),
        ),
        (
            phase(TEXTS, "noisy", ("state",)),
            phase(TEXTS, "compare", ("overlaps",), defines=True),
            phase(TEXTS, "sharpen", ("sharpened",)),
            phase(TEXTS, "softmax", ("weights",)),
            phase(TEXTS, "recalled", ("new_state",)),
        ),
        {"h": 1},
        {
            "h": Axis("head", HEAD, "head", "heads"), "i": Axis("state", word="state"),
            "j": Axis("pattern", word="pattern"), "q": Axis("entry", word="entry"),
        },
    )  # fmt: skip


def flipped(pattern: int, flips: int) -> Float[np.ndarray, "1 1 N"]:
    """A pattern, counted from 0, with this number of entries flipped."""
    state = np.array(PATTERNS[pattern])
    state[list(FLIPPED[:flips])] *= -1
    return state[None, None]


def recall_family(flips: int) -> Family:
    """One of the patterns with this number of entries flipped, at each β."""

    def build(options: Options) -> Built:
        state = flipped(int(options[PROBE.key]) - 1, flips)
        inputs = Inputs({"state": state, "patterns": PATTERNS[None]}, ())
        return Built(recall_program(float(options[BETA.key])), inputs)

    return Family((BETA, PROBE), build)


def wrong_entries(trace: Trace, pattern: int) -> tuple[int, int]:
    """How many signs differ from the pattern's: of the state, and of the new one."""
    signs = [np.where(trace[name][0, 0] >= 0, 1, -1) for name in ("state", "new_state")]
    before, after = (int((found != PATTERNS[pattern]).sum()) for found in signs)
    return before, after


_STATE = meaning(TEXTS, "asking_entry", "h i q", entry="q")
_PATTERN = meaning(TEXTS, "pattern_entry", "h j q", entry="q", pattern="j")
_OVERLAP = meaning(TEXTS, "overlap", "h i j", pattern="j")
_SHARPENED = meaning(TEXTS, "sharpened", "h i j", pattern="j")
_WEIGHT = meaning(TEXTS, "pattern_weight", "h i j", pattern="j")
_NEW = meaning(TEXTS, "recalled_entry", "h i q", entry="q")
