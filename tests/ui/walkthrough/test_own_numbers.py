"""The panel of one's own numbers: several matrices at once, all of them or none."""

import re
from typing import Any

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest
from torch.nn.functional import scaled_dot_product_attention

from core.attention.matrix_set import HIDDEN
from core.attention.presets import PRESETS
from core.program.labels import place_names
from tests.core.attention.test_matrix_set import EXERCISE
from tests.sampling import paired, some, three
from tests.ui.support import opened

PASTED = "\n".join(f"{name} = {rows}" for name, rows in EXERCISE.items())


def panel(**query: str) -> AppTest:
    page = opened("walkthrough", **query)
    page.session_state.numbers_panel = page.session_state.edit_panel = True
    return page.run()


def pasted(page: AppTest, text: str) -> AppTest:
    if not page.session_state.numbers_panel:  # its label is another where all numbers are own
        page.session_state.numbers_panel = True
        page.run()
    page.text_area(key="edit_text").set_value(text).run()
    page.button(key="edit_take").click().run()
    assert not page.exception
    return page


def ones(page: AppTest) -> Any:
    """The control that says what 1 means in a mask."""
    return next(c for c in page.segmented_control if "1 and True" in c.label)


def understood(page: AppTest) -> str:
    (table,) = [m.value for m in page.markdown if m.value.startswith("| Matrix")]
    return str(table).replace("\u00a0", " ")


def trace(page: AppTest) -> Any:
    return page.session_state.good.trace


@pytest.mark.parametrize("query", [{}, {"preset": "P1"}, {"text": "a b c", "heads": "4"}])
def test_an_exercise_comes_in_by_one_paste(query: dict[str, str]) -> None:
    page = panel(**query, mask="none", scale="off")
    before = trace(page)
    page.text_area(key="edit_text").set_value(PASTED).run()
    assert trace(page) is before, "it is shown before it is used"
    assert "| 3 × 4 | your numbers |" in understood(page)
    assert "| 3 × 3 | identity: none was given |" in understood(page)
    page.button(key="edit_take").click().run()
    assert not page.exception
    assert not page.error
    assert trace(page)["scores"][0].tolist() == [[2, 4, 4], [4, 16, 12], [4, 12, 10]]
    assert np.round(trace(page)["context"][0, 0], 3).tolist() == [1.937, 6.683, 1.595]
    assert page.session_state.heads == 1
    labels = [block.proto.popover.label for block in page.get("popover")]
    assert "Numbers:small[: your own]" in labels
    again = opened("walkthrough", **dict(page.query_params))
    for name, array in trace(page).items():
        np.testing.assert_array_equal(trace(again)[name], array)


GIVEN = {
    "all from X on": PASTED,
    "Q, K and V": "Q = [[1, 0], [0, 1]]\nK = [[1, 1], [0, 2]]\nV = [[1, 2], [3, 4]]",
    "weights": "weights = [[1, 0], [0.5, 0.5]]\nV = [[1, 2], [3, 4]]",
}


@pytest.mark.parametrize(
    ("given", "query"), paired(list(GIVEN), [{"text": "a b"}, {"preset": "P1"}])
)
def test_nothing_is_called_random_or_made_by_hand_if_all_is_ones_own(
    given: str, query: dict[str, str]
) -> None:
    page = pasted(panel(**query), GIVEN[given])
    page.session_state.numbers_panel = page.session_state.edit_panel = True
    page.run()
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


def test_what_does_not_fit_changes_nothing_and_says_why_beside_the_box() -> None:
    page = panel()
    before = trace(page)
    pasted(page, f"{PASTED}\nW_O = [[1, 2]]")
    assert len(page.error) == 1
    assert "W_O" in page.error[0].value.replace("\\", "")
    assert trace(page) is before
    assert "W_O = [[1, 2]]" in str(page.text_area(key="edit_text").value)


