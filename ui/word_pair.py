"""The same words in two orders, with a switch for the mask and one for positions."""

import streamlit as st

from core.chapters.word_order.pair import MASKS, pair
from ui.fragments import fragment
from ui.links import Key, Keys, one_of
from ui.prose import say
from ui.session import save_link
from ui.two_orders import TOLD, two_orders

WHY = {
    ("none", "off"): "Each token reads from the same set, wherever it stands: attention alone has "
    "no order.",
    ("causal", "off"): "Each token reads itself and those before it, and before it stand others "
    "now: the mask tells something of the order.",
    ("none", "on"): "A row for its place was added to the row of each token, so every token reads "
    "other rows.",
    ("causal", "on"): "Both the mask and the rows for the places tell the two sentences apart.",
}
PAIR_KEYS: Keys = {
    "order_pair_mask": Key(MASKS[0], one_of(*MASKS)),
    "order_pair_places": Key(TOLD[0], one_of(*TOLD)),
}


@fragment
def paired(keys: Keys) -> None:
    """The same words in two orders, and which of their rows are the same."""
    state = st.session_state
    mask, places = state.order_pair_mask, state.order_pair_places

    def choose(other_mask: str, others: str) -> None:
        state.update(order_pair_mask=other_mask, order_pair_places=others)

    two_orders("order_board", pair, mask, places, choose)
    found = pair(mask, places == "on")
    say(
        "**Try it.** Switch the mask to *causal*, then tell attention the positions: see which "
        "lines break."
    )
    say(
        f"**What to notice.** {sum(found.same)} of {len(found.same)} tokens have the same row "
        f"after attention in both sentences. {WHY[mask, places]}"
    )
    save_link(keys)
