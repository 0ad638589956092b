"""PyTorch's own transformer layers with the weights of blocks of ours."""

import numpy as np
import torch

from core.attention.layers.block import PRE, BlockKind
from core.attention.layers.row_norms import EPSILON


def encoder_layer(kind: BlockKind, arrays: dict[str, np.ndarray], layer: int) -> torch.nn.Module:
    """PyTorch's layer with our weights; its biases of projections are 0."""
    d_model, units = arrays[f"W_up_{layer}"].shape
    made = torch.nn.TransformerEncoderLayer(
        d_model, len(arrays[f"W_Q_{layer}"]), units, dropout=0.0, activation=kind.unit,
        layer_norm_eps=EPSILON, batch_first=True, norm_first=kind.norm == PRE, dtype=torch.float64,
    )  # fmt: skip

    return _loaded(made, {
        **_attention("self_attn", arrays, str(layer)),
        **_net(arrays, str(layer)),
        **_norm("norm1", arrays, f"{layer}a"), **_norm("norm2", arrays, f"{layer}b"),
    })  # fmt: skip


def decoder_layer(arrays: dict[str, np.ndarray]) -> torch.nn.Module:
    """PyTorch's decoder layer with parts 2 and 3 of an encoder and decoder of ours."""
    d_model, units = arrays["W_up_2"].shape
    made = torch.nn.TransformerDecoderLayer(
        d_model, len(arrays["W_Q_2"]), units, dropout=0.0, activation="relu",
        layer_norm_eps=EPSILON, batch_first=True, dtype=torch.float64,
    )  # fmt: skip
    return _loaded(made, {
        **_attention("self_attn", arrays, "2"), **_attention("multihead_attn", arrays, "3"),
        **_net(arrays, "2"),
        **_norm("norm1", arrays, "2a"), **_norm("norm2", arrays, "3a"),
        **_norm("norm3", arrays, "2b"),
    })  # fmt: skip


def _attention(module: str, arrays: dict[str, np.ndarray], part: str) -> dict[str, np.ndarray]:
    def rows(name: str) -> np.ndarray:
        """Our heads' columns, one below the other, as PyTorch keeps them."""
        array = arrays[f"{name}_{part}"]
        return array.swapaxes(1, 2).reshape(-1, array.shape[1]) if array.ndim == 3 else array.T

    return {
        f"{module}.in_proj_weight": np.concatenate([rows(f"W_{name}") for name in "QKV"]),
        f"{module}.out_proj.weight": rows("W_O"),
    }


def _net(arrays: dict[str, np.ndarray], part: str) -> dict[str, np.ndarray]:
    return {
        "linear1.weight": arrays[f"W_up_{part}"].T,
        "linear2.weight": arrays[f"W_down_{part}"].T,
    }


def _norm(module: str, arrays: dict[str, np.ndarray], norm: str) -> dict[str, np.ndarray]:
    return {f"{module}.weight": arrays[f"g_{norm}"], f"{module}.bias": arrays[f"b_{norm}"]}


def _loaded(made: torch.nn.Module, weights: dict[str, np.ndarray]) -> torch.nn.Module:
    """All else, the biases of projections, is 0."""
    zeros = {name: np.zeros(tuple(p.shape)) for name, p in made.named_parameters()}
    assert weights.keys() <= zeros.keys()
    state = {name: torch.from_numpy(np.array(a)) for name, a in (zeros | weights).items()}
    made.load_state_dict(state)
    return made.eval()
