"""The walkthrough's view in the session: from the link, to a setup, and back into the link.

If a value cannot be used, a message says so, and the last value that could be used is kept. Edits
that do not fit wait.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any
from urllib.parse import parse_qsl, urlencode

import numpy as np
import streamlit as st

from core.attention.examples.two_meanings import OWN
from core.attention.masks import OFFERED_SIZES
from core.attention.program import attention_program
from core.attention.setups import OWN_KEYS, Setup
from core.errors import InputError
from core.program.labels import cell_id, listed_names
from core.program.trace import Trace
from stage.document.places import Opening, carried, opened_at
from ui.chapters.walkthrough.keys import (
    BARE,
    DEFAULTS,
    STEP_OF_LINKS,
    WALKTHROUGH,
    chosen_settings,
    example_of,
    given_sizes,
    keys_of_bare,
    keys_under,
    packed_edits,
    setup_of,
    unpack,
)
from ui.links.links import LONGEST_LINK, Keys, defaults, parse_cell, to_query
from ui.links.session import in_view, link_said, open_link, save_link, show_instead, under_scene
from ui.links.stage_position import View
from ui.page.last_valid import Fitted, fault_messages, faults_of_link, fitting
from ui.page_texts import chart_texts

TEXTS = chart_texts("walkthrough")
PRESET_SETTINGS = ("mask", "heads", *OFFERED_SIZES, "scale")
"""The settings that each preset has of its own."""
OF_SENTENCE = ("text", "kv_heads", "d_model")
"""Those that a preset has too if it takes any sentence; under any other they are the person's."""
SETTING_NAMES = {
    "kv_heads": TEXTS("setting_kv_heads"), "heads": TEXTS("setting_heads"), "d_model": "d_model",
    "text": TEXTS("setting_text"), "scale": TEXTS("setting_scale"),
    "word": TEXTS("setting_word"), "cues": TEXTS("setting_cues"),
    "meanings": TEXTS("setting_meanings"),
}  # fmt: skip
"""The settings that may not fit each other, those first that give way first."""
LETTERS_OF = attention_program(mask="custom").letters


def read_link() -> None:
    """In a session's first run: set every control to what the link says."""
    text = link_said()
    keys = keys_of_bare() if _is_bare(text) else keys_under(text)
    open_link("walkthrough", keys, _begin)


def _begin(values: dict[str, Any], messages: list[str]) -> dict[str, Any]:
    """What the session begins with: the link's values, its edits, and the head of its cell."""
    instead, example = defaults(keys_under(values)), example_of(values)
    others = {key: instead[key] for key in SETTING_NAMES}
    fit = _fit(chosen_settings(values), unpack(values["m"]), others)
    messages += faults_of_link(fit.settings.faults | fit.left_out)
    values |= {key: fit.settings.values[key] for key in fit.settings.faults}
    sizes = {key: example.sizes[key] for key in given_sizes(example)} if example else {}
    for key, own in sizes.items():
        if values[key] not in (own, instead[key]):
            messages.append(TEXTS("size_of_example", key=key, value=values[key], own=own))
            values[key] = instead[key]
    head, heads = _head_of_cell(values), values["heads"]
    if "step" in link_said() and not values["cell"]:
        values["cell"] = _meant_cell(fit.setup, values["step"], head)
    if not values["preset"] and head > heads:
        messages.append(TEXTS("last_head", head=head, heads=heads))
    edits = fit.setup.edits
    return values | {
        "step": values["step"] or STEP_OF_LINKS,
        "head": head, "edits": edits, "undo": [],
        "settings_of": values["preset"],
        "own_settings": {key: DEFAULTS[key] for key in PRESET_SETTINGS},
        "own_sentence": {"preset": None} | {k: DEFAULTS[k] for k in (*OF_SENTENCE, *OWN_KEYS)},
    }  # fmt: skip


def opening_of(setup: Setup) -> Opening:
    """Where one looks who has not chosen."""
    return Opening(setup.opening_array, (0, *setup.opening), setup.openings)


