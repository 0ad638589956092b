"""Layers of PyTorch saved as people save them, read back, and run: the library's own numbers."""

import io
from typing import Any

import pytest
import torch
from safetensors.torch import save
from torch import nn

from core.attention.head_counts import possible_heads
from core.attention.model_names import by_our_names
from core.files import torch_files
from core.files.uploads import read_matrix_file
from core.pytorch import state_dict
from tests import attention_modules

WANTED = ("X", "W_Q", "W_K", "W_V", "W_O", "mask")
LLAMA, BERT = "q_proj k_proj v_proj o_proj", "query key value output.dense"


class MultiHead(nn.Module):
    """PyTorch's own layer, with what it computes on the way."""

    def __init__(self) -> None:
        super().__init__()
        self.self_attn = nn.MultiheadAttention(attention_modules.E, attention_modules.H)
        for parameter in self.parameters():
            nn.init.normal_(parameter)

    def forward(self, X: torch.Tensor) -> tuple[torch.Tensor, ...]:
        layer = self.self_attn
        joined = nn.functional.linear(X, layer.in_proj_weight, layer.in_proj_bias)
        parts = (
            attention_modules.heads_of(part, attention_modules.H)
            for part in joined.chunk(3, dim=-1)
        )
        return *parts, layer(
            X, X, X, attn_mask=torch.ones(attention_modules.T, attention_modules.T).triu(1).bool()
        )[0]


def saved_by_torch(state: dict[str, torch.Tensor]) -> bytes:
    stream = io.BytesIO()
    torch.save(state, stream)
    return stream.getvalue()


def saved_by_safetensors(state: dict[str, torch.Tensor]) -> bytes:
    return save({name: tensor.contiguous() for name, tensor in state.items()})


@pytest.fixture(params=[".pt", ".pth", ".safetensors"])
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A kind of file; PyTorch's is read here, as `test_torch_files` tries the process itself."""
    monkeypatch.setattr(torch_files, "_converted", state_dict.converted)
    return str(request.param)


@pytest.mark.parametrize(
    ("module", "G"),
    [
        (MultiHead(), attention_modules.H), (attention_modules.LikeGPT2(attention_modules.Conv1D), attention_modules.H), (attention_modules.LikeGPT2(nn.Linear), attention_modules.H),
        (attention_modules.Projections(LLAMA, attention_modules.H, attention_modules.H, biases=False), attention_modules.H), (attention_modules.Projections(LLAMA, attention_modules.H, 1, biases=True), 1),
        (attention_modules.Projections(BERT, attention_modules.H, attention_modules.H, biases=True), attention_modules.H),
    ],
    ids=["MultiheadAttention", "GPT-2", "nanoGPT", "Llama", "Qwen", "BERT"],
)  # fmt: skip
def test_a_saved_layer_gives_the_numbers_of_the_library(module: Any, G: int, kind: str) -> None:
    module = module.double()
    X = torch.randn(attention_modules.T, attention_modules.E, dtype=torch.float64)
    if isinstance(module, attention_modules.Projections):
        state = {n: torch.tensor(a) for n, a in module.arrays("model.layers.0.attn.").items()}
    else:
        state = {f"model.layers.0.{name}": t for name, t in module.state_dict().items()}
    state["model.embed_tokens.weight"] = torch.ones(300, attention_modules.E)
    save_state = saved_by_safetensors if kind == ".safetensors" else saved_by_torch
    read = read_matrix_file(f"model{kind}", save_state(state), WANTED)
    found = by_our_names(read)
    trace = attention_modules.run_attention(X, found, attention_modules.H, G)
    for name, theirs in zip(("Q", "K", "V", "output"), module(X), strict=True):
        attention_modules.assert_equal(trace[name], theirs)
    assert (attention_modules.H, G) in possible_heads(
        {name: array.shape for name, array in found.items()}
    )
