"""How much data moves in a longer text: with all scores at once, and tile by tile."""

import streamlit as st

from core.attention.costs import size_text
from core.chapters.recursive_attention.traffic import BYTES, compared
from core.program.numbers.rounding import decimal_text
from ui.links.links import Key, Keys, among
from ui.page.controls import slide_along
from ui.page.prose import say
from ui.page_texts import page_texts
from ui.text import markdown_table

TEXTS = page_texts("recursive_attention")
LENGTHS = (256, 1024, 4096, 16384)
BLOCKS = (16, 32, 64, 128, 256)
FEATURES = 64
"""Of a head."""
TRAFFIC_KEYS: Keys = {
    "pieces_length": Key(4096, among(*LENGTHS)),
    "pieces_block": Key(128, among(*BLOCKS)),
}


def draw_traffic(mask: str) -> None:
    """Draw both ways in a table, for a text and tiles that a person chooses."""
    with st.container(horizontal=True):
        T = slide_along(TEXTS("tokens"), LENGTHS, "pieces_length", width=260)
        block = slide_along(TEXTS("rows_in_a_block"), BLOCKS, "pieces_block", width=260)
    found = compared(T, FEATURES, block, mask)
    rows = [
        [TEXTS(id), *(size_text(BYTES * count) for count in (way.read, way.written, way.moved))]
        for id, way in (("plainly", found.plain), ("tiled", found.tiled))
    ]
    say(markdown_table([*map(TEXTS, ("way", "read", "written", "together"))], rows))
    more = found.times >= 1
    numbers = {
        "times": decimal_text(found.times if more else 1 / found.times, 1),
        "tiles": f"{found.tiles:,}",
        "every": f"{found.all_tiles:,}",
        "held": size_text(BYTES * found.held),
    }
    say(TEXTS("traffic", more=more, **numbers))
    say(TEXTS("traffic_counted", features=FEATURES, bytes=BYTES))
    say(TEXTS("same_work"))
