"""One token at many places: scores beside sums that are written out, one pair after another."""

import math

import numpy as np
import pytest

from core import toy_inputs
from core.chapters.word_order import encodings
from core.chapters.word_order.encoding_inputs import encoding_inputs
from tests.quotes import proves


def turned(vector: np.ndarray, place: int) -> np.ndarray:
    made = []
    for pair, frequency in enumerate((1.0, 0.01)):
        a, b = vector[2 * pair], vector[2 * pair + 1]
        cos, sin = math.cos(place * frequency), math.sin(place * frequency)
        made += [a * cos - b * sin, b * cos + a * sin]
    return np.array(made)


def row(kind: str, x: np.ndarray, place: int) -> np.ndarray:
    """The token's row with what is added to it."""
    if kind == "learned":
        return x + encoding_inputs("learned", encodings.PLACES)["PE"][place]
    if kind == "sinusoidal":
        angles = [place * f for f in (1.0, 0.1, 0.01, 0.001)]
        return x + np.array([*map(math.sin, angles), *map(math.cos, angles)])
    return x


@proves("""
    Sinusoidal and learned: a row for each position is added to $X$. RoPE (rotary): pairs of
    features of $Q$ and $K$ are turned by an angle that grows with the position. ALiBi: distance
    times a slope of the head is subtracted from each scaled score | its scores with itself in head
    {head}, before the mask. They are equal at every distance, so no score depends on distance.
    Scores of one distance differ by up to {apart}: both positions count, not only their distance.
    There is one score for each distance: only the distance counts | The same distance costs the
    same anywhere, even beyond the length seen in training
""")
@pytest.mark.parametrize("kind", ["none", "sinusoidal", "learned", "rope", "alibi"])
@pytest.mark.parametrize("head", [0, 1])
def test_scores_of_each_pair_of_places_are_at_their_distance(kind: str, head: int) -> None:
    toy = toy_inputs("mat", heads=2, d_model=8)
    expected: dict[int, set[float]] = {}
    for i in range(encodings.PLACES):
        for j in range(i + 1):
            q = row(kind, toy["X"][0], i) @ toy["W_Q"][head]
            k = row(kind, toy["X"][0], j) @ toy["W_K"][head]
            if kind == "rope":
                q, k = turned(q, i), turned(k, j)
            cost = 2.0 ** -(4 * (head + 1)) * (i - j) if kind == "alibi" else 0
            score = float(q @ k) / 2 - cost
            expected.setdefault(i - j, set()).add(score)
    found = encodings.scores_by_distance(kind, "mat", head)
    assert found.keys() == expected.keys()
    for distance, several in found.items():
        for score in expected[distance]:
            assert min(abs(score - other) for other in several) < 1e-8
        for other in several:
            assert min(abs(score - other) for score in expected[distance]) < 1e-8
    assert (encodings.spread(found) == 0) == (kind in ("none", "rope", "alibi"))
    assert encodings.is_flat(found) == (kind == "none")
