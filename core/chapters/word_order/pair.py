"""The same words in two orders: which tokens have the same row after attention in both."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from core.attention.inputs import toy_inputs
from core.attention.program import attention_program
from core.chapters.word_order.encoding_inputs import D_K, D_MODEL
from core.chapters.word_order.encodings import ENCODING, encoding_family
from core.program.inputs import Inputs
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("word_order")
ABOVE, BELOW = TEXTS("dog_bites"), TEXTS("man_bites")
MASK_TOGGLES = ("none", "causal")
SAME = 1e-9
"""Rows are the same if no number differs by more: floats are added in another order."""


@dataclass(frozen=True)
class SentencePair:
    """What attention reads in each sentence, and for each token above its position below.

    `same` says for each token above whether both of its rows are the same.
    """

    above: Trace
    below: Trace
    place: Sequence[int]
    same: Sequence[bool]


@lru_cache(maxsize=4)
def pair(mask: str, placed: bool) -> SentencePair:
    """Return the two runs, with a mask or without; `placed` adds a row for each position to X."""
    above, below = (_run(text, mask, placed) for text in (ABOVE, BELOW))
    place = [below.tokens.index(token) for token in above.tokens]
    gaps = np.abs(above["context"][0] - below["context"][0][place]).max(axis=-1)
    return SentencePair(above, below, place, [bool(gap <= SAME) for gap in gaps])


def _run(text: str, mask: str, placed: bool) -> Trace:
    given = toy_inputs(text, heads=1, d_model=D_MODEL, d_k=D_K, d_v=D_K)
    X = np.array(given["X"])
    if placed:
        X = X + encoding_family(text).run(**{ENCODING.key: "sinusoidal"})["PE"]
    return attention_program(heads=1, mask=mask).run(Inputs({**given, "X": X}, given.tokens))
