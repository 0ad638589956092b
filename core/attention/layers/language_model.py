"""A whole language model of one block or several, in GPT-2's order (Radford et al. 2019).

    X = E[token] + P[position],  blocks with the norm before,  N = LN(H),
    logits = N W_U,  probs = softmax(logits) over the vocabulary

Each row of `probs` says which word may come after its token. Looking up a row of the table E is the
product of a one-hot row and E. With `kept`, the program runs on new tokens alone, and keys and
values of the tokens before come from each layer's cache.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
from jaxtyping import Float

from core.attention.layers import block
from core.attention.layers.layer import kept_rows, numbered, token_feature
from core.attention.layers.row_norms import layer_norm
from core.operations.products import matmul
from core.operations.softmax import softmax_rows
from core.operations.sums import add
from core.program.axes import POSITION, Axis
from core.program.described import meaning, phase
from core.program.inputs import Inputs
from core.program.labels import told_label
from core.program.patterns import Cell
from core.program.program import Program
from core.program.steps import Input, Meaning, Step
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("layers")
KIND = block.BlockKind(block.PRE, "gelu")
MODEL_WORDS = "words"
"""What the list of the vocabulary's words is called."""
FINAL = "f"
"""What the last layer norm is called, which belongs to no layer."""
MODEL_LIKE = (
    "((W_)?[QKV]|[KV]_(kept|new)|W_O|W_up|W_down|scores|scaled|mask|masked|weights|context|concat"
    "|attn|Z|up|units|down|H)_[12]|(N|mean|centred|variance|normed|g|b)_([12][ab]|f)"
)
"""How the arrays of layers are called, as a regular expression."""


@lru_cache(maxsize=64)
def model_program(layers: int, heads: int = 1, kept: int = 0, mask: str = KIND.mask) -> Program:
    """From tokens to the probabilities of the next word, through so many blocks.

    Attention has the mask of that kind.
    """
    inputs = [
        Input("one_hot", "i l", _is),
        Input("E", "l m", meaning(TEXTS, "table_entry", "l m", word="l", feature="m")),
        Input("P", "i m", token_feature("position_row", "i m")),
    ]
    steps = [
        Step("embedded", matmul("i l, l m -> i m"), ("one_hot", "E"),
             token_feature("looked_up", "i m")),
        Step("X", add("i m, i m -> i m"), ("embedded", "P"),
             token_feature("with_position", "i m")),
    ]  # fmt: skip
    source, stops = "X", []
    for layer in range(1, layers + 1):
        inputs += block.layer_inputs(layer)
        if kept:
            inputs += kept_rows(numbered(str(layer)))
        made = block.layer_parts(replace(KIND, mask=mask), layer, source, kept)
        steps += made.steps
        stops.append(block.layer_opening(layer, made.phases))
        source = f"H_{layer}"
    word_weight = meaning(TEXTS, "word_weight", "m l", feature="m", word="l")
    last = layer_norm(FINAL, source, "N")
    inputs += [*last.inputs, Input("W_U", "m l", word_weight)]
    steps += [
        *last.steps,
        Step("logits", matmul("i m, m l -> i l"), ("N", "W_U"), _of_word("logit")),
        Step("probs", softmax_rows(), ("logits",), _of_word("next_word"), "weights"),
    ]
    return Program(
        tuple(inputs),
        tuple(steps),
        (_LOOK_UP, _PLACES, *stops, *last.phases, _UNEMBED, _PREDICT),
        {"h": heads, "o": 1},
        {
            **block.LAYER_AXES,
            "i": Axis(TEXTS("query_axis"), POSITION, TEXTS("query_word"), "T", offset=kept),
            "p": Axis(TEXTS("kept_axis"), POSITION, TEXTS("key_word"), "T"),
            "l": Axis(
                TEXTS("vocabulary_axis"), POSITION, TEXTS("word"), "vocabulary", tokens=MODEL_WORDS
            ),
        },
    )


def one_hot(tokens: Sequence[str], words: Sequence[str]) -> Float[np.ndarray, "tokens words"]:
    """A row for each token: 1 at its word, 0 elsewhere."""
    return np.array([[float(word == token) for word in words] for token in tokens])


def cached_inputs(inputs: Inputs, before: Trace) -> Inputs:
    """What a step of writing is given: the rows of the new tokens, and what a run has kept.

    `inputs` are those of all tokens, `before` is the run on those that came before the new ones:
    a whole one, or itself a step with a cache.
    """
    kept = before["K_1"].shape[1]
    arrays = dict(inputs.arrays) | {name: inputs[name][kept:] for name in ("one_hot", "P")}
    layers = [name for name in before if name.startswith("K_") and name[2:].isdigit()]
    noise = {}
    for key in layers:
        for name in (key, f"V{key[1:]}"):
            cached = f"{name[0]}_kept_{key[2:]}"
            arrays[cached], noise[cached] = before[name], before.noise[name]
    return Inputs(arrays, inputs.tokens, inputs.more_tokens, noise)


def probabilities(trace: Trace) -> dict[str, float]:
    """Of each word that it comes next, after the last token."""
    words = trace.more_tokens[MODEL_WORDS]
    return dict(zip(words, trace["probs"][-1].tolist(), strict=True))


def likeliest(trace: Trace) -> str:
    """The word that the model would write next; of equal ones the first of the vocabulary."""
    found = probabilities(trace)
    return max(found, key=found.__getitem__)


_LOOK_UP = phase(TEXTS, "look_up", ("embedded",), defines=True)
_PLACES = phase(TEXTS, "places", ("X",), defines=True)
_UNEMBED = phase(TEXTS, "unembed", ("logits",), defines=True)
_PREDICT = phase(TEXTS, "predict", ("probs",), defines=True)


def _is(trace: Trace, cell: Cell) -> str:
    token, word = (told_label(trace, letter, at) for letter, at in zip("il", cell, strict=True))
    return TEXTS("is_word", token=token, word=word, same=bool(trace["one_hot"][cell]))


def _of_word(id: str) -> Meaning:
    return meaning(TEXTS, id, "i l", token="i", word="l")
