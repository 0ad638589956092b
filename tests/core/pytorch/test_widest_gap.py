"""The difference to PyTorch that is shown is the widest of all arrays, and stands where it says."""

import numpy as np
import pytest

from core.program.trace import Trace
from core.pytorch.reference import largest_difference, multihead, torch_trace
from tests.core.support import random_run


def gaps(trace: Trace) -> list[float]:
    """How far apart each number of each array is from PyTorch's, by either of its ways."""
    judges = [torch_trace(trace), multihead(trace) or {}]
    finite = [
        np.abs(np.where(np.isfinite(trace[name]), 1.0 * trace[name] - theirs, 0.0))
        for judge in judges
        for name, theirs in judge.items()
    ]
    return [float(gap) for array in finite for gap in array.ravel()]


@pytest.mark.filterwarnings("ignore:invalid value")  # −∞ less −∞ is left out
@pytest.mark.parametrize("size", [1.0, 100.0, 1e4])
@pytest.mark.parametrize("seed", range(3))
def test_of_all_noise_the_widest_is_told(size: float, seed: int) -> None:
    trace = random_run(seed, T=9, d_model=8, d_k=4, d_v=4, size=size, scale=True)
    found = largest_difference(trace)
    assert found.equal
    assert found.largest == max(gaps(trace)) > 0
    assert abs(found.ours - found.theirs) == found.largest
