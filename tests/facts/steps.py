"""What a step says of its numbers, asked of every program that has a step which says it."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np

from core.path import PATH
from core.program.steps import Phase
from core.program.trace import Trace
from tests.quotes import listed, plain, proves
from tests.registry import FAMILIES, REGISTRY
from tests.sampling import some


@dataclass(frozen=True)
class Said:
    """A step of a run, and what it says: {name} of a quote is said[name]."""

    run: str
    trace: Trace
    phase: Phase
    values: dict[str, str] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Any:
        return self.values[name] if name in self.values else self.trace[name]

    @property
    def made(self) -> np.ndarray:
        """What the step is about."""
        return self.trace[self.phase.main]

    def of(self, name: str = "") -> list[np.ndarray]:
        """What an array of the step is made of."""
        step = self.trace.program.step[name or self.phase.main]
        return [self.trace[operand] for operand in step.operands]

    def named(self, name: str) -> str:
        """The array of the step that is called so, in whichever layer or block."""
        return next(each for each in self.phase.names if each.split("_")[0] == name)

    @property
    def mask(self) -> np.ndarray:
        """Who may see whom, by the array that it is read from."""
        name = next(n for n in self.phase.names if n.split("_")[0] in ("masked", "S", "kept"))
        made: np.ndarray = self.of(name)[1].astype(bool)
        return made

    @property
    def is_input(self) -> bool:
        return self.phase.main not in self.trace.program.step

    @property
    def counts(self) -> set[int]:
        """How many tokens there are: of the text, and of others that the run has."""
        return {len(tokens) for tokens in (self.trace.tokens, *self.trace.more_tokens.values())}


Check = Callable[[Said], None]
STEPS: dict[str, Check] = {}


def said(quotes: str) -> Callable[[Check], Check]:
    def noted(check: Check) -> Check:
        STEPS.update(dict.fromkeys(listed(quotes), check))
        return proves(quotes)(check)

    return noted


@cache
def steps() -> tuple[tuple[str, Said], ...]:
    """Every step of every program but for those with a mistake, as it reads."""
    broken = re.compile("mistake|additive mask")  # the last is run for a number, and is not shown
    runs = {name: entry.run() for name, entry in REGISTRY.items() if not broken.match(name)}
    for name, family in FAMILIES.items():
        if name not in PATH["debug_lab"].families:
            runs[name] = family.run(**{toggle.key: toggle.default for toggle in family.toggles})
    return tuple(one for name, run in runs.items() for one in steps_of(name, run))


def steps_of(name: str, run: Trace) -> Iterator[tuple[str, Said]]:
    for phase in every(run.program.phases):
        yield f"{plain(phase.summary)} ¦ {plain(phase.words)}", Said(name, run, phase)


def every(phases: Sequence[Phase]) -> Iterator[Phase]:
    for phase in phases:
        yield phase
        yield from every(phase.phases)


def _part(part: str) -> str:
    if part == "…":
        return r"\b[^.]*?"
    return f"(?P<{part[1:-1]}>.+?)" if part.startswith("{") else re.escape(part)


@cache
def _pattern(quote: str) -> re.Pattern[str]:
    parts = (_part(part.strip()) for part in re.split(r"({\w+}|…)", quote))
    return re.compile(" ?".join(parts) + r"(?!\w)", re.IGNORECASE)


def places(quote: str) -> Iterator[Said]:
    """Wherever a step says it; in the short run in a few of these programs."""
    found = [(match, one) for text, one in steps() if (match := _pattern(quote).search(text))]
    for match, one in some(found, len(found) // 5 + 1):
        yield replace(one, values=match.groupdict())


def check_steps(name: str, run: Trace) -> None:
    """All that the steps of a run say, each by its own check."""
    for text, one in steps_of(name, run):
        for quote, check in STEPS.items():
            if match := _pattern(quote).search(text):
                check(replace(one, values=match.groupdict()))
