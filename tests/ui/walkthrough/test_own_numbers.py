"""The panel of one's own numbers: several matrices at once, all of them or none."""

from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.core.attention.test_matrix_set import EXERCISE
from tests.ui.support import opened

PASTED = "\n".join(f"{name} = {rows}" for name, rows in EXERCISE.items())


def panel(**query: str) -> AppTest:
    page = opened("walkthrough", **query)
    page.session_state.numbers_panel = page.session_state.edit_panel = True
    return page.run()


def pasted(page: AppTest, text: str) -> AppTest:
    page.text_area(key="edit_text").set_value(text).run()
    page.button(key="edit_take").click().run()
    assert not page.exception
    return page


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
    assert "Numbers: your own" in labels
    again = opened("walkthrough", **dict(page.query_params))
    for name, array in trace(page).items():
        np.testing.assert_array_equal(trace(again)[name], array)


@pytest.mark.parametrize("order", ["X Q K V", "V K Q X", "K X V Q"])
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
