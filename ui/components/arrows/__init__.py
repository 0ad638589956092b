"""Two arrows that can be dragged: one components-v2 component, and how a link writes an arrow.

While an arrow moves, its numbers follow in the browser; `arrows` reports where it was let go.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from core.chapters.dot_products.vector_pair import SIGNS, Vector, VectorPair
from core.errors import InputError, input_error
from ui.components.component import component
from ui.components.component_events import answer, read_event
from ui.links.links import Reader
from ui.page_texts import chart_texts

TEXTS = chart_texts("dot_products")
LARGEST_COORDINATE = 5
"""No coordinate of an arrow is larger."""
_VECTOR = re.compile(r"(-?[0-9](?:\.[0-9])?),(-?[0-9](?:\.[0-9])?)")


_arrows = component(Path(__file__).with_name("arrows.js"), "two_arrows")


def arrows(key: str, pair: VectorPair, on_drop: Callable[[VectorPair], None]) -> None:
    """Draw the arrows of a pair in the plane; `on_drop` gets them as they were left."""

    def dropped() -> None:
        if found := _pair(read_event(key, "drop")):
            on_drop(found)

    data = {"q": pair.q, "k": pair.k, "limit": LARGEST_COORDINATE, "words": dict(SIGNS)}
    _arrows(key=key, data=[data | answer(key)], on_drop_change=dropped)


def parse_vector(text: str) -> Vector:
    """Return `3,-1.5` as a vector of the plane. Raises `InputError`."""
    found = _VECTOR.fullmatch(text)
    vector = tuple(float(part) for part in found.groups()) if found else ()
    if not vector or max(map(abs, vector)) > LARGEST_COORDINATE:
        raise input_error(TEXTS, "arrow", text=repr(text[:20]), limit=LARGEST_COORDINATE)
    return vector


def vector_text(vector: Vector) -> str:
    """Return a vector as a link writes it."""
    return ",".join(f"{x + 0:g}" for x in vector)


def vector_of(key: str, text: str) -> str:
    """Return an arrow of a link, as links write it."""
    return vector_text(parse_vector(text))


def tenths_reader(low: float, high: float) -> Reader:
    """Return what reads a number between two bounds, with at most one digit after the point."""

    def reader(key: str, text: str) -> float:
        fits = re.fullmatch(r"-?[0-9]{1,3}(\.[0-9])?", text)
        if not (fits and low <= float(text) <= high):
            ends = {"low": f"{low:g}", "high": f"{high:g}"}
            raise input_error(TEXTS, "number", key=key, text=repr(text[:20]), **ends)
        return float(text)

    return reader


def _pair(value: Any) -> VectorPair | None:
    """Return what the browser sends, if it is two arrows."""
    try:
        q, k = ([round(float(x), 1) for x in value[name]] for name in ("q", "k"))
        return VectorPair(parse_vector(vector_text(tuple(q))), parse_vector(vector_text(tuple(k))))
    except (InputError, TypeError, ValueError, KeyError, OverflowError):
        return None
