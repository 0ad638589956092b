"""A recording of a person's own model: its calls of attention, all heads, and one on the stage."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
import streamlit as st
from jaxtyping import Float

from core.attention.given.given_arrays import position_tokens
from core.errors import InputError
from core.limits import MOST_POSITIONS
from core.models.head_places import Place, is_place_of, place_text, read_place
from core.models.offers import Opened
from core.models.recorded.recording import WINDOW, Recording
from core.program.labels import token_labels
from core.pytorch.recorded_call import RecordedCall
from ui.components.head_maps.grid import head_grid
from ui.components.head_maps.head_maps import HeadMaps
from ui.links.session import PERSIST, set_if_changed
from ui.links.stage_position import look_anew
from ui.models.keys import STAGE_PREFIX
from ui.models.stages import draw_head
from ui.page.prose import say
from ui.page_texts import chart_texts, page_texts
from ui.text import escape_markdown, token_text

TEXTS, PLAIN = page_texts("models"), chart_texts("models")
Shape = tuple[int, int, int]
"""Heads, queries and keys of a call."""


@dataclass(frozen=True)
class CallWeights(Sequence[np.ndarray]):
    """The weights of some calls; each is read from the file when it is asked for."""

    calls: Sequence[RecordedCall]

    @overload
    def __getitem__(self, at: int) -> Float[np.ndarray, "H T S"]: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[np.ndarray]: ...
    def __getitem__(self, at: int | slice) -> np.ndarray | Sequence[np.ndarray]:
        return CallWeights(self.calls[at]) if isinstance(at, slice) else self.calls[at]["weights"]

    def __len__(self) -> int:
        return len(self.calls)


class SeenRecording:
    """A recording that is open, and the maps of its calls of one shape; they are made once."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self._maps: dict[Shape, HeadMaps] = {}
        shapes: dict[Shape, list[int]] = {}
        for n, call in enumerate(recording.calls):
            shapes.setdefault((call.n_heads, call.n_queries, call.n_keys), []).append(n)
        self.shapes = shapes

    def maps(self, shape: Shape) -> HeadMaps:
        """Return the maps of all calls of a shape."""
        if shape not in self._maps:
            calls = [self.recording.calls[n] for n in self.shapes[shape]]
            _, T, S = shape
            queries, keys = self.recording.names(calls[0])
            self._maps[shape] = HeadMaps(
                CallWeights(calls),
                tuple(token_labels(queries or position_tokens(T))),
                tuple(token_labels(keys or position_tokens(S))),
                causal=all(map(self.recording.is_causal, self.shapes[shape])),
                columns=tuple(call.name for call in calls),
            )
        return self._maps[shape]


def opened_recording(name: str, opens: Callable[[], Opened]) -> SeenRecording:
    """Return a recording that is open; the last one of a visitor stays open.

    If its file is another one now, it is opened again, and that is said.
    """
    state = st.session_state
    held_name, held = state.get("model_recording", ("", None))
    seen: SeenRecording | None = held if held_name == name else None
    if seen is None or not seen.recording.is_current():
        recording = opens()
        assert isinstance(recording, Recording)
        if seen is not None:
            st.info(TEXTS("recording_changed"))
        seen = SeenRecording(recording)
        state.model_recording = name, seen
    return seen


def forget_recording(name: str) -> None:
    """Give up the recording that is open, if it has this name: its numbers may be in memory."""
    if st.session_state.get("model_recording", ("",))[0] == name:
        del st.session_state.model_recording


def draw_recording(seen: SeenRecording) -> None:
    """Draw all heads of a recording as maps, and the chosen one on the stage.

    Its numbers are read only here, so what is wrong with them is said here too.
    """
    for note in seen.recording.notes:
        st.info(escape_markdown(note))
    try:
        _draw_heads(seen)
    except InputError as error:
        st.error(escape_markdown(str(error)))


def _draw_heads(seen: SeenRecording) -> None:
    state, recording = st.session_state, seen.recording
    shape = _shape(seen)
    maps, numbers = seen.maps(shape), seen.shapes[shape]
    place = read_place("model_place", state.model_place) or (0, 0)
    place = place if is_place_of(place, len(numbers), shape[0]) else (0, 0)

    def look(chosen: Place) -> None:
        state.model_place = place_text(chosen)
        look_anew(STAGE_PREFIX)

    say(TEXTS("recorded", calls=len(recording.calls), shown=len(numbers), heads=shape[0]))
    say(TEXTS("grid_try"))
    head_grid("beside_recorded_maps", maps, place, look)
    number = numbers[place[0]]
    call = recording.calls[number]
    head = place[1]
    say(TEXTS(
        "recorded_head", call=number + 1, call_index=number, head=head + 1, head_index=head,
        name=call.name,
    ))  # fmt: skip
    is_window = max(call.n_queries, call.n_keys) > MOST_POSITIONS
    first = _first(maps.queries, call) if is_window else 0
    name = PLAIN("recorded_name", call=number + 1, name=call.name, head=head + 1)
    trace, reason = recording.trace_and_reason(number, head, first)
    if reason:
        st.info(escape_markdown(reason))
    draw_head(trace, name, row=0 if is_window else -1)


def _shape(seen: SeenRecording) -> Shape:
    """The shape of the calls that are shown; a person chooses one if there are several."""
    shapes = list(seen.shapes)
    if len(shapes) == 1:
        return shapes[0]
    numbers = range(1, len(shapes) + 1)
    set_if_changed(model_shape=min(st.session_state.model_shape, len(shapes)))
    st.selectbox(
        TEXTS("shape"), numbers, key="model_shape", width=330, **PERSIST,
        format_func=lambda n: _shape_said(shapes[n - 1], len(seen.shapes[shapes[n - 1]])),
    )  # fmt: skip
    chosen: int = st.session_state.model_shape
    return shapes[chosen - 1]


def _shape_said(shape: Shape, calls: int) -> str:
    heads, T, S = shape
    return TEXTS("shape_choice", calls=calls, heads=heads, queries=T, keys=S)


def _first(labels: Sequence[str], call: RecordedCall) -> int:
    """The first query of the window on the stage, from 0. A person chooses it, from 1."""
    state, most = st.session_state, max(1, call.n_queries - WINDOW + 1)
    set_if_changed(model_first=min(state.model_first, most))
    st.number_input(
        TEXTS("first"), 1, most, key="model_first", width=220, step=WINDOW,
        on_change=_other_window, **PERSIST,
    )  # fmt: skip
    first: int = state.model_first - 1
    last = min(first + WINDOW, call.n_queries) - 1
    say(TEXTS("window", first=token_text(labels[first]), last=token_text(labels[last])))
    return first


def _other_window() -> None:
    """Other queries are on the stage: it opens at the first of them."""
    st.session_state[f"{STAGE_PREFIX}cell"] = ""
    look_anew(STAGE_PREFIX)
