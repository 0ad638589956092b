"""Four scores become shares of 1: made positive, added up, divided by the sum.

    share_j = e^(s_j / T) / Σ e^(s / T)

with a temperature T. What takes the place of e^x can be chosen, to see what speaks for it.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from jaxtyping import Float

from core.operations.activations import exponentials, squares
from core.operations.merging import exp_below, row_max, share_rows, signed_shares, total
from core.operations.scaling import multiply_by
from core.operations.sums import add
from core.program.axes import HEAD, Axis
from core.program.families import Built, Family, Options, Toggle
from core.program.inputs import Inputs
from core.program.patterns import Cell
from core.program.program import Program
from core.program.steps import Input, Phase, Step
from core.program.trace import Trace

EXP, STABLE, SQUARE, NOTHING = "exp", "stable", "square", "none"
MADE = Toggle(
    "softmax_made", "Made positive by",
    {EXP: "eˣ", STABLE: "eˣ⁻ᵐᵃˣ", SQUARE: "x²", NOTHING: "nothing"}, EXP,
)  # fmt: skip
TEMPERATURES = ("0.25", "0.5", "1", "2", "4")
TEMPERATURE = Toggle("softmax_temperature", "Temperature", {t: t for t in TEMPERATURES}, "1")
ADDED = Toggle("softmax_plus", "Add to each", {"-5": "−5", "0": "0", "5": "5"}, "0")


@lru_cache(maxsize=64)
def shares_program(made: str, temperature: float, adds: bool) -> Program:
    """Scores over a temperature, made positive, over their sum. Shares of `EXP`: (0, 1)."""
    axes = "h i j"
    inputs = [Input("logits", axes, _logit)]
    steps: list[Step] = []
    phases = [_GIVEN]
    at = "logits"
    if adds:
        inputs.append(Input("constant", "h i o", _constant))
        steps.append(Step("moved", add("h i j, h i 0 -> h i j"), ("logits", "constant"), _moved))
        phases.append(_MOVED)
        at = "moved"
    if temperature != 1:
        steps.append(Step("tempered", multiply_by(1 / temperature), (at,), _tempered))
        phases.append(_TEMPERED)
        at = "tempered"
    over = at
    if made == STABLE:
        steps += [
            Step("largest", row_max("h i j -> h i o"), (at,), _largest),
            Step("raised", exp_below("h i j, h i 0 -> h i j"), (at, "largest"), _power),
        ]
        phases.append(_BELOW)
        over = "raised"
    elif made != NOTHING:
        operation, meaning, phase = {
            EXP: (exponentials(), _power, _EXP), SQUARE: (squares(), _squared, _SQUARE),
        }[made]  # fmt: skip
        steps.append(Step("raised", operation, (at,), meaning))
        phases.append(phase)
        over = "raised"
    divide = signed_shares if made == NOTHING else share_rows
    steps += [
        Step("totals", total("h i j -> h i o"), (over,), _total),
        Step("portions", divide("h i j, h i 0 -> h i j"), (over, "totals"), _share, "weights"),
    ]
    phases += [_TOTAL, _SIGNED if made == NOTHING else _SHARES]
    return Program(
        tuple(inputs), tuple(steps), tuple(phases), {"h": 1, "i": 1, "o": 1}, _AXES,
        makes="the shares",
    )  # fmt: skip


def shares_family(logits: Sequence[int | float]) -> Family:
    """A row of numbers, each way to make them positive, at each temperature, moved or not."""
    row = np.array(logits, dtype=np.float64)[None, None]

    def build(options: Options) -> Built:
        added = float(options[ADDED.key])
        program = shares_program(
            options[MADE.key], float(options[TEMPERATURE.key]), adds=added != 0
        )
        more = {"constant": np.full((1, 1, 1), added)} if added else {}
        return Built(program, Inputs({"logits": row, **more}, ()))

    return Family((MADE, TEMPERATURE, ADDED), build)


def formula(options: Options, keys: int = 4) -> str:
    """LaTeX of a key's share of so many, as these options make it."""
    added, temperature = options[ADDED.key], options[TEMPERATURE.key]

    def made(key: str) -> str:
        score = rf"\text{{score}}_{key}"
        if float(added):
            score = f"({score} {'+' if float(added) > 0 else '-'} {added.lstrip('-')})"
        if float(temperature) != 1:
            score = f"{score}/{temperature}"
        squared = f"{score}^2" if score.endswith(")") else f"({score})^2"
        return {SQUARE: squared, NOTHING: score}.get(options[MADE.key], f"e^{{{score}}}")

    short = made("j") == r"e^{\text{score}_j}"
    terms = " + ".join(made(str(key)) for key in range(1, keys + 1))
    total = terms if short else rf"\sum_i {made('i')}"
    return rf"\text{{weight}}_j = \dfrac{{{made('j')}}}{{{total}}}"


