"""A memory of signs: eight entries in digits, and pictures that a person paints."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import streamlit as st

from core.chapters.other_kinds.hopfield import (
    DRAWS,
    PICTURES,
    SIDE,
    SMALL,
    SWEEPS,
    Capacity,
    N,
    Recall,
    all_staying,
    capacities,
    hopfield_program,
    noisy,
    run,
)
from core.chapters.other_kinds.recall import flipped
from core.errors import InputError
from core.program.rounding import cell_text, typeset
from core.program.trace import Trace
from ui.chart import draw_chart
from ui.charts.other_kinds import capacity_figure, energy_figure
from ui.exhibit import draw_exhibit, exhibit_keys
from ui.links import Key, Keys, parse_cell, whole
from ui.player import player
from ui.prose import say
from ui.selection import go
from ui.session import KEPT, put

PICTURE = "kinds_pictures"
DIGITS = N // 4
"""Hexadecimal digits that hold a picture, four cells each."""
MOST_FLIPS = 24
LAST = {"kinds_update": SWEEPS * SMALL.shape[1], "kinds_moment": SWEEPS * N}
"""The last update of each slider."""


def pictures_of(key: str, text: str) -> str:
    """A reader for links of pictures; "" where none was painted. Raises `InputError`."""
    if text and (len(text) != len(PICTURES) * DIGITS or set(text) - set("0123456789abcdef")):
        raise InputError(
            f"{key} is {text[:20]!r}", f"it must be {len(PICTURES) * DIGITS} digits of 0 to f",
            "leave it out, and paint the pictures",
        )  # fmt: skip
    return text


HOPFIELD_KEYS: Keys = {
    "kinds_off": Key(1, whole(0, 4)),
    "kinds_update": Key(7, whole(0, LAST["kinds_update"])),
    **exhibit_keys(hopfield_program(), "new_state", "kinds_energy_", 1),
    PICTURE: Key("", pictures_of),
    "kinds_asked": Key(1, whole(1, len(PICTURES))),
    "kinds_noise": Key(12, whole(0, MOST_FLIPS)),
    "kinds_draw": Key(1, whole(1, 20)),
    "kinds_moment": Key(0, whole(0, LAST["kinds_moment"])),
    **exhibit_keys(hopfield_program(True), "stored", "kinds_paint_", len(PICTURES)),
}


def eight_entries(keys: Keys) -> None:
    """Two patterns of eight entries, and one update of the state."""
    say(
        "**A memory that comes to rest.** A Hopfield network (1982) stores patterns of 1 and −1 in "
        "[weights](#term-weight) between their entries, and then forgets the patterns. Given a "
        "state, it asks one entry after another: *what do the others say?* The entry takes the "
        "sign of its field, the sum of the others times their weights to it."
    )
    flips = st.slider("Flipped entries of pattern 1", 0, 4, key="kinds_off", width=260, **KEPT)
    trace, found = _run(SMALL, flipped(0, flips).ravel(), "kinds_update")
    draw_exhibit(trace, ("new_state", (0, SMALL.shape[1] - 1)), keys, "kinds_energy_")
    _energy(found, st.session_state.kinds_update)
    size = SMALL.shape[1]
    with st.container(key="beside_rest"):
        say(_comes_to(found, SMALL[0], "pattern 1", size))
    say(
        "The energy is $E = -\\frac{1}{2} \\sum_{i \\neq j} W_{ij} s_i s_j$, each pair of entries "
        "once. It cannot rise: the part of the asked entry is minus its field times the entry, and "
        "the entry takes the sign of its field. For that $W_{ij}$ must equal $W_{ji}$. Scores of "
        "[attention](#term-attention) do not: $q_i \\cdot k_j$ is not $q_j \\cdot k_i$, so in "
        "general they have no such energy."
    )


def painted(keys: Keys) -> None:
    """Pictures that a person paints, noise, and how many can be stored."""
    say(
        f"**A memory of pictures.** Each of {N} cells is 1 or −1, and three pictures are stored. "
        "Paint others on the stage: press a cell and drag. Then choose which one to start from, "
        "and how many of its cells are flipped."
    )
    pictures = _pictures()
    row = st.container(horizontal=True)
    with row:
        asked = st.segmented_control(
            "Start from picture", range(1, len(pictures) + 1), key="kinds_asked", required=True,
            on_change=_show_asked, **KEPT,
        )  # fmt: skip
        flips = st.slider("Flipped cells", 0, MOST_FLIPS, key="kinds_noise", width=240, **KEPT)
        draw = st.slider("Draw", 1, 20, key="kinds_draw", width=200, **KEPT)
    if st.session_state[PICTURE]:
        st.button("Take the first pictures again", on_click=put, kwargs={PICTURE: ""})
    wanted = pictures[asked - 1]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        trace, found = _run(pictures, noisy(wanted, flips, draw), "kinds_moment")
        moments = range(0, LAST["kinds_moment"] + 1, SIDE)
        player("kinds_player_board", "Repair the picture", moments, st.session_state.kinds_moment,
               lambda moment: st.session_state.update(kinds_moment=moment))  # fmt: skip
    draw_exhibit(trace, ("stored", (asked - 1, 0, 0)), keys, "kinds_paint_", on_paint=_paint,
                 paints="stored")  # fmt: skip
    _energy(found, st.session_state.kinds_moment)
    with st.container(key="beside_pictures"):
        say(_comes_to(found, wanted, f"picture {asked}", N))
    say(
        "Pictures that are much alike pull at each other: paint two of them nearly the same, and "
        "the network may come to rest at a mixture. A picture and its negative have the same "
        "energy: with more than half of its cells flipped, the negative may come back."
    )
    _capacity()


def _show_asked() -> None:
    """The stored picture that one starts from stands beside the state."""
    state = st.session_state
    state.kinds_paint_head = state.kinds_asked
    go(state.kinds_paint_step, "kinds_paint_")


def _run(patterns: np.ndarray, first: np.ndarray, key: str) -> tuple[Trace, Recall]:
    """The update that the slider asks for."""
    updates = st.slider("Updates so far", 0, LAST[key], key=key, width=360, **KEPT)
    return run(patterns, first, updates)


def _energy(found: Recall, now: int) -> None:
    figure = energy_figure(found.energies, now)
    draw_chart(figure, "kinds_energies")


def _comes_to(found: Recall, pattern: np.ndarray, name: str, size: int) -> str:
    """Where the energy begins and ends, and whether the pattern is back."""
    first, last = (typeset(cell_text(found.energies[at])) for at in (0, -1))
    before, after = found.wrong(0, pattern), found.wrong(-1, pattern)
    if not after:
        end = f"All {size} entries are those of {name}"
    elif after == size:
        end = f"Every entry is the negative of {name}"
    else:
        end = f"Then {after} of {size} entries are not those of {name}"
    rest = (
        "It has come to rest."
        if found.rests
        else f"It has not come to rest: in the last {size} updates some entries changed."
    )
    return (
        f"**What to notice.** At first {before} of {size} entries are not those of {name}, and the "
        f"energy is {first}. After {found.last} updates it is {last}. {end}. {rest}"
    )


def _capacity() -> None:
    found = capacities()
    say("**How many patterns fit?** Patterns drawn at random, each looked at for one update:")
    figure = capacity_figure(
        [c.stored for c in found], [c.staying for c in found], [c.modern for c in found]
    )
    draw_chart(figure, "kinds_capacity")
    say(_fits(found))


def _fits(found: Sequence[Capacity]) -> str:
    """How many patterns stay, of how many, and what theory expects."""
    last = found[-1]
    modern = "all stay" if all(c.modern == 1 for c in found) else "nearly all stay"
    return (
        f"**What to notice.** With {N} entries up to {all_staying(found)} patterns all stay as "
        f"they are, in {DRAWS} draws (numbers 0 to {DRAWS - 1}). The patterns are all in "
        "one sum, and what is asked of one is disturbed by the others, more with each. With "
        f"{last.stored} patterns {typeset(cell_text(100 * last.turned))} % of entries would turn; "
        f"theory expects {typeset(cell_text(100 * last.expected))} %. In the modern update, which "
        f"is attention with $\\beta = 1$, {modern}: the patterns themselves are kept, and softmax "
        "lets the best of them win."
    )


def _pictures() -> np.ndarray:
    """The pictures as they were painted, or the first ones."""
    text = st.session_state[PICTURE]
    if not text:
        return PICTURES
    bits = np.unpackbits(np.frombuffer(bytes.fromhex(text), dtype=np.uint8))
    return np.where(bits == 1, 1.0, -1.0).reshape(-1, SIDE, SIDE)


def _paint(stroke: Mapping[str, Any]) -> None:
    """Take a stroke of the painter: cells of the pictures, and whether they are painted now."""
    pictures = np.array(_pictures())
    for name, cell in filter(None, map(parse_cell, stroke["cells"])):
        if name == "stored" and len(cell) == 3 and np.all(np.array(cell) < pictures.shape):
            pictures[cell] = 1.0 if stroke["visible"] else -1.0
    put(**{PICTURE: np.packbits(pictures.ravel() > 0).tobytes().hex()})
