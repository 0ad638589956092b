"""The Hopfield network: a memory whose energy falls (Hopfield 1982).

    W_ij = Σ_p x_pi x_pj for i ≠ j, W_ii = 0          E = −½ Σ_{i ≠ j} W_ij s_i s_j

Entries are 1 or −1. They are asked one after another; each takes the sign of its field, the sum of
the others times its weights to them. No such update raises the energy, because W is symmetric and
has nothing on its diagonal.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import erfc, sqrt

import numpy as np
from jaxtyping import Float

from core.chapters.other_kinds.recall import PATTERNS
from core.draws import Draw
from core.operations.activations import sign
from core.operations.products import matmul, matmul_transposed, times_each
from core.operations.scaling import multiply_by
from core.operations.shapes import as_columns, folded, lay_out
from core.operations.softmax import softmax
from core.operations.sums import add, subtract
from core.program.axes import FEATURE, HEAD, Axis
from core.program.inputs import Inputs
from core.program.patterns import Cell
from core.program.program import Program
from core.program.steps import Input, Phase, Step
from core.program.trace import Trace

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
"""How often each entry is asked on a page."""


@lru_cache(maxsize=2)
def hopfield_program(pictures: bool = False) -> Program:
    """One update of a Hopfield network, and the energy before and after; or of pictures."""
    given = _PAINTED if pictures else (
        Input("patterns", "q p", _pattern), Input("state", "t q", _entry, role="query"),
    )  # fmt: skip
    laid_out = (
        Step("patterns", as_columns(), ("stored",), _pattern, axes="q p"),
        Step("state", lay_out(), ("held",), _entry, "query", axes="t q"),
    )
    folded_up = (Step("new_held", folded(SIDE), ("new_state",), _pixel_after, axes="y x"),)
    first = (_PAINT,) if pictures else ()
    return Program(
        (*given, Input("others", "q g", _other), Input("asked", "t q", _asked)),
        (
            *(laid_out if pictures else ()),
            Step("pairs", matmul_transposed("q p, g p -> q g"), ("patterns", "patterns"), _pair),
            Step("W", times_each("q g, q g -> q g"), ("pairs", "others"), _weight),
            Step("field", matmul("t g, g q -> t q"), ("state", "W"), _field),
            Step("signs", sign(), ("field",), _sign),
            Step("wish", subtract("t q, t q -> t q"), ("signs", "state"), _wish),
            Step("turn", times_each("t q, t q -> t q"), ("wish", "asked"), _turn),
            Step("new_state", add("t q, t q -> t q"), ("state", "turn"), _after),
            *(folded_up if pictures else ()),
            Step("agreement", matmul_transposed("t q, o q -> t o"), ("field", "state"), _agree),
            Step("energy", multiply_by(-0.5, "t o -> t o"), ("agreement",), _energy),
            Step("new_field", matmul("t g, g q -> t q"), ("new_state", "W"), _field),
            Step("new_agreement", matmul_transposed("t q, o q -> t o"),
                 ("new_field", "new_state"), _agree),
            Step("new_energy", multiply_by(-0.5, "t o -> t o"), ("new_agreement",), _energy),
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
        makes="the energy after the update",
    )  # fmt: skip


@dataclass(frozen=True)
class Recall:
    """States from a first one on, an entry asked after another, and their energies."""

    states: Float[np.ndarray, "n N"]
    energies: tuple[float, ...]

    @property
    def last(self) -> int:
        """The number of updates."""
        return len(self.energies) - 1

    @property
    def rests(self) -> bool:
        """Whether each entry was asked and none changed, the last time."""
        size = self.states.shape[1]
        return bool((self.states[-size - 1 :] == self.states[-1]).all())

    def wrong(self, at: int, pattern: np.ndarray) -> int:
        """How many entries of a state are not those of a pattern."""
        return int((self.states[at] != pattern.ravel()).sum())


def recall(weights: np.ndarray, state: np.ndarray) -> Recall:
    """Entries asked in turn, the first again after the last, each `SWEEPS` times."""
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
    """A pattern with so many entries of another sign, drawn anew for each number of a draw."""
    entries = np.array(pattern).ravel()
    order = Draw(f"hopfield:{draw}").some_of(range(entries.size), entries.size)
    entries[order[:flips]] *= -1
    return entries.reshape(pattern.shape)


def inputs(patterns: np.ndarray, state: np.ndarray, asked: int) -> Inputs:
    """What a program runs on: rows of `patterns` or pictures, and which entry is asked now."""
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
    """The update after so many, and the recall that it is one of."""
    program = hopfield_program(patterns.ndim == 3)
    found = recall(program.run(inputs(patterns, first, 0))["W"], first)
    state = found.states[updates].reshape(first.shape)
    return program.run(inputs(patterns, state, updates % first.size)), found


MOST_STORED, DRAWS = 20, 20


@dataclass(frozen=True)
class Capacity:
    """Of so many patterns stored, the shares of entries that would turn, and of patterns that stay.

    `expected` is the share of entries that theory gives: ½ erfc(√(N / 2P)), the tail of a normal
    distribution (Hertz, Krogh and Palmer 1991, section 2.2).
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


