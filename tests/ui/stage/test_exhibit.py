"""Where a stage stands: the last act counts, of another text too; its program is registered."""

from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from streamlit.testing.v1 import AppTest

import ui.stage.exhibit
from core import attention_program
from core.attention.layers.language_model import likeliest
from core.path import PATH
from stage.document.document import document
from tests.registry import SIGNATURES, signature
from tests.sampling import some
from tests.ui import support
from tests.ui.support import arriving, opened, sentence, stages
from ui.links.stage_position import go_to_step, navigation_revision
from ui.stage import exhibit
from ui.stage.component import StageReport
from ui.stage.exhibit import exhibit_keys

KEYS = exhibit_keys(attention_program(), "scores")
BEGUN = StageReport(
    "scores", "scores.0.2.1", False, {"h": 0}, {"step": "", "cell": "", "head": ""}, {}, "", "", 1
)
MOVED = replace(BEGUN, step="masked", link={"step": "masked", "cell": "", "head": ""})


@pytest.fixture
def state(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    kept: dict[str, Any] = {"step": "scores"}
    for module in ("ui.stage.exhibit", "ui.links.stage_position"):
        monkeypatch.setattr(f"{module}.st.session_state", kept)
    monkeypatch.setattr("ui.stage.exhibit.restore_flash", lambda: kept.update(again=True))
    return kept


def report(looked: StageReport) -> None:
    exhibit._keep_report(looked, KEYS, "", ())


@pytest.mark.parametrize("goes_elsewhere", [False, True])
def test_a_step_that_a_person_takes_is_kept(state: dict[str, Any], goes_elsewhere: bool) -> None:
    report(BEGUN)
    if goes_elsewhere:
        go_to_step("context")
    report(MOVED)
    assert state["step"] == "masked"


@pytest.mark.parametrize("before", [[], [BEGUN], [MOVED, BEGUN]])
def test_a_late_report_undoes_no_step(state: dict[str, Any], before: list[StageReport]) -> None:
    """It asks for runs ahead, say, and tells where the stage still stands."""
    for looked in before:
        report(looked)
    go_to_step("context")
    report(replace(BEGUN, alternatives_of="another"))
    assert (state["step"], state["alternatives_of"]) == ("context", "another")
    report(replace(BEGUN, last_move=navigation_revision()))  # from here on the stage knows
    assert state["step"] == "scores"


def says_on(state: dict[str, Any], looked: StageReport) -> bool:
    """Whether what was said is said on after this report."""
    state.pop("again", None)
    report(looked)
    return "again" in state


def test_what_was_said_stays_until_somebody_does_something(state: dict[str, Any]) -> None:
    """The stage reports by itself too: it asks for runs ahead, and a slow server it tells again."""
    assert says_on(state, replace(BEGUN, alternatives_of="one"))
    refused = replace(BEGUN, alternatives_of="one", edited=True)
    assert not says_on(state, refused)
    for told_again in (
        replace(refused, edited=False),
        replace(refused, edited=False, alternatives_of="two"),
    ):
        assert says_on(state, told_again)
    assert not says_on(state, replace(BEGUN, alternatives_of="two", toggled=True))
    assert not says_on(state, replace(MOVED, alternatives_of="three"))
    assert says_on(state, replace(MOVED, alternatives_of="three"))


def test_a_stage_that_asks_for_nothing_is_moved_by_its_first_report(state: dict[str, Any]) -> None:
    assert not says_on(state, MOVED)


BY_HAND = {
    "other_kinds": (0, "kinds_by_hand", "context.0.2.0", ["2.25"]),
    "block": (1, "block_by_hand", "x_1.0.0", ["2.00", "1.00"]),
}
"""Of a page: which of its stages, the button, the cell that it leads to, and the row there."""


@pytest.mark.parametrize(
    ("page", "link"),
    [
        ("other_kinds", {"kinds_brackets": "pairs", "kinds_text": "cat"}),
        ("other_kinds", {"kinds_cell": "state.0.0.0"}),
        ("block", {}),
        ("block", {"block_depth_step": "x_7", "block_depth_cell": "x_7.0.1"}),
    ],
)
def test_a_press_shows_the_example_and_its_link(page: str, link: dict[str, str]) -> None:
    at, button, cell, row = BY_HAND[page]
    shown = opened(page, **link)
    before, told = dict(shown.query_params), stages(shown)[at]
    shown.button(key=button).click().run()
    assert told.selected != cell
    assert shown.query_params != before
    for again in (shown, opened(page, **dict(shown.query_params))):
        after = stages(again)[at]
        assert after.selected == cell
        assert after.texts(after.step)[-1].tolist() == row


@pytest.mark.parametrize(
    ("page", "key", "drawn"),
    [("heads", "heads_count", "4"), ("other_kinds", "kinds_matrices", "drawn")],
)
@pytest.mark.parametrize(
    ("brought", "by_hand"), [("the children sat by the lake", True), ("red zebra", False)]
)
def test_a_brought_sentence_is_by_hand_if_its_words_are(
    page: str, key: str, drawn: str, brought: str, by_hand: bool
) -> None:
    shown = arriving(page, brought)
    assert not shown.exception
    assert shown.session_state[f"{PATH[page].key}_text"] == brought
    assert shown.session_state[key] == ("hand" if by_hand else drawn)


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


@pytest.mark.parametrize("page", some(support.PAGE_NAMES, 3))
def test_a_pages_programs_are_in_the_registry(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    told = Mock(wraps=document)
    monkeypatch.setattr(ui.stage.exhibit, "document", told)
    assert not support.opened_whole(page).exception
    shown = [call.args[0] for call in told.call_args_list]
    source = Path(support.PAGES / f"{page}.py").read_text(encoding="utf-8")
    assert shown or ("exhibit" not in source and "walkthrough" not in source), "it has no stage"
    assert [t for t in shown if signature(t.program) not in SIGNATURES] == []
