"""Formulas as small trees of symbols, which `ui` draws as MathML and `explain` writes as LaTeX.

A node is a list whose first item says what it is:

    ["name", "W", "Q", "W_Q"]          a symbol, its subscript, and the array it stands for
    ["word", "softmax", "weights"]     an upright word, and the role whose colour it has ("": none)
    ["mark", "="]                      an operator or a bracket
    ["row", node, …]   ["sup", node, node]   ["over", node, node]   ["sqrt", node]
    ["step", "scores", node]           the part of a formula that a step computes

Lists and strings only, so that a formula travels to the browser as it is.
"""

from typing import Any

Formula = list[Any]


def name(array: str) -> Formula:
    """The symbol of an array: W_Q is W with subscript Q, weights is an upright word."""
    letter, _, sub = array.partition("_")
    return ["name", letter, sub, array] if len(letter) == 1 else ["name", array, "", array]


def row(*nodes: Formula) -> Formula:
    return ["row", *nodes]


def mark(text: str) -> Formula:
    return ["mark", text]


def word(text: str, role: str = "") -> Formula:
    return ["word", text, role]


def call(function: str, *inside: Formula, role: str = "") -> Formula:
    """function(inside), several arguments parted by commas."""
    parts = [node for argument in inside for node in (mark(","), argument)][1:]
    return row(word(function, role), mark("("), *parts, mark(")"))


def transpose(node: Formula) -> Formula:
    return ["sup", node, ["mark", "T"]]


def over(top: Formula, bottom: Formula) -> Formula:
    """top / bottom on one line, as the formula bar needs it."""
    return row(top, mark("/"), bottom)


def root(node: Formula) -> Formula:
    return ["sqrt", node]


def latex(node: Formula) -> str:
    """The formula as LaTeX. Nodes hold only names that the program itself chose."""
    kind, *rest = node
    if kind == "name":
        letter, sub, _ = rest
        if len(letter) > 1:
            return _upright(letter)
        return f"{letter}_{{{sub}}}" if sub else letter
    if kind == "word":
        return _upright(rest[0])
    if kind == "mark":
        text: str = rest[0]
        return {"×": r"\times ", "·": r"\cdot ", "T": r"\top"}.get(text, text)
    if kind == "sup":
        return f"{latex(rest[0])}^{{{latex(rest[1])}}}"
    if kind == "sqrt":
        return rf"\sqrt{{{latex(rest[0])}}}"
    if kind == "step":
        return latex(rest[1])
    return " ".join(latex(part) for part in rest)


def plain(node: Formula) -> str:
    """The formula on one line of text: Q Kᵀ, scores / √d_k, softmax(masked)."""
    kind, *rest = node
    if kind == "name":
        letter, sub, _ = rest
        return f"{letter}_{sub}" if sub else str(letter)
    if kind in ("word", "mark"):
        text: str = rest[0]
        return {"T": "ᵀ", "/": " / ", "=": " = ", "×": " × ", ",": ", "}.get(text, text)
    if kind == "sup":
        return plain(rest[0]) + plain(rest[1])
    if kind == "sqrt":
        return f"√{plain(rest[0])}"
    if kind == "step":
        return plain(rest[1])
    line = ""
    for before, part in zip([["mark"], *rest], rest, strict=False):
        line += " " * (before[0] != "mark" and part[0] != "mark") + plain(part)
    return line


def _upright(text: str) -> str:
    words = text.replace("_", r"\_").replace(" ", r"\ ")
    return rf"\operatorname{{{words}}}"
