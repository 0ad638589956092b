"""Formulas as small trees of symbols, which `stage` draws as MathML and `latex` writes as LaTeX.

A node is a list whose first item says what it is:

    ["name", "W", "Q", "W_Q"]          a symbol, its subscript, and the array it stands for
    ["word", "softmax", "weights"]     an upright word, and the role whose colour it has ("": none)
    ["number", "-1.56"]                a number, as core/program/numbers/rounding.py prints it
    ["text", "sat"]                    a text of anybody's, such as a token
    ["mark", "="]                      an operator or a bracket
    ["row", node, …]   ["sup", node, node]   ["over", node, node]   ["sqrt", node]
    ["step", "scores", node]           the part of a formula that a step computes
    ["indent", node]                   what goes on with the row above it

Lists and strings only, so that a formula travels to the browser as it is.
"""

import re
from collections.abc import Collection, Mapping
from typing import Any

from core.program.numbers.rounding import typeset

Formula = list[Any]

MARKS: Mapping[str, str] = {
    "×": r"\times",
    "·": r"\cdot",
    "⊗": r"\otimes",
    "−": "-",
    "≈": r"\approx",
    "‖": r"\Vert",
    "T": r"\top",
}
"""Marks that LaTeX writes in another way."""

FUNCTIONS = frozenset({"exp", "log", "tanh", "sin", "cos", "max", "min"})
"""Words that LaTeX has a command for."""

IN_LATEX: Mapping[str, str] = {
    "sup": "{}^{{{}}}",
    "sqrt": r"\sqrt{{{}}}",
    "over": r"\dfrac{{{}}}{{{}}}",
    "indent": r"\quad {}",
}
IN_PLAIN_TEXT: Mapping[str, str] = {
    "sup": "{}{}",
    "sqrt": "√{}",
    "over": "({}) / ({})",
    "indent": "{}",
}
"""How nodes that hold others are written around these."""

NOT_FINITE: Mapping[str, str] = {"inf": r"\infty", "-inf": r"-\infty", "NaN": r"\mathrm{NaN}"}
"""Numbers that are no fraction, and their LaTeX."""


def name(array: str) -> Formula:
    """The symbol of an array: W_Q is W with subscript Q, weights is an upright word.

    A word has a subscript where that begins with a number or is a letter: scores_1, mean_f. Other
    words stand beside each other: so_far is "so far", kept_l_1 is "kept l" with subscript 1. A
    word after a number stands in front: weights_1_typed is "typed weights" with subscript 1.
    """
    if numbered := re.fullmatch(r"([A-Za-z]+)_([0-9]+)_([a-z]{2,})", array):
        what, number, kind = numbered.groups()
        return ["name", f"{kind} {what}", number, array]
    letter, _, sub = array.partition("_")
    if len(letter) == 1 or _is_short(sub):
        return ["name", letter, sub.replace("_", ", "), array]
    words, _, last = array.rpartition("_")
    if "_" in words and _is_short(last):
        return ["name", words.replace("_", " "), last, array]
    return ["name", array.replace("_", " "), "", array]


def _is_short(sub: str) -> bool:
    return sub[:1].isdigit() or len(sub) == 1


def symbol_text(array: str) -> str:
    """What a sentence calls an array: so far; W_Q and scores_1, whose subscripts the page sets."""
    _, words, sub, _ = name(array)
    return f"{words}{'_' * bool(sub)}{sub}" if " " in words else array


def row(*nodes: Formula) -> Formula:
    return ["row", *nodes]


def word_formula(text: str) -> Formula:
    return ["mark", text]


def word(text: str, role: str = "") -> Formula:
    return ["word", text, role]


def text(given: str) -> Formula:
    return ["text", given]


def number_formula(printed: str) -> Formula:
    """A number as it is printed: 3e-7 is 3 × 10⁻⁷, and 1/6 has a bar."""
    if "/" in printed:
        return fraction(*(["number", part] for part in printed.split("/")))
    if "e" not in printed:
        return ["number", printed]
    mantissa, _, exponent = printed.partition("e")
    return row(["number", mantissa], word_formula("×"), power(["number", "10"], int(exponent)))


def comma_list_formula(*nodes: Formula) -> list[Formula]:
    """The nodes with commas between them."""
    return [part for node in nodes for part in (word_formula(","), node)][1:]


def call(function: str, *inside: Formula, role: str = "") -> Formula:
    """function(inside), several arguments parted by commas."""
    return row(
        word(function, role), word_formula("("), *comma_list_formula(*inside), word_formula(")")
    )


_BRACKETS: tuple[Formula, Formula] = (["mark", "("], ["mark", ")"])
"""The same two in every formula, because long sums have thousands: nobody changes a tree."""


def bracketed(node: Formula) -> Formula:
    left, right = _BRACKETS
    return row(left, node, right)


SUM, PRODUCT, ATOM = range(3)
"""How strongly the outermost parts of a formula hold together, from the weakest."""
_PRODUCTS = ("×", "·", "⊗", "/")


