"""Toggles of a family of programs as keys of a link: nothing of them said twice.

They stand on the stage (`ui/stage/exhibit.py`); the session has what is chosen under the same keys.
"""

import streamlit as st

from core.program.families import Family, Toggle
from core.program.trace import Trace
from ui.links.links import Key, checked_text


def toggle_keys(*toggles: Toggle, legacy_default: str | None = None) -> dict[str, Key]:
    """The keys of a link that toggles add to their page's; `legacy_default` as in `Key`."""
    return {
        toggle.key: Key(toggle.default, checked_text(toggle.check), legacy_default=legacy_default)
        for toggle in toggles
    }


def chosen(family: Family) -> dict[str, str]:
    """What is chosen of a family's toggles."""
    return {toggle.key: st.session_state[toggle.key] for toggle in family.toggles}


def run_as_chosen(family: Family) -> tuple[dict[str, str], Trace]:
    """What is chosen of a family's toggles, and the run of that."""
    now = chosen(family)
    return now, family.run(**now)
