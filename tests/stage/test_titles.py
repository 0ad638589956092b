"""The title of a cell says in words what it is, and names its place and no number."""

import re

import pytest

from core.attention.setups import Setup
from stage.document.document import document
from tests.registry import DECLARED, REGISTRY


def test_an_array_without_rows_has_no_title() -> None:
    """A bias of a layer, say, whose cells have one place."""
    flat = [
        (entry, made.name)
        for entry in REGISTRY.values()
        for made in entry.program.inputs
        if " " not in made.axes
    ]
    assert flat
    for entry, name in flat[:3]:
        trace = entry.run()
        told = document(trace, (name, (0,) * trace[name].ndim))["arrays"]
        assert told[name]["title"] == []


@pytest.mark.parametrize("mask", ["causal", "custom"])
def test_every_array_of_attention_has_a_title_that_names_both_its_places(mask: str) -> None:
    trace = Setup(preset="river-bank", mask=mask).trace
    told = document(trace, ("scores", (0, 2, 1)))["arrays"]
    for name in trace:
        assert sorted(told[name]["title"][1::2]) == ["column", "row"], name
    assert told["scores"]["title"] == ["How well ", "row", " matches ", "column", ""]


def test_no_title_has_a_number() -> None:
    """So that a covered cell may have it."""
    for name, sample in DECLARED:
        for named, told in sample.program.meaning.items():
            title = getattr(told, "title", ())
            assert not re.search(r"\d", "".join(title)), (name, named)
            assert set(title[1::2]) <= {"row", "column"}, (name, named)
