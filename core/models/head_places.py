"""A layer and a head, as a link has them: counted from 1, with a point between."""

import re

from core.errors import InputError, input_error
from core.texts import core_texts

TEXTS = core_texts("head_places")

Place = tuple[int, int]
"""A layer and a head, from 0."""


def place_text(place: Place) -> str:
    """Return a layer and a head as a link has them."""
    return ".".join(str(at + 1) for at in place)


def read_place(key: str, text: str) -> Place | None:
    """Return the layer and head, from 0, that a link names; None for "". Raises `InputError`."""
    if not text:
        return None
    found = re.fullmatch(r"([1-9]\d{0,2})\.([1-9]\d{0,2})", text, re.ASCII)
    if found is None:
        raise input_error(TEXTS, "no_place", key=key, text=text[:20])
    return int(found[1]) - 1, int(found[2]) - 1


def is_place_of(place: Place, layers: int, heads: int) -> bool:
    """Whether a model with so many layers and heads in each has this one."""
    return place[0] < layers and place[1] < heads


def missing_place(place: Place, layers: int, heads: int) -> InputError:
    """Return what is said of a layer or a head that a model does not have."""
    numbers = {"layer": place[0] + 1, "head": place[1] + 1}
    return input_error(TEXTS, "not_in_run", layers=layers, heads=heads, **numbers)
