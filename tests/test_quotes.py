"""In the texts that people read first, each word of direction stands in what a check proves."""

import re
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

import pytest

from tests.facts.steps import STEPS
from tests.quotes import CONDITION, QUOTES, quoted, texts, unproven
from tests.sampling import ROOT
from tests.ui.claims import ALWAYS, Inventory

READ_FIRST = (
    r"pages/\w+ (lede|try|\w*notice\w*|takeaway)",
    r"core/\w+ \w+_summary",
    r"core/glossary .*",
)
"""Files and ids; add to it what is proven."""


CLAIMS_NOTHING = {
    "Press a head to open it on the stage": "what to do",
    "It opens on a stage below, with each number": "what to do",
    "Below the numbers, choose another word before bank": "what to do",
    "[without_model] A trained head, with every number": "offered",
    "[else] Choose a model, type a prompt": "what to do",
    "With a model on this computer, you can see all heads": "offered",
    "on their phones, without an account": "offered",
    "What a model assumes before it has seen any data": "a definition",
}
"""Words of direction that no number could show to be wrong, and why."""


PROVEN = (ROOT / "tests/proven.txt").read_text(encoding="utf-8")
"""Of other texts those that are proven as a whole, file by file: they stay so."""


@cache
def inventories() -> list[Inventory]:
    """Of the pages; all modules are imported whose checks quote."""
    texts = {file: file.read_text("utf-8") for file in ROOT.glob("tests/**/test_*.py")}
    files = [
        file for file, text in texts.items() if re.search("@(proves|said)|^INVENTORY", text, re.M)
    ]
    names = (".".join(file.relative_to(ROOT).with_suffix("").parts) for file in sorted(files))
    made = [getattr(import_module(name), "INVENTORY", None) for name in names]
    return [inventory for inventory in made if inventory]


def quotes() -> tuple[str, ...]:
    inventories()
    return (*QUOTES, *CLAIMS_NOTHING)


@pytest.mark.parametrize("which", READ_FIRST)
def test_each_word_of_direction_stands_in_what_a_check_proves(which: str) -> None:
    read = {at: text for at, text in texts().items() if re.fullmatch(which, " ".join(at))}
    assert read
    left = {at: found for at, text in read.items() if (found := unproven(text, quotes()))}
    assert not left, "\n".join(f"{at}: {found}" for at, found in left.items())


def test_each_branch_of_what_is_read_first_is_quoted_with_its_condition() -> None:
    """A check of it is given the values that decide."""
    texts_read = [
        text for at, text in texts(with_conditions=True).items() if at[0].startswith("pages/")
        and any(re.fullmatch(which, " ".join(at)) for which in READ_FIRST)
    ]  # fmt: skip
    found = {
        text[max(0, one.start() - 25) : one.end() + 25]
        for text in texts_read
        for one in CONDITION.finditer(text)
        if not any(a <= one.start() < b for a, b in quoted(text, quotes()))
    }
    assert not found


def test_what_is_proven_as_a_whole_stays_so() -> None:
    ids = re.findall(r"^(\S+):((?:\s+\w+(?!\S))+)", PROVEN, re.MULTILINE)
    listed = [(file, id) for file, names in ids for id in names.split()]
    assert len(listed) == len(PROVEN.split()) - len(ids)
    left = {at: found for at in listed if (found := unproven(texts()[at], quotes()))}
    assert not left, "\n".join(f"{at}: {found}" for at, found in left.items())


def test_each_quote_is_in_a_text() -> None:
    branches = [text for text in texts(with_conditions=True).values() if CONDITION.search(text)]
    conditional = {quote for quote in quotes() if CONDITION.search(quote)}
    left = {*quotes()} - conditional
    for text in texts().values():
        left -= {quote for quote in left if any(quoted(text, [quote]))}
    left |= conditional
    for text in branches:
        left -= {quote for quote in left if any(quoted(text, [quote]))}
    assert not left


def test_what_proves_a_quote_runs() -> None:
    """As a test, with the steps that say it, or for a text of a page's inventory."""
    asked: set[Callable[..., Any]] = {*STEPS.values()}
    for inventory in inventories():
        asked |= {*inventory.checks.values(), *inventory.claims.values()}
        asked.add(inventory.module.get("filled", ALWAYS))
    idle = {check for check in QUOTES.values() if check not in asked}
    assert [check for check in idle if not check.__name__.startswith("test_")] == []
