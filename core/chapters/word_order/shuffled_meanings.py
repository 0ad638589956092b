"""What the cells mean of attention on tokens in another order, and on the same tokens as typed."""

from core.attention.masks import Rule
from core.program.described import meaning
from core.program.labels import told_label
from core.program.patterns import Cell
from core.program.reading import weight_percent
from core.program.steps import Meaning
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("word_order")


def row_in_order(id: str, letter: str) -> Meaning:
    return meaning(TEXTS, id, f"{letter} m", feature="m", token=letter)


def feature_in_order(id: str, letter: str) -> Meaning:
    return meaning(TEXTS, id, f"h {letter} v", feature="v", token=letter)


def pair_in_order(id: str, row: str, column: str) -> Meaning:
    return meaning(TEXTS, id, f"h {row} {column}", query=row, key=column)


def placed(trace: Trace, cell: Cell) -> str:
    entry, token = float(trace["P"][cell]), told_label(trace, "t", cell[1])
    new, typed = cell[0] + 1, cell[1] + 1
    entries = {"whole": entry in (0, 1), "here": entry == 1}
    return TEXTS("placed", **entries, token=token, typed=typed, place=new)


def projected_feature(id: str, letter: str, source: str) -> Meaning:
    return lambda trace, cell: TEXTS(
        id, feature=cell[2] + 1, token=told_label(trace, letter, cell[1]), source=source
    )


def scaled_score(trace: Trace, cell: Cell) -> str:
    return TEXTS("scaled_score", width=trace["K_1"].shape[-1])


def mask_in_order(row: str, column: str, rule: Rule) -> Meaning:
    def of_cell(trace: Trace, cell: Cell) -> str:
        place, other = cell
        query, key = told_label(trace, row, place), told_label(trace, column, other)
        unmasked = rule.name == "none"
        return TEXTS("sees", query=query, key=key, unmasked=unmasked, place=place, other=other)

    return of_cell


def masked_in_order(row: str, column: str, name: str) -> Meaning:
    def of_cell(trace: Trace, cell: Cell) -> str:
        _, i, j = cell
        query, key = told_label(trace, row, i), told_label(trace, column, j)
        hidden = trace.is_removed(name, cell)
        return TEXTS("hidden_score" if hidden else "seen_score", query=query, key=key)

    return of_cell


def weight_in_order(row: str, column: str, name: str) -> Meaning:
    def of_cell(trace: Trace, cell: Cell) -> str:
        _, i, j = cell
        query, key = told_label(trace, row, i), told_label(trace, column, j)
        if trace.is_removed(name, cell):
            return TEXTS("no_weight", query=query, key=key)
        percent = weight_percent(trace[name][cell])
        return TEXTS("part_read", query=query, key=key, percent=percent)

    return of_cell
