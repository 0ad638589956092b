"""Capturing changes nothing of what a model computes, and records what PyTorch computed."""

import re
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.functional import scaled_dot_product_attention as imported_by_name

from core.errors import InputError
from core.models import Recording, capture
from core.pytorch.recorded_call import RecordedCall
from tests.sampling import ROOT, paired

B, T, S, E, H, G = 3, 5, 7, 12, 4, 2
D = E // H
ITEM = 1
Made = tuple[nn.Module, Callable[[], Any]]


@pytest.fixture(autouse=True)
def seeded() -> Iterator[None]:
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*nested tensors is in prototype")
        yield


def drawn(*shape: int) -> Tensor:
    return torch.randn(*shape, dtype=torch.float64)


def close(ours: np.ndarray, theirs: Tensor | np.ndarray, atol: float = 1e-12) -> None:
    theirs = theirs.detach().numpy() if isinstance(theirs, Tensor) else theirs
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=atol)


def by_pytorch(call: RecordedCall) -> tuple[np.ndarray, np.ndarray]:
    """Weights and contexts of a call; weights are what PyTorch mixes of rows with one 1 each."""
    Q, K, V = (torch.tensor(call[name].astype(float)) for name in "QKV")
    visible = torch.ones(call.n_queries, call.n_keys, dtype=torch.bool).tril()
    added = torch.where(visible, 0.0, -torch.inf).double() if call.causal else visible * 0.0
    if "mask" in call.shapes:
        mask = torch.tensor(call["mask"])
        added = added + (torch.where(mask, 0.0, -torch.inf) if mask.dtype == torch.bool else mask)
    weights, context = (
        imported_by_name(Q, K, values, attn_mask=added.double(), scale=call.scale, enable_gqa=True)
        for values in (torch.eye(call.n_keys, dtype=torch.float64).expand(*K.shape[:-1], -1), V)
    )
    return weights.numpy(), context.numpy()


def check_call(call: RecordedCall, atol: float = 1e-12) -> None:
    """The arrays of a call are attention of its Q, K and V; so is a trace of each head."""
    weights, context = by_pytorch(call)
    close(call["weights"], weights, atol)
    close(call["context"], context, atol)
    for head in range(call.n_heads):
        trace = Recording([call]).trace(0, head)
        assert trace.program.names[0] == "Q"
        close(trace["weights"][0], call["weights"][head], atol)
        close(trace["context"][0], call["context"][head], atol)


def attend(x: Tensor) -> Tensor:
    return imported_by_name(x, x, x)


def captured(run: Callable[[], Any], item: int = ITEM) -> tuple[RecordedCall, Any]:
    with capture(item=item) as recorded:
        result = run()
    assert not recorded.notes
    (call,) = recorded.calls
    return call, result


MULTIHEAD: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "averaged": ({}, {}),
    "by head": ({}, {"average_attn_weights": False}),
    "no weights": ({}, {"need_weights": False}),
    "no biases": ({"bias": False}, {}),
    "batch first": ({"batch_first": True}, {"average_attn_weights": False}),
    "other widths": ({"kdim": 5, "vdim": 9}, {}),
    "more keys": ({"add_bias_kv": True, "add_zero_attn": True}, {"average_attn_weights": False}),
    "more keys, no weights": ({"add_zero_attn": True}, {"need_weights": False}),
}
HIDDEN = torch.rand(T, S, generator=torch.Generator().manual_seed(1)) > 0.6
PADDED = torch.arange(S)[None] >= torch.tensor([[S], [4], [3]])
ADDED = torch.randn(B * H, T, S, dtype=torch.float64, generator=torch.Generator().manual_seed(2))
MASKS: dict[str, dict[str, Any]] = {
    "none": {},
    "boolean": {"attn_mask": HIDDEN},
    "of each head": {"attn_mask": ADDED},
    "padding": {"key_padding_mask": PADDED},
    "boolean and padding": {"attn_mask": HIDDEN, "key_padding_mask": PADDED},
}


