"""A tiny language model, with weights that were learned, random, or set by hand to do a job.

The job: after a word that has stood before, write the word that came after it there, the last time
(induction: Elhage et al. 2021, Olsson et al. 2022). It takes two layers of attention. In the first,
each token reads the one before it and keeps its name. In the second, a token looks for keys that
say "before me stood this same word", and reads what stands there. The learned weights are those of
a training on symbols at random that repeat: each word of a prompt takes the place of one symbol.

Rows have room for the token's own word, for the word before it, for the answer, and for the place:
(c, −c, s, −s) with cosine c and sine s of an angle that grows from place to place. So all rows that
come to a layer norm have one mean and one variance, and its gain and bias can undo it.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from core.attention.inputs import SEED, embedding
from core.attention.layers.block import drawn_tenths, layer_arrays, norm_arrays
from core.attention.layers.language_model import (
    FINAL,
    MODEL_WORDS,
    cached_inputs,
    likeliest,
    model_program,
    one_hot,
)
from core.attention.layers.row_norms import EPSILON
from core.attention.tokens import SHORT, few_enough, tokenise
from core.errors import InputError
from core.models.trained.measures import INDUCTION, PREVIOUS
from core.models.trained.shipped import SHIPPED, shipped_training
from core.models.trained.tasks import REPEATS
from core.program.families import Built, Family, Options, Toggle
from core.program.inputs import Inputs
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("block")
PROMPT = "a cat saw a"
MODEL_LAYERS = 2
MOST_WORDS = 5
"""Words of a vocabulary, few enough that every matrix is seen with its numbers."""
D_MODEL = 4
"""Features of the model with random weights; one head takes them all."""
MODEL_HEADS = SHIPPED[REPEATS].settings.heads
"""Heads of the model with learned weights. The others have one."""
HAND, LEARNED, RANDOM = "hand", "learned", "random"
_MADE = {LEARNED: TEXTS("learned"), HAND: TEXTS("set_by_hand"), RANDOM: TEXTS("random")}
WEIGHTS = Toggle("block_weights", TEXTS("weights"), _MADE, LEARNED, resizes=True)
_RUNS = {"all": TEXTS("all_tokens"), "cache": TEXTS("with_a_cache")}
RUN = Toggle(
    "block_run", TEXTS("run"), _RUNS, "all", resizes=True, shows=dict.fromkeys(_RUNS, "probs")
)
Edits = Mapping[tuple[str, tuple[int, ...]], float]
"""Numbers that somebody has put in the place of others."""


def prompt_vocabulary(text: str) -> tuple[str, ...]:
    """The words of a prompt, each once, in the order of their first occurrence.

    Raises `InputError` where they are too many, or the prompt is too long.
    """
    words = tuple(dict.fromkeys(tokenise(few_enough(text))))
    if len(words) > MOST_WORDS:
        there = TEXTS("words_there", count=len(words))
        raise InputError(there, TEXTS("words_limit", limit=MOST_WORDS), TEXTS("repeat_words"))
    return words


def random_arrays(words: Sequence[str], T: int) -> dict[str, np.ndarray]:
    """Return weights as they are before training, with one decimal."""
    layers = (layer_arrays(str(n), SEED + n - 1, 1, D_MODEL) for n in range(1, MODEL_LAYERS + 1))
    made = {
        "E": np.array([embedding(word, D_MODEL) for word in words]),
        "P": drawn_tenths("P:0", SHORT, D_MODEL)[:T],
        **norm_arrays([FINAL], D_MODEL),
        "W_U": drawn_tenths("W_U:0", D_MODEL, MOST_WORDS)[:, : len(words)],
    }
    for arrays in layers:
        made |= arrays
    return made


SHARP, MATCH, LATE, SURE = 400.0, 625.0, 250.0, 10.0
"""How much the place before counts in the scores of layer 1; an equal word, and a later place, in
those of layer 2; and the answer in the logits. Before division by √d_k.
"""
TURN = np.pi / 8
"""The angle from a place to the next: the sine of SHORT places grows all along."""


def hand_arrays(words: Sequence[str], T: int) -> dict[str, np.ndarray]:
    """Return weights that find the word after an earlier copy of the last token."""
    n = len(words)
    own, before, answer, place = (slice(n * at, n * at + n) for at in range(4))
    d_model, d_k, cos, sin = 3 * n + 4, n + 1, 3 * n, 3 * n + 2
    place = slice(3 * n, d_model)
    angles = TURN * np.arange(T) - np.pi / 2
    up = np.stack([np.cos(angles), -np.cos(angles), np.sin(angles), -np.sin(angles)], 1)

    def zeros(*shape: int) -> np.ndarray:
        return np.zeros(shape)

    made = {"E": zeros(n, d_model), "P": zeros(T, d_model), "W_U": zeros(d_model, n)}
    made["E"][:, own] = np.eye(n)
    made["P"][:, place] = up
    made["W_U"][answer] = SURE * np.eye(n)
    for layer in "12":
        made |= {
            f"W_Q_{layer}": zeros(1, d_model, d_k),
            f"W_K_{layer}": zeros(1, d_model, d_k),
            f"W_V_{layer}": zeros(1, d_model, n),
            f"W_O_{layer}": zeros(n, d_model),
            f"W_up_{layer}": zeros(d_model, 1),
            f"W_down_{layer}": zeros(1, d_model),
        }
        made[f"W_V_{layer}"][0, own] = np.eye(n)
    # Layer 1: a query is its place, turned back by one; a key is its place.
    back = SHARP * np.array([[np.cos(TURN), -np.sin(TURN)], [np.sin(TURN), np.cos(TURN)]])
    made["W_Q_1"][0, [[cos], [sin]], [0, 1]] = back
    made["W_K_1"][0, [cos, sin], [0, 1]] = 1.0
    made["W_O_1"][:, before] = np.eye(n)
    # Layer 2: a query is its word, a key the word before it; later keys are a little larger.
    made["W_Q_2"][0, own, :n] = MATCH * np.eye(n)
    made["W_Q_2"][0, own, n] = LATE
    made["W_K_2"][0, before, :n] = np.eye(n)
    made["W_K_2"][0, sin, n] = 1.0
    made["W_O_2"][:, answer] = np.eye(n)
    # What comes to a norm is 1, 2 or 3 ones, and a place: its gain and bias undo it.
    for norm, ones in (("1a", 1), ("1b", 2), ("2a", 2), ("2b", 3), (FINAL, 3)):
        mean = ones / d_model
        made[f"g_{norm}"] = np.full(d_model, np.sqrt((ones + 2) / d_model - mean**2 + EPSILON))
        made[f"b_{norm}"] = np.full(d_model, mean)
    return made


def learned_arrays(words: Sequence[str], T: int) -> dict[str, np.ndarray]:
    """Return the weights of a model that learned to write what came after an earlier copy."""
    arrays = dict(shipped_training(REPEATS).weights[SHIPPED[REPEATS].settings.steps])
    few = {"E": arrays["E"][: len(words)], "W_U": arrays["W_U"][:, : len(words)]}
    return arrays | few | {"P": arrays["P"][:T]}


def learned_heads() -> dict[str, int]:
    """The head of layer 1 that reads the previous token most, and that of layer 2 of induction."""
    *_, last = shipped_training(REPEATS).measures.values()
    layers = {"previous": last.scores[PREVIOUS][0], "induction": last.scores[INDUCTION][1]}
    return {name: heads.index(max(heads)) for name, heads in layers.items()}


ARRAYS = {HAND: hand_arrays, LEARNED: learned_arrays, RANDOM: random_arrays}


def model_inputs(text: str, weights: str, edits: Edits, words: Sequence[str] = ()) -> Inputs:
    """The prompt and a model's numbers; edits that name no cell of these are left out."""
    tokens = tuple(tokenise(text))
    words = tuple(words) or prompt_vocabulary(text)
    arrays = {"one_hot": one_hot(tokens, words), **ARRAYS[weights](words, len(tokens))}
    for (name, cell), number in edits.items():
        shape = arrays[name].shape if name in arrays else ()
        if len(cell) == len(shape) and all(map(int.__lt__, cell, shape)):
            arrays[name][cell] = number
    return Inputs(arrays, tokens, {MODEL_WORDS: words})


