"""A picture of what one word reads in some sentences, and of its row before and after."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import streamlit as st

from core.chapters.words.neighbours import BankReading
from stage.hosts.assets import module, sheet

_FOLDER = Path(__file__).parent
_readings = st.components.v2.component(
    "word_readings", css=sheet(_FOLDER / "readings.css"), js=module(_FOLDER / "readings.js")
)


def draw_readings(key: str, readings: Sequence[BankReading]) -> None:
    """Draw the sentences next to each other, below each other where there is no room."""
    _readings(key=f"{key}_picture", data=[list(map(asdict, readings))])
