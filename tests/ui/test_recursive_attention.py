"""The chapter on merging: what its page shows, and what follows from its controls and links."""

import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.attention.chosen_token import LAST
from tests.sampling import paired
from tests.ui.support import opened as opened_page
from tests.ui.support import prose, stage, stages

HALVES = "((1 2) (3 4))"


def opened(**link: str) -> AppTest:
    return opened_page("recursive_attention", **{f"pieces_{k}": v for k, v in link.items()})


def board(page: AppTest) -> dict[str, Any]:
    """What the tree is told."""
    for made in page.get("bidi_component"):
        if '"shapes"' in made.proto.json:
            return dict(json.loads(made.proto.json)[0])
    raise AssertionError("no board")


def put(page: AppTest, forest: str, number: int = 1) -> AppTest:
    """As if somebody had put the pieces together so."""
    page.session_state["pieces_board"] = {
        "tree": {"visit": page.session_state["visit"], "number": number, "forest": forest}
    }
    return page.run()


def test_the_untouched_page_shows_the_worked_example() -> None:
    page = opened()
    told = board(page)
    assert told["forest"] == HALVES
    assert told["nodes"]["(1 2)"] == {
        "name": "12", "s": "1.10", "v": "16.67", "spoken": "score 1.10, value 16.67",
    }  # fmt: skip
    main, streaming = stages(page)
    assert main.step == "v_1234"
    assert streaming.step == "merged"
    assert "would be 26.19" in prose(page)
    assert not page.error
    assert not page.warning
    assert dict(page.query_params) == {}


def test_shapes_that_are_the_same_are_offered_once() -> None:
    told = board(opened())
    assert len({text for _, text in told["shapes"]}) == len(told["shapes"]) == 5
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
        ("(1 7)", "there are 4: take 1 to 4"), ("<script>", "made of"), ("1 " * 20, "at most 16"),
        ("(" * 4000, "made of"),
    ],
)  # fmt: skip
def test_a_tree_that_makes_no_sense_is_replaced_and_said(tree: str, said: str) -> None:
    page = opened(tree=tree)
    assert any(said in warning.value.replace("\\", "") for warning in page.warning)
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
    assert page.session_state["pieces_query"] == LAST


def test_too_long_a_sentence_leaves_the_last_one_and_says_what_to_do() -> None:
    page = opened(**{"from": "sentence"})
    page.text_input(key="pieces_text").set_value("a b c d e f g h i").run()
    (error,) = page.error
    assert "The sentence has 9 tokens; the limit here is 8: shorten it" in error.value.replace(
        "\\", ""
    )
    assert board(page)["labels"][1] == "cat"
    page = opened(text="a b c d e f g h i")
    assert any("9 tokens" in warning.value for warning in page.warning)


def test_a_long_sentence_of_another_page_is_not_brought_along() -> None:
    page = opened()
    page.session_state["brought"] = {"sentence": "a b c d e f g h i"}
    page.session_state["page"] = "walkthrough"
    page.run()
    assert not page.error
    assert page.session_state["pieces_text"] == "The cat sat on the mat"
    page.session_state["brought"] = {"sentence": "red green"}
    page.session_state["page"] = "walkthrough"
    page.run()
    assert page.session_state["pieces_text"] == "red green"


@pytest.mark.parametrize("nonsense", ["", "((1", "9", 7, None, ["(1 2)"], {"a": 1}, "(1 2)" * 3000])
def test_what_a_browser_may_send_as_a_tree_never_breaks_the_page(nonsense: Any) -> None:
    page = put(opened(), nonsense)
    assert not page.exception
    assert not page.error


def test_chosen_tokens_beyond_the_sentence_are_refused() -> None:
    page = opened(text="red green", query="5", **{"from": "sentence"})
    assert any("Token '5' is not there" in w.value.replace("\\", "") for w in page.warning)
    page = opened(text="red green", asks="ten", part="split")
    assert any(
        "'ten'; it must be last, or a number" in w.value.replace("\\", "") for w in page.warning
    )


@pytest.mark.parametrize(
    ("part", "text"),
    paired(
        ["stream", "tiles", "split", "ring", "shared"],
        ["cat", "red green", "a b c d e f g h", "我们 😀 <b>x</b>"],
    ),
)
def test_every_part_takes_every_sentence(part: str, text: str) -> None:
    page = opened(part=part, text=text, **{"from": "sentence"})
    assert not page.exception
    assert not page.error
    assert len(stages(page)) == 2


def test_a_step_that_another_choice_has_not_is_replaced() -> None:
    page = opened(part="tiles", tiles_step="o_33", height="3")
    assert stages(page)[1].step == "merged"
    page = opened(step="v_12", tree="(((3 4) 1) 2)")
    assert stage(page).step == "v_1234"
    page = opened(step="weights_9")
    assert any("there is no such choice" in w.value for w in page.warning)