def test_an_empty_box_says_what_is_missing() -> None:
    page = panel()
    page.button(key="edit_take").click().run()
    assert len(page.error) == 1


def test_a_matrix_of_a_usual_name_goes_to_its_own_place() -> None:
    """Whatever is chosen for matrices without a name."""
    page = panel(text="a b", heads="1", d_model="2")
    page.text_area(key="edit_text").set_value("[[1, 2], [3, 4]]").run()
    page.selectbox(key="edit_name").set_value("W_O").run()
    pasted(page, "w_q = np.array([[5, 6], [7, 8]])")
    assert trace(page)["W_Q"][0].tolist() == [[5, 6], [7, 8]]
    pasted(page, "[[1, 2], [3, 4]]")
    assert trace(page)["W_O"].tolist() == [[1, 2], [3, 4]]


def test_weights_of_heads_side_by_side_are_cut() -> None:
    rng = np.random.default_rng(0)
    arrays = {f"W_{n}": rng.integers(-3, 4, (8, 8)) for n in "QKVO"}
    arrays["X"] = rng.integers(-3, 4, (5, 8))
    page = panel()
    page.text_area(key="edit_text").set_value(
        "\n".join(f"{name} = {array.tolist()}" for name, array in arrays.items())
    ).run()
    page.number_input(key="edit_heads").set_value(2).run()
    page.button(key="edit_take").click().run()
    assert trace(page)["W_Q"].shape == (2, 8, 4)
    np.testing.assert_array_equal(np.hstack(list(trace(page)["W_Q"])), arrays["W_Q"])


def test_labels_of_rows_become_the_tokens() -> None:
    page = panel()
    pasted(page, "| | a | b |\n|---|---|---|\n| red | 1 | 0 |\n| hat | 0.4 | 0.6 |")
    assert trace(page).tokens == ("red", "hat")


def test_a_number_of_heads_that_does_not_fit_can_be_changed_again() -> None:
    page = panel(mask="none", scale="off")
    page.text_area(key="edit_text").set_value(PASTED).run()
    page.number_input(key="edit_heads").set_value(2).run()
    assert "shared by 2 heads" in page.error[0].value
    page.number_input(key="edit_heads").set_value(3).run()
    assert not page.error
    page.button(key="edit_take").click().run()
    assert trace(page)["W_Q"].shape == (3, 4, 1)


VECTORS = (
    "Q = [[1, 0], [0, 1]]\nK = [[1, 0], [0, 1], [1, 1], [2, 0], [0, 2]]\n"
    "V = [[1, 2], [3, 4], [5, 6], [7, 8], [9, 10]]\n"
)


def again(page: AppTest) -> AppTest:
    """The page of its link, opened anew, which shows the same."""
    fresh = opened("walkthrough", **dict(page.query_params))
    assert not fresh.error
    assert trace(fresh).program.names == trace(page).program.names
    for name, array in trace(page).items():
        np.testing.assert_array_equal(trace(fresh)[name], array)
    for letter in trace(page).sizes:
        assert place_names(trace(fresh), letter) == place_names(trace(page), letter)
    return fresh


def test_vectors_of_a_cross_attention_begin_there_with_the_tokens_of_both() -> None:
    tokens = 'tokens = ["le", "chat"]\nkey_tokens = ["the", "cat", "##s", "[SEP]", "\\n"]'
    page = pasted(panel(mask="none"), VECTORS + tokens)
    made = trace(page)
    assert set(made) >= {"Q", "K", "V", "W_O", "output"}
    assert "X" not in made
    Q, K, V = (torch.tensor(made[name]) for name in "QKV")
    expected = scaled_dot_product_attention(Q, K, V).numpy()
    np.testing.assert_allclose(made["context"], expected, atol=1e-12)
    np.testing.assert_array_equal(made["output"], made["concat"])
    assert list(place_names(made, "i")) == ["le", "chat"]
    assert list(place_names(made, "j"))[2:4] == ["##s", "[SEP]"]
    again(page)


