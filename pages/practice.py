"""What do you know already?

Ten questions over chosen chapters, drawn from a seed: a score, what to look at again, and the same
set as a worksheet with its key.
"""

from collections.abc import Sequence

import streamlit as st

from core.errors import InputError
from core.limits import MAX_SEED
from core.mixed import MOST, QUESTIONS, Drawn, is_right_at_once, mixed_set, score, to_look_at_again
from core.questions.answers import Choice
from core.questions.tries import settled
from ui.asking import LINK, ask, show_answer, show_prompt, tries_of
from ui.chapters_read import ask_what_was_read
from ui.fragments import fragment
from ui.frame import frame
from ui.links import Key, Keys, one_of, whole
from ui.path import PATH, page_of
from ui.prose import say
from ui.session import KEPT, link_said, open_link, put, save_link, say_messages
from ui.text import told
from ui.walk import way_from

ONE, SHEET = "one", "sheet"
VIEWS = {ONE: "one by one", SHEET: "worksheet"}
PAGE = "practice"


def chapters_of(key: str, text: str) -> str:
    """A reader of chapters with dots between, in the order of the path; "" for all."""
    asked = text.split(".") if text else []
    for name in asked:
        if name not in QUESTIONS:
            raise InputError(
                f"{key} has {name[:20]!r}", "there is no such chapter",
                f"choose {', '.join(QUESTIONS)}",
            )  # fmt: skip
    return ".".join(name for name in QUESTIONS if name in asked)


KEYS: Keys = {
    "practice_chapters": Key("", chapters_of),
    "practice_seed": Key(0, whole(0, MAX_SEED)),
    "practice_view": Key(ONE, one_of(*VIEWS)),
    "practice_at": Key(1, whole(1, MOST)),
}


def chosen_chapters() -> list[str]:
    text: str = st.session_state.practice_chapters
    return text.split(".") if text else list(QUESTIONS)


def asks(arrives: bool, linked: bool) -> int:
    """Ask the browser what was read, as often as one comes here and has not begun anything.

    A link that says which set it is means that one. Returns the number of the open question, or 0.
    """
    state = st.session_state
    if linked:
        state.practice_read = None
    begun = state.practice_chapters != state.setdefault("practice_read", "")
    if arrives:
        state.practice_asked = state.get("practice_asked", 0) + 1
        state.practice_asks = 0 if begun or state.get("practice_tries") else state.practice_asked
    number: int = state.get("practice_asks", 0)
    return number


def take_read(names: list[str]) -> None:
    """The set is over the chapters that were read, and over all if none was."""
    state = st.session_state
    text = ".".join(name for name in QUESTIONS if name in names)
    state.update(practice_chapters=text, practice_read=text, practice_asks=0)


def pick() -> None:
    """Other chapters: another set, from its first question."""
    picked = st.session_state.practice_picked
    st.session_state.practice_chapters = ".".join(name for name in QUESTIONS if name in picked)
    begin()


def begin() -> None:
    st.session_state.practice_at = 1


def another_set() -> None:
    state = st.session_state
    state.practice_seed = (state.practice_seed + 1) % (MAX_SEED + 1)
    begin()


def go_on() -> None:
    st.session_state.practice_at += 1


def controls() -> None:
    """The chapters, the seed, and how the set is shown."""
    state = st.session_state
    put(practice_picked=state.practice_chapters.split(".") if state.practice_chapters else [])
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.multiselect(
            "Chapters", list(QUESTIONS), key="practice_picked", placeholder="all of them",
            format_func=lambda name: PATH[name].title, on_change=pick, **KEPT,
        )  # fmt: skip
        st.number_input(
            "Seed", 0, MAX_SEED, key="practice_seed", width=130, on_change=begin, **KEPT
        )
        st.segmented_control(
            "Shown", list(VIEWS), key="practice_view", required=True, **KEPT,
            format_func=lambda view: VIEWS[view], width="content",
        )  # fmt: skip


