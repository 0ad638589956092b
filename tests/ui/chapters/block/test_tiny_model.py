"""Numbers typed into cells of an exhibit: kept in the link as they were typed, or refused."""

from types import SimpleNamespace

import pytest

from core.chapters.block.tiny_model import model_family
from ui.chapters.block.tiny_model import MOST_EDITS, edits, keep_edit

TRACE = model_family("a cat saw", {}).run()
NAMES = ("E", "W_U")


def typed(monkeypatch: pytest.MonkeyPatch, before: str, cell: str, text: str) -> tuple[str, str]:
    """What is kept after a number was typed, and what is said."""
    state = {"key": before}
    monkeypatch.setattr("ui.chapters.block.tiny_model.st", SimpleNamespace(session_state=state))
    return keep_edit("key", TRACE, NAMES, cell, text), state["key"]


@pytest.mark.parametrize("text", ["1.25", "123", "-0.0625", "0.000015", "12345.678", "0"])
def test_a_number_is_kept_as_it_was_typed(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    said, kept = typed(monkeypatch, "E.0.1=2;W_U.0.1=3", "E.0.1", text)
    assert said == ""
    assert list(edits(kept).items()) == [(("E", (0, 1)), float(text)), (("W_U", (0, 1)), 3.0)]


FULL = ";".join(f"E.{n // 6}.{n % 6}=1" for n in range(MOST_EDITS))


@pytest.mark.parametrize(
    ("before", "cell", "text", "says"),
    [
        ("", "E.0.1", "x", True), ("", "E.0.1", "1 2", True), ("", "W_Q.0.0", "1", False),
        ("", "E.99.0", "1", False), (FULL, "W_U.0.0", "1", True), (FULL, "E.0.1", "2", None),
    ],
)  # fmt: skip
def test_what_cannot_be_taken_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, before: str, cell: str, text: str, says: bool | None
) -> None:
    said, kept = typed(monkeypatch, before, cell, text)
    assert bool(said) == bool(says)
    assert (kept == before) == (says is not None)
