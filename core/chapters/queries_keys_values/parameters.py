"""The maps of queries and keys: how many numbers they are, and which of them matter.

Counts of parameters and of scores, the rank of the scores, and which sizes must agree. And another
basis for queries and keys, which changes both and no score. With A invertible, W_Q → W_Q A and
W_K → W_K A⁻ᵀ give (X W_Q A)(X W_K A⁻ᵀ)ᵀ = X W_Q A A⁻¹ W_Kᵀ Xᵀ, so Q and K mean something only
together, as the product W_Q W_Kᵀ.
"""

import math
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
from jaxtyping import Float

from core.attention.inputs import toy_inputs
from core.attention.program import attention_program
from core.program import formulas as f
from core.program.inputs import Inputs
from core.program.numbers.display import shape_text
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("queries_keys_values")
LENGTHS = (16, 32, 64, 128, 256, 512, 1024)
WIDTHS = (1, 4, 16, 64)
"""The n and d_k that one may choose; with d_model = 512, parameters and scores meet at a whole n.
"""
RANK_LENGTHS = (2, 4, 8, 16, 32, 64, 80)
"""The lengths at which ranks are measured: an n × n matrix takes n³ operations."""
_TOKENS = tuple("abcdefghijklmnop")
MOST_TOKENS = len(_TOKENS)
ROUNDING = 1e-11
"""A singular value below this share of the largest one is rounding."""


@dataclass(frozen=True)
class Budget:
    """A sequence of n tokens and one head's query and key maps, in how many numbers each has."""

    n: int
    d_model: int
    d_k: int

    @property
    def parameters(self) -> int:
        """Entries of W_Q and W_K together: 2 · d_model · d_k (G). They do not depend on n."""
        return 2 * self.d_model * self.d_k

    @property
    def scores(self) -> int:
        """Entries of QKᵀ: n²."""
        return self.n**2

    @property
    def equal_at(self) -> float:
        """The n with as many scores as parameters: √(2 · d_model · d_k)."""
        return math.sqrt(self.parameters)

    @property
    def scores_per_parameter(self) -> float:
        return self.scores / self.parameters

    @property
    def heads(self) -> int:
        """How many heads of width d_k share d_model, as 512 = 8 × 64."""
        return self.d_model // self.d_k

    @property
    def any_scores(self) -> bool:
        """Whether every n × n matrix can be QKᵀ, if the rows of X are independent: n ≤ d_k."""
        return self.rank_bound == self.n

    @property
    def rank_bound(self) -> int:
        """QKᵀ is a product through d_k numbers: its rank is at most min(n, d_k)."""
        return min(self.n, self.d_k)


PAPER = Budget(n=1024, d_model=512, d_k=64)
"""The base model of Vaswani et al. (2017), table 3, whose d_model is 8 heads of 64; n is ours."""


def random_scores(n: int, d_model: int, d_k: int, seed: int = 0) -> Float[np.ndarray, "{n} {n}"]:
    """QKᵀ of n random rows of X and random maps, each entry standard normal."""
    draw, shapes = np.random.default_rng(seed), ((n, d_model), (d_model, d_k), (d_model, d_k))
    X, W_Q, W_K = (draw.normal(size=shape) for shape in shapes)
    scores: np.ndarray = (X @ W_Q) @ (X @ W_K).T
    return scores


@lru_cache(maxsize=64)
def score_ranks(d_model: int, d_k: int, seed: int = 0) -> tuple[int, ...]:
    """For each of `RANK_LENGTHS` how many rows of a random QKᵀ are independent: min(n, d_k).

    A shorter sequence is the beginning of the longest one.
    """
    scores = random_scores(RANK_LENGTHS[-1], d_model, d_k, seed)
    return tuple(int(np.linalg.matrix_rank(scores[:n, :n], rtol=ROUNDING)) for n in RANK_LENGTHS)


@dataclass(frozen=True)
class Sizes:
    """The sizes one may choose, each from 1 up (T to 16, heads to 16, the others to 64).

    d_q and d_k are chosen apart, so that one may see what happens where they differ.
    """

    T: int = 6
    d_model: int = 8
    d_q: int = 4
    d_k: int = 4
    d_v: int = 6
    heads: int = 2

    def run(self) -> Trace:
        """The attention program on toy inputs of these sizes. Raises `InputError` if d_q ≠ d_k."""
        text, heads = " ".join(_TOKENS[: self.T]), self.heads
        drawn = partial(toy_inputs, text, heads=heads, d_model=self.d_model, d_v=self.d_v)
        inputs = {**drawn(d_k=self.d_k), "W_Q": drawn(d_k=self.d_q)["W_Q"]}
        return attention_program(heads=heads).run(inputs)


@dataclass(frozen=True)
class ArrayShape:
    """An array of a run: its name, how it is made, and its axes by name and by size."""

    array: str
    made: str
    axes: str
    sizes: str


def shapes(trace: Trace) -> list[ArrayShape]:
    """The shape of every array of a run: what is given first, then step by step."""
    return [
        ArrayShape(name, _made(trace, name), _axes(trace, name), shape_text(trace[name].shape))
        for name in trace
    ]


def _made(trace: Trace, name: str) -> str:
    if name not in trace.steps:
        return TEXTS("given")
    step = trace.steps[name].step
    return f.plain_formula(step.operation.formula(*map(f.name, step.operands)))


def _axes(trace: Trace, name: str) -> str:
    queries = {"k": "d_q"} if name in ("W_Q", "Q") else {}
    program = trace.program
    return " × ".join(queries.get(a) or program.axis(a).size for a in program.letters[name])


def turn_and_stretch(degrees: float, stretch: float) -> Float[np.ndarray, "2 2"]:
    """Return a rotation by `degrees`, then the first feature times `stretch` (not 0)."""
    angle = np.radians(degrees)
    turned = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    return turned @ np.diag([stretch, 1.0])


def in_basis(inputs: Inputs, A: Float[np.ndarray, "d_k d_k"]) -> Inputs:
    """The inputs with W_Q A for W_Q and W_K A⁻ᵀ for W_K, in every head. A is invertible."""
    changed = {"W_Q": inputs["W_Q"] @ A, "W_K": inputs["W_K"] @ np.linalg.inv(A).T}
    return Inputs({**inputs.arrays, **changed}, inputs.tokens)


@dataclass(frozen=True)
class ChangedNumbers:
    """How many queries, keys and scores another basis changes, of how many."""

    queries: int
    keys: int
    scores: int
    tokens: int
    pairs: int


def moved_by_basis(before: Trace, after: Trace) -> ChangedNumbers:
    """Return how many rows of Q and K, and how many scores, differ between two runs."""
    queries, keys = (after.differs(before, name).any(axis=-1) for name in ("Q", "K"))
    scores = after.differs(before, "scores")
    moved, found, pairs = (int(changed.sum()) for changed in (queries, keys, scores))
    return ChangedNumbers(moved, found, pairs, queries.size, scores.size)