def _meant_cell(setup: Setup, step: str, head: int, own: bool = False) -> str:
    """The cell that a link means that names a step and none; "" if the step opens there anyway.

    It is the opening's place in that step, as it was before steps opened at cells of their own.
    With `own` the cell at which the step opens, if it is another.
    """
    if step not in setup.openings:
        return ""
    slices = {"h": head - 1}
    opens = opened_at(setup.trace, step, opening_of(setup), slices)
    meant = carried(setup.trace, step, setup.opening_array, (0, *setup.opening), slices)
    return "" if opens == meant else cell_id(step, opens if own else meant)


def _untouched_cell() -> dict[str, str]:
    """The cell of a step that nobody has touched, if a link has to say it."""
    state = st.session_state
    own = "" if state.cell else _meant_cell(state.good, state.step, state.head, own=True)
    return {"cell": own} if own else {}


def _is_bare(said: Iterable[str]) -> bool:
    """Whether an address with these keys has none. A page within another one has more than it says.

    A bare one opens the example at the first step; any other means the scores, as links always did.
    """
    return not {*said} - {"role"} and not st.context.is_embedded


def _understood(made: Mapping[str, str | None]) -> tuple[str, ...]:
    """What the address need not name: it does not yet, and means the same without."""
    asked, keys = link_said(), link_keys()
    wanted = to_query(keys, in_view(keys) | dict(made))
    if _is_bare(asked) and wanted == BARE:
        return tuple(BARE)
    beside = (set(wanted) | set(st.query_params) - set(keys)) - {"step"}
    is_meant = "step" not in asked and not _is_bare(beside)
    return ("step",) if is_meant and st.session_state.step == STEP_OF_LINKS else ()


def view_query() -> str:
    """The view as the query string of a link, which others can open."""
    return urlencode(keys_of_view(keys_now()))


def keys_of_view(keys: Keys) -> dict[str, str]:
    """The view as the keys of a link that has these defaults."""
    unsaid = {} if st.session_state.good.has_corner else {"corner": None}
    return to_query(keys, in_view(WALKTHROUGH) | {"m": _packed()} | unsaid | _untouched_cell())


def covered_link(view: View) -> str:
    """Return the link that asks for the covered cell that is selected, below the own address."""
    asked = dict(parse_qsl(view_query())) | {"step": view.array, "cell": view.selected}
    return f"?{urlencode(asked)}"


def keys_now() -> Keys:
    """The keys of the link, with the defaults of the preset that is chosen.

    What makes a person's own example is kept beside another one, and no link of that names it.
    """
    state = st.session_state
    keys = keys_under(state)
    if state.preset == OWN:
        return keys
    return {**keys, **{key: replace(keys[key], default=state[key]) for key in OWN_KEYS}}


def link_keys() -> Keys:
    """The same on a lesson's scene."""
    return under_scene(keys_now())


def write_link() -> str:
    """Put the view into the URL; return what is wrong with that, if anything."""
    names = {"m": TEXTS("edited_matrices"), "text": TEXTS("setting_text")}
    made: dict[str, str | None] = {"m": _packed()}
    if not st.session_state.good.has_corner:
        made["corner"] = None
    made |= dict.fromkeys(_understood(made))
    if "step" not in made:
        made |= _untouched_cell()
    left_out = save_link(link_keys(), **made)
    if not left_out:
        return ""
    lost = listed_names([names.get(key, key) for key in left_out])
    return TEXTS("too_long", limit=f"{LONGEST_LINK:,}", lost=lost, matrices="m" in left_out)


