"""An untouched stage looks where its page opens, of another text too.

A chosen cell stays, but for a text with a story of its own.
"""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.attention.layers.language_model import likeliest
from tests.ui.support import opened, sentence, stages


def selected(page: AppTest, number: int) -> str:
    return stages(page)[number].selected


def test_the_model_that_writes_on_is_looked_at_in_its_new_last_row() -> None:
    page = opened("block", block_part="model")
    for _ in range(2):
        rows = stages(page)[1].texts("probs").shape[0]
        assert selected(page, 1).startswith(f"probs.{rows - 1}.")
        page.button(key="block_write").click().run()
        assert stages(page)[1].texts("probs").shape[0] == rows + 1
        assert selected(page, 1).startswith(f"probs.{rows}.")
        run = page.session_state.stage_runs["block_model_"]
        assert selected(page, 1) == f"probs.{rows}.{run.more_tokens['words'].index(likeliest(run))}"


@pytest.mark.parametrize(
    ("part", "field", "number"),
    [("deep", "block_text", 0), ("dropout", "block_text", 1), ("translator", "block_written", 1)],
)
def test_another_sentence_is_seen_in_its_own_last_row(part: str, field: str, number: int) -> None:
    page = opened("block", block_part=part)
    for text in ("a b", "a b c d e f"):
        page.text_input(key=field).set_value(text).run()
        fresh = opened("block", block_part=part, **{field: text})
        assert selected(page, number) == selected(fresh, number)


def test_a_cell_that_was_chosen_stays() -> None:
    page = opened("block", block_part="translator", block_two_cell="weights_3.1.0.2")
    page.text_input(key="block_written").set_value("a b c d").run()
    assert selected(page, 1) == "weights_3.1.0.2"


@pytest.mark.parametrize(
    ("cell", "text", "then"),
    [
        ("X.4.0", "in the deep river we saw a bank", "X.7.6"),  # river is another word's row now
        ("X.5.0", "we sat by the money bank", "X.5.0"),  # bank is where it was
    ],
)
def test_a_chosen_cell_stays_if_its_word_does(cell: str, text: str, then: str) -> None:
    page = opened("walkthrough", preset="river-bank", step="X", cell=cell)
    assert selected(page, 0) == cell
    sentence(page).set_value(text).run()
    assert selected(page, 0) == then


def test_another_example_opens_at_its_own_word() -> None:
    page = opened("walkthrough", preset="river-bank", text="in the cave he saw a bat", step="X")
    groups: list[Any] = list(page.get("button_group"))
    (offered,) = [one for one in groups if str(one.key).startswith("offered")]
    offered.select("bat").run()
    assert page.session_state.preset == "bat"
    assert selected(page, 0) == "X.6.6"
