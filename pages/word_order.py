"""How does attention know position?

Without being told, it does not: rows follow their tokens wherever these stand. What tells it.
"""

import streamlit as st

from core.attention.setups import DEFAULT_TEXT
from core.chapters.word_order.orders import few_enough
from core.chapters.word_order.questions import ORDER_QUESTIONS
from core.chapters.word_order.shuffled import (
    LAYERS,
    LIKE,
    MASK,
    ORDER,
    apart,
    is_as_typed,
    kinds_of_rows,
    shuffled_family,
    shuffled_program,
)
from core.program.labels import listed, told_label
from core.program.trace import Trace
from ui.asking import ask_each
from ui.code import in_code
from ui.exhibit import draw_exhibit, exhibit_keys
from ui.fallback import what_works
from ui.frame import frame
from ui.links import SENTENCE, Key, Keys
from ui.path import way_on
from ui.prose import say, say_drawn, set_off
from ui.session import KEPT, open_link, save_link, say_messages
from ui.toggles import chosen, toggle_keys


def short_sentence(key: str, text: str) -> str:
    """Reads a sentence of few enough tokens."""
    return few_enough(text)


KEYS: Keys = {
    "order_text": Key(DEFAULT_TEXT, short_sentence, SENTENCE),
    **toggle_keys(ORDER, MASK, LAYERS),
    **exhibit_keys(shuffled_program("none", 1), "difference", "order_", 1, LIKE),
}


def fits(order_text: str) -> str:
    """The sentence, where it is short. Raises `InputError`."""
    return few_enough(order_text)


def named(trace: Trace, places: list[int]) -> str:
    """The tokens at some places of the new order, in a list."""
    return set_off(listed([told_label(trace, "i", at) for at in places]))


@st.fragment
def shuffled(text: str) -> None:
    """The sentence in another order, and what attention reads in both."""
    family = shuffled_family(text)
    now = chosen(family)
    trace = family.run(**now)
    draw_exhibit(trace, ("difference", (0, 0, 0)), KEYS, "order_", family=family)
    say_rows(trace, now[MASK.key] == "causal", now[LAYERS.key] == "2")
    save_link(KEYS)


def say_rows(trace: Trace, causal: bool, deep: bool) -> None:
    """Which rows followed their tokens, and which have changed."""
    if is_as_typed(trace):
        say("**The order is as typed,** so nothing has moved. Choose another one.")
        return
    rows = kinds_of_rows(trace)
    if not rows.changed:
        say(
            "**Every row has followed its token, and no number in it has changed**: "
            "$f(PX) = P\\,f(X)$"
            + (
                f", up to {apart(trace)}, for floats are added in another order. "
                if rows.noisy
                else ". "
            )
            + (
                ""
                if causal
                else "Without a mask each token reads from all, a weighted mean over a set. A set "
                "has no order: attention is [equivariant](#term-equivariant) under permutations."
            )
        )
        return
    say(
        f"**{len(rows.changed)} of {len(trace['P'])} rows have changed**, by {apart(trace)} at "
        "most. Under the causal mask a token reads from those that stand before it, and these are "
        "others now."
    )
    if rows.kept:
        one = len(rows.kept) == 1
        say(
            f"{named(trace, rows.kept)} {'reads' if one else 'read'} the same: "
            f"{'it sees' if one else 'they see'} the tokens that {'it' if one else 'they'} saw as "
            "typed." + ("" if deep else " In which order these stand, the mask does not say.")
        )
    if rows.alike:
        one = len(rows.alike) == 1
        say(
            f"{named(trace, rows.alike)} {'sees' if one else 'see'} other tokens, and yet what "
            f"{'it reads' if one else 'they read'} comes to the same numbers."
        )
    if deep and rows.noticed:
        one = len(rows.noticed) == 1
        say(
            f"{named(trace, rows.noticed)} {'sees' if one else 'see'} the same tokens as typed, "
            f"and in the first layer {'reads' if one else 'read'} the same. But in the second "
            f"layer {'it reads' if one else 'they read'} what the others have read, and that has "
            "changed. So with two layers a causal mask tells something of the order."
        )


open_link("word_order", KEYS)
frame(
    "word_order",
    "Word order: how does attention know position?",
    "*Dog bites man* and *man bites dog* have the same [tokens](#term-token). "
    "[Attention](#term-attention) compares each [query](#term-query) with each [key](#term-key) "
    "and mixes [values](#term-value): nothing in that says where a token stands. See what follows, "
    "and what a [causal](#term-causal) [mask](#term-mask) changes.",
)
say_messages()
st.text_input("Sentence", key="order_text", width=360, **KEPT)
SHOWN = what_works({"order_text": "the sentence"}, KEYS, fits).made
say(
    "Here a sentence goes through attention twice, with the same matrices: in another order, and "
    "as typed. A [permutation](#term-permutation) matrix $P$ moves the rows of $X$; the last step "
    "compares what attention makes of the moved rows, $f(PX)$, with the moved result, $P\\,f(X)$."
)
say_drawn(shuffled_family(SHOWN).run())
shuffled(SHOWN)
say(
    "**What to notice.** Moving a row of $X$ moves a row of $Q$, of $K$ and of $V$. In the "
    "[scores](#term-score) a row and a column move, and no number changes. "
    "[Softmax](#term-softmax) takes a row's numbers in any order, and so does the sum of values, "
    "each times its [weight](#term-weight). A token's place is in none of these numbers, and only "
    "a mask reads it: a model that is to know it must be told."
)
ask_each(ORDER_QUESTIONS, "order")
in_code(
    shuffled_program,
    origin="Attention treats its tokens as a set: Lee et al., *Set Transformer* (2019), after "
    "Zaheer et al., *Deep Sets* (2017). What a causal mask alone tells of the order: Haviv et al. "
    "(2022), Kazemnejad et al. (2023).",
    step="context_1",
    exhibit="order_",
)
way_on(
    "word_order",
    "Without positions and without a mask, attention gives each token the same row wherever it "
    "stands. A causal mask tells nothing of the order of what is seen in one layer, and something "
    "in two.",
)
save_link(KEYS)
