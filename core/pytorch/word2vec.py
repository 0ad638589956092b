"""Word2Vec, small: vectors learned from which words stand near each other (Mikolov et al. 2013).

CBOW guesses a word from the mean of its neighbours' vectors, skip-gram each neighbour from the
word's own; the guess is softmax(vectors · W + b) over all words. The vectors have two entries, so
that they can be drawn as they are. The whole corpus is one batch, softmax is taken in full, and
Adam follows the gradient: the original samples its windows and its wrong words.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

SENTENCES = (
    "the river runs to the sea", "a boat on the river", "the boat sails on the sea",
    "fish swim in the river", "fish swim in the sea", "a boat and fish on the sea",
    "the river and the sea", "a fish by the boat",
    "the bank lends money", "a loan of money from the bank", "the bank keeps a coin",
    "money is a coin", "a coin for the loan", "the loan and the money", "pay the bank a coin",
    "the money of the bank",
    "the team plays a game", "a ball for the game", "the team kicks the ball", "a goal in the game",
    "the ball is in the goal", "the team and the goal", "a game with a ball",
    "the goal of the team",
)  # fmt: skip
"""What is read: written for this page."""
TOPICS = {
    "water": ("river", "sea", "boat", "fish"),
    "money": ("bank", "money", "loan", "coin"),
    "game": ("team", "game", "ball", "goal"),
}
"""The words that are shown; the others are learned with them."""
SHOWN = sum(map(len, TOPICS.values()))
CBOW, SKIP_GRAM = "cbow", "skip-gram"
VECTOR_SIZE = 2
STEPS = 600
MOST_WINDOW = 4
RATE = 0.03
SPREAD = 0.3
"""The standard deviation of what is drawn at first."""
LEFT_OUT = frozenset(["the", "a", "to", "on", "in", "and", "by", "of", "from", "is", "for", "with"])
"""Words left out, as the original leaves out the most frequent ones more often than not."""


@dataclass(frozen=True)
class Learned:
    """The vectors after so many steps, and the mean surprise of a guess, in nats.

    There is none (`nan`) where nothing has been guessed.
    """

    step: int
    loss: float
    vectors: Float[np.ndarray, "words 2"]


def texts() -> list[list[str]]:
    """The sentences as lists of words, small words left out."""
    return [[word for word in text.split() if word not in LEFT_OUT] for text in SENTENCES]


def learned_vocabulary() -> tuple[str, ...]:
    """Every word that is learned, in the order of the alphabet."""
    return tuple(sorted({word for words in texts() for word in words}))


def windows(window: int) -> list[tuple[str, tuple[str, ...]]]:
    """Each word that has neighbours, with those at most `window` places away."""
    found = []
    for words in texts():
        for at, word in enumerate(words):
            near = tuple(words[max(at - window, 0) : at] + words[at + 1 : at + 1 + window])
            if near:
                found.append((word, near))
    return found


def untrained(seed: int) -> Learned:
    """The vectors that training begins with: drawn at random."""
    drawn = np.random.default_rng(seed).standard_normal((len(learned_vocabulary()), VECTOR_SIZE))
    return Learned(0, float("nan"), SPREAD * drawn)


def train(kind: str, window: int, seed: int, steps: int = STEPS) -> Iterator[Learned]:
    """Yields the vectors at first and after every step; the same for the same seed."""
    import torch

    torch.set_num_threads(1)  # matrices as small as these only lose by more
    words = learned_vocabulary()
    number = {word: n for n, word in enumerate(words)}
    given, wanted = _examples(kind, window, number)
    generator = torch.Generator().manual_seed(seed)
    begun = untrained(seed).vectors.astype(np.float32)
    vectors = torch.from_numpy(begun).requires_grad_()
    out = (SPREAD * torch.randn(VECTOR_SIZE, len(words), generator=generator)).requires_grad_()
    bias = torch.zeros(len(words), requires_grad=True)
    optimiser = torch.optim.Adam([vectors, out, bias], lr=RATE)
    mix, right = torch.tensor(given, dtype=torch.float32), torch.tensor(wanted)
    for step in range(steps + 1):
        guess = mix @ vectors @ out + bias
        loss = torch.nn.functional.cross_entropy(guess, right)
        yield Learned(step, float(loss.detach()), vectors.detach().numpy().astype(np.float64))
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()


def _examples(
    kind: str, window: int, number: dict[str, int]
) -> tuple[list[list[float]], list[int]]:
    """Rows of shares whose vectors are mixed, and the word that each is to guess."""
    given: list[list[float]] = []
    wanted: list[int] = []
    for word, near in windows(window):
        if kind == CBOW:
            given.append(_mixed(near, number))
            wanted.append(number[word])
        else:
            given += [_mixed((word,), number)] * len(near)
            wanted += [number[one] for one in near]
    return given, wanted


def _mixed(words: tuple[str, ...], number: dict[str, int]) -> list[float]:
    row = [0.0] * len(number)
    for word in words:
        row[number[word]] += 1 / len(words)
    return row


def nearest(vectors: Float[np.ndarray, "words 2"]) -> dict[str, str]:
    """For each word of the topics the one among them whose vector points most alike (cosine)."""
    words = learned_vocabulary()
    shown = [word for topic in TOPICS.values() for word in topic]
    rows = vectors[[words.index(word) for word in shown]]
    unit = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    alike = unit @ unit.T
    np.fill_diagonal(alike, -np.inf)
    return {word: shown[int(row.argmax())] for word, row in zip(shown, alike, strict=True)}


def in_their_topic(vectors: Float[np.ndarray, "words 2"]) -> int:
    """How many of the words that are shown have their nearest one in the same topic."""
    return sum(topic_of(word) == topic_of(other) for word, other in nearest(vectors).items())


def topic_of(word: str) -> str:
    """The topic of a word that is shown."""
    return next(topic for topic, words in TOPICS.items() if word in words)
