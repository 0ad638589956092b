"""Every plain line of arithmetic evaluates as printed, and ends in the cell."""

import math
import re
from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import Trace, attention_program, explain, toy_inputs
from core.operations.merging import log_sum_exp
from core.operations.products import affine
from core.operations.softmax import softmax
from core.program import formulas, labels, patterns
from core.program.explanations import LETTERS_ON_A_ROW, Explanation, arithmetic, broken
from core.program.numbers import display, rounding
from core.program.numbers.arithmetic import (
    ArithmeticLine,
    Call,
    Expression,
    PrintedNumber,
    Product,
    Quotient,
    Subtraction,
    Sum,
    arithmetic_line,
)
from tests.core.properties import every_cell, users
from tests.core.row_lines import CELL, lines_of
from tests.core.support import cases, random_run, toy_run
from tests.registry import REGISTRY
from tests.sampling import DEEP, examples, some

NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:e-?\d+)?")
TOKEN = r"(?:NaN|-?(?:inf|\d+(?:\.\d+)?(?:e-?\d+)?))"
PAIR = rf"({TOKEN})\*({TOKEN})"
RATIONAL = {("exp", 0): 1, ("log", 1): 0, ("tanh", 0): 0, ("erf", 0): 0}


def function(name: str) -> Any:
    def apply(x: Any) -> Any:
        if is_nan(x):
            return x
        if x == -math.inf:
            return Fraction(0)
        if (name, x) in RATIONAL:
            return Fraction(RATIONAL[name, x])
        with localcontext() as context:
            context.prec = 80
            value = Decimal(x.numerator) / Decimal(x.denominator)

            def tanh() -> Decimal:
                near = max(min(value, Decimal(500)), Decimal(-500))  # beyond, it is ±1 in 80 digits
                return ((2 * near).exp() - 1) / ((2 * near).exp() + 1)

            own: dict[str, Any] = {
                "exp": value.exp,
                "sqrt": value.sqrt,
                "log": value.ln,
                "tanh": tanh,
            }
            floats: dict[str, Any] = {"sin": math.sin, "cos": math.cos, "erf": erf}
            result = Fraction(own[name]() if name in own else Decimal(floats[name](value)))
        return result if name == "sqrt" and result * result == x else tainted(result)

    return apply


def is_nan(x: Any) -> bool:
    return isinstance(x, float) and math.isnan(x)


def number(printed: str) -> float | Fraction:
    return float(printed) if printed in ("NaN", "inf", "-inf") else Fraction(printed)


def erf(x: Decimal) -> Decimal:
    """Near ±1 by way of what is missing, which a float can tell."""
    if abs(x) < Decimal("0.5"):
        return Decimal(math.erf(x))
    return (1 - Decimal(math.erfc(abs(x)))).copy_sign(x)


TAINT: list[bool] = []


def tainted(value: Fraction) -> Fraction:
    TAINT.append(True)
    return value


def evaluate(text: str) -> tuple[Any, bool]:
    """What a printed expression comes to, and whether that is exact."""
    TAINT.clear()
    functions = ("exp", "sqrt", "tanh", "erf", "log", "sin", "cos")
    names: dict[str, Any] = {name: function(name) for name in functions}
    names |= {"max": max, "min": min, "sign": lambda x: Fraction(1 if x >= 0 else -1)}
    names |= {"F": Fraction, "inf": math.inf, "NaN": math.nan, "__builtins__": {}}
    value = eval(NUMBER.sub(lambda m: f"F('{m[0]}')", text), names)
    return value, not TAINT


def rounds_to(value: Any, printed: str, noise: float) -> bool:
    """Whether a value is the printed one at the printed one's own number of digits.

    A half may have been rounded off at the 9th decimal before; below 0.005 nothing is.
    """
    if not isinstance(number(printed), Fraction):
        return bool(value == float(printed)) or (is_nan(value) and printed == "NaN")
    mantissa, _, exponent = printed.partition("e")
    half = Fraction(1, 2) / Fraction(10) ** (len(mantissa.partition(".")[2]) - int(exponent or 0))
    if Fraction(printed) == 0:
        return abs(value) <= max(half, Fraction(noise)) and (abs(value) <= noise or value == 0)
    slack = Fraction(1, 2 * 10**9) if abs(value) >= rounding.SCIENTIFIC_BELOW else Fraction(0)
    return abs(value - Fraction(printed)) <= half + slack


def check(trace: Trace, array: str, cell: patterns.Cell) -> None:
    check_operands(trace, array, cell, check_lines(trace, array, cell))


