"""The panel of one's own numbers: several matrices at once, all of them or none."""

import re
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.attention.examples.presets import PRESETS
from core.attention.given.matrix_set import HIDDEN
from core.program.labels import place_names
from core.program.trace import Trace
from tests.core.attention.given.test_matrix_set import EXERCISE
from tests.quotes import proves
from tests.sampling import paired, some, three
from tests.ui.support import changed, opened

PASTED = "\n".join(f"{name} = {rows}" for name, rows in EXERCISE.items())


def panel(**query: str) -> AppTest:
    return changed(opened("walkthrough", **query), numbers_panel=True, edit_panel=True)


def pasted(page: AppTest, text: str) -> AppTest:
    if not page.session_state.numbers_panel:  # its label is another where all numbers are own
        changed(page, numbers_panel=True)
    return taken(typed(page, text))


def typed(page: AppTest, text: str) -> AppTest:
    return page.text_area(key="edit_text").set_value(text).run()


def taken(page: AppTest) -> AppTest:
    """The page after what was typed, or uploaded, is used or refused."""
    page.button(key="edit_take").click().run()
    assert not page.exception
    return page


def understood(page: AppTest) -> str:
    (table,) = [m.value for m in page.markdown if m.value.startswith("| Matrix")]
    return str(table).replace("\u00a0", " ")


def trace(page: AppTest) -> Trace:
    return page.session_state.good.trace


@pytest.mark.parametrize("query", [{}, {"preset": "P1"}, {"text": "a b c", "heads": "4"}])
def test_an_exercise_comes_in_by_one_paste(query: dict[str, str]) -> None:
    page = panel(**query, mask="none", scale="off")
    before = trace(page)
    typed(page, PASTED)
    assert trace(page) is before, "it is shown before it is used"
    assert "| 3 × 4 | your numbers |" in understood(page)
    assert "| 3 × 3 | identity: none was given |" in understood(page)
    assert not taken(page).error
    assert trace(page)["scores"][0].tolist() == [[2, 4, 4], [4, 16, 12], [4, 12, 10]]
    assert np.round(trace(page)["context"][0, 0], 3).tolist() == [1.937, 6.683, 1.595]
    assert page.session_state.heads == 1
    labels = [block.proto.popover.label for block in page.get("popover")]
    assert "Numbers:small[: your own]" in labels
    again(page)


GIVEN = {
    "all from X on": PASTED,
    "Q, K and V": "Q = [[1, 0], [0, 1]]\nK = [[1, 1], [0, 2]]\nV = [[1, 2], [3, 4]]",
    "weights": "weights = [[1, 0], [0.5, 0.5]]\nV = [[1, 2], [3, 4]]",
}


@pytest.mark.parametrize(
    ("given", "query"), paired(list(GIVEN), [{"text": "a b"}, {"preset": "P1"}])
)
def test_own_numbers_are_not_called_random_or_by_hand(given: str, query: dict[str, str]) -> None:
    page = changed(pasted(panel(**query), GIVEN[given]), numbers_panel=True, edit_panel=True)
    assert not {"X", "W_Q", "W_O"} & set(trace(page)) - set(page.session_state.edits)
    labels = [block.proto.popover.label for block in page.get("popover")]
    assert "Numbers:small[: your own]" in labels
    (source,) = [c for c in page.segmented_control if c.label == "Numbers"]
    assert source.value == "your own"
    notes = [m.value for m in page.markdown if re.search("random|chosen for it", m.value)]
    assert notes == []
    assert any(m.value == "All numbers are your own." for m in page.markdown)
    source.set_value("random").run()
    assert not page.exception
    assert not page.session_state.edits
    assert not page.session_state.preset
    assert any("are random unless" in m.value for m in page.markdown)


@pytest.mark.parametrize("order", some(["X Q K V", "V K Q X", "K X V Q"], 3, 1))
def test_its_matrices_come_in_one_by_one_in_any_order(order: str) -> None:
    page = panel(mask="none", scale="off")
    for letter in order.split():
        name = "X" if letter == "X" else f"W_{letter}"
        pasted(page, f"{name} = {EXERCISE[name]}")
    assert trace(page)["scores"][0].tolist() == [[2, 4, 4], [4, 16, 12], [4, 12, 10]]


