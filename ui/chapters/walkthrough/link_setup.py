"""The setup that the values of the walkthrough's link describe, in a session or without one."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from core.attention.family import read_scale
from core.attention.masks import OFFERED_SIZES
from core.attention.setups import Setup
from ui.chapters.walkthrough.keys import DEFAULTS, WALKTHROUGH, keys_under, unpack
from ui.links.links import UNTOUCHED, values_of_link

SETTINGS = {field.name for field in fields(Setup)} - {"edits", "sizes"}


def values_without_session(said: Mapping[str, str]) -> dict[str, Any]:
    """Return what a link with a key means. Raises `InputError` for a value that makes no sense."""
    keys = keys_under(said)
    for name in (name for name in keys if said.get(name, UNTOUCHED) != UNTOUCHED):
        keys[name].reader(name, said[name])
    return values_of_link(keys, said)[0]


def setup_of_link(values: Mapping[str, Any]) -> Setup:
    """Return the setup of a link's values, with its edits. Raises `InputError` if none runs."""
    return setup_of(chosen_settings(values), unpack(values["m"]))


def chosen_settings(values: Any) -> dict[str, Any]:
    """What a setup is made of, its edits apart; an empty field means the default."""
    return {
        key: DEFAULTS[key] if (value := values.get(key)) is None else value
        for key in WALKTHROUGH
        if key in SETTINGS or key in OFFERED_SIZES
    }


def setup_of(values: Mapping[str, Any], edits: Mapping[str, np.ndarray]) -> Setup:
    """The setup of what was chosen. Raises `InputError` where it does not run."""
    preset = values["preset"] or ""
    scale = read_scale(values["scale"])
    sizes = {key: values[key] for key in OFFERED_SIZES}
    own = {key: value for key, value in values.items() if key not in OFFERED_SIZES}
    setup = Setup(**{**own, "preset": preset, "scale": scale}, sizes=sizes, edits=edits)
    _ = setup.trace
    return setup
