"""Data does not change while somebody holds it."""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[1]
FILLED = {"_Block", "Changes", "_Group", "_Token", "_Scan", "_Cursor"}
"""What is filled while one text, script or file is read."""


def thawed(text: str) -> set[str]:
    """The dataclasses that can be changed."""
    return {
        node.name
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ClassDef)
        for decorator in map(ast.unparse, node.decorator_list)
        if decorator.startswith("dataclass") and "frozen=True" not in decorator
    }


def test_dataclasses_are_frozen_but_for_those_that_a_reading_fills() -> None:
    files = [file for room in ("core", "stage", "ui") for file in (ROOT / room).rglob("*.py")]
    assert set().union(*(thawed(file.read_text(encoding="utf-8")) for file in files)) == FILLED


def test_one_that_is_not_frozen_is_seen() -> None:
    said = "@dataclass{}\nclass A: pass"
    assert thawed(said.format("")) == thawed(said.format("(frozen=False)")) == {"A"}
    assert not thawed(said.format("(frozen=True, slots=True)"))
