"""Timing: medians taken in turns, and the table they are printed in.

Machines are shared and noisy, so what counts is a ratio of two things measured in one run.
"""

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One line of the table; times in milliseconds, a budget as it is promised."""

    what: str
    ours: float
    alternative: str = ""
    theirs: float | None = None
    budget: str = ""
    kept: bool | None = None

    def cells(self) -> list[str]:
        theirs = "" if self.theirs is None else f"{self.alternative} {self.theirs:.1f} ms"
        ratio = "" if not self.theirs else f"{self.ours / self.theirs:.2f}"
        verdict = {True: "ok", False: "OVER", None: ""}[self.kept]
        return [self.what, f"{self.ours:.1f} ms", theirs, ratio, self.budget, verdict]


def table(rows: Sequence[Row]) -> str:
    """Return the rows as a table in Markdown."""
    head = [["what", "ours", "compared with", "ratio", "budget", ""], ["---"] * 6]
    return "\n".join(f"| {' | '.join(line)} |" for line in [*head, *(row.cells() for row in rows)])


def alternating(actions: Mapping[str, Callable[[], float]], rounds: int) -> dict[str, float]:
    """The median of each action's own measure in ms, the actions taken in turns."""
    measured: dict[str, list[float]] = {name: [] for name in actions}
    for _ in range(rounds):
        for name, action in actions.items():
            measured[name].append(action())
    return {name: statistics.median(times) for name, times in measured.items()}


def clocked(action: Callable[[], object]) -> Callable[[], float]:
    """The action as one that says how many ms it took."""

    def run() -> float:
        start = time.perf_counter()
        action()
        return 1000 * (time.perf_counter() - start)

    return run
