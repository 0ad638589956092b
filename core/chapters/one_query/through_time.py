"""How the first token reaches the last: through a recurrent net's state, or by one weight.

The program sends a one through both. Only token 1 has a value, 1; so a row of `state` is what is
left of it after so many steps of the recurrent net, and a row of `context` what attention reads.
"""

from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np

from core.attention.axes import AXES
from core.attention.costs import Layer
from core.attention.phases import CAUSAL, SOFTMAX
from core.attention.program import attention_program
from core.operations.sums import recurrence
from core.program.families import Built, Family, Options, Toggle
from core.program.inputs import Inputs
from core.program.labels import told_label
from core.program.patterns import Cell
from core.program.program import Program
from core.program.rounding import cell_text
from core.program.steps import Input, Meaning, Phase, Step
from core.program.trace import Trace

STEPS = 8
"""So many tokens are on the stage."""
FACTORS = ("0.3", "0.5", "0.7", "0.9", "1", "1.1")
"""What a linear recurrent net multiplies its state by at each step."""
WEIGHTS = ("0.1", "0.2", "0.5", "0.8", "0.9")
"""The weight that each later token gives token 1."""
FACTOR = Toggle("query_factor", "The state is multiplied by", {a: a for a in FACTORS}, "0.5")
WEIGHT = Toggle("query_weight", "Attention's weight on token 1", {w: w for w in WEIGHTS}, "0.5")


@cache
def influence_program(factor: float) -> Program:
    """Causal attention from given scores, and beside it a linear recurrent net on the same values.

    state_t = factor · state_{t−1} + v_t. One head.
    """
    base = attention_program(heads=1)
    softmaxed = ("mask", "masked", "weights", "context")
    state = Step("state", recurrence("g j<=i v -> g i v", factor), ("V",), _state(factor))
    return Program(
        (
            Input("V", "g i v", _value, role="value"),
            Input("scaled", "h i j", _given),
        ),
        (*(base.step[name] for name in softmaxed), state),
        (
            Phase(
                "One value", ("V",), "Token 1 has a 1, all others 0.",
                words="Only token 1 has something to tell: its value is 1, that of every other "
                "token 0. So whatever arrives at a later token has come from token 1.",
            ),
            Phase(
                "Given scores", ("scaled",), "Chosen: they look at token 1.", defines=True,
                words="The scores are given, so that each token after the first will give token 1 "
                "the weight that is chosen above, and share the rest out evenly among the others.",
            ),
            CAUSAL,
            SOFTMAX,
            Phase(
                "What attention reads", ("context",), "One product, at any distance.",
                defines=True,
                words="Each token reads token 1 directly: the weight times 1. The distance between "
                "the two does not enter.",
            ),
            Phase(
                "What the state holds", ("state",), "One step after another.",
                words="A recurrent net has one state. At each step it is multiplied by the same "
                "factor and takes in the new token. What token 1 left in it is multiplied once for "
                "every step since.",
            ),
        ),
        {"h": 1, "g": 1},
        AXES,
        makes="the state",
    )  # fmt: skip


def influence_family() -> Family:
    """The two beside each other, for each factor and each weight."""

    def build(options: Options) -> Built:
        return built(float(options[FACTOR.key]), float(options[WEIGHT.key]), STEPS)

    return Family((FACTOR, WEIGHT), build)


def built(factor: float, weight: float, tokens: int) -> Built:
    """The program on so many tokens, with a weight on token 1 for each later one: 0 to 1, apart."""
    V = np.zeros((1, tokens, 1))
    V[0, 0] = 1.0
    names = tuple(str(n + 1) for n in range(tokens))
    inputs = Inputs({"V": V, "scaled": scores_for(weight, tokens)[None]}, names)
    return Built(influence_program(factor), inputs)


