"""The programs of real models' heads and layers, as samples."""

from dataclasses import replace

from core.attention.layers.biases import BIASES
from core.models.transformer.model_programs import (
    HALVES,
    NEIGHBOURS,
    feed_forward_program,
    head_program,
    model_block_program,
)
from core.models.transformer.settings import (
    ALL_BIASES,
    BERT,
    GELU,
    GELU_TANH,
    GPT2,
    LLAMA,
    SILU,
    ModelSettings,
    Rope,
)
from core.sample import Sample

_MOVED = ("Q", "K", "V", "Q_rot", "K_rot", "scores", "scaled")
PROGRAMS = {
    "a model's head, biases": Sample(
        head_program(is_causal=False, biases=BIASES[:3]),
        moves=("Q", "K", "V", "scores", "scaled"),  # b_K moves all scores of a row alike
    ),
    "a model's head, neighbours turn": Sample(head_program(rope=NEIGHBOURS), {"k": 4}, _MOVED),
    "a model's head, halves turn": Sample(
        head_program(is_scaled=False, rope=HALVES), {"k": 4}, _MOVED
    ),
    "a model's head, norms of queries and keys": Sample(
        head_program(rope=HALVES, norm_epsilon=1e-5),
        {"k": 4},
        (*_MOVED, "normed_Q", "normed_K", "Q_norm", "K_norm"),
    ),
}

_SIZES = {"i": 3, "j": 3, "m": 3, "k": 2, "v": 2, "c": 4, "f": 2}


def _settings(kind: str, kv_heads: int, activation: str, rope: Rope | None = None) -> ModelSettings:
    return ModelSettings(
        kind=kind,
        n_layers=1,
        n_heads=2,
        n_kv_heads=kv_heads,
        d_model=_SIZES["m"],
        d_head=_SIZES["k"],
        d_ff=_SIZES["f"],
        n_vocabulary=5,
        n_positions=5,
        eps=1e-5,
        activation=activation,
        rope=rope,
        biases=ALL_BIASES[kind],
    )


_LAYERS = {
    "gpt2": _settings(GPT2, 2, GELU_TANH),
    "llama": _settings(LLAMA, 1, SILU, Rope((1.0,), halves=True)),
    "bert": _settings(BERT, 2, GELU),
}
_LAYERS["qwen3"] = replace(_LAYERS["llama"], has_head_norms=True)
_MOVED_IN_LAYER = ("Q", "K", "V", "scores", "attn", "Z", "up", "units")
PROGRAMS |= {
    f"a model's layer, {kind}": Sample(
        model_block_program(settings),
        _SIZES,
        _MOVED_IN_LAYER[: 4 if "b_K" in settings.biases else None],  # as for a head with biases
    )
    for kind, settings in _LAYERS.items()
}
PROGRAMS |= {
    f"some units of a model's net, {kind}": Sample(
        feed_forward_program(settings, others=True), _SIZES, ("up", "units", "net", "H")
    )
    for kind, settings in _LAYERS.items()
}
