"""What calls, methods and attributes of Python's libraries do to an array that is written out."""

import ast
import re
from dataclasses import replace

import numpy as np

from core.files.dialects.code_nodes import ComputedError, integers, is_dtype, keywords, last_name
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