def check_lines(trace: Trace, array: str, cell: patterns.Cell) -> list[str]:
    """Every line comes to what it says, and the last to the cell."""
    explanation = explain(trace, array, cell)
    lines = explanation.plain
    ends = [check_line(text, trace.noise[array]) for text in lines]
    assert ends[-1] == display.shown(trace, array, cell), (array, cell, lines)
    check_rows(explanation)
    return lines


def check_line(text: str, noise: float) -> str:
    """A line comes to what it says, by its sign of equality; its right side."""
    left, relation, right = re.fullmatch(r"(.*) ([=≈]) (\S+)", text).groups()  # type: ignore[union-attr]
    assert re.fullmatch(TOKEN, right), text
    value, exact = evaluate(left)
    assert rounds_to(value, right, noise), (text, float(value))
    equal = (exact and value == number(right)) or (is_nan(value) and right == "NaN")
    assert relation == ("=" if equal else "≈"), text
    return str(right)


def check_rows(explanation: Explanation) -> None:
    """The rows, put together and worked out, say what the plain lines say; LaTeX is the rows."""
    assert explanation.latex == [f"&{formulas.latex(row)}" for row in explanation.rows]
    *before, last = lines_of(explanation.rows)
    head, *said = re.split(r" ?([=≈]) ", last)
    assert head == CELL
    if said[0] == "=" and len(said) == 2:  # the cell is a number as it stands
        said = ["=", said[1], *said]
    written = [re.split(r" ([=≈]) ", text) for text in before] + [said[1:]]
    for row, text in zip(written, explanation.plain, strict=True):
        left, relation, right = re.split(r" ([=≈]) ", text)
        assert row[1] == relation, (row, text)
        for ours, theirs in ((row[0], left), (row[2], right)):
            (value, exact), (wanted, as_exact) = evaluate(ours), evaluate(theirs)
            assert value == wanted or (is_nan(value) and is_nan(wanted)), (ours, theirs)
            assert exact == as_exact


def check_operands(trace: Trace, array: str, cell: patterns.Cell, lines: list[str]) -> None:
    """The numbers that go in are the sources' own values, in order, all at the same decimals."""
    if array not in trace.steps or trace.steps[array].pattern.reads_nothing:
        return
    operation, reads = trace.steps[array].operation, trace.steps[array].reads
    is_softmax = isinstance(operation, softmax)
    expected: list[tuple[str, float]] = []
    for term in trace.live_terms(array, cell):
        named = zip(reads, term, strict=True)
        kept = [(n, at) for n, at in named if at is not None and trace[n].dtype != bool]
        found = [(n, float(trace[n][at])) for n, at in kept]
        expected += found[1:] if is_softmax else found
    if isinstance(operation, affine):  # the bias comes once, after the products
        expected = [e for e in expected if e[0] != reads[2]] + expected[-1:]
    lefts = [re.split(r" [=≈] ", text)[0] for text in lines]
    if is_softmax and len(expected) == 1:  # it is the largest
        printed = [re.findall(TOKEN, lefts[0])[0]]
    elif is_softmax or isinstance(operation, log_sum_exp):
        printed = re.findall(TOKEN, lefts[0]) if expected else []
        assert [exp.split(" - ")[0] for exp in lefts if exp.startswith("exp(")] == [
            f"exp({number}" for number in printed
        ] or len(expected) < 2
    elif len(reads) == 2 and "@" in operation.code(reads, [trace[n].shape for n in reads]):
        printed = [n for text in lefts for pair in re.findall(PAIR, text) for n in pair]
    else:
        printed = re.findall(TOKEN, lefts[-1])[: len(expected)]
    assert len(printed) == len(expected), (array, cell, lines)
    terms = [(t, v, trace.noise[n]) for t, (n, v) in zip(printed, expected, strict=True)]
    fit = [all(stands_for(*term, decimals=d) for term in terms) for d in range(2, 18)]
    assert any(fit), (array, cell, lines, expected)


