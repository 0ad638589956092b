"""Python, and what reads like it: lists, arrays of NumPy, PyTorch and others, R's c() and matrix().

The code is parsed by Python's `ast` and never run. What is written out is read; what would have to
be computed is named.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from core.errors import InputError, input_error
from core.files.dialects.code_nodes import (
    ComputedError,
    NotPythonError,
    all_strings,
    strings,
)
from core.files.dialects.code_values import Values
from core.files.dialects.written import (
    Paste,
    WrittenMatrix,
    computed,
    is_list,
    rows_as_one,
    several_lists,
)
from core.files.matrices import shorten
from core.texts import core_texts

TEXTS = core_texts("files")
_KEYWORD_AFTER_NUMBER = re.compile(r"\d(?:and|else|for|if|in|is|not|or)\b")
_OF_A_MATRIX = re.compile(r"W_?[QKVO]|[QKVXO]", re.IGNORECASE)
"""These name a matrix, even one of a single row."""


def read_code(text: str) -> Paste:
    """Return the arrays that Python code writes out. Raises `NotPythonError`, `InputError`."""
    tree = _tree(text, "exec")
    return _Statements(Values(text)).read(tree.body)


def read_expression(text: str) -> WrittenMatrix:
    """Return the array that an expression writes out; what looks like arithmetic is refused."""
    values = Values(text, is_certain=True)
    try:
        return values.array(_tree(text, "eval").body)
    except (NotPythonError, ComputedError) as error:
        raise computed(text) from error


def listed_words(text: str) -> tuple[str, ...]:
    """Return the words of a list of strings; () if an expression is anything else."""
    try:
        return strings(_tree(text, "eval").body)
    except (NotPythonError, InputError):
        return ()


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


class _Statements:
    """The statements of a program: which names are arrays written out, and stay so."""

    def __init__(self, values: "Values") -> None:
        self.values = values
        self.named: dict[str, WrittenMatrix] = {}
        self.loose: list[WrittenMatrix] = []
        self.computed: list[str] = []
        self.lists: dict[str, tuple[str, ...]] = {}
        self.defined: set[str] = {"print"}

    def read(self, body: list[ast.stmt]) -> Paste:
        for statement in body:
            self._statement(statement)
        if self.named and self.loose and all(map(is_list, (*self.named.values(), *self.loose))):
            raise several_lists()
        if not self.named and len(self.loose) > 1 and all(map(is_list, self.loose)):
            return Paste([rows_as_one(self.loose)], self.computed, self.lists)
        found = [replace(one, name=name) for name, one in self.named.items()]
        return Paste(found + self.loose, self.computed, self.lists)

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
        if all_strings(value):
            self.lists[name] = strings(value)
            return
        try:
            written = self.values.array(value)
        except ComputedError:
            self.computed.append(name)
            return
        if isinstance(written.words, list):
            self.named[name] = written

    def _expression(self, node: ast.expr) -> None:
        if isinstance(node, ast.Dict):
            self.loose += dict_entries(self._entries(node)).matrices
            return
        if isinstance(node, ast.Name | ast.Constant) and self.values.word(node) is None:
            return  # an echo, a docstring
        if all_strings(node):
            self.lists[""] = strings(node)
            return
        try:
            written = self.values.array(node)
            if isinstance(written.words, list):
                self.loose.append(written)
        except ComputedError:
            callee = node.func if isinstance(node, ast.Call) else None
            if isinstance(callee, ast.Name) and callee.id in self.defined:
                return
            self._changed(node)

    def _entries(self, node: ast.Dict) -> Iterator[WrittenMatrix]:
        for key, value in zip(node.keys, node.values, strict=True):
            if not isinstance(key, ast.Constant):
                raise computed(self.values.source(node))
            if all_strings(value):
                self.lists[str(key.value)] = strings(value)
                continue
            try:
                yield replace(self.values.array(value), name=str(key.value))
            except ComputedError as error:
                raise computed(self.values.source(value)) from error

    def _changed(self, node: ast.expr | ast.stmt) -> None:
        """Refuse code that may change an array that is written out: it is not run."""
        names = [ast.unparse(part) for part in ast.walk(node) if isinstance(part, ast.Name)]
        for name in names:
            if name in self.named:
                raise input_error(TEXTS, "changed", name=shorten(name))
        self.computed.append(shorten(self.values.source(node)))
