"""How much is drawn: a sample by `make test`, everything by `make test-deep` (DEEP=1)."""

import os
import re
from collections.abc import Sequence
from itertools import cycle, product
from math import ceil
from pathlib import Path
from typing import Any

from hypothesis import settings

ROOT = Path(__file__).parents[1]
DEEP = os.environ.get("DEEP", "") not in ("", "0")
"""Whether this is the long run."""
SEEDS = range(1000 if DEEP else 60)
"""Of these each question is drawn. The sample is long enough to meet each of a question's kinds."""
CASES = 500 if DEEP else 15
"""So many random cases a property is tried on, where it does not say."""
ROOMS = ("core", "stage")
"""The packages whose annotations are checked as the code runs."""

_NAMES_SHAPES = re.compile(r"^\s*(from|import) jaxtyping\b", re.MULTILINE)


def checked_modules() -> Sequence[str]:
    """All of them in the long run; else those that name shapes, which are checked cheaply.

    A check at every call, of whatever is annotated, makes explanations ten times slower; what a
    browser shows is of the same calls (UNCHECKED=1).
    """
    return ROOMS if DEEP and not os.environ.get("UNCHECKED") else naming_shapes(ROOT)


def examples(sample: int) -> settings:
    """For a property whose cases are dear: so many of them, ten times as many in the long run."""
    return settings(max_examples=10 * sample if DEEP else sample)


def some(cases: Sequence[Any], of: int, first: int = 0) -> Sequence[Any]:
    """One of so many of these cases, from that one on; all of them in the long run."""
    return cases if DEEP else cases[first::of]


def three(cases: Sequence[Any], first: int = 0) -> Sequence[Any]:
    """Three of these cases, evenly apart, from that one on; all of them in the long run."""
    return some(cases, ceil(len(cases) / 3), first)


def paired(cases: Sequence[Any], others: Sequence[Any]) -> Sequence[tuple[Any, Any]]:
    """Each case with each of the others in the long run; else with one of them, in turn."""
    return list(product(cases, others) if DEEP else zip(cases, cycle(others)))


def naming_shapes(root: Path) -> list[str]:
    """The modules below the rooms, at any depth, whose source imports jaxtyping."""
    files = sorted(path for room in ROOMS for path in (root / room).rglob("*.py"))
    return [
        ".".join(file.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
        for file in files
        if _NAMES_SHAPES.search(file.read_text(encoding="utf-8"))
    ]
