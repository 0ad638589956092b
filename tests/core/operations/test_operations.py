"""Each operation equals a plain loop over its definition, or PyTorch; its lines are so."""

import math
import re
from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core import Trace, attention_program, toy_inputs
from core.operations.activations import gelu, gelu_tanh, relu, silu
from core.operations.masking import keep_visible, mask_fill, mask_fill_by_head
from core.operations.norms import divide_by_spread, gain_and_bias, mean_square, row_mean
from core.operations.shapes import block, columns, rows
from core.operations.sums import subtract
from core.program.operation import Operand, Operation
from tests.by_torch import torch_steps
from tests.core.support import cases, random_run
from tests.registry import REGISTRY
from tests.sampling import DEEP, examples


def filled(shape: tuple[int, ...], cell: Callable[..., Any]) -> np.ndarray:
    return np.array([cell(*at) for at in np.ndindex(shape)]).reshape(shape)


def by_loops(trace: Trace) -> dict[str, np.ndarray]:
    """Every step, each from the arrays before it, as its definition reads."""
    t = trace
    T, (H, _, d_k), (G, _, d_v) = len(t["X"]), t["W_Q"].shape, t["W_V"].shape
    group, features, joined = H // G, range(t["X"].shape[1]), range(H * d_v)
    factor = getattr(t.program.step["scaled"].operation, "factor", 1 / math.sqrt(d_k))

    def projected(name: str, width: int, heads: int) -> np.ndarray:
        X, W = t["X"], t[f"W_{name}"]
        of = (heads, T, width)
        return filled(of, lambda h, i, k: sum(X[i, m] * W[h, m, k] for m in features))

    def weight(h: int, i: int, j: int) -> Any:
        row = t["masked"][h, i]
        total = sum(math.exp(s - max(row)) for s in row if s > -math.inf)
        return math.exp(row[j] - max(row)) / total if row[j] > -math.inf else 0.0

    return {
        "Q": projected("Q", d_k, H),
        "K": projected("K", d_k, G),
        "V": projected("V", d_v, G),
        "scores": filled(
            (H, T, T),
            lambda h, i, j: sum(t["Q"][h, i, k] * t["K"][h // group, j, k] for k in range(d_k)),
        ),
        "scaled": filled((H, T, T), lambda h, i, j: t["scores"][h, i, j] * factor),
        "masked": filled(
            (H, T, T), lambda h, i, j: t["scaled"][h, i, j] if t["mask"][i, j] else -math.inf
        ),
        "weights": filled((H, T, T), weight),
        "context": filled(
            (H, T, d_v),
            lambda h, i, v: sum(t["weights"][h, i, j] * t["V"][h // group, j, v] for j in range(T)),
        ),
        "concat": filled((T, H * d_v), lambda i, c: t["context"][c // d_v, i, c % d_v]),
        "output": filled(
            (T, t["W_O"].shape[1]),
            lambda i, m: sum(t["concat"][i, c] * t["W_O"][c, m] for c in joined),
        ),
    }


@given(cases(longest=7, widest=11))
@examples(15)
def test_every_step_equals_a_plain_loop(case: dict[str, Any]) -> None:
    trace = random_run(**case)
    for name, loop in by_loops(trace).items():
        np.testing.assert_allclose(trace[name], loop, rtol=1e-12, atol=1e-12, err_msg=name)


def test_pinning_a_step_changes_only_what_comes_after_it() -> None:
    program, inputs = attention_program(), toy_inputs("the cat sat")
    free = program.run(inputs)
    pinned = program.run(inputs, pinned={"scores": np.zeros((2, 3, 3))})
    for name in ("X", "Q", "K", "V"):
        np.testing.assert_array_equal(pinned[name], free[name])
    np.testing.assert_allclose(pinned["weights"][0, 2], 1 / 3)
    assert pinned.sources("scores", (0, 1, 0)) == {}
    assert pinned.uses("Q", (0, 1, 0)) == {}


def test_what_a_hidden_number_becomes_is_what_the_rule_by_hand_says() -> None:
    for fill in (mask_fill(), mask_fill_by_head(), keep_visible()):
        (becomes,) = fill.forward(np.array([7.0]), np.array([False]))
        (said,) = re.findall(r"If it is 0, the number becomes (\S+)\.", fill.by_hand)
        assert float(said.replace("−∞", "-inf")) == becomes


def test_rows_and_columns_that_are_taken_are_those_that_the_formula_names() -> None:
    A = np.arange(30.0).reshape(5, 6)
    for first, count in [(0, 1), (0, 3), (2, 1), (2, 3)]:
        tile = block(f"i+{first} j+{first} -> i j", count, 2)
        taken = [rows(f"i+{first} j -> i j", count), columns(f"i j+{first} -> i j", count), tile]
        for one in taken:
            said = {"row": (1, 5), "column": (1, 6)}
            named = re.findall(r"(row|column)s? (\d+)(?: to (\d+))?", str(one.formula(["A"])))
            for word, low, high in named:
                said[word] = int(low), int(high or low)
            (top, bottom), (left, right) = said.values()
            np.testing.assert_array_equal(one.forward(A), A[top - 1 : bottom, left - 1 : right])


EPSILON = 1e-5
NUMBERS = st.floats(-1e4, 1e4).filter(lambda x: x == 0 or abs(x) >= 1e-4)
ROWS = arrays(float, (3, 5), elements=NUMBERS)


def normed(rows: np.ndarray, gain: np.ndarray, bias: np.ndarray) -> np.ndarray:
    centred = subtract("i m, i 0 -> i m").forward(rows, row_mean().forward(rows))
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
    for entry, made, by_tanh in np.stack([x, silu().forward(x), gelu_tanh().forward(x)], -1)[0]:
        with localcontext() as context:
            context.prec = 40
            own = Decimal(float(entry))
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
def test_lines_are_made_of_the_operands(operation: Operation, values: Any, lines: str) -> None:
    assert read(operation, *values) == lines


@given(st.floats(-6, 6).filter(lambda x: abs(x) >= 1e-4))
@examples(15)
def test_every_line_of_gelu_follows_from_the_one_before(x: float) -> None:
    lines = read(gelu(), (x,), decimals=12).split("; ")
    said = (lines[0].split()[0], *(line.split()[-1] for line in lines[:3]))
    own, inside, part, share = map(Fraction, said)
    assert float(own) == pytest.approx(x, rel=1e-9)
    assert float(inside) == pytest.approx(x / math.sqrt(2), rel=1e-9)
    assert float(part) == pytest.approx(math.erf(x / math.sqrt(2)), abs=2e-12)
    assert float(share) == pytest.approx(float(1 + part), abs=2e-12)
    assert float(own * share / 2) == pytest.approx(gelu().forward(np.array([x]))[0], abs=2e-11)


WITH_EACH = {type(s.operation): name for name in REGISTRY for s in REGISTRY[name].program.steps}
"""A program with each operation."""


@pytest.mark.parametrize("name", REGISTRY if DEEP else sorted({*WITH_EACH.values()}))
def test_each_line_of_pytorch_gives_the_numbers_of_its_step(name: str) -> None:
    trace = REGISTRY[name].run()
    for array, theirs in torch_steps(trace).items():
        np.testing.assert_allclose(trace[array], theirs, rtol=0, atol=1e-12, err_msg=array)
