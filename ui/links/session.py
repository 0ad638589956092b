"""A page's view between the URL and the session: read once, written after every change.

Each key of the link is the key of its widget, or of what a person did on a stage.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, TypeVar
from urllib.parse import urlencode

import streamlit as st

from ui.links.links import LONGEST_LINK, Keys, makes_sense, to_query, values_of_link
from ui.links.stage_position import follow_link
from ui.server.fragments import is_part_of_page
from ui.server.unexpected_errors import HAS_READ
from ui.server.visits import texts_of_widgets
from ui.text import escape_markdown

Prepare = Callable[[dict[str, Any], list[str]], dict[str, Any]]
Said = TypeVar("Said", str, list[str])
PERSIST: Any = {"persist_state": "session"}
"""Widgets keep their value while they are not drawn: a page is found again as it was left."""


def set_if_changed(**values: Any) -> None:
    """Set widgets to values, where they are not: a widget that is set is drawn once more."""
    state = st.session_state
    state.update({key: value for key, value in values.items() if state.get(key) != value})


def controlled_widget(
    name: str, value: Any, on_change: Callable[[Any], None], *, is_text: bool = False
) -> Any:
    """For a widget that shows a value of the session's, which the page may set as well: its key
    and its callback; `on_change` takes what a person changes it to. Of a field of text also what
    was typed into it while its session was lost.

    Once the page has set the value it is another widget: what a slow browser still says of the one
    from before is no change, unless a person has changed that one meanwhile. It is kept
    (`PERSIST`): a run that follows at once may throw away the message that told the new one its
    value; only of what is kept does Streamlit then tell it again.
    """
    state = st.session_state
    turns = state.setdefault("turns", {})
    if is_text and name not in turns and (typed := _typed_before(name, value)) is not None:
        turns[name] = 0
        on_change(typed)
        st.rerun()
    key = f"{name}_{turns.get(name, 0)}"
    if key not in state or state[key] != value:
        turns[name] = turns.get(name, 0) + 1
        key = f"{name}_{turns[name]}"
        state[key] = value
    return {"key": key, "on_change": _changed, "args": (key, value, on_change), **PERSIST}


def _typed_before(name: str, value: Any) -> str | None:
    """What a page that outlived its session has in such a widget, where it is another value."""
    held = (text for key, text in texts_of_widgets().items() if re.fullmatch(rf"{name}_\d+", key))
    return next((text for text in held if text != value), None)


def _changed(key: str, shown: Any, on_change: Callable[[Any], None]) -> None:
    value = st.session_state[key]
    if value != shown:
        on_change(value)


def open_link(page: str, keys: Keys, prepare: Prepare | None = None) -> set[str]:
    """In a visitor's first run of a page: set every key to what the link says.

    What comes along from the pages before is set each time the page is opened, except where the
    link says something else. Returns the names of what came.

    `prepare` takes the values and the messages, and returns all that the session begins with; it
    may add to the messages. These wait in `messages`.
    """
    state = st.session_state
    if state.get(f"opened_{page}"):
        brought = _brought(keys) if state.page != page else {}
        state.update(brought)
        state.page = page
        return set(brought)
    state[HAS_READ] = False
    held = {} if "page" in state else texts_of_widgets()
    typed = {n: t for n, t in held.items() if n in keys and makes_sense(n, keys[n], t)}
    values, messages = values_of_link(keys, link_said(), typed)
    if prepare is not None:
        values = prepare(values, messages)
    state.messages = messages
    brought = _brought(keys)
    values |= brought
    state.page = page
    state.update(values)
    if state.get("scene_arrives"):
        follow_link(keys)
    # Last: Streamlit may end a run at any write, and the next one then begins anew.
    state[f"opened_{page}"], state.scene_arrives = True, False
    return set(brought)


def _brought(keys: Keys) -> dict[str, Any]:
    """What comes along from the pages before and makes sense here, where the link says nothing."""
    state = st.session_state
    if state.get("scene_arrives"):
        return {}
    brought, link = state.get("brought", {}), link_said()
    found = {
        name: brought[key.carried_as]
        for name, key in keys.items()
        if key.carried_as in brought and name not in link
    }
    return {name: value for name, value in found.items() if makes_sense(name, keys[name], value)}


def _taken_along(along: Mapping[str, str], keys: Keys) -> dict[str, Any]:
    """What comes along from here; `along` names the keys of this page.

    What a page has of its own comes along only where a person has put it in the place of another.
    """
    state = st.session_state
    brought: dict[str, Any] = state.get("brought", {})
    own = [n for n, name in along.items() if state[name] == keys[name].default]
    stays = [n for n in own if n not in brought and not keys[along[n]].of_scene]
    return brought | {n: state[name] for n, name in along.items() if n not in stays}


def link_said() -> dict[str, str]:
    """What the link says: on a lesson's scene what the scene says, the link's own keys on top."""
    return {**st.session_state.get("scene_params", {}), **st.query_params.to_dict()}


def opens_covered(prefix: str) -> bool:
    """Whether the scene that is on the page covers something on its stage with this prefix."""
    return bool(st.session_state.get("scene_params", {}).get(f"{prefix}cover"))


def under_scene(keys: Keys) -> Keys:
    """The keys of a page with the defaults of the scene that is on it, if any."""
    params = st.session_state.get("scene_params", {})
    sentence = {name: text for name, text in params.items() if name in keys}
    if not sentence:
        return keys
    values, _ = values_of_link({name: keys[name] for name in sentence}, sentence)
    return {
        **keys,
        **{n: replace(keys[n], default=value, of_scene=True) for n, value in values.items()},
    }


def place_of_messages() -> AbstractContextManager[object]:
    """A place for what is said at times, so that what stands below keeps its own place.

    Of two runs that come at one time, Streamlit else puts parts of one into the other.
    """
    return st.container()


def say_messages(place: AbstractContextManager[object] | None = None) -> None:
    """What is wrong with the link, or with what was just done; said until something is done."""
    with place or place_of_messages():
        for message in _pop_said("messages", []):
            st.warning(escape_markdown(message))


def pop_flash(key: str) -> str:
    """A message of the session, taken out of it; `restore_flash` puts it back."""
    return _pop_said(key, "")


def _pop_said(key: str, nothing: Said) -> Said:
    state = st.session_state
    told: Said = state.pop(key, nothing)
    state.said_once = {**state.get("said_once", {}), key: told}
    return told


def restore_flash() -> None:
    """For a rerun that nobody asked for: what was said is said on."""
    state = st.session_state
    for key, told in state.get("said_once", {}).items():
        if isinstance(told, list):
            state[key] = told + state.get(key, [])
        elif told and key not in state:
            state[key] = told


def show_instead(names: Iterable[str], values: Mapping[str, Any]) -> None:
    """Of these keys, say which a page shows with other values than their widgets have."""
    state = st.session_state
    others = {key: v for key, v in state.get("shown_instead", {}).items() if key not in names}
    state.shown_instead = others | dict(values)


def in_view(keys: Keys) -> dict[str, Any]:
    """The values of a page's keys as they are shown."""
    state = st.session_state
    return {key: state.get(key) for key in keys} | {
        key: value for key, value in state.get("shown_instead", {}).items() if key in keys
    }


