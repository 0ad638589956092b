"""One word changed flips the meaning of another; recomputed from the link's words.

What an example claims is worked out here from the row of each kind of word and the six weight
matrices, with nothing of the product's own run.
"""

import math
import random
import re
from typing import Any

import numpy as np
import pytest

from core.attention.examples import presets, two_meanings
from core.attention.setups import Setup
from core.program.labels import plainly
from tests.core.support import refuses
from tests.quotes import proves
from tests.sampling import some

Rows = list[list[float]]
KNOWN = ["we", "sat", "by", "the", "in", "saw", "a", "child", "house", "walked", "bread", "and"]
UNKNOWN = ["zebra", "Quickly", "42", "näive", "河", ",", "!", "grandmother"]
WORDS = ["bow", "Ring", "plant", "court", "chip", "Wave", "jam", "palm", "fan", "iron"]
CUES = ["arrow", "tie", "phone", "Garden", "tree", "river", "sat", "LAW", "cat", "money", "x1", "é"]
BOW: dict[str, Any] = {"word": "bow", "cues": "arrow,tie", "meanings": "weapon,clothes"}
NAMES = ["weapon", "clothes", "Sound", "law", "water", "food type", "b-2", "größe"]


def attended(X: Rows, row: int, seen: list[int]) -> tuple[list[float], list[float]]:
    """What a row reads from each place in head 1, and its output, by the matrices alone."""
    given, rows = presets.preset("river-bank").arrays, np.array(X)
    reads, joined = [], []
    for W_Q, W_K, W_V in zip(*(given[name] for name in ("W_Q", "W_K", "W_V")), strict=True):
        powers = np.zeros(len(X))
        powers[seen] = np.exp((rows @ W_K)[seen] @ (rows[row] @ W_Q) / math.sqrt(W_Q.shape[1]))
        reads.append(powers / powers.sum())
        joined.append(reads[-1] @ rows @ W_V)
    output: list[float] = (np.concatenate(joined) @ given["W_O"]).tolist()
    return reads[0].tolist(), output


def checked(setup: Setup, two: two_meanings.TwoMeanings) -> int | None:
    """Which meaning the word has in a sentence; None if the product says why it has none."""
    tokens = [token.lower() for token in setup.trace.tokens]
    X: Rows = setup.trace["X"].tolist()
    row = max(at for at, token in enumerate(tokens) if token == two.word.lower())
    free = setup.settings["mask"] == "none"
    reads, output = attended(X, row, list(range(len(X) if free else row + 1)))
    top, largest = reads.index(max(reads)), output.index(max(output))
    meant = [n for n, cue in enumerate(two.cues) if cue.lower() in tokens]
    told = meant == [largest] and tokens[top] == two.cues[largest].lower()
    assert told == (not setup.hindrance), (setup.words, plainly(setup.hindrance))
    if not told:
        why_not(setup, two, tokens, row, reads, output)
    return largest if told else None


def why_not(
    setup: Setup, two: two_meanings.TwoMeanings, tokens: list[str], row: int, reads: list[float],
    output: list[float],
) -> None:  # fmt: skip
    """The reason that is given is so."""
    said = plainly(setup.hindrance)
    places = [[n for n, t in enumerate(tokens) if t == cue.lower()] for cue in two.cues]
    found = [at for at in places if at]
    if said.startswith("Neither"):
        assert not found
    elif said.startswith("Both"):
        assert len(found) == 2
    elif "hides later words" in said:
        assert len(found) == 1
        assert min(found[0]) > row
    elif numbers := re.search(r"only (\S+)\. So (.+), ([\d.]+), is larger than .+, [\d.]+", said):
        top = reads.index(max(reads))
        assert top in found[0]
        assert abs(float(numbers[1]) - reads[top]) <= 0.0051
        assert abs(float(numbers[3]) - max(output)) <= 0.0051
        names = (*two.features, *two_meanings.OTHER_FEATURES)
        assert numbers[2] == names[output.index(max(output))]
    else:
        raise AssertionError(said)


@pytest.mark.parametrize("two", two_meanings.TEN, ids=lambda two: two.id)
def test_each_shipped_word_flips_with_one_word(two: two_meanings.TwoMeanings) -> None:
    meant = []
    for text in (two.text, two.flipped(two.text)):
        setup = Setup(preset=two.id, text=text)
        assert not setup.drawn_words
        meant.append(checked(setup, two))
    assert meant == [0, 1]
    assert sum(a != b for a, b in zip(two.text.split(), text.split(), strict=True)) == 1
    assert two.flipped(text) == two.text
    assert setup.trace.labels["m"] == (*two.features, *two_meanings.OTHER_FEATURES)


def test_there_are_ten_and_each_has_what_people_say() -> None:
    assert len(two_meanings.BY_ID) == len({two.word for two in two_meanings.TEN}) == 10
    assert all(all(two.plain) and len(set(two.plain)) == 2 for two in two_meanings.TEN)


