"""Words of two meanings, as data: the word, a cue for each meaning, the names of both; the rows of
X that words have, and whether the cue of a sentence tells the meaning.

`core/attention/examples/river_bank.py` makes an example of each, all by one recipe.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float

from core.attention.inputs import embedding
from core.attention.tokens import replaced_words, tokenise
from core.errors import InputError, input_error
from core.program.labels import marked_token, told_number
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("two_meanings")
OTHER_FEATURES = ("person", "action", "thing", "small word", "open", "place")
"""What the features after the two meanings are called, in every example."""
LONGEST_WORD = 20
"""Characters of a word, a cue or a meaning of a person's own."""
BETWEEN = ","
"""Between the two cues, and the two meanings, as a link writes them."""
Pair = tuple[str, str]


@dataclass(frozen=True)
class TwoMeanings:
    """A word, a cue for each meaning, and the names of the two features.

    `sentence` has {cue} where the cues differ; `plain_texts` are the ids of what people call each.
    """

    id: str
    word: str
    cues: Pair
    features: Pair
    sentence: str
    plain_texts: Pair | None = None

    @property
    def plain(self) -> Pair:
        """What people call each meaning; "" for a person's own word."""
        if self.plain_texts is None:
            return "", ""
        one, other = map(TEXTS, self.plain_texts)
        return one, other

    @property
    def text(self) -> str:
        """Its sentence, with the first cue."""
        return self.sentence.replace("{cue}", self.cues[0])

    @property
    def names(self) -> dict[str, str]:
        """What its texts fill in."""
        cue, other = self.cues
        meaning, other_meaning = self.features
        return {
            "word": self.word, "cue": cue, "other": other,
            "meaning": meaning, "other_meaning": other_meaning,
        }  # fmt: skip

    def cues_of(self, text: str) -> list[str]:
        """The cues that a sentence has."""
        found = {token.lower() for token in tokenise(text)}
        return [cue for cue in self.cues if cue.lower() in found]

    def other_cue(self, cue: str) -> str:
        return self.cues[1 - self.cues.index(cue)]

    def flipped(self, text: str) -> str:
        """The sentence with its cue changed to the other one; as it is if it has not just one."""
        found = self.cues_of(text)
        if len(found) != 1:
            return text
        return replaced_words(text, found[0], self.other_cue(found[0]))


BANK_MEANINGS = TwoMeanings(
    "river-bank", "bank", ("river", "money"), ("water", "money"), "we sat by the {cue} bank",
    ("shore", "place_for_money"),
)  # fmt: skip
_NINE: tuple[tuple[str, Pair, Pair, str, Pair], ...] = (
    ("bat", ("cave", "game"), ("animal", "sport"), "in the {cue} we saw a bat",
     ("flying_animal", "stick_for_a_ball")),
    ("mouse", ("cat", "computer"), ("animal", "machine"), "we saw the {cue} and the mouse",
     ("small_animal", "screen_arrow")),
    ("seal", ("ice", "letter"), ("animal", "paper"), "on the {cue} we saw a seal",
     ("swimming_animal", "letter_stamp")),
    ("match", ("stadium", "kitchen"), ("sport", "fire"), "in the {cue} they saw a match",
     ("game", "fire_stick")),
    ("bark", ("dog", "tree"), ("animal", "plant"), "we know the {cue} by its bark",
     ("dog_sound", "tree_skin")),
    ("crane", ("lake", "factory"), ("bird", "machine"), "by the {cue} we saw a crane",
     ("tall_bird", "lifting_machine")),
    ("spring", ("mountain", "metal"), ("water", "machine"), "we found a {cue} spring",
     ("ground_water", "jumping_part")),
    ("nail", ("finger", "wall"), ("body", "tool"), "on the {cue} we saw a nail",
     ("finger_end", "metal_pin")),
    ("star", ("sky", "film"), ("space", "fame"), "in the {cue} we saw a star",
     ("night_light", "famous_person")),
)  # fmt: skip
TEN = (BANK_MEANINGS, *(TwoMeanings(row[0], *row) for row in _NINE))
"""Those that ship. In each sentence the cue stands before the word, where the mask lets it be."""
OWN = "own"
"""The id of the example that a person makes."""
BY_ID = {two.id: two for two in TEN}


