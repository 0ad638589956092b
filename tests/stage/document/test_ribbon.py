"""The ribbon in a document: every percentage and sentence worked out again from the trace."""

import json
import re
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import numpy as np
import pytest

from core.attention.setups import Setup
from core.program.axes import POSITION
from core.program.labels import axis_label
from core.program.patterns import Cell
from core.program.trace import Trace
from stage.document.document import document
from tests.registry import REGISTRY
from tests.sampling import some


def told(trace: Trace, *, doubted: bool = False) -> list[dict[str, Any]]:
    last = trace.program.steps[-1].name
    text = document(trace, (last, (0,) * trace[last].ndim), doubted=doubted).text
    return json.loads(text)["ribbons"]


def percent(weight: float) -> str:
    """A weight in whole percent; below a half of one it is <1, unless it is 0."""
    whole = (Decimal(repr(round(weight, 9))) * 100).quantize(Decimal(1), ROUND_HALF_UP)
    if whole == 100 and weight < 1 - 1e-9:
        return ">99"
    return "<1" if weight > 0 and not whole else str(whole)


def read_by_later_steps(trace: Trace) -> set[str]:
    """Weights in [0, 1] between positions, from which another step of the program reads."""
    program, found = trace.program, set()
    for name in trace.steps:
        values, letters = trace[name], program.letters[name][-2:]
        is_weights = program.roles.get(name) == "weights"
        positions = [program.axis(letter).kind for letter in letters] == [POSITION] * 2
        is_read = any(name in step.operands for step in program.steps)
        shares = program.step[name].operation.palette == "shares"
        bounded = bool(((values >= 0) & (values <= 1 + 1e-9)).all())
        if is_weights and positions and is_read and shares and bounded:
            found.add(name)
    return found


@pytest.mark.parametrize("name", some(list(REGISTRY), 8, 4))
def test_every_program_with_weights_between_tokens_has_a_ribbon_of_them(name: str) -> None:
    trace = REGISTRY[name].run()
    found = told(trace)
    assert {ribbon["array"] for ribbon in found} == read_by_later_steps(trace)
    for ribbon in found:
        array = ribbon["array"]
        texts = iter(ribbon["shares"].split(" "))
        notes, said = iter(ribbon["notes"]), iter(ribbon["said"])
        for row in np.ndindex(trace[array].shape[:-1]):
            weights = trace[array][row]
            printed = [next(texts) for _ in weights]
            for key, weight in enumerate(weights.tolist()):
                gone = trace.is_removed(array, (*row, key))
                assert printed[key] == ("" if gone else percent(weight)), (array, row, key)
            check_sum(weights, printed, next(notes))
            check_sentence(trace, array, row, printed, "".join(next(said)))
        assert (next(texts, None), next(notes, None), next(said, None)) == (None, None, None)


def check_sum(weights: np.ndarray, printed: list[str], note: str) -> None:
    """A row that does not add up to 100 says so, and why."""
    rounds_to = {"": 0, "<1": 0, ">99": 100}
    shown = sum(rounds_to[text] if text in rounds_to else int(text) for text in printed)
    if not weights.any():
        assert note == ""
    elif np.isclose(weights.sum(), 1):
        assert note == ("" if shown == 100 else f"(rounding: {shown}\u00a0%)")
    else:
        assert note == f"(adds up to {percent(float(weights.sum()))}\u00a0%)"


def check_sentence(trace: Trace, array: str, row: Cell, printed: list[str], said: str) -> None:
    """The sentence begins with its query, and names a key that is read most and how much."""
    query, key = trace.program.letters[array][-2:]
    asking = axis_label(trace, query, row[-1])
    assert re.match(rf"(“{asking}”|[A-Z][a-z]+ {asking}) reads ", said), said
    sizes = [{"<1": 0.5, ">99": 99.5}.get(text) or float(text or 0) for text in printed]
    most = max(sizes)
    if not most:
        assert said.endswith("reads nothing.")
        return
    top = [at for at, size in enumerate(sizes) if size == most]
    label = axis_label(trace, key, top[0])
    if len(top) == 1:
        same = trace.program.axis(query).tokens == trace.program.axis(key).tokens
        assert ("itself" if same and label == asking else label) in said, said
    assert "itself" in said or label in said or f"each of {len(top)}" in said, said
    assert f"{printed[top[0]]}\u00a0%" in said or "reads only" in said, said


def test_the_first_row_of_an_empty_mask_reads_nothing_and_a_doubted_run_has_no_ribbon() -> None:
    mask = np.tri(6, dtype=bool)
    mask[0] = False
    trace = Setup(mask="custom", edits={"mask": mask}).trace
    [ribbon] = told(trace)
    assert "".join(ribbon["said"][0]) == "“The” reads nothing."
    assert ribbon["shares"].split(" ")[:6] == [""] * 6
    assert told(trace, doubted=True) == []


def test_tokens_longer_than_their_labels_are_told_whole() -> None:
    [ribbon] = told(Setup(text="we saw antidisestablishmentarianism by the river").trace)
    assert ribbon["whole"] == [{"2": "antidisestablishmentarianism"}] * 2


@pytest.mark.parametrize("text", ["w " * 25, "w " * 64])
def test_a_sentence_too_long_for_numbers_has_its_percentages(text: str) -> None:
    trace = Setup(text=text, heads=1).trace
    [ribbon] = told(trace)
    assert len(ribbon["shares"].split(" ")) == trace["weights"].size