def drawn_sentence(rng: random.Random, word: str, cue: str) -> str:
    """A sentence with both, in any order and any company."""
    company = [*KNOWN, *rng.sample(UNKNOWN, 4)]
    some_words = rng.choices(company, k=rng.randrange(0, rng.choice((4, 12, 50))))
    pair = [rng.choice((cue, cue.upper(), cue.capitalize())), rng.choice((word, word.upper()))]
    if rng.random() < 0.15:
        pair.reverse()
    extra = rng.choice(([], [], [], [word], [cue], [word, cue]))
    tokens = some_words[: rng.randrange(len(some_words) + 1)] + extra + pair
    return " ".join(tokens + some_words[len(tokens) :]) + rng.choice(("", ".", " !"))


@pytest.mark.parametrize("seed", some(range(200), 200, 40))
def test_a_persons_own_word_flips_or_the_product_says_why_not(seed: int) -> None:
    rng = random.Random(seed)
    word = rng.choice(WORDS)
    one, other = rng.sample([cue for cue in CUES if cue.lower() != word.lower()], 2)
    names = rng.sample(NAMES, 2)
    own: dict[str, Any] = {"word": word, "cues": f"{one},{other}", "meanings": ",".join(names)}
    two = two_meanings.own_meanings(*own.values())
    # A cue is no other word of the sentence, which would be changed with it.
    text = drawn_sentence(rng, word, one)
    meant = []
    for sentence in (text, two.flipped(text)):
        meant.append(checked(Setup(preset="own", text=sentence, **own), two))
    if None not in meant:
        assert meant == [0, 1]
    if len(two.cues_of(text)) == 1:
        assert two.flipped(text) != text
        assert [t.lower() for t in two.flipped(two.flipped(text)).split()] == text.lower().split()


def test_of_a_word_that_stands_twice_the_last_place_decides() -> None:
    """The first place comes before the cue, which it may not read."""
    two = two_meanings.own_meanings(*BOW.values())
    assert checked(Setup(preset="own", text="the bow and arrow bow", **BOW), two) == 0


def test_most_of_them_flip() -> None:
    """So that the property above does not hold by reasons alone."""
    two = two_meanings.own_meanings(*BOW.values())
    flips = 0
    for seed in range(40):
        rng = random.Random(seed)
        text = " ".join([*rng.choices([*KNOWN, *UNKNOWN], k=rng.randrange(8)), "arrow", "bow"])
        flips += checked(Setup(preset="own", text=text, **BOW), two) == 0
        flips += checked(Setup(preset="own", text=two.flipped(text), **BOW), two) == 1
    assert flips == 80


@proves("Write the cue before the word")
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("the bow and the arrow", "the mask hides later words"),
        ("we saw the bow", "Neither arrow nor tie is in the sentence"),
        ("the arrow and the tie and the bow", "Both arrow and tie are in the sentence"),
    ],
)
def test_it_says_why_a_cue_tells_nothing(text: str, reason: str) -> None:
    setup, two = Setup(preset="own", text=text, **BOW), two_meanings.own_meanings(*BOW.values())
    assert reason in plainly(setup.hindrance)
    assert checked(setup, two) is None
    if "later" in reason:
        free = Setup(preset="own", text=text, mask="none", **BOW)
        assert not free.hindrance
        assert checked(free, two) == 0


def test_capital_letters_stay_when_a_cue_changes() -> None:
    bat = two_meanings.BY_ID["bat"]
    assert bat.flipped("In the Cave we saw a bat.") == "In the Game we saw a bat."
    assert bat.flipped("CAVE bat, caves") == "GAME bat, caves"
    assert bat.flipped("cave game bat") == "cave game bat"


@pytest.mark.parametrize(
    "text", ["", " ", "two words", "a,b", "x" * (two_meanings.LONGEST_WORD + 1), "!?", "\n"]
)
def test_what_is_not_one_word_is_refused(text: str) -> None:
    refuses("", two_meanings.own_word, text)
    refuses("", two_meanings.own_pair, f"{text},other")


@pytest.mark.parametrize(
    "text", ["", ",", "one", "a,b,c", "a,A", "person,law", "a,Small  Word", "a,\x07"]
)
def test_names_of_features_that_could_not_be_told_apart_are_refused(text: str) -> None:
    refuses("", two_meanings.own_features, text)


def test_a_word_is_no_cue_of_its_own() -> None:
    refuses("cue", two_meanings.own_meanings, "bow", "Bow,tie", "weapon,clothes")


def test_the_story_of_a_persons_own_names_the_other_feature() -> None:
    setup = Setup(preset="own", text=two_meanings.own_meanings(*BOW.values()).text, **BOW)
    said = plainly(setup.story(setup.trace, setup.options).text)
    assert said.startswith("Change arrow to tie: then bow has to do with clothes. ")
