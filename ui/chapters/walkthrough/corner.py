"""Which tokens ask if queries are fewer than keys: what "causal" means then, and the other way."""

import streamlit as st

from core.attention.family import CORNER_TOGGLE
from core.attention.given.query_key_sizes import corner_said
from core.attention.setups import Setup
from core.path import PATH
from ui.links.path import page_named
from ui.page.prose import say
from ui.page_texts import page_texts

TEXTS = page_texts("walkthrough")


def corner_note(setup: Setup) -> None:
    """Say which corner the mask's triangle is in, if there are two; link to the chapter on it."""
    rule = setup.rule
    if not (setup.has_corner and rule.kind.by_position):
        return
    T, S = setup.trace["mask"].shape
    text = corner_said(rule, T, S)
    say(TEXTS("corner", queries=T, keys=S, corner=text, toggle=CORNER_TOGGLE.word))
    st.page_link(
        page_named("one_query"), query_params={"query_part": "corner"},
        label=TEXTS("corner_link", chapter=PATH["one_query"].title),
    )  # fmt: skip
