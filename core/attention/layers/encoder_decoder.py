"""Encoder and decoder of one layer each, over two sentences (Vaswani et al. 2017, section 3.1).

The encoder's block reads its sentence without a mask. The decoder reads its own under the causal
mask, then the rows that the encoder made, and has a feed-forward net: each of the three with a
residual and a layer norm after the sum. Part 1 is the encoder, part 2 the decoder's
self-attention and net, part 3 its cross-attention: queries of the decoder, keys and values of
the encoder.
"""

from functools import cache

from core.attention.inputs import SEED, toy_inputs
from core.attention.layers.block import LAYER_AXES, attention_arrays, net_arrays, norm_arrays
from core.attention.layers.feed_forward import UNITS, feed_forward, feed_forward_inputs
from core.attention.layers.layer import (
    LayerPart,
    Reading,
    attention_part,
    joined_parts,
    layer_weights,
    numbered,
    residual,
    token_feature,
)
from core.attention.layers.row_norms import layer_norm, norm_inputs
from core.attention.masks import Rule
from core.attention.phases import CAUSAL_RULE, OPEN
from core.program.axes import POSITION, Axis
from core.program.described import phase
from core.program.inputs import Inputs
from core.program.program import Program
from core.program.steps import Input
from core.texts import core_texts

TEXTS = core_texts("layers")
READ = "read"
"""What the list of the encoder's tokens is called."""
NORMS = ("1a", "1b", "2a", "3a", "2b")
_PARTS = {"1": TEXTS("in_encoder"), "2": TEXTS("in_decoder"), "3": TEXTS("in_cross_attention")}
_SENTENCES = phase(TEXTS, "two_sentences", ("X_read", "X_write"), defines=True)


@cache
def encoder_decoder_program(heads: int = 2) -> Program:
    """Rows of two texts, read by an encoder and a decoder of one layer each; ReLU, post-norm."""
    inputs = (
        Input("X_read", "q m", token_feature("embedding", "q m")),
        Input("X_write", "i m", token_feature("embedding", "i m")),
        *(one for part, where in _PARTS.items() for one in layer_weights(numbered(part), where)),
        *(one for norm in NORMS for one in norm_inputs(norm)),
        *(one for part in "12" for one in feed_forward_inputs(numbered(part))),
    )
    reads, writes = _encoder(), _decoder()
    stops = (
        _SENTENCES,
        phase(
            TEXTS, "encoder", ("H_1",), defines=True,
            shows=("weights_1", "H_1"), phases=tuple(reads.phases),
        ),
        phase(
            TEXTS, "decoder", ("H_2",), defines=True,
            shows=("weights_2", "weights_3", "H_2"), phases=tuple(writes.phases),
        ),
    )  # fmt: skip
    encoder, decoder = TEXTS("encoder_axis"), TEXTS("decoder_axis")
    return Program(
        inputs, (*reads.steps, *writes.steps), stops, {"h": heads, "o": 1},
        {
            **LAYER_AXES,
            "q": Axis(encoder, POSITION, TEXTS("query_word"), "L_read", tokens=READ),
            "j": Axis(encoder, POSITION, TEXTS("key_word"), "L_read", tokens=READ),
            "i": Axis(decoder, POSITION, TEXTS("query_word"), "L_write"),
            "t": Axis(decoder, POSITION, TEXTS("key_word"), "L_write"),
        },
    )  # fmt: skip


def _encoder() -> LayerPart:
    return joined_parts(
        attention_part(Reading(Rule("none"), "X_read", "X_read", "q", "j"), "1", OPEN),
        residual("added_1", "X_read", "attn_1", "added_attention", "add", "q"),
        layer_norm("1a", "added_1", "Z_1", "q"),
        feed_forward(UNITS["relu"], numbered("1"), "Z_1", "q"),
        residual("raised_1", "Z_1", "down_1", "added_net", "add_again", "q"),
        layer_norm("1b", "raised_1", "H_1", "q"),
    )


def _decoder() -> LayerPart:
    own = Reading(Rule("causal"), "X_write", "X_write", "i", "t")
    return joined_parts(
        attention_part(own, "2", CAUSAL_RULE, id="read_itself"),
        residual("added_2", "X_write", "attn_2", "added_attention", "add"),
        layer_norm("2a", "added_2", "Z_2"),
        attention_part(Reading(Rule("none"), "Z_2", "H_1"), "3", OPEN, id="read_encoder"),
        residual("added_3", "Z_2", "attn_3", "added_attention", "add_again"),
        layer_norm("3a", "added_3", "Z_3"),
        feed_forward(UNITS["relu"], numbered("2"), "Z_3"),
        residual("raised_2", "Z_3", "down_2", "added_net", "add_third"),
        layer_norm("2b", "raised_2", "H_2"),
    )


def encoder_decoder_inputs(write: str, read: str, *, heads: int = 2, d_model: int = 4) -> Inputs:
    """Toy inputs: part n's weights are drawn with seed n − 1. Raises `InputError` past a limit."""
    asks, gives = (toy_inputs(text, heads=heads, d_model=d_model) for text in (write, read))
    arrays = {"X_read": gives["X"], "X_write": asks["X"]}
    for part in _PARTS:
        arrays |= attention_arrays(part, SEED + int(part) - 1, heads, d_model)
    for part in "12":
        arrays |= net_arrays(part, SEED + int(part) - 1, d_model)
    arrays |= norm_arrays(NORMS, d_model)
    return Inputs(arrays, asks.tokens, {READ: gives.tokens})
