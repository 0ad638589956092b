"""The settings of a model: from the config.json of its folder, or from the header of its GGUF file.

A setting that changes what is computed in a way that is not built here is refused, never ignored.
Rotary positions of a model for longer texts have the usual frequencies, each divided by a number. A
scaling whose frequencies depend on the prompt, or that changes more than frequencies, is refused.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

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
from core.models.checkpoints.stored_tensor import check_tensor
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
    Divisors,
    ModelSettings,
    Rope,
    llama3_divisors,
    pair_frequencies,
)
from core.texts import core_texts

TEXTS = core_texts("checkpoints")

CONFIG = "config.json"
_TANH_GELUS = ("gelu_new", "gelu_pytorch_tanh", "gelu_fast")
_GELUS = {"gelu": GELU, **dict.fromkeys(_TANH_GELUS, GELU_TANH)}
_SEGMENTS = 16
ROPE_DIVISORS = "rope_freqs.weight"
"""GGUF's tensor of the divisors: one for each pair of features."""
_LENGTH = "original_max_position_embeddings"
_USUAL_BASE = 10_000.0


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


def rope_of_config(config: Config, d_head: int) -> Rope:
    """Return the rotary positions of a config.json. Raises `InputError` if they are not built here.

    Where a file says a setting twice, the one that counts is the one that counts in the library.
    """
    given = config.values.get("rope_scaling") or config.values.get("rope_parameters") or {}
    is_flat = isinstance(given, dict) and not any(isinstance(one, dict) for one in given.values())
    scaling = given.get("rope_type", given.get("type", "default")) if is_flat else given
    if not is_flat or not isinstance(scaling, str) or scaling not in _DIVISORS:
        values = {"given": printable(scaling), "known": ", ".join(_DIVISORS)}
        raise not_run_here("scaled_rope", file=config.file, **values)
    usual = {"rope_theta": "rope_theta", _LENGTH: "max_position_embeddings"}
    values = {name: config.values.get(outer) for name, outer in usual.items()} | given
    if config.values.get(_LENGTH) is not None:
        values[_LENGTH] = config.values[_LENGTH]
    within = Config(config.file, values)
    within.must_be(partial_rotary_factor=1.0)
    base = within.number("rope_theta", _USUAL_BASE)
    divisors = _DIVISORS[scaling](within, base, d_head)
    return Rope(pair_frequencies(base, d_head, divisors), halves=True)


def rope_of_gguf(config: Config, header: GGUFHeader, d_head: int, halves: bool) -> Rope:
    """Return the rotary positions of a GGUF file. Raises `InputError`, as for a folder.

    Unless the file says “none”, every frequency is divided by the factor, which is 1 if the file
    has none. Each is also divided by its number in `ROPE_DIVISORS`, if the file has that tensor.
    """
    config.must_be(**{"rope.scale_linear": 1.0, "rope.scaling.attn_factor": 1.0})
    scalings = {name: name for name in ("none", "linear")}
    scaling = config.one_of("rope.scaling.type", scalings, "linear")
    divisors: Divisors = 1.0
    if scaling == "linear":
        divisors = divisors * config.number("rope.scaling.factor", 1.0)
    if tensor := header.tensors.get(ROPE_DIVISORS):
        check_tensor(tensor, (d_head // 2,))
        of_pairs = tensor.numbers().astype(np.float64)
        if (least := of_pairs.min(initial=np.inf)) <= 0:
            raise input_error(TEXTS, "divisor", name=ROPE_DIVISORS, given=f"{least:g}")
        divisors = divisors * of_pairs
    base = config.number("rope.freq_base", _USUAL_BASE)
    return Rope(pair_frequencies(base, d_head, divisors), halves)


def _llama3(config: Config, base: float, d_head: int) -> Divisors:
    low = config.number("low_freq_factor")
    high = config.number("high_freq_factor", above=low)
    length = config.count(_LENGTH, MOST_CONTEXT)
    return llama3_divisors(base, d_head, config.number("factor"), low, high, length)


_DIVISORS: Mapping[str, Callable[[Config, float, int], Divisors]] = {
    "default": lambda config, base, d_head: 1.0,
    "linear": lambda config, base, d_head: config.number("factor"),
    "llama3": _llama3,
}
"""The divisors by the names of scalings in a config.json. Linear: positions are divided by them."""
