"""Python's expressions to matrices as they are written; what has to be computed is named."""

import ast
import re
from dataclasses import replace
from typing import Any

from core.errors import input_error
from core.files.dialects.code_nodes import (
    ATTRIBUTES,
    CONSTRUCTORS,
    OPTIONS,
    ComputedError,
    NotPythonError,
    called,
    dtype_operations,
    integers,
    is_discrete_type,
    is_print,
    is_value,
    keywords,
    last_name,
    method_operation,
    strings,
)
from core.files.dialects.written import (
    MatrixOperation,
    WrittenMatrix,
    as_integers,
    divided,
    is_list,
    reshaped,
    rows_as_one,
    times,
    transposed,
)
from core.files.matrices import shorten
from core.texts import core_texts

TEXTS = core_texts("files")

_NUMBER_NAMES = frozenset({"inf", "infinity", "nan", "true", "false", "ninf", "pinf"})
_R_MATRIX = ("data", "nrow", "ncol", "byrow", "dimnames")
"""What R's matrix() takes, in this order."""


class Values:
    """Expressions to words; a word is the source of a number."""

    def __init__(self, text: str, is_certain: bool = False) -> None:
        self.lines = text.encode("utf-8", "surrogatepass").split(b"\n")
        self.is_certain = is_certain
        """Whether the text can be nothing but Python: 1 -2 is one number then, not two."""

    def source(self, node: ast.expr | ast.stmt) -> str:
        """The text of a node: its first line, where it has several."""
        line = self.lines[node.lineno - 1]
        end = node.end_col_offset if node.end_lineno == node.lineno else len(line)
        return line[node.col_offset : end].decode("utf-8", "replace").strip()

    def array(self, node: ast.expr) -> WrittenMatrix:
        """What an expression writes out. Raises `ComputedError` if it would have to be run."""
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            return WrittenMatrix([self._element(one) for one in node.elts])
        if (word := self.word(node)) is not None:
            return WrittenMatrix(word)
        match node:
            case ast.Call():
                return self._call(node)
            case ast.Attribute():
                return self._then(node.value, ATTRIBUTES.get(node.attr))
            case ast.BinOp():
                return self._scaled(node)
            case ast.UnaryOp(ast.USub(), inner) if not isinstance(inner, ast.Name | ast.Constant):
                return self._then(inner, times(-1.0))
            case ast.Subscript() if is_print(node) and not self.is_certain:
                raise NotPythonError
        raise ComputedError

    def word(self, node: ast.expr) -> str | None:
        """The word of a number: its source, or how NumPy and others name what is not finite."""
        match node:
            case ast.Constant(int() | float()):
                return self.source(node)
            case ast.UnaryOp(ast.USub() | ast.UAdd() as sign, operand):
                word = self.word(operand)
                if word is not None and not word.startswith(("+", "-")):
                    return f"{'-' if isinstance(sign, ast.USub) else '+'}{word}"
            case ast.Name(name) | ast.Attribute(ast.Name(), name):
                return name if name.lower() in _NUMBER_NAMES else None
            case ast.BinOp(left, ast.Div(), right):
                over, under = self.word(left), self.word(right)
                return f"{over}/{under}" if over is not None and under is not None else None
        return None

    def _element(self, node: ast.expr) -> Any:
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            return [self._element(one) for one in node.elts]
        if (word := self.word(node)) is not None:
            return word
        if isinstance(node, ast.Call) and (inner := self._inner(node)) is not None:
            return inner
        if not self.is_certain and is_print(node):
            raise NotPythonError
        return self.source(node)

    def _inner(self, node: ast.Call) -> Any:
        """An array within a list, or a number with its type: np.float64(0.5), float('-inf')."""
        name = called(node)
        if re.fullmatch(r"b?float\d*|double", name) and len(node.args) == 1 and not node.keywords:
            only = node.args[0]
            if isinstance(only, ast.Constant) and isinstance(only.value, str):
                return only.value.strip()
            return self.word(only)
        if is_discrete_type(name) and len(node.args) == 1:
            word = self.word(node.args[0])
            return word if word is not None and re.fullmatch(r"[+-]?\w+", word) else None
        try:
            written = self._call(node)
        except ComputedError:
            return None
        return None if written.operations else written.words

    def _call(self, node: ast.Call) -> WrittenMatrix:
        name, given = called(node), keywords(node)
        if isinstance(node.func, ast.Attribute) and is_value(node.func.value):
            return self._then(node.func.value, method_operation(node, name))
        if name == "dataframe":
            return self._frame(node, given)
        read = _R_CALLS.get(node.func.id) if isinstance(node.func, ast.Name) else None
        is_r = name != "matrix" or len(node.args) > 1 or given.keys() & set(_R_MATRIX[1:])
        if read and is_r:
            return read(self, node)
        is_known = CONSTRUCTORS.fullmatch(name) and all(map(OPTIONS.fullmatch, given))
        if not is_known or not node.args:
            raise ComputedError
        written = self._list(node.args[0])
        operations = [*written.operations]
        for kind in (*node.args[1:], *filter(None, [given.get("dtype")])):
            operations += dtype_operations(kind)
        if name == "longtensor":
            operations.append(as_integers("int64"))
        if "shape" in given and (shape := integers([given["shape"]])):
            operations.append(reshaped(shape))
        return replace(written, operations=tuple(operations))

    def _list(self, node: ast.expr) -> WrittenMatrix:
        """What an expression writes out, if that is no single number."""
        written = self.array(node)
        if not isinstance(written.words, list):
            raise ComputedError
        return written

    def _then(self, node: ast.expr, operation: MatrixOperation | None) -> WrittenMatrix:
        """What is done to an array after it is written."""
        if operation is None:
            raise ComputedError
        written = self._list(node)
        return replace(written, operations=(*written.operations, operation))

    def _scaled(self, node: ast.BinOp) -> WrittenMatrix:
        """[[…]] / 10, [[…]] * 0.1, 0.1 * [[…]]."""
        array, factor = node.left, node.right
        if isinstance(node.op, ast.Mult) and self._factor(array) is not None:
            array, factor = factor, array
        number = self._factor(factor)
        match node.op:
            case ast.Div() if number:
                return self._then(array, divided(number))
            case ast.Mult() if number is not None:
                if isinstance(array, ast.List | ast.Tuple) and number == int(number):
                    raise input_error(TEXTS, "repeated", factor=shorten(self.source(factor)))
                return self._then(array, times(number))
        raise ComputedError

    def _factor(self, node: ast.expr) -> float | None:
        word = self.word(node)
        if word is None or not re.fullmatch(r"[+-]?[\d.]{1,30}(?:e[+-]?\d{1,3})?", word, re.I):
            return None
        return float(word) if abs(float(word)) < 1e300 else None

    def _frame(self, node: ast.Call, given: dict[str, ast.expr]) -> WrittenMatrix:
        """A DataFrame of pandas, with its labels."""
        if not node.args or given.keys() - {"index", "columns", "dtype"}:
            raise ComputedError
        rows, columns = strings(given.get("index")), strings(given.get("columns"))
        data = node.args[0]
        if not isinstance(data, ast.Dict):
            return replace(self.array(data), rows=rows, columns=columns)
        names = tuple(str(key.value) for key in data.keys if isinstance(key, ast.Constant))
        if columns or len(names) < len(data.keys):
            raise ComputedError
        words = [self.array(value).words for value in data.values]
        return WrittenMatrix(words, rows=names, columns=rows, operations=(transposed,))

    def r_matrix(self, node: ast.Call) -> WrittenMatrix:
        """R's matrix(c(1, 2, 3, 4), nrow = 2): by columns, unless byrow."""
        given = dict(zip(_R_MATRIX, node.args, strict=False)) | keywords(node)
        if "data" not in given:
            raise ComputedError
        written = self.array(given["data"])
        rows, columns = (
            (integers([given[side]]) or (-1,))[0] if side in given else -1
            for side in ("nrow", "ncol")
        )
        if rows == columns == -1 or not is_list(written):
            raise ComputedError
        by_row = "byrow" in given and last_name(given["byrow"]) in ("TRUE", "T", "True")
        names = given.get("dimnames")
        labels = [strings(one) for one in names.args] if isinstance(names, ast.Call) else []
        row_names, column_names, *_ = [*labels, (), ()]
        shaped = reshaped((rows, columns), "C" if by_row else "F")
        return replace(
            written, operations=(shaped, lambda p: replace(p, rows=row_names, columns=column_names))
        )

    def r_list(self, node: ast.Call) -> WrittenMatrix:
        """R's c(1, 2)."""
        if node.keywords or not node.args:
            raise ComputedError
        return WrittenMatrix([self._element(one) for one in node.args])

    def r_rows(self, node: ast.Call) -> WrittenMatrix:
        """R's rbind(the = c(1, 0), cat = c(0, 1))."""
        rows = [self.array(one) for one in node.args]
        rows += [replace(self.array(k.value), name=k.arg or "") for k in node.keywords]
        if not rows or not all(map(is_list, rows)):
            raise ComputedError
        return rows_as_one(rows)

    def r_columns(self, node: ast.Call) -> WrittenMatrix:
        return replace(self.r_rows(node), operations=(transposed,))

    def r_transposed(self, node: ast.Call) -> WrittenMatrix:
        if len(node.args) != 1 or node.keywords:
            raise ComputedError
        return self._then(node.args[0], transposed)


_R_CALLS = {
    "c": Values.r_list,
    "matrix": Values.r_matrix,
    "rbind": Values.r_rows,
    "cbind": Values.r_columns,
    "t": Values.r_transposed,
}
