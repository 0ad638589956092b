"""The same words in two orders, with a switch for the mask and one for positions."""

import streamlit as st

from core.chapters.word_order.pair import MASK_TOGGLES, pair
from ui.components.two_orders import TOLD, two_orders
from ui.links.links import Key, Keys, one_of
from ui.links.session import save_link
from ui.page.prose import say
from ui.page_texts import page_texts
from ui.server.fragments import fragment

TEXTS = page_texts("word_order")
PAIR_KEYS: Keys = {
    "order_pair_mask": Key(MASK_TOGGLES[0], one_of(*MASK_TOGGLES)),
    "order_pair_places": Key(TOLD[0], one_of(*TOLD)),
}


@fragment
def paired(keys: Keys) -> None:
    """Draw the same words in two orders, and say which of their rows are the same."""
    state = st.session_state
    mask, places = state.order_pair_mask, state.order_pair_places

    def choose(other_mask: str, others: str) -> None:
        state.update(order_pair_mask=other_mask, order_pair_places=others)

    two_orders("order_board", pair, mask, places, choose)
    same = pair(mask, places == "on").same
    say(TEXTS("try"))
    switched = {"causal": mask == "causal", "placed": places == "on"}
    say(TEXTS("pair", same=sum(same), count=len(same), **switched))
    save_link(keys)