def test_weights_alone_are_a_start_and_values_follow() -> None:
    page = pasted(panel(), "attention_weights = [[1, 0], [0.25, 0.75]]")
    assert set(trace(page)) == {"weights"}
    assert not page.exception
    again(page)
    pasted(page, "V = [[4, 0], [0, 8]]")
    assert trace(page)["context"].tolist() == [[[4, 0], [1, 6]]]
    again(page)
    pasted(page, "weights = [[1, 0], [2, 0]]")
    assert "2" in page.error[0].value
    assert trace(page)["context"].tolist() == [[[4, 0], [1, 6]]]


def test_biases_come_with_joined_weights_of_two_heads() -> None:
    torch.manual_seed(0)
    layer = torch.nn.MultiheadAttention(8, 2, batch_first=True, dtype=torch.float64)
    torch.nn.init.normal_(layer.in_proj_bias)
    torch.nn.init.normal_(layer.out_proj.bias)
    X = torch.randn(5, 8, dtype=torch.float64)
    weights, biases = layer.in_proj_weight.chunk(3), layer.in_proj_bias.chunk(3)
    given = {f"W_{n}": w.T for n, w in zip("QKV", weights, strict=True)}
    given |= {f"b_{n}": b for n, b in zip("QKV", biases, strict=True)}
    given |= {"W_O": layer.out_proj.weight.T, "b_O": layer.out_proj.bias, "X": X}
    page = panel(mask="none")
    page.text_area(key="edit_text").set_value(
        "\n".join(f"{name} = {array.tolist()}" for name, array in given.items())
    ).run()
    page.number_input(key="edit_heads").set_value(2).run()
    page.button(key="edit_take").click().run()
    assert not page.error
    expected = layer(X[None], X[None], X[None], need_weights=False)[0][0]
    np.testing.assert_allclose(trace(page)["output"], expected.detach().numpy(), atol=1e-12)


def test_biases_travel_in_the_link() -> None:
    page = pasted(panel(text="a b", heads="1", d_model="2"), "b_q = [0.5, -1]\nb_O = [1, 2]")
    assert trace(page)["b_Q"].tolist() == [[0.5, -1]]
    again(page)


MASKS = {
    "[[1, 0, 0], [1, 1, 0], [1, 0, 1]]": [[1, 0, 0], [1, 1, 0], [1, 0, 1]],
    "[[0, -inf, -inf], [0, 0, -inf], [0, -1e9, 0]]": [[1, 0, 0], [1, 1, 0], [1, 0, 1]],
    "[True, True, False]": [[1, 1, 0]] * 3,
    "[[[1, 0, 0], [1, 1, 0], [1, 0, 1]], [[1, 1, 1], [1, 1, 1], [1, 1, 1]]]": [
        [[1, 0, 0], [1, 1, 0], [1, 0, 1]],
        [[1, 1, 1]] * 3,
    ],
}


@pytest.mark.parametrize("text", MASKS)
def test_masks_in_their_usual_forms(text: str) -> None:
    page = pasted(panel(text="a b c"), f"attn_mask = {text}")
    assert not page.error
    assert page.session_state.mask == "custom"
    assert trace(page)["mask"].astype(int).tolist() == MASKS[text]
    again(page)


def test_a_mask_over_the_example_leaves_the_example() -> None:
    page = panel()
    rows = np.tril(np.ones((6, 6), int))
    rows[5, 1] = 0
    pasted(page, f"mask = {rows.tolist()}")
    assert page.session_state.preset == "river-bank"
    assert trace(page)["weights"][0, 5, 1] == 0
    again(page)