def model_family(text: str, edits: Edits) -> Family:
    """The model on a prompt at once, or with a cache of all but its last. Raises `InputError`."""
    prompt_vocabulary(text)

    def build(options: Options) -> Built:
        inputs = model_inputs(text, options[WEIGHTS.key], edits)
        T, heads = len(inputs.tokens), len(inputs["W_Q_1"])
        if options[RUN.key] == "all" or T == 1:
            return Built(model_program(MODEL_LAYERS, heads), inputs)
        program = model_program(MODEL_LAYERS, heads, kept=T - 1)
        return Built(program, cached_inputs(inputs, _before(inputs)))

    return Family((WEIGHTS, RUN), build)


def _before(inputs: Inputs) -> Trace:
    """The run on all tokens but the last."""
    T = len(inputs.tokens) - 1
    arrays = {**inputs.arrays, **{name: inputs[name][:T] for name in ("one_hot", "P")}}
    program = model_program(MODEL_LAYERS, len(inputs["W_Q_1"]))
    return program.run(Inputs(arrays, inputs.tokens[:T], inputs.more_tokens))


def written_on(trace: Trace) -> str:
    """The prompt with the likeliest next word."""
    return " ".join([*trace.tokens, likeliest(trace)])


def copied(tokens: Sequence[str]) -> str | None:
    """The word after the last earlier occurrence of the last token; None: it has not occurred."""
    *earlier, last = tokens
    found = [at for at, token in enumerate(earlier) if token == last]
    return tokens[found[-1] + 1] if found else None
