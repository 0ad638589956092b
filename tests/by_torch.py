"""Runs by PyTorch, to compare ours with: any program step by step, and attention written anew.

Neither is what the product compares with (`core.pytorch.reference`).
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from core.operations.norms import divide_by_spread
from core.operations.rotary import rotate_pairs
from core.operations.scores import multiply_by
from core.program.trace import Trace


def torch_steps(trace: Trace) -> dict[str, np.ndarray]:
    """Every array of a run by PyTorch in float64: each operation's line of PyTorch, run."""
    made = {name: torch.tensor(trace[name]) for name in trace if name not in trace.steps}
    for name, bound in trace.steps.items():
        made[name] = eval(bound.torch_code, {"torch": torch}, made)
    return {name: made[name].numpy() for name in trace}


def attention_by_torch(trace: Trace) -> dict[str, np.ndarray]:
    """Every array of the attention program, or of one that begins at Q, K and V.

    No line of an operation is used: features are turned as complex numbers, for example.
    """
    made = {n: torch.tensor(trace[n]) for n in trace if n not in trace.steps}

    def step(name: str, value: Tensor) -> Tensor:
        return made.setdefault(name, value)

    if "masked" in trace:
        _attend(trace, made, step)
    elif "V" in made:
        step("context", made["weights"] @ _for_each_head(made["V"], made["weights"]))
    if "W_O" in made:
        concat = step("concat", made["context"].transpose(0, 1).flatten(1))
        output = concat @ made["W_O"]
        step("output", output + made["b_O"] if "b_O" in made else output)
    return {name: made[name].numpy() for name in trace}


def _attend(trace: Trace, made: Mapping[str, Any], step: Callable[[str, Any], Any]) -> None:
    """Make the steps from Q, K and V to the context, as far as they are not given."""
    Q, K, V = (made[n] if n in made else step(n, _projected(made, n)) for n in "QKV")
    if "Q_norm" in trace:
        Q, K = (_normed(trace, made, name, step) for name in "QK")
    if "Q_rot" in trace:
        step("angles", made["places"] @ made["frequency"])
        step("cosines", torch.cos(made["angles"]))
        step("sines", torch.sin(made["angles"]))
        Q, K = (step(f"{name}_rot", _turned(trace, made, name)) for name in "QK")
    scores = step("scores", Q @ _for_each_head(K, Q).transpose(-1, -2))
    scaling = trace.program.step["scaled"].operation
    factor = scaling.factor if isinstance(scaling, multiply_by) else 1 / math.sqrt(K.shape[-1])
    scaled = step("scaled", scores * factor)
    biased = step("biased", scaled + made["bias"]) if "bias" in made else scaled
    mask = step("mask", torch.tensor(trace["mask"]))
    masked = step("masked", biased.masked_fill(~mask, float("-inf")))
    empty = ~mask.any(dim=-1, keepdim=True)
    weights = step("weights", torch.softmax(masked, dim=-1).masked_fill(empty, 0.0))
    step("context", weights @ _for_each_head(V, weights))


def _for_each_head(shared: Any, of_heads: Any) -> Any:
    """Keys or values that heads share, once for each head."""
    return shared.repeat_interleave(of_heads.shape[0] // shared.shape[0], 0)


def _normed(
    trace: Trace, made: Mapping[str, Any], name: str, step: Callable[[str, Any], Any]
) -> Any:
    """The RMSNorm of each head's queries or keys, with its gain."""
    divided = trace.program.step[f"normed_{name}"].operation
    assert isinstance(divided, divide_by_spread)
    square = step(f"mean_square_{name}", made[name].pow(2).mean(-1, keepdim=True))
    normed = step(f"normed_{name}", made[name] * torch.rsqrt(square + divided.epsilon))
    return step(f"{name}_norm", normed * made[f"g_{name}"])


def _turned(trace: Trace, made: Mapping[str, Any], name: str) -> Any:
    """Each pair of features as a complex number times e to i × its angle (RoPE)."""
    step = trace.program.step[f"{name}_rot"]
    rotation, rows = step.operation, made[step.operands[0]]
    assert isinstance(rotation, rotate_pairs)
    width = rows.shape[-1]
    first = torch.arange(width).reshape((2, -1) if rotation.halves else (-1, 2))
    real, imaginary = first if rotation.halves else first.T
    pairs = torch.complex(rows[..., real], rows[..., imaginary])
    turned = pairs * torch.exp(1j * made["places"] * made["frequency"][:, imaginary])
    found = torch.empty_like(rows)
    found[..., real], found[..., imaginary] = turned.real, turned.imag
    return found


def _projected(made: Mapping[str, Any], name: str) -> Any:
    """X W, plus a bias if there is one."""
    product, bias = made["X"] @ made[f"W_{name}"], made.get(f"b_{name}")
    return product if bias is None else product + bias[:, None]
