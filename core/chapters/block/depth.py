"""What many layers do to a row: a matrix again and again, with what came in kept or not (K9).

Without a residual a layer that is a matrix J makes Jⁿ of a row; with one it makes (I + J)ⁿ. Powers
shrink or grow with the size of the largest eigenvalue, and turn any row towards its eigenvector:
the power method (von Mises and Pollaczek-Geiringer 1929).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

import numpy as np
from jaxtyping import Float

from core.operations.products import matmul
from core.operations.sums import add
from core.program.axes import Axis
from core.program.families import Built, Family, Options, Toggle
from core.program.inputs import Inputs
from core.program.patterns import Cell
from core.program.program import Program
from core.program.steps import Input, Meaning, Phase, Step
from core.program.trace import Trace

DEEPEST = 10
TENTH, HALF, BY_HAND = "tenth", "half", "by_hand"
MATRICES: Mapping[str, Float[np.ndarray, "2 2"]] = MappingProxyType({
    TENTH: np.array([[0.0, 0.1], [0.1, 0.0]]),
    HALF: np.array([[0.0, 0.5], [0.5, 0.0]]),
    BY_HAND: np.array([[2.0, 1.0], [1.0, 2.0]]),
})  # fmt: skip
START: Float[np.ndarray, "1 2"] = np.array([[1.0, 0.0]])
KEPT, DROPPED = "kept", "dropped"
RESIDUAL = Toggle("block_residual", "What came in", {KEPT: "kept", DROPPED: "dropped"}, KEPT)


def written(matrix: Float[np.ndarray, "n m"]) -> str:
    """A matrix in a line, row by row: [[2, 1], [1, 2]]."""
    return f"[{', '.join(f'[{row}]' for row in (listed_numbers(row) for row in matrix))}]"


def listed_numbers(row: Iterable[float]) -> str:
    """Numbers in a line: 2, 1."""
    return ", ".join(f"{number:g}" for number in row)


MATRIX = Toggle("block_matrix", "J", {name: written(one) for name, one in MATRICES.items()}, TENTH)


@lru_cache(maxsize=2)
def depth_program(residual: bool) -> Program:
    """A row through `DEEPEST` layers of one matrix J; with `residual`, plus what came in."""
    steps, phases, source = [], [Phase("One row", ("x_0",), "What comes in.")], "x_0"
    for layer in range(1, DEEPEST + 1):
        made = f"x_{layer}"
        through = f"Jx_{layer}" if residual else made
        steps.append(Step(through, matmul("i m, m q -> i q"), (source, "J"), _through(layer),
                          axes="i m"))  # fmt: skip
        if residual:
            steps.append(Step(made, add("i m, i m -> i m"), (source, through), _kept(layer)))
        phases.append(_layer(layer, made, through))
        source = made
    return Program(
        (Input("x_0", "i m", _start), Input("J", "m q", _matrix)), tuple(steps), tuple(phases), {},
        {"i": Axis("row", word="row"), "m": Axis("feature", word="feature"),
         "q": Axis("feature handed on", word="feature")},
        makes="the last row",
    )  # fmt: skip


def _layer(layer: int, made: str, through: str) -> Phase:
    """The stop of a layer; with a residual it opens into the product and the sum."""
    if made == through:
        return Phase(
            f"Layer {layer}", (made,), "Times J.", defines=True,
            words="The row becomes the row times J, and what came in is gone. Where J makes rows "
            "shorter, little is left after a few layers.",
        )  # fmt: skip
    return Phase(
        f"Layer {layer}", (made,), "Times J, plus what came in.", defines=True,
        shows=(through, made),
        words="The row times J is added to the row itself: all in all the row times I + J. Where J "
        "has nothing to say, the row passes unchanged.",
        phases=(
            Phase("Times J", (through,), "What the layer makes.", defines=True,
                  words="A row times a matrix: all that this layer does."),
            Phase("Plus what came in", (made,), "A residual connection.", defines=True,
                  words="What came in is added to it."),
        ),
    )  # fmt: skip


def depth_family() -> Family:
    """The same row through one of the matrices, with what came in kept or not."""

    def build(options: Options) -> Built:
        program = depth_program(options[RESIDUAL.key] == KEPT)
        return Built(program, Inputs({"x_0": START, "J": MATRICES[options[MATRIX.key]]}, ()))

    return Family((RESIDUAL, MATRIX), build)


def power_rows(layers: int = 4) -> list[str]:
    """The first rows of the power method by hand, in brackets, from the one that comes in."""
    trace = depth_family().run(**{RESIDUAL.key: DROPPED, MATRIX.key: BY_HAND})
    return [f"({listed_numbers(trace[f'x_{n}'][0])})" for n in range(layers + 1)]


@dataclass(frozen=True)
class Depths:
    """Frobenius norms of the powers 0 to n of a matrix, and of the identity plus it."""

    dropped: list[float]
    kept: list[float]

    @property
    def lost(self) -> bool:
        """Whether less than a hundredth is left without what came in."""
        return 100 * self.dropped[-1] < self.dropped[0]

    @property
    def gentle(self) -> bool:
        """Whether the sums stay below twice what they began with."""
        return self.kept[-1] < 2 * self.kept[0]


def depths(matrix: Float[np.ndarray, "n n"], deepest: int = DEEPEST) -> Depths:
    """‖Jⁿ‖ and ‖(I + J)ⁿ‖ for n from 0."""

    def norms(one: np.ndarray) -> list[float]:
        return [float(np.linalg.norm(np.linalg.matrix_power(one, n))) for n in range(deepest + 1)]

    return Depths(norms(matrix), norms(np.eye(len(matrix)) + matrix))


def _start(trace: Trace, cell: Cell) -> str:
    return f"Feature {cell[1] + 1} of the row that comes in."


def _matrix(trace: Trace, cell: Cell) -> str:
    return f"How much feature {cell[0] + 1} counts in feature {cell[1] + 1} of what a layer makes."


def _through(layer: int) -> Meaning:
    return lambda trace, cell: f"Feature {cell[1] + 1} of the row times J, in layer {layer}."


def _kept(layer: int) -> Meaning:
    return lambda trace, cell: (
        f"Feature {cell[1] + 1} after layer {layer}: what came in, plus what J makes of it."
    )
