"""Streamlit as the stage's host: a run's document in, and what a person did out.

The stage keeps where one looks by itself and reports it as one state with a number. What has to be
computed (an edit, a stroke of the mask painter) comes along, numbered, until it is acknowledged.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from core.limits import MAX_TEXT, MAX_TOKENS
from stage.document.document import WrittenData
from stage.hosts.component import stage_script, style_sheet
from ui.components.component import registered
from ui.components.data_channel import carry
from ui.server.visits import visit

LONGEST_NAME = 100
"""Characters of an array's or a cell's name."""
LONGEST_SENT = MAX_TEXT + 1
"""Characters of a sentence that is sent: what is too long is cut to what the page refuses."""
MOST_EDITS = 500
MOST_SLICES, MOST_OPTIONS = 8, 16
MOST_TILES = 64
"""Of numbers that are asked for at once."""

_stage = registered("attention_stage", stage_script("streamlit.js"), style_sheet())


@dataclass(frozen=True)
class StageReport:
    """Where a person looks, as the stage reports it; `row` is the step's own cell there.

    `link` says the same as a link does: "" for what an untouched page shows. `options` is what is
    chosen on the stage, and `toggled` says whether anything was since the last report: else it may
    be what was so before the page chose otherwise. `cover` is what is covered, `alternatives_of`
    the document whose alternatives it asks for, `numbers` the tiles of numbers that it lacks (as
    for `tile_texts`), and `edited` says whether something new was to be done. `last_move` is the
    number of the last move of the page's that it knows of.
    """

    step: str
    cell: str
    open: bool
    slices: Mapping[str, int]
    link: Mapping[str, str]
    options: Mapping[str, str]
    cover: str
    alternatives_of: str
    last_move: int
    edited: bool = False
    toggled: bool = False
    numbers: Sequence[str] = ()

    @property
    def view(self) -> tuple[object, ...]:
        """What a person may move: where the stage looks, and what it covers."""
        return self.step, self.cell, self.open, dict(self.slices), self.cover


def stage(
    key: str,
    *,
    document: dict[str, Any],
    answer: dict[str, Any],
    differences: dict[str, Any] | None,
    alternatives: dict[str, Any] | None,
    mistaken: dict[str, Any] | None = None,
    config: dict[str, Any],
    numbers: Callable[[Sequence[str]], Mapping[str, str]] = lambda tiles: {},
    anew: int = 0,
    on_look: Callable[[StageReport], None],
    on_act: Callable[[str, Mapping[str, Any]], None],
) -> None:
    """Draw the stage.

    `answer` is what the host adds to the last report (`answered` says to which). `on_look` is
    called when a person went somewhere, `on_act(kind, value)` for each `edit`, `paint` and
    `sentence`, once.
    `numbers` gives the texts of the tiles that the stage asks for: those of arrays that are too
    large for the document.
    Nothing counts of a report that does not know of the move `anew`: the page was opened anew then;
    nor of one made for another visit: what that had not answered is reported again.
    """

    def on_report() -> None:
        reported = st.session_state[key].get("view")
        report = _report_of(reported)
        if report is None or reported["visit"] != visit():
            return
        done = _memory(key)
        edits = [edit for edit in reported["edits"] if edit["number"] > done["done"]]
        late = report.last_move < anew
        for edit in edits if not late else ():
            on_act(edit["kind"], edit)
        done["done"] = max([done["done"], *(edit["number"] for edit in edits)])
        done["number"] = max(done["number"], reported["number"])
        done["numbers"] = report.numbers
        toggled = reported["lastToggle"] > done["lastToggle"]
        done["lastToggle"] = max(done["lastToggle"], reported["lastToggle"])
        if not late:
            on_look(replace(report, edited=bool(edits), toggled=toggled))

    memory = _memory(key)
    news = {
        "document": document,
        "answer": answer
        | {"visit": visit()}
        | ({"numbers": dict(numbers(asked))} if (asked := memory["numbers"]) else {})
        | {name: memory[name] for name in ("number", "done")},
        "differences": differences,
        "alternatives": alternatives,
        "mistaken": mistaken,
    }
    # What was told once is told on, in its place, also that there is no such thing any more.
    some = (name for name, text in news.items() if text is not None)
    memory["told"] = list(dict.fromkeys([*memory["told"], *some]))
    carry(key, {name: _written(news[name]) for name in memory["told"]})
    # A list: of a mapping Streamlit tries each entry for a data frame, and loads pandas to do so.
    _stage(key=key, data=[{"stage": key} | config], on_view_change=on_report)


def _written(said: dict[str, Any] | None) -> str:
    """News as JSON."""
    return said.text if isinstance(said, WrittenData) else json.dumps(said)


def _memory(key: str) -> dict[str, Any]:
    """The numbers of the last report, act and toggle that were taken, and which news were told."""
    memory: dict[str, Any] = st.session_state.setdefault(
        f"{key}_memory", {"number": 0, "done": 0, "lastToggle": 0, "told": [], "numbers": []}
    )
    return memory


def _report_of(value: Any) -> StageReport | None:
    """What a browser sent, where it is what the stage sends. Anybody may send anything."""
    sent = {"numbers": [], **value} if isinstance(value, Mapping) else {}
    if not all(name in sent and fits(sent[name]) for name, fits in _REPORT.items()):
        return None
    return StageReport(
        sent["step"],
        sent["cell"],
        sent["open"],
        dict(sent["slices"]),
        dict(sent["link"]),
        dict(sent["options"]),
        sent["cover"],
        sent["alternativesOf"],
        sent["lastMove"],
        numbers=sent["numbers"],
    )


def _is_edit(value: Any) -> bool:
    if not isinstance(value, Mapping) or not _is_number(value.get("number")):
        return False
    if value.get("kind") == "edit":
        text = value.get("text")
        return _is_name(value.get("cell")) and isinstance(text, str) and len(text) <= MAX_TEXT
    if value.get("kind") == "sentence":
        return isinstance(value.get("text"), str) and len(value["text"]) <= LONGEST_SENT
    if value.get("kind") == "paint":
        cells = value.get("cells")
        if not isinstance(cells, list) or len(cells) > MAX_TOKENS**2:
            return False
        return all(map(_is_name, cells)) and isinstance(value.get("visible"), bool)
    return False


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31


def _is_name(text: Any) -> bool:
    """Whether it may name an array or a cell; whether there is such a one, the page knows."""
    return isinstance(text, str) and len(text) <= LONGEST_NAME


def _mapping_of(fits: Callable[[Any], bool], most: int) -> Callable[[Any], bool]:
    """Whether something is a mapping of so few names to what fits."""

    def check(value: Any) -> bool:
        is_small = isinstance(value, Mapping) and len(value) <= most
        return is_small and all(_is_name(key) and fits(one) for key, one in value.items())

    return check


def _list_of(fits: Callable[[Any], bool], most: int) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and len(value) <= most and all(map(fits, value))


def _is_link(value: Any) -> bool:
    is_mapping = isinstance(value, Mapping)
    return is_mapping and all(_is_name(value.get(name)) for name in ("step", "cell", "head"))


_REPORT: Mapping[str, Callable[[Any], bool]] = {
    **dict.fromkeys(("step", "cell", "visit", "alternativesOf", "cover"), _is_name),
    **dict.fromkeys(("number", "lastToggle", "lastMove"), _is_number),
    "open": lambda value: isinstance(value, bool),
    "slices": _mapping_of(_is_number, MOST_SLICES),
    "link": _is_link,
    "options": _mapping_of(_is_name, MOST_OPTIONS),
    "numbers": _list_of(_is_name, MOST_TILES),
    "edits": _list_of(_is_edit, MOST_EDITS),
}
"""What a report has, and what each part of it must be."""
