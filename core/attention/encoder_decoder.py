"""Encoder and decoder of one layer each, over two sentences (Vaswani et al. 2017, section 3.1).

The encoder's block reads its sentence without a mask. The decoder reads its own under the causal
mask, then the rows that the encoder made, and has a feed-forward net: each of the three with a
residual and a layer norm after the sum. Part 1 is the encoder, part 2 the decoder's
self-attention and net, part 3 its cross-attention: queries of the decoder, keys and values of
the encoder.
"""

from functools import cache

from core.attention.block import ADD, AGAIN, HANDED_ON, LAYER_AXES, MADE
from core.attention.inputs import SEED, toy_inputs
from core.attention.layer import Reading, attention_steps, layer_weights
from core.attention.layer_inputs import attention_arrays, net_arrays, norm_arrays
from core.attention.masks import Rule
from core.attention.meanings import row
from core.attention.phases import CAUSAL, OPEN
from core.attention.sublayers import (
    attention_phase,
    feed_forward,
    feed_forward_inputs,
    feed_forward_phases,
    layer_norm,
    norm_inputs,
    norm_phase,
    numbered,
    residual,
    residual_phase,
)
from core.program.axes import POSITION, Axis
from core.program.inputs import Inputs
from core.program.program import Program
from core.program.steps import Input, Phase

READ = "read"
"""What the list of the encoder's tokens is called."""
NORMS = ("1a", "1b", "2a", "3a", "2b")


@cache
def encoder_decoder_program(heads: int = 2) -> Program:
    """Rows of two texts, read by an encoder and a decoder of one layer each; ReLU, post-norm."""
    inputs = (
        Input("X_read", "q m", row("q", "{}, before any mixing")),
        Input("X_write", "i m", row("i", "{}, before any mixing")),
        *(one for part, where in _PARTS.items() for one in layer_weights(numbered(part), where)),
        *(one for norm in NORMS for one in norm_inputs(norm)),
        *(one for part in "12" for one in feed_forward_inputs(part)),
    )
    steps = (
        *attention_steps(Reading(Rule("none"), "X_read", "X_read", "q", "j"), numbered("1")),
        residual("added_1", "X_read", "attn_1", HANDED_ON, "q"),
        *layer_norm("1a", "added_1", "Z_1", "q"),
        *feed_forward("relu", "1", "Z_1", "q"),
        residual("raised_1", "Z_1", "down_1", MADE, "q"),
        *layer_norm("1b", "raised_1", "H_1", "q"),
        *attention_steps(Reading(Rule("causal"), "X_write", "X_write", "i", "t"), numbered("2")),
        residual("added_2", "X_write", "attn_2", HANDED_ON),
        *layer_norm("2a", "added_2", "Z_2"),
        *attention_steps(Reading(Rule("none"), "Z_2", "H_1", "i", "j"), numbered("3")),
        residual("added_3", "Z_2", "attn_3", HANDED_ON),
        *layer_norm("3a", "added_3", "Z_3"),
        *feed_forward("relu", "2", "Z_3"),
        residual("raised_2", "Z_3", "down_2", MADE),
        *layer_norm("2b", "raised_2", "H_2"),
    )
    return Program(
        inputs, steps, (_TEXTS, _encoder(), _decoder()), {"h": heads, "o": 1},
        {
            **LAYER_AXES,
            "q": Axis("encoder position", POSITION, "query", "L_read", tokens=READ),
            "j": Axis("encoder position", POSITION, "key", "L_read", tokens=READ),
            "i": Axis("decoder position", POSITION, "query", "L_write"),
            "t": Axis("decoder position", POSITION, "key", "L_write"),
        },
        makes="the result",
    )  # fmt: skip


_PARTS = {
    "1": ", in the encoder", "2": ", in the decoder", "3": ", where the decoder reads the encoder",
}  # fmt: skip


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


_TEXTS = Phase(
    "Two sentences", ("X_read", "X_write"), "One is read, the other is written.", defines=True,
    words="A row for each token. The encoder has the sentence to translate, all of it; the decoder "
    "the translation as far as it is written.",
)  # fmt: skip


def _encoder() -> Phase:
    return Phase(
        "Encoder", ("H_1",), "Every token reads every other.", defines=True,
        shows=("weights_1", "H_1"),
        phases=(
            attention_phase("1", OPEN),
            residual_phase("added_1", ADD, "A residual connection."),
            norm_phase("1a", "Z_1"),
            *feed_forward_phases("relu", "1"),
            residual_phase("raised_1", AGAIN, "A second residual."),
            norm_phase("1b", "H_1"),
        ),
        words="A transformer block without a mask: the sentence to translate is known as a whole, "
        "so each of its tokens may read those after it too. Open it to see its steps.",
    )  # fmt: skip


def _decoder() -> Phase:
    return Phase(
        "Decoder", ("H_2",), "Reads itself, then the encoder.", defines=True,
        shows=("weights_2", "weights_3", "H_2"),
        phases=(
            attention_phase(
                "2", CAUSAL, title="Read itself",
                words="Each token of the decoder reads itself and those before it. Open it to see "
                "its steps.",
            ),
            residual_phase("added_2", ADD, "A residual connection."),
            norm_phase("2a", "Z_2"),
            attention_phase(
                "3", OPEN, title="Read the encoder",
                words="Queries of the decoder's rows, keys and values of the rows that the encoder "
                "made: cross-attention. Open it to see its steps.",
            ),
            residual_phase("added_3", AGAIN, "A second residual."),
            norm_phase("3a", "Z_3"),
            *feed_forward_phases("relu", "2"),
            residual_phase("raised_2", "And once more", "A third residual."),
            norm_phase("2b", "H_2"),
        ),
        words="Three parts, where the encoder has two: attention to its own sentence under the "
        "causal mask, attention to the rows that the encoder made, and a feed-forward net. Open it "
        "to see its steps.",
    )  # fmt: skip