@pytest.mark.parametrize(("name", "mask"), paired(list(MULTIHEAD), list(MASKS)))
def test_multihead_attention_is_what_it_returned(name: str, mask: str) -> None:
    settings, asked = MULTIHEAD[name]
    module = nn.MultiheadAttention(E, H, dtype=torch.float64, **settings)
    for parameter in module.parameters():
        nn.init.normal_(parameter, std=0.5)
    x, k = drawn(T, B, E), drawn(S, B, settings.get("kdim", E))
    v = drawn(S, B, settings.get("vdim", E))
    first = settings.get("batch_first", False)
    given = [a.transpose(0, 1) for a in (x, k, v)] if first else [x, k, v]
    plain = module(*given, **asked, **MASKS[mask])
    call, (output, weights) = captured(lambda: module(*given, **asked, **MASKS[mask]))
    assert torch.equal(output, plain[0])
    of_item = output[ITEM] if first else output[:, ITEM]
    close(call["output"], of_item)
    joined = call["context"].transpose(1, 0, 2).reshape(T, E)
    projected = joined @ module.out_proj.weight.detach().numpy().T
    bias = module.out_proj.bias
    close(projected + (0 if bias is None else bias.detach().numpy()), of_item)
    if weights is not None:
        seen = weights[ITEM] if weights.dim() == 4 else weights[ITEM][None]
        ours = call["weights"]
        close(ours if weights.dim() == 4 else ours.mean(axis=0, keepdims=True), seen)
    check_call(call)
    assert call.n_keys == S + sum(map(settings.get, ("add_bias_kv", "add_zero_attn"), (0, 0)))


@pytest.mark.parametrize("need_weights", [True, False])
def test_the_hint_of_causal_multihead_attention_is_kept(need_weights: bool) -> None:
    module, x = nn.MultiheadAttention(E, H, dtype=torch.float64), drawn(T, B, E)
    future = nn.Transformer.generate_square_subsequent_mask(T, dtype=torch.float64)
    asked = {"attn_mask": future, "is_causal": True, "need_weights": need_weights}
    call, (output, _) = captured(lambda: module(x, x, x, **asked))
    close(call["output"], output[:, ITEM])
    assert not np.triu(call["weights"], 1).any()
    assert call.causal == (not need_weights)
    check_call(call)


def test_input_without_a_batch_is_recorded() -> None:
    module, x = nn.MultiheadAttention(E, H, dtype=torch.float64), drawn(T, E)
    call, (output, weights) = captured(
        lambda: module(x, x, x, key_padding_mask=PADDED[1, :T], average_attn_weights=False), 0
    )
    close(call["output"], output)
    close(call["weights"], weights)
    check_call(call)


def test_the_function_behind_the_module_is_recorded_with_boolean_masks() -> None:
    module = nn.MultiheadAttention(E, H, dtype=torch.float64, add_zero_attn=True)
    x, k = drawn(T, B, E), drawn(S, B, E)
    masks: dict[str, Any] = {"attn_mask": HIDDEN, "key_padding_mask": PADDED}
    call, (output, weights) = captured(
        lambda: functional.multi_head_attention_forward(
            x, k, k, E, H, module.in_proj_weight, module.in_proj_bias, None, None, True, 0.0,
            module.out_proj.weight, module.out_proj.bias, average_attn_weights=False, **masks,
        )
    )  # fmt: skip
    close(call["output"], output[:, ITEM])
    close(call["weights"], weights[ITEM])
    assert call["mask"].dtype == bool
    assert call["mask"][:, -1].all()
    check_call(call)


FUTURE: dict[str, Tensor] = {"attn_mask": torch.ones(T, T, dtype=torch.bool).triu(1)}
PADDING = {"key_padding_mask": PADDED[:, :T]}
FAST_MASKS = {"none": {}, "padding": PADDING, "boolean": FUTURE, "both": FUTURE | PADDING}


