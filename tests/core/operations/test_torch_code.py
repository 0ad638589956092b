"""PyTorch's line of a step computes what the step computed."""

import numpy as np
import pytest
import torch

from tests.registry import REGISTRY
from tests.sampling import DEEP

WITH_EACH = {
    type(step.operation): name for name in REGISTRY for step in REGISTRY[name].program.steps
}
"""A program with each operation."""


@pytest.mark.parametrize("name", REGISTRY if DEEP else sorted({*WITH_EACH.values()}))
def test_each_line_of_pytorch_gives_the_numbers_of_its_step(name: str) -> None:
    trace = REGISTRY[name].run()
    given = {array: torch.tensor(values) for array, values in trace.items()}
    for array, step in trace.steps.items():
        made = eval(step.torch_code, {"torch": torch, "F": torch.nn.functional, **given})
        np.testing.assert_allclose(made, trace[array], rtol=1e-10, atol=1e-10, err_msg=array)
