"""Every concept that the product is to teach is said in its texts.

The list of concepts is outside the project: tables of rows, and questions M1 to M20.
`test_concepts.toml` has the texts that say each of them, as room/file#id; ids of the same file
follow it.
"""

import json
import re
from collections.abc import Iterator, Mapping

from core.texts.text_file import LANGUAGE, Plain, text_file
from tests.data import data_of
from tests.sampling import ROOT

CONCEPTS = ROOT.parent / "shared" / "CONCEPTS.md"

SAID: Mapping[str, str] = data_of(__file__)["said"]
LATER: Mapping[str, str] = data_of(__file__)["later"]

MISSING: list[str] = []
"""Rows that should be said, and are not."""

PLACES = sorted(
    {
        f"{file}#{id}"
        for places in SAID.values()
        for file, _, ids in (place.partition("#") for place in places.split(", "))
        for id in ids.split()
    }
)
ID = re.compile(r"[A-Z]\d+[a-z]?")
MARKS = re.compile(r"\{\{.*?\}\}|\{%.*?%\}")


def listed(concepts: str) -> Iterator[str]:
    """The ids of the rows of section 1 and of the questions of section 2."""
    _, tables, questions, *_ = re.split(r"^## ", concepts, flags=re.MULTILINE)
    for cell in re.findall(r"^\| ([^|]+?) \|", tables, re.MULTILINE):
        if cell != "id":  # letters after an id are sources; several ids are one key
            yield cell if len(ID.findall(cell)) > 1 else cell.split()[0]
    yield from re.findall(r"\bM\d+\b", questions)


def source(place: str) -> str | None:
    """The text at room/file#id with its placeholders, or None if there is none."""
    room, name, id = re.split("[/#]", place)
    folder = ROOT / room / "texts"
    if not (folder / LANGUAGE / f"{name}.md").exists():
        return None
    return text_file(folder, name, Plain).sources.get(id)


def test_every_concept_is_said_later_or_missing() -> None:
    """Of the list outside where it is at hand, else of the ids as they were copied from it."""
    kept = set(json.loads((ROOT / "tests" / "fixtures" / "concepts.json").read_text("utf-8")))
    if CONCEPTS.exists():
        assert {*listed(CONCEPTS.read_text(encoding="utf-8"))} == kept
    accounted = [*SAID, *LATER, *MISSING]
    assert {*accounted} == kept
    assert len(accounted) == len({*accounted})


def test_every_concept_has_texts_and_none_is_blank() -> None:
    assert all(SAID.values())
    assert not [place for place in PLACES if not MARKS.sub("", source(place) or "").strip()]
