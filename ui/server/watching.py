"""A page that watches long work: its place in the queue, how far it is, and that it can be left."""

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from ui.components.component import component
from ui.page_texts import ui_texts
from ui.server.queue import Work

_heartbeat = component(Path(__file__).with_name("heartbeat.js"))


def heartbeat(key: str, every: int, on_beat: Callable[[], None], *, running: bool = True) -> None:
    """While `running` and the page is in front, have `on_beat` called every so many milliseconds.

    The part of the page in which it is drawn is then drawn anew.
    """
    told = st.session_state.get(key) or {}
    data = {"running": running, "every": every, "received": told.get("beat")}
    _heartbeat(key=key, data=data, on_beat_change=on_beat)


def watch_work(
    key: str,
    work: Work | None,
    every: int,
    on_beat: Callable[[], None] = lambda: None,
    resting: int = 0,
) -> None:
    """Watch the work for as long as its page is in front.

    Until the work is over, the browser says every so many milliseconds that it is there: `on_beat`
    is called, and the fragment drawn anew. If `resting` is not 0, it goes on after the work, so
    many milliseconds apart.
    """
    state = st.session_state
    if work is None:
        beat = on_beat
    else:
        state.setdefault("watched", {})[key] = work

        def beat() -> None:
            work.watch()
            on_beat()

        beat()
    is_running = work is not None and not work.over
    pause = every if is_running else resting or every
    heartbeat(key, pause, beat, running=is_running or bool(work and resting))


def say_progress(work: Work, done: float, text: str) -> None:
    """Say how far the work is, or its place in the queue while it waits to begin."""
    if place := work.place:
        text = ui_texts("messages")("in_queue", place=place)
    st.progress(done, text)


def leave_work(page: str) -> None:
    """Give up what was watched on another page, now that a visitor is on this one."""
    state = st.session_state
    if state.get("watched_on", page) != page:
        for work in state.pop("watched", {}).values():
            work.leave()
    state.watched_on = page
