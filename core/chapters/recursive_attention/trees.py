"""Trees over keys: which keys are put together first, and what is put together then.

A tree is a key, by its number from 1, or two or more trees. A forest is what is not put together
yet: trees beside each other. Written, `((1 2) (3 4))` is one tree and `(1 2) 3 4` are three.
"""

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from core.attention.tokens import SHORT
from core.chapters.recursive_attention.cuts import blocks, even_cuts
from core.chapters.recursive_attention.texts import TEXTS
from core.errors import InputError

if TYPE_CHECKING:
    Tree = int | tuple["Tree", ...]
else:  # who checks types while it runs cannot follow one that names itself
    Tree = int | tuple
Forest = tuple[Tree, ...]

"""Keys of a tree: their numbers are single digits, and its nodes' names are made of them."""
MOST_LEAVES = 16
"""With keys that are counted twice."""
TREE_LIKE = "(s|v|w|pieces|values)_[1-8]{1,16}"
"""How the arrays of pieces are called, as a regular expression."""
_TOKEN = re.compile(r"\s*([()]|\d+)", re.ASCII)


def read_forest(text: str, keys: int) -> Forest:
    """A forest over so many keys as it is written; keys that it leaves out stand alone at its end.

    Raises `InputError` for what is no forest, a key that is not there, or too many leaves.
    """
    parts = _TOKEN.findall(text)
    if "".join(parts) != re.sub(r"\s", "", text):
        raise _no_forest(text)
    stack: list[list[Tree]] = [[]]
    for part in parts:
        if part == "(":
            stack.append([])
        elif part == ")":
            if len(stack) == 1 or not stack[-1]:
                raise _no_forest(text)
            children = stack.pop()
            stack[-1].append(children[0] if len(children) == 1 else tuple(children))
        else:
            if not 1 <= int(part[:4]) <= keys:
                raise InputError(
                    TEXTS("not_there", key=part[:10]), TEXTS("keys_there", keys=keys),
                    TEXTS("take_keys", keys=keys),
                )  # fmt: skip
            stack[-1].append(int(part))
    if len(stack) > 1:
        raise _no_forest(text)
    found = tuple(stack[0])
    there = {key for tree in found for key in leaves(tree)}
    found += tuple(key for key in range(1, keys + 1) if key not in there)
    many = sum(1 for tree in found for _ in leaves(tree))
    if many > MOST_LEAVES:
        raise InputError(
            TEXTS("many_leaves", leaves=many), TEXTS("most_leaves", most=MOST_LEAVES),
            TEXTS("take_out"),
        )  # fmt: skip
    return found


def check_tree(key: str, text: str) -> str:
    """A reader of a forest over some keys; "" for that of an untouched page."""
    if text:
        read_forest(text, SHORT)
    return text


def forest_text(forest: Forest) -> str:
    """A forest as it is written."""
    return " ".join(map(tree_text, forest))


def tree_text(tree: Tree) -> str:
    return str(tree) if isinstance(tree, int) else f"({' '.join(map(tree_text, tree))})"


def leaves(tree: Tree) -> Iterator[int]:
    """The keys of a tree, from left to right, each as often as it is counted."""
    if isinstance(tree, int):
        yield tree
    else:
        for child in tree:
            yield from leaves(child)


def nodes(tree: Tree) -> Iterator[tuple[Tree, ...]]:
    """The nodes at which trees are put together, each after those below it."""
    if not isinstance(tree, int):
        for child in tree:
            yield from nodes(child)
        yield tree


def set_text(tree: Tree) -> str:
    """The keys of a tree as a set: {1, 2}; one that is counted twice stands there twice."""
    return f"{{{', '.join(map(str, sorted(leaves(tree))))}}}"


def tree_name(tree: Tree) -> str:
    """What a tree's arrays are called by: its keys in order, "12"."""
    return "".join(map(str, sorted(leaves(tree))))


def counted_often(forest: Forest) -> list[int]:
    """The keys that are counted more than once."""
    times = Counter(key for tree in forest for key in leaves(tree))
    return sorted(key for key, count in times.items() if count > 1)


def one_by_one(keys: int) -> Forest:
    """The keys as they come: each joins all that came before it."""
    tree: Tree = 1
    for key in range(2, keys + 1):
        tree = (tree, key)
    return (tree,)


def all_at_once(keys: int) -> Forest:
    """One node over all keys: softmax as it was."""
    return (tuple(range(1, keys + 1)) if keys > 1 else 1,)


def in_parts(*sizes: int) -> Forest:
    """Neighbours put together, so many at a time, and then these."""
    ends = itertools.accumulate(sizes, initial=1)
    return (_together([_together(range(*part)) for part in itertools.pairwise(ends)]),)


def every_other(keys: int) -> Forest:
    """Keys with odd numbers, keys with even ones, and then both: no neighbours."""
    odd, even = (_together(range(first, keys + 1, 2)) for first in (1, 2)) if keys > 1 else (1, 1)
    return ((odd, even) if keys > 1 else 1,)


def overlapping(keys: int) -> Forest:
    """Two halves that share a key, which is then counted twice: {1, 2} and {2, 3, 4}."""
    if keys == 1:
        return ((1, 1),)
    half = keys // 2
    return ((_together(range(1, half + 1)), _together(range(half, keys + 1))),)


SHAPES: Mapping[str, Callable[[int], Forest]] = {
    TEXTS("halves"): lambda keys: in_parts(*even_cuts(keys, 2)),
    TEXTS("one_by_one"): one_by_one,
    TEXTS("pairs"): lambda keys: in_parts(*blocks(keys, 2)),
    TEXTS("every_other"): every_other,
    TEXTS("at_once"): all_at_once,
    TEXTS("twice"): overlapping,
}
"""Ways to merge some number of keys, by their names; an untouched page has the first."""


def _together(trees: Sequence[Tree]) -> Tree:
    return trees[0] if len(trees) == 1 else tuple(trees)


def _no_forest(text: str) -> InputError:
    written = TEXTS("no_tree", tree=repr(text[:20]))
    return InputError(written, TEXTS("how_written"), TEXTS("write_it"))