def save_link(keys: Keys, **made: str | None) -> list[str]:
    """Put what is shown into the URL where it differs from the defaults; its other keys stay.

    The sentence of a page that one has left goes: what that page last said may come after one left.
    `made` gives values that are not in the session as the link writes them; None: it does not.
    Returns the keys that are left out because the link would be too long. Where a whole page runs,
    its parts leave it to the page's end.
    """
    if is_part_of_page() and not made:
        return []
    state = st.session_state
    state[HAS_READ] = state.get(HAS_READ) or not is_part_of_page()
    keys = under_scene(keys)
    along = {key.carried_as: name for name, key in keys.items() if key.carried_as}
    state.brought = _taken_along(along, keys)
    state.carried = state.get("carried", set()) | {name for name in keys if keys[name].carried_as}
    left = state.carried - keys.keys() if along else set()
    wanted = to_query(keys, in_view(keys) | made)
    left_out = []
    shown = st.query_params.to_dict()
    stays = {key: text for key, text in shown.items() if key not in keys and key not in left}
    while wanted and len(urlencode(stays | wanted)) > LONGEST_LINK:
        left_out.append(max(wanted, key=lambda key: len(wanted[key])))
        del wanted[left_out[-1]]
    for key in [*keys, *left]:
        if key not in wanted:
            if key in shown:
                del st.query_params[key]
        elif shown.get(key) != wanted[key]:
            st.query_params[key] = wanted[key]
    return left_out
