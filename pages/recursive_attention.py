"""How can attention be split?

A score and a value summarise any set of keys, and sets are merged by them.
"""

import streamlit as st

from core.attention.chosen_token import LAST_TOKEN, settled_choice, token_toggle
from core.attention.setups import DEFAULT_TEXT
from core.attention.tokens import few_enough
from core.chapters.recursive_attention.schedules import ASKS, streaming_family
from core.chapters.recursive_attention.tiles import tiles_program
from core.chapters.recursive_attention.tree_program import ASKING, tree_program
from core.operations.merging import log_sum_exp
from ui.chapters.recursive_attention.attention_schedules import SCHEDULE_KEYS, draw_schedules
from ui.chapters.recursive_attention.merging import TREE_KEYS, draw_merging
from ui.links.links import SENTENCE_KEY, Key, Keys, one_of, short_sentence
from ui.links.session import PERSIST, set_if_changed
from ui.page.chapter import begin_chapter, end_chapter
from ui.page.controls import choose_one
from ui.page.fold import fold
from ui.page.last_valid import link_that_fits, what_works
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
    set_if_changed(**{"pieces_tree": "", ASKING: LAST_TOKEN, ASKS: LAST_TOKEN})


def another_source() -> None:
    set_if_changed(pieces_tree="")


def fits(pieces_text: str, **tokens: str) -> str:
    """Return the sentence, if it is short and has the tokens that ask. Raises `InputError`."""
    few_enough(pieces_text)
    for key, token in tokens.items():
        token_toggle(key, pieces_text).check(settled_choice(token, pieces_text))
    return pieces_text


begin_chapter("recursive_attention", KEYS, link_that_fits(FITTING, KEYS, fits))
main = st.container()
with st.container(horizontal=True, vertical_alignment="bottom"):
    choose_one(
        TEXTS("keys_label"), SOURCES, "pieces_from", on_change=another_source, width="content"
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
end_chapter("recursive_attention", KEYS, [tree_program, log_sum_exp, tiles_program], "weights")