def stands_for(printed: str, value: float, noise: float, decimals: int) -> bool:
    """Whether `printed` is `value` at so many decimals, worked out with Python's `decimal`."""
    if is_nan(value):
        return printed == "NaN"
    if math.isinf(value) or not isinstance(number(printed), Fraction):
        return float(printed) == value
    exact = Decimal(value)
    if abs(exact) <= Decimal(noise):
        return Decimal(printed) == 0
    digits = decimals
    if abs(exact) < Decimal("0.005"):
        digits = max(decimals - 2, 0) - exact.adjusted()
    elif abs(exact) >= 1_000_000:
        digits = decimals - exact.adjusted()
    elif decimals < 9:
        exact = exact.quantize(Decimal("1e-9"), ROUND_HALF_UP)
    with localcontext() as context:
        context.prec = 400
        return Decimal(printed) == exact.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP) or (
            abs(Decimal(printed) - Decimal(value))
            <= max(abs(Decimal(value)) * Decimal("1e-12"), Decimal(noise))
        )


@given(cases(longest=9, widest=24, sizes=(1.0, 1e-4, 1e-2, 30.0, 1e3, 1e6)), st.randoms())
@examples(8)
def test_every_line_of_every_step_evaluates_as_printed(case: dict[str, Any], random: Any) -> None:
    trace = random_run(**case)
    for array in trace:
        for _ in range(4):
            check(trace, array, tuple(random.randrange(n) for n in trace[array].shape))


@pytest.mark.parametrize("text", ["The cat sat on the mat" if DEEP else "The cat sat", "a a", "x"])
def test_every_cell_of_toy_sentences_evaluates_as_printed(text: str) -> None:
    trace = toy_run(text, kv_heads=1)
    for array, cell in every_cell(trace):
        check(trace, array, cell)


def test_sums_of_more_than_sixteen_terms_show_partial_sums() -> None:
    trace = random_run(5, T=40, d_model=37, mask="none")
    lines = explain(trace, "Q", (0, 1, 1)).plain
    assert len(lines) == 4
    assert all(line.count("*") <= 16 for line in lines)
    check(trace, "Q", (0, 1, 1))
    check(trace, "weights", (0, 3, 2))
    check(trace, "context", (1, 3, 1))
    trace = random_run(8, T=64, mask="none")
    for j in (0, 17, 63):
        check(trace, "weights", (1, 63, j))


def test_an_empty_row_and_an_underflowing_weight_are_explained() -> None:
    mask = np.tri(3, dtype=bool)
    mask[1] = False
    given = {"scores": np.array([[[0.0, 0, 0], [0, 0, 0], [0, -900, -30]]])}
    trace = toy_run("a b c", 1, scale=False, mask="custom", drawn=mask, pinned=given)
    for array in ("scaled", "masked", "weights", "context", "output"):
        for cell in np.ndindex(trace[array].shape):
            check(trace, array, cell)
    assert explain(trace, "weights", (0, 1, 0)).plain == ["exp(-inf) = 0"]
    assert "NaN" in explain(trace, "weights", (0, 1, 0)).words
    assert display.shown(trace, "weights", (0, 2, 2)) == "9e-14"


def test_what_is_computed_with_nan_is_nan_and_stands_behind_an_equals_sign() -> None:
    nan, low, two = PrintedNumber("NaN"), PrintedNumber("-inf"), PrintedNumber("2")
    for left, plain in (
        (Subtraction(low, low), "-inf - (-inf)"),
        (Call("exp", (nan,)), "exp(NaN)"),
        (Product((nan, PrintedNumber("0"))), "NaN*0"),
        (Sum((two, Call("exp", (two,)), nan)), "2 + exp(2) + NaN"),
        (Quotient(two, nan), "2 / NaN"),
    ):
        assert arithmetic_line(left, 2).plain() == f"{plain} = NaN"
    assert ArithmeticLine(two, nan).plain() == "2 ≈ NaN"
    assert ArithmeticLine(nan, two).plain() == "NaN ≈ 2"
    assert Subtraction(nan, two).latex() == r"\mathrm{NaN} - 2"


