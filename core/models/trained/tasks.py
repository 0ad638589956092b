"""What a small model learns here: tasks that draw as many examples as one asks for.

An example is a row of tokens and the token that comes next at each place. The loss counts some of
these places: those where what comes next can be known, or all of them.
"""

from collections.abc import Mapping
from functools import cache
from itertools import permutations
from pathlib import Path
from types import MappingProxyType

import numpy as np
from jaxtyping import Bool, Int

from core.pytorch.training import Examples, Task

DATA = Path(__file__).parent / "data"
LETTERS, REPEATS, PERIOD, AGREEMENT = "letters", "repeats", "period", "agreement"
CONTEXT = 24
"""Letters that the model reads at once."""
HELD_OUT = 0.1
"""The part of a text, its end, that is kept for judging."""
SYMBOLS = tuple("abcdefghijklmnop")
SHORTEST, LONGEST = 3, 12
"""Symbols of a piece that comes twice."""
PLACES = 40
"""Symbols of a row of repeats."""
FIXED_PERIOD = 10


def shipped_text() -> str:
    """Sentences of this product's pages, in small letters without punctuation."""
    return (DATA / "letters.txt").read_text(encoding="utf-8")


def letters_task(text: str, shown: str) -> Task:
    """To guess the next letter of a text. Its end is kept for judging."""
    words = tuple(sorted(set(text)))
    place = {word: at for at, word in enumerate(words)}
    numbers = np.array([place[letter] for letter in text])
    kept = int(len(numbers) * (1 - HELD_OUT))

    def draw(random: np.random.Generator, count: int, judging: bool) -> Examples:
        own = numbers[kept:] if judging else numbers[:kept]
        first = random.integers(0, len(own) - CONTEXT, count)
        window = own[first[:, None] + np.arange(CONTEXT + 1)]
        return _shifted(window, np.ones((count, CONTEXT), bool))

    return Task(LETTERS, words, CONTEXT, draw, tuple(shown), 0.003)


def _draw_repeats(random: np.random.Generator, count: int, judging: bool) -> Examples:
    """Symbols at random, among them a piece that comes twice. From a random place on.

    What comes next is known from the second symbol of the second piece on. To judge, the symbols of
    a piece are all different, and stand nowhere else: else what comes after one of them is not
    always known.
    """
    symbols, place = len(SYMBOLS), np.arange(PLACES + 1)
    rows = random.integers(0, symbols, (count, PLACES + 1))
    length = random.integers(SHORTEST, LONGEST + 1, (count, 1))
    first = (random.random((count, 1)) * (PLACES + 2 - 2 * length)).astype(int)
    if judging:
        order = random.permuted(np.tile(np.arange(symbols), (count, 1)), axis=1)
        inside = (place >= first) & (place < first + length)
        at = np.where(inside, place - first, length + rows % (symbols - length))
        rows = np.take_along_axis(order, at, 1)
    again = (place >= first + length) & (place < first + 2 * length)
    rows = np.where(again, np.take_along_axis(rows, np.maximum(place - length, 0), 1), rows)
    return _shifted(rows, (again & (place > first + length))[:, 1:])


def _draw_period(random: np.random.Generator, count: int, judging: bool) -> Examples:
    """Ten symbols, again and again: known from the second time on."""
    several = np.tile(np.arange(len(SYMBOLS)), (count, 1))
    piece = random.permuted(several, axis=1)[:, :FIXED_PERIOD]
    place = np.arange(PLACES + 1)
    known = np.tile(place >= FIXED_PERIOD, (count, 1))
    return _shifted(piece[:, place % FIXED_PERIOD], known[:, 1:])


NOUNS = (
    ("key", "keys"), ("cat", "cats"), ("boy", "boys"), ("tree", "trees"),
    ("car", "cars"), ("book", "books"), ("dog", "dogs"), ("cup", "cups"),
)  # fmt: skip
ADJECTIVES = ("old", "red", "small", "new", "big")
PREPOSITIONS = ("near", "behind", "under", "beside")
VERBS = ("is", "are")
ADJECTIVES_THERE = 2
"""Of a sentence: so the subject stands at one of three places, and all sentences are as long."""


@cache
def unseen_pairs() -> frozenset[tuple[int, int]]:
    """Subjects with the noun between them and the verb that training never draws."""
    pairs = permutations(range(len(NOUNS)), 2)
    return frozenset((a, b) for a, b in pairs if (3 * a + b) % 5 == 0)


EXAMPLE = ("the", "old", "keys", "near", "the", "red", "cat", "are")
"""A sentence of that task."""


def _draw_agreement(random: np.random.Generator, count: int, judging: bool) -> Examples:
    """The old keys near the red cat are: a verb agrees with its subject, not with the last noun.

    To judge, the pair of nouns is one that training never draws, the other noun has the other
    number, and the verb alone counts.
    """
    pairs = [
        pair for pair in permutations(range(len(NOUNS)), 2) if (pair in unseen_pairs()) == judging
    ]
    place = {word: at for at, word in enumerate(AGREEMENT_WORDS)}
    rows, linked = [], []
    for _ in range(count):
        subject, other = pairs[random.integers(len(pairs))]
        number, others = random.integers(0, 2, 2)
        others = 1 - number if judging else others
        before = int(random.integers(0, ADJECTIVES_THERE + 1))
        adjectives = random.permutation(ADJECTIVES)[:ADJECTIVES_THERE].tolist()
        words = [
            "the", *adjectives[:before], NOUNS[subject][number],
            str(random.choice(PREPOSITIONS)),
            "the", *adjectives[before:], NOUNS[other][others], VERBS[number],
        ]  # fmt: skip
        rows.append([place[word] for word in words])
        linked.append((len(words) - 2, 1 + before))
    made = np.array(rows)
    counted = np.ones_like(made[:, 1:], bool)
    if judging:
        counted[:, :-1] = False
    return _shifted(made, counted, np.array(linked))


AGREEMENT_WORDS = (
    "the", *(word for pair in NOUNS for word in pair), *ADJECTIVES, *PREPOSITIONS, *VERBS,
)  # fmt: skip


def _shifted(
    rows: Int[np.ndarray, "B T1"],
    counted: Bool[np.ndarray, "B T"],
    linked: Int[np.ndarray, "B 2"] | None = None,
) -> Examples:
    """Rows as tokens with the next one of each as its target."""
    return Examples(rows[:, :-1], rows[:, 1:], counted, linked)


@cache
def tasks() -> Mapping[str, Task]:
    """The tasks whose trainings ship, by their names."""
    made = (
        letters_task(shipped_text(), "the weights of a row add"),
        Task(REPEATS, SYMBOLS, PLACES, _draw_repeats, tuple("kfbnadgiepchnadgiepch"), 0.01),
        Task(PERIOD, SYMBOLS, PLACES, _draw_period, tuple("badgecfiphbadgecfiph"), 0.01),
        Task(AGREEMENT, AGREEMENT_WORDS, 4 + ADJECTIVES_THERE + 1, _draw_agreement,
             ("the", "old", "red", "keys", "near", "the", "cat"), 0.005),
    )  # fmt: skip
    return MappingProxyType({task.name: task for task in made})
