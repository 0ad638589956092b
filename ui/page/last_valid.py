"""What a page shows while what was typed cannot be used: the last that worked, and a message.

Each of several values may make sense by itself, and they may still not fit together (7 heads, 8
features). Then those give way that do not fit with the others: to what they were when they last
worked, or else to what the page began with. The link holds what is shown.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import streamlit as st

from core.errors import InputError
from ui.links.links import Keys
from ui.links.session import Prepare, place_of_messages, show_instead
from ui.page_texts import plain_ui_texts
from ui.text import escape_markdown

Made = TypeVar("Made")
TEXTS = plain_ui_texts("messages")
Words = Mapping[str, str]
"""Keys of a link whose values must fit together, each with its word in a message.

Those that give way first stand first.
"""


@dataclass(frozen=True)
class Fitted(Generic[Made]):
    """Values that fit, what is made of them, and for each that gave way the reason."""

    values: dict[str, Any]
    made: Made
    faults: dict[str, InputError]


def fitting(
    make: Callable[..., Made], wanted: Mapping[str, Any], instead: Mapping[str, Any]
) -> Fitted[Made]:
    """Return the wanted values if they fit together, or as many of them as fit with each other.

    From the last to the first, each is taken into the values `instead` if `make` accepts it there.
    Raises `InputError` if `make` does not accept even the values `instead`.
    """
    try:
        return Fitted(dict(wanted), make(**wanted), {})
    except InputError:
        values, made = dict(instead), make(**instead)
    faults: dict[str, InputError] = {}
    for name in reversed([*wanted]):
        if wanted[name] == values[name]:
            continue
        try:
            made = make(**values | {name: wanted[name]})
            values[name] = wanted[name]
        except InputError as error:
            faults[name] = error
    return Fitted(values, made, {name: faults[name] for name in wanted if name in faults})


def of_one(make: Callable[[Any], Made]) -> Callable[..., Made]:
    """Return what makes something of the one value that it is given, whatever its key is called."""
    return lambda **given: make(*given.values())


def link_that_fits(words: Words, keys: Keys, make: Callable[..., Any]) -> Prepare:
    """For `open_link`: values of a link that do not fit together give way to the defaults."""

    def prepare(values: dict[str, Any], messages: list[str]) -> dict[str, Any]:
        fitted = fitting(make, {name: values[name] for name in words}, default_values(keys, words))
        messages += faults_of_link(fitted.faults)
        return values | fitted.values

    return prepare


def what_works(words: Words, keys: Keys, make: Callable[..., Made]) -> Fitted[Made]:
    """What `make` makes of the session's values of some keys, or else of the last that worked.

    Says beside the controls, where it is called, what is wrong and what is shown instead.
    """
    state = st.session_state
    worked = state.setdefault("worked", {})
    first = default_values(keys, words)
    wanted = {name: first[name] if state[name] is None else state[name] for name in words}
    try:
        fitted = fitting(make, wanted, {name: worked.get(name, first[name]) for name in words})
    except InputError:
        fitted = fitting(make, wanted, first)
    with place_of_messages():
        for message in fault_messages(words, fitted, worked):
            st.error(escape_markdown(message))
    show_instead(words, {name: fitted.values[name] for name in fitted.faults})
    worked.update(fitted.values)
    return fitted


def fault_messages(words: Words, fitted: Fitted[Any], worked: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong, and what is shown instead: a message for each fault."""
    for error, names in _by_error(fitted.faults).items():
        shown = [_shown(words[name], fitted.values[name]) for name in names]
        last = all(name in worked and worked[name] == fitted.values[name] for name in names)
        yield TEXTS("shown_instead", error=error, shown=shown, last=last)


def faults_of_link(faults: Mapping[str, InputError]) -> list[str]:
    return [TEXTS("default_used", error=error) for error in _by_error(faults)]


def default_values(keys: Keys, names: Words) -> dict[str, Any]:
    """What a page begins with where its link says nothing."""
    return {name: keys[name].default for name in names}


def _by_error(faults: Mapping[str, InputError]) -> dict[str, list[str]]:
    """The names of what gave way, by the reason."""
    names: dict[str, list[str]] = {}
    for name, error in faults.items():
        names.setdefault(str(error), []).append(name)
    return names


def _shown(word: str, value: Any) -> str:
    """As "the sentence", "heads = 2"."""
    if word.startswith("the "):
        return word
    return TEXTS("default_of", word=word) if value is None else f"{word} = {value}"
