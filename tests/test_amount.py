"""How much is said: fewer words than there were, and few sentences that nobody recomputes."""

from importlib import import_module

import pytest

from core.path import PATH
from tests.sampling import ROOT
from tests.ui.claims import ALWAYS
from tools.count_words import count, counts

BEFORE = (8_906, 12_735)
"""Words of all chapters in sight, and with everything open, before the texts were rewritten."""
MOST = (0.7, 0.87)
"""The parts of them that may be left."""
LATER = {"real_heads": (440, 950)}
"""The most words of chapters that came after that."""
IN_A_REAL_MODEL, FOLDS = 105, 5
"""The most words on average of a fold that came after that, and how many chapters have one."""
MOST_ALWAYS = 150


def test_words_are_counted_as_they_are_read() -> None:
    assert count("A **weight** of [here](#stage-weights.0.0.0) is $e^x$ over a total.") == 9
    assert count("it's one word") == 3


@pytest.mark.deep
def test_fewer_words_are_in_sight_and_behind_folds_than_there_were() -> None:
    found = counts(ROOT)
    for name, most_words in LATER.items():
        assert all(is_now <= most for is_now, most in zip(found.pop(name), most_words, strict=True))
    in_sight, opened = (sum(words) for words in zip(*found.values(), strict=True))
    assert in_sight <= MOST[0] * BEFORE[0], found
    assert opened <= MOST[1] * BEFORE[1] + FOLDS * IN_A_REAL_MODEL, found
    pages = [(ROOT / "pages" / f"{name}.py").read_text("utf-8") for name in PATH]
    assert sum("real_model_fold(" in page for page in pages) == FOLDS


def test_few_sentences_claim_nothing_about_the_run() -> None:
    made = sorted((ROOT / "tests" / "pages").glob("test_claims_of_*.py"))
    modules = [import_module(f"tests.pages.{file.stem}") for file in made]
    found = [vars(module)["INVENTORY"] for module in modules if "INVENTORY" in vars(module)]
    checks = [check for one in found for check in (*one.every_claim.values(), *one.checks.values())]
    assert len(found) == len(PATH)
    assert 0 < sum(check is ALWAYS for check in checks) <= MOST_ALWAYS
