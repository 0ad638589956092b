"""The settings of a model from the config.json of its folder: names and defaults of Hugging Face.

A setting that changes what is computed in a way that is not built here is refused, never ignored.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from core.errors import input_error
from core.limits import MOST_FEATURES, MOST_REAL_HEADS
from core.models.checkpoints.config import Config, not_run_here, printable
from core.models.checkpoints.rope_settings import rope_of_config
from core.models.transformer.settings import (
    ALL_BIASES,
    BERT,
    GELU,
    GELU_TANH,
    GPT2,
    LLAMA,
    MOST_CONTEXT,
    MOST_D_FF,
    MOST_D_MODEL,
    MOST_LAYERS_OF_A_MODEL,
    MOST_VOCABULARY,
    QKV_BIASES,
    SILU,
    ModelSettings,
)
from core.texts import core_texts

TEXTS = core_texts("checkpoints")

CONFIG = "config.json"
_TANH_GELUS = ("gelu_new", "gelu_pytorch_tanh", "gelu_fast")
_GELUS = {"gelu": GELU, **dict.fromkeys(_TANH_GELUS, GELU_TANH)}
_SEGMENTS = 16
_ROBERTA_PADDING = 1
_BERT_EPS = 1e-12
"""DistilBERT has no setting for it: there it stands in the library's code."""
_LLAMAS = ("llama", "mistral", "qwen2", "qwen3")
_HEAD_OF_QWEN3 = 128
_KEY_HEADS: Mapping[str, int] = MappingProxyType({"mistral": 8, "qwen2": 32, "qwen3": 32})
_POSITIONS: Mapping[str, int] = MappingProxyType(
    {"llama": 2048, "mistral": 131_072, "qwen2": 32_768, "qwen3": 32_768}
)
_WINDOW_OF_MISTRAL = 4096


def settings_of_config(values: Mapping[str, Any], file: str = CONFIG) -> ModelSettings:
    """Return the settings of a model. Raises `InputError`, also if code comes with the model."""
    config = Config(file, values)
    for name in ("auto_map", "trust_remote_code"):
        if values.get(name):
            raise not_run_here("has_code", file=file, name=name)
    kind = str(values.get("model_type"))
    if kind not in _READERS:
        given, known = printable(kind), ", ".join(_READERS)
        raise not_run_here("model_type", file=file, given=given, known=known)
    if packed := values.get("quantization_config"):
        raise not_run_here("quantised", file=file, given=printable(packed))
    config.must_be(add_cross_attention=False, is_decoder=False)
    return _READERS[kind](config)


def _gpt2(config: Config) -> ModelSettings:
    config.must_be(scale_attn_weights=True, scale_attn_by_inverse_layer_idx=False)
    heads, d_model = _heads_and_width(config, "n_head", "n_embd")
    return ModelSettings(
        GPT2,
        n_layers=config.count("n_layer", MOST_LAYERS_OF_A_MODEL),
        n_heads=heads,
        n_kv_heads=heads,
        d_model=d_model,
        d_head=d_model // heads,
        d_ff=config.count("n_inner", MOST_D_FF, 4 * d_model),
        n_vocabulary=config.count("vocab_size", MOST_VOCABULARY),
        n_positions=config.count("n_positions", MOST_CONTEXT, 1024),
        eps=config.number("layer_norm_epsilon", 1e-5),
        activation=config.one_of("activation_function", _GELUS, "gelu_new"),
        is_tied=config.flag("tie_word_embeddings", True),
        biases=ALL_BIASES[GPT2],
    )


def _llama(config: Config) -> ModelSettings:
    heads, d_model = _heads_and_width(config, "num_attention_heads", "hidden_size", split=False)
    config.must_be(partial_rotary_factor=1.0)
    bias_names = {f"b_{n}" for n in "QKVO"} if config.flag("attention_bias", False) else set()
    if config.values["model_type"] == "qwen2":
        bias_names = set(QKV_BIASES)
    if config.flag("mlp_bias", False):
        bias_names |= {"b_gate", "b_up", "b_down"}
    d_head = _head_width(config, heads, d_model)
    return ModelSettings(
        LLAMA,
        n_layers=config.count("num_hidden_layers", MOST_LAYERS_OF_A_MODEL),
        n_heads=heads,
        n_kv_heads=config.count("num_key_value_heads", heads, _key_heads(config, heads)),
        d_model=d_model,
        d_head=d_head,
        d_ff=config.count("intermediate_size", MOST_D_FF),
        n_vocabulary=config.count("vocab_size", MOST_VOCABULARY),
        n_positions=_window(config),
        eps=config.number("rms_norm_eps", 1e-6),
        activation=config.one_of("hidden_act", {"silu": SILU}, "silu"),
        rope=rope_of_config(config, d_head),
        is_tied=config.flag("tie_word_embeddings", False),
        biases=frozenset(bias_names),
        has_head_norms=config.values["model_type"] == "qwen3",
    )


