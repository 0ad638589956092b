"""The core: a large trace against PyTorch computing the same list of arrays."""

import numpy as np
import torch

from benchmarks.timing import Row, alternating, clocked
from core import attention_program

T, D_MODEL, HEADS = 512, 64, 8
WIDTH = D_MODEL // HEADS


def rows(quick: bool) -> list[Row]:
    draw = np.random.default_rng(0)
    shapes = {
        "X": (T, D_MODEL),
        **{f"W_{n}": (HEADS, D_MODEL, WIDTH) for n in "QKV"},
        "W_O": (D_MODEL, D_MODEL),
    }
    inputs = {name: draw.normal(size=shape) for name, shape in shapes.items()}
    tensors = {name: torch.tensor(array) for name, array in inputs.items()}
    program = attention_program(heads=HEADS)
    found = alternating(
        {"ours": clocked(lambda: program.run(inputs)), "torch": clocked(lambda: _torch(tensors))},
        rounds=5 if quick else 20,
    )
    return [
        Row(
            f"core: trace of T={T}, d_model={D_MODEL}, H={HEADS}", found["ours"],
            f"PyTorch, {torch.get_num_threads()} threads,", found["torch"],
            "≤ 1×", found["ours"] <= found["torch"],
        )
    ]  # fmt: skip


def _torch(given: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Every array of the trace, kept, as ours are."""
    made = dict(given)
    for name in "QKV":
        made[name] = given["X"] @ given[f"W_{name}"]
    made["scores"] = made["Q"] @ made["K"].transpose(-1, -2)
    made["scaled"] = made["scores"] / WIDTH**0.5
    made["mask"] = torch.ones(T, T, dtype=torch.bool).tril()
    made["masked"] = made["scaled"].masked_fill(~made["mask"], float("-inf"))
    made["weights"] = made["masked"].softmax(-1)
    made["context"] = made["weights"] @ made["V"]
    made["concat"] = made["context"].transpose(0, 1).flatten(1)
    made["output"] = made["concat"] @ given["W_O"]
    return made
