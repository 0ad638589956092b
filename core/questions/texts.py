"""What questions are written in: prose with mathematics, tokens and code set off; worked lines.

In a text $…$ is mathematics in LaTeX, *…* a token, `…` code. All of it is the project's own. A
token that a person typed may have such marks in it, so it is a `marked_token`; any other text of a
person's is `as_prose`.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction

from core.program import formulas as f
from core.program.explanations import broken, line_rows
from core.program.formulas import Formula
from core.program.labels import MARKED_PROSE, MARKED_TOKEN
from core.program.numbers import arithmetic
from core.program.numbers.rounding import CELL_DECIMALS, decimal_text, operand_text

MOST_DECIMALS = 17
ALL_DECIMALS = 8
"""No number that a question draws has more of them."""
ROOT, DOT = r"$\sqrt{d_k}$", r"$q \cdot k$"
D_MODEL_SYMBOL = r"d_{\text{model}}"
_PARTS = re.compile(rf"{MARKED_PROSE}|{MARKED_TOKEN}|\$([^$]+)\$|\*([^*]+)\*|`([^`]+)`")
MATHS, TOKEN, CODE, PROSE = "maths", "token", "code", "prose"
_PLAIN = re.compile(r"\\top|\\sqrt|\\cdot|\\[a-z]+|[{}^]")
_SIGNS = {r"\top": "ᵀ", r"\sqrt": "√", r"\cdot": "·"}
_KINDS = (PROSE, TOKEN, MATHS, TOKEN, CODE)


def text_parts(text: str) -> list[tuple[str, str]]:
    """A text cut into its kinds: (`MATHS`, LaTeX), (`TOKEN`, …), (`CODE`, …), (`PROSE`, …)."""
    found, at = [], 0
    for part in _PARTS.finditer(text):
        kind = _KINDS[(part.lastindex or 1) - 1]
        found += [(PROSE, text[at : part.start()]), (kind, part[part.lastindex or 1])]
        at = part.end()
    return [(kind, piece) for kind, piece in [*found, (PROSE, text[at:])] if piece]


def plain_text(text: str) -> str:
    """Return a text without its marks, for charts and files: symbols as `√d_k` and `QKᵀ`."""
    return "".join(
        _PLAIN.sub(lambda found: _SIGNS.get(found[0], ""), piece) if kind == MATHS else piece
        for kind, piece in text_parts(text)
    )


def maths(tree: Formula) -> str:
    return f"${f.latex(tree)}$"


def printed(text: str) -> str:
    """A number as it is printed, typeset."""
    return maths(f.number_formula(text))


def root_of(size: int) -> str:
    """√size, typeset."""
    return maths(f.root(f.number_formula(str(size))))


def numeral(value: int | float, decimals: int = CELL_DECIMALS) -> str:
    """A number rounded by the one rule, typeset."""
    return printed(decimal_text(float(value), decimals))


def exact_number(value: int | float | Fraction) -> str:
    """A number with all of its decimals, typeset; as `about` where there are too many.

    What is written so can be worked with: nothing was rounded off it unsaid.
    """
    texts = (operand_text(float(value), n) for n in range(CELL_DECIMALS, ALL_DECIMALS + 1))
    return next((printed(text) for text in texts if _is_all_of(text, value)), about(value))


def exact_numbers(**values: int | float | Fraction) -> dict[str, str]:
    """Numbers with all of their decimals, typeset, each under its name."""
    return {name: exact_number(value) for name, value in values.items()}


def exact_list(values: Iterable[int | float]) -> str:
    """1, 0.5, −2, typeset."""
    return ", ".join(map(exact_number, values))


def exact_row(values: Iterable[int | float]) -> str:
    """(1, 0.5, −2), typeset."""
    return f"({exact_list(values)})"


def about(value: int | float | Fraction) -> str:
    """A number at two decimals, with ≈ before it where they are not all that it has."""
    text = operand_text(float(value), CELL_DECIMALS)
    return (
        printed(text)
        if _is_all_of(text, value)
        else maths(f.row(f.word_formula("≈"), f.number_formula(text)))
    )


def _is_all_of(text: str, value: int | float | Fraction) -> bool:
    number = float(value)
    return abs(float(text) - number) <= 1e-12 * abs(number)


def comma_separated(texts: Sequence[str]) -> str:
    """Printed numbers with commas between them, typeset."""
    return ", ".join(map(printed, texts))


def typeset_number(value: int | float | Fraction) -> arithmetic.PrintedNumber:
    """A number in a line: whole as it is, else with two decimals, or as many as were said."""
    return arithmetic.PrintedNumber(operand_text(float(value), 6))


Written = arithmetic.Expression | int | float | Fraction
"""What a line is made of: a number stands for itself as a line has it."""


def _expressions(*parts: Written) -> tuple[arithmetic.Expression, ...]:
    return tuple(
        typeset_number(part) if isinstance(part, int | float | Fraction) else part for part in parts
    )


def sum_of_terms(*terms: Written) -> arithmetic.Sum:
    return arithmetic.Sum(_expressions(*terms))


def product_of(*factors: Written) -> arithmetic.Product:
    return arithmetic.Product(_expressions(*factors))


def products_summed(left: Iterable[Written], right: Iterable[Written]) -> arithmetic.Sum:
    """left[0] right[0] + left[1] right[1] + …"""
    return arithmetic.Sum(tuple(map(product_of, left, right)))


def difference_of(left: Written, right: Written) -> arithmetic.Subtraction:
    return arithmetic.Subtraction(*_expressions(left, right))


def quotient_of(over: Written, under: Written) -> arithmetic.Quotient:
    return arithmetic.Quotient(*_expressions(over, under))


def call_of(function: str, *arguments: Written) -> arithmetic.Call:
    return arithmetic.Call(function, _expressions(*arguments))


def equation(left: arithmetic.Expression, decimals: int = CELL_DECIMALS) -> str:
    """`left` and what it comes to, with = or ≈ as it is, typeset."""
    return maths(arithmetic.arithmetic_line(left, decimals).tree())


def worked(
    answer: str, made: Callable[[int], Sequence[arithmetic.ArithmeticLine]]
) -> tuple[arithmetic.ArithmeticLine, ...]:
    """Lines that end in `answer` as printed: with as many decimals before as that needs.

    `made` gives the lines at so many decimals. Raises `ValueError` where they end elsewhere.
    """
    for decimals in range(CELL_DECIMALS, MOST_DECIMALS):
        *before, last = made(decimals)
        end = arithmetic.arithmetic_line(last.left, CELL_DECIMALS, trim=False)
        if end.right.text == answer:
            return (*before, end)
    raise ValueError(f"these lines do not end in {answer}")


def _whole(line: arithmetic.ArithmeticLine) -> arithmetic.ArithmeticLine:
    """A line whose result is written without decimals if it is a whole number."""
    whole_part, _, rest = line.right.text.partition(".")
    is_whole = rest and not rest.strip("0") and line.exact
    return replace(line, right=arithmetic.PrintedNumber(whole_part)) if is_whole else line


def formula_rows(lines: Sequence[arithmetic.ArithmeticLine], solved: bool = True) -> list[Formula]:
    """Worked lines as rows of formulas; unless `solved`, the last result is a question mark.

    A result that is a whole number is written as one.
    """
    *before, last = map(_whole, lines)
    if solved:
        return [row for made in (*before, last) for row in line_rows(made)]
    *pieces, piece = broken(last.left)
    rows = [row for made in before for row in line_rows(made)]
    return [*rows, *pieces, f.row(piece, f.word_formula(last.sign), f.text("?"))]
