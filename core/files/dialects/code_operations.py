"""What calls, methods and attributes of Python's libraries do to an array that is written out."""

import ast
import re
from dataclasses import replace
from typing import Any

import numpy as np

from core.files.dialects.code_nodes import ComputedError, integers, is_dtype, keywords, last_name
from core.files.dialects.written import (
    MatrixOperation,
    as_flags,
    as_integers,
    reshaped,
    squeezed,
    swapped,
    transposed,
)

CONSTRUCTORS = frozenset(
    [
        "array",
        "asarray",
        "matrix",
        "tensor",
        "as_tensor",
        "constant",
        "variable",
        "convert_to_tensor",
        "parameter",
        "list",
        "floattensor",
        "doubletensor",
        "longtensor",
        "booltensor",
        "devicearray",
        "ndarray",
        "tuple",
    ]
)
"""Calls that give their first argument as an array, in lower case."""
KEYWORDS = frozenset(
    [
        "dtype",
        "device",
        "requires_grad",
        "grad_fn",
        "order",
        "copy",
        "ndmin",
        "name",
        "trainable",
        "numpy",
        "layout",
        "pin_memory",
        "weak_type",
        "names",
        "data",
        "object",
        "shape",
    ]
)
"""What such a call may say besides, which changes no number; `dtype` and `shape` are looked at."""
KEEPING = frozenset(
    [
        "float",
        "double",
        "half",
        "bfloat16",
        "numpy",
        "detach",
        "cpu",
        "cuda",
        "clone",
        "copy",
        "tolist",
        "contiguous",
        "requires_grad_",
        "to_numpy",
        "block_until_ready",
    ]
)
"""Methods that change no number."""
WHOLE_NUMBER_TYPE = re.compile(r"u?int(?:\d+|p|c)?|long|short|u?byte")


def _same(parsed: Any) -> Any:
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


def dtype_operations(kind: ast.expr) -> list[MatrixOperation]:
    """Return what a dtype does to numbers: nothing, or it must change none."""
    named = kind.value if isinstance(kind, ast.Constant) else None
    name = named if isinstance(named, str) else last_name(kind)
    if not name:
        raise ComputedError
    if WHOLE_NUMBER_TYPE.fullmatch(name):
        try:
            return [as_integers(name)]
        except (TypeError, ValueError) as error:  # int7
            raise ComputedError from error
    if name in ("bool", "bool_"):
        return [as_flags]
    if not re.fullmatch(r"b?float\d*|double|half|single|<?f\d", name):
        raise ComputedError
    return []


def _reshape(node: ast.Call) -> MatrixOperation | None:
    """What reshape(2, 3, order="F") does; None if it would have to be run."""
    given = keywords(node)
    order = given.pop("order", ast.Constant("C"))
    shape = integers(node.args)
    if given or not shape or not isinstance(order, ast.Constant) or order.value not in ("C", "F"):
        return None
    return reshaped(shape, order.value)


def method_operation(node: ast.Call, name: str) -> MatrixOperation | None:
    """Return what a method does to its array; None if it would have to be run."""
    if name in KEEPING:
        return _same
    if name in ("astype", "to", "type"):
        kinds = [one for one in (*node.args, *keywords(node).values()) if is_dtype(one)]
        found = [cast for kind in kinds for cast in dtype_operations(kind)]
        return found[0] if found else _same
    if name in ("int", "long"):
        return as_integers(name)
    if name == "bool":
        return as_flags
    if name in ("reshape", "view"):
        return _reshape(node)
    if name in ("transpose", "t") and not node.args and not node.keywords:
        return transposed
    if name == "squeeze" and not node.args and not node.keywords:
        return squeezed
    if name == "transpose" and integers(node.args) in ((-1, -2), (-2, -1)):
        return swapped
    return None
