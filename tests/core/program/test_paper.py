"""What a mask's cell says is told by those numbers that it takes out, and by no others."""

from typing import Any

import numpy as np
from hypothesis import given

from core.program.paper import mask_told
from core.program.running import run_program
from core.program.trace import Trace
from tests.core.support import cases, random_run
from tests.sampling import examples


def is_gone(trace: Trace, array: str) -> np.ndarray:
    gone = trace.removed[array]
    return np.zeros(trace[array].shape, bool) if gone is None else gone


@given(cases(longest=4, widest=3))
@examples(10)
def test_a_number_tells_that_cell_of_a_mask_which_takes_it_out(case: dict[str, Any]) -> None:
    trace = random_run(**case)
    inputs = {i.name: trace[i.name] for i in trace.program.inputs}
    numbers = [array for array in trace if trace[array].dtype != bool]
    for at in np.ndindex(trace["mask"].shape):
        mask = trace["mask"].copy()
        mask[at] = not mask[at]
        pinned = {"mask": mask} if "mask" in trace.steps else {}
        turned = run_program(trace.program, inputs | ({} if pinned else {"mask": mask}), pinned)
        for array in numbers:
            moved = is_gone(trace, array) != is_gone(turned, array)
            cells = np.ndindex(moved.shape)
            told = [mask_told(trace, array, cell) == ("mask", at) for cell in cells]
            np.testing.assert_array_equal(moved.ravel(), told)
