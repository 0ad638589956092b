"""The chapter on merging: what its page shows, and what follows from its controls and links."""

from functools import partial
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.attention.chosen_token import LAST_TOKEN
from core.attention.setups import DEFAULT_TEXT
from tests.sampling import paired, some
from tests.ui import support
from tests.ui.support import changed, prose, refused, stage, stages, told, untouched, warned

HALVES, NINE = "((1 2) (3 4))", "a b c d e f g h i"
opened = partial(support.opened_by, "recursive_attention")


def board(page: AppTest) -> dict[str, Any]:
    """What the tree is told."""
    [[shown]] = told(page, "key_trees")
    return dict(shown)


def test_the_untouched_page_shows_the_worked_example() -> None:
    page = untouched("recursive_attention")
    assert board(page)["forest"] == HALVES
    assert board(page)["nodes"]["(1 2)"] == {
        "name": "12", "s": "1.10", "v": "16.67", "spoken": "score 1.10, value 16.67",
    }  # fmt: skip
    assert [shown.step for shown in stages(page)] == ["v_1234", "merged"]
    assert "would be 26.19" in prose(page)


def test_shapes_that_are_the_same_are_offered_once() -> None:
    shapes = board(untouched("recursive_attention"))["shapes"]
    assert len({text for _, text in shapes}) == len(shapes) == 5
    assert len(board(opened(**{"from": "sentence"}))["shapes"]) == 6


@pytest.mark.parametrize(
    ("tree", "keys"), [("(((1 2) 3) 4)", "1234"), ("((1 2) (2 3 4))", "12234"), ("(1 2) 3 4", "12")]
)
def test_a_tree_of_a_link_is_on_the_board_and_on_the_stage(tree: str, keys: str) -> None:
    page = opened(tree=tree)
    assert board(page)["forest"].startswith(tree)
    arrays = stage(page).document["arrays"]
    assert f"v_{keys}" in arrays
    assert ("difference" in arrays) == (tree != "(1 2) 3 4")
    assert dict(page.query_params) == {"pieces_tree": tree}


@pytest.mark.parametrize(
    ("tree", "said"),
    [
        ("((1 2", "made of key numbers and brackets"), ("9", "there are 8: take 1 to 8"),
        ("(1 7)", "there are 4: take 1 to 4"), ("1 " * 20, "at most 16"), ("(" * 4000, "made of"),
    ],
)  # fmt: skip
def test_a_tree_that_makes_no_sense_is_replaced_and_said(tree: str, said: str) -> None:
    page = opened(tree=tree)
    assert any(said in warning for warning in warned(page))
    assert board(page)["forest"] == HALVES
    assert dict(page.query_params) == {}


def test_another_source_and_another_sentence_begin_with_a_tree_of_their_own() -> None:
    page = opened(tree="(((1 2) 3) 4)")
    page.segmented_control(key="pieces_from").set_value("sentence").run()
    assert board(page)["forest"] == "((1 2 3) (4 5 6))"
    assert board(page)["labels"] == ["The", "cat", "sat", "on", "the", "mat"]
    page = opened(**{"from": "sentence", "tree": "(1 2)", "query": "3"})
    page.text_input(key="pieces_text").set_value("red green blue").run()
    assert not page.error
    assert board(page)["forest"] == "((1 2) 3)"
    assert page.session_state["pieces_query"] == LAST_TOKEN


def test_too_long_a_sentence_leaves_the_last_one_and_says_what_to_do() -> None:
    page = opened(**{"from": "sentence"})
    page.text_input(key="pieces_text").set_value(NINE).run()
    (error,) = refused(page)
    assert "The sentence has 9 tokens; the limit here is 8: shorten it" in error
    assert board(page)["labels"][1] == "cat"
    assert any("9 tokens" in said for said in warned(opened(text=NINE)))


@pytest.mark.parametrize(
    ("brought", "kept"), [("a b c d e f g h i", DEFAULT_TEXT), ("red green", "red green")]
)
def test_a_long_sentence_of_another_page_is_not_brought_along(brought: str, kept: str) -> None:
    page = support.arriving("recursive_attention", brought)
    assert not page.error
    assert page.session_state.pieces_text == kept


@pytest.mark.parametrize(
    "nonsense", some(["((1", "9", 7, None, ["(1 2)"], {"a": 1}, "(1 2)" * 3000], 2)
)
def test_what_a_browser_may_send_as_a_tree_never_breaks_the_page(nonsense: Any) -> None:
    page = opened()
    sent = {"visit": page.session_state["visit"], "number": 1, "forest": nonsense}
    changed(page, pieces_board={"tree": sent})
    assert not page.error


def test_chosen_tokens_beyond_the_sentence_are_refused() -> None:
    page = opened(text="red green", query="5", **{"from": "sentence"})
    assert any("Token '5' is not there" in said for said in warned(page))
    page = opened(text="red green", asks="ten", part="split")
    assert any("'ten'; it must be last, or a number" in said for said in warned(page))


@pytest.mark.parametrize(
    ("part", "text"),
    paired(
        ["stream", "tiles", "split", "ring", "shared"],
        ["cat", "red green", "a b c d e f g h", "我们 😀 <b>x</b>"],
    ),
)
def test_every_part_takes_every_sentence(part: str, text: str) -> None:
    page = opened(part=part, text=text, **{"from": "sentence"})
    assert refused(page) == []
    assert len(stages(page)) == 2


def test_a_step_that_another_choice_has_not_is_replaced() -> None:
    page = opened(part="tiles", tiles_step="o_33", height="3")
    assert stages(page)[1].step == "merged"
    page = opened(step="v_12", tree="(((3 4) 1) 2)")
    assert stage(page).step == "v_1234"
