"""What the nodes of Python's `ast` say, and what calls, methods and attributes do to an array.

For `core.files.dialects.code`: the array is written out, and nothing is run.
"""

import ast
import re
from dataclasses import replace

import numpy as np

from core.files.dialects.written import (
    MatrixOperation,
    Parsed,
    as_flags,
    as_integers,
    reshaped,
    squeezed,
    swapped,
    transposed,
)
from core.files.numerals import is_number

TOKEN_LISTS = ("tokens", "words", "labels")
"""Names of lists of words, which may all spell numbers."""
CONSTRUCTORS = re.compile(
    r"array|asarray|matrix|tensor|as_tensor|constant|variable|convert_to_tensor|parameter|list|"
    r"floattensor|doubletensor|longtensor|booltensor|devicearray|ndarray|tuple"
)
"""Calls that give their first argument as an array, in lower case."""
OPTIONS = re.compile(
    r"dtype|device|requires_grad|grad_fn|order|copy|ndmin|name|trainable|numpy|layout|pin_memory|"
    r"weak_type|names|data|object|shape"
)
"""What such a call may say besides, which changes no number; `dtype` and `shape` are looked at."""
_KEEPING = re.compile(
    r"float|double|half|bfloat16|numpy|detach|cpu|cuda|clone|copy|tolist|contiguous|"
    r"requires_grad_|to_numpy|block_until_ready"
)
"""Methods that change no number."""
_FLOAT_TYPE = re.compile(r"b?float\d*|double|half|single|<?f\d")
_INTEGER_TYPE = re.compile(r"u?int(?:\d+|p|c)?|long|short|u?byte")
_BOOLEAN_TYPES = ("bool", "bool_")


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


def _same(parsed: Parsed) -> Parsed:
    return parsed


MATLAB_TRANSPOSE = "matlab_transpose"
"""Stands for the ' of MATLAB, which makes a column of a row."""

ATTRIBUTES: dict[str, MatrixOperation] = {
    MATLAB_TRANSPOSE: lambda parsed: transposed(replace(parsed, array=np.atleast_2d(parsed.array))),
    "T": transposed,
    "mT": swapped,
    "values": _same,
    "data": _same,
}


def is_discrete_type(name: str) -> bool:
    """Return whether a type has whole numbers only, or True and False."""
    return _INTEGER_TYPE.fullmatch(name) is not None or name in _BOOLEAN_TYPES


def dtype_operations(kind: ast.expr) -> list[MatrixOperation]:
    """Return what a dtype does to numbers: nothing, or it must change none."""
    named = kind.value if isinstance(kind, ast.Constant) else None
    name = named if isinstance(named, str) else last_name(kind)
    if _INTEGER_TYPE.fullmatch(name):
        try:
            return [as_integers(name)]
        except (TypeError, ValueError) as error:  # int7
            raise ComputedError from error
    if name in _BOOLEAN_TYPES:
        return [as_flags]
    if not _FLOAT_TYPE.fullmatch(name):
        raise ComputedError
    return []


def method_operation(node: ast.Call, name: str) -> MatrixOperation | None:
    """Return what a method does to its array; None if it would have to be run."""
    given = keywords(node)
    match name:
        case "astype" | "to" | "type":
            kinds = [one for one in (*node.args, *given.values()) if is_dtype(one)]
            casts = [cast for kind in kinds for cast in dtype_operations(kind)]
            return casts[0] if casts else _same
        case "int" | "long":
            return as_integers(name)
        case "bool":
            return as_flags
        case "reshape" | "view":
            return _reshape(node)
        case "transpose" | "t" | "squeeze" if not (node.args or given):
            return squeezed if name == "squeeze" else transposed
        case "transpose" if integers(node.args) in ((-1, -2), (-2, -1)):
            return swapped
    return _same if _KEEPING.fullmatch(name) else None


def _reshape(node: ast.Call) -> MatrixOperation | None:
    """What reshape(2, 3, order="F") does; None if it would have to be run."""
    given = keywords(node)
    order = given.pop("order", ast.Constant("C"))
    shape = integers(node.args)
    if given or not shape or not isinstance(order, ast.Constant) or order.value not in ("C", "F"):
        return None
    return reshaped(shape, order.value)
