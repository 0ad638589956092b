"""Every plain line of arithmetic evaluates as printed, and ends in the cell."""

import math
import re
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import attention_program, explain, toy_inputs
from core.display import shown
from core.patterns import Cell
from core.programs import Trace
from core.rounding import SMALL
from tests.core.support import cases, random_run

NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:e-?\d+)?")
ALONE = re.compile(r"-?(?:inf|\d+(?:\.\d+)?(?:e-?\d+)?)")
RATIONAL = {("exp", 0): 1, ("log", 1): 0, ("tanh", 0): 0}


class Inexact(Fraction):
    """A fraction that stands for a number that is not one."""


def function(name: str) -> Any:
    def apply(x: Any) -> Any:
        if x == -math.inf:
            return Fraction(0)
        if (name, x) in RATIONAL:
            return Fraction(RATIONAL[name, x])
        with localcontext() as context:
            context.prec = 60
            value = Decimal(x.numerator) / Decimal(x.denominator)
            result = Fraction({"exp": value.exp, "sqrt": value.sqrt}[name]())
        return result if name == "sqrt" and result * result == x else tainted(result)

    return apply


TAINT: list[bool] = []


def tainted(value: Fraction) -> Fraction:
    TAINT.append(True)
    return value


def evaluate(text: str) -> tuple[Any, bool]:
    """What a printed expression comes to, and whether that is exact."""
    TAINT.clear()
    names = {"exp": function("exp"), "sqrt": function("sqrt"), "max": max, "min": min}
    names |= {"F": Fraction, "inf": math.inf, "__builtins__": {}}
    value = eval(NUMBER.sub(lambda m: f"F('{m[0]}')", text), names)
    return value, not TAINT


def rounds_to(value: Any, printed: str, noise: float) -> bool:
    """Whether a value is the printed one at the printed one's own number of digits."""
    if printed.endswith("inf"):
        return value == float(printed)
    target = Fraction(printed)
    mantissa, _, exponent = printed.partition("e")
    decimals = len(mantissa.partition(".")[2]) - int(exponent or 0)
    half = Fraction(1, 2) / Fraction(10) ** decimals
    slack = max(half * Fraction(1, 10**6), Fraction(noise), Fraction(1, 10**9))
    return abs(value - target) <= half + (
        slack if abs(value) >= SMALL or target == 0 else half / 10**6
    )


def check(trace: Trace, array: str, cell: Cell) -> None:
    lines = explain(trace, array, cell).plain
    noise = trace.noise[array]
    for text in lines:
        left, relation, right = re.fullmatch(r"(.*) ([=≈]) (\S+)", text).groups()  # type: ignore[union-attr]
        assert ALONE.fullmatch(right), text
        value, exact = evaluate(left)
        assert rounds_to(value, right, noise), (array, cell, text, float(value))
        equal = exact and value == (float(right) if right.endswith("inf") else Fraction(right))
        assert relation == ("=" if equal else "≈"), text
    assert right == shown(trace, array, cell)
    check_operands(trace, array, cell, lines)


def check_operands(trace: Trace, array: str, cell: Cell, lines: list[str]) -> None:
    """The numbers that go in are the sources' own values, each rounded as it is printed."""
    sources = trace.sources(array, cell)
    values = [float(trace[n][c]) for n, cells in sources.items() for c in cells if n != "mask"]
    if not values:
        return
    made = {line.rsplit(" ", 1)[1] for line in lines[:-1]}
    pieces = [re.split(r" [=≈] ", line)[0] for line in lines]
    printed = {t for p in pieces for t in re.findall(r"-?(?:inf|[\d.]+(?:e-?\d+)?)", p)}
    bare = {t.lstrip("-") for t in printed | made}
    for value in values:
        if math.isinf(value):
            assert "inf" in bare
            continue
        near = min(abs(abs(value) - abs(float(t))) for t in bare if t != "inf")
        assert near <= max(0.0051, 0.51e-2 * abs(value), 1e-9) or abs(value) < 1e-9, (value, lines)


