"""Dropout on the weights: in training some are left out at random, and the others grow (B12).

Srivastava et al. (2014), in the form of PyTorch and of the transformer's papers: a weight is left
out with probability p, and one that stays is divided by 1 − p. So its mean is what it was.
"""

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from jaxtyping import Float

from core.attention.inputs import toy_inputs
from core.attention.phases import PHASES
from core.attention.program import attention_program
from core.attention.tokens import few_enough
from core.hash_random import Draw
from core.operations.masking import drop_out
from core.operations.products import matmul
from core.program.described import meaning, phase
from core.program.families import Built, Family, Options, Toggle
from core.program.inputs import Inputs
from core.program.labels import told_label
from core.program.patterns import Cell
from core.program.program import Program
from core.program.steps import Input, Step
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("block")
D_MODEL = 4
RATE = Toggle("block_rate", TEXTS("rate"), {"0": "0 %", "0.2": "20 %", "0.5": "50 %"}, "0.2")
MOST_DRAWS = 1000
"""The number of draws whose mean is taken."""
_HALF = 2**30


@lru_cache(maxsize=8)
def dropout_program(rate: float) -> Program:
    """Causal attention with one head, whose weights are dropped where D is 0."""
    base = attention_program(heads=1)
    made = ("Q", "K", "V", "scores", "scaled", "mask", "masked", "weights")
    *before, weigh, _ = PHASES
    dropped = phase(TEXTS, "dropout", ("dropped",), defines=True)
    return replace(
        base,
        inputs=(*(i for i in base.inputs if i.name != "W_O"), Input("D", "i j", _drawn)),
        steps=(
            *(base.step[name] for name in made),
            Step("dropped", drop_out(rate), ("weights", "D"),
                 meaning(TEXTS, "after_dropout", "h i j", query="i", key="j")),
            Step("context", matmul("h i j, h j v -> h i v"), ("dropped", "V"),
                 meaning(TEXTS, "read", "h i v", query="i", feature="v")),
        ),
        phases=(*before, dropped, weigh),
    )  # fmt: skip


def kept_weights(draw: int, rate: float, T: int) -> Float[np.ndarray, "T T"]:
    """Which weights stay (1) in a draw, each with probability 1 − rate by itself."""
    numbers = Draw(f"dropout:{draw}").around_zero(_HALF, T * T).reshape(T, T)
    return (numbers >= (2 * rate - 1) * _HALF).astype(float)


def dropout_family(text: str, draw: int) -> Family:
    """A sentence whose weights are dropped at several rates, in one draw. Raises `InputError`."""
    toy = toy_inputs(few_enough(text), heads=1, d_model=D_MODEL)
    given = {name: toy[name] for name in ("X", "W_Q", "W_K", "W_V")}

    def build(options: Options) -> Built:
        rate = float(options[RATE.key])
        kept = kept_weights(draw, rate, len(toy.tokens))
        return Built(dropout_program(rate), Inputs({**given, "D": kept}, toy.tokens))

    return Family((RATE,), build)


@dataclass(frozen=True)
class DropoutRow:
    """A row of the weights, the same row in one draw, and its mean over many draws."""

    weights: list[float]
    dropped: list[float]
    mean: list[float]

    @property
    def total(self) -> float:
        """What the row of this draw adds up to."""
        return float(sum(self.dropped))

    @property
    def left_out(self) -> int:
        """How many weights of the row this draw leaves out."""
        return sum(x == 0 for x in self.dropped)


def last_row(trace: Trace, rate: float) -> DropoutRow:
    """The last token's row, whose keys are all visible."""
    weights = trace["weights"][0, -1]
    share = _mean_kept(rate, len(weights))[-1]
    rows = weights, trace["dropped"][0, -1], weights * share
    return DropoutRow(*(row.tolist() for row in rows))


@lru_cache(maxsize=32)
def _mean_kept(rate: float, T: int) -> Float[np.ndarray, "T T"]:
    """The mean of D / (1 − rate) over the first `MOST_DRAWS` draws."""
    every = [kept_weights(draw, rate, T) for draw in range(1, MOST_DRAWS + 1)]
    mean: np.ndarray = np.mean(every, axis=0) / (1 - rate)
    return mean


def _drawn(trace: Trace, cell: Cell) -> str:
    query, key = told_label(trace, "i", cell[0]), told_label(trace, "j", cell[1])
    stays = float(trace["D"][cell])
    return TEXTS("drawn", query=query, key=key, stays=bool(stays), partial=stays not in (0, 1))
