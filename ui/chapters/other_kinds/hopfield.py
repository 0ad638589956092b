"""A memory of signs: eight entries in digits, pictures that a person paints, and their charts."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from core.chapters.other_kinds import hopfield
from core.chapters.other_kinds.recall import flipped
from core.errors import InputError
from core.program.trace import Trace
from ui.charts.colours import WITH, WITHOUT
from ui.charts.framing import (
    NO_NAME,
    Chart,
    dashed_line,
    draw_chart,
    framed,
    kept,
    lines_over,
    titled_axis,
)
from ui.charts.names import lines_figure
from ui.components.player import player
from ui.links.links import Key, Keys, parse_cell, whole_number_reader
from ui.links.session import PERSIST, set_if_changed
from ui.links.stage_position import go_to_step
from ui.page.controls import choose_one
from ui.page.fold import fold
from ui.page.prose import say, typeset_decimal
from ui.page_texts import chart_texts, page_texts
from ui.stage.exhibit import draw_exhibit, exhibit_keys
from ui.text import Markdown

TEXTS, PLAIN = page_texts("other_kinds"), chart_texts("other_kinds")
PICTURE = "kinds_pictures"
DIGITS = hopfield.N // 4
"""Hexadecimal digits that hold a picture, four cells each."""
MOST_FLIPS = 24
_SIZES = {"kinds_update": hopfield.SMALL.shape[1], "kinds_moment": hopfield.N}
LAST_UPDATE = {key: hopfield.SWEEPS * size for key, size in _SIZES.items()}
"""The last update of each slider."""


def pictures_of(key: str, text: str) -> str:
    """A reader for links of pictures; "" if none was painted. Raises `InputError`."""
    digits = len(hopfield.PICTURES) * DIGITS
    if text and (len(text) != digits or set(text) - set("0123456789abcdef")):
        found, limit = f"{key} is {text[:20]!r}", PLAIN("not_pictures", digits=digits)
        raise InputError(found, limit, PLAIN("not_pictures_remedy"))
    return text


_OF_PICTURES = hopfield.hopfield_program(True)
HOPFIELD_KEYS: Keys = {
    "kinds_off": Key(1, whole_number_reader(0, 4)),
    "kinds_update": Key(7, whole_number_reader(0, LAST_UPDATE["kinds_update"])),
    **exhibit_keys(hopfield.hopfield_program(), "new_state", "kinds_energy_", 1),
    PICTURE: Key("", pictures_of),
    "kinds_asked": Key(1, whole_number_reader(1, len(hopfield.PICTURES))),
    "kinds_noise": Key(12, whole_number_reader(0, MOST_FLIPS)),
    "kinds_draw": Key(1, whole_number_reader(1, 20)),
    "kinds_moment": Key(0, whole_number_reader(0, LAST_UPDATE["kinds_moment"])),
    **exhibit_keys(_OF_PICTURES, "stored", "kinds_paint_", len(hopfield.PICTURES)),
}


def eight_entries(keys: Keys) -> None:
    """Two patterns of eight entries, and one update of the state."""
    say(TEXTS("rest"))
    flips = st.slider(TEXTS("off"), 0, 4, key="kinds_off", width=260, **PERSIST)
    trace, found = _run(hopfield.SMALL, flipped(0, flips).ravel(), "kinds_update")
    draw_exhibit(trace, ("new_state", (0, hopfield.SMALL.shape[1] - 1)), keys, "kinds_energy_")
    _energy(found, st.session_state.kinds_update)
    with st.container(key="beside_rest"):
        say(_recalled(found, hopfield.SMALL[0], TEXTS("pattern_1")))
    with fold(TEXTS("more"), "rest", keys):
        say(TEXTS("rest_more"))


def painted(keys: Keys) -> None:
    """Pictures that a person paints, noise, and how many can be stored."""
    say(TEXTS("paint", cells=hopfield.N))
    say(TEXTS("paint_try"))
    pictures = _pictures()
    row = st.container(horizontal=True)
    with row:
        label, numbers = TEXTS("start_from"), range(1, len(pictures) + 1)
        asked = choose_one(label, numbers, "kinds_asked", on_change=_show_asked)
        label = TEXTS("flipped_cells")
        flips = st.slider(label, 0, MOST_FLIPS, key="kinds_noise", width=240, **PERSIST)
        draw = st.slider(TEXTS("draw"), 1, 20, key="kinds_draw", width=200, **PERSIST)
    if st.session_state[PICTURE]:
        st.button(TEXTS("reset"), on_click=set_if_changed, kwargs={PICTURE: ""})
    wanted = pictures[asked - 1]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        trace, found = _run(pictures, hopfield.noisy(wanted, flips, draw), "kinds_moment")
        moments = range(0, LAST_UPDATE["kinds_moment"] + 1, hopfield.SIDE)
        player("kinds_player_board", TEXTS("repair"), moments, st.session_state.kinds_moment,
               lambda moment: st.session_state.update(kinds_moment=moment))  # fmt: skip
    draw_exhibit(
        trace, ("stored", (asked - 1, 0, 0)), keys, "kinds_paint_", on_paint=_paint, paints="stored"
    )
    _energy(found, st.session_state.kinds_moment)
    with st.container(key="beside_pictures"):
        say(_recalled(found, wanted, TEXTS("picture", number=asked)))
    with fold(TEXTS("more"), "paint", keys):
        say(TEXTS("paint_more"))
    _capacity(keys)


def _show_asked() -> None:
    """Show the stored picture that the network starts from next to the state."""
    state = st.session_state
    state.kinds_paint_head = state.kinds_asked
    go_to_step(state.kinds_paint_step, "kinds_paint_")


def _run(patterns: np.ndarray, first: np.ndarray, key: str) -> tuple[Trace, hopfield.Recall]:
    """The update that the slider asks for."""
    updates = st.slider(TEXTS("updates"), 0, LAST_UPDATE[key], key=key, width=360, **PERSIST)
    return hopfield.run(patterns, first, updates)


def _energy(found: hopfield.Recall, now: int) -> None:
    draw_chart(energy_figure(found.energies, now), "kinds_energies")


def _recalled(found: hopfield.Recall, pattern: np.ndarray, name: Markdown) -> Markdown:
    """The energy at first and at last, and whether the pattern is back."""
    first, last = (typeset_decimal(found.energies[at]) for at in (0, -1))
    wrong = {"before": found.wrong(0, pattern), "after": found.wrong(-1, pattern)}
    return TEXTS(
        "recall", name=name, size=pattern.size, first=first, last=last, updates=found.last,
        rests=found.rests, **wrong,
    )  # fmt: skip


def _capacity(keys: Keys) -> None:
    found = hopfield.capacities()
    say(TEXTS("capacity"))
    columns = ([getattr(c, name) for c in found] for name in ("stored", "staying", "modern"))
    draw_chart(capacity_figure(*columns), "kinds_capacity")
    few, last = found[hopfield.FEW_STORED - 1], found[-1]
    most, least = (typeset_decimal(100 * c.staying, 1) for c in (few, last))
    stored = {"few": few.stored, "most": most, "many": last.stored, "least": least}
    kept = all(c.modern == 1 for c in found)
    say(TEXTS("capacity_notice", draws=hopfield.DRAWS, entries=hopfield.N, all_stay=kept, **stored))
    with fold(TEXTS("more"), "capacity", keys):
        turned, expected = (typeset_decimal(100 * part) for part in (last.turned, last.expected))
        say(TEXTS("capacity_more", stored=last.stored, turned=turned, expected=expected))


def _pictures() -> np.ndarray:
    """The painted pictures, or the first ones."""
    text = st.session_state[PICTURE]
    if not text:
        return hopfield.PICTURES
    bits = np.unpackbits(np.frombuffer(bytes.fromhex(text), dtype=np.uint8))
    return np.where(bits == 1, 1.0, -1.0).reshape(-1, hopfield.SIDE, hopfield.SIDE)


def _paint(stroke: Mapping[str, Any]) -> None:
    """Take a stroke of the painter: cells of the pictures, and whether they are painted now."""
    pictures = np.array(_pictures())
    for name, cell in filter(None, map(parse_cell, stroke["cells"])):
        if name == "stored" and len(cell) == 3 and np.all(np.array(cell) < pictures.shape):
            pictures[cell] = 1.0 if stroke["visible"] else -1.0
    set_if_changed(**{PICTURE: np.packbits(pictures.ravel() > 0).tobytes().hex()})


@kept
def energy_figure(energies: Sequence[float], now: int) -> Chart:
    """The energy after each update, from 0, and the one that is shown."""
    texts = [typeset_decimal(each) for each in energies]
    inwards = "left" if 2 * now > len(energies) - 1 else "right"  # away from the nearer edge
    drawn = [
        dashed_line(list(range(len(energies))), energies, WITH, "solid", name=PLAIN("energy_name"),
             line={"color": WITH, "width": 2, "shape": "hv"},
             hovertemplate=PLAIN("energy_hover") + NO_NAME),
        go.Scatter(x=[now], y=[energies[now]], mode="markers+text", name="here",
                   text=[f"  {PLAIN('energy_now', energy=texts[now])}  "],
                   textposition=f"top {inwards}", marker={"color": WITHOUT, "size": 11},
                   cliponaxis=False, hoverinfo="skip"),
    ]  # fmt: skip
    alt = PLAIN(
        "energy_alt", updates=len(energies) - 1, first=texts[0], last=texts[-1], now=now,
        at=texts[now],
    )  # fmt: skip
    room = 0.12 * (max(energies) - min(energies)) or 1.0
    upwards = {"range": [min(energies) - room, max(energies) + 2 * room]}
    across, up = titled_axis(PLAIN("updates_axis")), titled_axis(PLAIN("energy_name"), **upwards)
    return framed(drawn, alt, height=280, xaxis=across, yaxis=up)


@kept
def capacity_figure(
    stored: Sequence[int], classical: Sequence[float], modern: Sequence[float]
) -> Chart:
    """The percentage of stored patterns that stay as they are, by how many are stored."""
    drawn = lines_over(
        stored,
        (PLAIN("modern_name"), [100 * part for part in modern], WITH, "solid"),
        (PLAIN("classical_name"), [100 * part for part in classical], WITHOUT, "dash"),
        says=lambda name: PLAIN("capacity_hover"),
        mode="lines+markers",
    )
    ends = {
        "classical_first": classical[0], "classical_last": classical[-1],
        "modern_first": modern[0], "modern_last": modern[-1],
    }  # fmt: skip
    percent = {name: f"{100 * part:.0f}" for name, part in ends.items()}
    alt = PLAIN("capacity_alt", fewest=stored[0], most=stored[-1], **percent)
    across, up = (titled_axis(PLAIN(id)) for id in ("stored_axis", "staying_axis"))
    return lines_figure(drawn, alt, height=300, xaxis=across, yaxis=up | {"range": [-4, 106]})
