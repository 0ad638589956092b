"""Python, and what reads like it: lists, arrays of NumPy, PyTorch and others, R's c() and matrix().

The code is parsed by Python's `ast` and never run. What is written out is read; what would have to
be computed is named.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from core.errors import input_error
from core.files.dialects.written import (
    MatrixOperation,
    Paste,
    WrittenMatrix,
    as_flags,
    as_integers,
    computed,
    divided,
    is_list,
    reshaped,
    rows_as_one,
    several_lists,
    squeezed,
    swapped,
    times,
    transposed,
)
from core.files.matrices import shorten
from core.texts import core_texts

TEXTS = core_texts("files")


class NotPythonError(Exception):
    """The text is not Python, or means something else than it would in Python."""


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
_WHOLE = re.compile(r"u?int(?:\d+|p|c)?|long|short|u?byte")
_KEYWORD_AFTER_NUMBER = re.compile(r"\d(?:and|else|for|if|in|is|not|or)\b")
_NUMBER_NAMES = frozenset({"inf", "infinity", "nan", "true", "false", "ninf", "pinf"})
_OF_A_MATRIX = re.compile(r"W_?[QKVO]|[QKVXO]", re.IGNORECASE)
"""These name a matrix, even one of a single row."""


def read_code(text: str) -> Paste:
    """Return the arrays that Python code writes out. Raises `NotPythonError`, `InputError`."""
    tree = _tree(text, "exec")
    return _Statements(_Values(text)).read(tree.body)


def read_expression(text: str) -> WrittenMatrix:
    """Return the array that an expression writes out; what looks like arithmetic is refused."""
    values = _Values(text, is_certain=True)
    try:
        return values.array(_tree(text, "eval").body)
    except (NotPythonError, _Computed) as error:
        raise computed(text) from error


def dict_entries(paste: Iterable[WrittenMatrix]) -> Paste:
    """Return several arrays as they are, or lists that are the rows of one as that one."""
    found = list(paste)
    are_rows = len(found) > 1 and all(map(is_list, found))
    if are_rows and not any(_OF_A_MATRIX.fullmatch(one.name) for one in found):
        return Paste([rows_as_one(found)])
    return Paste(found)


def _tree(text: str, mode: str) -> Any:
    if _KEYWORD_AFTER_NUMBER.search(text):
        raise NotPythonError
    try:
        return ast.parse(text, mode=mode)
    except (RecursionError, MemoryError) as error:  # no print is as deep
        raise computed(text) from error
    except (SyntaxError, ValueError) as error:
        raise NotPythonError from error


class _Computed(Exception):  # noqa: N818 (no error: the name is told beside what was read)
    """A value that is not written out."""


class _Statements:
    """The statements of a program: which names are arrays written out, and stay so."""

    def __init__(self, values: "_Values") -> None:
        self.values = values
        self.named: dict[str, WrittenMatrix] = {}
        self.loose: list[WrittenMatrix] = []
        self.computed: list[str] = []
        self.defined: set[str] = {"print"}

    def read(self, body: list[ast.stmt]) -> Paste:
        for statement in body:
            self._statement(statement)
        if self.named and self.loose and all(map(is_list, (*self.named.values(), *self.loose))):
            raise several_lists()
        if not self.named and len(self.loose) > 1 and all(map(is_list, self.loose)):
            return Paste([rows_as_one(self.loose)], self.computed)
        found = [replace(one, name=name) for name, one in self.named.items()]
        return Paste(found + self.loose, self.computed)

    def _statement(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Import | ast.ImportFrom | ast.Pass):
            return
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            self.defined.add(node.name)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                self._assign(target, node.value)
        elif isinstance(node, ast.AnnAssign):
            self._annotated(node)
        elif isinstance(node, ast.Expr):
            self._expression(node.value)
        else:
            self._changed(node)

    def _annotated(self, node: ast.AnnAssign) -> None:
        """`Q: tensor(…)`, a prefix that Python takes for an annotation, or a real one."""
        if node.value is None:
            raise NotPythonError  # a prefix: `core.files.dialects.brackets` reads these
        self._assign(node.target, node.value)

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        pairs = isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)
        if pairs and len(target.elts) == len(value.elts):  # type: ignore[attr-defined]
            for one, its in zip(target.elts, value.elts, strict=True):  # type: ignore[attr-defined]
                self._assign(one, its)
            return
        if not isinstance(target, ast.Name | ast.Attribute):
            return self._changed(target)
        name = ast.unparse(target)
        if name in self.named or name in self.computed:
            raise input_error(TEXTS, "changed", name=shorten(name))
        if isinstance(value, ast.Dict):
            return
        try:
            written = self.values.array(value)
        except _Computed:
            self.computed.append(name)
            return
        if isinstance(written.words, list) and not _all_strings(value):
            self.named[name] = written

    def _expression(self, node: ast.expr) -> None:
        if isinstance(node, ast.Dict):
            self.loose += dict_entries(self._entries(node)).matrices
            return
        if isinstance(node, ast.Name | ast.Constant) and self.values.word(node) is None:
            return  # an echo, a docstring
        try:
            written = self.values.array(node)
            if isinstance(written.words, list):
                self.loose.append(written)
        except _Computed:
            callee = node.func if isinstance(node, ast.Call) else None
            if isinstance(callee, ast.Name) and callee.id in self.defined:
                return
            self._changed(node)

    def _entries(self, node: ast.Dict) -> Iterator[WrittenMatrix]:
        for key, value in zip(node.keys, node.values, strict=True):
            if not isinstance(key, ast.Constant):
                raise computed(self.values.source(node))
            try:
                yield replace(self.values.array(value), name=str(key.value))
            except _Computed as error:
                raise computed(self.values.source(value)) from error

    def _changed(self, node: ast.expr | ast.stmt) -> None:
        """Refuse code that may change an array that is written out: it is not run."""
        names = [ast.unparse(part) for part in ast.walk(node) if isinstance(part, ast.Name)]
        for name in names:
            if name in self.named:
                raise input_error(TEXTS, "changed", name=shorten(name))
        self.computed.append(shorten(self.values.source(node)))


def _all_strings(node: ast.expr) -> bool:
    return isinstance(node, ast.List | ast.Tuple) and all(
        isinstance(one, ast.Constant) and isinstance(one.value, str) for one in node.elts
    )


class _Values:
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
        """What an expression writes out. Raises `_Computed` if it would have to be run."""
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            return WrittenMatrix([self._element(one) for one in node.elts])
        if (word := self.word(node)) is not None:
            return WrittenMatrix(word)
        if isinstance(node, ast.Call):
            return self._call(node)
        if isinstance(node, ast.Attribute):
            return self._then(node.value, _ATTRIBUTES.get(node.attr))
        if isinstance(node, ast.BinOp):
            return self._scaled(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            if isinstance(node.operand, ast.Name | ast.Constant):
                raise _Computed
            return self._then(node.operand, times(-1.0))
        if isinstance(node, ast.Subscript) and _is_print(node):
            raise NotPythonError
        raise _Computed

    def word(self, node: ast.expr) -> str | None:
        """The word of a number: its source, or how NumPy and others name what is not finite."""
        if isinstance(node, ast.Constant):
            is_number = isinstance(node.value, int | float)
            return self.source(node) if is_number else None
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
            inner = self.word(node.operand)
            sign = "-" if isinstance(node.op, ast.USub) else "+"
            return sign + inner if inner is not None and inner[:1] not in ("+", "-") else None
        if isinstance(node, ast.Name):
            return node.id if node.id.lower() in _NUMBER_NAMES else None
        if isinstance(node, ast.Attribute):
            is_number = node.attr.lower() in _NUMBER_NAMES
            return node.attr if is_number and isinstance(node.value, ast.Name) else None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            parts = [self.word(node.left), self.word(node.right)]
            return "/".join(parts) if None not in parts else None  # type: ignore[arg-type]
        return None

    def _element(self, node: ast.expr) -> Any:
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            return [self._element(one) for one in node.elts]
        if (word := self.word(node)) is not None:
            return word
        if isinstance(node, ast.Call):
            inner = self._inner(node)
            if inner is not None:
                return inner
        if not self.is_certain and _is_print(node):
            raise NotPythonError
        return self.source(node)

    def _inner(self, node: ast.Call) -> Any:
        """An array within a list, or a number with its type: np.float64(0.5), float('-inf')."""
        name = _called(node)
        if re.fullmatch(r"b?float\d*|double", name) and len(node.args) == 1 and not node.keywords:
            only = node.args[0]
            if isinstance(only, ast.Constant) and isinstance(only.value, str):
                return only.value.strip()
            return self.word(only)
        if (_WHOLE.fullmatch(name) or name in ("bool", "bool_")) and len(node.args) == 1:
            word = self.word(node.args[0])
            return word if word is not None and re.fullmatch(r"[+-]?\w+", word) else None
        try:
            written = self._call(node)
        except _Computed:
            return None
        return None if written.operations else written.words

    def _call(self, node: ast.Call) -> WrittenMatrix:
        name = _called(node)
        if isinstance(node.func, ast.Attribute) and _is_value(node.func.value):
            return self._then(node.func.value, self._method(node, name))
        if name == "dataframe":
            return self._frame(node)
        if isinstance(node.func, ast.Name) and (read := _R_CALLS.get(node.func.id)):
            is_r = name != "matrix" or len(node.args) > 1 or _keywords(node).keys() & _R_KEYWORDS
            if is_r:
                return read(self, node)
        if name not in CONSTRUCTORS or not node.args:
            raise _Computed
        given = _keywords(node)
        if given.keys() - KEYWORDS:
            raise _Computed
        written = self.array(node.args[0])
        if not isinstance(written.words, list):
            raise _Computed
        operations = [*written.operations]
        for kind in (*node.args[1:], *filter(None, [given.get("dtype")])):
            operations += self._cast(kind)
        if name == "longtensor":
            operations.append(as_integers)
        if "shape" in given and (shape := _integers([given["shape"]])):
            operations.append(reshaped(shape))
        return replace(written, operations=tuple(operations))

    def _cast(self, kind: ast.expr) -> list[MatrixOperation]:
        """What a dtype does to numbers: nothing, or it must change none."""
        named = kind.value if isinstance(kind, ast.Constant) else None
        name = named if isinstance(named, str) else _last_name(kind)
        if not name:
            raise _Computed
        if _WHOLE.fullmatch(name):
            return [as_integers]
        if name in ("bool", "bool_"):
            return [as_flags]
        if not re.fullmatch(r"b?float\d*|double|half|single|<?f\d", name):
            raise _Computed
        return []

    def _method(self, node: ast.Call, name: str) -> MatrixOperation | None:
        if name in KEEPING:
            return _same
        if name in ("astype", "to", "type"):
            kinds = [one for one in (*node.args, *_keywords(node).values()) if _is_dtype(one)]
            casts = [cast for kind in kinds for cast in self._cast(kind)]
            return casts[0] if casts else _same
        if name in ("int", "long"):
            return as_integers
        if name == "bool":
            return as_flags
        if name in ("reshape", "view") and (shape := _integers(node.args)):
            return reshaped(shape)
        if name in ("transpose", "t") and not node.args and not node.keywords:
            return transposed
        if name == "squeeze" and not node.args and not node.keywords:
            return squeezed
        if name == "transpose" and _integers(node.args) in ((-1, -2), (-2, -1)):
            return swapped
        return None

    def _then(self, node: ast.expr, operation: MatrixOperation | None) -> WrittenMatrix:
        """What is done to an array after it is written."""
        if operation is None:
            raise _Computed
        written = self.array(node)
        if not isinstance(written.words, list):
            raise _Computed
        return replace(written, operations=(*written.operations, operation))

    def _scaled(self, node: ast.BinOp) -> WrittenMatrix:
        """[[…]] / 10, [[…]] * 0.1, 0.1 * [[…]]."""
        if not isinstance(node.op, ast.Mult | ast.Div):
            raise _Computed
        array, factor = node.left, node.right
        if isinstance(node.op, ast.Mult) and self._factor(array) is not None:
            array, factor = factor, array
        number = self._factor(factor)
        if number is None or (isinstance(node.op, ast.Div) and not number):
            raise _Computed
        if isinstance(node.op, ast.Div):
            return self._then(array, divided(number))
        if isinstance(array, ast.List | ast.Tuple) and number == int(number):
            raise input_error(TEXTS, "repeated", factor=shorten(self.source(factor)))
        return self._then(array, times(number))

    def _factor(self, node: ast.expr) -> float | None:
        word = self.word(node)
        if word is None or not re.fullmatch(r"[+-]?[\d.]{1,30}(?:e[+-]?\d{1,3})?", word, re.I):
            return None
        return float(word) if abs(float(word)) < 1e300 else None

    def _frame(self, node: ast.Call) -> WrittenMatrix:
        """A DataFrame of pandas, with its labels."""
        given = _keywords(node)
        if not node.args or given.keys() - {"index", "columns", "dtype"}:
            raise _Computed
        rows, columns = _strings(given.get("index")), _strings(given.get("columns"))
        data = node.args[0]
        if not isinstance(data, ast.Dict):
            return replace(self.array(data), rows=rows, columns=columns)
        if columns or not all(isinstance(key, ast.Constant) for key in data.keys):
            raise _Computed
        names = tuple(str(key.value) for key in data.keys)  # type: ignore[union-attr]
        words = [self.array(value).words for value in data.values]
        return WrittenMatrix(words, rows=names, columns=rows, operations=(transposed,))

    def r_matrix(self, node: ast.Call) -> WrittenMatrix:
        """R's matrix(c(1, 2, 3, 4), nrow = 2): by columns, unless byrow."""
        given = dict(zip(("data", "nrow", "ncol", "byrow", "dimnames"), node.args, strict=False))
        given |= _keywords(node)
        if "data" not in given:
            raise _Computed
        written = self.array(given["data"])
        rows, columns = (
            (_integers([given[side]]) or (-1,))[0] if side in given else -1
            for side in ("nrow", "ncol")
        )
        if rows == columns == -1 or not is_list(written):
            raise _Computed
        by_row = "byrow" in given and _last_name(given["byrow"]) in ("TRUE", "T", "True")
        labels: list[tuple[str, ...]] = [(), ()]
        if isinstance(names := given.get("dimnames"), ast.Call):
            labels = [_strings(one) for one in names.args] + labels
        shaped = reshaped((rows, columns), "C" if by_row else "F")
        return replace(
            written,
            operations=(shaped, lambda p: replace(p, rows=labels[0], columns=labels[1])),
        )

    def r_list(self, node: ast.Call) -> WrittenMatrix:
        """R's c(1, 2)."""
        if node.keywords or not node.args:
            raise _Computed
        return WrittenMatrix([self._element(one) for one in node.args])

    def r_rows(self, node: ast.Call) -> WrittenMatrix:
        """R's rbind(the = c(1, 0), cat = c(0, 1))."""
        if not (node.args or node.keywords):
            raise _Computed
        rows = [self.array(one) for one in node.args]
        rows += [replace(self.array(k.value), name=k.arg or "") for k in node.keywords]
        if not all(map(is_list, rows)):
            raise _Computed
        return rows_as_one(rows)

    def r_columns(self, node: ast.Call) -> WrittenMatrix:
        return replace(self.r_rows(node), operations=(transposed,))

    def r_transposed(self, node: ast.Call) -> WrittenMatrix:
        if len(node.args) != 1 or node.keywords:
            raise _Computed
        return self._then(node.args[0], transposed)