@given(cases(longest=9, widest=24, sizes=(1.0, 1e-4, 1e-2, 30.0, 1e3, 1e6)), st.randoms())
@settings(max_examples=70)
def test_every_line_of_every_step_evaluates_as_printed(case: dict[str, Any], random: Any) -> None:
    trace = random_run(**case)
    for array in trace:
        for _ in range(4):
            check(trace, array, tuple(random.randrange(n) for n in trace[array].shape))


@pytest.mark.parametrize("text", ["The cat sat on the mat", "a a a", "x"])
def test_every_cell_of_toy_sentences_evaluates_as_printed(text: str) -> None:
    trace = attention_program(heads=2, kv_heads=1).run(toy_inputs(text, kv_heads=1))
    for array in trace:
        for cell in np.ndindex(trace[array].shape):
            check(trace, array, cell)


def test_sums_of_more_than_sixteen_terms_show_partial_sums() -> None:
    trace = random_run(5, T=40, d_model=37, mask="none")
    lines = explain(trace, "Q", (0, 1, 1)).plain
    assert len(lines) == 4
    assert all(line.count("*") <= 16 for line in lines)
    check(trace, "Q", (0, 1, 1))
    check(trace, "weights", (0, 3, 2))
    check(trace, "context", (1, 3, 1))


def test_softmax_of_sixty_four_keys_evaluates_as_printed() -> None:
    trace = random_run(8, T=64, mask="none")
    for j in (0, 17, 63):
        check(trace, "weights", (1, 63, j))


def test_an_empty_row_and_an_underflowing_weight_are_explained() -> None:
    mask = np.tri(3, dtype=bool)
    mask[1] = False
    program = attention_program(heads=1, scale=False, mask="custom")
    scores = np.array([[[0.0, 0, 0], [0, 0, 0], [0, -900, -30]]])
    inputs = toy_inputs("a b c", heads=1, d_model=4, mask=mask)
    trace = program.run(inputs, pinned={"scores": scores})
    for array in ("scaled", "masked", "weights", "context", "output"):
        for cell in np.ndindex(trace[array].shape):
            check(trace, array, cell)
    assert explain(trace, "weights", (0, 1, 0)).plain == ["exp(-inf) = 0"]
    assert "NaN" in explain(trace, "weights", (0, 1, 0)).words
    assert shown(trace, "weights", (0, 2, 2)) == "9e-14"


def test_the_example_of_the_design_is_printed_as_promised() -> None:
    program = attention_program(heads=1, scale=False)
    inputs = {
        "X": [[1.1, -1.5]], "W_Q": [[[1, 0], [0, 1]]], "W_K": [[[0.4, 0], [0, 1]]],
        "W_V": [[[1, 0], [0, 1]]], "W_O": [[1, 0], [0, 1]],
    }  # fmt: skip
    trace = program.run({n: np.array(a, dtype=float) for n, a in inputs.items()})
    assert explain(trace, "Q", (0, 0, 1)).plain == ["(1.1*0) + (-1.5*1) = -1.50"]
    assert trace.tokens == ("1",)


@pytest.mark.parametrize(
    "token", ["$\\frac{", "}{", "\\end{aligned}", "%&#_^~", "<img src=x>", "e" + "\u0301" * 4000]
)
def test_latex_of_hostile_tokens_has_balanced_braces(token: str) -> None:
    inputs = toy_inputs("a b")
    trace = attention_program().run(type(inputs)(inputs.arrays, (token, token)))
    for row in explain(trace, "scores", (0, 1, 0)).latex:
        plain = re.sub(r"\\[{}\\]", "", row)
        depth = 0
        for char in plain:
            depth += (char == "{") - (char == "}")
            assert depth >= 0
        assert depth == 0
        assert "$" not in re.sub(r"\\\$", "", row)


def test_a_cell_that_is_not_there_is_refused() -> None:
    trace = random_run(1)
    for array, cell in (("scores", (9, 0, 0)), ("scores", (0, 0)), ("score", (0, 0, 0))):
        with pytest.raises(ValueError, match=r"scores|axes|is"):
            explain(trace, array, cell)
