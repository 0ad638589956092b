"""The walkthrough's keys in the link, how edited matrices travel in it, and the setup that its
values describe, in a session or without one.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from core.attention.examples.presets import OPENING, PRESETS, Preset, preset
from core.attention.examples.river_bank import OWN_BANK
from core.attention.examples.two_meanings import OWN, own_features, own_pair, own_word
from core.attention.family import (
    CORNER_TOGGLE,
    HEADS_TOGGLE,
    MASK_TOGGLE,
    SCALE_TOGGLE,
    read_scale,
    scale_text,
)
from core.attention.given.starting_points import TOKEN_LISTS
from core.attention.layers.biases import BIASES
from core.attention.masks import OFFERED_SIZES
from core.attention.phases import PHASES
from core.attention.program import attention_program
from core.attention.setups import DEFAULT_TEXT, GIVABLE, OF_PAIRS, OWN_KEYS, Setup
from core.errors import InputError, input_error
from core.files.matrices import MAX_SIDE
from core.limits import LARGEST, LONGEST_TOKEN, MAX_D_MODEL, MAX_HEADS, MAX_SEED, MAX_TOKENS
from ui.links.links import (
    PAGE_DEFAULT,
    SENTENCE_KEY,
    Key,
    Keys,
    cell_of,
    checked_text,
    cover_of,
    defaults,
    makes_sense,
    one_of,
    packed_data,
    text_of,
    unpacked_data,
    values_of_link,
    whole_number_reader,
)
from ui.page_texts import chart_texts
from ui.stage.toggles import toggle_keys

TEXTS = chart_texts("walkthrough")

AXES_COUNT: Mapping[str, tuple[int, ...]] = {
    **dict.fromkeys(GIVABLE, (3,)),
    **dict.fromkeys(("X", "W_O", *BIASES), (2,)),
    **dict.fromkeys(OF_PAIRS, (2, 3)),
    **dict.fromkeys(("b_O", *TOKEN_LISTS), (1,)),
}
"""How many axes an array that travels in a link has: with heads, the first of three is theirs."""
STEPS_OF_LINKS = (*attention_program(mask="custom", biases=True).names, "bias", "biased")
"""What a link can lead to: the arrays of all programs of the walkthrough."""
STEP_OF_LINKS = "scores"
"""Where a link leads that names no step."""
_HEAD, _SIZE = whole_number_reader(1, MAX_HEADS), whole_number_reader(1, MAX_TOKENS)
LARGEST_UNPACKED = 1_000_000
COMPARISONS = ("none", "mask", "scale", "before")


def packed_edits(edits: Mapping[str, np.ndarray]) -> str:
    """Edited matrices as URL text: JSON, deflated, base64."""
    if not edits:
        return ""
    lists = {name: array.tolist() for name, array in edits.items()}
    raw = json.dumps(lists, separators=(",", ":")).replace(".0,", ",").replace(".0]", "]")
    return packed_data(raw.encode())


def unpack(packed: str) -> dict[str, np.ndarray]:
    """The edited matrices of a link. Raises `InputError` for anything else."""
    bad = input_error(TEXTS, "bad_matrices")
    if not packed:
        return {}
    try:
        lists: Any = json.loads(unpacked_data(packed, LARGEST_UNPACKED))
        arrays = {name: _array(name, value) for name, value in lists.items()}
    except (ValueError, TypeError, AttributeError, RecursionError, OverflowError):
        raise bad from None
    for name, array in arrays.items():
        if not _may_fit(name, array.shape):
            raise bad
        is_text = name in TOKEN_LISTS
        if not is_text and not (np.isfinite(array).all() and np.abs(array).max() <= LARGEST):
            raise bad
    if "mask" in arrays:
        if not np.isin(arrays["mask"], (0, 1)).all():
            raise bad
        arrays["mask"] = arrays["mask"].astype(bool)
    return arrays


def _array(name: str, value: Any) -> np.ndarray:
    """An array of a link. Raises `ValueError` or `TypeError` for what is none."""
    if name not in TOKEN_LISTS:
        return np.array(value, dtype=float)
    if not all(isinstance(token, str) and len(token) <= LONGEST_TOKEN for token in value):
        raise ValueError
    return np.array(value, dtype=np.str_)


def _may_fit(name: str, shape: Sequence[int]) -> bool:
    """Whether an array of that name and shape fits some setting."""
    if len(shape) not in AXES_COUNT.get(name, ()) or min(shape) < 1:
        return False
    limits = (MAX_HEADS, MAX_SIDE, MAX_SIDE)[-len(shape) :]
    return all(size <= most for size, most in zip(shape, limits, strict=True))


_OWN = zip(OWN_KEYS, OWN_BANK, (own_word, own_pair, own_features), strict=True)
WALKTHROUGH: Keys = {
    "preset": Key(None, one_of(*PRESETS, OWN)),
    **{key: Key(default, checked_text(check)) for key, default, check in _OWN},
    "text": Key(DEFAULT_TEXT, text_of, SENTENCE_KEY),
    **toggle_keys(MASK_TOGGLE, SCALE_TOGGLE),
    **{size.key: Key(size.default, _SIZE) for size in OFFERED_SIZES.values()},
    "heads": Key(int(HEADS_TOGGLE.default), _HEAD),
    "kv_heads": Key(None, _HEAD),
    "d_model": Key(8, whole_number_reader(1, MAX_D_MODEL)),
    "seed": Key(0, whole_number_reader(0, MAX_SEED)),
    "head": Key(1, _HEAD),
    **toggle_keys(CORNER_TOGGLE),
    "step": Key(None, one_of(*STEPS_OF_LINKS)),
    "cell": Key("", cell_of),
    "cover": Key("", cover_of(*STEPS_OF_LINKS)),
    "compare": Key("none", one_of(*COMPARISONS)),
    "m": Key("", checked_text(unpack)),
}
DEFAULTS = defaults(WALKTHROUGH)
BARE = {"preset": OPENING, "step": PHASES[0].main}
"""What an address means that has no key: the opening example, at the first step."""


def keys_of_bare() -> Keys:
    """The keys of an address that has none."""
    keys = keys_under(BARE)
    return {**keys, **{name: replace(keys[name], default=text) for name, text in BARE.items()}}


def example_of(values: Any) -> Preset | None:
    """The example that the values of a link name, or those of the session; None if none.

    What cannot be used of a person's own is as it is by default.
    """
    name = values.get("preset")
    if name != OWN:
        return PRESETS.get(name)
    own = {key: str(values.get(key, DEFAULTS[key])) for key in OWN_KEYS}
    fits = {key: makes_sense(key, WALKTHROUGH[key], text) for key, text in own.items()}
    for given in (own, {key: own[key] if fits[key] else str(DEFAULTS[key]) for key in own}):
        try:
            return preset(OWN, **given)
        except InputError:
            continue
    return preset(OWN)


def keys_under(values: Any) -> Keys:
    """The keys of a link: under a preset the defaults are its own, and the heads are given.

    A preset that takes any sentence has a sentence of its own and gives all sizes.
    """
    example = example_of(values)
    if example is None:
        return WALKTHROUGH
    own_defaults: dict[str, Any] = {
        MASK_TOGGLE.key: example.settings["mask"],
        SCALE_TOGGLE.key: scale_text(example.settings["scale"]),
        HEADS_TOGGLE.key: example.settings["heads"],
    }
    if example.lexicon:
        own_defaults["text"] = example.text
        own_defaults["d_model"] = example.sizes["d_model"]
    return {
        **WALKTHROUGH,
        **{key: replace(WALKTHROUGH[key], default=own) for key, own in own_defaults.items()},
    }


def given_sizes(example: Preset) -> tuple[str, ...]:
    """The keys of a link that must agree with a preset's matrices.

    Of a preset only for its own words these are the heads: the other sizes count when it is left.
    """
    return ("heads", "kv_heads", "d_model") if example.lexicon else ("heads",)


SETTINGS = {field.name for field in fields(Setup)} - {"edits", "sizes"}


def values_without_session(said: Mapping[str, str]) -> dict[str, Any]:
    """Return what a link with a key means. Raises `InputError` for a value that makes no sense."""
    keys = keys_under(said)
    for name in (name for name in keys if said.get(name, PAGE_DEFAULT) != PAGE_DEFAULT):
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
