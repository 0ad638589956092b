"""A matrix drawn small has the colours that the stage draws it in, whatever the program."""

from base64 import b64decode

import numpy as np
import pytest

from stage.colour_levels import miniature
from stage.document import document
from tests.registry import REGISTRY
from tests.sampling import some

NAMES = some(sorted(REGISTRY), 30)


@pytest.mark.parametrize("name", NAMES)
def test_a_miniature_has_the_colours_of_the_stage(name: str) -> None:
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
