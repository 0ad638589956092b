"""A tree over keys that a person merges by hand: one components-v2 component.

A change is drawn at once; `trees` reports the forest as a text, and the number that somebody wants
to see on the stage.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

import streamlit as st

from core.chapters.recursive_attention.tree_verdict import KeyCounts, Piece
from core.chapters.recursive_attention.trees import SHAPES, Forest, forest_text, read_forest
from core.errors import InputError
from ui.components.component import BARS, component
from ui.components.component_events import answer, read_event
from ui.links.session import restore_flash
from ui.page_texts import chart_texts

TEXTS = chart_texts("recursive_attention")
_trees = component(Path(__file__).with_name("trees.js"), "key_trees", before=BARS, texts=TEXTS)


def trees(
    key: str,
    forest: Forest,
    labels: tuple[str, ...],
    pieces: Mapping[str, Piece],
    counts: KeyCounts,
    on_forest: Callable[[Forest], None],
    on_look: Callable[[str], None],
) -> None:
    """Draw a forest over the keys that have these labels, with the numbers of its pieces.

    `counts` are drawn as bars; next to them, the merged value and that of all keys at once.

    `on_forest` gets another forest; `on_look` the name of an array.
    """

    def changed() -> None:
        text = read_event(key, "tree").get("forest")
        try:
            on_forest(read_forest(str(text), len(labels)))
        except InputError as refused:
            state = st.session_state
            state.messages = [*state.get("messages", []), str(refused)]
            restore_flash()

    def looked() -> None:
        array = read_event(key, "look").get("array")
        if array in {f"{letter}_{piece.name}" for piece in pieces.values() for letter in "sv"}:
            on_look(str(array))

    data = {
        "forest": forest_text(forest),
        "labels": list(labels),
        "nodes": {text: vars(piece) for text, piece in pieces.items()},
        "counts": vars(counts),
        "shapes": _shapes(len(labels)),
        **answer(key),
    }
    _trees(key=key, data=[data], on_tree_change=changed, on_look_change=looked)


def _shapes(keys: int) -> list[list[str]]:
    """Return ways to merge so many keys, each with its forest; of equal forests the first."""
    found: dict[str, str] = {}
    for word, shape in SHAPES.items():
        found.setdefault(forest_text(shape(keys)), word)
    return [[word, text] for text, word in found.items()]
