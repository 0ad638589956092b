"""What a page needs and cannot have for a moment, such as a file on a full disk: it is said, and
the page looks again by itself.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from ui.server.watching import heartbeat
from ui.text import escape_markdown

POLL_MS = 3_000
"""Milliseconds between two looks."""


class UnavailableError(Exception):
    """What cannot be used now, and may be in a moment.

    It is no `InputError`: who asks whether something is there must not be told that it is not. Who
    changes something catches it, and says next to the control that nothing was changed.
    """


@contextmanager
def said_if_unavailable(place: str) -> Iterator[None]:
    """Say what is missing in place of the rest that is drawn here, and draw this again soon.

    `place` is its own among those of a page.
    """
    try:
        yield
    except UnavailableError as error:
        st.error(escape_markdown(str(error)))
        heartbeat(f"unavailable_{place}", POLL_MS, lambda: None)
