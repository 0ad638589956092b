"""Attention of Hugging Face's transformers is recorded as the models computed it."""

from functools import partial
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from torch import Tensor, nn

from core.errors import InputError
from core.models import Recording, capture
from core.pytorch.recorded_call import RecordedCall
from tests.core.models.tiny_models import near, with_normal_weights
from tests.sampling import paired

VOCABULARY, WIDTH, H, LAYERS, T = 50, 32, 4, 2, 6
D = WIDTH // H
SIZES = {
    "num_hidden_layers": LAYERS, "num_attention_heads": H, "hidden_size": WIDTH,
    "intermediate_size": 40, "vocab_size": VOCABULARY, "pad_token_id": 0, "bos_token_id": 1,
    "eos_token_id": 2,
}  # fmt: skip
IDS = torch.tensor([[5, 6, 7, 8, 9, 10], [0, 0, 11, 12, 13, 14]])
PADDED = (IDS != 0).long()
ITEM = 1
MODELS = {
    "gpt2": lambda how: transformers.GPT2LMHeadModel(
        transformers.GPT2Config(
            n_layer=LAYERS, n_head=H, n_embd=WIDTH, vocab_size=VOCABULARY, bos_token_id=1,
            eos_token_id=2, attn_implementation=how,
        )
    ),
    "llama": lambda how: transformers.LlamaForCausalLM(
        transformers.LlamaConfig(**SIZES, num_key_value_heads=2, attn_implementation=how)
    ),
    "bert": lambda how: transformers.BertModel(
        transformers.BertConfig(**SIZES, attn_implementation=how)
    ),
}  # fmt: skip
PROJECTIONS = {"gpt2": "c_proj", "llama": "o_proj"}
"""What a module of attention does with its contexts."""


def drawn(name: str, how: str) -> nn.Module:
    return with_normal_weights(MODELS[name](how))


close = partial(near, room=1e-5)


def recorded_run(model: nn.Module, **asked: Any) -> tuple[Recording, Any]:
    with torch.no_grad():
        plain = model(IDS, **asked)
        with capture(item=ITEM) as recorded:
            made = model(IDS, **asked)
    assert torch.equal(plain[0], made[0])
    assert not recorded.notes
    return recorded, made


def check_heads(recorded: Recording, rows: slice) -> None:
    """On the stage each head begins at Q, K and V, and has the model's numbers."""
    for n, call in enumerate(recorded.calls):
        for head in range(call.n_heads):
            trace = recorded.trace(n, head)
            assert trace.program.names[0] == "Q"
            close(trace["weights"][0][rows], call["weights"][head][rows])
            close(trace["context"][0][rows], call["context"][head][rows])


@pytest.mark.parametrize(("name", "padded"), paired(list(MODELS), [False, True]))
def test_eager_attention_is_what_the_model_returned(name: str, padded: bool) -> None:
    model = drawn(name, "eager")
    asked = {"attention_mask": PADDED} if padded else {}
    recorded, made = recorded_run(model, output_attentions=True, **asked)
    assert len(recorded.calls) == LAYERS
    rows = slice(2, None) if padded else slice(None)
    for call, weights in zip(recorded.calls, made.attentions, strict=True):
        assert np.array_equal(call["weights"][:, rows], weights[ITEM, :, rows].numpy())
    check_heads(recorded, rows)


@pytest.mark.parametrize(("name", "padded"), paired(list(MODELS), [True, False]))
def test_fused_attention_is_that_of_the_eager_model(name: str, padded: bool) -> None:
    asked = {"attention_mask": PADDED} if padded else {}
    fused, _ = recorded_run(drawn(name, "sdpa"), **asked)
    eager, _ = recorded_run(drawn(name, "eager"), **asked)
    rows = slice(2, None) if padded else slice(None)
    for ours, theirs in zip(fused.calls, eager.calls, strict=True):
        assert ours.name == theirs.name
        assert ours.n_kv_heads == (2 if name == "llama" else H)
        for array in ("Q", "weights", "context"):
            close(ours[array][:, rows], theirs[array][:, rows])
        close(ours["K"][:, rows], theirs["K"][:, rows])
    check_heads(fused, rows)


@pytest.mark.parametrize(("name", "how"), paired(list(PROJECTIONS), ["eager", "sdpa"]))
def test_the_module_returned_the_projected_contexts(name: str, how: str) -> None:
    model = drawn(name, how)
    recorded, _ = recorded_run(model)
    for call in recorded.calls:
        module = model.get_submodule(call.name)
        joined = torch.tensor(call["context"].transpose(1, 0, 2).reshape(T, WIDTH))
        with torch.no_grad():
            projected = module.get_submodule(PROJECTIONS[name])(joined)
        close(call["output"], projected)


@pytest.mark.parametrize("how", ["eager", "sdpa"])
def test_each_step_of_a_generation_is_a_call_with_one_query(how: str) -> None:
    model: Any = drawn("llama", how)
    with capture() as recorded:
        made = model.generate(IDS[:1], max_new_tokens=3, min_new_tokens=3, do_sample=False)
    sizes = [(call.n_queries, call.n_keys) for call in recorded.calls]
    assert sizes == [(T, T)] * LAYERS + [(1, T + 1)] * LAYERS + [(1, T + 2)] * LAYERS
    with capture() as whole, torch.no_grad():
        model(made[:, :-1])
    for step, once in zip(recorded.calls[-LAYERS:], whole.calls, strict=True):
        close(step["weights"][:, 0], once["weights"][:, -1], room=1e-4)
    check_heads(recorded, slice(None))


