"""Checks of attention that need no correct run to compare with."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from core.program.numbers.rounding import cell_text
from core.program.program import Program
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("debug_lab")
NEAR = 1e-9
"""Two numbers that are nearer than this are one."""


@dataclass(frozen=True)
class Check:
    """A question, what holds in a correct run, and whether a run of the lab's program passes.

    `asks` is short enough for a button.
    """

    asks: str
    says: str
    passes: Callable[[Trace], bool]


def _is_numbers(trace: Trace) -> bool:
    return not any(np.isnan(trace[name]).any() for name in trace)


def _is_masked(trace: Trace) -> bool:
    hidden = np.broadcast_to(~trace["mask"], trace["masked"].shape)
    before = any(np.isneginf(trace[name]).any() for name in ("scores", "scaled"))
    return not before and bool((np.isneginf(trace["masked"]) == hidden).all())


def _adds_up(trace: Trace) -> bool:
    wanted = np.where(trace["mask"].any(axis=-1), 1.0, 0.0)
    return bool((np.abs(trace["weights"].sum(axis=-1) - wanted) < NEAR).all())


def _hides(trace: Trace) -> bool:
    return not trace["weights"][:, ~trace["mask"]].any()


def _is_causal(trace: Trace) -> bool:
    """Another last token, and no row before it is otherwise."""
    program = trace.program
    assert isinstance(program, Program)
    given = {i.name: trace[i.name] for i in program.inputs}
    given["X"] = np.concatenate([trace["X"][:-1], trace["X"][-1:] + 1.0])
    ours, theirs = trace["output"][:-1], program.run(given)["output"][:-1]
    return bool(np.isclose(ours, theirs, rtol=0, atol=NEAR, equal_nan=True).all())


def sums_of_weights(trace: Trace) -> list[list[str]]:
    """Return what each row of weights adds up to, head by head, as cells are written."""
    sums = trace["weights"].sum(axis=-1)
    return [[cell_text(float(row), trace.noise["weights"]) for row in head] for head in sums]


AT_SIGHT = (
    Check(TEXTS("nan_asks"), TEXTS("nan_says"), _is_numbers),
    Check(TEXTS("infinity_asks"), TEXTS("infinity_says"), _is_masked),
    Check(TEXTS("rows_asks"), TEXTS("rows_says"), _adds_up),
)
"""What is seen in the numbers of one run, the plainest first."""
CHECKS = (
    *AT_SIGHT,
    Check(TEXTS("hidden_asks"), TEXTS("hidden_says"), _hides),
    Check(TEXTS("later_asks"), TEXTS("later_says"), _is_causal),
)
"""All checks. The last one runs the program again."""