def binding(node: Formula) -> int:
    """How strongly the parts of a formula hold together: as a sum, as a product, or more."""
    kind, *parts = node
    if kind == "step":
        return binding(parts[1])
    if kind != "row":
        return ATOM
    factors: list[Formula] = []
    depth, found = 0, ATOM
    for part in parts:
        sign = part[1] if part[0] == "mark" else ""
        depth += (sign == "(") - (sign == ")")
        if depth or sign == ")":
            continue
        if sign in ("+", "−") and factors:
            return SUM
        if sign in _PRODUCTS:
            found = PRODUCT
        elif not sign:
            factors.append(part)
    if len(factors) == 1 and len(parts) == 1:
        return binding(factors[0])
    return PRODUCT if len(factors) > 1 else found


def with_brackets(node: Formula, operands: Collection[Formula]) -> Formula:
    """The formula with brackets around those operands that would fall apart in it.

    (a + b)², not a + b²; q / (k + v); (a + b) W. What stands in brackets already stays.
    """
    kind, *parts = node

    def own(part: Formula) -> bool:
        return any(part is operand for operand in operands)

    if kind == "sup" and own(parts[0]):
        return [kind, bracketed(parts[0]) if binding(parts[0]) < ATOM else parts[0], *parts[1:]]
    if kind != "row":
        return node
    made = []
    for part, before, after in zip(parts, [None, *parts], [*parts[1:], None], strict=False):
        if not own(part):
            made.append(with_brackets(part, operands))
            continue
        signs = [
            near[1] if near and near[0] == "mark" else near and "×" for near in (before, after)
        ]
        multiplied = any(sign in _PRODUCTS for sign in signs)
        falls = binding(part) == SUM and (multiplied or signs[0] == "−")
        falls |= binding(part) < ATOM and signs[0] == "/"
        made.append(bracketed(part) if falls else part)
    return [kind, *made]


def added(node: Formula) -> list[Formula]:
    """The node as a further term of a sum: + 2, or − 2 where it begins with a minus sign."""
    positive = without_minus(node)
    return [word_formula("+"), node] if positive is None else [word_formula("−"), positive]


def without_minus(node: Formula) -> Formula | None:
    """The node without the minus sign that it begins with; None where it begins with none."""
    kind, first, *rest = node
    if kind == "number":
        return ["number", first[1:]] if first.startswith("-") else None
    if kind != "row" or (positive := without_minus(first)) is None:
        return None
    return row(positive, *rest)


def transpose(node: Formula) -> Formula:
    return ["sup", node, ["mark", "T"]]


def power(base: Formula, exponent: int) -> Formula:
    return ["sup", base, ["number", str(exponent)]]


def over(top: Formula, bottom: Formula) -> Formula:
    """top / bottom on one line, as the formula bar needs it."""
    return row(top, word_formula("/"), bottom)


def fraction(top: Formula, bottom: Formula) -> Formula:
    """top over bottom, with a bar between them."""
    return ["over", top, bottom]


def root(node: Formula) -> Formula:
    return ["sqrt", node]


def indented(node: Formula) -> Formula:
    return ["indent", node]


def latex(node: Formula) -> str:
    """The formula as LaTeX. Only `text` may hold what the program did not choose itself."""
    kind, *rest = node
    if kind == "name":
        letter, sub, _ = rest
        base = letter if len(letter) == 1 else _upright(letter)
        under = rf"\text{{{sub}}}" if len(sub) > 1 else sub
        return f"{base}_{{{under}}}" if sub else base
    if kind == "word":
        return rf"\{rest[0]}" if rest[0] in FUNCTIONS else _upright(rest[0])
    if kind == "number":
        return NOT_FINITE.get(rest[0], rest[0])
    if kind == "text":
        return rf"\text{{{escape_latex(rest[0])}}}"
    if kind == "mark":
        return MARKS.get(rest[0], rest[0])
    if kind == "step":
        return latex(rest[1])
    if kind in IN_LATEX:
        return IN_LATEX[kind].format(*map(latex, rest))
    line = ""
    for part in map(latex, rest):
        opens = part[0] in "([" and (line[-1:].isalnum() or line[-1:] in ("}", ")", "]"))
        tight = not line or line[-1] in "([" or part[0] in ")],;" or opens
        line += part if tight else f" {part}"
    return line


def plain_formula(node: Formula) -> str:
    """The formula on one line of text: Q Kᵀ, scores / √d_k, softmax(masked)."""
    kind, *rest = node
    if kind == "name":
        return symbol_text(rest[2])
    if kind in ("word", "mark", "number", "text"):
        written: str = rest[0]
        if kind == "mark":
            return {"T": "ᵀ", "/": " / ", "=": " = ", "×": " × ", ",": ", "}.get(written, written)
        return typeset(written) if kind == "number" else written
    if kind == "step":
        return plain_formula(rest[1])
    if kind in IN_PLAIN_TEXT:
        return IN_PLAIN_TEXT[kind].format(*map(plain_formula, rest))
    line = ""
    for before, part in zip([["mark"], *rest], rest, strict=False):
        line += " " * (before[0] != "mark" and part[0] != "mark") + plain_formula(part)
    return line


def escape_latex(given: str) -> str:
    """Text that LaTeX (KaTeX, MathJax) sets as itself inside \\text{…}, whatever it holds."""
    special = {
        "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
        "_": r"\_", "%": r"\%", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
    }  # fmt: skip
    return "".join(special.get(char, char) for char in given)


def _upright(given: str) -> str:
    words = given.replace("_", r"\_").replace(" ", r"\ ")
    return rf"\operatorname{{{words}}}"
