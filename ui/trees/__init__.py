"""A tree over keys that is put together by hand: one components-v2 component.

What is done to it is seen at once; `trees` reports the forest as it is written, and which number
somebody wants to see on the stage.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

import streamlit as st

from core.chapters.recursive_attention.counted import Counted
from core.chapters.recursive_attention.tree_program import Piece
from core.chapters.recursive_attention.trees import SHAPES, Forest, forest_text, read_forest
from core.errors import InputError
from stage.assets import module, sheet
from ui.component_events import EVENTS, answer, told
from ui.presenting import presenting
from ui.session import say_again

_FOLDER = Path(__file__).parent
WORDS: Mapping[str, str] = {
    "shapes": "Put together:",
    "again": "Count key again:",
    "back": "Undo",
    "apart": "Take apart",
    "leave": "Leave out",
    "look": "Show on the stage",
    "covered": "covered",
    "counts": "Each key counts e to its score",
    "merged": "merged",
    "whole": "all keys",
    "twice": "Counted more than once: key ….",
    "idle": "Drag a piece onto another to merge the two, or press one and then the other. With "
    "keys: arrows to go, Enter to pick up and to merge, Delete to take a set apart.",
    "held": "… is picked up: press the piece to merge it with. Escape puts it back.",
}

_trees = st.components.v2.component(
    "key_trees", css=sheet(_FOLDER / "trees.css"), js=module(EVENTS, _FOLDER / "trees.js")
)


def trees(
    key: str,
    forest: Forest,
    labels: tuple[str, ...],
    pieces: Mapping[str, Piece],
    counts: Counted,
    on_forest: Callable[[Forest], None],
    on_look: Callable[[str], None],
) -> None:
    """Draw a forest over the keys that have these labels, with the numbers of its pieces.

    `counts` are drawn as bars, and what the pieces come to stands beside all keys at once.

    `on_forest` gets another forest; `on_look` the name of an array.
    """

    def changed() -> None:
        text = told(key, "tree").get("forest")
        try:
            on_forest(read_forest(str(text), len(labels)))
        except InputError as refused:
            state = st.session_state
            state.messages = [*state.get("messages", []), str(refused)]
            say_again()

    def looked() -> None:
        array = told(key, "look").get("array")
        if array in {f"{letter}_{piece.name}" for piece in pieces.values() for letter in "sv"}:
            on_look(str(array))

    data = {
        "forest": forest_text(forest),
        "labels": list(labels),
        "nodes": {text: vars(piece) for text, piece in pieces.items()},
        "counts": vars(counts),
        "shapes": _shapes(len(labels)),
        "words": dict(WORDS),
        "present": presenting(),
        **answer(key),
    }
    _trees(key=key, data=[data], on_tree_change=changed, on_look_change=looked)


def _shapes(keys: int) -> list[list[str]]:
    """Ways to put so many keys together, each with its forest; the first of those that agree."""
    found: dict[str, str] = {}
    for word, shape in SHAPES.items():
        found.setdefault(forest_text(shape(keys)), word)
    return [[word, text] for text, word in found.items()]
