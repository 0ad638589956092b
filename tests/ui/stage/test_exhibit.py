"""What the stage reports, and where it stands: the last thing that somebody did counts."""

from dataclasses import replace
from typing import Any

import pytest

from core import attention_program
from ui.links.stage_position import go_to_step, navigation_revision
from ui.stage import exhibit
from ui.stage.component import StageReport
from ui.stage.exhibit import exhibit_keys

KEYS = exhibit_keys(attention_program(), "scores")
BEGUN = StageReport(
    "scores", "scores.0.2.1", False, {"h": 0}, {"step": "", "cell": "", "head": ""}, {}, "", "", 1
)  # fmt: skip
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
