"""Which step, head and cell of a run is looked at.

They live in the session under the keys `step`, `head` and `cell`, with a prefix where a page has
more than one exhibit.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import streamlit as st

from core.program.axes import POSITION
from core.program.labels import cell_id
from core.program.patterns import Cell
from core.program.trace import Trace
from stage.document.places import Opening, around, carried, is_inside, opened_at
from ui.links.links import Keys, parse_cell
from ui.stage.component import StageReport


@dataclass(frozen=True)
class View:
    """One look at a run: the step on the stage, the head on show and the selected cell.

    `slices` says which place (from 0) of a letter such as the heads' is on show.
    The cell may be one of an operand: `name` says of which array; `row` is the step's own cell at
    the same place.
    """

    trace: Trace
    array: str
    slices: Mapping[str, int]
    name: str
    cell: Cell
    row: Cell
    opened: bool = False
    """Whether the phase that the array is of its own is open."""

    @property
    def head(self) -> int:
        """The head on show, from 0."""
        return next(iter(self.slices.values()), 0)

    @property
    def selected(self) -> str:
        return cell_id(self.name, self.cell)


def resolve_view(
    trace: Trace,
    opening: tuple[str, Cell] | Opening,
    prefix: str = "",
    options: Mapping[str, str] = MappingProxyType({}),
) -> View:
    """The view that the session asks for, with what is not there replaced.

    A cell that was chosen stays selected; at another step, its place does. `opening` is where an
    untouched page looks; the session's `cell` says where it is not that. Of another text, with the
    same `options` of the stage's toggles, an untouched page looks at its own opening; so does one
    with a story, if the chosen cell is of another word there.
    """
    state = st.session_state
    of_text = trace.tokens, dict(trace.more_tokens)
    shown = state.get(f"{prefix}shown_text", (of_text, options))
    another_text = shown[0] != of_text and shown[1] == options
    state[f"{prefix}shown_text"] = of_text, dict(options)
    array = state[f"{prefix}step"]
    if array not in trace:
        array = opening[0]
        if state[f"{prefix}step"]:  # "" means the opening, wherever that is
            state[f"{prefix}step"] = array
    slices = {}
    for letter in trace.program.sliced[:1]:
        slices[letter] = min(state.get(f"{prefix}head") or 1, trace.sizes[letter]) - 1
    found = parse_cell(state[f"{prefix}cell"])
    if found and is_inside(trace, *found):
        has_story = another_text and bool(Opening(*opening).own)
        if has_story and _word(trace, *found) != _word(trace, *found, shown[0][0]):
            found = None  # what was chosen is now of another word, and the text has a story
            state.pop(f"{prefix}before_cell", None)
            state[f"{prefix}last_move"] = navigation_revision(prefix) + 1
    else:
        found = None
    if found:
        slices = around(trace, *found, slices)
    else:
        before: tuple[str, Cell] | None = state.get(f"{prefix}before_cell")
        home = array, opened_at(trace, array, opening, slices)
        found = home
        if (
            before
            and is_inside(trace, *before)
            and before[1] != opened_at(trace, before[0], opening, slices)
        ):
            found = array, carried(trace, array, *before, slices)
        if found != home and another_text:
            found = home
            state[f"{prefix}last_move"] = navigation_revision(prefix) + 1
    state[f"{prefix}before_cell"] = found
    if slices:
        state[f"{prefix}head"] = next(iter(slices.values())) + 1
    untouched = array, opened_at(trace, array, opening, slices)
    state[f"{prefix}cell"] = "" if found == untouched else cell_id(*found)
    name, cell = found
    row = cell if name == array else carried(trace, array, name, cell, slices)
    return View(trace, array, slices, name, cell, row, bool(state.get(f"{prefix}opened")))


def _word(trace: Trace, array: str, cell: Cell, tokens: Sequence[str] = ()) -> str:
    """The word of a cell's row, among the run's tokens or those of another text; "" if none."""
    tokens = tokens or trace.tokens
    for letter, at in zip(trace.program.letters[array], cell, strict=True):
        axis = trace.program.axis(letter)
        if axis.kind == POSITION and not axis.tokens:
            return tokens[at + axis.offset] if at + axis.offset < len(tokens) else ""
    return ""


def store_position(looked: StageReport, keys: Keys, prefix: str = "") -> None:
    """Keep where the stage reports that a person looks."""
    st.session_state.update(
        {
            f"{prefix}step": looked.step if looked.link["step"] else keys[f"{prefix}step"].default,
            f"{prefix}cell": looked.link["cell"],
            f"{prefix}before_cell": parse_cell(looked.cell),
            f"{prefix}head": next(iter(looked.slices.values()), 0) + 1,
            f"{prefix}opened": looked.open,
            f"{prefix}cover": looked.cover,
        }
    )


def go_to_step(step: str, prefix: str = "") -> None:
    """Send the stage to a step, at the place that is selected."""
    state = st.session_state
    state[f"{prefix}step"], state[f"{prefix}cell"], state[f"{prefix}opened"] = step, "", False
    state[f"{prefix}last_move"] = navigation_revision(prefix) + 1


def navigation_revision(prefix: str = "") -> int:
    """The number of the last time that the page, and not the stage, said where to look."""
    number: int = st.session_state.get(f"{prefix}last_move", 1)
    return number


def opened_revision(prefix: str = "") -> int:
    """The number of the move with which a scene opened the page anew; 0 where none did."""
    number: int = st.session_state.get(f"{prefix}anew", 0)
    return number


def look_anew(prefix: str = "") -> None:
    """Show another run at the same step. A cell that nobody has chosen is not carried along."""
    state = st.session_state
    if not state.get(f"{prefix}cell"):
        state.pop(f"{prefix}before_cell", None)
        state[f"{prefix}last_move"] = navigation_revision(prefix) + 1


def reset_position(prefix: str = "", step: str = "") -> None:
    """Look again where an untouched page looks, or where a step opens: no chosen cell is kept."""
    go_to_step(step, prefix)
    st.session_state.pop(f"{prefix}before_cell", None)


def follow_link(keys: Keys) -> None:
    """Send every stage of a page to where its keys now say, and cover anew what they cover."""
    state = st.session_state
    state.come = state.get("come", 0) + 1
    for prefix in (key.removesuffix("cover") for key in keys if key.endswith("cover")):
        state[f"{prefix}last_move"] = state[f"{prefix}anew"] = navigation_revision(prefix) + 1
        for kept in ("before_cell", "place_checked", "opened"):
            state.pop(f"{prefix}{kept}", None)


def missing_cover(trace: Trace, cover: str) -> bool:
    """Whether `cover` names an array, a row or a cell that this run does not have."""
    if cover in ("", "result"):
        return False
    name, cell = parse_cell(cover) or (cover, ())
    if name not in trace:
        return True
    shape = trace[name].shape
    places = shape[-2:-1] if len(cell) == 1 else shape  # a row by itself is that row of every head
    return len(cell) > len(shape) or any(at >= size for at, size in zip(cell, places, strict=False))


def missing_cell(trace: Trace, text: str) -> bool:
    """Whether `text` names a cell that this run does not have."""
    found = parse_cell(text)
    return bool(found) and not is_inside(trace, *found)  # type: ignore[misc]
