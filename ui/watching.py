"""A page that watches long work: its place in the queue, how far it is, and that it can be left."""

from pathlib import Path

import streamlit as st

from stage.assets import module
from ui.queue import Work

_heartbeat = st.components.v2.component(
    "heartbeat", js=module(Path(__file__).parent / "heartbeat.js")
)


def watch(key: str, work: Work | None, every: int) -> None:
    """Watch the work for as long as its page is in front.

    Until the work is over, the fragment is drawn anew every so many milliseconds; each time counts.
    """
    running = work is not None and not work.over
    if work is not None:
        work.watch()
        st.session_state.setdefault("watched", {})[key] = work
    _heartbeat(key=key, data={"running": running, "every": every}, on_beat_change=lambda: None)


def say_progress(work: Work, done: float, text: str) -> None:
    """Say how far the work is, or its place in the queue while it waits to begin."""
    if place := work.place:
        text = (
            f"Place {place} in the queue. It moves on by itself; if you leave this page, you give "
            "your place up."
        )
    st.progress(done, text)


def leave_work(page: str) -> None:
    """Give up what was watched on another page, now that a visitor is on this one."""
    state = st.session_state
    if state.get("watched_on", page) != page:
        for work in state.pop("watched", {}).values():
            work.leave()
    state.watched_on = page
