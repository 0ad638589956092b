"""The row above the walkthrough's stage: the sentence, the examples, the numbers, the way in.

Among the examples is a person's own; some are offered if a sentence has no word with two meanings.
The sentence and the example are set by the page as well; their keys are those of the link.
"""

from functools import partial
from itertools import chain

import streamlit as st

from core.attention.examples.presets import PRESETS
from core.attention.examples.two_meanings import BETWEEN, BY_ID, LONGEST_WORD, OWN, own_meanings
from core.attention.setups import OWN_KEYS
from core.attention.tokens import tokenise
from core.errors import InputError, input_error
from core.program.labels import listed_names
from ui.chapters.walkthrough.examples import (
    can_flip,
    example_to_return_to,
    flip,
    has_own_sentence,
    return_to_example,
    return_to_sentence,
    shown_sentence,
    take_own,
    take_preset,
    take_sentence,
    word_on_show,
)
from ui.chapters.walkthrough.keys import example_of
from ui.chapters.walkthrough.numbers import numbers_panel
from ui.lessons.course import current_scene
from ui.lessons.panel import guide
from ui.links.session import controlled_widget, pop_flash
from ui.page.presenting import presenting
from ui.page_texts import chart_texts, page_texts
from ui.text import Markdown, escape_markdown, token_text

TEXTS, PLAIN = page_texts("walkthrough"), chart_texts("walkthrough")
COMPARE_NAMES = {
    "none": TEXTS("compare_none"), "mask": TEXTS("compare_mask"),
    "scale": TEXTS("compare_scale"), "before": TEXTS("compare_before"),
}  # fmt: skip
_PANEL = "examples_panel"
_FIELDS = ("own_word", "own_cue_1", "own_name_1", "own_cue_2", "own_name_2")
MOST_NAMED = 6
"""How many words with drawn rows are named."""


def controls() -> None:
    """Draw the controls."""
    take_preset()
    state = st.session_state
    example, words = state.preset, shown_sentence()
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="controls"):
        st.text_input(
            TEXTS("sentence"), label_visibility="collapsed", placeholder=TEXTS("your_sentence"),
            **controlled_widget("sentence", words, partial(_other_words, example), is_text=True),
        )  # fmt: skip
        if two := word_on_show():  # always there, so that no sentence moves the row
            cue, other = can_flip() or two.cues
            st.button(
                TEXTS("flip", cue=cue, other=other), on_click=flip, key="flip",
                disabled=not can_flip(),
            )  # fmt: skip
        with st.popover(TEXTS("examples"), key=_PANEL, on_change="rerun") as panel:
            if panel.open:
                _examples(example)
        numbers_panel()
        with st.container(key="way_in", width="content"):  # ways back stand where the guide does
            if current_scene() is None and not presenting():
                guide()
            with st.container(horizontal=True, gap="small", width="content"):
                if left := example_to_return_to():
                    word = left.two.word if left.two else ""
                    st.button(TEXTS("back_to_example", word=word), on_click=return_to_example)
                if has_own_sentence():
                    st.button(TEXTS("back_to_sentence"), on_click=return_to_sentence)
    offer_words()


def _examples(example: str | None) -> None:
    """The words with two meanings, a person's own, and the other examples."""
    st.pills(
        TEXTS("two_meanings"), list(BY_ID), format_func=lambda name: BY_ID[name].word,
        **controlled_widget("word_of_two", example if example in BY_ID else None, _other_example),
    )  # fmt: skip
    with st.expander(TEXTS("own_example"), key="own_example", expanded=example == OWN):
        own_form(_PANEL)
    others = [name for name in PRESETS if name not in BY_ID]
    st.radio(
        TEXTS("other_examples"), others, index=None, format_func=lambda name: PRESETS[name].title,
        **controlled_widget("example", example if example in others else None, _other_example),
    )  # fmt: skip


def _other_words(example: str | None, words: str) -> None:
    """Words that were typed while this example was on show, or none."""
    if example == st.session_state.preset:
        take_sentence(words)
    else:  # another one was chosen at the same time
        st.session_state.text = words


def _other_example(example: str | None) -> None:
    if example is not None:  # a chosen word that is pressed again is no choice
        st.session_state.preset = example
    st.session_state[_PANEL] = False


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
    drawn = Markdown(listed_names(named)) if example.lexicon.is_drawn else ""
    more = max(len(unknown) - MOST_NAMED, 0)
    st.pills(
        TEXTS("no_two_meanings", elsewhere=bool(here), drawn=drawn, more=more),
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
