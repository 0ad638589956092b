"""The walkthrough's view in the session: from the link, to a setup, and back into the link.

A value that cannot be used is said, and the last setup that could be used stays.
"""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import streamlit as st

from core.attention.presets import preset
from core.attention.program import attention_program
from core.attention.setups import Setup
from core.errors import InputError
from core.program.trace import Trace
from ui.links import LONGEST_LINK, parse_cell, query
from ui.session import open_link, put, save_link
from ui.walkthrough.keys import DEFAULTS, WALKTHROUGH, pack, parse_scale, unpack

FIXED = ("mask", "heads", "window", "prefix", "scale")
"""The controls that a preset sets."""
AXES = attention_program(mask="custom").letters


def read_link() -> None:
    """In a session's first run: set every control to what the link says."""
    open_link("walkthrough", WALKTHROUGH, _begin)


def _begin(values: dict[str, Any], messages: list[str]) -> dict[str, Any]:
    """What the session begins with: the link's values, its edits, and the head of its cell."""
    head, heads = _head_of_cell(values), values["heads"]
    if not values["preset"] and head > heads:
        messages.append(
            f"In the link: head is {head}; there are {heads}: choose one of them. "
            "The last is shown."
        )
    edits = unpack(values["m"])
    return values | {"head": head, "edits": edits, "undo": [], "linked_cell": values["cell"]}


def view_query() -> str:
    """The view as the query string of a link."""
    state = st.session_state
    return query(WALKTHROUGH, {k: state.get(k) for k in WALKTHROUGH} | {"m": pack(state.edits)})


def write_link() -> str:
    """Put the view into the URL; what is wrong with that, if anything."""
    names = {"m": "your edited matrices", "text": "the sentence"}
    left_out = save_link(WALKTHROUGH, m=pack(st.session_state.edits))
    if not left_out:
        return ""
    return (
        f"This view is too long for a link, the limit is {LONGEST_LINK:,} characters: "
        f"{' and '.join(names.get(key, key) for key in left_out)} will be lost when the page is "
        "loaded again. Download the matrices (.npz) to keep them."
    )


def current_setup() -> tuple[Setup, str]:
    """The setup that the controls describe, or the last one that runs; and what is wrong."""
    state = st.session_state
    last: Setup = state.get("good", Setup())
    try:
        wanted = _wanted()
        setup, problem = (last, "") if _same(wanted, last) else _with_edits(wanted)
    except InputError as error:
        return last, f"{error}. What is shown below is the last that worked."
    if "good" in state and not _same(setup, last):
        state.before = last
    state.good = setup
    return setup, problem


def compared_with(setup: Setup) -> Trace | None:
    """The run to compare with: one setting flipped, or what was before."""
    state, settings = st.session_state, setup.settings
    if state.compare == "mask":
        return setup.run(mask="causal" if settings["mask"] == "none" else "none")
    if state.compare == "scale":
        return setup.run(scale=settings.get("scale", True) is False)
    if state.compare == "before" and "before" in state:
        return state.before.trace  # type: ignore[no-any-return]
    return None


def fixed_by_preset() -> bool:
    """Set the widgets to what the chosen preset fixes, so that they show the truth.

    Without one they say again what they said before.
    """
    state = st.session_state
    if not state.preset:
        state.update(state.get("own_settings", {}))
        state.pop("own_settings", None)
        return False
    state.setdefault("own_settings", {key: state[key] for key in FIXED})
    settings = preset(state.preset).settings
    scale = settings.get("scale", True)
    said = {"scale": {True: "on", False: "off"}.get(scale, f"{scale:g}")}
    put(**{key: settings[key] for key in FIXED if key in settings} | said)
    return True


def _head_of_cell(values: Mapping[str, Any]) -> int:
    """The head that a link shows, counted from 1: its cell decides where it belongs to one."""
    found = parse_cell(values["cell"])
    letter = AXES[found[0]][0] if found and found[0] in AXES else ""
    if not found or letter not in ("h", "g"):
        return int(values["head"])
    group = values["heads"] // (values["kv_heads"] or values["heads"]) if letter == "g" else 1
    head = int(found[1][0]) * max(group, 1) + 1
    return head if head <= values["heads"] else int(values["head"])


def _wanted() -> Setup:
    state = st.session_state
    return Setup(
        text=state.text,
        preset=state.preset or "",
        mask=state.mask or DEFAULTS["mask"],
        window=_given("window"),
        prefix=_given("prefix"),
        scale=True if state.preset else parse_scale(state.scale or "on"),
        heads=_given("heads"),
        kv_heads=state.get("kv_heads"),
        d_model=_given("d_model"),
        seed=_given("seed"),
        edits=state.edits,
    )


def _with_edits(wanted: Setup) -> tuple[Setup, str]:
    """The setup with those edits that fit it; the others wait, and a message says so.

    Raises `InputError` where it would not run without them either.
    """
    try:
        _ = wanted.trace
    except InputError as error:
        bare = replace(wanted, edits={})
        _ = bare.trace
        return bare, (
            f"Your edited {', '.join(wanted.edits)} does not fit: {error}. "
            "It is kept, and used again when it fits; Reset drops it."
        )
    return wanted, ""


def _same(one: Setup, other: Setup) -> bool:
    return _signature(one) == _signature(other)


def _signature(setup: Setup) -> tuple[object, ...]:
    edits = tuple((name, array.tobytes()) for name, array in setup.edits.items())
    chosen = (getattr(setup, f.name) for f in fields(setup) if f.name != "edits")
    return (*chosen, edits)


def _given(key: str) -> int:
    value = st.session_state.get(key)
    return int(DEFAULTS[key] if value is None else value)
