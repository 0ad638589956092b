"""Layers of PyTorch saved as people save them, read back, and run: the library's own numbers."""

from typing import Any

import pytest
import torch
from safetensors.torch import save
from torch import nn

from core.attention.given.head_counts import possible_heads
from core.attention.given.model_names import by_our_names
from core.files.uploads import read_matrix_file
from core.pytorch import torch_files
from tests import attention_modules
from tests.attention_modules import Conv1D, E, H, LikeGPT2, Projections, T, heads_of, run_attention
from tests.core.pytorch.test_torch_files import saved

WANTED = ("X", "W_Q", "W_K", "W_V", "W_O", "mask")
LLAMA, BERT = "q_proj k_proj v_proj o_proj", "query key value output.dense"


class MultiHead(nn.Module):
    """PyTorch's own layer, with what it computes on the way."""

    def __init__(self) -> None:
        super().__init__()
        self.self_attn = nn.MultiheadAttention(E, H)
        for parameter in self.parameters():
            nn.init.normal_(parameter)

    def forward(self, X: torch.Tensor) -> tuple[torch.Tensor, ...]:
        layer = self.self_attn
        joined = nn.functional.linear(X, layer.in_proj_weight, layer.in_proj_bias)
        parts = (heads_of(part, H) for part in joined.chunk(3, dim=-1))
        return *parts, layer(X, X, X, attn_mask=torch.ones(T, T).triu(1).bool())[0]


@pytest.fixture(params=[".pt", ".pth", ".safetensors"])
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A kind of file; PyTorch's is read here, as `test_torch_files` tries the process itself."""
    monkeypatch.setattr(torch_files, "_converted_apart", torch_files.converted)
    return str(request.param)


@pytest.mark.parametrize(
    ("module", "G"),
    [
        (MultiHead(), H), (LikeGPT2(Conv1D), H), (LikeGPT2(nn.Linear), H),
        (Projections(LLAMA, H, H, biases=False), H), (Projections(LLAMA, H, 1, biases=True), 1),
        (Projections(BERT, H, H, biases=True), H),
    ],
    ids=["MultiheadAttention", "GPT-2", "nanoGPT", "Llama", "Qwen", "BERT"],
)  # fmt: skip
def test_a_saved_layer_gives_the_numbers_of_the_library(module: Any, G: int, kind: str) -> None:
    module = module.double()
    X = torch.randn(T, E, dtype=torch.float64)
    if isinstance(module, Projections):
        state = {n: torch.tensor(a) for n, a in module.arrays("model.layers.0.attn.").items()}
    else:
        state = {f"model.layers.0.{name}": t for name, t in module.state_dict().items()}
    state["model.embed_tokens.weight"] = torch.ones(300, E)
    whole = {name: tensor.contiguous() for name, tensor in state.items()}
    data = save(whole) if kind == ".safetensors" else saved(state)
    found = by_our_names(read_matrix_file(f"model{kind}", data, WANTED))
    trace = run_attention(X, found, H, G)
    for name, theirs in zip(("Q", "K", "V", "output"), module(X), strict=True):
        attention_modules.assert_equal(trace[name], theirs)
    assert (H, G) in possible_heads({name: array.shape for name, array in found.items()})
