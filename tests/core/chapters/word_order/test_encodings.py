"""Positions told in four ways: what depends on distance alone, and an independent reckoning."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core import Trace, toy_inputs
from core.chapters.word_order import encodings
from core.chapters.word_order.encoding_parts import encoding_inputs
from core.chapters.word_order.encodings import encoding_family, encoding_program
from tests.quotes import proves
from tests.sampling import examples


def run(kind: str, text: str = "a b c d e f") -> Trace:
    return encoding_family(text).run(order_encoding=kind)


@proves("""
    In Distance map each diagonal has one number: the dot product of two positions depends only on
    their distance
""")
def test_the_distance_map_depends_on_distance() -> None:
    trace = run("sinusoidal")
    np.testing.assert_allclose(trace["PE_dot"][1:, 1:], trace["PE_dot"][:-1, :-1], atol=1e-12)
    for i in range(6):
        for p in range(4):
            angle = i / 10_000 ** (2 * p / 8)
            assert trace["PE"][i, p] == pytest.approx(np.sin(angle), abs=1e-12)
            assert trace["PE"][i, p + 4] == pytest.approx(np.cos(angle), abs=1e-12)


@proves("""
    A query and a key turn alike, so of their positions only the distance counts in their score
""")
@given(arrays(float, 8, elements=st.floats(-3, 3, width=16)), st.integers(0, 99))
@examples(15)
def test_scores_of_rope_depend_on_distance_whatever_rows_hold(token: np.ndarray, seed: int) -> None:
    """The same token at six places, with maps of its own for query and key."""
    drawn = np.random.default_rng(seed).normal(size=(3, 2, 8, 4))
    given = {"X": np.tile(token, (6, 1)), **dict(zip(("W_Q", "W_K", "W_V"), drawn, strict=True))}
    trace = encoding_program("rope").run({**given, **encoding_inputs("rope", 6)})
    scale = 1 + float(np.abs(trace["scores"]).max())
    for head in trace["scores"]:
        for i, j in np.ndindex(5, 5):
            assert head[i + 1, j + 1] == pytest.approx(head[i, j], abs=1e-13 * scale)


@proves("""
    Only the mask depends on position here: equal tokens have equal rows of $Q$, $K$ and $V$ | No
    row is changed. Each position of distance costs | a large slope prefers near tokens
""")
def test_without_an_encoding_equal_tokens_are_equal_and_slopes_change_only_scores() -> None:
    plain, sloped = (run(kind, "a b a a") for kind in ("none", "alibi"))
    for name in "QKV":
        assert np.ptp(plain[name][:, [0, 2, 3]], axis=1).max() == 0
        np.testing.assert_array_equal(plain[name], sloped[name])
    costs = sloped["scaled"] - sloped["biased"]
    for h, power in enumerate((4, 8)):
        for i, j in np.ndindex(4, 4):
            assert costs[h, i, j] == pytest.approx((i - j) * 2.0**-power)
    assert sloped["weights"][0, 3, 3] / plain["weights"][0, 3, 3] > 1.02


def test_scores_of_rope_depend_on_distance() -> None:
    """Equal tokens have equal content, so what differs among their scores is position alone."""
    for head in run("rope", "a a a a a a")["scores"]:
        np.testing.assert_allclose(head[1:, 1:], head[:-1, :-1], atol=1e-12)
        assert np.abs(head[0, 1:] - head[0, 0]).max() > 1e-3
    assert np.ptp(run("none", "a a a a a a")["scores"][0]) == 0


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
