"""A picture of what one word reads in some sentences, and of its row before and after."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from core.chapters.words.neighbours import BankReading
from ui.components.component import component

_readings = component(Path(__file__).with_name("readings.js"), "word_readings")


def draw_readings(key: str, readings: Sequence[BankReading]) -> None:
    """Draw the sentences next to each other, below each other where there is no room."""
    _readings(key=f"{key}_picture", data=[list(map(asdict, readings))])
