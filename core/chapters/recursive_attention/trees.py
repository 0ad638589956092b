"""Trees over keys: the order in which keys are merged.

A tree is a key, by its number from 1, or two or more trees that are merged. A forest is a row of
trees that are not merged yet. As a text, `((1 2) (3 4))` is one tree and `(1 2) 3 4` are three.
"""

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from core.attention.tokens import SHORT
from core.chapters.recursive_attention.texts import TEXTS
from core.chapters.recursive_attention.tile_schedule import blocks, even_cuts
from core.errors import InputError

if TYPE_CHECKING:
    Tree = int | tuple["Tree", ...]
else:  # a checker at run time cannot follow a type that names itself
    Tree = int | tuple
Node = tuple[Tree, ...]
"""The trees that are merged at one place."""
Forest = tuple[Tree, ...]
"""Trees that are not merged yet."""
MOST_LEAVES = 16
"""With keys that are counted twice."""
TREE_LIKE = "(s|v|w|pieces|values)_[1-8]{1,16}"
"""How the arrays of pieces are called, as a regular expression."""
_TOKEN = re.compile(r"\s*([()]|\d+)", re.ASCII)


def read_forest(text: str, keys: int) -> Forest:
    """Return the forest that a text writes; keys that it leaves out are added at its end.

    Raises `InputError` if the text is no forest, names a key above `keys`, or has too many leaves.
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
                absent = TEXTS("not_there", key=part[:10])
                remedy = TEXTS("take_keys", keys=keys)
                raise InputError(absent, TEXTS("keys_there", keys=keys), remedy)
            stack[-1].append(int(part))
    if len(stack) > 1:
        raise _no_forest(text)
    found = tuple(stack[0])
    there = {key for tree in found for key in leaves(tree)}
    found += tuple(key for key in range(1, keys + 1) if key not in there)
    many = sum(1 for tree in found for _ in leaves(tree))
    if many > MOST_LEAVES:
        limit = TEXTS("most_leaves", most=MOST_LEAVES)
        raise InputError(TEXTS("many_leaves", leaves=many), limit, TEXTS("take_out"))
    return found


def check_tree(key: str, text: str) -> str:
    """Return the text of a link if it is a forest, or empty. Raises `InputError`."""
    if text:
        read_forest(text, SHORT)
    return text


def forest_text(forest: Forest) -> str:
    """Return a forest as a text, as `read_forest` reads it."""
    return " ".join(map(tree_text, forest))


def tree_text(tree: Tree) -> str:
    return str(tree) if isinstance(tree, int) else f"({' '.join(map(tree_text, tree))})"


def leaves(tree: Tree) -> Iterator[int]:
    """Yield the keys of a tree, from left to right, each as often as it is counted."""
    if isinstance(tree, int):
        yield tree
    else:
        for child in tree:
            yield from leaves(child)


def nodes(tree: Tree) -> Iterator[Node]:
    """The nodes of a tree, each after those below it."""
    if not isinstance(tree, int):
        for child in tree:
            yield from nodes(child)
        yield tree


def set_text(tree: Tree) -> str:
    """Return the keys of a tree as a set: {1, 2}. A key that is counted twice is in it twice."""
    return f"{{{', '.join(map(str, sorted(leaves(tree))))}}}"


def every_tree(tree: Tree) -> list[Tree]:
    """Return a tree and all trees inside it."""
    return [tree] if isinstance(tree, int) else [tree, *(t for c in tree for t in every_tree(c))]


def tree_name(tree: Tree) -> str:
    """Return the suffix of a tree's arrays: its keys in order, "12"."""
    return "".join(map(str, sorted(leaves(tree))))


def counted_often(forest: Forest) -> list[int]:
    """Return the keys that are counted more than once."""
    times = Counter(key for tree in forest for key in leaves(tree))
    return sorted(key for key, count in times.items() if count > 1)


def one_by_one(keys: int) -> Forest:
    """Return the tree that merges each key with all keys before it."""
    tree: Tree = 1
    for key in range(2, keys + 1):
        tree = (tree, key)
    return (tree,)


def all_at_once(keys: int) -> Forest:
    """Return the tree of one node over all keys: plain softmax."""
    return (tuple(range(1, keys + 1)) if keys > 1 else 1,)


def in_parts(*sizes: int) -> Forest:
    """Return the tree that merges neighbours in groups of these sizes, and then the groups."""
    ends = itertools.accumulate(sizes, initial=1)
    return (_together([_together(range(*part)) for part in itertools.pairwise(ends)]),)


def every_other(keys: int) -> Forest:
    """Return the tree that merges odd keys, even keys, and then both."""
    odd, even = (_together(range(first, keys + 1, 2)) for first in (1, 2)) if keys > 1 else (1, 1)
    return ((odd, even) if keys > 1 else 1,)


def overlapping(keys: int) -> Forest:
    """Return the tree of two halves that share a key, counted twice: {1, 2} and {2, 3, 4}."""
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
