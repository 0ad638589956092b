"""Any program by PyTorch, step by step: the line of PyTorch of each of its operations, run.

The judge of every program, as `reference` is of attention as a whole; never the source of a number.
"""

import numpy as np

from core.program.trace import Trace


def torch_steps(trace: Trace) -> dict[str, np.ndarray]:
    """Every array of a run by PyTorch in float64, from the same inputs and pinned arrays."""
    import torch

    made = {name: torch.tensor(trace[name]) for name in trace if name not in trace.steps}
    for name, bound in trace.steps.items():
        made[name] = eval(bound.torch_code, {"torch": torch}, made)
    return {name: made[name].numpy() for name in trace}
