"""What cells and formulas are called: no name that only a program needs, no number in a title."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from core.attention.setups import Setup
from core.program.explanations import explain
from core.program.formulas import latex, name, symbol_text
from stage.document.document import document
from tests.registry import DECLARED, REGISTRY
from tests.sampling import some


def raw_names(arrays: list[str]) -> list[str]:
    """The names of several words, which no subscript parts."""
    return [array for array in arrays if symbol_text(array) != array]


def words(told: Any) -> Iterator[str]:
    """Every text of a formula, but for the array that a name stands for."""
    if isinstance(told, str):
        yield told
    elif isinstance(told, dict):
        for value in told.values():
            yield from words(value)
    elif isinstance(told, list):
        for value in told[1:3] if told[:1] == ["name"] else told:
            yield from words(value)


@pytest.mark.parametrize("entry", some(list(REGISTRY), 8, 7))
def test_what_is_said_of_an_array_has_none_of_the_programs_own_names(entry: str) -> None:
    trace = REGISTRY[entry].run()
    raw = raw_names(list(trace.program.letters))
    if not raw:
        return
    said: list[str] = []
    for array in trace.program.letters:
        if trace[array].size:
            told = explain(trace, array, (0,) * trace[array].ndim)
            said += [told.title, told.words, told.feeds, *words(told.rows)]
    made = document(trace, (raw[0], (0,) * trace[raw[0]].ndim))
    for phase in made["phases"]:
        said += [phase["title"], phase["summary"], phase["words"]]
    for of in made["arrays"].values():
        said += [*words(of["symbol"]), *words(of["caption"]), *words(of["turned"])]
    assert not [(text, own) for text in said for own in raw if own in text]


def test_some_programs_have_such_names() -> None:
    found = {own for entry in REGISTRY.values() for own in raw_names(list(entry.program.letters))}
    assert {"one_hot", "key_sum", "so_far"} <= found
    assert "W_Q" not in found
    assert "scores_1" not in found


def test_words_stand_beside_each_other_and_the_last_part_may_be_a_subscript() -> None:
    names = "one_hot", "kept_l_1", "W_Q", "scores_1", "X"
    assert [*map(symbol_text, names)] == ["one hot", "kept l_1", "W_Q", "scores_1", "X"]
    assert name("kept_l_12") == ["name", "kept l", "12", "kept_l_12"]
    assert name("so_far") == ["name", "so far", "", "so_far"]
    assert latex(name("key_sum")) == r"\operatorname{key\ sum}"


def test_an_array_without_rows_has_no_title() -> None:
    """A bias of a layer, say, whose cells have one place."""
    every = [(entry, made) for entry in REGISTRY.values() for made in entry.program.inputs]
    flat = [(entry, made.name) for entry, made in every if " " not in made.axes]
    assert flat
    for entry, flat_one in flat[:3]:
        trace = entry.run()
        told = document(trace, (flat_one, (0,) * trace[flat_one].ndim))["arrays"]
        assert told[flat_one]["title"] == []


@pytest.mark.parametrize("mask", ["causal", "custom"])
def test_every_array_of_attention_has_a_title_that_names_both_its_places(mask: str) -> None:
    trace = Setup(preset="river-bank", mask=mask).trace
    told = document(trace, ("scores", (0, 2, 1)))["arrays"]
    for array in trace:
        assert sorted(told[array]["title"][1::2]) == ["column", "row"], array
    assert told["scores"]["title"] == ["How well ", "row", " matches ", "column", ""]


def test_no_title_has_a_number() -> None:
    """So that a covered cell may have it."""
    for program, sample in DECLARED:
        for named, told in sample.program.meaning.items():
            title = getattr(told, "title", ())
            assert not re.search(r"\d", "".join(title)), (program, named)
            assert set(title[1::2]) <= {"row", "column"}, (program, named)