def shares_of(trace: Trace) -> Float[np.ndarray, "keys"]:
    """The shares that a run ends with."""
    shares: np.ndarray = trace["portions"][0, 0]
    return shares


def cannot_be_divided(trace: Trace) -> bool:
    """Whether the numbers add up to 0, so that no share can be made of them."""
    return float(trace["totals"][0, 0, 0]) == 0


def e_of_the_stage() -> float:
    """The number e, as the stage makes it: the ratio of two shares whose logits are 1 apart."""
    first, second = shares_of(shares_family([1, 0]).run())
    return float(first / second)


def twins(trace: Trace) -> int:
    """How many pairs of keys have opposite numbers, neither of them 0, before they are squared."""
    (source,) = trace.program.step["raised"].operands
    row = trace[source][0, 0]
    opposite = np.isclose(row[:, None], -row[None, :]) & (row[:, None] > 0)
    return int(opposite.sum())


def below_zero(trace: Trace) -> int:
    """How many of the shares are below 0."""
    return int((shares_of(trace) < 0).sum())


_AXES = {
    "h": Axis("head", HEAD, "head", "heads"),
    "i": Axis("row", word="row"),
    "j": Axis("key", word="key"),
    "o": Axis("sum", word="sum"),
}
_GIVEN = Phase(
    "Four scores", ("logits",), "Numbers of any size and sign.",
    words="One query has met four keys. A number that enters softmax is called a logit: it may be "
    "negative, and the four need not add up to anything.",
)  # fmt: skip
_MOVED = Phase(
    "Add",
    ("moved",),
    "The same number is added to each.",
    words="Every logit moves by the same amount, so no difference between two of them changes.",
)
_TEMPERED = Phase(
    "Temperature",
    ("tempered",),
    "Each logit divided by T.",
    words="Dividing by the temperature T is multiplying by 1/T: differences shrink where T is "
    "above 1, and grow where it is below.",
)
_EXP = Phase(
    "Make positive", ("raised",), "e to each.",
    words="e to any number is above 0, and to a larger number it is larger. One more in the "
    "exponent is always e times as much, so differences of logits become ratios.",
)  # fmt: skip
_BELOW = Phase(
    "Make positive", ("largest", "raised"), "e to each, less the largest.",
    words="The largest logit is subtracted from all of them first. Each exponential is then at "
    "most 1, so none can be too large for the machine; every share is the same as without.",
)  # fmt: skip
_SQUARE = Phase(
    "Make positive", ("raised",), "The square of each.",
    words="Squares are not negative either. But the square of a number and of its opposite are the "
    "same, so a logit far below 0 counts as much as one far above.",
)  # fmt: skip
_TOTAL = Phase(
    "Add up",
    ("totals",),
    "Their sum.",
    words="What all four add up to: the whole, of which each is to have a share.",
)
_SHARES = Phase(
    "Divide", ("portions",), "Each over the sum: shares of 1.",
    words="Each number over the sum of the row. Nothing is negative, and a row whose sum is not 0 "
    "adds up to 1.",
)  # fmt: skip
_SIGNED = Phase(
    "Divide",
    ("portions",),
    "Each over the sum.",
    words="Each logit over the sum of the row, as it is. With numbers of both signs this can be "
    "below 0 or above 1, and a sum near 0 makes it huge.",
)


def _logit(trace: Trace, cell: Cell) -> str:
    return f"The logit of key {cell[2] + 1}: what enters softmax."


def _constant(trace: Trace, cell: Cell) -> str:
    return "The number that is added, the same for each key."


def _moved(trace: Trace, cell: Cell) -> str:
    return f"The logit of key {cell[2] + 1}, moved as all others are."


def _tempered(trace: Trace, cell: Cell) -> str:
    return f"The logit of key {cell[2] + 1} over the temperature."


def _largest(trace: Trace, cell: Cell) -> str:
    return "The largest of the row."


def _power(trace: Trace, cell: Cell) -> str:
    return f"e to what key {cell[2] + 1} has: above 0."


def _squared(trace: Trace, cell: Cell) -> str:
    return f"What key {cell[2] + 1} has, times itself."


def _total(trace: Trace, cell: Cell) -> str:
    return "What the row adds up to."


def _share(trace: Trace, cell: Cell) -> str:
    return f"The share of key {cell[2] + 1}."
