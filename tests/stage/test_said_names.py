"""No name that only a program needs is read or heard: of every program of the registry."""

from collections.abc import Iterator
from typing import Any

import pytest

from core.program.explanations import explain
from core.program.formulas import latex, name, symbol_text
from stage.document.document import document
from tests.registry import REGISTRY
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
        inside = told[1:3] if told[:1] == ["name"] else told
        for value in inside:
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
