"""Folds: open where the link or a scene speaks of what they hold, and closed everywhere else."""

import pytest
from streamlit.testing.v1 import AppTest

from core.path import PATH
from tests.data import data_of
from tests.sampling import some
from tests.ui.support import arriving, folds_for_later, opened, opened_whole, stages, untouched


def expanded(page: AppTest) -> set[str]:
    """The titles of what stands open; of a fold drawn when open, where something is in it."""
    return {
        fold.label
        for fold in page.expander
        if fold.proto.expanded or (fold.proto.id and fold.children)
    }


@pytest.mark.parametrize("page", PATH)
def test_an_untouched_page_has_all_its_folds_closed(page: str) -> None:
    assert not expanded(untouched(page))


@pytest.mark.parametrize(("page", "link", "title"), some(data_of(__file__)["links"], 2))
def test_a_link_opens_the_fold_it_speaks_of(page: str, link: dict[str, str], title: str) -> None:
    found = expanded(opened(page, **link))
    assert [one.partition(" (read first")[0] for one in found] == [title]


def test_what_came_along_from_another_page_opens_nothing() -> None:
    page = arriving("softmax", "one two three")
    assert page.session_state["softmax_text"] == "one two three"
    assert not expanded(page)


def test_what_is_kept_for_later_is_drawn_when_it_is_opened() -> None:
    closed, whole = untouched("softmax"), opened_whole("softmax")
    assert folds_for_later(closed) == {"fold_over": "walkthrough"}
    assert [shown.config["stage"] for shown in stages(closed)] == ["softmax_stage"]
    assert [shown.config["stage"] for shown in stages(whole)][1:] == ["softmax_over_stage"]


def test_a_scene_of_a_page_opens_what_it_is_about() -> None:
    page = opened("words", lesson="from-nothing.1")
    assert expanded(page) == set()
    page.query_params["lesson"] = "from-nothing.12"
    assert expanded(page.run()) == {"What is a token?"}