def scores_for(weight: float, tokens: int) -> np.ndarray:
    """Scores of which softmax, over the first t keys, makes `weight` for key 1 in row t.

    Key 1 has log(weight · (t − 1) / (1 − weight)), the others 0; 0 < weight < 1.
    """
    scores = np.zeros((tokens, tokens))
    others = np.arange(1, tokens)
    scores[1:, 0] = np.log(weight * others / (1 - weight))
    return scores


@dataclass(frozen=True)
class Influence:
    """How much of token 1 is in each row, t from 1: of the recurrent state, and by attention."""

    recurrent: tuple[float, ...]
    attention: tuple[float, ...]

    @property
    def becomes(self) -> str:
        """What the state does from step to step, in words."""
        first, *_, last = self.recurrent
        if first == last:
            return "stays what it was"
        return "grows with every step" if last > first else "shrinks with every step"


@lru_cache(maxsize=64)
def influence(factor: float, weight: float, tokens: int) -> Influence:
    """The two columns of a longer run of the same program."""
    trace = built(factor, weight, tokens).run()
    return Influence(*(tuple(trace[name][0, :, 0].tolist()) for name in ("state", "context")))


@dataclass(frozen=True)
class LayerKind:
    """One kind of layer on n tokens of d features, counted (Vaswani et al. 2017, table 1).

    `multiplications` are of its products, projections too; `steps` must wait for one another;
    `layers` are needed until the last token can depend on the first, and `path` is how many
    products with weights lie between the two then. `kept` numbers are needed to go on with one
    more token.
    """

    name: str
    multiplications: int
    steps: int
    layers: int
    path: int
    kept: int


def layer_kinds(tokens: int, d: int, kernel: int) -> tuple[LayerKind, ...]:
    """A recurrent, a convolutional and an attention layer, all causal, without biases.

    A recurrent layer multiplies its state and the new row by a d × d matrix each; a convolution
    `kernel` rows (2 or more), and stacked plainly or with dilations 1, kernel, kernel², …;
    attention has four projections and meets every pair, hidden ones too.
    """
    n, attention = tokens, Layer(d, 1, 1, d)
    plain, dilated = _plain_layers(n, kernel), _dilated_layers(n, kernel)
    return (
        LayerKind("recurrent", 2 * n * d * d, n, 1, n - 1, d),
        LayerKind("convolution", kernel * n * d * d, 1, plain, plain, plain * (kernel - 1) * d),
        LayerKind(
            "dilated convolution", kernel * n * d * d, 1, dilated, dilated,
            sum((kernel - 1) * kernel**layer for layer in range(dilated)) * d,
        ),
        LayerKind(
            "attention", attention.projecting(n) + attention.attending(n, n), 1, 1, 1,
            attention.cached(n),
        ),
    )  # fmt: skip


def _plain_layers(tokens: int, kernel: int) -> int:
    """Each layer reaches kernel − 1 tokens further back."""
    return max(1, -(-(tokens - 1) // (kernel - 1)))


def _dilated_layers(tokens: int, kernel: int) -> int:
    """Layer l reaches (kernel − 1) · kernel^l further; together kernel^layers tokens."""
    layers = 1
    while kernel**layers < tokens:
        layers += 1
    return layers


def _value(trace: Trace, cell: Cell) -> str:
    return f"What token {told_label(trace, 'i', cell[1])} hands over."


def _given(trace: Trace, cell: Cell) -> str:
    query, key = (told_label(trace, letter, at) for letter, at in zip("ij", cell[1:], strict=True))
    return f"The score of token {query} and token {key}: given, so that softmax makes the weight."


def _state(factor: float) -> Meaning:
    def meaning(trace: Trace, cell: Cell) -> str:
        _, t, _ = cell
        token = told_label(trace, "i", t)
        if not t:
            return f"What is left of token {token} at once: all of it."
        times = "once" if t == 1 else f"{t} times"
        return (
            f"What the state at token {token} holds of token 1: it was multiplied {times} by "
            f"{factor:g}, which leaves {cell_text(float(trace['state'][cell]))}."
        )

    return meaning