@pytest.mark.parametrize(("mask", "averaged"), paired(list(FAST_MASKS), [True, False]))
def test_the_fast_path_is_taken_and_recorded(mask: str, averaged: bool) -> None:
    module = nn.MultiheadAttention(E, H, batch_first=True).eval()
    x = torch.randn(B, T, E)
    asked = {"average_attn_weights": averaged, **FAST_MASKS[mask]}
    with torch.no_grad():
        output, weights = module(x, x, x, **asked)
        with profiled() as names:
            call, (again, more) = captured(lambda: module(x, x, x, **asked))
    assert "aten::_native_multi_head_attention" in names
    assert torch.equal(output, again)
    assert torch.equal(weights, more)
    close(call["output"], output[ITEM])
    close(call["weights"].mean(axis=0) if averaged else call["weights"], weights[ITEM], 1e-6)
    check_call(call, 1e-6)


@contextmanager
def profiled() -> Iterator[set[str]]:
    """The names of operators that run in a block; they are there when it ends."""
    names: set[str] = set()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        yield names
    names |= {event.key for event in profile.key_averages()}


@pytest.mark.parametrize(("norm_first", "padding"), paired([True, False], [None, PADDED[:, :T]]))
def test_the_fast_path_of_an_encoder_is_recorded(norm_first: bool, padding: Tensor | None) -> None:
    layer = nn.TransformerEncoderLayer(E, H, 8, batch_first=True, norm_first=norm_first)
    encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=not norm_first).eval()
    for parameter in encoder.parameters():
        nn.init.normal_(parameter, std=0.4)
    x = torch.randn(B, T, E)
    with torch.no_grad():
        plain = encoder(x, src_key_padding_mask=padding)
        with profiled() as names, capture(item=ITEM) as recorded:
            again = encoder(x, src_key_padding_mask=padding)
        slow = encoder.train()
        for part in slow.modules():
            if isinstance(part, nn.Dropout):
                part.p = 0.0
            if isinstance(part, nn.MultiheadAttention):
                part.dropout = 0.0
        with capture(item=ITEM) as slowly:
            slow(x, src_key_padding_mask=padding)
    assert "aten::_transformer_encoder_layer_fwd" in names
    assert torch.equal(plain, again)
    for run in (recorded, slowly):
        assert [call.name for call in run.calls] == ["layers.0.self_attn", "layers.1.self_attn"]
    for ours, theirs in zip(recorded.calls, slowly.calls, strict=True):
        seen = ours.n_keys  # a nested tensor has no padding
        assert seen == (T if padding is None or norm_first else 4)
        for name in ("Q", "K", "V", "context"):
            close(ours[name], theirs[name][:, :seen], 1e-5)
        close(ours["weights"], theirs["weights"][:, :seen, :seen], 1e-6)
        check_call(ours, 1e-5)


def heads(n: int, rows: int) -> Tensor:
    return drawn(B, n, rows, D)


SEEN = ~HIDDEN
FUSED: dict[str, dict[str, Any]] = {
    "plain": {},
    "causal": {"is_causal": True},
    "scale": {"scale": 0.3},
    "boolean": {"attn_mask": SEEN},
    "of each item": {"attn_mask": SEEN & ~PADDED[:, None, None]},
    "keys alone": {"attn_mask": ~PADDED[:, None, None]},
    "numbers": {"attn_mask": ADDED.view(B, H, T, S)},
    "minus infinity": {"attn_mask": torch.where(HIDDEN, -torch.inf, 0.0).double()},
    "a row that sees nothing": {"attn_mask": SEEN & (torch.arange(T)[:, None] != 2)},
    "grouped": {"enable_gqa": True},
    "grouped and causal": {"enable_gqa": True, "is_causal": True, "scale": 1.0},
}


