"""How can attention be split?

A score and a value summarise any set of keys, and sets are merged by them.
"""

import streamlit as st

from core.attention.chosen_token import LAST, settled_choice, token_toggle
from core.attention.setups import DEFAULT_TEXT
from core.attention.tokens import few_enough
from core.chapters.recursive_attention.schedules import ASKS, streaming_family
from core.chapters.recursive_attention.tiles import tiles_program
from core.chapters.recursive_attention.tree_program import ASKING, tree_program
from core.operations.merging import log_sum_exp
from ui.chapters.recursive_attention.attention_schedules import SCHEDULE_KEYS, draw_schedules
from ui.chapters.recursive_attention.merging import TREE_KEYS, draw_merging
from ui.links.links import SENTENCE_KEY, Key, Keys, one_of, short_sentence
from ui.links.session import PERSIST, open_link, save_link, say_messages, set_if_changed
from ui.page.asking import ask_each
from ui.page.code import in_code
from ui.page.fold import fold
from ui.page.frame import frame
from ui.page.last_valid import link_that_fits, what_works
from ui.page.path_navigation import page_footer
from ui.page.prose import say, say_drawn
from ui.page_texts import page_texts

TEXTS = page_texts("recursive_attention")
SOURCES = {"example": TEXTS("from_example"), "sentence": TEXTS("from_sentence")}
FITTING = {
    ASKING: TEXTS("the_token"),
    ASKS: TEXTS("the_asking_token"),
    "pieces_text": TEXTS("the_sentence"),
}
KEYS: Keys = {
    "pieces_text": Key(DEFAULT_TEXT, short_sentence, SENTENCE_KEY),
    "pieces_from": Key("example", one_of(*SOURCES)),
    **TREE_KEYS,
    **SCHEDULE_KEYS,
}


def anew() -> None:
    """Begin with the default tree: another sentence has other keys."""
    set_if_changed(**{"pieces_tree": "", ASKING: LAST, ASKS: LAST})


def another_source() -> None:
    set_if_changed(pieces_tree="")


def fits(pieces_text: str, **tokens: str) -> str:
    """Return the sentence, if it is short and has the tokens that ask. Raises `InputError`."""
    few_enough(pieces_text)
    for key, token in tokens.items():
        token_toggle(key, pieces_text).check(settled_choice(token, pieces_text))
    return pieces_text


frame("recursive_attention", TEXTS("lede"))
open_link("recursive_attention", KEYS, link_that_fits(FITTING, KEYS, fits))
say_messages()
main = st.container()
with st.container(horizontal=True, vertical_alignment="bottom"):
    st.segmented_control(
        TEXTS("keys_label"),
        SOURCES,
        key="pieces_from",
        required=True,
        on_change=another_source,
        format_func=SOURCES.__getitem__,
        width="content",
        **PERSIST,
    )
    st.text_input(TEXTS("sentence"), key="pieces_text", width=360, on_change=anew, **PERSIST)
SHOWN = what_works(FITTING, KEYS, fits).made
for name in (ASKING, ASKS):
    st.session_state[name] = settled_choice(st.session_state[name], SHOWN)
with main:
    draw_merging(SHOWN, st.session_state.pieces_from == "example", KEYS)
with fold(TEXTS("law_title"), "law", KEYS):
    say(TEXTS("law"))
    say(TEXTS("empty_set"))
st.header(TEXTS("uses"), anchor=False)
say_drawn(streaming_family(SHOWN).run())
draw_schedules(SHOWN, KEYS)
ask_each("recursive_attention")
in_code(
    tree_program,
    log_sum_exp,
    tiles_program,
    origin=TEXTS("origin"),
    step="weights",
    exhibit="pieces_",
)
page_footer("recursive_attention", TEXTS("takeaway"))
save_link(KEYS)
