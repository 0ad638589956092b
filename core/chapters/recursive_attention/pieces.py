"""The score and the value of every piece of a forest, as a tree shows them."""

from dataclasses import dataclass

from core.chapters.recursive_attention.texts import TEXTS
from core.chapters.recursive_attention.trees import (
    Forest,
    Tree,
    every_tree,
    tree_name,
    tree_text,
)
from core.program.numbers.display import shown_texts
from core.program.numbers.rounding import typeset
from core.program.trace import Trace


@dataclass(frozen=True)
class Piece:
    """The suffix of a piece's arrays, its score and value as texts, and both as one sentence."""

    name: str
    s: str
    v: str
    spoken: str


def pieces_of(trace: Trace, forest: Forest) -> dict[str, Piece]:
    """Return every piece of a forest, by its tree as a text."""
    every = {tree_text(tree): tree for root in forest for tree in every_tree(root)}
    return {text: _piece(trace, tree) for text, tree in every.items()}


def _piece(trace: Trace, tree: Tree) -> Piece:
    name = tree_name(tree)
    score, values = shown_texts(trace, f"s_{name}"), shown_texts(trace, f"v_{name}")
    value = values[0] if len(values) == 1 else f"({', '.join(values)})"
    spoken = TEXTS("spoken", score=typeset(score[0]), value=typeset(", ".join(values)))
    return Piece(name, score[0], value, spoken)
