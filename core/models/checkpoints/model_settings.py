"""The settings of a model: from the config.json of its folder, or from the header of its GGUF file.

A setting that changes what is computed in a way that is not built here is refused, never ignored.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from core.errors import input_error
from core.limits import MOST_FEATURES, MOST_REAL_HEADS
from core.models.checkpoints.config import Config, not_run_here, printable
from core.models.checkpoints.gguf_headers import GGUFHeader
from core.models.checkpoints.model_families import (
    CONFIG_FAMILIES,
    GGUF_FAMILIES,
    GGUF_WEIGHTS,
    ModelFamily,
)
from core.models.checkpoints.rope_settings import rope_of_config, rope_of_gguf
from core.models.transformer.settings import (
    ALL_BIASES,
    BERT,
    GELU,
    GELU_TANH,
    LLAMA,
    MOST_CONTEXT,
    MOST_D_FF,
    MOST_D_MODEL,
    MOST_LAYERS_OF_A_MODEL,
    MOST_VOCABULARY,
    SILU,
    ModelSettings,
)
from core.texts import core_texts

TEXTS = core_texts("checkpoints")

CONFIG = "config.json"
_TANH_GELUS = ("gelu_new", "gelu_pytorch_tanh", "gelu_fast")
_GELUS = {"gelu": GELU, **dict.fromkeys(_TANH_GELUS, GELU_TANH)}
_SEGMENTS = 16


def settings_of_config(values: Mapping[str, Any], file: str = CONFIG) -> ModelSettings:
    """Return the settings of a model. Raises `InputError`, also if code comes with the model."""
    config = Config(file, values)
    for name in ("auto_map", "trust_remote_code"):
        if values.get(name):
            raise not_run_here("has_code", file=file, name=name)
    model_type = str(values.get("model_type"))
    if model_type not in CONFIG_FAMILIES:
        given, known = printable(model_type), ", ".join(CONFIG_FAMILIES)
        raise not_run_here("model_type", file=file, given=given, known=known)
    if packed := values.get("quantization_config"):
        raise not_run_here("quantised", file=file, given=printable(packed))
    family = CONFIG_FAMILIES[model_type]
    config.must_be(add_cross_attention=False, is_decoder=False, **family.fixed)
    sizes, names, is_llama = _sizes(config, family), family.names, family.kind == LLAMA
    activations = {"silu": SILU} if is_llama else _GELUS
    settings = ModelSettings(
        family.kind,
        **sizes,
        n_vocabulary=config.count("vocab_size", MOST_VOCABULARY),
        activation=config.one_of(names["activation"], activations, family.usual["activation"]),
        rope=rope_of_config(config, sizes["d_head"]) if is_llama else None,
        is_tied=config.flag("tie_word_embeddings", not is_llama),
        biases=family.biases or ALL_BIASES[family.kind],
        has_head_norms=model_type == "qwen3",
    )
    if is_llama:
        return _of_llama(settings, config, family)
    if "n_segments" in names:
        segments = config.count(names["n_segments"], _SEGMENTS, family.usual["n_segments"])
        settings = replace(settings, n_segments=segments)
    return _of_roberta(settings, config, family) if "padding_id" in family.usual else settings


def settings_of_gguf(header: GGUFHeader, file: str) -> ModelSettings:
    """Return the settings of a model. Raises `InputError` for what is not built here."""
    architecture = str(header.settings.get("general.architecture"))
    if architecture not in GGUF_FAMILIES:
        given, known = printable(architecture), ", ".join(GGUF_FAMILIES)
        raise not_run_here("model_type", file=file, given=given, known=known)
    start = f"{architecture}."
    values = {n.removeprefix(start): v for n, v in header.settings.items() if n.startswith(start)}
    config, family = Config(file, values), GGUF_FAMILIES[architecture]
    sizes, kind = _sizes(config, family), family.kind
    config.must_be(
        **{
            "attention.value_length": sizes["d_head"],
            "rope.dimension_count": sizes["d_head"],
            "attention.causal": kind != BERT,
            "use_parallel_residual": True,
            "expert_count": 0,
        }
    )
    rope = None
    if kind == LLAMA:  # queries and keys of Llama alone are reordered, so that neighbours are pairs
        rope = rope_of_gguf(config, header, sizes["d_head"], halves=architecture != "llama")
    return ModelSettings(
        kind,
        **sizes,
        n_vocabulary=_rows(header, "token_embd.weight"),
        activation=family.usual["activation"],
        rope=rope,
        n_segments=_rows(header, "token_types.weight") if kind == BERT else 0,
        is_tied="output.weight" not in header.tensors,
        biases=ALL_BIASES[kind] or _biases_of_first_layer(header),
        has_head_norms=architecture == "qwen3",
    )


def _sizes(config: Config, family: ModelFamily) -> dict[str, Any]:
    """What every file says in some way, by our names. Raises `InputError` unless it fits."""
    names, usual = family.names, family.usual

    def count(name: str, most: int, default: int | None = None) -> int:
        return config.count(names[name], most, usual.get(name, default))

    heads, d_model = count("n_heads", MOST_REAL_HEADS), count("d_model", MOST_D_MODEL)
    says_width = "d_head" in usual or config.values.get(names.get("d_head", "")) is not None
    if d_model % heads and not says_width:
        raise input_error(TEXTS, "uneven_width", file=config.file, heads=heads, d_model=d_model)
    kv_heads, d_head = heads, d_model // heads
    if "d_head" in names:
        d_head = count("d_head", MOST_FEATURES, d_head)
    if (key := names.get("n_kv_heads")) is not None:  # null says as many as heads
        own = heads if key in config.values else usual.get("n_kv_heads", heads)
        kv_heads = config.count(key, heads, own)
    return {
        "n_layers": count("n_layers", MOST_LAYERS_OF_A_MODEL),
        "n_heads": heads,
        "n_kv_heads": kv_heads,
        "d_model": d_model,
        "d_head": d_head,
        "d_ff": count("d_ff", MOST_D_FF, d_model * usual["wider"] if "wider" in usual else None),
        "n_positions": count("n_positions", MOST_CONTEXT),
        "eps": config.number(names["eps"], usual.get("eps")) if "eps" in names else usual["eps"],
    }


def _of_llama(settings: ModelSettings, config: Config, family: ModelFamily) -> ModelSettings:
    """The settings with the biases of a file, and as many positions as can be read.

    Up to a sliding window, every token sees all before it.
    """
    biases = {*family.biases}
    if config.flag("attention_bias", False) and not biases:
        biases = {f"b_{n}" for n in "QKVO"}
    if config.flag("mlp_bias", False):
        biases |= {"b_gate", "b_up", "b_down"}
    positions, window = settings.n_positions, family.usual.get("window")
    slides = config.flag("use_sliding_window", window is not None)
    if slides and config.values.get("sliding_window", window) is not None:
        positions = min(positions, config.count("sliding_window", MOST_CONTEXT, window))
    return replace(settings, biases=frozenset(biases), n_positions=positions)


def _of_roberta(settings: ModelSettings, config: Config, family: ModelFamily) -> ModelSettings:
    """The settings with positions that are counted from the padding token's number on."""
    usual, rows = family.usual["padding_id"], family.names["n_positions"]
    padding = config.count("pad_token_id", MOST_VOCABULARY, usual, least=0)
    count = config.count(rows, MOST_CONTEXT, least=padding + 2)
    return replace(settings, n_positions=count - padding - 1, padding_id=padding)


def _rows(header: GGUFHeader, name: str) -> int:
    """How many rows a table has. Raises `InputError` if the file does not have it."""
    if name not in header.tensors:
        raise input_error(TEXTS, "no_part", name=name)
    return header.tensors[name].shape[0]


def _biases_of_first_layer(header: GGUFHeader) -> frozenset[str]:
    """The biases that the first layer has: then every layer must have them."""
    stems = {f"b_{n}": GGUF_WEIGHTS[LLAMA][n].format(l=0) for n in "QKVO"}
    return frozenset(name for name, stem in stems.items() if f"{stem}.bias" in header.tensors)