@pytest.mark.parametrize(
    ("score", "written"),
    [
        (2e-7, "2e−7 means 2 × 10⁻⁷: small, but not 0."),
        (-0.0034, "−3e−3 means −3 × 10⁻³: small, but not 0."),
        (1.25e12, "1.25e12 means 1.25 × 10¹²."),
        (0.005, ""),
        (-900.0, ""),
    ],
)
def test_a_number_in_powers_of_ten_says_what_it_means(score: float, written: str) -> None:
    trace = toy_run("a b", 1, mask="none", pinned={"scores": np.array([[[score, 1], [1, 1]]])})
    words = explain(trace, "scores", (0, 0, 0)).words
    assert written in words
    assert ("× 10" in words) == bool(written)
    if written:
        said = re.search(r"means (−?[\d.]+) × 10(\S+?)[:.]", words)
        assert said
        power = int(said[2].translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")))
        number = float(said[1].replace("−", "-")) * 10.0**power
        assert number == pytest.approx(float(display.shown(trace, "scores", (0, 0, 0))))


def test_numbers_near_the_smallest_float_are_explained() -> None:
    inputs = toy_inputs("a b", heads=1, d_model=2)
    tiny = {name: np.full(array.shape, 1e-300) for name, array in inputs.items()}
    trace = attention_program(heads=1, scale=1e-300).run(tiny)
    for array, cell in every_cell(trace):
        assert explain(trace, array, cell).plain[-1].endswith(display.shown(trace, array, cell))


def test_the_example_of_the_design_is_printed_as_promised() -> None:
    program = attention_program(heads=1, scale=False)
    inputs = {
        "X": [[1.1, -1.5]], "W_Q": [[[1, 0], [0, 1]]], "W_K": [[[0.4, 0], [0, 1]]],
        "W_V": [[[1, 0], [0, 1]]], "W_O": [[1, 0], [0, 1]],
    }  # fmt: skip
    trace = program.run({n: np.array(a, dtype=float) for n, a in inputs.items()})
    assert explain(trace, "Q", (0, 0, 1)).plain == ["(1.1*0) + (-1.5*1) = -1.50"]
    assert trace.tokens == ("1",)


def test_rows_are_broken_where_their_room_ends() -> None:
    given = {"scores": np.array([[[-1.0, 2, -3, 4, -5]] * 5])}
    trace = toy_run("a b c d e", 1, d_model=6, mask="none", scale=False, pinned=given)
    assert explain(trace, "weights", (0, 1, 3)).latex == [
        r"&\max(-1, 2, -3, 4, -5) = 4",
        r"&\exp(-1 - 4) \approx 0.01",
        r"&\exp(2 - 4) \approx 0.14",
        r"&\exp(-3 - 4) \approx 9 \times 10^{-4}",
        r"&\exp(4 - 4) = 1",
        r"&\exp(-5 - 4) \approx 1 \times 10^{-4}",
        r"&0.01 + 0.14 + 9 \times 10^{-4} + 1",
        r"&\quad + 1 \times 10^{-4}",
        r"&\approx 1.15",
        r"&\operatorname{weights}[\text{b}, \text{d}]",
        r"&= \dfrac{1}{1.15}",
        r"&\approx 0.87",
    ]
    inputs = explain(trace, "X", (1, 2))
    assert inputs.rows == [
        ["row", ["name", "X", "", "X"], ["mark", "["], ["text", "b"], ["mark", ","], ["text", "3"],
         ["mark", "]"]],
        ["row", ["mark", "="], ["number", display.shown(trace, "X", (1, 2))]],
    ]  # fmt: skip


ONES, HALVES = (PrintedNumber("1"),) * 2, (PrintedNumber("0.5"), PrintedNumber("-0.25"))


@pytest.mark.parametrize(
    ("terms", "in_rows"),
    [
        ((Product(ONES),) * 3, [3]),
        ((Product(ONES),) * 5, [4, 1]),
        ((Product(HALVES),) * 5, [2, 2, 1]),
        ((Product((PrintedNumber("123.4567"), PrintedNumber("-123.4567"))),) * 2, [1, 1]),
        ((PrintedNumber("1"),) * 9, [9]),
        ((PrintedNumber("-0.25"),) * 9, [4, 4, 1]),
    ],
)
def test_a_sum_breaks_by_its_terms_size(terms: tuple[Expression, ...], in_rows: list[int]) -> None:
    rows = broken(Sum(terms))
    per_term = 2 if isinstance(terms[0], Product) else 1
    assert [repr(row).count("'number'") // per_term for row in rows] == in_rows
    assert [row[0] for row in rows[1:]] == ["indent"] * (len(in_rows) - 1)
    widest = max(len(formulas.latex(row).replace("\\quad", "").replace(" ", "")) for row in rows)
    assert widest <= LETTERS_ON_A_ROW or max(in_rows) == 1


def test_no_row_is_shorter_than_it_need_be() -> None:
    """One more term would not have had room."""
    trace = random_run(7, T=12, d_model=9, mask="none")
    for array, cell in (("Q", (0, 1, 1)), ("context", (1, 3, 1)), ("weights", (0, 5, 2))):
        for line in arithmetic(trace, array, cell):
            rows = [len(formulas.latex(row).replace(" ", "")) for row in broken(line.left)]
            assert all(a + b > LETTERS_ON_A_ROW - 8 for a, b in pairwise(rows))


def test_one_visible_key_has_no_line_that_says_a_number_of_itself() -> None:
    trace = toy_run("a b", 1)
    first, last = explain(trace, "weights", (0, 0, 0)).plain
    score = re.escape(first[len("exp(") :].partition(" ")[0])
    assert re.fullmatch(rf"exp\({score} - \(?{score}\)?\) = 1", first)
    assert last == "1 / 1 = 1.00"
    assert len(explain(trace, "weights", (0, 1, 0)).plain) == 5


@pytest.mark.parametrize("name", some(list(REGISTRY), 6))
def test_no_line_on_the_way_to_a_cell_says_a_number_of_itself(name: str) -> None:
    trace = REGISTRY[name].run(3)
    for array in trace.steps:
        cells = list(np.ndindex(trace[array].shape))
        for cell in cells[:: max(1, len(cells) // 12)]:
            *before, _ = arithmetic(trace, array, cell)
            assert not [line for line in before if line.left == line.right], (array, cell)


@pytest.mark.parametrize(
    "token", ["$\\frac{", "}{", "\\end{aligned}", "%&#_^~", "<img src=x>", "e" + "\u0301" * 4000]
)
def test_latex_of_hostile_tokens_has_balanced_braces(token: str) -> None:
    inputs = toy_inputs("a b")
    trace = attention_program().run(type(inputs)(inputs.arrays, (token, token)))
    explanation = explain(trace, "scores", (0, 1, 0))
    first, second = labels.token_labels((token, token))
    said = [node for node in explanation.rows[0] if node[0] == "text"]
    assert said == [["text", second], ["text", first]]
    for row in explanation.latex:
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


# What a cell feeds


def named_cell(trace: Trace, name: str) -> tuple[str, patterns.Cell]:
    """The cell that a text such as `scores[cat, the₁] of head 2` names."""
    match = re.fullmatch(r"(\w+)\[(\S+), (\S+)\](?: of head (\d+))?", name)
    assert match is not None, name
    array, *inside, head = match.groups()
    places = [LABELS.index(i) if i in LABELS else int(i) - 1 for i in inside]
    return array, (*[int(head or 1) - 1][: trace[array].ndim - 2], *places)


LABELS = ["the₁", "cat", "saw", "the₂"]


@pytest.mark.parametrize(
    "settings", [{"heads": 2, "kv_heads": 1}, {"heads": 1, "mask": "none"}, {"mask": "custom"}]
)
def test_a_cell_says_how_many_it_feeds_and_a_single_one_by_name(settings: dict[str, Any]) -> None:
    mask = np.array([[1, 0, 0, 1], [0, 0, 0, 0], [1, 1, 1, 0], [0, 1, 0, 1]], dtype=bool)
    given = mask if settings.get("mask") == "custom" else None
    trace = toy_run("the cat saw the", d_model=4, drawn=given, **settings)
    last = {"output": "This is the result of the last step."}
    fed, alone, many, none = users(trace), 0, 0, 0
    for array, cell in every_cell(trace):
        wanted = fed.get((array, cell), set())
        said = explain(trace, array, cell).feeds
        if not wanted:
            none += 1
            assert said == last.get(array, "It feeds nothing.")
            continue
        parts = re.split(r", (?![^\[]*\])| and ", said.removeprefix("Feeds ").removesuffix("."))
        if each := re.fullmatch(r"(\d+ cells) each of (\w+)", parts[0]):
            parts = [f"{each[1]} of {name}" for name in (each[2], *parts[1:])]
        assert len(parts) == len({name for name, _ in wanted})
        for part in parts:
            if match := re.fullmatch(r"(\d+) cells of (\w+)", part):
                many += 1
                count, name = match.groups()
                assert int(count) == sum(user == name for user, _ in wanted) > 1, said
            else:
                alone += 1
                name, at = named_cell(trace, part)
                assert [at] == [found for user, found in wanted if user == name], said
    assert min(alone, many, none) >= 16


def test_an_explanation_is_printed_as_its_cell_and_the_line_that_ends_in_its_number() -> None:
    """Two tokens that are equal get the weight 1/2 each."""
    program, unit = attention_program(heads=1), np.eye(1)
    projections = dict.fromkeys(("W_Q", "W_K", "W_V"), unit[None])
    trace = program.run({"X": [[1], [1]], "W_O": unit, **projections})
    title, line = repr(explain(trace, "weights", (0, 1, 0))).split("\n")
    assert title == "weights[2, 1]"
    assert line == "1 / 2 = 0.50"