def test_a_matrix_of_a_usual_name_goes_to_its_own_place() -> None:
    """Whatever is chosen for matrices without a name."""
    page = typed(panel(text="a b", heads="1", d_model="2"), "[[1, 2], [3, 4]]")
    page.selectbox(key="edit_name").set_value("W_O").run()
    pasted(page, "w_q = np.array([[5, 6], [7, 8]])")
    assert trace(page)["W_Q"][0].tolist() == [[5, 6], [7, 8]]
    pasted(page, "[[1, 2], [3, 4]]")
    assert trace(page)["W_O"].tolist() == [[1, 2], [3, 4]]


def test_a_number_of_heads_that_does_not_fit_can_be_changed_again() -> None:
    page = typed(panel(mask="none", scale="off"), PASTED)
    page.number_input(key="edit_heads").set_value(2).run()
    assert "shared by 2 heads" in page.error[0].value
    page.number_input(key="edit_heads").set_value(3).run()
    assert not page.error
    assert trace(taken(page))["W_Q"].shape == (3, 4, 1)


def again(page: AppTest) -> AppTest:
    """The page of its link, opened anew, which shows the same."""
    fresh = opened("walkthrough", **dict(page.query_params))
    same_run(fresh, trace(page))
    return fresh


def same_run(page: AppTest, run: Trace) -> None:
    """The page takes all that it was given, and its run is this one."""
    assert not page.error
    assert trace(page).program.names == run.program.names
    for name, array in run.items():
        np.testing.assert_array_equal(trace(page)[name], array)
    for letter in run.sizes:
        assert place_names(trace(page), letter) == place_names(run, letter)


SQUARES = "Q = [[1,2],[3,4],[5,6]]\nK = [[1,2],[3,4],[5,6]]\nV = [[1,2],[3,4],[5,6]]"
SQUARE, MASK = [[1, 2], [3, 4], [5, 6]], [[1, 0, 0], [1, 1, 0], [1, 0, 1]]
AB, ABC, ONE_HEAD = {"text": "a b"}, {"text": "a b c"}, {"text": "a b", "heads": "1"}
TAKEN: list[tuple[dict[str, str], str, dict[str, Any]]] = [
    (ABC, f"attn_mask = {MASK}", {"mask": MASK}),
    (ABC, "attn_mask = [[0, -inf, -inf], [0, 0, -inf], [0, -1e9, 0]]", {"mask": MASK}),
    (ABC, "attn_mask = [True, True, False]", {"mask": [[1, 1, 0]] * 3}),
    (ABC, f"attn_mask = {[MASK, [[1] * 3] * 3]}", {"mask": [MASK, [[1] * 3] * 3]}),
    (ABC, f"causal_mask = {MASK}", {"mask": MASK}),
    (ABC, "key_padding_mask = [[True, False, False]]", {"mask": [[0, 1, 1]] * 3}),
    (AB | {"mask": "none"}, "attn_bias = [[0, -inf], [0, 0]]", {"mask": [[1, 0], [1, 1]]}),
    (ONE_HEAD, "attn_scores = [[1, 2], [3, 4]]", {"scores": [[[1, 2], [3, 4]]]}),
    (ONE_HEAD | {"d_model": "2"}, "b_q = [0.5, -1]\nb_O = [1, 2]",
     {"b_Q": [[0.5, -1]], "b_O": [1, 2]}),
    ({"mask": "none"}, f"X = [[1,2,3],[3,4,5],[6,7,8]]\n{SQUARES}",
     {"Q": [SQUARE], "V": [SQUARE], "X": [[1, 2, 3], [3, 4, 5], [6, 7, 8]]}),
    ({}, "attention_weights = [[1, 0], [0.25, 0.75]]", {"weights": [[[1, 0], [0.25, 0.75]]]}),
    ({}, "weights = [[1, 0], [0.25, 0.75]]\nV = [[4, 0], [0, 8]]", {"context": [[[4, 0], [1, 6]]]}),
]  # fmt: skip
"""A link, what is pasted there, and what then is in the run."""