@pytest.mark.parametrize(
    ("name", "function"),
    paired(list(FUSED), [imported_by_name, functional.scaled_dot_product_attention]),
)
def test_fused_attention_is_what_it_returned(name: str, function: Callable[..., Tensor]) -> None:
    asked = FUSED[name]
    shared = G if asked.get("enable_gqa") else H
    Q, K, V = heads(H, T), heads(shared, S), heads(shared, S)
    plain = function(Q, K, V, **asked)
    call, made = captured(lambda: function(Q, K, V, **asked))
    assert torch.equal(plain, made)
    close(call["context"], made[ITEM])
    for array, tensor in {"Q": Q, "K": K, "V": V}.items():
        assert np.array_equal(call[array], tensor[ITEM].numpy())
    assert call.n_kv_heads == shared
    assert ("mask" in call.shapes) == ("attn_mask" in asked)
    check_call(call)


@pytest.mark.parametrize("axes", [(), (H,), (B, H), (2, B, H)])
def test_axes_before_the_last_two_are_heads_those_before_the_batch(axes: tuple[int, ...]) -> None:
    Q, K, V = (drawn(*axes, rows, D) for rows in (T, S, S))
    item = 4 if len(axes) == 3 else ITEM if len(axes) == 2 else 0
    call, made = captured(lambda: imported_by_name(Q, K, V, attn_mask=SEEN), item)
    close(call["context"], made.reshape(-1, *axes[-1:] or (1,), T, D)[item])
    check_call(call)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_numbers_of_every_precision_are_recorded_exactly(dtype: torch.dtype) -> None:
    Q, K, V = (heads(H, T).to(dtype) for _ in range(3))
    call, made = captured(lambda: imported_by_name(Q, K, V, is_causal=True))
    assert call.precision == str(dtype).removeprefix("torch.")
    for array, tensor in {"Q": Q, "K": K, "V": V, "context": made}.items():
        assert np.array_equal(call[array], tensor[ITEM].float().numpy())
    close(call["weights"], by_pytorch(call)[0], 1e-6)
    assert Recording([call]).trace(0).program.names[0] == "Q"


def test_a_model_in_mixed_precision_computes_the_same_and_is_recorded() -> None:
    model, x = Model().eval(), torch.randn(B, T, E)
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        plain = model(x)
        with capture(item=ITEM) as recorded:
            again = model(x)
    assert torch.equal(plain, again)
    for call in recorded.calls:
        assert call.precision == "bfloat16"
        close(call["weights"], by_pytorch(call)[0], 1e-6)
        close(call["context"], by_pytorch(call)[1], 0.02)


def test_weights_are_those_before_dropout() -> None:
    Q, K, V = heads(H, T), heads(H, S), heads(H, S)
    torch.manual_seed(3)
    plain = imported_by_name(Q, K, V, dropout_p=0.5)
    torch.manual_seed(3)
    call, made = captured(lambda: imported_by_name(Q, K, V, dropout_p=0.5))
    assert torch.equal(plain, made)
    assert call.dropout == 0.5
    check_call(call)
    module = nn.MultiheadAttention(E, H, dropout=0.5, dtype=torch.float64)
    x = drawn(T, B, E)
    call, (_, weights) = captured(lambda: module(x, x, x, average_attn_weights=False))
    assert (weights == 0).any()
    assert (call["weights"] > 0).all()
    check_call(call)


class Block(nn.Module):
    """Attention as people write it, with its output projection."""

    def __init__(self) -> None:
        super().__init__()
        self.joined, self.project = nn.Linear(E, 3 * E), nn.Linear(E, E)
        self.drop = nn.Dropout(0.2)

    def forward(self, x: Tensor) -> Tensor:
        rows = x.shape[:2]
        Q, K, V = self.joined(x).view(*rows, 3, H, D).permute(2, 0, 3, 1, 4)
        made = functional.scaled_dot_product_attention(Q, K, V, is_causal=True)
        return self.drop(self.project(made.transpose(1, 2).reshape(*rows, E)))


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(Block() for _ in range(2))
        self.mixed = nn.MultiheadAttention(E, H, dropout=0.1, batch_first=True)
        self.last = nn.Linear(E, 2)

    def forward(self, x: Tensor) -> Tensor:
        for block in self.blocks:
            x = x + block(x)
        return self.last(x + self.mixed(x, x, x, need_weights=False)[0])