def all_staying(found: Sequence[Capacity]) -> int:
    """Up to how many stored patterns all of them stayed."""
    return max(c.stored for c in found if c.staying == 1)


def _capacity(patterns: np.ndarray) -> Capacity:
    """Patterns of several draws [draw, pattern, entry], looked at one by one after one update."""
    stored = patterns.shape[1]
    overlaps = patterns @ patterns.swapaxes(1, 2)
    field = overlaps @ patterns - stored * patterns  # nothing on the diagonal
    turned = (field >= 0) != (patterns > 0)
    again = softmax().forward(overlaps) @ patterns  # β = 1
    other = ((again >= 0) != (patterns > 0)).any(axis=-1)
    return Capacity(
        stored, float(turned.mean()), erfc(sqrt(N / (2 * stored))) / 2,
        float(1 - turned.any(axis=-1).mean()), float(1 - other.mean()),
    )  # fmt: skip


def _pattern(trace: Trace, cell: Cell) -> str:
    return f"Entry {cell[0] + 1} of stored pattern {cell[1] + 1}."


def _picture(trace: Trace, cell: Cell) -> str:
    painted = "painted" if trace["stored"][cell] > 0 else "empty"
    return f"Row {cell[1] + 1}, column {cell[2] + 1} of picture {cell[0] + 1}: {painted}."


def _pixel(trace: Trace, cell: Cell) -> str:
    return f"Row {cell[0] + 1}, column {cell[1] + 1} of the picture that is held now."


def _pixel_after(trace: Trace, cell: Cell) -> str:
    return f"Row {cell[0] + 1}, column {cell[1] + 1} of the picture after this update."


def _entry(trace: Trace, cell: Cell) -> str:
    return f"Entry {cell[1] + 1} of the state before this update."


def _other(trace: Trace, cell: Cell) -> str:
    q, g = cell
    return (
        f"0: entry {q + 1} has no weight to itself."
        if q == g
        else f"1: entries {q + 1} and {g + 1} are two."
    )


def _asked(trace: Trace, cell: Cell) -> str:
    now = "is asked now" if trace["asked"][cell] else "is not asked now"
    return f"Entry {cell[1] + 1} {now}."


def _pair(trace: Trace, cell: Cell) -> str:
    return (
        f"In how many patterns entries {cell[0] + 1} and {cell[1] + 1} are equal, minus in how "
        "many they are not."
    )


def _weight(trace: Trace, cell: Cell) -> str:
    q, g = cell
    return (
        f"The weight of entry {q + 1} to itself: none."
        if q == g
        else f"The weight between entries {q + 1} and {g + 1}, the same in both directions."
    )


def _field(trace: Trace, cell: Cell) -> str:
    return f"The field of entry {cell[1] + 1}: all others, each times its weight to it."


def _sign(trace: Trace, cell: Cell) -> str:
    return f"What entry {cell[1] + 1} takes when it is asked: the sign of its field."


def _wish(trace: Trace, cell: Cell) -> str:
    return f"By how much entry {cell[1] + 1} would change if it were asked."


