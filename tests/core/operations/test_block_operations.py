"""What a layer norm and a unit do: their numbers, and the operands their lines are made of."""

import math
import re
from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.operations.activations import gelu, gelu_tanh, relu, silu
from core.operations.norms import divide_by_spread, gain_and_bias, mean_square, row_mean
from core.operations.sums import subtract
from core.program.operation import Operand, Operation
from tests.sampling import examples

EPSILON = 1e-5
NUMBERS = st.floats(-1e4, 1e4).filter(lambda x: x == 0 or abs(x) >= 1e-4)
ROWS = arrays(float, (3, 5), elements=NUMBERS)


def normed(rows: np.ndarray, gain: np.ndarray, bias: np.ndarray) -> np.ndarray:
    mean = row_mean().forward(rows)
    centred = subtract("i m, i 0 -> i m").forward(rows, mean)
    variance = mean_square().forward(centred)
    return gain_and_bias().forward(divide_by_spread(EPSILON).forward(centred, variance), gain, bias)


@given(ROWS, st.integers(0, 99))
@examples(25)
def test_five_steps_are_pytorchs_layer_norm(rows: np.ndarray, seed: int) -> None:
    gain, bias = np.random.default_rng(seed).normal(size=(2, 5))
    theirs = torch.nn.functional.layer_norm(
        *(torch.from_numpy(rows), (5,), torch.from_numpy(gain), torch.from_numpy(bias), EPSILON)
    )
    # What is lost of a row whose numbers are alike is lost beside their size.
    lost = 1e-12 * (1 + np.abs(rows).max() / math.sqrt(EPSILON))
    np.testing.assert_allclose(normed(rows, gain, bias), theirs, rtol=0, atol=lost)


def test_a_row_without_spread_is_not_divided_by_0() -> None:
    np.testing.assert_array_equal(normed(np.full((2, 5), 3.0), np.ones(5), np.zeros(5)), 0)


@given(ROWS)
@examples(25)
def test_units_are_pytorchs(rows: np.ndarray) -> None:
    theirs, torchs = torch.from_numpy(rows), torch.nn.functional
    np.testing.assert_array_equal(relu().forward(rows), torch.relu(theirs))
    for unit, expected, room in (
        (gelu(), torchs.gelu(theirs), 1e-13),
        (gelu_tanh(), torchs.gelu(theirs, approximate="tanh"), 1e-13),
        (silu(), torchs.silu(theirs), 1e-290),
    ):
        np.testing.assert_allclose(unit.forward(rows), expected, rtol=1e-12, atol=room)


def test_smooth_units_keep_their_digits_far_below_0_and_are_least_where_they_say() -> None:
    x = np.linspace(-6, 9, 1501)[None]
    for entry, made, by_tanh in zip(
        x[0].tolist(), silu().forward(x)[0], gelu_tanh().forward(x)[0], strict=True
    ):
        with localcontext() as context:
            context.prec = 40
            own = Decimal(entry)
            assert made == pytest.approx(float(own / (1 + (-own).exp())), rel=1e-14)
            u = (Decimal(2) / Decimal(math.pi)).sqrt() * (own + Decimal("0.044715") * own**3)
            assert by_tanh == pytest.approx(float(own / (1 + (-2 * u).exp())), rel=1e-12)
    assert x[0, silu().forward(x).argmin()] == pytest.approx(-1.28, abs=0.01)
    assert silu().forward(x).min() == pytest.approx(-0.28, abs=0.005)
    assert np.abs(gelu_tanh().forward(x) - gelu().forward(x)).max() < 0.0005


def read(operation: Operation, *values: Sequence[float], decimals: int = 4) -> str:
    """All lines of a cell that is made of these values."""
    operands = [Operand([float(v) for v in each], decimals) for each in values]
    before, left = operation.lines(operands, decimals, 0.0)
    return "; ".join([*(line.plain() for line in before), left.plain()])


@pytest.mark.parametrize(
    ("operation", "values", "lines"),
    [
        (row_mean(), [(1.5, -2.25, 3, 0)], "1.5 + -2.25 + 3 + 0 = 2.25; 2.25 / 4"),
        (mean_square(), [(1.5, -2)], "(1.5*1.5) + (-2*-2) = 6.25; 6.25 / 2"),
        (divide_by_spread(0.25), [(3,), (2,)], "sqrt(2 + 0.25) = 1.5; 3 / 1.5"),
        (divide_by_spread(1e-5), [(-1,), (4,)], "sqrt(4 + 1e-5) ≈ 2.0000; -1 / 2.0000"),
        (gain_and_bias(), [(1.5,), (2,), (-0.5,)], "(1.5*2) + -0.5"),
        (relu(), [(-1.25,)], "max(0, -1.25)"),
        (gelu(), [(0,)], "0 / sqrt(2) ≈ 0; erf(0) = 0; 1 + 0 = 1; 0*1 / 2"),
        (silu(), [(0,)], "exp(0) = 1; 1 + 1 = 2; 0 / 2"),
        (silu(), [(-2,)], "exp(2) ≈ 7.3891; 1 + 7.3891 = 8.3891; -2 / 8.3891"),
        (silu(), [(2,)], "exp(-2) ≈ 0.1353; 1 + 0.1353 = 1.1353; 2 / 1.1353"),
        (
            gelu_tanh(),
            [(1,)],
            "1 + (0.044715*1**3) ≈ 1.0447; 0.797885*1.0447 ≈ 0.8336; tanh(0.8336) ≈ 0.6824; "
            "1 + 0.6824 = 1.6824; 1*1.6824 / 2",
        ),
    ],
)
def test_lines_are_made_of_the_operands(
    operation: Operation, values: list[Sequence[float]], lines: str
) -> None:
    assert read(operation, *values) == lines


@given(st.floats(-6, 6).filter(lambda x: abs(x) >= 1e-4))
@examples(15)
def test_every_line_of_gelu_follows_from_the_one_before(x: float) -> None:
    lines = read(gelu(), (x,), decimals=12).split("; ")
    own, inside, part, share = (
        Fraction(text)
        for text in (
            re.match(r"\S+", lines[0])[0],  # type: ignore[index]
            *(line.split()[-1] for line in lines[:3]),
        )
    )
    assert float(own) == pytest.approx(x, rel=1e-9)
    assert float(inside) == pytest.approx(x / math.sqrt(2), rel=1e-9)
    assert float(part) == pytest.approx(math.erf(x / math.sqrt(2)), abs=2e-12)
    assert float(share) == pytest.approx(float(1 + part), abs=2e-12)
    assert float(own * share / 2) == pytest.approx(gelu().forward(np.array([x]))[0], abs=2e-11)
