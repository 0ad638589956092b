"""In the texts that people read first, each word of direction stands in what a check proves."""

import re
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from tests.facts.steps import STEPS
from tests.quotes import QUOTES, quoted, texts, unproven
from tests.ui.claims import Inventory

ROOT = Path(__file__).parents[1]
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
    "A trained head, with every number": "offered",
    "With a model on this computer, you can see all heads": "offered",
    "on their phones, without an account": "offered",
    "What a model assumes before it has seen any data": "a definition",
}
"""Words of direction that no number could show to be wrong, and why."""


@cache
def inventories() -> list[Inventory]:
    """Of the pages; all modules are imported whose checks quote."""
    files = [*ROOT.glob("tests/**/test_claims_of_*.py"), *ROOT.glob("tests/facts/test_*.py")]
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


def test_each_quote_is_in_a_text() -> None:
    left = {*quotes()}
    for text in texts().values():
        left -= {quote for quote in left if any(quoted(text, [quote]))}
    assert not left


def test_what_proves_a_quote_runs() -> None:
    """As a test, with the steps that say it, or for a text of a page's inventory."""
    asked = {*STEPS.values()}
    for inventory in inventories():
        asked |= {*inventory.checks.values(), *inventory.claims.values()}
    idle = {check for check in QUOTES.values() if check not in asked}
    assert [check for check in idle if not check.__name__.startswith("test_")] == []
