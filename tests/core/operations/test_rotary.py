"""Sines, cosines and turned pairs, beside PyTorch, complex numbers and a turn by hand."""

import math
import re
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.operations.products import times_each
from core.operations.rotary import cosine, rotate, rotate_pairs, sine
from tests.sampling import examples


@given(arrays(float, (3, 4), elements=st.floats(-50, 50, width=32)))
@examples(15)
def test_sine_and_cosine_are_pytorchs_and_lie_on_the_unit_circle(angles: np.ndarray) -> None:
    sines, cosines = sine().forward(angles), cosine().forward(angles)
    np.testing.assert_allclose(sines, torch.sin(torch.from_numpy(angles)), atol=1e-15)
    np.testing.assert_allclose(cosines, torch.cos(torch.from_numpy(angles)), atol=1e-15)
    np.testing.assert_allclose(sines**2 + cosines**2, 1, atol=1e-15)


def test_what_a_float_leaves_of_a_zero_is_noise() -> None:
    angles = np.array([[math.pi, 100 * math.pi]])
    assert 0 < np.abs(sine().forward(angles)).max() <= sine().noise((angles,), (0.0,))
    assert sine().noise((np.array([[1e-6]]),), (0.0,)) < 1e-6  # a small sine is a number


@given(arrays(float, (2, 2), elements=st.floats(-9, 9, width=32)), st.floats(-9, 9))
@examples(15)
def test_a_pair_is_turned_as_a_complex_number_is(pairs: np.ndarray, angle: float) -> None:
    rows = pairs[None]  # one head
    right = np.stack([-pairs[:, 1], pairs[:, 0]], axis=1)[None]
    cosines, sines = np.full((2, 2), math.cos(angle)), np.full((2, 2), math.sin(angle))
    turned = rotate().forward(rows, cosines, right, sines)[0]
    expected = (pairs[:, 0] + 1j * pairs[:, 1]) * np.exp(1j * angle)
    np.testing.assert_allclose(turned[:, 0] + 1j * turned[:, 1], expected, atol=1e-13)
    np.testing.assert_allclose(np.hypot(*turned.T), np.hypot(*pairs.T), atol=1e-13)


@pytest.mark.parametrize(("slope", "distance"), [("0.25", 3), ("1/256", -2), ("0", 5)])
def test_each_head_has_its_number(slope: str, distance: int) -> None:
    heads = np.array([float(Fraction(slope)), 1.0])[:, None, None]
    made = times_each().forward(heads, np.array([[float(distance)]]))
    np.testing.assert_array_equal(made[:, 0, 0], [float(Fraction(slope) * distance), distance])


@pytest.mark.parametrize("halves", [False, True])
@given(arrays(float, (2, 3, 6), elements=st.floats(-9, 9, width=32)))
@examples(12)
def test_partners_turn_as_complex_numbers_do(halves: bool, rows: np.ndarray) -> None:
    """Two heads, three tokens, three pairs: neighbours, or a feature of each half."""
    turns = np.array([[0.5, 2.0, -1.0]] * 3) * np.arange(3)[:, None]
    first, second = (slice(0, 3), slice(3, 6)) if halves else (slice(0, 6, 2), slice(1, 6, 2))
    angles = np.empty((3, 6))
    angles[:, first], angles[:, second] = -turns, turns
    turned = rotate_pairs(halves).forward(rows, np.cos(angles), np.sin(angles))
    expected = (rows[..., first] + 1j * rows[..., second]) * np.exp(1j * turns)
    np.testing.assert_allclose(turned[..., first], expected.real, atol=1e-13)
    np.testing.assert_allclose(turned[..., second], expected.imag, atol=1e-13)


def test_the_formula_is_the_cosine_times_a_row_and_the_sine_times_the_turned_row() -> None:
    said = str(rotate().formula(["A"], ["cos"], ["turned"], ["sin"]))
    assert re.findall(r"A|cos|turned|sin|\+", said) == ["A", "cos", "+", "turned", "sin"]
