"""Numbers that a person types into cells of an exhibit's stage, kept as a text in the link.

`E.0.2=1.5;W_U.3.1=-2`: a cell and its number, in the order in which they were typed.
"""

import streamlit as st

from core.errors import InputError
from core.files.text import parse_matrix
from core.limits import LARGEST
from core.program.labels import cell_id, cell_name
from core.program.patterns import Cell
from core.program.trace import Trace
from stage.places import is_inside
from ui.links import parse_cell

MOST_EDITS = 60
"""More would not fit into a link."""

Edits = dict[tuple[str, Cell], float]


def edits_of(key: str, text: str) -> str:
    """A reader for links; "" where nothing has been edited."""
    edits(text, key)
    return text


def edits(text: str, key: str = "numbers") -> Edits:
    """The numbers by cell. Raises `InputError`."""
    found: Edits = {}
    for one in filter(None, text[: 40 * MOST_EDITS].split(";")):
        name, _, number = one.partition("=")
        cell = parse_cell(name)
        value = _number(number) if cell else None
        if cell is None or value is None:
            raise InputError(
                f"{key} has {one[:30]!r}", "it must be a cell and its number",
                "write E.0.2=1.5;W_U.3.1=-2",
            )  # fmt: skip
        found[cell] = value
    if len(found) > MOST_EDITS:
        raise InputError(
            f"{key} has {len(found)} numbers", f"the limit is {MOST_EDITS}", "leave some out"
        )
    return found


def keep_edit(key: str, trace: Trace, names: tuple[str, ...], cell: str, text: str) -> str:
    """Take a number typed into a cell of one of these arrays; why not, where it cannot be taken."""
    found = parse_cell(cell)
    if not found or found[0] not in names or not is_inside(trace, *found):
        return ""
    try:
        number = parse_matrix(text)
        if number.size != 1:
            raise InputError(f"{text[:20]!r} is no number", "a cell takes one", "type it alone")
        kept = edits(st.session_state[key]) | {found: number.item()}
        if len(kept) > MOST_EDITS:
            raise InputError(
                f"{MOST_EDITS} numbers are edited", "that is the limit", "take some back with Reset"
            )
        st.session_state[key] = ";".join(
            f"{cell_id(*at)}={value:.12g}" for at, value in kept.items()
        )
    except InputError as error:
        return f"{cell_name(trace, *found)} stays as it was. {error}."
    return ""


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if abs(value) <= LARGEST else None
