"""What holds for every program: sources, uses, arithmetic and scripts, checked on one run."""

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache

import numpy as np

from core import Program, Trace
from core.operations.activations import relu, sign
from core.operations.merging import row_max
from core.operations.softmax import softmax
from core.program.code.script import notebook, numpy_script
from core.program.patterns import Cell
from core.program.running import run_program
from tests.alone import RunAlone


def real_inputs(
    program: Program, sizes: Mapping[str, int], seed: int = 17, spread: float = 0.9
) -> dict[str, np.ndarray]:
    """Real-valued inputs, so that nothing is equal by chance; `sizes` gives each letter's."""
    draw = np.random.default_rng(seed)
    known = {**sizes, **program.sizes}
    shapes = {i.name: tuple(known[a] for a in i.axes.split()) for i in program.inputs}
    return {name: spread * draw.normal(size=shape) for name, shape in shapes.items()}


Follow = Callable[[str, Cell], dict[str, list[Cell]]]
Cells = dict[str, set[Cell]]


def origins(trace: Trace, array: str, cell: Cell, sources: Follow | None = None) -> Cells:
    """`sources` followed all the way back to the inputs; who asks often gives them cached."""
    follow = sources or trace.sources
    found: Cells = {name: set() for name in trace}
    waiting = [(array, cell)]
    while waiting:
        for name, cells in follow(*waiting.pop()).items():
            new = set(cells) - found[name]
            found[name] |= new
            waiting += [(name, at) for at in new]
    return found


def moved_by(trace: Trace, inputs: tuple[str, ...]) -> Iterator[tuple[str, Cell, Trace]]:
    """Each cell of these inputs, and the run in which it alone is another number."""
    given = {i.name: trace[i.name] for i in trace.program.inputs}
    for name in inputs:
        for cell in np.ndindex(trace[name].shape):
            changed = np.array(trace[name])
            changed[cell] += 0.37
            yield name, cell, run_program(trace.program, {**given, name: changed})


def check_moved(trace: Trace, *arrays: str) -> None:
    """Sources followed back are exactly what a finite change of any input moves.

    A lone visible key has weight 1 whatever its score, a unit that ReLU holds at 0 says the same
    whatever comes, and a sign is the same for many numbers: there the source is listed, and
    nothing moves.
    """
    inputs = tuple(i.name for i in trace.program.inputs if trace[i.name].dtype != bool)
    moved: dict[tuple[str, Cell], Cells] = {
        (array, cell): {name: set() for name in inputs}
        for array in arrays or tuple(trace.steps)
        for cell in np.ndindex(trace[array].shape)
    }
    for name, at, other in moved_by(trace, inputs):
        for array in arrays or tuple(trace.steps):
            for hit in np.argwhere(other[array] != trace[array]).tolist():
                moved[array, tuple(hit)][name].add(at)
    sources = cache(trace.sources)
    for (array, cell), changes in moved.items():
        found = origins(trace, array, cell, sources)
        for name, change in changes.items():
            if change != found[name]:
                assert change < found[name], (array, cell, name, change, found[name])
                assert _stands_still(trace, array, cell), (array, cell, name)


def _stands_still(trace: Trace, array: str, cell: Cell) -> bool:
    """Whether something behind a cell does not move with its sources."""
    behind = {**origins(trace, array, cell), array: {cell}}

    def still(name: str, at: Cell) -> bool:
        operation = trace.steps[name].operation
        if isinstance(operation, relu):
            return not trace[name][at]
        if isinstance(operation, sign):
            return True
        return isinstance(operation, softmax | row_max) and len(trace.live_terms(name, at)) == 1

    return any(still(n, at) for n, cells in behind.items() if n in trace.steps for at in cells)


def every_cell(trace: Trace) -> Iterator[tuple[str, Cell]]:
    for array, values in trace.items():
        for cell in np.ndindex(values.shape):
            yield array, cell


def users(trace: Trace) -> dict[tuple[str, Cell], set[tuple[str, Cell]]]:
    """For every cell the cells that name it among their sources."""
    found: dict[tuple[str, Cell], set[tuple[str, Cell]]] = {}
    for array, cell in every_cell(trace):
        for name, cells in trace.sources(array, cell).items():
            assert cells == sorted(set(cells))
            for at in cells:
                found.setdefault((name, at), set()).add((array, cell))
    return found


def check_inverse(trace: Trace) -> None:
    """`uses` is the exact inverse of `sources`."""
    named = users(trace)
    for array, cell in every_cell(trace):
        uses = {(n, at) for n, cells in trace.uses(array, cell).items() for at in cells}
        assert uses == named.get((array, cell), set()), (array, cell)


def check_export(trace: Trace, run_alone: RunAlone) -> None:
    """The script and the notebook run alone, and fail when an input is another."""
    code = numpy_script(trace)
    cells = [c for c in json.loads(notebook(trace))["cells"] if c["cell_type"] == "code"]
    name = trace.program.inputs[0].name
    assert code.count(f"\n{name} = ") == 1
    broken = code.replace(f"\n{name} = ", f"\n{name} = 1.01 * ")
    sources = [code, "\n".join("".join(cell["source"]) for cell in cells), broken]
    assert run_alone(sources) == (["ran", "ran", "AssertionError"], "")
