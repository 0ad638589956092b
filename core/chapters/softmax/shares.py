"""Four scores become weights: made positive, added up, divided by the sum.

    weight_j = e^(s_j / T) / Σ e^(s / T)

with a temperature T. What takes the place of e^x can be chosen, to see what speaks for it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from jaxtyping import Float

from core.operations.activations import exponentials, squares
from core.operations.merging import exp_below, row_max, share_rows, signed_shares, total
from core.operations.scores import multiply_by
from core.operations.sums import add
from core.program.axes import HEAD, Axis
from core.program.described import meaning, phase
from core.program.families import Built, Family, Options, Toggle
from core.program.inputs import Inputs
from core.program.program import Program
from core.program.steps import Input, Meaning, Step
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("softmax")
EXP, STABLE, SQUARE, NOTHING = "exp", "stable", "square", "none"
_WAYS = {EXP: "eˣ", STABLE: "eˣ⁻ᵐᵃˣ", SQUARE: "x²", NOTHING: TEXTS("nothing")}
MADE = Toggle("softmax_made", TEXTS("made"), _WAYS, EXP)
TEMPERATURES = ("0.25", "0.5", "1", "2", "4")
TEMPERATURE = Toggle("softmax_temperature", TEXTS("temperature"), {t: t for t in TEMPERATURES}, "1")
ADDED = Toggle("softmax_plus", TEXTS("added"), {"-5": "−5", "0": "0", "5": "5"}, "0")


@lru_cache(maxsize=64)
def shares_program(made: str, temperature: float, adds: bool) -> Program:
    """Scores over a temperature, made positive, over their sum. Shares of `EXP`: (0, 1)."""
    axes = "h i j"
    inputs = [Input("scores", axes, _of_key("logit"))]
    steps: list[Step] = []
    phases = [_GIVEN]
    at = "scores"
    if adds:
        inputs.append(Input("constant", "h i o", meaning(TEXTS, "constant")))
        plus = add("h i j, h i 0 -> h i j")
        steps.append(Step("moved", plus, ("scores", "constant"), _of_key("moved")))
        phases.append(_MOVED)
        at = "moved"
    if temperature != 1:
        steps.append(Step("tempered", multiply_by(1 / temperature), (at,), _of_key("tempered")))
        phases.append(_TEMPERED)
        at = "tempered"
    over = at
    if made == STABLE:
        steps += [
            Step("largest", row_max("h i j -> h i o"), (at,), meaning(TEXTS, "largest")),
            Step("raised", exp_below("h i j, h i 0 -> h i j"), (at, "largest"), _of_key("power")),
        ]
        phases.append(_BELOW)
        over = "raised"
    elif made != NOTHING:
        operation, says, own_phase = {
            EXP: (exponentials(), _of_key("power"), _EXP),
            SQUARE: (squares(), _of_key("squared"), _SQUARE),
        }[made]
        steps.append(Step("raised", operation, (at,), says))
        phases.append(own_phase)
        over = "raised"
    divide = signed_shares if made == NOTHING else share_rows
    divided = divide("h i j, h i 0 -> h i j")
    steps += [
        Step("totals", total("h i j -> h i o"), (over,), meaning(TEXTS, "total")),
        Step("weights", divided, (over, "totals"), _of_key("weight"), "weights"),
    ]
    phases += [_TOTAL, _SIGNED if made == NOTHING else _SHARES]
    return Program(tuple(inputs), tuple(steps), tuple(phases), {"h": 1, "i": 1, "o": 1}, _AXES)


def shares_family(logits: Sequence[int | float]) -> Family:
    """A row of numbers, each way to make them positive, at each temperature, moved or not."""
    row = np.array(logits, dtype=np.float64)[None, None]

    def build(options: Options) -> Built:
        added, temperature = float(options[ADDED.key]), float(options[TEMPERATURE.key])
        program = shares_program(options[MADE.key], temperature, adds=added != 0)
        more = {"constant": np.full((1, 1, 1), added)} if added else {}
        return Built(program, Inputs({"scores": row, **more}, ()))

    return Family((MADE, TEMPERATURE, ADDED), build)


def formula(options: Options, keys: int = 4) -> str:
    """Return LaTeX of a key's weight among this many keys, under these options."""
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


@dataclass(frozen=True)
class Made:
    """What each key has on the way to its weight; `positive` is empty if nothing is made positive.

    `entering` are the scores, moved and divided by the temperature, if they are.
    """

    entering: Float[np.ndarray, "keys"]
    positive: Float[np.ndarray, "keys"] | None
    weights: Float[np.ndarray, "keys"]
    total: float
    words: str
    """What enters, from the score: (score + 5) / 2."""
    how: str
    """What makes it positive, an option of `MADE`."""


def made_of(trace: Trace, options: Options) -> Made:
    """Return score → positive number → weight of each key in a run."""
    entering = next(name for name in ("tempered", "moved", "scores") if name in trace)
    positive = trace["raised"][0, 0] if "raised" in trace else None
    return Made(
        trace[entering][0, 0], positive, shares_of(trace), float(trace["totals"][0, 0, 0]),
        _words(int(options[ADDED.key]), options[TEMPERATURE.key]), options[MADE.key],
    )  # fmt: skip


def _words(added: int, temperature: str) -> str:
    words = f"score {'+' if added > 0 else '−'} {abs(added)}" if added else "score"
    return words if temperature == "1" else f"{f'({words})' if added else words} / {temperature}"


def shares_of(trace: Trace) -> Float[np.ndarray, "keys"]:
    """The shares that a run ends with."""
    shares: np.ndarray = trace["weights"][0, 0]
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
_GIVEN = phase(TEXTS, "given", ("scores",))
_MOVED = phase(TEXTS, "moved", ("moved",))
_TEMPERED = phase(TEXTS, "tempered", ("tempered",))
_EXP = phase(TEXTS, "exp", ("raised",))
_BELOW = phase(TEXTS, "stable", ("largest", "raised"))
_SQUARE = phase(TEXTS, "square", ("raised",))
_TOTAL = phase(TEXTS, "total", ("totals",))
_SHARES = phase(TEXTS, "weights", ("weights",))
_SIGNED = phase(TEXTS, "signed", ("weights",))


def _of_key(id: str) -> Meaning:
    return meaning(TEXTS, id, "h i j", key="j")