_R_CALLS = {
    "c": _Values.r_list,
    "matrix": _Values.r_matrix,
    "rbind": _Values.r_rows,
    "cbind": _Values.r_columns,
    "t": _Values.r_transposed,
}
_R_KEYWORDS = {"nrow", "ncol", "byrow", "dimnames"}


def _same(parsed: Any) -> Any:
    return parsed


MATLAB_TRANSPOSE = "matlab_transpose"
"""Stands for the ' of MATLAB, which makes a column of a row."""

_ATTRIBUTES: dict[str, MatrixOperation] = {
    MATLAB_TRANSPOSE: lambda parsed: transposed(replace(parsed, array=np.atleast_2d(parsed.array))),
    "T": transposed,
    "mT": swapped,
    "values": _same,
    "data": _same,
}


def _called(node: ast.Call) -> str:
    return _last_name(node.func).lower()


def _last_name(node: ast.expr) -> str:
    """The name at the end of np.float32."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _is_value(node: ast.expr) -> bool:
    """Whether a method's object is an array, and not a module: [[1, 2]].copy(), not np.array()."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return not isinstance(node, ast.Name)


def _is_dtype(node: ast.expr) -> bool:
    named = node.value if isinstance(node, ast.Constant) else ""
    return not (isinstance(named, bool) or str(named).startswith(("cpu", "cuda", "mps")))


