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
from stage.document.places import is_inside
from ui.links.links import parse_cell
from ui.page_texts import plain_ui_texts

TEXTS = plain_ui_texts("messages")
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
                TEXTS("key_has", key=key, text=repr(one[:30])), TEXTS("no_edit"),
                TEXTS("write", example="E.0.2=1.5;W_U.3.1=-2"),
            )  # fmt: skip
        found[cell] = value
    if len(found) > MOST_EDITS:
        raise InputError(
            TEXTS("edits", key=key, count=len(found)), TEXTS("limit", limit=MOST_EDITS),
            TEXTS("leave_some_out"),
        )  # fmt: skip
    return found


def keep_edit(key: str, trace: Trace, names: tuple[str, ...], cell: str, text: str) -> str:
    """Take a number typed into a cell of one of these arrays; why not, where it cannot be taken."""
    found = parse_cell(cell)
    if not found or found[0] not in names or not is_inside(trace, *found):
        return ""
    try:
        number = parse_matrix(text)
        if number.size != 1:
            raise InputError(
                TEXTS("no_number", text=repr(text[:20])), TEXTS("one_number"), TEXTS("type_one")
            )
        kept = edits(st.session_state[key]) | {found: number.item()}
        if len(kept) > MOST_EDITS:
            raise InputError(
                TEXTS("edited", count=MOST_EDITS), TEXTS("that_is_the_limit"), TEXTS("undo_some")
            )
        st.session_state[key] = ";".join(
            f"{cell_id(*at)}={value:.12g}" for at, value in kept.items()
        )
    except InputError as error:
        return TEXTS("cell_stays", cell=cell_name(trace, *found), error=str(error))
    return ""


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if abs(value) <= LARGEST else None
