"""The programs of attention itself, as samples; what a chapter makes of them, its folder says."""

from core.attention.given.given_program import BY_HEAD, OF_ALL, vectors_program, weights_program
from core.attention.layers.block import POST, PRE, BlockKind, block_program
from core.attention.layers.decoding import decoding_program
from core.attention.layers.encoder_decoder import encoder_decoder_program
from core.attention.layers.feed_forward import UNITS
from core.attention.layers.fused import fused_attention
from core.attention.layers.language_model import model_program
from core.attention.masks import GALLERY, KINDS, LOWER_RIGHT, Rule
from core.attention.mistakes.attention_mistakes import MISTAKES
from core.attention.program import attention_program, cached_program
from core.sample import SMALL_SIZES, Sample

DROWNS = {"empty": ("Q", "K", "V", "scores", "scaled", "masked")}
"""A large negative number takes part in softmax and drowns there, by the mistake's name."""
PROGRAMS = {
    "attention": Sample(attention_program()),
    "attention, shared keys": Sample(attention_program(heads=2, kv_heads=1), {"v": 3, "c": 6}),
    "attention, no mask, no scale": Sample(
        attention_program(heads=1, mask="none", scale=False), SMALL_SIZES
    ),
    "attention, window": Sample(attention_program(heads=2, kv_heads=1, mask="window", window=2)),
    "attention, prefix, a number": Sample(attention_program(mask="prefix", scale=0.5)),
    "attention, empty row": Sample(attention_program(mask="custom"), blind=True),
    "attention, drawn mask, no scale": Sample(
        attention_program(heads=1, mask="custom", scale=False)
    ),
    "attention, fused": Sample(fused_attention(2, 2), {"m": 4, "c": 4}),
    "attention, split by columns": Sample(
        fused_attention(2, 2, memory=False), {"m": 4, "c": 4}, blind=True
    ),
    "a decoder's step": Sample(decoding_program(2, 3), {"i": 1, "c": 4}),
    "a decoder's step, several new": Sample(decoding_program(2, 3), {"i": 2, "c": 4}),
    "a decoder's step, upper left": Sample(
        decoding_program(2, 3, upper_left=True), {"i": 2, "c": 4}
    ),
}
PROGRAMS |= {
    f"gallery, {name}": Sample(
        cached_program(1, 1, KINDS[name].rule(2, 2)), {**SMALL_SIZES, "i": 4, "j": 4}
    )
    for name in GALLERY
}
PROGRAMS |= {
    f"mistake, {name}, on the walkthrough": Sample(
        mistake.change(attention_program()), {**SMALL_SIZES, "c": 2}, moves=DROWNS.get(name, ())
    )
    for name, mistake in MISTAKES.items()
    if not mistake.unfit(attention_program())
}

_CAUSAL, _NONE, _OWN = (Rule(name, corner=LOWER_RIGHT) for name in ("causal", "none", "custom"))
_FEWER = {"i": 2, "j": 3, "k": 2, "v": 1}
PROGRAMS |= {
    "attention, biases": Sample(
        attention_program(heads=2, kv_heads=1, biases=True),
        {"v": 3, "c": 6},
        moves=("Q", "K", "V", "scores", "scaled"),  # b_K moves all scores of a row alike
    ),
    "attention, a bias": Sample(attention_program(heads=1, biases=["b_V"]), SMALL_SIZES),
    "from Q, K, V": Sample(vectors_program(2, 2, _CAUSAL)),
    "from Q, K, V, fewer queries": Sample(vectors_program(2, 1, _CAUSAL), _FEWER),
    "from Q, K, V, a bias": Sample(vectors_program(2, 1, _NONE, False, bias=OF_ALL), _FEWER),
    "from Q, K, V, a mask": Sample(vectors_program(1, 1, _OWN, 0.5), blind=True),
    "from Q, K, V, a mask and a bias by head": Sample(
        vectors_program(2, 1, _OWN, True, BY_HEAD, BY_HEAD), blind=True
    ),
    "from weights": Sample(weights_program(2, 1), _FEWER, positive=("weights",)),
}

_LAYER = {"i": 3, "j": 3, "m": 4, "k": 2, "v": 2, "c": 4, "f": 3}
_LAYERS = {"i": 2, "j": 2, "m": 3, "k": 1, "v": 1, "c": 2, "f": 2}
PROGRAMS |= {
    f"block, {norm}, {unit}, {mask}, {layers}": Sample(
        block_program(BlockKind(norm, unit, mask), layers),
        _LAYER if layers == 1 else _LAYERS,
        moves=("Q_1", "K_1", "V_1", "scores_1", "attn_1", "Z_1", "up_1", "H_1"),
    )
    for norm in (POST, PRE)
    for unit in UNITS
    for mask, layers in (("causal", 1), ("none", 2), ("causal", 3))
}
_MOVED = ("embedded", "X", "Q_1", "K_1", "scores_1", "attn_1", "logits", "probs")
PROGRAMS |= {
    "a language model": Sample(model_program(1, 2), _LAYERS, _MOVED),
    "a language model of two layers": Sample(model_program(2, 2), _LAYERS, _MOVED),
    "a language model with a cache": Sample(
        model_program(2, 2, kept=2), {**_LAYERS, "i": 1, "p": 2, "j": 3}, _MOVED
    ),
    "an encoder and a decoder": Sample(
        encoder_decoder_program(),
        {**_LAYERS, "q": 2, "j": 2, "t": 2},
        ("Q_1", "attn_1", "Z_1", "H_1", "Q_3", "attn_3", "H_2"),
    ),
}
"""Which units let a number pass depends on the number, and softmax drowns some."""
