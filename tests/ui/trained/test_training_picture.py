"""Pages whose folds have a training show it when opened, with what it says."""

import pytest

from tests.ui.support import opened
from ui.trained.training_picture import learned_keys

PAGES = {
    "why_mask": ("mask_", "at step 600, head 3 of layer 1 gives 75 %"),
    "heads": ("heads_", "The induction head forms between steps"),
    "word_order": ("order_", "no head reads the previous token: the highest measure is 15 %"),
}


@pytest.mark.parametrize("page", PAGES)
def test_a_fold_opened_by_its_link_shows_the_training(page: str) -> None:
    prefix, says = PAGES[page]
    (key,) = learned_keys(prefix)
    shown = opened(page, **{key: "100"})
    assert not shown.exception
    said = " ".join(text.value for text in shown.markdown)
    assert says in said
    assert "(trained-here?trained_task=" in said
    assert says not in " ".join(text.value for text in opened(page).markdown)