def test_outputs_and_gradients_are_the_same_bits_and_so_is_what_is_drawn_after() -> None:
    model, x = Model(), torch.randn(B, T, E, requires_grad=True)
    found = []
    for block in (nullcontext(), capture(item=ITEM)):
        torch.manual_seed(5)
        model.zero_grad()
        x.grad = None
        with block as recording:
            output = model(x)
            output.square().sum().backward()
        grads = [p.grad.clone() for p in (x, *model.parameters()) if p.grad is not None]
        found.append([output.detach(), *grads, torch.rand(3)])
    assert len(found[0]) > 10
    assert all(torch.equal(one, other) for one, other in zip(*found, strict=True))
    assert recording is not None
    assert [call.name for call in recording.calls] == ["blocks.0", "blocks.1", "mixed"]
    for call in recording.calls:
        check_call(call, 1e-6)


def test_what_the_module_around_a_call_returned_is_its_output() -> None:
    model, x = Model().eval(), torch.randn(B, T, E)
    with capture(item=ITEM) as recorded:
        model(x)
    close(recorded.find("blocks.0")["output"], model.blocks[0](x)[ITEM])
    for block in model.blocks:
        x = x + block(x)
    close(recorded.find("mixed")["output"], model.mixed(x, x, x)[0][ITEM], 1e-6)


def test_what_the_model_does_with_its_tensors_afterwards_changes_nothing_recorded() -> None:
    Q, K, V = heads(H, T), heads(H, S), heads(H, S)
    mask = SEEN.clone()
    with capture(item=ITEM) as recorded:
        made = imported_by_name(Q, K, V, attn_mask=mask)
        for tensor in (Q, K, V, made, mask):
            tensor.zero_()
    call = recorded.calls[0]
    assert all(call[name].any() for name in call.arrays)
    check_call(call)