def current_setup() -> tuple[Setup, list[str]]:
    """The setup that the controls and the edits describe, as far as they fit; and what does not."""
    state = st.session_state
    values, edits = chosen_settings(state), state.edits
    asked = state.get("asked")
    if not asked or asked[0] != values or asked[1] is not edits:
        worked = state.setdefault("worked", {})
        fit = _fit(values, edits, {key: worked.get(key, DEFAULTS[key]) for key in SETTING_NAMES})
        faults = fault_messages(SETTING_NAMES, fit.settings, worked)
        state.problems = [*faults, *_waiting(fit.left_out)]
        show_instead(SETTING_NAMES, {key: fit.settings.values[key] for key in fit.settings.faults})
        worked.update(fit.settings.values)
        if "good" in state and _signature(fit.setup) != _signature(state.good):
            state.before = state.good
        state.good = fit.setup
        state.asked = values, edits
    return state.good, state.problems


def compared_with(setup: Setup) -> Trace | None:
    """The run to compare with: one setting flipped, or what was before."""
    state, settings = st.session_state, setup.settings
    if state.compare == "mask":
        return setup.run(mask="causal" if settings["mask"] == "none" else "none")
    if state.compare == "scale":
        return setup.run(scale=settings["scale"] is False)
    if state.compare == "before" and "before" in state:
        return state.before.trace  # type: ignore[no-any-return]
    return None


def _head_of_cell(values: Mapping[str, Any]) -> int:
    """The head that a link shows, counted from 1: its cell decides where it belongs to one."""
    found = parse_cell(values["cell"])
    letter = LETTERS_OF[found[0]][0] if found and found[0] in LETTERS_OF else ""
    if not found or letter not in ("h", "g"):
        return int(values["head"])
    group = values["heads"] // (values["kv_heads"] or values["heads"]) if letter == "g" else 1
    head = int(found[1][0]) * max(group, 1) + 1
    return head if head <= values["heads"] else int(values["head"])


@dataclass(frozen=True)
class _Fit:
    """What runs of settings and edits: which settings gave way, and which edits are left out."""

    setup: Setup
    settings: Fitted[Setup]
    left_out: dict[str, InputError]


def _fit(
    values: Mapping[str, Any], edits: Mapping[str, np.ndarray], instead: Mapping[str, Any]
) -> _Fit:
    """As much as fits: as few settings as possible give way, and edits where they fit none."""

    def chosen(**some: Any) -> Setup:
        try:
            return setup_of({**values, **some}, edits)
        except InputError:
            if not edits:
                raise
            return setup_of({**values, **some}, {})

    wanted = {key: values[key] for key in SETTING_NAMES}
    try:
        settings = fitting(chosen, wanted, instead)
    except InputError:  # what worked last did so with edits that are gone
        settings = fitting(chosen, wanted, {key: DEFAULTS[key] for key in SETTING_NAMES})
    if settings.made.edits is edits:
        return _Fit(settings.made, settings, {})

    def edited(**kept: bool) -> Setup:
        some = {name: edits[name] for name in edits if kept[name]}
        return setup_of({**values, **settings.values}, some)

    # Of edits that do not fit each other, those that came first stay.
    latest: dict[str, bool] = dict.fromkeys(reversed(list(edits)), True)
    matrices = fitting(edited, latest, dict.fromkeys(latest, False))
    return _Fit(matrices.made, settings, matrices.faults)


def _waiting(left_out: Mapping[str, InputError]) -> list[str]:
    """The message about edits that do not fit the settings, if there are any."""
    if not left_out:
        return []
    error = str(next(iter(left_out.values())))
    return [TEXTS("waiting", names=", ".join(left_out), many=len(left_out) > 1, error=error)]


def _packed() -> str:
    """The edits on show as a link writes them; packed anew only when they are others."""
    state = st.session_state
    edits = state.good.edits
    if "packed" not in state or state.packed[0] is not edits:
        state.packed = edits, packed_edits(edits)
    text: str = state.packed[1]
    return text


def _signature(setup: Setup) -> tuple[object, ...]:
    edits = tuple((name, array.tobytes()) for name, array in setup.edits.items())
    chosen = (getattr(setup, f.name) for f in fields(setup) if f.name != "edits")
    return (*chosen, edits)