def _is_print(node: ast.expr) -> bool:
    """Whether Python finds arithmetic or an index in what may be a print: [1 -2], [[1] [2]]."""
    if isinstance(node, ast.Subscript):
        base = node.value
        while isinstance(base, ast.Subscript):
            base = base.value
        return isinstance(base, ast.List | ast.Name)
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Sub | ast.Add)
    return False


def _keywords(node: ast.Call) -> dict[str, ast.expr]:
    return {keyword.arg or "**": keyword.value for keyword in node.keywords}


def _integers(nodes: list[ast.expr]) -> tuple[int, ...]:
    """The integers of reshape(2, -1) or reshape((2, 3)); () if they are anything else."""
    if len(nodes) == 1 and isinstance(nodes[0], ast.Tuple | ast.List):
        nodes = nodes[0].elts
    try:
        values = [ast.literal_eval(node) for node in nodes]
    except (ValueError, TypeError, RecursionError):
        return ()
    return tuple(values) if all(type(value) is int for value in values) else ()


def _strings(node: ast.expr | None) -> tuple[str, ...]:
    """The labels of ["the", "cat"] or c("the", "cat"); () if they are anything else."""
    elements: list[ast.expr] = []
    if isinstance(node, ast.List | ast.Tuple):
        elements = node.elts
    elif isinstance(node, ast.Call) and _called(node) == "c":
        elements = node.args
    values = [one.value if isinstance(one, ast.Constant) else None for one in elements]
    return tuple(map(str, values)) if all(isinstance(value, str) for value in values) else ()