@fragment
def mixed() -> None:
    """The set: one question after another, or all of them on paper."""
    controls()
    drawn = mixed_set(chosen_chapters(), st.session_state.practice_seed)
    if st.session_state.practice_view == SHEET:
        worksheet(drawn)
    else:
        one_by_one(drawn)
    save_link(KEYS)


def one_by_one(drawn: Sequence[Drawn]) -> None:
    """The question that one is at, how it went so far, and what to look at again."""
    state = st.session_state
    state.practice_at = min(state.practice_at, len(drawn))
    marks = [mark_of(asked) for asked in drawn]
    st.segmented_control(
        "Question", range(1, len(drawn) + 1), key="practice_at", required=True,
        format_func=lambda number: f"{number}{marks[number - 1]}",
        label_visibility="collapsed", **KEPT,
    )  # fmt: skip
    asked = drawn[state.practice_at - 1]

    def more(over: bool) -> None:
        if over and state.practice_at < len(drawn):
            st.button("Next question →", key="practice_next", type="primary", on_click=go_on)

    with st.container(border=True, key=f"question_practice_{asked.question.id}"):
        st.caption(f"{PATH[asked.chapter].title}: {told(asked.title)}")
        ask(asked.question, PAGE, more)
    how_it_went(drawn)


def mark_of(asked: Drawn) -> str:
    """Right at once, settled otherwise, or open."""
    tries = tries_of(PAGE, asked.question)
    if not settled(asked.question, tries):
        return ""
    return " ✓" if is_right_at_once(asked.question, tries) else " ○"


def how_it_went(drawn: Sequence[Drawn]) -> None:
    tries = {asked.question.id: tries_of(PAGE, asked.question) for asked in drawn}
    so_far = score(drawn, tries)
    if not so_far.settled:
        return
    with st.container(border=True, key="practice_score"):
        say(
            f"**{so_far.first} of {len(drawn)}** right at the first try (✓). With a hint or "
            f"another try: {so_far.helped}. Shown: {so_far.shown}. Open: "
            f"{len(drawn) - so_far.settled}."
        )
        if again := to_look_at_again(drawn, tries):
            say("**To look at again** (○):")
            for asked in again:
                st.page_link(
                    page_of(asked.chapter), query_params={LINK: asked.question.id},
                    label=f"{PATH[asked.chapter].title}: {told(asked.title)}",
                )  # fmt: skip
        elif so_far.settled == len(drawn):
            say("Nothing to look at again: take other chapters, or another seed.")
        if so_far.settled == len(drawn):
            st.button("Another set", key="practice_another", on_click=another_set)


def worksheet(drawn: Sequence[Drawn]) -> None:
    """All questions with room to answer, and on a page of its own the key."""
    st.caption("Print this page: the key begins on a sheet of its own.")
    say("**Name:** ______________________________")
    for number, asked in enumerate(drawn, start=1):
        with st.container(border=True, key=f"question_sheet_{number}"):
            say(f"**{number}.** {PATH[asked.chapter].title}")
            show_prompt(asked.question)
            if isinstance(asked.question.kind, Choice):
                say("  \n".join(f"☐ {told(option)}" for option in asked.question.kind.options))
            else:
                say("**Answer:** ____________________")
    with st.container(key="practice_key"):
        st.header("Key", anchor=False)
        for number, asked in enumerate(drawn, start=1):
            with st.container(border=True, key=f"question_key_{number}"):
                say(f"**{number}.** {PATH[asked.chapter].title}")
                show_answer(asked.question, found=False)


frame(
    "practice",
    "Practice: what do you know already?",
    f"Up to {MOST} questions over the chapters that you choose, with numbers drawn from a seed: "
    "the link of this page opens the same set anywhere. What you answer is kept for this visit "
    "alone.",
)
arrives = st.session_state.get("page") != "practice"
first = not st.session_state.get("opened_practice")
open_link("practice", KEYS)
say_messages()
ask_what_was_read(asks(arrives, first and not KEYS.keys().isdisjoint(link_said())), take_read)
mixed()
way_from("practice")
save_link(KEYS)
