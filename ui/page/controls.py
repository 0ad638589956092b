"""Controls that many pages have, which keep their value while they are not drawn."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import streamlit as st

from ui.links.session import PERSIST
from ui.page.prose import typeset_count


def choose_one(
    label: str, options: Mapping[Any, str] | Iterable[Any], key: str, **looks: Any
) -> Any:
    """Return one of some options, side by side: one is always chosen. A mapping has their words.

    `looks` are as for `st.segmented_control`.
    """
    if isinstance(options, Mapping):
        looks["format_func"] = options.__getitem__
    return st.segmented_control(label, options, key=key, required=True, **looks, **PERSIST)


def slide_along(label: str, numbers: Sequence[Any], key: str, **looks: Any) -> Any:
    """Return one of some numbers in a row, which are written with commas.

    `looks` are as for `st.select_slider`.
    """
    written = {"format_func": typeset_count} | looks
    return st.select_slider(label, numbers, key=key, **written, **PERSIST)
