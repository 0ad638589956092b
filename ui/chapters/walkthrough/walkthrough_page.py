"""The walk: controls, stage, and what can be done with the view; a check against PyTorch; and next
to an example's figures those that its source prints.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from core.attention.cell_descriptions import repeated
from core.attention.examples.worked_example import PrintedFigures
from core.attention.family import CORNER_TOGGLE
from core.attention.given.query_key_sizes import corner_said
from core.attention.given.starting_points import TOKEN_LISTS
from core.attention.setups import EDITABLE, SENTENCE, Setup
from core.attention.tokens import spaceless
from core.path import PATH
from core.program.labels import listed_names
from core.program.numbers.rounding import typeset
from core.program.trace import Trace
from ui.chapters.walkthrough.controls import COMPARE_NAMES, controls
from ui.chapters.walkthrough.editing import edit_cell, paint_cells, reset, take_back
from ui.chapters.walkthrough.examples import (
    has_left_by_heads,
    open_again,
    shown_sentence,
    take_sentence,
)
from ui.chapters.walkthrough.keys import BARE
from ui.chapters.walkthrough.numbers import all_own
from ui.chapters.walkthrough.sharing import download_panel, worksheet_panel
from ui.chapters.walkthrough.view import (
    compared_with,
    covered_link,
    current_setup,
    link_keys,
    opening_of,
    read_link,
    write_link,
)
from ui.links.path import address_of, page_named
from ui.links.session import place_of_messages, pop_flash, say_messages
from ui.page.prose import say, set_off
from ui.page_texts import chart_texts, page_texts
from ui.server.fragments import fragment
from ui.stage.exhibit import draw_stage
from ui.stage.settings import Edits, Layout, LinkParts, Switches, Telling
from ui.text import Markdown, escape_markdown, markdown_table, token_text

TEXTS, PLAIN = page_texts("walkthrough"), chart_texts("walkthrough")
SENT = "sentence_sent"
"""In the session, for once: a sentence was typed on the stage."""
MOST_LISTED = 6
"""How many labels of one token a note lists."""


@fragment
def walkthrough() -> None:
    """Controls and stage. A change of a control reruns these, and not the rest of the page."""
    read_link()
    controls()
    walk()
    if all_own():
        say(TEXTS("all_own_note"))
    else:
        say(TEXTS("made_by_hand") if st.session_state.preset else TEXTS("random"))


@fragment
def walk() -> None:
    """The stage and what belongs to it. What a person does there reruns this fragment alone."""
    state = st.session_state
    if has_left_by_heads():
        st.rerun()  # the controls leave the example, and say whose words are there
    setup, problems = current_setup()
    refused = pop_flash("refused")
    if state.pop(SENT, False):
        if not problems:
            st.rerun()  # the field of the sentence is one of the controls
        refused = problems[0]
    trace = setup.trace
    other = compared_with(setup)
    messages = place_of_messages()
    with messages:
        for problem in problems:  # here, because an edit or Reset reruns no more than this
            st.error(escape_markdown(problem))
        say_messages(messages)
        if not state.cover and (reason := setup.hindrance):
            say(set_off(reason))
        if other is None and state.compare == "before":
            st.info(TEXTS("nothing_before"))
    bare = BARE if state.preset == BARE["preset"] else {}
    on_stage = {"sentence": shown_sentence(), "refused": refused}
    view = draw_stage(
        trace,
        opening_of(setup),
        link_keys(),
        switches=Switches(
            family=setup.family, options=setup.options, other=other, comparisons=COMPARE_NAMES
        ),
        edits=Edits(on_act=_handle, editable=EDITABLE, paint="mask", **on_stage),
        telling=Telling(story=setup.story, badge=_badge(setup)),
        layout=Layout(fills=True, steady=True, quiet=True),
        link=LinkParts(messages=messages, bare=bare, asked=covered_link),
    )
    what_it_is_for(setup, view.array)
    with place_of_messages():
        if "X" in setup.edits:
            say(TEXTS("own_x"))
        elif "X" not in trace:
            say(TEXTS("own_start"))
        corner_note(setup)
        if spaceless(trace.tokens):
            say(TEXTS("spaceless"))
        if alike := repeated(trace):
            say(TEXTS("repeated", tokens=Markdown("; ".join(map(_listed, alike)))))
    with st.container(horizontal=True, vertical_alignment="center"):
        take_back()
        worksheet_panel(setup, view)
        download_panel(setup, view)
        torch_check(trace)
    example_note(setup)
    if too_long := write_link():
        st.warning(escape_markdown(too_long))


def _listed(labels: Sequence[str]) -> str:
    """Labels of tokens; if there are many, those in the middle are left out."""
    tokens: list[str] = [token_text(label) for label in labels]
    if len(tokens) > MOST_LISTED:
        tokens[MOST_LISTED - 1 : -1] = ["…"]
    return listed_names(tokens)


def _badge(setup: Setup) -> str:
    """Say which arrays on the stage are not made from the sentence and the seed."""
    given = sorted(name for name in setup.trace.pinned if name != "mask")
    typed = sorted(set(setup.edits) - set(given) - {"mask", *TOKEN_LISTS})
    named = {"given": given, "own": typed}
    return "; ".join(PLAIN(id, names=", ".join(names)) for id, names in named.items() if names)


def _handle(kind: str, value: Mapping[str, Any]) -> None:
    """Do what a person did on the stage, to the current setup."""
    setup, _ = current_setup()
    if kind == "edit":
        edit_cell(setup, value["cell"], value["text"])
    elif kind == "paint":
        paint_cells(setup, value["cells"], bool(value["visible"]))
    elif kind == "sentence":
        take_sentence(value["text"])
        st.session_state[SENT] = True


def corner_note(setup: Setup) -> None:
    """Say which corner the mask's triangle is in, if there are two; link to the chapter on it."""
    rule = setup.rule
    if not (setup.has_corner and rule.kind.by_position):
        return
    T, S = setup.trace["mask"].shape
    text = corner_said(rule, T, S)
    say(TEXTS("corner", queries=T, keys=S, corner=text, toggle=CORNER_TOGGLE.word))
    st.page_link(
        page_named("one_query"),
        query_params={"query_part": "corner"},
        label=TEXTS("corner_link", chapter=PATH["one_query"].title),
    )


