"""What the words of a cell name: its query, its key, its feature, and what its array is."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from core.program.axes import POSITION
from core.program.labels import told_label
from core.program.trace import Trace
from core.texts.text_file import TextFile
from tests.facts.steps import steps
from tests.quotes import listed, proves, quoted, texts

Said = tuple[str, str, Trace, str, tuple[int, ...], Mapping[str, Any]]
_say = TextFile.__call__


@cache
def said() -> tuple[Said, ...]:
    """What a few cells of every array say: the text, as it is filled in, and in which cell."""
    found: list[Said] = []
    notes: list[tuple[str, str, Mapping[str, Any]]] = []

    def noted(file: TextFile[Any], id: str, **values: Any) -> Any:
        made = _say(file, id, **values)
        notes.append((texts()[f"core/{file.file.stem}", id], made, values))
        return made

    for trace in {one.run: one.trace for _, one in steps()}.values():
        for array in trace:
            last, ends = np.array(trace[array].shape) - 1, np.eye(2)[:, : trace[array].ndim]
            parts = [0.5, 0.8, *([0] * (len(last) - end.size) + [*end] for end in ends), 0, 1]
            for cell in {tuple(map(int, last * part)) for part in parts}:
                with patch.object(TextFile, "__call__", noted):
                    trace.program.meaning[array](trace, cell)
                found += [(text, made, trace, array, cell, given) for text, made, given in notes]
                notes.clear()
    return tuple(found)


def place(name: str, trace: Trace, array: str, names: Mapping[str, Any]) -> int | None:
    """Which axis of the array has what is called so."""
    letters = trace.program.letters[array]
    tokens = [n for n, letter in enumerate(letters) if trace.program.axis(letter).kind == POSITION]
    pair = {"made", "column", "result"} & {*names}
    if name in ("query", "node", "reader", "token"):
        return next((n for n in tokens if letters[n] != "j" or name == "token"), None)
    if name == "key":
        return next((n for n in tokens if letters[n] == "j"), None)
    if name in ("feature", "row", "made", "column", "result"):
        return len(letters) - 1 - (bool(pair) and name not in pair)
    return None


CELLS = {
    "X x embedded": """
        Feature {feature} of the embedding of {token} | Feature {feature} of {token}, before any
        mixing | Feature {feature} of {token}: its embedding plus the row of its position | Feature
        {feature} of {token}: its embedding plus the row for its position | Feature {feature} of
        {token}, before attention mixes in anything else | Feature {feature} of what {token} has
        read in layer 1 | How much {token} has of feature {feature}, before attention mixes anything
        into it""",
    "Q q": """
        Feature {feature} of the query of {token} | Feature {feature} of what {token} looks for |
        its row of X times a column of W_Q | its row of {source} times a column of W_Q | Feature
        {feature} of the turned query of {token} | Feature {feature} of the scaled query of {token}
        | Feature {feature} of {token}: its query is its row of X""",
    "K": """
        Feature {feature} of the key of {token} | Feature {feature} of what {token} can be found by
        | its row of X times a column of W_K | its row of {source} times a column of W_K | Feature
        {feature} of the turned key of {token} | Feature {feature} of {token}: its key is its row of
        X""",
    "V": """
        Feature {feature} of the value of {token} | Feature {feature} of what {token} passes on |
        its row of X times a column of W_V | Feature {feature} of what {token} gives: its row of
        {source} times a column of W_V | Feature {feature} of {token}: its value is its row of X""",
    "scores s pairs products kept": """
        the query of {query} and the key of {key} | The dot product of the scaled query of {query}
        and the key of {key} | How well the query of {query} (row {row} of Q) matches the key of
        {key} (column {column} of Kᵀ)""",
    "scaled": "The score of {query} and {key}, divided by √d_k",
    "biased": """
        The scaled score of {query} and {key}, plus their bias | The scaled score of {query}
        and {key}, minus the cost of their distance""",
    "masked S s": """
        The score of {query} and {key}, or −∞ if | {key} comes after {query}: hidden, so the score
        becomes −∞ | {query} sees {key}, so the score passes unchanged | {query} may not read {key}:
        −∞ | The scaled score of {query} and {key}, which the mask does not hide | The scaled score
        of {query} and {key}, or −∞ if it is hidden | The scaled score of {query} with {key}""",
    "weights a A": """
        The weight of {key} in what {query} reads | Of what {query} reads, {percent} % comes from
        {key} | Exactly 0: {key} is hidden from {query} | The weight that {query} gives to {key} |
        {query} reads {percent} % from {key} | The weight of {key} for {query}, among all queries
        that read {key} | e raised to the score of {query} and {key}""",
    "w": "The weight of the edge from {key} to {node}: {percent} % of what it reads",
    "message": "Feature {feature} of the message from {key} to {node}: the value of {key}, times",
    "dropped": "The weight of {query} on {key}, times D",
    "mask": """
        {query} sees {key}, which comes before it | {query} does not see {key}, which comes
        after it | {query} sees {key}: nothing is hidden | {query} sees {key}: it is the token
        itself | {query} may may not see {key}""",
    "penalty": "The cost of the distance from {query} back to {key} in this head",
    "context y read o moved sums difference": """
        Feature {feature} of what {token} reads | Feature {feature} of what {node} reads | Feature
        {feature} of what {query} reads in this draw | Feature {feature} of the mixture that {token}
        reads""",
    "output": "Feature {feature} of what leaves the layer for {token}: its row of concat times W_O",
    "Z added": """
        Feature {feature} of the row of {token}, plus the same feature of attention's result""",
    "H raised": """
        Feature {feature} of the row of {token}, plus the same feature of the feed-forward
        net's result""",
    "centred normed": "Feature {feature} of the row of {token}, minus the mean of the row",
    "W_Q": "How much feature {feature} of a token counts in feature {made} of its query",
    "W_K": "How much feature {feature} of a token counts in feature {made} of its key",
    "W_V": "How much feature {feature} of a token counts in feature {made} of its value",
}


@proves(" | ".join(CELLS.values()))
@pytest.mark.parametrize("arrays", CELLS)
def test_a_cell_names_its_own_row_and_column_and_what_it_is(arrays: str) -> None:
    for quote in listed(CELLS[arrays]):
        cells = [one for one in said() if any(quoted(one[0], [quote]))]
        assert cells, quote
        for text, made, trace, array, cell, values in cells:
            assert {array.split("_")[0], array[:3]} & {*arrays.split()}, (text, array)
            for name, value in values.items():
                if (at := place(name, trace, array, values)) is not None:
                    label = str(told_label(trace, trace.program.letters[array][at], cell[at]))
                    assert str(value) in (label, str(cell[at] + 1)), (text, array, cell, name)
            if "{percent}" in quote and not re.search(r"[<>e]", str(values["percent"])):
                assert abs(float(values["percent"]) - 100 * trace[array][cell]) < 0.51, text
            if met := re.search(r"comes (before|after)", made):
                assert (cell[-1] > cell[-2]) == (met[1] == "after") != (cell[-1] < cell[-2]), made
            if "among all queries" in quote:
                np.testing.assert_allclose(trace[array].sum(-2), 1)