@pytest.mark.parametrize(("query", "text", "made"), TAKEN)
def test_usual_forms_are_understood(query: dict[str, str], text: str, made: dict[str, Any]) -> None:
    page = pasted(panel(**query), text)
    assert not page.error
    for name, numbers in made.items():
        np.testing.assert_array_equal(trace(page)[name], numbers, err_msg=name)
    assert page.session_state.mask == ("custom" if "mask" in made else query.get("mask", "causal"))
    again(page)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("| | a | b |\n|---|---|---|\n| red | 1 | 0 |\n| hat | 0.4 | 0.6 |", ("red", "hat")),
        (",q,r\n[CLS],1,0\n##er,0.4,0.6\n", ("[CLS]", "##er")),
        ('["[CLS]", "trans", "##former"]', ("[CLS]", "trans", "##former")),
    ],
)
def test_labels_of_rows_and_tokens_alone_name_the_rows(text: str, tokens: tuple[str, ...]) -> None:
    page = pasted(panel(), text)
    assert trace(page).tokens == tokens
    assert len(trace(page)["X"]) == len(tokens)
    again(page)


REFUSED = [
    ("", "", ""),
    ("", f"{PASTED}\nW_O = [[1, 2]]", "W_O"),
    ("", 'tokens = ["a","b","c"]\nX = [[1,2],[3,4]]', "3 tokens"),
    ("", "x1 = [[1]]\nx2 = [[2]]", "x1, x2"),
    (SQUARES, "W_Q = [[1, 0], [0, 1]]", "W_Q would change nothing"),
    (SQUARES, "b_K = [[1, 0]]", "would change nothing"),
    ("weights = [[1, 0], [0.5, 0.5]]", "X = [[1, 0], [0, 1]]", "X would change nothing"),
    ("weights = [[1, 0], [0.5, 0.5]]", "weights = [[1, 0], [2, 0]]", "2"),
    (f"{PASTED}\nmask = {MASK}", "X = [[1,0,0,0],[0,1,0,0]]", "mask"),
]


@pytest.mark.parametrize(("there", "text", "why"), REFUSED)
def test_what_cannot_be_taken_changes_nothing_and_is_said(there: str, text: str, why: str) -> None:
    page = pasted(panel(scale="off"), there) if there else panel()
    before = trace(page)
    pasted(page, text)
    (error,) = page.error
    assert why in error.value.replace("\\", "")
    assert trace(page) is before
    assert page.text_area(key="edit_text").value == text


SAID = [
    ("X = [[1, 2], [3, 4]]", "random: none was given"),
    (f"{PASTED}\nscores = [[9, 9, 9]]", "not used"),
    (PASTED.replace(f"W_K = {EXERCISE['W_K']}", "W_K = np.eye(4)[:, :3]"),
     "| not read: it would have to be computed |"),
    ("X = [[1,2],[3,4]]\nweights = [[1,0],[0.5,0.5]]\nV = [[1,2],[3,4]]",
     "| X | 2 × 2 | not used: the run starts after it |"),
    (f"{SQUARES}\noutput = {SQUARE}", "| output | – | not used: it follows from the others |"),
    (f"{SQUARES}\nW_Q = [[1, 0], [0, 1]]", "not used: the run starts after it"),
    (f"{SQUARES}\nb_Q = [[1, 0]]", "not used: the run starts after it"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "told"), SAID)
def test_what_is_not_used_is_said_before_it_is_not(text: str, told: str) -> None:
    page = typed(panel(), text)
    assert told in understood(page)
    if "not used" in told:
        taken(page)
        left_out = {"X", "W_Q", "b_Q"} if SQUARES in text or "weights" in text else set()
        assert not left_out & set(trace(page))
        assert "scores" not in trace(page) or 9 not in trace(page)["scores"]


