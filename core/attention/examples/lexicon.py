"""The words that an example with two meanings knows, and the rows of X that they have."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float

from core.attention.examples.two_meanings import BANK_MEANINGS, OTHER_FEATURES
from core.attention.inputs import embedding

FEATURE_NAMES = (*BANK_MEANINGS.features, *OTHER_FEATURES)
ASKED = ("water", "money", "thing", "small word", "open")
"""The features that head 1 reads: a drawn row has 0 there, so that no word answers by chance."""


@dataclass(frozen=True, eq=False)
class Lexicon:
    """`rows` by words in lower case. `is_drawn` says that any other word's row is drawn.

    Otherwise it is all zeros: nothing is known of the word, and no head reads anything of it.
    `means` says what a word of two meanings is, by the word and the feature that tells which.
    """

    rows: Mapping[str, np.ndarray]
    features: tuple[str, ...] = FEATURE_NAMES
    is_drawn: bool = False
    means: Mapping[tuple[str, str], str] = field(default_factory=dict)

    def knows(self, word: str) -> bool:
        """Whether the word has a row made by hand, in lower case too."""
        return word in self.rows or word.lower() in self.rows

    def row_of(self, word: str) -> Float[np.ndarray, "8"]:
        """A word's row of X. A drawn row has 0 in what head 1 asks about."""
        if self.knows(word):
            return self.rows[word if word in self.rows else word.lower()]
        if not self.is_drawn:
            return np.zeros(len(FEATURE_NAMES))
        drawn = np.array(embedding(word, len(FEATURE_NAMES)))
        drawn[[FEATURE_NAMES.index(feature) for feature in ASKED]] = 0.0
        return drawn

    def has(self, word: str, feature: str) -> bool:
        """Whether the word is known, and has a feature, by its name in the example of *bank*."""
        return self.knows(word) and bool(self.row_of(word)[FEATURE_NAMES.index(feature)] > 0)

    def unknown_words(self, tokens: Iterable[str]) -> tuple[str, ...]:
        """The tokens, each once, whose rows are not made by hand."""
        return tuple(dict.fromkeys(token for token in tokens if not self.knows(token)))

    def is_open(self, word: str) -> bool:
        """Whether the word is known, and open in meaning."""
        return self.has(word, "open")
