"""Samples: the programs that the product shows, each with what to run it on to try it out."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.program.program import Program

USUAL_SIZES: Mapping[str, int] = {"i": 3, "j": 3, "m": 4, "k": 2, "v": 2, "o": 1, "p": 3, "l": 2}
"""How many indices a letter has in a sample: few enough to try every cell."""
SMALL_SIZES: Mapping[str, int] = {"i": 2, "j": 2, "m": 2, "k": 1, "v": 1, "c": 1}
"""The same of a program of many cells."""


@dataclass(frozen=True, eq=False)
class Sample:
    """A program, and what is true of it on drawn numbers.

    `sizes` are those of letters that differ from `USUAL_SIZES`; letters that a program fixes keep
    its own. Where some arrays hardly depend on their sources (a maximum, a unit that is off, a
    score beside a much larger one), `moves` names those that every source moves; none: all arrays
    do. Inputs in `positive` are not below 0. Inputs are at most `largest`, where e to a larger one
    is beyond float64. Under a given mask that is `blind`, the first row sees nothing.
    """

    program: Program
    sizes: Mapping[str, int] = field(default_factory=dict)
    moves: tuple[str, ...] = ()
    positive: tuple[str, ...] = ()
    largest: float = 1e3
    blind: bool = False
