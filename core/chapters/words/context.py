"""The same word in several sentences: what goes into attention is the same, what comes out is not.

`bank` with the matrices of P4 (all identities), and the three sentences with *love* (source K).
"""

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from jaxtyping import Float

from core.attention.examples.presets import preset
from core.attention.inputs import toy_inputs
from core.attention.program import attention_program
from core.attention.tokens import tokenise
from core.chapters.words.vectors import BANK, ORDER, TABLE, distances
from core.program.families import Built, Family, Options
from core.program.inputs import Inputs
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("words")
LOVES = tuple(TEXTS(id) for id in ("love_1", "love_2", "love_3"))
LOVE = "love"
D_MODEL = 8


def bank_family() -> Family:
    """*bank* after a word, before it, and after another: one head, identity matrices (P4)."""
    given = preset("P4")

    def build(options: Options) -> Built:
        tokens = tuple(options[ORDER.key].split("-"))
        known = given.inputs()
        X = np.array([TABLE[word] for word in tokens])
        return replace(given.built(), inputs=Inputs({**known, "X": X}, tokens))

    return Family((ORDER,), build, "words_bank_")


def bank_rows(trace: Trace) -> tuple[Float[np.ndarray, "d"], Float[np.ndarray, "d"]]:
    """The row of *bank* as it goes in and as it comes out."""
    at = trace.tokens.index(BANK)
    return trace["X"][at], trace["output"][at]


@dataclass(frozen=True)
class Loves:
    """Each *love* of the sentences: where it stands, its row before attention and after."""

    sentence: tuple[int, ...]
    place: tuple[int, ...]
    before: Float[np.ndarray, "loves d"]
    after: Float[np.ndarray, "loves d"]

    @staticmethod
    def from_first(rows: Float[np.ndarray, "loves d"], n: int) -> float:
        """How far a row is from the first."""
        return float(distances(rows)[0, n])


@cache
def loves() -> Loves:
    """Every *love* of the three sentences, in one head of drawn weights (seed 0), causal."""
    program = attention_program(heads=1)
    found: list[tuple[int, int, np.ndarray, np.ndarray]] = []
    for number, text in enumerate(LOVES):
        trace = program.run(toy_inputs(text, heads=1, d_model=D_MODEL))
        for place, token in enumerate(tokenise(text)):
            if token == LOVE:
                found.append((number, place, trace["X"][place], trace["output"][place]))
    sentence, place, before, after = zip(*found, strict=True)
    return Loves(tuple(sentence), tuple(place), np.array(before), np.array(after))
