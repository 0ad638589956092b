"""How the first token reaches the last: through a recurrent net's state, or by one weight.

The program sends a one through both. Only token 1 has a value, 1. So a row of `state` is what is
left of it after some steps of the recurrent net, and a row of `context` is what attention reads.
"""

from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import count

import numpy as np

from core.attention.axes import AXES
from core.attention.costs import Layer
from core.attention.phases import CAUSAL_RULE, SOFTMAX
from core.attention.program import attention_program
from core.operations.sums import recurrence
from core.program.described import meaning, phase
from core.program.families import Built, Family, Options, Toggle
from core.program.inputs import Inputs
from core.program.labels import told_label
from core.program.numbers.rounding import cell_text
from core.program.patterns import Cell
from core.program.program import Program
from core.program.steps import Input, Meaning, Step
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("one_query")
STEPS = 8
"""Tokens on the stage."""
FACTORS = ("0.3", "0.5", "0.7", "0.9", "1", "1.1")
"""What a linear recurrent net multiplies its state by at each step."""
WEIGHTS = ("0.1", "0.2", "0.5", "0.8", "0.9")
"""The weight that each later token gives token 1."""
FACTOR = Toggle("query_factor", TEXTS("factor"), {a: a for a in FACTORS}, "0.5")
WEIGHT = Toggle("query_weight", TEXTS("weight_on_first"), {w: w for w in WEIGHTS}, "0.5")


@cache
def influence_program(factor: float) -> Program:
    """Causal attention from given scores, and a linear recurrent net on the same values.

    state_t = factor · state_{t−1} + v_t. One head.
    """
    base = attention_program(heads=1)
    softmaxed = ("mask", "masked", "weights", "context")
    state = Step("state", recurrence("g j<=i v -> g i v", factor), ("V",), _state(factor))
    inputs = (
        Input("V", "g i v", meaning(TEXTS, "value_of", "g i v", token="i"), role="value"),
        Input("scaled", "h i j", meaning(TEXTS, "given_score", "h i j", query="i", key="j")),
    )
    given = phase(TEXTS, "impulse", ("V",)), phase(TEXTS, "given", ("scaled",), defines=True)
    direct = phase(TEXTS, "direct", ("context",), defines=True)
    phases = (*given, CAUSAL_RULE, SOFTMAX, direct, phase(TEXTS, "steps", ("state",)))
    steps = (*(base.step[name] for name in softmaxed), state)
    return Program(inputs, steps, phases, {"h": 1, "g": 1}, AXES)


def influence_family() -> Family:
    """Return the two next to each other, for each factor and each weight."""

    def build(options: Options) -> Built:
        return built(float(options[FACTOR.key]), float(options[WEIGHT.key]), STEPS)

    return Family((FACTOR, WEIGHT), build, "query_through_")


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
    """How much of token 1 is in each row, t from 1: in the recurrent state, and by attention."""

    recurrent: tuple[float, ...]
    attention: tuple[float, ...]

    @property
    def trend(self) -> int:
        """1 if the state grows with every step, −1 if it shrinks, 0 if it stays the same."""
        first, *_, last = self.recurrent
        return (last > first) - (last < first)


@lru_cache(maxsize=64)
def influence(factor: float, weight: float, tokens: int) -> Influence:
    """The two columns of a longer run of the same program."""
    trace = built(factor, weight, tokens).run()
    return Influence(*(tuple(trace[name][0, :, 0].tolist()) for name in ("state", "context")))


@dataclass(frozen=True)
class LayerKind:
    """One kind of layer on n tokens of d features, counted (after Vaswani et al. 2017, table 1).

    `layers` are needed until the last token can depend on the first; everything else is counted
    in all of them. `multiplications` are of products, projections too; `steps` must wait for one
    another; `path` is how many products with weights lie between the first token and the last.
    `kept` numbers are needed to go on with one more token.
    """

    name: str
    layers: int
    multiplications: int
    steps: int
    path: int
    kept: int


def layer_kinds(tokens: int, d: int, kernel: int) -> tuple[LayerKind, ...]:
    """Recurrent, convolutional and attention layers, all causal, without biases.

    A recurrent layer multiplies its state and the new row by a d × d matrix each; a convolution
    `kernel` rows (2 or more), and stacked plainly or with dilations 1, kernel, kernel², …;
    attention has four projections and meets every pair, hidden ones too.
    """
    n, attention = tokens, Layer(d, 1, 1, d)
    work = attention.projecting(n) + attention.attending(n, n)
    plain = max(1, -(-(n - 1) // (kernel - 1)))  # each reaches kernel − 1 tokens further back
    # Layer l of them reaches (kernel − 1) · kernel^l further; together kernel^layers tokens.
    dilated = next(layers for layers in count(1) if kernel**layers >= n)
    kept_plain = plain * (kernel - 1) * d
    kept_dilated = sum((kernel - 1) * kernel**layer for layer in range(dilated)) * d

    def convolution(name: str, layers: int, kept: int) -> LayerKind:
        return LayerKind(name, layers, layers * kernel * n * d * d, layers, layers, kept)

    return (
        LayerKind(TEXTS("recurrent"), 1, 2 * n * d * d, n, n - 1, d),
        convolution(TEXTS("convolution"), plain, kept_plain),
        convolution(TEXTS("dilated"), dilated, kept_dilated),
        LayerKind(TEXTS("attention"), 1, work, 1, 1, attention.cached(n)),
    )


def _state(factor: float) -> Meaning:
    def says(trace: Trace, cell: Cell) -> str:
        _, t, _ = cell
        token = told_label(trace, "i", t)
        if not t:
            return TEXTS("state_first", token=token)
        left = cell_text(float(trace["state"][cell]))
        return TEXTS("state_later", token=token, times=t, factor=f"{factor:g}", left=left)

    return says
