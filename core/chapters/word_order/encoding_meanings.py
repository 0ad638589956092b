"""What the cells mean of attention whose tokens have an encoded position."""

from core.program.described import meaning
from core.program.labels import told_label
from core.program.patterns import Cell
from core.program.steps import Meaning
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("word_order")


def weight_of(role: str, layer: int = 0) -> Meaning:
    """Return what an entry of a weight matrix means, in a layer if there are several."""
    id = {"query": "query_weights", "key": "key_weights", "value": "value_weights"}[role]
    return lambda trace, cell: TEXTS(id, feature=cell[1] + 1, made=cell[2] + 1, layer=layer)


def feature_of_token(id: str, letter: str) -> Meaning:
    return lambda trace, cell: TEXTS(
        id, feature=cell[2] + 1, token=told_label(trace, letter, cell[1])
    )


def row_of_token(id: str) -> Meaning:
    return meaning(TEXTS, id, "i m", feature="m", token="i")


def of_pair(id: str) -> Meaning:
    return meaning(TEXTS, id, "h i j", query="i", key="j")


def angle_of_token(id: str) -> Meaning:
    return lambda trace, cell: TEXTS(id, token=told_label(trace, "i", cell[0]), number=cell[1] + 1)


def nearness(trace: Trace, cell: Cell) -> str:
    return TEXTS("near", apart=abs(cell[0] - cell[1]))


def quarter_turn(trace: Trace, cell: Cell) -> str:
    value = float(trace["quarter"][cell])
    entry = int(value) if value in (-1, 0, 1) else None
    return TEXTS("quarter", feature=cell[0] + 1, made=cell[1] + 1, entry=entry)


def head_slope(trace: Trace, cell: Cell) -> str:
    return TEXTS("slope", head=cell[0] + 1)
