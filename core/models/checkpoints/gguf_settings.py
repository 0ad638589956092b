"""The settings of a model from the header of its GGUF file."""

from collections.abc import Mapping
from types import MappingProxyType

from core.errors import input_error
from core.limits import MOST_FEATURES, MOST_REAL_HEADS
from core.models.checkpoints.config import Config, not_run_here, printable
from core.models.checkpoints.gguf_headers import GGUFHeader
from core.models.checkpoints.rope_settings import rope_of_gguf
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
    SILU,
    ModelSettings,
)
from core.texts import core_texts

TEXTS = core_texts("checkpoints")

_KIND_OF: Mapping[str, str] = MappingProxyType(
    {"gpt2": GPT2, "llama": LLAMA, "qwen2": LLAMA, "qwen3": LLAMA, "bert": BERT}
)
_HALVES = ("qwen2", "qwen3")
"""Architectures whose queries and keys are not reordered, so that halves are pairs."""
_ACTIVATION: Mapping[str, str] = MappingProxyType({GPT2: GELU_TANH, LLAMA: SILU, BERT: GELU})
_BIAS_OF: Mapping[str, str] = MappingProxyType(
    {"attn_q": "b_Q", "attn_k": "b_K", "attn_v": "b_V", "attn_output": "b_O"}
)


def settings_of_gguf(header: GGUFHeader, file: str) -> ModelSettings:
    """Return the settings of a model. Raises `InputError` for what is not built here."""
    architecture = str(header.settings.get("general.architecture"))
    if architecture not in _KIND_OF:
        given, known = printable(architecture), ", ".join(_KIND_OF)
        raise not_run_here("model_type", file=file, given=given, known=known)
    start = f"{architecture}."
    values = {n.removeprefix(start): v for n, v in header.settings.items() if n.startswith(start)}
    config, kind = Config(file, values), _KIND_OF[architecture]
    heads = config.count("attention.head_count", MOST_REAL_HEADS)
    d_model = config.count("embedding_length", MOST_D_MODEL)
    if d_model % heads and "attention.key_length" not in values:
        raise input_error(TEXTS, "uneven_width", file=file, heads=heads, d_model=d_model)
    d_head = config.count("attention.key_length", MOST_FEATURES, d_model // heads)
    config.must_be(
        **{
            "attention.value_length": d_head,
            "rope.dimension_count": d_head,
            "attention.causal": kind != BERT,
            "use_parallel_residual": True,
            "expert_count": 0,
        }
    )
    norm = "attention.layer_norm_rms_epsilon" if kind == LLAMA else "attention.layer_norm_epsilon"
    is_llama, halves = kind == LLAMA, architecture in _HALVES
    rope = rope_of_gguf(config, header, d_head, halves) if is_llama else None
    return ModelSettings(
        kind,
        n_layers=config.count("block_count", MOST_LAYERS_OF_A_MODEL),
        n_heads=heads,
        n_kv_heads=config.count("attention.head_count_kv", heads, heads),
        d_model=d_model,
        d_head=d_head,
        d_ff=config.count("feed_forward_length", MOST_D_FF),
        n_vocabulary=_rows(header, "token_embd.weight"),
        n_positions=config.count("context_length", MOST_CONTEXT),
        eps=config.number(norm),
        activation=_ACTIVATION[kind],
        rope=rope,
        n_segments=_rows(header, "token_types.weight") if kind == BERT else 0,
        is_tied="output.weight" not in header.tensors,
        biases=ALL_BIASES[kind] or _biases(header),
        has_head_norms=architecture == "qwen3",
    )


def _rows(header: GGUFHeader, name: str) -> int:
    """How many rows a table has. Raises `InputError` if the file does not have it."""
    if name not in header.tensors:
        raise input_error(TEXTS, "no_part", name=name)
    return header.tensors[name].shape[0]


def _biases(header: GGUFHeader) -> frozenset[str]:
    """The biases that the first layer has: then every layer must have them."""
    names = {name: f"blk.0.{name}.bias" for name in _BIAS_OF}
    return frozenset(_BIAS_OF[name] for name, full in names.items() if full in header.tensors)
