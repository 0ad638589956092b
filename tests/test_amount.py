"""How much is said: fewer words than there were, and few sentences that nobody recomputes."""

from importlib import import_module
from pathlib import Path

import pytest

from core.path import PATH
from tests.ui.claims import ALWAYS
from tools.count_words import count, counts

ROOT = Path(__file__).parents[1]
BEFORE = (8_906, 12_735)
"""Words of all chapters in sight, and with everything open, before the texts were rewritten."""
MOST = (0.7, 0.85)
"""The parts of them that may be left."""
MOST_ALWAYS = 150


def test_words_are_counted_as_they_are_read() -> None:
    assert count("A **weight** of [here](#stage-weights.0.0.0) is $e^x$ over a total.") == 9
    assert count("it's one word") == 3


@pytest.mark.deep
def test_fewer_words_are_in_sight_and_behind_folds_than_there_were() -> None:
    found = counts(ROOT)
    for before, most, of_chapters in zip(
        BEFORE, MOST, zip(*found.values(), strict=True), strict=True
    ):
        assert sum(of_chapters) <= most * before, found


def test_few_sentences_claim_nothing_about_the_run() -> None:
    made = sorted((ROOT / "tests" / "ui").glob("test_claims_of_*.py"))
    modules = [import_module(f"tests.ui.{file.stem}") for file in made]
    found = [vars(module)["INVENTORY"] for module in modules if "INVENTORY" in vars(module)]
    checks = [check for one in found for check in (*one.claims.values(), *one.texts.values())]
    assert len(found) == len(PATH)
    assert 0 < sum(check is ALWAYS for check in checks) <= MOST_ALWAYS