def torch_check(trace: Trace) -> None:
    """Draw a button that says whether all is equal to PyTorch's, or where not."""
    if not st.button(TEXTS("torch_check"), key="torch_check"):
        return
    with st.spinner(TEXTS("torch_loading")):
        from core.pytorch.reference import available, largest_difference

        if not available():
            st.info(TEXTS("torch_missing"))
            return
        found = largest_difference(trace)
    if found.equal:
        st.caption(escape_markdown(f"✓ {found}"))
    else:
        st.error(escape_markdown(f"✗ {found}"))


def what_it_is_for(setup: Setup, array: str) -> None:
    """At the end of an example of two meanings, say what a row is for, and lead to real heads."""
    is_end = bool(setup.preset and setup.example.two) and array == setup.trace.program.last
    with st.container():  # always there: what follows keeps its place
        if is_end and setup.changed(setup.options) in ("", SENTENCE):
            names = ("block", "real_heads", "words")
            said = {to: Markdown(f"[{PATH[to].title}]({address_of(to)})") for to in names}
            say(TEXTS("what_for", **said))


def example_note(setup: Setup) -> None:
    """Draw what an example's source prints next to our figures, and a way back to the example."""
    if not setup.preset:
        return
    printed = setup.example.printed
    changed = setup.changed(setup.options)
    if not printed and changed in ("", SENTENCE):  # the way back from those is above
        return
    with st.container(border=True, key="beside_example"):
        if changed:
            with st.container(horizontal=True, vertical_alignment="center"):
                text = TEXTS("changed", what=changed, printed=bool(printed))
                st.markdown(text, width="content")
                st.button(TEXTS("as_it_opens"), on_click=_as_it_opens, key="as_it_opens")
        with st.container(horizontal=True):
            for block in printed:
                with st.container(width="content"):
                    _beside(block, setup.example.recomputed(block))


def _as_it_opens() -> None:
    open_again()
    if st.session_state.edits:
        reset()


def _beside(printed: PrintedFigures, ours: tuple[tuple[str, ...], ...]) -> None:
    st.caption(escape_markdown(printed.title))
    rows = [
        [typeset("  ".join(figures)), typeset("  ".join(row)), "✓" if figures == row else "≠"]
        for figures, row in zip(printed.figures, ours, strict=True)
    ]
    st.markdown(markdown_table([TEXTS("printed"), TEXTS("here"), TEXTS("verdict")], rows))
