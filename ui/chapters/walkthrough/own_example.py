"""A person's own word with two meanings; and what is offered if a sentence has no such word."""

from functools import partial
from itertools import chain

import streamlit as st

from core.attention.examples.two_meanings import BETWEEN, BY_ID, LONGEST_WORD, own_meanings
from core.attention.setups import OWN_KEYS
from core.attention.tokens import tokenise
from core.errors import InputError, input_error
from core.program.labels import listed_names
from ui.chapters.walkthrough.examples import take_own, take_preset
from ui.chapters.walkthrough.keys import example_of
from ui.links.session import controlled_widget, pop_flash
from ui.page_texts import chart_texts, page_texts
from ui.text import Markdown, escape_markdown, token_text

TEXTS, PLAIN = page_texts("walkthrough"), chart_texts("walkthrough")
_FIELDS = ("own_word", "own_cue_1", "own_name_1", "own_cue_2", "own_name_2")
MOST_NAMED = 6
"""How many words with drawn rows are named."""


def own_form(panel: str) -> None:
    """Draw the fields of which an example is made. `panel` is closed when it is."""
    example = example_of(st.session_state)
    two = example.two if example else None
    pairs = zip(two.cues, two.features, strict=True) if two else ()
    now = (two.word, *chain(*pairs)) if two else ("",) * len(_FIELDS)
    with st.form("own_form", border=False, enter_to_submit=True):
        st.caption(TEXTS("own_note"))
        word, *told = zip(_FIELDS, now, strict=True)
        _field(*word)
        with st.container(horizontal=True, gap="small"):  # two in a row where there is little room
            for field in told:
                _field(*field)
        with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
            st.text_input(TEXTS("own_text"), st.session_state.text if two else "", key="own_text")
            st.form_submit_button(TEXTS("own_make"), on_click=_make, args=(panel,))
    if problem := pop_flash("own_problem"):
        st.error(escape_markdown(problem))


def _field(key: str, value: str) -> None:
    st.text_input(TEXTS(key), value, key=key, max_chars=LONGEST_WORD)


def _make(panel: str) -> None:
    state = st.session_state
    word, *others = (state[key].strip() for key in _FIELDS)
    own = (word, BETWEEN.join(others[::2]), BETWEEN.join(others[1::2]))
    text = state.own_text
    try:
        two = own_meanings(*own)
        tokens = {token.lower() for token in tokenise(text)}
        if word.lower() not in tokens or len(two.cues_of(text)) != 1:
            raise input_error(PLAIN, "own_missing", word=word, one=two.cues[0], other=two.cues[1])
    except InputError as error:
        state.own_problem = f"{error}."
        return
    take_own(dict(zip(OWN_KEYS, own, strict=True)), text)
    state[panel] = False


def offer_words() -> None:
    """If no word of the sentence has two meanings in its example, say so, and offer some."""
    state, example = st.session_state, example_of(st.session_state)
    if not (example and example.lexicon) or set(state.edits) - {"mask"}:
        return
    try:
        tokens = tokenise(state.text)
    except InputError:  # what worked last is shown
        return
    if any(map(example.lexicon.is_open, tokens)):
        return
    words = {token.lower() for token in tokens}
    here = [two for two in BY_ID.values() if two.word in words]
    unknown = [t for t in dict.fromkeys(tokens) if not example.lexicon.knows(t)]
    named = [token_text(token) for token in unknown[:MOST_NAMED]]
    st.pills(
        TEXTS(
            "no_two_meanings",
            elsewhere=bool(here),
            drawn=Markdown(listed_names(named)) if example.lexicon.is_drawn else "",
            more=max(len(unknown) - MOST_NAMED, 0),
        ),
        [two.id for two in here or BY_ID.values()],
        format_func=lambda name: BY_ID[name].word,
        **controlled_widget("offered", None, partial(_take, state.text if here else None)),
    )


def _take(text: str | None, name: str) -> None:
    """Show an example: on this text, or on its own."""
    st.session_state.preset = name
    take_preset()
    if text is not None:
        st.session_state.text = text
