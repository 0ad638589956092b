"""What the cells of a tree program mean: of single keys, of a node's pieces, and of whole sets."""

import numpy as np

from core.chapters.recursive_attention.texts import TEXTS
from core.chapters.recursive_attention.trees import Node, set_text, tree_name
from core.program.described import meaning
from core.program.labels import told_label
from core.program.patterns import Cell
from core.program.reading import weight_percent
from core.program.steps import Meaning
from core.program.trace import Trace


def feature_of_row(id: str) -> Meaning:
    return meaning(TEXTS, id, "h x v", feature="v")


def _key(trace: Trace, key: int) -> str:
    return told_label(trace, "j", key - 1)


def masked_pair(trace: Trace, cell: Cell) -> str:
    query, key = (told_label(trace, letter, at) for letter, at in zip("ij", cell[1:], strict=True))
    hidden = trace.is_removed("masked", cell)
    return TEXTS("may_not" if hidden else "not_hidden", query=query, key=key)


def row_score(trace: Trace, cell: Cell) -> str:
    hidden = trace.is_removed("s_row", cell)
    query, key = told_label(trace, "x", 0), _key(trace, cell[2] + 1)
    return TEXTS("may_not" if hidden else "row_score", query=query, key=key)


def row_weight(trace: Trace, cell: Cell) -> str:
    percent = weight_percent(float(trace["a_row"][cell]))
    return TEXTS("row_weight", percent=percent, key=_key(trace, cell[2] + 1))


def key_score(key: int) -> Meaning:
    return lambda trace, cell: TEXTS("key_score", key=_key(trace, key))


def key_value(key: int) -> Meaning:
    return lambda trace, cell: TEXTS("key_value", feature=cell[2] + 1, key=_key(trace, key))


def piece_score(node: Node) -> Meaning:
    return lambda trace, cell: TEXTS("piece_score", piece=set_text(node[cell[2]]))


def piece_value(node: Node) -> Meaning:
    return lambda trace, cell: TEXTS(
        "piece_value", feature=cell[2] + 1, piece=set_text(node[cell[1]])
    )


def piece_weight(node: Node) -> Meaning:
    def of_cell(trace: Trace, cell: Cell) -> str:
        percent = weight_percent(float(trace[f"w_{tree_name(node)}"][cell]))
        piece, whole = set_text(node[cell[2]]), set_text(node)
        return TEXTS("piece_weight", piece=piece, whole=whole, percent=percent)

    return of_cell


def set_score(node: Node) -> Meaning:
    def of_cell(trace: Trace, cell: Cell) -> str:
        empty = np.isneginf(trace[f"s_{tree_name(node)}"][cell])
        return TEXTS("no_visible_key" if empty else "set_score", whole=set_text(node))

    return of_cell


def set_value(node: Node) -> Meaning:
    return lambda trace, cell: TEXTS("set_value", feature=cell[2] + 1, whole=set_text(node))
