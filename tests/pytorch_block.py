"""PyTorch's own transformer layer with the weights of a block of ours."""

import numpy as np
import torch

from core.attention.block import PRE, Kind
from core.attention.sublayers import EPSILON


def encoder_layer(kind: Kind, arrays: dict[str, np.ndarray], layer: int) -> torch.nn.Module:
    """PyTorch's layer with our weights; its biases of projections are 0."""
    d_model, units = arrays[f"W_up_{layer}"].shape
    made = torch.nn.TransformerEncoderLayer(
        d_model, len(arrays[f"W_Q_{layer}"]), units, dropout=0.0, activation=kind.unit,
        layer_norm_eps=EPSILON, batch_first=True, norm_first=kind.norm == PRE, dtype=torch.float64,
    )  # fmt: skip

    def rows(name: str) -> np.ndarray:
        """Our heads' columns, one below the other, as PyTorch keeps them."""
        array = arrays[f"{name}_{layer}"]
        return array.swapaxes(1, 2).reshape(-1, d_model) if array.ndim == 3 else array.T

    weights = {
        "self_attn.in_proj_weight": np.concatenate([rows(f"W_{name}") for name in "QKV"]),
        "self_attn.out_proj.weight": rows("W_O"),
        "linear1.weight": rows("W_up"), "linear2.weight": rows("W_down"),
        "norm1.weight": arrays[f"g_{layer}a"], "norm1.bias": arrays[f"b_{layer}a"],
        "norm2.weight": arrays[f"g_{layer}b"], "norm2.bias": arrays[f"b_{layer}b"],
    }  # fmt: skip
    zeros = {name: np.zeros(tuple(p.shape)) for name, p in made.named_parameters()}
    state = {name: torch.from_numpy(np.array(a)) for name, a in (zeros | weights).items()}
    made.load_state_dict(state)
    return made.eval()