def test_one_may_mean_hidden_and_the_mask_can_be_inverted() -> None:
    page = panel(text="a b c")
    triangle = [[0, 1, 1], [0, 0, 1], [0, 0, 0]]
    page.text_area(key="edit_text").set_value(f"mask = {triangle}").run()
    assert "two ways" in page.error[0].value
    ones(page).set_value(HIDDEN).run()
    assert not page.error
    page.button(key="edit_take").click().run()
    assert page.session_state.mask == "causal", "it is the rule's own"
    pasted(page, "mask = [[1, 0, 1], [1, 1, 0], [1, 0, 0]]")


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


def test_tokens_alone_name_the_rows_and_draw_them() -> None:
    page = pasted(panel(), '["[CLS]", "trans", "##former"]')
    assert trace(page).tokens == ("[CLS]", "trans", "##former")
    assert trace(page)["X"].shape[0] == 3
    again(page)


def test_labels_that_are_no_words_become_tokens_too() -> None:
    page = pasted(panel(), ",q,r\n[CLS],1,0\n##er,0.4,0.6\n")
    assert trace(page).tokens == ("[CLS]", "##er")
    again(page)


def test_results_beside_the_inputs_are_not_used_and_that_is_said() -> None:
    page = panel(mask="none", scale="off")
    page.text_area(key="edit_text").set_value(f"{PASTED}\nscores = [[9, 9, 9]]").run()
    assert "not used" in understood(page)
    page.button(key="edit_take").click().run()
    assert trace(page)["scores"][0, 0].tolist() == [2, 4, 4]


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


def test_what_would_have_to_be_computed_is_said() -> None:
    page = panel(mask="none", scale="off")
    text = PASTED.replace(f"W_K = {EXERCISE['W_K']}", "W_K = np.eye(4)[:, :3]")
    page.text_area(key="edit_text").set_value(text).run()
    assert "| not read: it would have to be computed |" in understood(page)


def table(page: AppTest, text: str) -> str:
    page.text_area(key="edit_text").set_value(text).run()
    assert not page.exception
    return understood(page)


SQUARES = "Q = [[1,2],[3,4],[5,6]]\nK = [[1,2],[3,4],[5,6]]\nV = [[1,2],[3,4],[5,6]]"


def test_results_with_x_alone_are_used() -> None:
    page = pasted(panel(mask="none"), f"X = [[1,2,3],[3,4,5],[6,7,8]]\n{SQUARES}")
    assert trace(page)["Q"].tolist() == [[[1, 2], [3, 4], [5, 6]]]
    assert trace(page)["V"].tolist() == [[[1, 2], [3, 4], [5, 6]]]
    assert trace(page)["X"].tolist() == [[1, 2, 3], [3, 4, 5], [6, 7, 8]]


def test_what_comes_before_given_weights_is_said_to_be_left_out() -> None:
    page = panel()
    said = table(page, "X = [[1,2],[3,4]]\nweights = [[1,0],[0.5,0.5]]\nV = [[1,2],[3,4]]")
    assert "| X | 2 × 2 | not used: the run starts after it |" in said
    page.button(key="edit_take").click().run()
    assert trace(page)["context"].tolist() == [[[1, 2], [2, 3]]]


@pytest.mark.parametrize("text", ["foo = [[1, 2], [3, 4]]", "Output:\n[[1 2]\n [3 4]]"])
def test_a_name_that_says_nothing_is_asked_about(text: str) -> None:
    page = panel(text="a b", d_model="2", heads="1")
    page.text_area(key="edit_text").set_value(text).run()
    assert "says nothing here" in page.error[0].value
    page.selectbox(key="edit_named").set_value("W_O").run()
    page.button(key="edit_take").click().run()
    assert trace(page)["W_O"].tolist() == [[1, 2], [3, 4]]


def test_names_of_scores_and_masks_in_code_are_known() -> None:
    page = pasted(panel(text="a b c"), "causal_mask = [[1,0,0],[1,1,0],[1,0,1]]")
    assert trace(page)["mask"].astype(int).tolist() == [[1, 0, 0], [1, 1, 0], [1, 0, 1]]
    page = pasted(panel(text="a b", heads="1"), "attn_scores = [[1, 2], [3, 4]]")
    assert trace(page)["scores"].tolist() == [[[1, 2], [3, 4]]]
    page = panel()
    page.text_area(key="edit_text").set_value("x1 = [[1]]\nx2 = [[2]]").run()
    assert "x1, x2" in page.error[0].value


