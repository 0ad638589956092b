"""Which tokens ask where queries are fewer than keys: what "causal" means there, and the other."""

import streamlit as st

from core.attention.family import CORNER
from core.attention.lengths import corner_said
from core.attention.setups import Setup
from ui.path import PATH, page_of
from ui.prose import say


def corner_note(setup: Setup) -> None:
    """Which corner the mask's triangle lies in, where there are two; and the chapter on it."""
    rule = setup.rule
    if not (setup.has_corner and rule.by_position):
        return
    T, S = setup.trace["mask"].shape
    queries = "1 query" if T == 1 else f"{T} queries"
    say(
        f"**{queries}, {S} keys.** {corner_said(rule, T, S)} “{CORNER.word}” on the stage offers "
        "the other corner."
    )
    st.page_link(
        page_of("one_query"), query_params={"query_part": "corner"},
        label=f"Both corners, and which one PyTorch means: {PATH['one_query'].title} →",
    )  # fmt: skip
