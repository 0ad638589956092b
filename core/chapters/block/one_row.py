"""One row, small enough for a head: through many layers, and through a layer norm.

What many layers do to a row (K9): without a residual a layer that is a matrix J makes Jⁿ of it;
with one it makes (I + J)ⁿ. Powers shrink or grow with the size of the largest eigenvalue. If only
one eigenvalue has this size, powers turn a row towards its eigenvector, unless the row has no part
in that direction: the power method (von Mises and Pollaczek-Geiringer 1929). I + J has the
eigenvectors of J, so rows turn with it too.

The layer norm of eight numbers (Ba, Kiros and Hinton 2016):

    (x − mean) / √(variance + ε), the variance being the mean of the squares of x − mean

Before training a layer norm's gain is 1 and its bias 0, so this is all that it does.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

import numpy as np
from jaxtyping import Float

from core.attention.layers.row_norms import EPSILON
from core.operations.norms import divide_by_spread, mean_square, row_mean
from core.operations.products import matmul
from core.operations.sums import add, subtract
from core.program.axes import Axis
from core.program.described import meaning, phase
from core.program.families import Built, Family, Options, Toggle
from core.program.inputs import Inputs
from core.program.program import Program
from core.program.steps import Input, Meaning, Phase, Step
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("block")
DEEPEST = 10
TENTH, HALF, BY_HAND = "tenth", "half", "by_hand"
MATRICES: Mapping[str, Float[np.ndarray, "2 2"]] = MappingProxyType(
    {
        TENTH: np.array([[0.0, 0.1], [0.1, 0.0]]),
        HALF: np.array([[0.0, 0.5], [0.5, 0.0]]),
        BY_HAND: np.array([[2.0, 1.0], [1.0, 2.0]]),
    }
)
START: Float[np.ndarray, "1 2"] = np.array([[1.0, 0.0]])
KEPT, DROPPED = "kept", "dropped"
RESIDUAL = Toggle(
    "block_residual", TEXTS("residual"), {KEPT: TEXTS("kept"), DROPPED: TEXTS("dropped")}, KEPT
)


def matrix_text(matrix: Float[np.ndarray, "n m"]) -> str:
    """A matrix in a line, row by row: [[2, 1], [1, 2]]."""
    return f"[{', '.join(f'[{row}]' for row in (listed_numbers(row) for row in matrix))}]"


def listed_numbers(row: Iterable[float]) -> str:
    """Numbers in a line: 2, 1."""
    return ", ".join(f"{number:g}" for number in row)


MATRIX = Toggle(
    "block_matrix", "J", {name: matrix_text(one) for name, one in MATRICES.items()}, TENTH
)


@lru_cache(maxsize=2)
def depth_program(residual: bool) -> Program:
    """A row through `DEEPEST` layers of one matrix J; with `residual`, plus its input."""
    steps, source = [], "x_0"
    phases = [Phase(TEXTS("one_row_title"), (source,), TEXTS("one_row_summary"))]
    for layer in range(1, DEEPEST + 1):
        made = f"x_{layer}"
        through = f"Jx_{layer}" if residual else made
        steps.append(Step(through, matmul("i m, m q -> i q"), (source, "J"),
                          _of_layer("through", layer), axes="i m"))  # fmt: skip
        if residual:
            says = _of_layer("after_layer", layer)
            steps.append(Step(made, add("i m, i m -> i m"), (source, through), says))
        phases.append(_layer(layer, made, through))
        source = made
    return Program(
        (Input("x_0", "i m", meaning(TEXTS, "start", "i m", feature="m")),
         Input("J", "m q", meaning(TEXTS, "counts", "m q", feature="m", made="q"))),
        tuple(steps), tuple(phases), {},
        {"i": Axis("row", word="row"), "m": Axis("feature", word="feature"),
         "q": Axis(TEXTS("next_feature"), word="feature")},
    )  # fmt: skip


def _layer(layer: int, made: str, through: str) -> Phase:
    """Return the stop of a layer; with a residual it opens into the product and the sum."""
    title = TEXTS("layer_title", layer=layer)
    if made == through:
        summary, words = TEXTS("without_input_summary"), TEXTS("without_input_words")
        return Phase(title, (made,), summary, defines=True, words=words)
    summary, words = TEXTS("with_input_summary"), TEXTS("with_input_words")
    times = phase(TEXTS, "times", (through,), defines=True)
    inner, shown = (times, phase(TEXTS, "plus", (made,), defines=True)), (through, made)
    return Phase(title, (made,), summary, defines=True, shows=shown, words=words, phases=inner)


def depth_family() -> Family:
    """The same row through one of the matrices, with its input kept or not."""

    def build(options: Options) -> Built:
        program = depth_program(options[RESIDUAL.key] == KEPT)
        return Built(program, Inputs({"x_0": START, "J": MATRICES[options[MATRIX.key]]}, ()))

    return Family((RESIDUAL, MATRIX), build, "block_depth_")


def power_rows(residual: str, layers: int = 4) -> list[str]:
    """The first rows of the power method by hand, in brackets, from the one that comes in."""
    trace = depth_family().run(**{RESIDUAL.key: residual, MATRIX.key: BY_HAND})
    return [f"({listed_numbers(trace[f'x_{n}'][0])})" for n in range(layers + 1)]


@dataclass(frozen=True)
class Depths:
    """Frobenius norms of the powers 0 to n of a matrix, and of the identity plus it."""

    dropped: list[float]
    kept: list[float]

    @property
    def lost(self) -> bool:
        """Whether less than a hundredth is left if the input is dropped."""
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


def _of_layer(id: str, layer: int) -> Meaning:
    return lambda trace, cell: TEXTS(id, feature=cell[1] + 1, layer=layer)


NUMBERS = (2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0)


@lru_cache(maxsize=1)
def norm_program() -> Program:
    """A row to mean 0 and variance 1, in four steps."""
    return Program(
        (Input("x", "i m", _number("number")),),
        (
            Step("mean", row_mean(), ("x",), meaning(TEXTS, "mean"), axes="i o"),
            Step("centred", subtract("i m, i 0 -> i m"), ("x", "mean"),
                 _number("centred"), axes="i m"),
            Step("variance", mean_square(), ("centred",),
                 meaning(TEXTS, "variance"), axes="i o"),
            Step("normed", divide_by_spread(EPSILON), ("centred", "variance"),
                 _number("normed"), axes="i m"),
        ),
        _PHASES,
        {"o": 1},
        {"i": Axis("row", word="row"), "m": Axis(TEXTS("axis_number"), word="number"),
         "o": Axis(TEXTS("axis_row"), word=TEXTS("axis_row"))},
    )  # fmt: skip


@lru_cache(maxsize=1)
def eight_numbers() -> Trace:
    """The run on the eight numbers."""
    return norm_program().run(Inputs({"x": np.array([NUMBERS])}, ()))


def _number(id: str) -> Meaning:
    return meaning(TEXTS, id, "i m", number="m")


_PHASES = (
    Phase(TEXTS("row_title"), ("x",), TEXTS("row_summary")),
    phase(TEXTS, "mean", ("mean",), defines=True),
    phase(TEXTS, "centred", ("centred",), defines=True),
    phase(TEXTS, "variance", ("variance",), defines=True),
    phase(TEXTS, "normed", ("normed",), defines=True),
)
