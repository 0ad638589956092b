"""A part of a page that is drawn alone when something in it changes; short runs take turns.

Of two runs at once, Python's lock lets now one go on and now the other, and both end when the later
one would by itself. One after the other, the first ends in half that time and the second no later.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from threading import RLock
from time import monotonic
from typing import ParamSpec, TypeVar

import streamlit as st
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.scriptrunner import RerunData, RerunException, get_script_run_ctx

from ui.server.unavailable import said_if_unavailable

LONGEST = 0.1
"""The seconds after which a run is no short one: others no longer wait for it."""

_turn = RLock()
_begun = 0.0


@contextmanager
def run_lock() -> Iterator[None]:
    """Wait for the run that has the turn, if it is a short one, and then have the turn."""
    global _begun
    mine = _turn.acquire(timeout=max(0.0, _begun + LONGEST - monotonic()))
    if mine:
        _begun = monotonic()
    try:
        yield
    finally:
        if mine:
            _turn.release()


Given = ParamSpec("Given")
Returned = TypeVar("Returned")
_part_of_page: ContextVar[bool] = ContextVar("part_of_page", default=False)


def fragment(draw: Callable[Given, Returned]) -> Callable[Given, Returned | None]:
    """`st.fragment` for what may change in the same moment as something else on the page.

    Of two widgets that change within one turn of its event loop (a click in the moment in which a
    stage reports), the browser sends both values, but asks for the fragment of the first alone. So
    a fragment looks whether others have changed as well, and then has the whole page run.
    """

    @wraps(draw)
    def drawn(*args: Given.args, **kwargs: Given.kwargs) -> Returned | None:
        with run_lock():
            _run_all_of_what_changed()
            context = get_script_run_ctx()
            before = _part_of_page.set(context is not None and not context.fragment_ids_this_run)
            try:
                with said_if_unavailable(draw.__name__.strip("_")):
                    return draw(*args, **kwargs)
                return None
            finally:
                _part_of_page.reset(before)

    return st.fragment(drawn)


def is_part_of_page() -> bool:
    """Whether a fragment is being drawn by a run of its whole page, which has an end of its own."""
    return _part_of_page.get()


def _run_all_of_what_changed() -> None:
    """Where a widget has changed whose fragment this run does not draw: have the whole page run.

    As `st.rerun` does, but a button that was pressed is still a pressed one in the new run.
    """
    context = get_script_run_ctx()
    if context is None or not context.fragment_ids_this_run:
        return
    asked, within = context.fragment_ids_this_run, context.fragment_storage.has_ancestor_in
    state = context.session_state._state
    new, known = state._new_widget_state, state._new_widget_state.widget_metadata
    # What was not there before this run has not changed: nobody has touched it yet.
    there = [name for name in new if name in known and name in state._old_state]
    changed = [name for name in there if state._widget_changed(name)]
    fragments = {known[name].fragment_id for name in changed}
    if all(of and (of in asked or within(of, asked)) for of in fragments):
        return
    values = WidgetStates(widgets=filter(None, map(new.get_serialized, changed)))
    raise RerunException(
        RerunData(
            query_string=context.query_string,
            page_script_hash=context.page_script_hash,
            cached_message_hashes=context.cached_message_hashes,
            context_info=context.context_info,
            replay_trigger_states=state._filter_active_trigger_widget_states(values),
        )
    )
