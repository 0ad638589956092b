"""The controls of the walkthrough: widgets in, a setup out.

Each widget's key is its key in the link. A value that cannot be used is explained beside its
control, and the last setup that could be used stays.
"""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import streamlit as st

from core.attention import attention_program
from core.errors import InputError
from core.inputs import MAX_D_MODEL, MAX_HEADS, MAX_SEED
from core.masks import KINDS
from core.presets import PRESETS, preset
from core.setups import Setup
from core.tokens import MAX_TOKENS
from ui.links import (
    COMPARISONS,
    DEFAULTS,
    LONGEST_LINK,
    pack,
    parse_cell,
    parse_scale,
    read,
    unpack,
    written,
)
from ui.text import escape_markdown

KEPT: Any = {"persist_state": "session"}
"""Widgets keep their value while they are not drawn."""
MASK_NAMES = {
    "causal": "causal", "none": "none", "window": "window", "prefix": "prefix", "custom": "draw",
}  # fmt: skip
COMPARE_NAMES = {
    "none": "nothing", "mask": "the mask flipped", "scale": "the scale flipped",
    "before": "what was before",
}  # fmt: skip


AXES = attention_program(mask="custom").axes


def read_link() -> None:
    """In a session's first run: set every control to what the link says."""
    state = st.session_state
    if "edits" in state:
        return
    values, messages = read({key: st.query_params[key] for key in st.query_params})
    state.edits, state.undo, state.messages = unpack(values.pop("m")), [], messages
    values["head"] = _head_of_cell(values)
    state.linked_cell = values["cell"]
    for key, value in values.items():
        state[key] = value


def _sizes(fixed: bool) -> None:
    _number("Key/value heads", "kv_heads", 1, MAX_HEADS, fixed, placeholder="= heads")
    _number("d_model", "d_model", 1, MAX_D_MODEL, fixed)
    _number("Seed of the weights", "seed", 0, MAX_SEED, fixed)


def _head_of_cell(values: Mapping[str, Any]) -> int:
    """The head that a link shows, counted from 1: its cell decides where it belongs to one."""
    found = parse_cell(values["cell"])
    letter = AXES[found[0]][0] if found and found[0] in AXES else ""
    if not found or letter not in ("h", "g"):
        return int(values["head"])
    group = values["heads"] // (values["kv_heads"] or values["heads"]) if letter == "g" else 1
    head = int(found[1][0]) * max(group, 1) + 1
    return head if head <= values["heads"] else int(values["head"])


def link_values() -> dict[str, Any]:
    """The view as a link says it."""
    state = st.session_state
    return {key: state.get(key) for key in DEFAULTS} | {"m": pack(state.edits)}


def write_link() -> None:
    """Put into the URL what differs from the defaults; other keys of the URL stay."""
    wanted = written(link_values())
    if len(wanted.get("m", "")) > LONGEST_LINK:
        del wanted["m"]
    for key in DEFAULTS:
        if key not in wanted:
            if key in st.query_params:
                del st.query_params[key]
        elif st.query_params.get(key) != wanted[key]:
            st.query_params[key] = wanted[key]


def controls() -> Setup:
    """Draw the controls; the setup that they describe, or the last one that runs."""
    state = st.session_state
    fixed = _fixed_by_preset()
    problem = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input("Sentence", key="text", disabled=bool(fixed), **KEPT)
        st.selectbox(
            "Example", list(PRESETS), index=None, key="preset", **KEPT,
            placeholder="none: my sentence",
            format_func=lambda name: f"{name}: {PRESETS[name].title}", width=300,
        )  # fmt: skip
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _segments("Mask", "mask", KINDS, MASK_NAMES, bool(fixed))
        mask = state.mask or DEFAULTS["mask"]
        if mask in ("window", "prefix"):
            _number(mask.capitalize(), mask, 1, MAX_TOKENS, bool(fixed))
        st.selectbox(
            "Scale by 1/√d_k", ["on", "off"], key="scale", accept_new_options=True, width=160,
            disabled=bool(fixed), help="on, off, or type a positive number to multiply by", **KEPT,
        )  # fmt: skip
        _number("Heads", "heads", 1, MAX_HEADS, bool(fixed))
        shown = st.container(width="content")
        st.selectbox(
            "Compare with", COMPARISONS, key="compare", format_func=COMPARE_NAMES.__getitem__,
            width=170, **KEPT,
        )  # fmt: skip
        with st.popover("Sizes and seed", key="sizes_panel", on_change="rerun") as panel:
            if panel.open:
                _sizes(bool(fixed))
    with problem:
        setup = _setup(bool(fixed))
    with shown:
        _which_head(setup.settings["heads"])
    return setup


