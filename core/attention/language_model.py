"""A whole language model of one block or several, in GPT-2's order (Radford et al. 2019).

    X = E[token] + P[position],  blocks with the norm before,  N = LN(H),
    logits = N W_U,  probs = softmax(logits) over the vocabulary

Each row of `probs` says which word may come after its token. Looking up a row of the table E is the
product of a one-hot row and E. With `kept`, the program runs on new tokens alone, and keys and
values of the tokens before come from each layer's cache.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from jaxtyping import Float

from core.attention.block import (
    LAYER_AXES,
    PRE,
    Kind,
    layer_inputs,
    layer_opening,
    layer_phases,
    layer_steps,
)
from core.attention.layer import kept_rows
from core.attention.meanings import row
from core.attention.sublayers import counts, layer_norm, norm_inputs, norm_phase, numbered
from core.operations.products import matmul
from core.operations.softmax import softmax_rows
from core.operations.sums import add
from core.program.axes import POSITION, Axis
from core.program.inputs import Inputs
from core.program.labels import told_label
from core.program.patterns import Cell
from core.program.program import Program
from core.program.steps import Input, Phase, Step
from core.program.trace import Trace

KIND = Kind(PRE, "gelu")
WORDS = "words"
"""What the list of the vocabulary's words is called."""
FINAL = "f"
"""What the last layer norm is called, which belongs to no layer."""


@lru_cache(maxsize=64)
def model_program(layers: int, heads: int = 1, kept: int = 0) -> Program:
    """From tokens to the probabilities of the next word, through so many blocks."""
    inputs = [
        Input("one_hot", "i l", _is),
        Input("E", "l m", _entry),
        Input("P", "i m", row("i", "the row for the place of {}")),
    ]
    steps = [
        Step("embedded", matmul("i l, l m -> i m"), ("one_hot", "E"),
             row("i", "the embedding of {}")),
        Step("X", add("i m, i m -> i m"), ("embedded", "P"),
             row("i", "{}: its embedding plus the row of its place")),
    ]  # fmt: skip
    source, stops = "X", []
    for layer in range(1, layers + 1):
        inputs += layer_inputs(layer)
        if kept:
            inputs += kept_rows(numbered(str(layer)))
        steps += layer_steps(KIND, layer, source, kept)
        stops.append(layer_opening(layer, layer_phases(KIND, layer, kept)))
        source = f"H_{layer}"
    inputs += [*norm_inputs(FINAL), Input("W_U", "m l", counts("feature {}", "word {}"))]
    steps += [
        *layer_norm(FINAL, source, "N"),
        Step("logits", matmul("i m, m l -> i l"), ("N", "W_U"), _logit),
        Step("probs", softmax_rows(), ("logits",), _next, "weights"),
    ]
    return Program(
        tuple(inputs), tuple(steps),
        (_LOOK_UP, _PLACES, *stops, norm_phase(FINAL, "N"), _UNEMBED, _SHARES),
        {"h": heads, "o": 1},
        {
            **LAYER_AXES,
            "i": Axis("query position", POSITION, "query", "T", offset=kept),
            "p": Axis("kept position", POSITION, "key", "T"),
            "l": Axis("word of the vocabulary", POSITION, "word", "vocabulary", tokens=WORDS),
        },
        makes="the next word's probabilities",
    )  # fmt: skip


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
    words = trace.more_tokens[WORDS]
    return dict(zip(words, trace["probs"][-1].tolist(), strict=True))


def likeliest(trace: Trace) -> str:
    """The word that the model would write next; of equal ones the first of the vocabulary."""
    found = probabilities(trace)
    return max(found, key=found.__getitem__)


_LOOK_UP = Phase(
    "Look up", ("embedded",), "Each token's row of the table.", defines=True,
    words="The vocabulary lists all words that the model knows, and the table E has a row for "
    "each. A token is a row of zeros with a 1 at its word (one-hot); times E it picks that word's "
    "row. In code one simply takes the row.",
)  # fmt: skip
_PLACES = Phase(
    "Add positions", ("X",), "The row of the place is added.", defines=True,
    words="Attention alone does not know where a token stands: a row for its place is added to its "
    "embedding.",
)  # fmt: skip
_UNEMBED = Phase(
    "Compare with every word", ("logits",), "A score for each word of the vocabulary.",
    defines=True,
    words="Each token's last row meets a column for each word: the dot products say how well each "
    "word would go on from there. These scores are called logits. W_U is called the unembedding.",
)  # fmt: skip
_SHARES = Phase(
    "Next word", ("probs",), "Softmax over the vocabulary.", defines=True,
    words="Softmax makes probabilities of each row of logits. Row i says which word comes after "
    "token i. To write, one takes the last row; in training every row is compared with the word "
    "that did come.",
)  # fmt: skip


def _word(trace: Trace, at: int) -> str:
    return told_label(trace, "l", at)


def _is(trace: Trace, cell: Cell) -> str:
    token, word = told_label(trace, "i", cell[0]), _word(trace, cell[1])
    return f"{token} {'is' if trace['one_hot'][cell] else 'is not'} the word {word}."


def _entry(trace: Trace, cell: Cell) -> str:
    return f"Feature {cell[1] + 1} of the embedding of the word {_word(trace, cell[0])}."


def _logit(trace: Trace, cell: Cell) -> str:
    token, word = told_label(trace, "i", cell[0]), _word(trace, cell[1])
    return f"How well {word} would go on after {token}: a score, before softmax."


def _next(trace: Trace, cell: Cell) -> str:
    token, word = told_label(trace, "i", cell[0]), _word(trace, cell[1])
    return f"The probability that {word} comes after {token}."
