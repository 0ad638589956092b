"""What a cell's colour says, on the stage and in a matrix drawn small."""

import re
from base64 import b64decode

import numpy as np
import pytest

from stage.document.colour_levels import LEVELS, array_cells, levels_of, miniature
from stage.document.document import document
from stage.hosts.component import style_sheet
from tests.registry import REGISTRY
from tests.sampling import some


def test_violet_belongs_to_the_cells_of_weights_alone() -> None:
    violet = re.findall(r"([^{}]*){[^{}]*var\(--share\)[^{}]*}", style_sheet())
    cells = {name.strip() for rule in violet for name in rule.split(",")}
    assert cells
    assert all(re.fullmatch(r"\.w\d+", name) for name in cells), cells


@pytest.mark.parametrize("name", some(list(REGISTRY), 8))
def test_a_step_cell_by_cell_makes_no_colour_stronger_than_its_number(name: str) -> None:
    """A cell whose number does not grow has no stronger colour than where it came from."""
    trace = REGISTRY[name].run()
    for made, bound in trace.steps.items():
        source = bound.reads[0]
        cells = array_cells(trace, made), array_cells(trace, source)
        if bound.pattern.summed or trace[made].shape != trace[source].shape:
            continue
        if any(each.palette != "s" for each in cells):
            continue
        after, before = (np.abs(levels_of(each).ravel() - LEVELS) for each in cells)
        grown = np.abs(trace[made].ravel()) > np.abs(trace[source].ravel()) + 1e-12
        seen = np.isfinite(trace[made].ravel()) & np.isfinite(trace[source].ravel())
        hidden = [each for each in (trace.removed[made], trace.removed[source]) if each is not None]
        for each in hidden:
            seen &= ~each.ravel()
        assert (after <= before)[seen & ~grown].all(), (made, source)


@pytest.mark.parametrize("name", some(sorted(REGISTRY), 30))
def test_a_miniature_has_the_colours_of_the_stage(name: str) -> None:
    """Whatever the program."""
    trace = REGISTRY[name].run()
    last = trace.program.names[-1]
    arrays = document(trace, (last, (0,) * trace[last].ndim))["arrays"]
    for array in trace:
        shape = trace[array].shape
        wanted = np.frombuffer(b64decode(arrays[array]["levels"]), np.uint8).reshape(shape)
        for outer in np.ndindex(shape[:-2]):
            made = miniature(trace, array, outer)
            levels = np.frombuffer(b64decode(made["levels"]), np.uint8)
            drawn = levels.reshape(made["rows"], made["cols"])
            np.testing.assert_array_equal(drawn, np.atleast_2d(wanted[outer]))
            assert made["palette"] == arrays[array]["palette"]