def test_a_mask_that_no_longer_fits_is_not_dropped() -> None:
    page = pasted(panel(scale="off"), f"{PASTED}\nmask = [[1,0,0],[1,1,0],[1,0,1]]")
    before = trace(page)
    pasted(page, "X = [[1,0,0,0],[0,1,0,0]]")
    assert page.error
    assert trace(page) is before


def test_each_mask_is_asked_about_anew_and_key_padding_hides() -> None:
    page = panel(text="a b c")
    page.text_area(key="edit_text").set_value("mask = [[0,1,1],[0,0,1],[0,0,0]]").run()
    ones(page).set_value(HIDDEN).run()
    pasted(page, "mask = [[1,0,1],[1,1,0],[1,0,1]]")
    assert trace(page)["mask"].astype(int).tolist() == [[1, 0, 1], [1, 1, 0], [1, 0, 1]]
    pasted(page, "key_padding_mask = [[True, False, False]]")
    assert trace(page)["mask"].astype(int).tolist() == [[0, 1, 1]] * 3


def test_tokens_that_are_too_many_are_refused() -> None:
    page = panel()
    page.text_area(key="edit_text").set_value('tokens = ["a","b","c"]\nX = [[1,2],[3,4]]').run()
    assert "3 tokens" in page.error[0].value


def test_what_would_change_nothing_is_refused() -> None:
    page = pasted(panel(), SQUARES)
    page = pasted(page, "W_Q = [[1, 0], [0, 1]]")
    assert "W\\_Q would change nothing" in page.error[0].value
    page = pasted(panel(), "weights = [[1, 0], [0.5, 0.5]]")
    page = pasted(page, "X = [[1, 0], [0, 1]]")
    assert "X would change nothing" in page.error[0].value


def test_other_values_take_the_identity_with_them() -> None:
    page = pasted(panel(mask="none", scale="off"), PASTED)
    pasted(page, "W_V = [[1,0],[0,1],[1,1],[0,0]]")
    assert not page.error
    assert trace(page)["W_O"].tolist() == [[1, 0], [0, 1]]


def test_the_way_back_from_a_whole_set_is_the_example() -> None:
    page = pasted(panel(), PASTED)
    assert not page.session_state.undo
    assert list(page.session_state.good.family.toggle["heads"].options) == ["1"]


def test_only_some_matrices_leave_the_others_random_and_say_so() -> None:
    page = panel()
    said = table(page, "X = [[1, 2], [3, 4]]")
    assert "random: none was given" in said


def test_a_sentence_beside_own_vectors_is_said_to_do_nothing() -> None:
    page = pasted(panel(), SQUARES)
    assert any("not from the sentence" in m.value for m in page.markdown)


def test_results_that_follow_are_listed() -> None:
    page = panel()
    said = table(page, f"{SQUARES}\noutput = [[1, 2], [3, 4], [5, 6]]")
    assert "| output | – | not used: it follows from the others |" in said


@pytest.mark.parametrize("name", ["W_Q", "b_Q"])
def test_what_projects_a_given_result_is_said_to_be_left_out(name: str) -> None:
    page = panel(mask="none")
    said = table(page, f"{SQUARES}\n{name} = [[1, 0], [0, 1]]" if name == "W_Q"
                 else f"{SQUARES}\n{name} = [[1, 0]]")  # fmt: skip
    assert "not used: the run starts after it" in said
    page.button(key="edit_take").click().run()
    assert "X" not in trace(page)
    pasted(page, "b_K = [[1, 0]]")
    assert "would change nothing" in page.error[0].value
