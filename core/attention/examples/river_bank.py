"""The example that opens the product, and its recipe: named features, and weights made by hand.

Each head does something that can be said. Head 1 asks "which meaning?": only words that are open in
meaning ask, and the words that tell water from money answer. Head 2 asks "who does it?": an action
asks for the person, everything else that takes part asks for the action. Words of the lexicon have
rows made by hand in any sentence. Every number has one decimal.

Of any other word with two meanings an example is made by the same matrices: water and money are
called as its meanings are, and its cues have the rows of *river* and *money*.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType

import numpy as np
from jaxtyping import Float

from core.attention.examples.two_meanings import (
    BANK_MEANINGS,
    FEATURE_NAMES,
    OTHER_FEATURES,
    TEN,
    Lexicon,
    TwoMeanings,
    own_meanings,
)
from core.attention.examples.worked_example import Preset
from core.attention.tokens import tokenise
from core.texts import core_texts

TEXTS = core_texts("river_bank")
HEADS = (TEXTS("which_meaning"), TEXTS("who_does_it"))
RIVER_BANK_TEXT = BANK_MEANINGS.text
D_K = 4


def _row(**numbers: float) -> Float[np.ndarray, "_"]:
    """A row of X: a number for each feature that is named, and 0 for every other."""
    named = {name.replace("_", " "): number for name, number in numbers.items()}
    row = np.array([named.pop(feature, 0.0) for feature in FEATURE_NAMES])
    assert not named, named
    return row


def _matrix(rows: Mapping[str, Iterable[float]]) -> Float[np.ndarray, "8 4"]:
    """A matrix of a head: a row for each feature that counts in it, and zeros for every other."""
    zeros = [0.0] * D_K
    return np.array([list(rows.get(feature, zeros)) for feature in FEATURE_NAMES])


_WORDS = {
    # Who acts.
    "we they people": _row(person=1.2),
    "i you he she": _row(person=1.1),
    "children friends": _row(person=1.3),
    "child friend teacher farmer": _row(person=1.2, thing=0.2),
    "sailor": _row(person=1.2, water=0.5),
    "banker": _row(person=1.2, money=0.5),
    "cat dog bird": _row(person=0.8, thing=0.5),
    "fish": _row(person=0.6, water=1.1, thing=0.5),
    # What is done.
    "sat stood waited rested": _row(action=1.4, place=0.3),
    "walked ran played": _row(action=1.5, place=0.2),
    "saw found": _row(action=1.3),
    "swam rowed sailed fished": _row(action=1.4, water=0.8),
    "paid saved spent earned": _row(action=1.4, money=0.8),
    # What there is.
    "river lake sea": _row(water=1.8, thing=1.0, place=0.5),
    "water rain stream": _row(water=1.7, thing=0.9),
    "boat bridge": _row(water=1.1, thing=1.1),
    "money cash coins": _row(money=1.8, thing=1.0),
    "loan account": _row(money=1.6, thing=0.8),
    "tree grass hill house": _row(thing=1.0, place=0.5),
    "book ball bread": _row(thing=1.1),
    # Words of two meanings.
    "bank banks": _row(water=0.4, money=0.4, thing=1.0, open=1.4, place=0.4),
    "pool deposit": _row(water=0.4, money=0.4, thing=0.9, open=1.3, place=0.3),
    # Small words.
    "by at in on near under to from": _row(small_word=1.0, place=0.6),
    "the a an": _row(small_word=1.1),
    "and or": _row(small_word=1.2),
}
LEXICON: Mapping[str, np.ndarray] = {
    word: row for words, row in _WORDS.items() for word in words.split()
}
"""The rows made by hand, by their words in lower case."""

_MORE_MEANS = {
    ("pool", "water"): TEXTS("place_to_swim"), ("pool", "money"): TEXTS("shared_money"),
    ("deposit", "water"): TEXTS("mud"), ("deposit", "money"): TEXTS("paid_in"),
}  # fmt: skip
"""What further words of two meanings are, by the feature that tells which."""

# Features of a query of head 1: who tells of water, of money, of things, and is it open itself?
# Words of water, money and things ask a little for their own kind, small words for things.
_MEANING_Q = _matrix({
    "water": (0.3, 0.0, 0.0, 0.0), "money": (0.0, 0.3, 0.0, 0.0), "thing": (0.0, 0.0, 0.4, 0.0),
    "small word": (0.0, 0.0, 0.8, 0.0), "open": (2.0, 2.0, 0.5, -0.6),
})  # fmt: skip
_MEANING_K = _matrix({
    "water": (1.2, 0.0, 0.0, 0.0), "money": (0.0, 1.2, 0.0, 0.0), "thing": (0.0, 0.0, 0.5, 0.0),
    "small word": (0.0, 0.0, 0.2, 0.0), "open": (0.0, 0.0, 0.0, 0.5),
})  # fmt: skip
_MEANING_V = _matrix({
    "water": (1.0, 0.0, 0.0, 0.0), "money": (0.0, 1.0, 0.0, 0.0), "thing": (0.0, 0.0, 0.5, 0.0),
    "place": (0.0, 0.0, 0.0, 0.5),
})  # fmt: skip
# Features of a query of head 2: an action seeks a person; persons, things and places an action,
# and small words a little.
_DOING_Q = _matrix({
    "action": (1.6, 0.0, 0.0, 0.0), "person": (0.0, 1.6, 0.0, 0.0), "thing": (0.0, 0.0, 1.6, 0.0),
    "small word": (0.0, 0.0, 0.4, 0.0), "place": (0.0, 0.0, 0.0, 2.0),
})  # fmt: skip
_DOING_K = _matrix({"person": (1.4, 0.0, 0.0, 0.0), "action": (0.0, 1.6, 1.6, 1.6)})
_DOING_V = _matrix({
    "person": (1.0, 0.0, 0.0, 0.0), "action": (0.0, 1.0, 0.0, 0.0), "thing": (0.0, 0.0, 0.5, 0.0),
    "place": (0.0, 0.0, 0.0, 0.5),
})  # fmt: skip
_OUTPUT = np.stack([
    _row(water=1.0), _row(money=1.0), _row(thing=0.5), _row(place=0.6),
    _row(person=0.9), _row(action=0.9), _row(thing=0.4), _row(place=0.4),
])  # fmt: skip
_MORE_WORDS = {
    "know knew heard has had lost made": _row(action=1.3),
    "its his her my our their": _row(small_word=1.1),
}
"""Words that only the other examples know: in a link of *bank* they have drawn rows."""


def _means(two: TwoMeanings) -> dict[tuple[str, str], str]:
    return {(two.word, one): plain for one, plain in zip(two.features, two.plain, strict=True)}


BANK_LEXICON = Lexicon(LEXICON, is_drawn=True, means=_means(BANK_MEANINGS) | _MORE_MEANS)
drawn_words = BANK_LEXICON.unknown_words


def lexicon_of(two: TwoMeanings) -> Lexicon:
    """The words that the example of a word with two meanings knows.

    Of other words it knows what has nothing to do with water, money or their two meanings.
    """
    if two is BANK_MEANINGS:
        return BANK_LEXICON
    told = [FEATURE_NAMES.index(name) for name in (*BANK_MEANINGS.features, "open")]
    rows = {word: np.array(row) for word, row in LEXICON.items()}
    for row in rows.values():
        row[told] = 0.0
    for words, row in _MORE_WORDS.items():
        rows |= dict.fromkeys(words.split(), row)
    own = dict(zip((two.word, *two.cues), ("bank", "river", "money"), strict=True))
    rows |= {word.lower(): LEXICON[like] for word, like in own.items()}
    for row in rows.values():
        row.setflags(write=False)
    features = (*two.features, *OTHER_FEATURES)
    return Lexicon(MappingProxyType(rows), features, means=_means(two))


_ARRAYS = {
    "W_Q": np.stack([_MEANING_Q, _DOING_Q]),
    "W_K": np.stack([_MEANING_K, _DOING_K]),
    "W_V": np.stack([_MEANING_V, _DOING_V]),
    "W_O": _OUTPUT,
}


def _example(two: TwoMeanings) -> Preset:
    lexicon, tokens = lexicon_of(two), tuple(tokenise(two.text))
    arrays = {"X": np.stack([lexicon.row_of(token) for token in tokens]), **_ARRAYS}
    for array in (*arrays.values(), *lexicon.rows.values()):
        array.setflags(write=False)
    settings = MappingProxyType({"heads": 2, "kv_heads": 2, "mask": "causal", "scale": True})
    labels = MappingProxyType({"m": lexicon.features, "h": HEADS})
    fixed = two.id, "two_meanings", tokens, settings, MappingProxyType(arrays)
    return Preset(*fixed, labels=labels, lexicon=lexicon, two=two)


BY_RECIPE = {two.id: _example(two) for two in TEN}
RIVER_BANK = BY_RECIPE[BANK_MEANINGS.id]
OWN_BANK = (BANK_MEANINGS.word, ",".join(BANK_MEANINGS.cues), ",".join(BANK_MEANINGS.features))
"""What an example of a person's own is, where the link does not say."""


@lru_cache(maxsize=256)
def own_example(word: str, cues: str, meanings: str) -> Preset:
    """The example of a person's own word. Raises `InputError`."""
    return _example(own_meanings(word, cues, meanings))
