"""What holds for every program: sources, uses, arithmetic and scripts, checked on one run."""

import json
import subprocess
import sys
from collections.abc import Mapping

import numpy as np

from core.operations.softmax import softmax
from core.program.patterns import Cell
from core.program.program import Program
from core.program.running import run_program
from core.program.script import notebook, script
from core.program.trace import Trace


def real_inputs(
    program: Program, sizes: Mapping[str, int], seed: int = 17, spread: float = 0.9
) -> dict[str, np.ndarray]:
    """Real-valued inputs, so that nothing is equal by chance; `sizes` gives each letter's."""
    draw = np.random.default_rng(seed)
    known = {**sizes, **program.sizes}
    shapes = {i.name: tuple(known[a] for a in i.axes.split()) for i in program.inputs}
    return {name: spread * draw.normal(size=shape) for name, shape in shapes.items()}


def origins(trace: Trace, array: str, cell: Cell) -> dict[str, set[Cell]]:
    """`sources` followed all the way back to the inputs."""
    found: dict[str, set[Cell]] = {name: set() for name in trace}
    waiting = [(array, cell)]
    while waiting:
        for name, cells in trace.sources(*waiting.pop()).items():
            new = set(cells) - found[name]
            found[name] |= new
            waiting += [(name, at) for at in new]
    return found


def moved_by(
    trace: Trace, array: str, inputs: tuple[str, ...]
) -> dict[str, dict[Cell, np.ndarray]]:
    """For each cell of each input, which cells of `array` a finite change of it moves."""
    moved: dict[str, dict[Cell, np.ndarray]] = {}
    for name in inputs:
        moved[name] = {}
        for cell in np.ndindex(trace[name].shape):
            changed = {n: np.array(trace[n]) for n in (i.name for i in trace.program.inputs)}
            changed[name][cell] += 0.37
            moved[name][cell] = run_program(trace.program, changed)[array] != trace[array]
    return moved


def check_moved(trace: Trace, *arrays: str) -> None:
    """Sources followed back are exactly what a finite change of any input moves.

    A lone visible key has weight 1 whatever its score: there the score is listed, and nothing
    moves.
    """
    inputs = tuple(i.name for i in trace.program.inputs if trace[i.name].dtype != bool)
    for array in arrays or tuple(trace.steps):
        moved = moved_by(trace, array, inputs)
        for cell in np.ndindex(trace[array].shape):
            found = origins(trace, array, cell)
            for name in inputs:
                change = {at for at, hit in moved[name].items() if hit[cell]}
                if change != found[name]:
                    assert change < found[name], (array, cell, name, change, found[name])
                    assert _has_a_lone_weight(trace, array, cell), (array, cell, name)


def _has_a_lone_weight(trace: Trace, array: str, cell: Cell) -> bool:
    behind = {**origins(trace, array, cell), array: {cell}}
    return any(
        isinstance(trace.steps[name].operation, softmax) and len(trace.live_terms(name, at)) == 1
        for name, cells in behind.items()
        if name in trace.steps
        for at in cells
    )


def check_inverse(trace: Trace) -> None:
    """`uses` is the exact inverse of `sources`."""
    forward: dict[tuple[str, Cell], set[tuple[str, Cell]]] = {}
    for array in trace:
        for cell in np.ndindex(trace[array].shape):
            for name, cells in trace.sources(array, cell).items():
                assert cells == sorted(set(cells))
                for at in cells:
                    forward.setdefault((name, at), set()).add((array, cell))
    for array in trace:
        for cell in np.ndindex(trace[array].shape):
            uses = {(n, at) for n, cells in trace.uses(array, cell).items() for at in cells}
            assert uses == forward.get((array, cell), set()), (array, cell)


ONE_BY_ONE = """
import json, sys

ends = []
for source in json.load(sys.stdin):
    try:
        exec(source, {"__name__": "__main__"})
        ends.append("ran")
    except Exception as error:
        ends.append(type(error).__name__)
print(ends)
"""
"""Runs sources, each on its own, in a process that has nothing of ours."""


def check_export(trace: Trace) -> None:
    """The script and the notebook run alone, and fail when an input is another."""
    code = script(trace)
    cells = [c for c in json.loads(notebook(trace))["cells"] if c["cell_type"] == "code"]
    name = trace.program.inputs[0].name
    assert code.count(f"\n{name} = ") == 1
    broken = code.replace(f"\n{name} = ", f"\n{name} = 1.01 * ")
    sources = [code, "\n".join("".join(cell["source"]) for cell in cells), broken]
    command = [sys.executable, "-I", "-W", "error", "-c", ONE_BY_ONE]
    done = subprocess.run(
        command, input=json.dumps(sources), capture_output=True, text=True, check=False, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] == "['ran', 'ran', 'AssertionError']"