class Twice(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        first = functional.scaled_dot_product_attention(x, x, x)
        return first - functional.scaled_dot_product_attention(x, -x, x)


def test_an_output_of_two_calls_is_the_output_of_neither() -> None:
    with capture() as recorded:
        Twice()(drawn(B, T, E))
    found = [("output" in call.shapes, call.name) for call in recorded.calls]
    assert found == [(False, "Twice")] * 2


class Raises(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        functional.scaled_dot_product_attention(x, x, x)
        raise ZeroDivisionError


def test_after_an_error_everything_is_as_it_was(tmp_path: Path) -> None:
    before = torch.overrides.has_torch_function
    hooks = nn.modules.module._global_forward_hooks, nn.modules.module._global_forward_pre_hooks
    found: list[Recording] = []

    def run() -> None:
        with capture(tmp_path / "a.safetensors") as recorded:
            found.append(recorded)
            assert torch.overrides.has_torch_function is not before
            with pytest.raises(ZeroDivisionError):
                nn.Sequential(Raises())(drawn(B, T, E))
            Block()(torch.randn(B, T, E))
            nn.Sequential(Raises())(drawn(B, T, E))

    with pytest.raises(ZeroDivisionError):
        run()
    (recorded,) = found
    assert torch.overrides.has_torch_function is before
    assert not any(hooks)
    assert not torch.overrides.has_torch_function((drawn(1),))
    assert [call.name for call in recorded.calls] == ["0", "Block", "0"]
    assert not list(tmp_path.iterdir())
    Block()(torch.randn(B, T, E))
    assert len(recorded.calls) == 3


def test_another_thread_is_not_recorded_and_may_record_itself() -> None:
    block, x = Block(), torch.randn(B, T, E)
    entered, left = threading.Event(), threading.Event()
    found: list[Recording] = []

    def other() -> None:
        nn.Sequential(block)(x)
        with capture() as recorded:
            nn.Sequential(block)(x)
            entered.set()
            nn.Sequential(block)(x)
            left.wait(30)
        found.append(recorded)
        block(x)

    before = torch.overrides.has_torch_function
    thread = threading.Thread(target=other)
    with capture() as ours:
        thread.start()
        assert entered.wait(30)
        block(x)
    left.set()
    thread.join(30)
    assert [call.name for call in ours.calls] == ["Block"]
    assert [call.name for call in found[0].calls] == ["0", "0"]
    assert torch.overrides.has_torch_function is before


def test_a_second_recording_in_a_thread_is_refused_and_the_first_goes_on() -> None:
    block, x = Block(), torch.randn(B, T, E)
    with capture() as recorded:
        with pytest.raises(InputError, match="records already"), capture():
            pass
        block(x)
    assert len(recorded.calls) == 1


def test_a_compiled_function_computes_the_same_and_is_not_recorded() -> None:
    block, x = Block().eval(), torch.randn(B, T, E)
    compiled = torch.compile(block.forward, backend="aot_eager")
    plain = compiled(x)
    with capture() as recorded:
        block(x)
        again = compiled(x)
    assert torch.equal(plain, again)
    assert len(recorded.calls) == 1


def test_calls_that_cannot_be_recorded_are_notes_with_their_reason() -> None:
    x = drawn(B, H, T, D)
    with capture(item=2) as recorded:
        attend(x)
        attend(x[:2])
        attend(torch.ones(3, 1, 1025, 2))
        attend(torch.ones(3, 1, 2, 257))
        attend(torch.ones(3, 65, 2, 2))
        attend(torch.ones(3, 1, 2, 2, device="meta"))
    assert len(recorded.calls) == 1
    told = "\n".join(recorded.notes)
    assert "item 2 was asked for" in told
    assert "2 items" in told
    assert "1,024 tokens, 64 heads and 256 features" in told
    assert "cannot be read" in told
    assert len(recorded.notes) == 5


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({}, "No attention was seen"),
        ({"item": -1}, "The item is -1"),
        ({"item": True}, "The item is True"),
        ({"tokens": "abc"}, "one string"),
        ({"tokens": [1]}, "int"),
        ({"path": "run.pt"}, "run.pt"),
        ({"path": "no/such/folder/run.safetensors"}, "no/such/folder"),
    ],
)
def test_what_cannot_be_captured_is_refused(asked: dict[str, Any], reason: str) -> None:
    with pytest.raises(InputError, match=reason), capture(**asked):
        pass


def test_the_lines_of_the_docs_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (ROOT / "docs" / "captured.md").read_text("utf-8")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for code in re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        exec(compile(code, "captured.md", "exec"), names)
    assert "1: layers.1.self_attn" in capsys.readouterr().out
    assert names["trace"].tokens == ("The", "cat", "sat", "on", "the", "mat")
    assert names["maps"].shape == (4, 6, 6)
    assert "The cat sat on the mat" in names["shown"].html


class OwnSoftmax(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return (x @ x.mT).softmax(-1) @ x


def test_a_softmax_of_ones_own_is_noted_next_to_calls_that_are_recorded() -> None:
    heads, rows = drawn(B, H, T, D), drawn(B, T, E)
    with capture() as recorded:
        attend(heads)
        expected = OwnSoftmax()(heads)
    assert len(recorded.calls) == 1
    assert recorded.notes == ["OwnSoftmax computes a softmax itself; capture does not record it"]
    assert torch.equal(OwnSoftmax()(heads), expected)
    with pytest.raises(InputError, match="OwnSoftmax computes a softmax itself"), capture():
        OwnSoftmax()(heads)
    with capture() as recorded:  # a softmax over words is no attention
        attend(heads)
        nn.Softmax(-1)(rows)
    assert not recorded.notes