def own_meanings(word: str, cues: str, meanings: str) -> TwoMeanings:
    """A person's own, as a link writes it. Raises `InputError`."""
    one, pair, features = own_word(word), own_pair(cues), own_features(meanings)
    if one.lower() in {cue.lower() for cue in pair}:
        raise input_error(TEXTS, "same_word", word=repr(one))
    return TwoMeanings(OWN, one, pair, features, f"we saw the {{cue}} {one}")


def own_word(text: str) -> str:
    """One word, without spaces around it. Raises `InputError`."""
    word = text.strip()
    try:
        tokens = tokenise(word) if len(word) <= LONGEST_WORD else []
    except InputError:
        tokens = []
    if tokens != [word] or BETWEEN in word:
        raise input_error(TEXTS, "no_word", given=_named(text), most=LONGEST_WORD)
    return word


def own_pair(text: str) -> Pair:
    """Two words that differ. Raises `InputError`."""
    return _two(text, own_word)


def own_features(text: str) -> Pair:
    """Two names of features that differ, and from every other feature's. Raises `InputError`."""
    return _two(text, _feature)


def _feature(text: str) -> str:
    name = " ".join(text.split())
    if not 1 <= len(name) <= LONGEST_WORD or not name.isprintable():
        raise input_error(TEXTS, "no_feature", given=_named(text), most=LONGEST_WORD)
    if name.lower() in OTHER_FEATURES:
        raise input_error(
            TEXTS, "taken_feature", given=_named(name), taken=", ".join(OTHER_FEATURES)
        )
    return name


def _two(text: str, read: Callable[[str], str]) -> Pair:
    parts = text.split(BETWEEN)
    if len(parts) != 2:
        raise input_error(TEXTS, "not_two", given=_named(text))
    one, other = map(read, parts)
    if one.lower() == other.lower():
        raise input_error(TEXTS, "alike", given=_named(one))
    return one, other


def _named(text: str) -> str:
    return repr(text[:LONGEST_WORD])


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


def hindrance(trace: Trace, two: TwoMeanings, lexicon: Lexicon) -> str:
    """Say why the cue does not tell the meaning of the word; "" if it does.

    It does if the last place of the word reads the cue most in head 1, and its meaning is the
    largest feature of what comes out. Nothing is said of a sentence without the word.
    """
    tokens = [token.lower() for token in trace.tokens]
    places = _places(tokens, two.word)
    if not places:
        return ""
    row = places[-1]
    cues = [cue for cue in two.cues if _places(tokens, cue)]
    word = marked_token(two.word)
    if not cues:
        one, other = map(marked_token, two.cues)
        return TEXTS("no_cue", word=word, one=one, other=other)
    if len(cues) == 2:
        one, other = map(marked_token, two.cues)
        return TEXTS("both_cues", word=word, one=one, other=other)
    (cue,) = cues
    at, weights = _places(tokens, cue), trace["weights"][0, row]
    told = {"word": word, "cue": marked_token(cue)}
    if not trace["mask"][row, at].any():
        return TEXTS("hidden_later" if min(at) > row else "hidden", **told)
    top = int(weights.argmax())
    if top not in at:
        return TEXTS("reads_another", **told, top=marked_token(trace.tokens[top]))
    output, meaning = trace["output"][row], two.cues.index(cue)
    largest = int(output.argmax())
    if largest != meaning:
        return TEXTS(
            "another_feature",
            **told,
            weight=told_number(trace, "weights", (0, row, top)),
            largest=marked_token(lexicon.features[largest]),
            number=told_number(trace, "output", (row, largest)),
            meaning=marked_token(lexicon.features[meaning]),
            less=told_number(trace, "output", (row, meaning)),
        )
    return ""


def _places(tokens: Sequence[str], word: str) -> list[int]:
    return np.flatnonzero([token == word.lower() for token in tokens]).tolist()
