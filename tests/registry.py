"""Every program of the product, with real numbers to run it on: what `test_registry.py` checks.

Attention and each chapter declare their own; here are their numbers, drawn, so that nothing is
equal by chance. A page whose program is not declared, or an operation that no program uses, turns a
test red.
"""

import re
from collections.abc import Mapping

import numpy as np

from core.attention.programs import PROGRAMS
from core.models.programs import PROGRAMS as MODEL_PROGRAMS
from core.path import PATH
from core.program.families import Family
from core.program.steps import Listing, Phase
from core.program.trace import Trace
from core.sample import USUAL_SIZES, Sample
from tests.core.properties import real_inputs
from tests.programs import linear_attention, nested_block, stacked_layers


class Entry(Sample):
    """A sample with drawn numbers to run it on."""

    def inputs(self, size: float = 0.9) -> dict[str, np.ndarray]:
        heads = self.program.sizes.get("h", 1)
        sizes = {**USUAL_SIZES, "c": heads * USUAL_SIZES["v"], **self.sizes}
        arrays = real_inputs(self.program, sizes, spread=size)
        arrays |= {name: np.abs(arrays[name]) for name in self.positive}
        for given in self.program.inputs:
            if given.boolean:
                shape = arrays[given.name].shape
                own = np.tri(shape[-1], dtype=bool)
                masks = [padded(len(own)) if self.blind else own, own]  # of the first two heads
                arrays[given.name] = np.array(masks[: shape[0]]) if len(shape) > 2 else masks[0]
        return arrays

    def run(self, size: float = 0.9) -> Trace:
        return self.program.run(self.inputs(min(size, self.largest)))


def padded(T: int) -> np.ndarray:
    """Causal, and the first token is hidden from all: its own row sees nothing."""
    mask = np.tri(T, dtype=bool)
    mask[:, 0] = False
    return mask


TO_COME = {
    "a running state": Sample(linear_attention()),
    "a running state, later rows": Sample(linear_attention(2), {"j": 5}),
    "layers of heads": Sample(stacked_layers()),
    "a block that opens": Sample(nested_block()),
}
"""Programs of tests only, of kinds that no page shows yet."""
DECLARED = [
    *PROGRAMS.items(),
    *MODEL_PROGRAMS.items(),
    *(sample for chapter in PATH.values() for sample in chapter.programs.items()),
    *TO_COME.items(),
]
REGISTRY: Mapping[str, Entry] = {name: Entry(**vars(sample)) for name, sample in DECLARED}
FAMILIES: Mapping[str, Family] = {
    name: family for chapter in PATH.values() for name, family in chapter.families.items()
}
"""What the pages' toggles lead to."""


def signature(program: Listing) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    """What a program does, whatever its numbers: its steps, their operations and operands."""
    return tuple((s.name, type(s.operation).__name__, s.operands) for s in program.steps)


SIGNATURES = {signature(entry.program) for entry in REGISTRY.values()}


def look_of(stop: Phase, program: Listing) -> tuple[object, ...]:
    """What decides how a stop is laid out: its arrays, without the number of a layer, and axes."""
    names = [re.sub(r"_\d+\w?$", "", name) for name in stop.names]
    return (*names, *(program.letters[name] for name in stop.names))


def different_stops(program: Listing) -> list[Phase]:
    """The stops of a program that no other one of it looks like."""
    stops = [inner for phase in program.phases for inner in phase.innermost()]
    return list({look_of(stop, program): stop for stop in reversed(stops)}.values())[::-1]


def looks() -> list[str]:
    """The entries whose stages are laid out in different ways: one of all blocks of one kind."""
    found: dict[object, str] = {}
    for name, entry in REGISTRY.items():
        program = entry.program
        stops = frozenset(look_of(stop, program) for stop in different_stops(program))
        found.setdefault((stops, frozenset(program.sizes.items())), name)
    return list(found.values())
