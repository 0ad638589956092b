"""Pairs of features: three scores by hand, and W_Q and W_K with their columns moved."""

import numpy as np
import pytest
import torch

from core.chapters.word_order.encoding_parts import D_K, frequencies
from core.chapters.word_order.pairings import pairings
from tests.quotes import proves


def test_the_three_scores() -> None:
    """Worked out on paper with angles 1 and 0.01, two positions apart."""
    assert [one.score for one in pairings()] == pytest.approx([2.964, 5.273, 2.964], abs=5e-4)


def rotated_halves(rows: np.ndarray) -> np.ndarray:
    """As `rotate_half` of the port does it: cos and sin of the angles stand twice, half by half."""
    angles = np.tile(np.outer(np.arange(len(rows)), frequencies(D_K)), 2)
    first, second = rows[:, : D_K // 2], rows[:, D_K // 2 :]
    made: np.ndarray = rows * np.cos(angles) + np.hstack([-second, first]) * np.sin(angles)
    return made


def rotated_neighbours(rows: np.ndarray) -> np.ndarray:
    """As complex numbers, each of two features side by side."""
    turns = np.exp(1j * np.outer(np.arange(len(rows)), frequencies(D_K)))
    return (np.ascontiguousarray(rows).view(complex) * turns).view(float)


@proves("""
    Here neighbours, as in the paper | Hugging Face's port pairs the two halves of a row. It also
    reorders the columns of W_Q and W_K, so the scores stay the same; without that they differ
""")
def test_columns_that_are_moved_keep_every_score_and_others_do_not() -> None:
    draw = np.random.default_rng(3)
    X, W_Q, W_K = draw.normal(size=(5, 6)), draw.normal(size=(6, 4)), draw.normal(size=(6, 4))
    scores = rotated_neighbours(X @ W_Q) @ rotated_neighbours(X @ W_K).T
    order = [int(n) - 1 for n in pairings()[2].words.partition("order ")[2].split(", ")]
    moved = rotated_halves(X @ W_Q[:, order]) @ rotated_halves(X @ W_K[:, order]).T
    np.testing.assert_allclose(moved, scores, atol=1e-12)
    from transformers.models.llama.modeling_llama import rotate_half

    assert rotate_half(torch.tensor([1, 2, 3, 4])).tolist() == [-3, -4, 1, 2]
    assert np.abs(rotated_halves(X @ W_Q) @ rotated_halves(X @ W_K).T - scores).max() > 0.1
