"""Over which axis softmax takes its sum, and what it notices of its numbers.

Over the keys of each query, over the queries of each key, or no sum at all (P7). Of its numbers it
notices differences, and nothing else.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from jaxtyping import Float

from core.attention.inputs import toy_inputs
from core.attention.phases import SOFTMAX
from core.attention.program import attention_program
from core.attention.tokens import few_enough
from core.operations.activations import exponentials
from core.operations.softmax import softmax
from core.operations.wrong_operations import softmax_over_queries
from core.program.described import meaning, phase
from core.program.families import Built, Family, Options, Toggle
from core.program.operation import Operation
from core.program.program import Program
from core.program.steps import Phase
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("softmax")
KEYS, QUERIES, NOTHING = "keys", "queries", "none"
_SUMS = {KEYS: TEXTS("keys"), QUERIES: TEXTS("queries"), NOTHING: TEXTS("nothing")}
OVER = Toggle("softmax_over", TEXTS("over"), _SUMS, KEYS)
D_MODEL = 8
MANY = 64
"""Keys of the long row."""


@cache
def program_over(over: str) -> Program:
    """Causal attention of one head whose exponentials are divided by this sum, or by none."""
    base = attention_program(heads=1)
    operation, id, own_phase = _MADE[over]
    says = meaning(TEXTS, id, "h i j", query="i", key="j")
    step = replace(base.step["weights"], operation=operation, meaning=says)
    phases = tuple(own_phase if one.names == SOFTMAX.names else one for one in base.phases)
    return replace(base.replaced("weights", step), phases=phases)


def over_family(text: str) -> Family:
    """A sentence with each of the sums. Raises `InputError`."""
    inputs = toy_inputs(few_enough(text), heads=1, d_model=D_MODEL)

    def build(options: Options) -> Built:
        return Built(program_over(options[OVER.key]), inputs)

    return Family((OVER,), build, "softmax_over_", over_family)


def row_sums(trace: Trace) -> Float[np.ndarray, "T"]:
    """What the weights of each query add up to."""
    sums: np.ndarray = trace["weights"][0].sum(axis=-1)
    return sums


def column_sums(trace: Trace) -> Float[np.ndarray, "T"]:
    """What the weights of each key add up to."""
    sums: np.ndarray = trace["weights"][0].sum(axis=-2)
    return sums


@dataclass(frozen=True)
class Growth:
    """One query that reads more and more keys: how long is what it reads?"""

    normalised: Float[np.ndarray, "n"]
    """The length of Σ w_j v_j over the first 1, 2, … keys, with w = softmax."""
    plain: Float[np.ndarray, "n"]
    """The length of Σ e^(s_j) v_j."""
    longest: float
    """The length of the longest value row: no mixture of values is longer."""


@cache
def growth() -> Growth:
    """The last query of a drawn text of `MANY` tokens over its first keys (seed 0)."""
    text = " ".join(f"word{n}" for n in range(MANY))
    inputs = toy_inputs(text, heads=1, d_model=D_MODEL)
    trace = program_over(NOTHING).run(inputs)
    powers = trace["weights"][0, -1]
    values = trace["V"][0]
    sums = np.cumsum(powers[:, None] * values, axis=0)
    lengths = np.linalg.norm(sums, axis=1)
    return Growth(lengths / np.cumsum(powers), lengths, float(np.linalg.norm(values, axis=1).max()))


_MADE: dict[str, tuple[Operation, str, Phase]] = {
    KEYS: (softmax(), "read_weight", SOFTMAX),
    QUERIES: (softmax_over_queries(), "got_weight", phase(TEXTS, "columns", ("weights",))),
    NOTHING: (exponentials(), "bare_weight", phase(TEXTS, "unsummed", ("weights",))),
}


HOTTEST, COLDEST = 10.0, 0.1
"""The ends of the curve's temperatures."""
CURVE: Float[np.ndarray, "points"] = np.geomspace(COLDEST, HOTTEST, 61)


_weights = softmax().forward
"""Softmax along the last axis, as the walkthrough computes it."""


@dataclass(frozen=True)
class Logits:
    """The weights of a row of logits, of the row with c added, and of the row times c."""

    plain: Float[np.ndarray, "keys"]
    added: Float[np.ndarray, "keys"]
    multiplied: Float[np.ndarray, "keys"]

    @property
    def moved_by_adding(self) -> float:
        """By how much a weight changes at most when c is added; float noise below 1e-9 is 0."""
        return _largest_gap(self.added, self.plain)

    @property
    def moved_by_multiplying(self) -> float:
        """By how much a weight changes at most when c multiplies."""
        return _largest_gap(self.multiplied, self.plain)


def logits(row: Sequence[int | float], add: int | float, times: int | float) -> Logits:
    """softmax(s + c) = softmax(s), since e^c cancels; softmax(c·s) is another (T: softmax)."""
    scores = np.array(row, dtype=np.float64)
    return Logits(_weights(scores), _weights(scores + add), _weights(scores * times))


def by_temperature(row: Sequence[int | float]) -> Float[np.ndarray, "points keys"]:
    """softmax(s / T) at each temperature of `CURVE`."""
    return _weights(np.array(row, dtype=np.float64) / CURVE[:, None])


def leaders(row: Sequence[int | float]) -> int:
    """How many logits are the largest."""
    return sum(one == max(row) for one in row)


def temperature_of_base(base: float) -> float:
    """1 / log b: at this temperature e^(x / T) is b^x, for b > 1."""
    return float(1 / np.log(base))


def _largest_gap(one: Float[np.ndarray, "keys"], other: Float[np.ndarray, "keys"]) -> float:
    gap = float(np.abs(one - other).max())
    return gap if gap > 1e-9 else 0.0
