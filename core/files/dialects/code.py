"""Python, and what reads like it: lists, arrays of NumPy, PyTorch and others, R's c() and matrix().

The code is parsed by Python's `ast` and never run. What is written out is read; what would have to
be computed is named.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from core.errors import InputError, check_most, input_error
from core.files.dialects import code_changes, code_nodes
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
from core.files.numerals import is_number
from core.texts import core_texts

TEXTS = core_texts("files")

MAX_STATEMENTS = 2_000
"""Of a program, those within others included."""
_KEYWORD_AFTER_NUMBER = re.compile(r"\d(?:and|else|for|if|in|is|not|or)\b")
_LIKE_A_PRINT = ast.Expr | ast.Assign | ast.AnnAssign
"""Statements that a print may look like."""
_OF_A_MATRIX = re.compile(r"W_?[QKVO]|[QKVXO]", re.IGNORECASE)
"""These name a matrix, even one of a single row."""


def read_code(text: str) -> Paste:
    """Return the arrays that Python code writes out. Raises `NotPythonError`, `InputError`."""
    body = _tree(text, "exec").body
    is_certain = not all(isinstance(one, _LIKE_A_PRINT) for one in body)
    return _Statements(Values(text, is_certain), body).read()


def read_program(text: str, tree: ast.Module) -> Paste:
    """Return the arrays that a text writes out which can be nothing but Python."""
    return _Statements(Values(text, is_certain=True), tree.body).read()


def read_expression(text: str) -> WrittenMatrix:
    """Return the array that an expression writes out; what looks like arithmetic is refused."""
    values = Values(text, is_certain=True)
    try:
        return values.array(_tree(text, "eval").body)
    except (code_nodes.NotPythonError, code_nodes.ComputedError) as error:
        raise computed(text) from error


def listed_words(text: str) -> tuple[str, ...]:
    """Return the words of a list of strings; () if an expression is anything else."""
    try:
        return code_nodes.strings(_tree(text, "eval").body)
    except (code_nodes.NotPythonError, InputError):
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
        raise code_nodes.NotPythonError
    try:
        return ast.parse(text, mode=mode)
    except (RecursionError, MemoryError) as error:  # no print is as deep
        raise computed(text) from error
    except (SyntaxError, ValueError) as error:
        raise code_nodes.NotPythonError from error


class _Statements:
    """The statements of a program: which names are arrays written out, and stay so."""

    def __init__(self, values: Values, body: list[ast.stmt]) -> None:
        count = sum(isinstance(part, ast.stmt) for one in body for part in ast.walk(one))
        check_most(TEXTS, "many_statements", "count", count, MAX_STATEMENTS)
        self.values = values
        self.body = body
        self.named: dict[str, WrittenMatrix] = {}
        self.sources: dict[str, ast.expr] = {}
        """The expressions that wrote the named arrays out."""
        self.loose: list[WrittenMatrix] = []
        self.computed: list[str] = []
        self.lists: dict[str, tuple[str, ...]] = {}
        self.effects = code_changes.effects_of(
            one for one in body if isinstance(one, code_changes.Function)
        )
        self.shares: dict[str, set[str]] = {}
        """For each name that is computed, those whose arrays it may share."""

    def read(self) -> Paste:
        for statement in self.body:
            self._statement(statement)
        if self.named and self.loose and all(map(is_list, (*self.named.values(), *self.loose))):
            raise several_lists()
        left = list(dict.fromkeys(self.computed))
        if not (self.named or self.loose or self.lists or left):
            left = [one.name for one in self.body if isinstance(one, code_changes.Function)]
        if not self.named and len(self.loose) > 1 and all(map(is_list, self.loose)):
            return Paste([rows_as_one(self.loose)], left, self.lists)
        found = [
            replace(written, name=name.removeprefix("self.").removesuffix(".data"))
            for name, written in self.named.items()
        ]
        return Paste(found + self.loose, left, self.lists)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Import() | ast.ImportFrom() | ast.Pass():
                return
            case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name):
                self._refuse_change({name})
            case ast.Assign(targets, value):
                for target in targets:
                    self._assign(target, value)
            case ast.AnnAssign(target, _, ast.expr() as value):
                self._assign(target, value)
            case ast.AnnAssign() if not self.values.is_certain:
                # `Q: tensor(…)`: `core.files.dialects.brackets` reads these
                raise code_nodes.NotPythonError
            case ast.AnnAssign():
                return
            case ast.Expr():
                self._expression(node)
            case ast.If() if ast.unparse(node.test) == "__name__ == '__main__'":  # of a script
                for inner in node.body:
                    self._statement(inner)
            case _:
                self._changed(node)

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        match target, value:
            case ast.Tuple(targets), ast.Tuple(values) if len(targets) == len(values):
                for one, its in zip(targets, values, strict=True):
                    self._assign(one, its)
                return
        if not isinstance(target, ast.Name | ast.Attribute):
            return self._changed(ast.Assign([target], value))
        name = ast.unparse(target)
        if words := code_nodes.words_of(value, name):
            self.lists[name] = words
        if name in self.sources and isinstance(value, ast.Call):
            value = _InPlaceOf(name, self.sources[name]).visit(value)
            if (written := self._written(value)) is not None:  # x = torch.tensor(x)
                self.named[name], self.sources[name] = written, value
                return
        owner = code_changes.shared_by(target.value) if isinstance(target, ast.Attribute) else set()
        self._refuse_change({name} | code_changes.reached(owner, self.shares))
        if not words and (written := self._written(value)) is not None:
            self.named[name], self.sources[name] = written, value
            self.computed = [one for one in self.computed if one != name]
            return
        is_no_matrix = isinstance(value, ast.Dict) or code_nodes.all_strings(value)
        self._changed(value, [] if is_no_matrix or self.values.word(value) else [name])
        self.shares[name] = set()
        self._share(ast.Assign([target], value))

    def _written(self, value: ast.expr) -> WrittenMatrix | None:
        """The array that a value writes out; None if it would have to be computed, or is none."""
        try:
            written = None if isinstance(value, ast.Dict) else self.values.array(value)
        except code_nodes.ComputedError:
            return None
        return written if written is not None and _has_number(written.words) else None

    def _expression(self, statement: ast.Expr) -> None:
        node = _as_dict(statement.value)
        if isinstance(node, ast.Dict):
            self.loose += dict_entries(self._entries(node)).matrices
            return
        if isinstance(node, ast.Name | ast.Constant) and self.values.word(node) is None:
            return  # an echo, a docstring
        if words := code_nodes.words_of(node):
            self.lists[""] = words
            return
        try:
            written = self.values.array(node)
            if isinstance(written.words, list):
                self.loose.append(written)
        except code_nodes.ComputedError:
            is_known = isinstance(node, ast.Call) and code_changes.only_looks(node, self.effects)
            self._changed(statement, [] if is_known else [self.values.source(node)])

    def _entries(self, node: ast.Dict) -> Iterator[WrittenMatrix]:
        for key, value in zip(node.keys, node.values, strict=True):
            if not isinstance(key, ast.Constant):
                raise computed(self.values.source(node))
            if words := code_nodes.words_of(value, str(key.value)):
                self.lists[str(key.value)] = words
                continue
            try:
                yield replace(self.values.array(value), name=str(key.value))
            except code_nodes.ComputedError as error:
                raise computed(self.values.source(value)) from error

    def _changed(self, node: ast.AST, made: Sequence[str] | None = None) -> None:
        """Refuse code that may change an array that is written out: it is not run.

        Names that it gives a value are computed, or what it is said to have `made`.
        """
        self._share(node)
        rebound, altered = code_changes.changes_of(node, self.effects)
        self._refuse_change(rebound | code_changes.reached(altered, self.shares))
        self.computed += map(shorten, sorted(rebound) if made is None else made)

    def _share(self, node: ast.AST) -> None:
        for name, shared in code_changes.shares_in(node):
            self.shares.setdefault(name, set()).update(shared)

    def _refuse_change(self, names: set[str]) -> None:
        for name in self.named:
            if name in names or code_changes.ANY_NAME in names:
                raise input_error(TEXTS, "changed", name=shorten(name))


def _as_dict(node: ast.expr) -> ast.expr:
    """The dict that OrderedDict([("W_Q", …)]) prints; any other expression as it is."""
    match node:
        case ast.Call(func=ast.Name(id="OrderedDict"), args=[ast.Dict() as inner], keywords=[]):
            return inner
        case ast.Call(func=ast.Name(id="OrderedDict"), args=[ast.List(elts=pairs)], keywords=[]):
            entries = [one.elts for one in pairs if isinstance(one, ast.Tuple)]
            if len(entries) == len(pairs) and all(len(entry) == 2 for entry in entries):
                given = ast.Dict([key for key, _ in entries], [value for _, value in entries])
                return ast.copy_location(given, node)
    return node


class _InPlaceOf(ast.NodeTransformer):
    """Puts the expression that wrote an array out in place of its name."""

    def __init__(self, name: str, source: ast.expr) -> None:
        self.name, self.source = name, source

    def visit(self, node: ast.AST) -> Any:
        is_name = isinstance(node, ast.Name | ast.Attribute) and ast.unparse(node) == self.name
        return self.source if is_name else super().visit(node)


def _has_number(words: Any) -> bool:
    """Whether what is written is a list with a number in it, at any depth."""
    return isinstance(words, list) and any(
        _has_number(word) if isinstance(word, list) else is_number(word.strip('"'))
        for word in words
    )
