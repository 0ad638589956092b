"""Every program that a page puts on a stage is in the registry of what is checked."""

from pathlib import Path
from typing import Any

import pytest

import ui.stage.exhibit
from core.program.trace import Trace
from stage.document.document import document
from tests.registry import SIGNATURES, signature
from tests.sampling import some
from tests.ui import support


@pytest.mark.parametrize("page", some(support.PAGE_NAMES, 3))
def test_a_pages_programs_are_in_the_registry(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Trace] = []

    def heard(trace: Trace, *args: Any, **options: Any) -> dict[str, Any]:
        shown.append(trace)
        return document(trace, *args, **options)

    monkeypatch.setattr(ui.stage.exhibit, "document", heard)
    assert not support.opened_whole(page).exception
    source = Path(support.PAGES / f"{page}.py").read_text(encoding="utf-8")
    assert shown or ("exhibit" not in source and "walkthrough" not in source), "it has no stage"
    assert [t for t in shown if signature(t.program) not in SIGNATURES] == []
