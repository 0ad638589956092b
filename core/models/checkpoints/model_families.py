"""How families of models write down what they are: tables of settings and of weights.

Names and defaults are those of Hugging Face's library (config.json, safetensors) and of llama.cpp
(GGUF). A model of another family that computes the same needs a row more in each table.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from core.attention.given.model_names import PROJECTION_PATHS
from core.models.transformer.settings import BERT, GELU, GELU_TANH, GPT2, LLAMA, QKV_BIASES, SILU

Spellings = Mapping[str, str]


@dataclass(frozen=True)
class ModelFamily:
    """What the files of some models call the settings, and what holds if they say nothing."""

    kind: str
    names: Spellings
    """What a file calls each field of `ModelSettings`."""
    usual: Mapping[str, Any]
    fixed: Mapping[str, Any] = field(default_factory=dict)
    """Settings that would change what is computed, and what they must be."""
    biases: frozenset[str] = frozenset()
    """Biases that are there whatever a file says, of those that differ within a kind."""


_USUAL_NAMES = {
    "n_layers": "num_hidden_layers",
    "n_heads": "num_attention_heads",
    "d_model": "hidden_size",
    "d_ff": "intermediate_size",
    "n_positions": "max_position_embeddings",
    "activation": "hidden_act",
}
_BERT_NAMES = _USUAL_NAMES | {"eps": "layer_norm_eps", "n_segments": "type_vocab_size"}
_BERT_USUAL = {"eps": 1e-12, "activation": "gelu", "n_segments": 2}
_BERT_FIXED = {"position_embedding_type": "absolute"}


def _llama(biases: frozenset[str] = frozenset(), **usual: Any) -> ModelFamily:
    names = {"n_kv_heads": "num_key_value_heads", "d_head": "head_dim", "eps": "rms_norm_eps"}
    usual |= {"eps": 1e-6, "activation": "silu"}
    fixed = {"partial_rotary_factor": 1.0}
    return ModelFamily(LLAMA, _USUAL_NAMES | names, usual, fixed, biases)


CONFIG_FAMILIES: Mapping[str, ModelFamily] = {
    "gpt2": ModelFamily(
        GPT2,
        {
            "n_layers": "n_layer",
            "n_heads": "n_head",
            "d_model": "n_embd",
            "d_ff": "n_inner",
            "n_positions": "n_positions",
            "eps": "layer_norm_epsilon",
            "activation": "activation_function",
        },
        {"n_positions": 1024, "eps": 1e-5, "activation": "gelu_new", "wider": 4},
        {"scale_attn_weights": True, "scale_attn_by_inverse_layer_idx": False},
    ),
    "llama": _llama(n_positions=2048),
    "mistral": _llama(n_positions=131_072, n_kv_heads=8, window=4096),
    "qwen2": _llama(frozenset(QKV_BIASES), n_positions=32_768, n_kv_heads=32),
    "qwen3": _llama(n_positions=32_768, n_kv_heads=32, d_head=128),
    "bert": ModelFamily(BERT, _BERT_NAMES, _BERT_USUAL, _BERT_FIXED),
    "roberta": ModelFamily(BERT, _BERT_NAMES, _BERT_USUAL | {"padding_id": 1}, _BERT_FIXED),
    "distilbert": ModelFamily(  # its epsilon stands in the library's code
        BERT,
        {
            "n_layers": "n_layers",
            "n_heads": "n_heads",
            "d_model": "dim",
            "d_ff": "hidden_dim",
            "n_positions": "max_position_embeddings",
            "activation": "activation",
        },
        {"eps": 1e-12, "activation": "gelu"},
        {"tie_weights_": True},
    ),
}
"""By the `model_type` of a config.json."""

_GGUF_NAMES = {
    "n_layers": "block_count",
    "n_heads": "attention.head_count",
    "n_kv_heads": "attention.head_count_kv",
    "d_model": "embedding_length",
    "d_head": "attention.key_length",
    "d_ff": "feed_forward_length",
    "n_positions": "context_length",
    "eps": "attention.layer_norm_epsilon",
}
_GGUF_LLAMA = ModelFamily(
    LLAMA, _GGUF_NAMES | {"eps": "attention.layer_norm_rms_epsilon"}, {"activation": SILU}
)
GGUF_FAMILIES: Mapping[str, ModelFamily] = {
    "gpt2": ModelFamily(GPT2, _GGUF_NAMES, {"activation": GELU_TANH}),
    **dict.fromkeys(("llama", "qwen2", "qwen3"), _GGUF_LLAMA),
    "bert": ModelFamily(BERT, _GGUF_NAMES, {"activation": GELU}),
}
"""By the architecture of a GGUF file, which says it before each name."""


def _in_layer(start: str, names: Spellings) -> dict[str, str]:
    return {part: f"{start}.{{l}}.{name}" for part, name in names.items()}


CONFIG_WEIGHTS: Mapping[str, Spellings] = {
    GPT2: {
        **{"tokens": "wte", "positions": "wpe", "last_norm": "ln_f", "U": "lm_head"},
        **_in_layer("h", PROJECTION_PATHS["gpt2"]),
        **_in_layer("h", {"norm_1": "ln_1", "norm_2": "ln_2"}),
        **_in_layer("h", {"up": "mlp.c_fc", "down": "mlp.c_proj"}),
    },
    LLAMA: {
        **{"tokens": "embed_tokens", "last_norm": "norm", "U": "lm_head"},
        **_in_layer("layers", PROJECTION_PATHS["llama"]),
        **_in_layer("layers", {f"norm_{n}": f"self_attn.{n.lower()}_norm" for n in "QK"}),
        **_in_layer("layers", {n: f"mlp.{n}_proj" for n in ("gate", "up", "down")}),
        **_in_layer("layers", {"norm_1": "input_layernorm"}),
        **_in_layer("layers", {"norm_2": "post_attention_layernorm"}),
    },
    BERT: {
        "tokens": "embeddings.word_embeddings",
        "positions": "embeddings.position_embeddings",
        "segments": "embeddings.token_type_embeddings",
        "norm_0": "embeddings.LayerNorm",
        **_in_layer("layer", PROJECTION_PATHS["bert"]),
        **_in_layer("layer", {"norm_1": "attention.output.LayerNorm"}),
        **_in_layer("layer", {"up": "intermediate.dense", "down": "output.dense"}),
        **_in_layer("layer", {"norm_2": "output.LayerNorm"}),
        "head": "cls.predictions.transform.dense",
        "head_norm": "cls.predictions.transform.LayerNorm",
        "U": "cls.predictions.decoder",
    },
}
"""The stem of each part's tensor in safetensors, by the kind of model; `{l}` is the layer."""
_GGUF_USUAL = {
    **{"tokens": "token_embd", "positions": "position_embd"},
    **_in_layer("blk", {n: f"attn_{n.lower()}" for n in "QKV"}),
    **_in_layer("blk", {f"norm_{n}": f"attn_{n.lower()}_norm" for n in "QK"}),
    **_in_layer("blk", {"O": "attn_output", "norm_1": "attn_norm", "norm_2": "ffn_norm"}),
    **_in_layer("blk", {n: f"ffn_{n}" for n in ("gate", "up", "down")}),
    **{"last_norm": "output_norm", "U": "output"},
}
GGUF_WEIGHTS: Mapping[str, Spellings] = {
    GPT2: {part: name for part, name in _GGUF_USUAL.items() if part not in {*"QKV"}}
    | _in_layer("blk", {"QKV": "attn_qkv"}),
    LLAMA: _GGUF_USUAL,
    BERT: _GGUF_USUAL
    | {"segments": "token_types", "norm_0": "token_embd_norm"}
    | _in_layer("blk", {"norm_1": "attn_output_norm", "norm_2": "layer_output_norm"}),
}
"""The same of a GGUF file."""
OTHER_NAMES: Spellings = {
    "LayerNorm.gamma": "LayerNorm.weight",
    "LayerNorm.beta": "LayerNorm.bias",
    "cls.predictions.bias": "cls.predictions.decoder.bias",
    # RoBERTa's
    "lm_head.dense": "cls.predictions.transform.dense",
    "lm_head.layer_norm": "cls.predictions.transform.LayerNorm",
    "lm_head.decoder": "cls.predictions.decoder",
    "lm_head.bias": "cls.predictions.decoder.bias",
    # DistilBERT's
    **{path: PROJECTION_PATHS["bert"][n] for n, path in PROJECTION_PATHS["distilbert"].items()},
    "sa_layer_norm": "attention.output.LayerNorm",
    "ffn.lin1": "intermediate.dense",
    "ffn.lin2": "output.dense",
    "output_layer_norm": "output.LayerNorm",
    "vocab_transform": "cls.predictions.transform.dense",
    "vocab_layer_norm": "cls.predictions.transform.LayerNorm",
    "vocab_projector": "cls.predictions.decoder",
}
"""How some files call what BERT's call so."""
