"""What the nodes of Python's `ast` say, for `core.files.dialects.code`."""

import ast

from core.files.numerals import is_number

TOKEN_LISTS = ("tokens", "words", "labels")
"""Names of lists of words, which may all spell numbers."""


class NotPythonError(Exception):
    """The text is not Python, or means something else than it would in Python."""


class ComputedError(Exception):
    """A value that is not written out."""


def all_strings(node: ast.expr) -> bool:
    return isinstance(node, ast.List | ast.Tuple) and all(
        isinstance(one, ast.Constant) and isinstance(one.value, str) for one in node.elts
    )


def words_of(node: ast.expr, name: str = "") -> tuple[str, ...]:
    """Return the words of a list of this name; () for any other value.

    Words that all spell numbers are numbers, except in a list that is named for tokens.
    """
    words = strings(node) if all_strings(node) else ()
    return words if name.lower() in TOKEN_LISTS or not all(map(is_number, words)) else ()


def called(node: ast.Call) -> str:
    return last_name(node.func).lower()


def last_name(node: ast.expr) -> str:
    """The name at the end of np.float32."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def is_value(node: ast.expr) -> bool:
    """Whether a method's object is an array, and not a module: [[1, 2]].copy(), not np.array()."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return not isinstance(node, ast.Name)


def is_dtype(node: ast.expr) -> bool:
    named = node.value if isinstance(node, ast.Constant) else ""
    return not (isinstance(named, bool) or str(named).startswith(("cpu", "cuda", "mps")))


def is_print(node: ast.expr) -> bool:
    """Whether Python finds arithmetic or an index in what may be a print: [1 -2], [[1] [2]]."""
    if isinstance(node, ast.Subscript):
        base = node.value
        while isinstance(base, ast.Subscript):
            base = base.value
        return isinstance(base, ast.List | ast.Name)
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Sub | ast.Add)
    return False


def keywords(node: ast.Call) -> dict[str, ast.expr]:
    return {keyword.arg or "**": keyword.value for keyword in node.keywords}


def integers(nodes: list[ast.expr]) -> tuple[int, ...]:
    """The integers of reshape(2, -1) or reshape((2, 3)); () if they are anything else."""
    if len(nodes) == 1 and isinstance(nodes[0], ast.Tuple | ast.List):
        nodes = nodes[0].elts
    try:
        values = [ast.literal_eval(node) for node in nodes]
    except (ValueError, TypeError, RecursionError):
        return ()
    return tuple(values) if all(type(value) is int for value in values) else ()


def strings(node: ast.expr | None) -> tuple[str, ...]:
    """The labels of ["the", "cat"] or c("the", "cat"); () if they are anything else."""
    elements: list[ast.expr] = []
    if isinstance(node, ast.List | ast.Tuple):
        elements = node.elts
    elif isinstance(node, ast.Call) and called(node) == "c":
        elements = node.args
    values = [one.value if isinstance(one, ast.Constant) else None for one in elements]
    return tuple(map(str, values)) if all(isinstance(value, str) for value in values) else ()
