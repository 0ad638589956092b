"""What a browser sends is checked before a page acts on it."""

import json
from typing import Any

import pytest

from ui.components import data_channel
from ui.stage import component as stage

LOOK: dict[str, Any] = {
    "number": 3, "lastToggle": 0, "visit": "now", "lastMove": 1, "step": "scores",
    "cell": "scores.0.1.2", "open": False, "slices": {"h": 1},
    "link": {"step": "", "cell": "scores.0.1.2", "head": "2"}, "edits": [],
    "options": {"mask": "none"}, "alternativesOf": "", "cover": "result",
}  # fmt: skip
EDIT = {"number": 1, "kind": "edit", "cell": "X.0.0", "text": "1.5"}
PAINT = {"number": 2, "kind": "paint", "cells": ["mask.0.1"], "visible": True}
HEARD = [
    LOOK, LOOK | {"slices": {}}, LOOK | {"edits": [EDIT]}, LOOK | {"edits": [EDIT, PAINT]},
    LOOK | {"edits": [PAINT | {"cells": []}]}, LOOK | {"open": True},
]  # fmt: skip
NOT_HEARD = [
    None, {}, "scores", [LOOK], *({k: v for k, v in LOOK.items() if k != key} for key in LOOK),
    LOOK | {"step": ["scores"]}, LOOK | {"cell": 7}, LOOK | {"step": "s" * 300},
    LOOK | {"lastToggle": -1}, LOOK | {"lastToggle": None}, LOOK | {"lastMove": "1"},
    LOOK | {"visit": 1}, LOOK | {"visit": "another visit"},
    LOOK | {"number": -1}, LOOK | {"number": True}, LOOK | {"number": 2**40}, LOOK | {"open": 1},
    LOOK | {"slices": {"h": -1}}, LOOK | {"slices": {"h": "1"}}, LOOK | {"slices": [1]},
    LOOK | {"slices": {f"l{n}": 0 for n in range(20)}}, LOOK | {"link": {"step": ""}},
    LOOK | {"link": {"step": "", "cell": 1, "head": ""}}, LOOK | {"edits": EDIT},
    *(LOOK | {"edits": [act]} for act in (
        None, [1], {"kind": "shout"}, EDIT | {"number": "1"}, EDIT | {"text": 1.5},
        EDIT | {"text": "1" * 20_000}, EDIT | {"cell": None}, PAINT | {"cells": "mask.0.1"},
        PAINT | {"cells": [1]}, PAINT | {"visible": "no"}, PAINT | {"cells": ["mask.0.1"] * 5_000},
        EDIT | {"kind": "shout"},
    )),
    LOOK | {"edits": [EDIT] * 501}, LOOK | {"options": ["mask"]}, LOOK | {"options": {"mask": 1}},
    LOOK | {"options": {str(n): "x" for n in range(99)}}, LOOK | {"alternativesOf": None},
    LOOK | {"cover": None}, LOOK | {"cover": "x" * 200},
]  # fmt: skip


class Host:
    """A page with one stage, and what its browser sends one after another."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.state: dict[str, Any] = {"visit": LOOK["visit"]}
        self.looks: list[stage.StageReport] = []
        self.acts: list[tuple[str, Any]] = []
        self.answers: list[dict[str, Any]] = []
        self.given: dict[str, Any] = {}
        monkeypatch.setattr(stage, "_stage", lambda **given: self.given.update(given))
        monkeypatch.setattr(data_channel, "_channel", lambda **given: self._told(given["data"]))
        monkeypatch.setattr("ui.stage.component.st.session_state", self.state)

    def _told(self, message: bytes) -> None:
        news = json.loads(message)["news"]
        if "answer" in news:
            self.answers.append(news["answer"])

    def run(self, anew: int = 0) -> None:
        stage.stage(
            "stage", document={}, answer={}, differences=None, alternatives=None, config={},
            anew=anew, on_look=self.looks.append, on_act=lambda *act: self.acts.append(act),
        )  # fmt: skip

    def send(self, value: Any, anew: int = 0) -> None:
        self.state["stage"] = {"view": value}
        self.given["on_view_change"]()
        self.run(anew)


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> Host:
    made = Host(monkeypatch)
    made.run()
    return made


@pytest.mark.parametrize("value", HEARD)
def test_a_report_reaches_its_page(host: Host, value: Any) -> None:
    host.send(value)
    (looked,) = host.looks
    assert (looked.step, looked.cell, looked.slices) == (
        value["step"], value["cell"], value["slices"],
    )  # fmt: skip
    assert host.acts == [(act["kind"], act) for act in value["edits"]]
    done = max([0, *(act["number"] for act in value["edits"])])
    assert host.answers[-1] == {"visit": "now", "number": 3, "done": done}


@pytest.mark.parametrize("value", NOT_HEARD)
def test_what_is_no_report_is_not_heard(host: Host, value: Any) -> None:
    host.send(value)
    assert (host.looks, host.acts) == ([], [])
    assert host.answers[-1] == {"visit": "now", "number": 0, "done": 0}


def test_a_toggle_is_told_once(host: Host) -> None:
    for number, chose in ((3, 0), (4, 4), (5, 4), (6, 6)):
        host.send(LOOK | {"number": number, "lastToggle": chose})
    assert [looked.toggled for looked in host.looks] == [False, True, False, True]


def test_an_act_is_done_once_however_often_it_is_sent(host: Host) -> None:
    host.send(LOOK | {"edits": [EDIT]})
    host.send(LOOK | {"number": 4, "edits": [EDIT, PAINT]})
    host.send(LOOK | {"number": 5, "edits": [EDIT, PAINT]})
    assert host.acts == [("edit", EDIT), ("paint", PAINT)]
    assert host.answers[-1] == {"visit": "now", "number": 5, "done": 2}


def test_a_report_from_before_the_page_was_opened_anew_does_nothing(host: Host) -> None:
    """And is answered, so that the stage does not tell it again."""
    host.run(anew=2)
    host.send(LOOK | {"edits": [EDIT]}, anew=2)
    assert (host.looks, host.acts) == ([], [])
    assert host.answers[-1] == {"visit": "now", "number": 3, "done": 1}
    host.send(LOOK | {"lastMove": 2, "number": 4, "edits": [EDIT, PAINT]}, anew=2)
    assert [looked.last_move for looked in host.looks] == [2]
    assert host.acts == [("paint", PAINT)]
