"""A page that looks again and again at what is under way, while it is in front."""

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from stage.assets import module

_heartbeat = st.components.v2.component(
    "heartbeat", js=module(Path(__file__).parent / "heartbeat.js")
)


def heartbeat(key: str, running: bool, every: int, beat: Callable[[], None]) -> None:
    """While `running`, `beat` is called every so many milliseconds, and the fragment drawn anew."""
    _heartbeat(key=key, data={"running": running, "every": every}, on_beat_change=beat)
