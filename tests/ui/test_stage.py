"""What a browser sends is checked before a page acts on it."""

from typing import Any

import pytest

from ui import stage

HEARD = [
    ("go", {"step": "scores", "cell": "scores.0.1.2"}),
    ("go", {"step": "X", "cell": ""}),
    ("edit", {"cell": "X.0.0", "text": "1.5"}),
    ("paint", {"cells": ["mask.0.1"], "visible": True}),
    ("paint", {"cells": [], "visible": False}),
]
NOT_HEARD = [
    ("go", None), ("go", {}), ("go", "scores"), ("go", {"cell": "scores.0.0.0"}),
    ("go", {"step": "scores"}), ("go", {"step": ["scores"], "cell": ""}),
    ("go", {"step": "scores", "cell": 7}), ("go", {"step": "s" * 300, "cell": ""}),
    ("edit", {"cell": "X.0.0"}), ("edit", {"cell": "X.0.0", "text": 1.5}),
    ("edit", {"cell": "X.0.0", "text": "1" * 20_000}), ("edit", [1]),
    ("paint", {"cells": "mask.0.1", "visible": True}), ("paint", {"cells": [1], "visible": True}),
    ("paint", {"cells": ["mask.0.1"]}), ("paint", {"cells": ["mask.0.1"], "visible": "no"}),
    ("paint", {"cells": ["mask.0.1"] * 5_000, "visible": True}), ("shout", {"text": "x"}),
]  # fmt: skip


def sent(monkeypatch: pytest.MonkeyPatch, kind: str, value: Any) -> list[tuple[str, Any]]:
    """What a page is told where a browser sends this."""
    callbacks: dict[str, Any] = {}
    monkeypatch.setattr(stage, "_stage", lambda **given: callbacks.update(given))
    monkeypatch.setattr("ui.stage.st.session_state", {"stage": {kind: value}})
    told: list[tuple[str, Any]] = []
    stage.stage("stage", {}, lambda kind, value: told.append((kind, value)))
    for name, call in callbacks.items():
        if name.startswith("on_"):
            call()
    return told


@pytest.mark.parametrize(("kind", "value"), HEARD)
def test_an_event_reaches_its_page(monkeypatch: pytest.MonkeyPatch, kind: str, value: Any) -> None:
    assert sent(monkeypatch, kind, value) == [(kind, value)]


@pytest.mark.parametrize(("kind", "value"), NOT_HEARD)
def test_what_is_no_event_is_not_heard(
    monkeypatch: pytest.MonkeyPatch, kind: str, value: Any
) -> None:
    assert sent(monkeypatch, kind, value) == []
