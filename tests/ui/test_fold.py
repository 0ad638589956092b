"""A named fold is closed at first, open where the link speaks of what it holds, and stays so."""

from streamlit.testing.v1 import AppTest

from tests.ui.support import opened


def open_folds(page: AppTest) -> list[str]:
    return [fold.label for fold in page.expander if fold.proto.expanded and fold.label != "In code"]


def test_a_fold_is_closed_at_first_and_open_where_the_link_speaks_of_it() -> None:
    assert open_folds(opened("heads")) == []
    assert open_folds(opened("heads", heads_part="split")) == ["How heads share, split and join"]
    assert open_folds(opened("heads", heads_hand_head="2")) == ["Two heads made by hand"]


def test_what_a_person_does_in_a_fold_neither_opens_nor_closes_it() -> None:
    page = opened("heads")
    page.session_state["heads_part"] = "join"
    assert open_folds(page.run()) == []


def test_a_scene_that_comes_later_opens_the_fold_that_it_speaks_of() -> None:
    page = opened("heads")
    page.session_state["heads_part"] = "join"
    page.session_state["come"] = 1
    assert open_folds(page.run()) == ["How heads share, split and join"]