def test_a_mask_over_the_example_leaves_the_example() -> None:
    page = panel()
    rows = np.tril(np.ones((6, 6), int))
    rows[5, 1] = 0
    pasted(page, f"mask = {rows.tolist()}")
    assert page.session_state.preset == "river-bank"
    assert trace(page)["weights"][0, 5, 1] == 0
    again(page)


@proves("In the mask 1 and True mean: the query")
def test_one_may_mean_hidden_and_the_mask_can_be_inverted() -> None:
    page = panel(text="a b c")
    triangle = [[0, 1, 1], [0, 0, 1], [0, 0, 0]]
    typed(page, f"mask = {triangle}")
    assert "two ways" in page.error[0].value
    next(c for c in page.segmented_control if "1 and True" in c.label).set_value(HIDDEN).run()
    assert not page.error
    taken(page)
    assert page.session_state.mask == "causal", "it is the rule's own"
    pasted(page, "mask = [[1,0,1],[1,1,0],[1,0,1]]")
    made = trace(page)["mask"].astype(int).tolist()
    assert made == [[1, 0, 1], [1, 1, 0], [1, 0, 1]], "each mask is asked about anew"


def test_a_drawn_mask_can_be_inverted() -> None:
    page = pasted(panel(text="a b c"), "mask = [[1, 0, 1], [1, 1, 0], [1, 0, 0]]")
    page.button(key="edit_invert").click().run()
    assert trace(page)["mask"].astype(int).tolist() == [[0, 1, 0], [0, 0, 1], [0, 1, 1]]


def test_numbers_of_a_mask_that_hide_nothing_are_a_step_of_their_own() -> None:
    page = pasted(panel(text="a b", scale="off"), "attn_mask = [[0, -0.5], [0.25, 0]]")
    made = trace(page)
    np.testing.assert_array_equal(made["biased"], made["scaled"] + [[0, -0.5], [0.25, 0]])
    assert page.session_state.mask == "none"
    again(page)
    kept = pasted(panel(text="a b", scale="off"), "position_bias = [[0, -0.5], [0.25, 0]]")
    assert kept.session_state.mask == "causal"
    assert trace(kept)["weights"][0, 0].tolist() == [1, 0]


@pytest.mark.parametrize("preset", three(list(PRESETS)))
def test_biases_lie_on_top_of_an_example(preset: str) -> None:
    page = panel(preset=preset)
    heads, T, S = trace(page)["weights"].shape
    d_k = trace(page)["Q"].shape[-1]
    bias = np.arange(T * S).reshape(T, S) / 8
    pasted(page, f"position_bias = {bias.tolist()}\nb_Q = {np.ones((heads, d_k)).tolist()}")
    assert not page.error
    assert not page.exception
    assert page.session_state.preset == preset
    np.testing.assert_array_equal(trace(page)["biased"], trace(page)["scaled"] + bias)
    again(page)


@pytest.mark.parametrize("text", ["foo = [[1, 2], [3, 4]]", "Output:\n[[1 2]\n [3 4]]"])
def test_a_name_that_says_nothing_is_asked_about(text: str) -> None:
    page = typed(panel(text="a b", d_model="2", heads="1"), text)
    assert "says nothing here" in page.error[0].value
    page.selectbox(key="edit_named").set_value("W_O").run()
    assert trace(taken(page))["W_O"].tolist() == [[1, 2], [3, 4]]


def test_other_values_take_the_identity_with_them() -> None:
    page = pasted(panel(mask="none", scale="off"), PASTED)
    pasted(page, "W_V = [[1,0],[0,1],[1,1],[0,0]]")
    assert not page.error
    assert trace(page)["W_O"].tolist() == [[1, 0], [0, 1]]


def test_the_way_back_from_a_whole_set_is_the_example() -> None:
    page = pasted(panel(), PASTED)
    assert not page.session_state.undo
    assert list(page.session_state.good.family.toggle["heads"].options) == ["1"]


def test_a_sentence_beside_own_vectors_is_said_to_do_nothing() -> None:
    page = pasted(panel(), SQUARES)
    assert any("not from the sentence" in m.value for m in page.markdown)
