"""The Hopfield network: a memory whose energy falls (Hopfield 1982).

    W_ij = Σ_p x_pi x_pj for i ≠ j, W_ii = 0          E = −½ Σ_{i ≠ j} W_ij s_i s_j

Entries are 1 or −1 (in 1982, 1 or 0). They are updated one after another; each takes the sign of
its field, the sum of the others times its weights to them. No such update raises the energy,
because W is symmetric and zero on its diagonal.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import erfc, sqrt

import numpy as np
from jaxtyping import Float

from core.chapters.other_kinds.recall import PATTERNS
from core.hash_random import Draw
from core.operations.activations import sign
from core.operations.products import matmul, matmul_transposed, times_each
from core.operations.scores import multiply_by
from core.operations.shapes import as_columns, folded, lay_out
from core.operations.softmax import softmax
from core.operations.sums import add, subtract
from core.program.axes import FEATURE, HEAD, Axis
from core.program.described import meaning, phase
from core.program.inputs import Inputs
from core.program.patterns import Cell
from core.program.program import Program
from core.program.steps import Input, Meaning, Phase, Step
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("other_kinds")
SMALL: Float[np.ndarray, "2 8"] = PATTERNS[:2]
"""Two patterns of eight entries."""
SIDE = 8
N = SIDE * SIDE
DRAWN_AS = (
    "#......# .#....#. ..#..#.. ...##... ...##... ..#..#.. .#....#. #......#",
    "######## ######## ...##... ...##... ...##... ...##... ...##... ...##...",
    "######## #......# #......# #......# #......# #......# #......# ########",
)
PICTURES: Float[np.ndarray, "3 8 8"] = np.array(
    [[[1.0 if mark == "#" else -1.0 for mark in row] for row in one.split()] for one in DRAWN_AS]
)
"""What is stored until somebody paints: a cross, a T and a square."""
SWEEPS = 2
"""How often each entry is updated on a page."""


@lru_cache(maxsize=2)
def hopfield_program(pictures: bool = False) -> Program:
    """One update of a Hopfield network, and the energy before and after; or of pictures."""
    rows = Input("patterns", "q p", _PATTERN), Input("state", "t q", _BEFORE, role="query")
    given = _PAINTED if pictures else rows
    laid_out = (
        Step("patterns", as_columns(), ("stored",), _PATTERN, axes="q p"),
        Step("state", lay_out(), ("held",), _BEFORE, "query", axes="t q"),
    )
    folded_up = (Step("new_held", folded(SIDE), ("new_state",), _NEW_CELL, axes="y x"),)
    first = (_PAINT,) if pictures else ()
    return Program(
        (*given, Input("others", "q g", _of_two("others")), Input("asked", "t q", _asked)),
        (
            *(laid_out if pictures else ()),
            Step("pairs", matmul_transposed("q p, g p -> q g"), ("patterns", "patterns"),
                 _of_two("equal_pairs")),
            Step("W", times_each("q g, q g -> q g"), ("pairs", "others"),
                 _of_two("own_weight")),
            Step("field", matmul("t g, g q -> t q"), ("state", "W"), _entry("field")),
            Step("signs", sign(), ("field",), _entry("sign")),
            Step("wish", subtract("t q, t q -> t q"), ("signs", "state"), _entry("wish")),
            Step("turn", times_each("t q, t q -> t q"), ("wish", "asked"), _entry("turn")),
            Step("new_state", add("t q, t q -> t q"), ("state", "turn"),
                 _entry("entry_after")),
            *(folded_up if pictures else ()),
            Step("agreement", matmul_transposed("t q, o q -> t o"), ("field", "state"), _AGREEMENT),
            Step("energy", multiply_by(-0.5, "t o -> t o"), ("agreement",), _MINUS_HALF),
            Step("new_field", matmul("t g, g q -> t q"), ("new_state", "W"), _entry("field")),
            Step("new_agreement", matmul_transposed("t q, o q -> t o"),
                 ("new_field", "new_state"), _AGREEMENT),
            Step("new_energy", multiply_by(-0.5, "t o -> t o"), ("new_agreement",), _MINUS_HALF),
        ),
        (
            *first, _LAID_OUT if pictures else _STORED, _TOGETHER, _WEIGHTS, _FIELD, _SIGN, _ASK,
            _AFTER_FOLDED if pictures else _AFTER, _ENERGY, _ENERGY_AFTER,
        ),
        {"t": 1, "o": 1},
        {
            "q": Axis("entry", word="entry"), "g": Axis("entry", word="entry"),
            "p": Axis("pattern", HEAD if pictures else FEATURE, "pattern", "P"),
            "t": Axis("state", word="state"), "o": Axis("sum", word="sum"),
            "y": Axis("row", word="row"), "x": Axis("column", word="column"),
        },
    )  # fmt: skip


@dataclass(frozen=True)
class Recall:
    """States from a first one on, one entry updated after another, and their energies."""

    states: Float[np.ndarray, "n N"]
    energies: tuple[float, ...]

    @property
    def last(self) -> int:
        """The number of updates."""
        return len(self.energies) - 1

    @property
    def rests(self) -> bool:
        """Whether no entry changed when each was updated for the last time."""
        size = self.states.shape[1]
        return bool((self.states[-size - 1 :] == self.states[-1]).all())

    def wrong(self, at: int, pattern: np.ndarray) -> int:
        """How many entries of a state differ from a pattern."""
        return int((self.states[at] != pattern.ravel()).sum())


def recall(weights: np.ndarray, state: np.ndarray) -> Recall:
    """Entries updated in turn, the first again after the last, each `SWEEPS` times."""
    states = [np.array(state, dtype=float).ravel()]
    energies = [energy(weights, states[0])]
    for at in range(SWEEPS * len(states[0])):
        entry = at % len(states[0])
        after = np.array(states[-1])
        after[[entry]] = sign().forward(weights[[entry]] @ after)
        states.append(after)
        energies.append(energy(weights, after))
    return Recall(np.array(states), tuple(energies))


def energy(weights: np.ndarray, state: np.ndarray) -> float:
    """E = −½ Σ W_ij s_i s_j."""
    return float(-0.5 * state @ weights @ state)


def noisy(pattern: np.ndarray, flips: int, draw: int) -> np.ndarray:
    """A pattern with this number of entries flipped, others for each number of a draw."""
    entries = np.array(pattern).ravel()
    order = Draw(f"hopfield:{draw}").some_of(range(entries.size), entries.size)
    entries[order[:flips]] *= -1
    return entries.reshape(pattern.shape)


def hopfield_inputs(patterns: np.ndarray, state: np.ndarray, asked: int) -> Inputs:
    """What a program runs on: rows of `patterns` or pictures, and which entry is updated now."""
    size = state.size
    one = np.zeros((1, size))
    one[0, asked] = 1.0
    return Inputs({
        **({"stored": patterns, "held": state} if patterns.ndim == 3 else
           {"patterns": patterns.T, "state": state.reshape(1, -1)}),
        "others": 1.0 - np.eye(size),
        "asked": one,
    }, ())  # fmt: skip


def run(patterns: np.ndarray, first: np.ndarray, updates: int) -> tuple[Trace, Recall]:
    """The update after this number of updates, and the whole recall."""
    program = hopfield_program(patterns.ndim == 3)
    found = recall(program.run(hopfield_inputs(patterns, first, 0))["W"], first)
    state = found.states[updates].reshape(first.shape)
    return program.run(hopfield_inputs(patterns, state, updates % first.size)), found


FEW_STORED, MOST_STORED, DRAWS = 6, 20, 400


@dataclass(frozen=True)
class Capacity:
    """For a number of stored patterns, which part of entries would turn, and of patterns stays.

    `expected` is the part of entries that theory gives, the tail of a normal distribution (Hertz,
    Krogh and Palmer 1991, section 2.2): ½ erfc(√(N / 2P)) for large N and P. An entry has no weight
    to itself here, so N − 1 others hold it against P − 1 patterns: ½ erfc(√((N − 1) / 2(P − 1))).
    """

    stored: int
    turned: float
    expected: float
    staying: float
    modern: float


@lru_cache(maxsize=1)
def capacities() -> Sequence[Capacity]:
    """What P patterns drawn at random do to each other, for P from 1, each the mean of draws."""
    drawn = [Draw(f"capacity:{n}").around_zero(2**30, MOST_STORED * N) for n in range(DRAWS)]
    patterns = np.array([np.where(each > 0, 1.0, -1.0).reshape(-1, N) for each in drawn])
    return tuple(_capacity(patterns[:, :stored]) for stored in range(1, MOST_STORED + 1))


def _capacity(patterns: np.ndarray) -> Capacity:
    """Patterns of several draws [draw, pattern, entry], looked at one by one after one update."""
    stored = patterns.shape[1]
    overlaps = patterns @ patterns.swapaxes(1, 2)
    field = overlaps @ patterns - stored * patterns  # nothing on the diagonal
    turned = (field >= 0) != (patterns > 0)
    again = softmax().forward(overlaps) @ patterns  # β = 1
    other = ((again >= 0) != (patterns > 0)).any(axis=-1)
    expected = erfc(sqrt((N - 1) / (2 * (stored - 1)))) / 2 if stored > 1 else 0.0
    staying = float(1 - turned.any(axis=-1).mean())
    return Capacity(stored, float(turned.mean()), expected, staying, float(1 - other.mean()))


def _entry(id: str) -> Meaning:
    return meaning(TEXTS, id, "t q", entry="q")


def _of_two(id: str) -> Meaning:
    """Of two entries, which may be one and the same."""
    return meaning(TEXTS, id, "q g", entry="q", other="g")


def _asked(trace: Trace, cell: Cell) -> str:
    return TEXTS("asked", entry=cell[1] + 1, now=bool(trace["asked"][cell]))


def _painted(trace: Trace, cell: Cell) -> str:
    picture, row, column = (at + 1 for at in cell)
    painted = bool(trace["stored"][cell] > 0)
    return TEXTS("painted_cell", picture=picture, row=row, column=column, painted=painted)


def _part(id: str, name: str, defines: bool = False) -> Phase:
    """A phase inside another one, whose words say what it is for."""
    return Phase(TEXTS(f"{id}_title"), (name,), TEXTS(f"{id}_summary"), defines=defines)


_PATTERN = meaning(TEXTS, "pattern_entry", "q p", entry="q", pattern="p")
_BEFORE = _entry("entry_before")
_AGREEMENT = meaning(TEXTS, "agreement")
_MINUS_HALF = meaning(TEXTS, "energy")
_NEW_CELL = meaning(TEXTS, "new_cell", "y x", row="y", column="x")
_PAINTED = (
    Input("stored", "p y x", _painted),
    Input("held", "y x", meaning(TEXTS, "held_cell", "y x", row="y", column="x"), role="query"),
)
_PAINT = phase(TEXTS, "paint", ("stored", "held"), defines=True)
_STORED = phase(TEXTS, "stored", ("patterns", "state"), defines=True)
_LAID_OUT = phase(TEXTS, "laid_out", ("patterns", "state"), defines=True)
_TOGETHER = phase(TEXTS, "together", ("pairs",))
_WEIGHTS = phase(TEXTS, "own_weights", ("W",), defines=True)
_FIELD = phase(TEXTS, "field", ("field",), defines=True)
_SIGN = phase(TEXTS, "sign", ("signs",), defines=True)
_ASK = phase(TEXTS, "ask", ("wish", "turn"), defines=True, shows=("turn",))
_AFTER = phase(TEXTS, "after", ("new_state",), defines=True)
_AFTER_FOLDED = phase(
    TEXTS, "after_picture", ("new_state", "new_held"), defines=True, shows=("new_held",)
)
_PARTS = (_part("agreement", "agreement"), _part("half", "energy", defines=True))
_ENERGY = phase(TEXTS, "energy", ("agreement", "energy"), shows=("energy",), phases=_PARTS)
_NEW = ("new_field", "new_agreement", "new_energy")
_NEW_PARTS = (
    _part("new_fields", "new_field"),
    _part("new_agreement", "new_agreement"),
    _part("half_after", "new_energy", defines=True),
)
_ENERGY_AFTER = phase(TEXTS, "energy_after", _NEW, shows=("new_energy",), phases=_NEW_PARTS)
