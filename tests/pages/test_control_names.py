"""No two controls of a page have one name, and a control has one name on every page."""

from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.sampling import DEEP, some
from tests.ui.support import PAGE_NAMES, keys_read, offered, opened_whole, stages
from ui.links.links import SENTENCE_KEY

OF_EACH_LESSON = ("plan_", "file_")
"""Keys of what stands in the card of each lesson, under its title."""
Named = dict[str, set[str]]
"""The keys of the controls that have a name."""


def states(name: str) -> list[dict[str, str]]:
    """The page at its last part, if it has parts; in the long run as it opens and at each."""
    parts = [
        {key: value}
        for key, read in keys_read(name).items()
        if key.endswith("_part")
        for value in offered(key, read.reader)
    ]
    return [{}, *parts] if DEEP else [{}, *parts][-1:]


def widgets(part: Any) -> Iterator[tuple[str, str]]:
    """Key and label of each widget in a part of a page; of a fold the title is no control's."""
    for child in part.children.values():
        key, label = getattr(child, "key", None), getattr(child, "label", None)
        if child.type not in ("expander", "tab") and key and label:
            yield key, label
        if hasattr(child, "children"):
            yield from widgets(child)


def controls(page: AppTest) -> Iterator[tuple[str, str]]:
    """Key and name of each widget, and of each toggle of a stage."""
    yield from widgets(page.main)
    for shown in stages(page):
        yield from ((toggle["key"], toggle["word"]) for toggle in shown.document["toggles"])


@cache
def named(name: str) -> tuple[Named, ...]:
    """For each state of a page, its controls by their names."""
    found = []
    for link in states(name):
        keys: Named = defaultdict(set)
        for key, label in controls(opened_whole(name, **link)):
            keys[label].add(key)
        found.append(keys)
    return tuple(found)


@pytest.mark.parametrize("name", some(PAGE_NAMES, 4))
def test_no_two_controls_of_a_page_have_one_name(name: str) -> None:
    for found in named(name):
        for label, keys in found.items():
            assert len([key for key in keys if not key.startswith(OF_EACH_LESSON)]) <= 1, label


def test_a_control_has_one_name_on_every_page() -> None:
    names = defaultdict(set)
    for page in PAGE_NAMES:
        for label, keys in (item for found in named(page) for item in found.items()):
            for key in keys:
                names[key].add(label)
    every = (item for page in PAGE_NAMES for item in keys_read(page).items())
    along = {name for name, key in every if key.carried_as == SENTENCE_KEY}
    sentences = {key: found for key, found in names.items() if key in along}
    assert len(names) > 100 > len(sentences) > 5
    assert set.union(*sentences.values()) == {"Sentence"}
    assert {key: found for key, found in names.items() if len(found) > 1} == {}