def _turn(trace: Trace, cell: Cell) -> str:
    return f"By how much entry {cell[1] + 1} changes: 0 unless it is the one that is asked."


def _after(trace: Trace, cell: Cell) -> str:
    return f"Entry {cell[1] + 1} of the state after this update."


def _agree(trace: Trace, cell: Cell) -> str:
    return "The sum of all entries, each times its field; each pair of entries is in it twice."


def _energy(trace: Trace, cell: Cell) -> str:
    return "Minus half of that sum: each pair of entries once."


_PAINTED = (
    Input("stored", "p y x", _picture), Input("held", "y x", _pixel, role="query"),
)  # fmt: skip
_PAINT = Phase(
    "Pictures", ("stored", "held"), "What is stored, and what is held now.", defines=True,
    words="A painted cell is 1, an empty one −1. Three pictures are stored; the state starts as "
    "one of them with some cells flipped.",
)  # fmt: skip
_STORED = Phase(
    "Patterns", ("patterns", "state"), "What is stored, and the state.", defines=True,
    words="Each column is a stored pattern: a list of 1 and −1. The state starts as one of them "
    "with some entries flipped.",
)  # fmt: skip
_LAID_OUT = Phase(
    "Patterns", ("patterns", "state"), "Pictures, laid out in a line.", defines=True,
    words="The network knows no rows and columns: a picture is a list of 64 entries, one row "
    "after another. Each column of patterns is one picture.",
)  # fmt: skip
_TOGETHER = Phase(
    "What stood together", ("pairs",), "Each entry with each.",
    words="Over all patterns: in how many two entries are equal, minus in how many they are not.",
)  # fmt: skip
_WEIGHTS = Phase(
    "Weights", ("W",), "None to itself.", defines=True,
    words="Entries that are equal in most patterns get a weight above 0, entries that differ in "
    "most one below. No entry has a weight to itself. All that was stored is in these weights: "
    "the patterns themselves are kept nowhere.",
)  # fmt: skip
_FIELD = Phase(
    "Fields", ("field",), "What the others say.", defines=True,
    words="Each entry adds up the others, each times the weight between the two.",
)  # fmt: skip
_SIGN = Phase(
    "Signs", ("signs",), "What each would take.", defines=True,
    words="The sign of its field is what an entry takes when it is asked: 1 where the field is 0 "
    "or above, −1 where it is below.",
)  # fmt: skip
_ASK = Phase(
    "One is asked", ("wish", "turn"), "One entry at a time.", defines=True, shows=("turn",),
    words="The wish of an entry is how far it is from the sign of its field. One entry alone is "
    "asked at a time; all others stay as they are.",
)  # fmt: skip
_AFTER = Phase(
    "New state", ("new_state",), "The state after this update.", defines=True,
    words="The entry that was asked has the sign of its field now. Had it that before, nothing has "
    "changed.",
)  # fmt: skip
_AFTER_FOLDED = Phase(
    "New picture", ("new_state", "new_held"), "The picture after this update.", defines=True,
    shows=("new_held",),
    words="The cell that was asked has the sign of its field now. Had it that before, nothing has "
    "changed. Below, the entries stand as a picture again.",
)  # fmt: skip
_ENERGY = Phase(
    "Energy", ("agreement", "energy"), "How well all entries agree.", shows=("energy",),
    words="Each pair of entries gives its weight times both entries. Minus half of the sum is the "
    "energy: low where entries are as their weights want them.",
    phases=(
        Phase("Entries times fields", ("agreement",), "One sum over all entries."),
        Phase("Minus half", ("energy",), "Each pair once.", defines=True),
    ),
)  # fmt: skip
_ENERGY_AFTER = Phase(
    "Energy after", ("new_field", "new_agreement", "new_energy"), "Never higher than before.",
    shows=("new_energy",),
    words="The same for the state after the update. If the asked entry changed, it now has the "
    "sign of its field, so its part of the energy fell; the rest is as it was.",
    phases=(
        Phase("New fields", ("new_field",), "What the others say now."),
        Phase("Entries times new fields", ("new_agreement",), "One sum over all entries."),
        Phase("Minus half, after", ("new_energy",), "Each pair once.", defines=True),
    ),
)  # fmt: skip
