"""Which names the code around written arrays may change; the code is never run.

What is doubtful counts as a change: a matrix must not be read as it was before one.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate, chain

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
_SHARED_PARTS: Mapping[type, tuple[str, ...]] = {
    **dict.fromkeys((ast.Starred, ast.NamedExpr, ast.Await, ast.keyword), ("value",)),
    **dict.fromkeys((ast.List, ast.Tuple, ast.Set), ("elts",)),
    **dict.fromkeys((ast.Dict, ast.BoolOp), ("values",)),
    **dict.fromkeys((ast.ListComp, ast.SetComp, ast.GeneratorExp), ("elt", "generators")),
    ast.comprehension: ("iter",),
    ast.Call: ("func", "args", "keywords"),
    ast.IfExp: ("body", "orelse"),
}
"""The parts of a value that it may be, or hold."""


def changes_of(node: ast.AST, effects: Effects) -> tuple[set[str], set[str]]:
    """Return the names that some code gives another value, and those whose arrays it may change.

    The functions that it calls are included.
    """
    rebound, altered = set(), set()
    for part in ast.walk(node):
        match part:
            case ast.Name(name, ast.Store() | ast.Del()):
                rebound.add(name)
            case ast.Attribute(value, _, ast.Store() | ast.Del()) if last_name(value) == "self":
                continue
            case ast.Attribute(value, _, ast.Store() | ast.Del()) | ast.Subscript(
                value, _, ast.Store() | ast.Del()
            ):
                altered |= {ANY_NAME} if _is_namespace(value) else shared_by(value)
            case ast.AugAssign(target):
                altered |= shared_by(target)
            case ast.Call():
                altered |= _changed_by_call(part, effects)
            case ast.Expr(ast.Call() as call):
                altered |= _given_for_nothing(call, effects)
    return rebound, altered


def only_looks(call: ast.Call, effects: Effects) -> bool:
    """Return whether a call whose result nobody uses is not there to change what it is given."""
    name = last_name(call.func)
    return name in effects or bool(_LOOK_ONLY.fullmatch(name)) or name.startswith("assert")


def shared_by(node: ast.AST | None) -> set[str]:
    """Return the names whose arrays a value may be, hold, or be a view of."""
    match node:
        case ast.Name(name):
            return {name}
        case ast.Attribute():
            return _shared_by_attribute(node)
        case ast.Subscript(value):
            return _with_inside(shared_by(value))
        case ast.Call() if _makes_its_own(node):
            return set()
    parts = [getattr(node, field) for field in _SHARED_PARTS.get(type(node), ())]
    each = (part if isinstance(part, list) else [part] for part in parts)
    return _all_shared(chain.from_iterable(each))


def shares_in(node: ast.AST) -> Iterator[tuple[str, set[str]]]:
    """Yield each name that some code gives a value, and the names whose arrays it may share."""
    for part in ast.walk(node):
        targets: list[ast.expr] = []
        shared = set()
        match part:
            case ast.Assign(targets, value):
                shared = shared_by(value)
            case ast.AnnAssign(target, _, value) | ast.NamedExpr(target, value):
                targets, shared = [target], shared_by(value)
            case ast.withitem(value, ast.expr() as target):
                targets, shared = [target], shared_by(value)
            case ast.For(target, value) | ast.AsyncFor(target, value):
                targets, shared = [target], _with_inside(shared_by(value))
            case ast.comprehension(target, value):
                targets, shared = [target], _with_inside(shared_by(value))
            case ast.Call(ast.Attribute(value, method)) if _HOLDS.fullmatch(method):
                yield from ((name + _INSIDE, _arguments(part)) for name in shared_by(value))
        yield from ((name, shared) for target in targets for name in _given_a_value(target))


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
    rebound, changed = changes_of(function, effects)
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
        own |= {n: own.get(n, set()) for n in changed if n.partition(".")[0] == "self"}
    altered = reached(changed, own)
    outside = {name for name in altered if name not in own and name not in given}
    return outside | (rebound & outer) | ({_ARGUMENTS} if altered & given else set())


def _shared_by_attribute(node: ast.Attribute) -> set[str]:
    """The names of model.head.W: model, model.head and model.head.W."""
    path: list[str] = []
    base: ast.expr = node
    while isinstance(base, ast.Attribute):
        path.append(base.attr)
        base = base.value
    if not isinstance(base, ast.Name):
        return shared_by(base)
    return set(accumulate([base.id, *reversed(path[-8:])], "{}.{}".format))


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