def _bert(config: Config) -> ModelSettings:
    config.must_be(position_embedding_type="absolute")
    return replace(
        _encoder(
            config,
            heads_name="num_attention_heads",
            width_name="hidden_size",
            layers_name="num_hidden_layers",
            inner_name="intermediate_size",
            activation_name="hidden_act",
        ),
        eps=config.number("layer_norm_eps", _BERT_EPS),
        n_segments=config.count("type_vocab_size", _SEGMENTS, 2),
    )


def _roberta(config: Config) -> ModelSettings:
    padding = config.count("pad_token_id", MOST_VOCABULARY, _ROBERTA_PADDING, least=0)
    rows = config.count("max_position_embeddings", MOST_CONTEXT, least=padding + 2)
    return replace(_bert(config), n_positions=rows - padding - 1, padding_id=padding)


def _distilbert(config: Config) -> ModelSettings:
    config.must_be(tie_weights_=True)
    return _encoder(
        config,
        heads_name="n_heads",
        width_name="dim",
        layers_name="n_layers",
        inner_name="hidden_dim",
        activation_name="activation",
    )


def _encoder(
    config: Config,
    *,
    heads_name: str,
    width_name: str,
    layers_name: str,
    inner_name: str,
    activation_name: str,
) -> ModelSettings:
    """What all models of BERT's kind have, by the names of their settings."""
    heads, d_model = _heads_and_width(config, heads_name, width_name)
    return ModelSettings(
        BERT,
        n_layers=config.count(layers_name, MOST_LAYERS_OF_A_MODEL),
        n_heads=heads,
        n_kv_heads=heads,
        d_model=d_model,
        d_head=d_model // heads,
        d_ff=config.count(inner_name, MOST_D_FF),
        n_vocabulary=config.count("vocab_size", MOST_VOCABULARY),
        n_positions=config.count("max_position_embeddings", MOST_CONTEXT),
        eps=_BERT_EPS,
        activation=config.one_of(activation_name, _GELUS, "gelu"),
        is_tied=config.flag("tie_word_embeddings", True),
        biases=ALL_BIASES[BERT],
    )


_READERS: Mapping[str, Callable[[Config], ModelSettings]] = MappingProxyType(
    {
        "gpt2": _gpt2,
        **dict.fromkeys(_LLAMAS, _llama),
        "bert": _bert,
        "roberta": _roberta,
        "distilbert": _distilbert,
    }
)


def _heads_and_width(
    config: Config, heads_name: str, width_name: str, split: bool = True
) -> tuple[int, int]:
    """The number of heads and d_model. Raises `InputError` unless heads share d_model evenly."""
    heads = config.count(heads_name, MOST_REAL_HEADS)
    d_model = config.count(width_name, MOST_D_MODEL)
    if split and d_model % heads:
        raise input_error(TEXTS, "uneven_width", file=config.file, heads=heads, d_model=d_model)
    return heads, d_model


def _head_width(config: Config, heads: int, d_model: int) -> int:
    if config.values["model_type"] == "qwen3":
        return config.count("head_dim", MOST_FEATURES, _HEAD_OF_QWEN3)
    if config.values.get("head_dim") is None and d_model % heads:
        raise input_error(TEXTS, "uneven_width", file=config.file, heads=heads, d_model=d_model)
    return config.count("head_dim", MOST_FEATURES, d_model // heads)


def _key_heads(config: Config, heads: int) -> int:
    """As many as heads where a file says null; where it says nothing, that of the library."""
    if "num_key_value_heads" in config.values:
        return heads
    return _KEY_HEADS.get(config.values["model_type"], heads)


def _window(config: Config) -> int:
    """How many positions can be read: up to a sliding window, every token sees all before it."""
    kind = config.values["model_type"]
    positions = config.count("max_position_embeddings", MOST_CONTEXT, _POSITIONS[kind])
    slides = config.flag("use_sliding_window", kind == "mistral")
    usual = _WINDOW_OF_MISTRAL if kind == "mistral" else None
    if not slides or config.values.get("sliding_window", usual) is None:
        return positions
    return min(positions, config.count("sliding_window", MOST_CONTEXT, usual))