@pytest.mark.parametrize("how", ["eager", "sdpa"])
def test_biases_of_positions_are_part_of_the_mask(how: str) -> None:
    config = transformers.T5Config(
        d_model=WIDTH, d_kv=D, d_ff=40, num_layers=LAYERS, num_heads=H, vocab_size=VOCABULARY,
        attn_implementation=how,
    )  # fmt: skip
    recorded, _ = recorded_run(with_normal_weights(transformers.T5EncoderModel(config)))
    assert len(recorded.calls) == LAYERS
    assert np.ptp(recorded.calls[0]["mask"]) > 0
    check_heads(recorded, slice(None))


def test_a_row_that_sees_nothing_is_zero_where_the_model_has_nan() -> None:
    model = drawn("llama", "eager")
    mask = torch.zeros(2, 1, T, T)
    mask[:, :, 3] = -torch.inf
    with torch.no_grad(), capture(item=ITEM) as recorded:
        made = model(IDS, attention_mask=mask, output_attentions=True)
    assert made.attentions[0][ITEM, :, 3].isnan().all()
    call, trace = recorded.calls[0], recorded.trace(0, 1)
    for array in (call["weights"], call["context"], trace["weights"], trace["context"]):
        assert not array[:, 3].any()
    close(trace["weights"][0], call["weights"][1])


def test_an_attention_that_tells_no_weights_is_notes() -> None:
    def silent(module: nn.Module, query: Tensor, *args: Any, **kwargs: Any) -> tuple[Tensor, None]:
        return query.transpose(1, 2), None

    transformers.AttentionInterface.register("silent", silent)
    model, calls = drawn("llama", "silent"), []
    with torch.no_grad(), capture() as recorded:
        model(IDS)
        calls = list(recorded.calls)
        x = torch.ones(1, 1, 2, 2)
        torch.nn.functional.scaled_dot_product_attention(x, x, x)
    assert not calls
    assert 'Choose attn_implementation="eager"' in recorded.notes[0]


def test_the_way_to_choose_attention_is_given_back() -> None:
    chooser = transformers.modeling_utils.AttentionInterface
    before = chooser.get_interface
    model = drawn("gpt2", "eager")
    with capture() as recorded:
        assert chooser.get_interface is not before
        model(IDS)
    assert chooser.get_interface is before
    model(IDS)
    assert len(recorded.calls) == LAYERS


def test_weights_before_dropout_are_recorded_while_a_model_trains() -> None:
    model = drawn("gpt2", "eager").train()
    with capture(item=ITEM) as recorded:
        made = model(IDS, output_attentions=True)
    call: RecordedCall = recorded.calls[0]
    assert call.dropout == pytest.approx(0.1)
    assert np.tril(made.attentions[0][ITEM].detach().numpy() == 0).any()
    close(call["weights"].sum(axis=-1), np.ones((H, T)))


OWN_SOFTMAX = {
    "GPTNeoSelfAttention": lambda: transformers.GPTNeoModel(
        transformers.GPTNeoConfig(
            vocab_size=VOCABULARY, hidden_size=WIDTH, num_layers=2, num_heads=H,
            attention_types=[[["global"], 2]], bos_token_id=1, eos_token_id=2,
        )
    ),
    "BloomAttention": lambda: transformers.BloomModel(
        transformers.BloomConfig(vocab_size=VOCABULARY, hidden_size=WIDTH, n_layer=2, n_head=H)
    ),
    "DisentangledSelfAttention": lambda: transformers.DebertaV2Model(
        transformers.DebertaV2Config(**SIZES)
    ),
    "FalconAttention": lambda: falcon("eager"),
}  # fmt: skip


def falcon(how: str) -> nn.Module:
    return transformers.FalconModel(
        transformers.FalconConfig(
            vocab_size=VOCABULARY, hidden_size=WIDTH, num_hidden_layers=2, num_attention_heads=H,
            attn_implementation=how,
        )
    )  # fmt: skip


@pytest.mark.parametrize("name", OWN_SOFTMAX)
def test_a_model_that_computes_its_own_softmax_is_named_with_a_remedy(name: str) -> None:
    model = OWN_SOFTMAX[name]().eval()
    expected = f"{name} computes a softmax itself.*call scaled_dot_product_attention"
    with torch.no_grad(), pytest.raises(InputError, match=expected), capture():
        model(IDS)


def test_falcon_is_recorded_as_the_remedy_says() -> None:
    recorded, _ = recorded_run(falcon("sdpa").eval())
    assert len(recorded.calls) == 2
    assert not recorded.notes


def test_a_cap_between_scores_and_weights_lets_the_run_begin_at_the_weights() -> None:
    config = transformers.Gemma2Config(
        **SIZES, num_key_value_heads=2, head_dim=D, attn_logit_softcapping=0.5,
        attn_implementation="eager",
    )  # fmt: skip
    model = with_normal_weights(transformers.Gemma2ForCausalLM(config))
    recorded, made = recorded_run(model, output_attentions=True)
    trace = recorded.trace(0, 1)
    assert trace.program.names[0] == "weights"
    close(trace["weights"][0], made.attentions[0][ITEM, 1])
    close(trace["context"][0], recorded.calls[0]["context"][1])
