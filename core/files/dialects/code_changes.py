"""Which names the code around written arrays may change; the code is never run.

What is doubtful counts as a change: a matrix must not be read as it was before one.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from core.files.dialects.code_nodes import last_name

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
Effects = Mapping[str, set[str]]
"""What each function or class of a text changes besides what it makes itself."""
_INSIDE = "[]"
"""After a name it stands for what its object holds: both[0] of both = [Q, K]."""
ANY_NAME = "(any)"
"""Stands for every name, where it cannot be told what is changed."""
_ARGUMENTS = "(arguments)"
"""Stands for what a function is given, among what it changes."""
MOST_PASSES = 4
"""So often functions are looked at again because of what those that they call change."""

_LOOK_ONLY = re.compile(
    r"print|display|pprint|imshow|matshow|pcolormesh|heatmap|plot|scatter|bar|hist|"
    r"show|title|save|savez|savez_compressed|savetxt|write|info|debug|len|isinstance|"
    r"set_printoptions|manual_seed|seed"
)
"""Calls that do not change what they are given, though nobody uses their result."""
_IN_PLACE = re.compile(
    r"fill|sort|put|itemset|partition|resize|append|extend|insert|pop|popitem|remove|"
    r"reverse|clear|setdefault"
)
"""Methods that change their object."""
_HOLDS = re.compile(r"append|extend|insert|add|update|setdefault")
"""Methods after which an object holds what they were given."""
_CHANGE_ARGUMENTS = re.compile(
    r"fill_diagonal|copyto|put|place|putmask|put_along_axis|shuffle|at|setattr|delattr|"
    r"exec|eval|setitem|iadd|isub|imul|itruediv"
)
_COPIES = re.compile(
    r"copy|clone|deepcopy|array|tensor|matmul|mm|bmm|dot|einsum|inner|outer|softmax|"
    r"exp|sqrt|log|sum|mean|max|min|abs|maximum|minimum|where|full|full_like|zeros|"
    r"ones|zeros_like|ones_like|eye|tri|tril_indices|triu_indices|masked_fill|cat|"
    r"concat|concatenate|stack|vstack|hstack|astype|tolist|normal|randn|rand|randint|"
    r"arange|linspace|round"
)
"""Calls whose result is an array of its own."""


@dataclass
class Changes:
    """The names that some code gives another value, and those whose arrays it may change."""

    rebound: set[str] = field(default_factory=set)
    altered: set[str] = field(default_factory=set)


def changes_of(node: ast.AST, effects: Effects) -> Changes:
    """Return what a statement or an expression may change, the functions that it calls included."""
    found = Changes()
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load):
            found.rebound.add(part.id)
        elif isinstance(part, ast.Attribute | ast.Subscript):
            is_own = isinstance(part, ast.Attribute) and last_name(part.value) == "self"
            if not isinstance(part.ctx, ast.Load) and not is_own:
                found.altered |= {ANY_NAME} if _is_namespace(part.value) else shared_by(part.value)
        elif isinstance(part, ast.AugAssign):
            found.altered |= shared_by(part.target)
        elif isinstance(part, ast.Call):
            found.altered |= _changed_by_call(part, effects)
        elif isinstance(part, ast.Expr) and isinstance(part.value, ast.Call):
            found.altered |= _given_for_nothing(part.value, effects)
    return found


def only_looks(call: ast.Call, effects: Effects) -> bool:
    """Return whether a call whose result nobody uses is not there to change what it is given."""
    name = last_name(call.func)
    return name in effects or bool(_LOOK_ONLY.fullmatch(name)) or name.startswith("assert")


def shared_by(node: ast.AST | None) -> set[str]:
    """Return the names whose arrays a value may be, hold, or be a view of."""
    if isinstance(node, ast.Name):
        return {node.id}
    if isinstance(node, ast.Attribute):
        return _shared_by_attribute(node)
    if isinstance(node, ast.Subscript):
        return _with_inside(shared_by(node.value))
    if isinstance(node, ast.Starred | ast.NamedExpr | ast.Await):
        return shared_by(node.value)
    if isinstance(node, ast.Call):
        if _makes_its_own(node):
            return set()
        return _all_shared((node.func, *node.args, *(one.value for one in node.keywords)))
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return _all_shared(node.elts)
    if isinstance(node, ast.Dict):
        return _all_shared(node.values)
    if isinstance(node, ast.IfExp):
        return shared_by(node.body) | shared_by(node.orelse)
    if isinstance(node, ast.BoolOp):
        return _all_shared(node.values)
    if isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp):
        return shared_by(node.elt) | _all_shared(one.iter for one in node.generators)
    return set()


def shares_in(node: ast.AST) -> Iterator[tuple[str, set[str]]]:
    """Yield each name that some code gives a value, and the names whose arrays it may share."""
    for part in ast.walk(node):
        if isinstance(part, ast.Assign):
            pairs: list[tuple[ast.expr, ast.expr | None]] = [(t, part.value) for t in part.targets]
        elif isinstance(part, ast.AnnAssign | ast.NamedExpr):
            pairs = [(part.target, part.value)]
        elif isinstance(part, ast.For | ast.AsyncFor | ast.comprehension):
            pairs = [(part.target, part.iter)]
        elif isinstance(part, ast.withitem) and part.optional_vars is not None:
            pairs = [(part.optional_vars, part.context_expr)]
        elif isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
            if _HOLDS.fullmatch(part.func.attr):
                for name in shared_by(part.func.value):
                    yield name + _INSIDE, _arguments(part)
            continue
        else:
            continue
        is_each = isinstance(part, ast.For | ast.AsyncFor | ast.comprehension)
        for target, value in pairs:
            shared = _with_inside(shared_by(value)) if is_each else shared_by(value)
            for name in _given_a_value(target):
                yield name, shared


def _given_a_value(target: ast.expr) -> Iterator[str]:
    """The names that a target gives a value, and what is inside of an object that it gives one."""
    for one in ast.walk(target):
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
            yield one.id
        elif isinstance(one, ast.Attribute | ast.Subscript) and isinstance(one.ctx, ast.Store):
            if isinstance(one, ast.Attribute):
                yield ast.unparse(one)
            yield from (name + _INSIDE for name in shared_by(one.value))


def reached(names: Iterable[str], shares: Mapping[str, set[str]]) -> set[str]:
    """Return names, and all those that they may share an array with."""
    found, waiting = set(names), list(names)
    while waiting:
        for other in shares.get(waiting.pop(), ()):
            if other not in found:
                found.add(other)
                waiting.append(other)
    return found


def effects_of(functions: Iterable[Function]) -> Effects:
    """Return what each function changes other than arrays that it makes itself."""
    by_name = {function.name: function for function in functions}
    effects: dict[str, set[str]] = {name: set() for name in by_name}
    for _ in range(MOST_PASSES):
        now = {name: _changed_outside(one, effects) for name, one in by_name.items()}
        if now == effects:
            break
        effects = now
    return effects


def _changed_outside(function: Function, effects: Effects) -> set[str]:
    changes = changes_of(function, effects)
    own: dict[str, set[str]] = {}
    for name, shared in shares_in(function):
        own.setdefault(name, set()).update(shared)
    parts = list(ast.walk(function))
    given = {part.arg for part in parts if isinstance(part, ast.arg)}
    outer = {
        name for part in parts if isinstance(part, ast.Global | ast.Nonlocal) for name in part.names
    }
    if isinstance(function, ast.ClassDef):
        given.discard("self")  # an object of its own; what it was given is in `own`
        own |= {n: own.get(n, set()) for n in changes.altered if n.partition(".")[0] == "self"}
    altered = reached(changes.altered, own)
    outside = {name for name in altered if name not in own and name not in given}
    return outside | (changes.rebound & outer) | ({_ARGUMENTS} if altered & given else set())


def _shared_by_attribute(node: ast.Attribute) -> set[str]:
    """The names of model.head.W: model, model.head and model.head.W."""
    path: list[str] = []
    base: ast.expr = node
    while isinstance(base, ast.Attribute):
        path.append(base.attr)
        base = base.value
    if not isinstance(base, ast.Name):
        return shared_by(base)
    names = [base.id]
    for attribute in reversed(path[-8:]):
        names.append(f"{names[-1]}.{attribute}")
    return set(names)


def _with_inside(names: set[str]) -> set[str]:
    """Names, and what is inside of their objects."""
    return names | {name + _INSIDE for name in names if not name.endswith(_INSIDE)}


def _all_shared(nodes: Iterable[ast.AST | None]) -> set[str]:
    return set().union(*map(shared_by, nodes))


def _makes_its_own(call: ast.Call) -> bool:
    """Whether the result of a call is an array of its own; copy=False may keep the old one."""
    is_asked = any(one.arg == "copy" for one in call.keywords)
    return _COPIES.fullmatch(last_name(call.func)) is not None and not is_asked


def _arguments(call: ast.Call) -> set[str]:
    """The names of the arrays that a call is given."""
    return _all_shared((*call.args, *(one.value for one in call.keywords)))


def _changed_by_call(call: ast.Call, effects: Effects) -> set[str]:
    name = last_name(call.func)
    found = set()
    is_in_place = name.endswith("_") and not name.endswith("__")
    if isinstance(call.func, ast.Attribute) and (is_in_place or _IN_PLACE.fullmatch(name)):
        found |= shared_by(call.func.value)
    if is_in_place or _CHANGE_ARGUMENTS.fullmatch(name):
        found |= _arguments(call) | shared_by(call.func)
    for one in call.keywords:
        if one.arg == "out":
            found |= shared_by(one.value)
        elif one.arg == "inplace":
            found |= _arguments(call)
    ufunc = vars(np).get(name)
    if isinstance(ufunc, np.ufunc):
        found |= _all_shared(call.args[ufunc.nin :])  # np.add(a, b, out)
    if isinstance(call.func, ast.Name) and name in ("exec", "eval"):
        found |= _names_in_strings(call) or {ANY_NAME}
    if isinstance(call.func, ast.Attribute) and _is_namespace(call.func.value):
        found |= {ANY_NAME} if _HOLDS.fullmatch(name) or _IN_PLACE.fullmatch(name) else set()
    outside = effects.get(name, set()) if isinstance(call.func, ast.Name) else set()
    return found | outside | (_arguments(call) if _ARGUMENTS in outside else set())


def _is_namespace(node: ast.expr) -> bool:
    """Whether a value is the dict of all names: globals()."""
    return (
        isinstance(node, ast.Call)
        and last_name(node.func) in ("globals", "locals", "vars")
        and not node.args
    )


def _names_in_strings(call: ast.Call) -> set[str]:
    """The names in the code that a call is given as text."""
    texts = [one.value for one in call.args[:1] if isinstance(one, ast.Constant)]
    return {name for text in texts for name in re.findall(r"[^\W\d]\w*", str(text))}


def _given_for_nothing(call: ast.Call, effects: Effects) -> set[str]:
    """What a call is given whose result nobody uses: it may be there to change it."""
    if only_looks(call, effects):
        return set()
    if _HOLDS.fullmatch(last_name(call.func)):
        return shared_by(call.func)
    return _with_inside(_arguments(call) | shared_by(call.func))