def flipped(setup: Setup, kind: str | None) -> tuple[Setup | None, Mapping[str, object]]:
    """What to compare with: a setup and the settings to change in it."""
    settings = setup.settings
    if kind == "mask":
        return setup, {"mask": "causal" if settings["mask"] == "none" else "none"}
    if kind == "scale":
        return setup, {"scale": settings.get("scale", True) is False}
    return (st.session_state.get("before") if kind == "before" else None), {}


def _fixed_by_preset() -> Mapping[str, object]:
    """Set the widgets to what the chosen preset fixes, so that they show the truth."""
    state = st.session_state
    if not state.preset:
        return {}
    settings = preset(state.preset).settings
    for key in ("mask", "heads", "window", "prefix"):
        if key in settings:
            state[key] = settings[key]
    scale = settings.get("scale", True)
    state.scale = {True: "on", False: "off"}.get(scale, f"{scale:g}")
    return settings


def _setup(fixed: bool) -> Setup:
    state = st.session_state
    last: Setup = state.get("good", Setup())
    try:
        wanted = Setup(
            text=state.text,
            preset=state.preset or "",
            mask=state.mask or DEFAULTS["mask"],
            window=state.get("window") or DEFAULTS["window"],
            prefix=state.get("prefix") or DEFAULTS["prefix"],
            scale=True if fixed else parse_scale(state.scale or "on"),
            heads=_given("heads"),
            kv_heads=state.get("kv_heads"),
            d_model=_given("d_model"),
            seed=_given("seed"),
            edits=state.edits,
        )
        setup = _with_edits(wanted)
    except InputError as error:
        st.error(escape_markdown(f"{error}.") + " What is shown below is the last that worked.")
        return last
    if _signature(setup) != _signature(last) and "good" in state:
        state.before = last
    state.good = setup
    return setup


def _with_edits(wanted: Setup) -> Setup:
    """The setup with those edits that fit it; the others wait, and a message says so.

    Raises `InputError` where it would not run without them either.
    """
    try:
        _ = wanted.trace
    except InputError as error:
        bare = replace(wanted, edits={})
        _ = bare.trace
        st.warning(
            escape_markdown(f"Your edited {', '.join(wanted.edits)} does not fit: {error}.")
            + " It is kept, and used again when it fits; Reset drops it."
        )
        return bare
    return wanted


def _signature(setup: Setup) -> tuple[object, ...]:
    edits = tuple((name, array.tobytes()) for name, array in setup.edits.items())
    chosen = (getattr(setup, f.name) for f in fields(setup) if f.name != "edits")
    return (*chosen, edits)


def _given(key: str) -> int:
    value = st.session_state.get(key)
    return int(DEFAULTS[key] if value is None else value)


def _number(
    label: str, key: str, low: int, high: int, disabled: bool, placeholder: str | None = None
) -> None:
    st.number_input(
        label, low, high, value=None if placeholder else "min", step=1, key=key, width=112,
        disabled=disabled, placeholder=placeholder, **KEPT,
    )  # fmt: skip


def _segments(
    label: str, key: str, values: tuple[str, ...], names: Mapping[str, str], disabled: bool = False
) -> None:
    st.segmented_control(
        label, values, format_func=names.__getitem__, key=key,
        disabled=disabled, required=True, width="content", **KEPT,
    )  # fmt: skip


def _which_head(heads: int) -> None:
    st.session_state.head = min(st.session_state.head or 1, heads)
    if heads > 1:
        st.segmented_control(
            "Show head", list(range(1, heads + 1)), key="head", required=True, width="content",
            on_change=_forget_cell, **KEPT,
        )  # fmt: skip


def _forget_cell() -> None:
    """Another head is shown: its cell at the same place takes the selected one's part."""
    st.session_state.cell = ""
