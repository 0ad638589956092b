"""What do you know already?

Ten questions over chosen chapters, drawn from a seed: a score, what to look at again, and the same
set as a worksheet, and as its key.
"""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from core import practice_set
from core.errors import InputError
from core.limits import MAX_SEED
from core.path import PATH
from core.program.labels import listed_names
from core.questions.answers import Choice
from core.questions.tries import is_settled
from stage.paper.question_paper import question_key, question_sheet
from ui.classroom.questions.class_button import ASK_QUESTION, ask_class, ask_quiz
from ui.lessons.shelf import LinkTarget
from ui.links.links import Key, Keys, one_of, whole_number_reader
from ui.links.path import page_named
from ui.links.question_link import LINK, keys_of_question
from ui.links.session import PERSIST, open_link, save_link, say_messages, set_if_changed
from ui.page.asking import ask, show_answer, show_prompt, tries_of
from ui.page.controls import choose_one
from ui.page.frame import frame
from ui.page.path_navigation import page_footer
from ui.page.prose import say
from ui.page_texts import chart_texts, page_texts
from ui.server.fragments import fragment
from ui.text import Markdown, question_markdown

ONE, SHEET, KEY_TO_SHEET = "one", "sheet", "key"
PAGE = "practice"
TEXTS, PLAIN = page_texts(PAGE), chart_texts(PAGE)


def chapters_of(key: str, text: str) -> str:
    """A reader of chapters with dots between, in the order of the path; "" for all."""
    asked = text.split(".") if text else []
    for name in asked:
        if name not in practice_set.QUESTIONS:
            found = PLAIN("chapters_have", key=key, name=repr(name[:20]))
            remedy = PLAIN("choose", names=list(practice_set.QUESTIONS))
            raise InputError(found, PLAIN("no_chapter"), remedy)
    return ".".join(name for name in practice_set.QUESTIONS if name in asked)


def questions_of(key: str, text: str) -> str:
    """A reader of names of questions with dots between, each once; "" for all of the chapters."""
    known = {maker.name for makers in practice_set.QUESTIONS.values() for maker in makers.values()}
    asked = list(dict.fromkeys(text.split("."))) if text else []
    for name in asked:
        if name not in known:
            found = PLAIN("chapters_have", key=key, name=repr(name[:20]))
            raise InputError(found, PLAIN("no_question_named"), PLAIN("leave_out", key=key))
    return ".".join(asked)


KEYS: Keys = {
    "practice_chapters": Key(next(iter(practice_set.QUESTIONS)), chapters_of, legacy_default=""),
    "practice_questions": Key("", questions_of),
    "practice_seed": Key(0, whole_number_reader(0, MAX_SEED)),
    "practice_view": Key(ONE, one_of(ONE, SHEET, KEY_TO_SHEET)),
    "practice_at": Key(1, whole_number_reader(1, practice_set.SET_SIZE)),
}


def chosen_chapters() -> list[str]:
    text: str = st.session_state.practice_chapters
    return text.split(".") if text else list(practice_set.QUESTIONS)


def drawn_set() -> Sequence[practice_set.Drawn]:
    """The set: over all questions of the chosen chapters, or only those that a link names."""
    state = st.session_state
    only = state.practice_questions.split(".") if state.practice_questions else ()
    if drawn := practice_set.mixed_set(chosen_chapters(), state.practice_seed, only=only):
        return drawn
    state.practice_questions = ""  # none of them is in the chapters
    return practice_set.mixed_set(chosen_chapters(), state.practice_seed)


def pick() -> None:
    """Other chapters: another set, from its first question."""
    state = st.session_state
    chapters = (name for name in practice_set.QUESTIONS if name in state.practice_picked)
    state.practice_chapters, state.practice_questions = ".".join(chapters), ""
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
    chapters = st.session_state.practice_chapters
    set_if_changed(practice_picked=chapters.split(".") if chapters else [])
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.multiselect(
            TEXTS("chapters"), list(practice_set.QUESTIONS), key="practice_picked",
            placeholder=PLAIN("all_chapters"),
            format_func=lambda name: PATH[name].title, on_change=pick, **PERSIST,
        )  # fmt: skip
        st.number_input(
            TEXTS("seed"), 0, MAX_SEED, key="practice_seed", width=130, on_change=begin, **PERSIST
        )
        views = {view: TEXTS(view) for view in (ONE, SHEET, KEY_TO_SHEET)}
        choose_one(TEXTS("shown"), views, "practice_view", width="content")


@fragment
def mixed() -> None:
    """The set: one question after another, or all of them on paper, or their key."""
    controls()
    drawn = drawn_set()
    if st.session_state.practice_questions:
        st.caption(TEXTS("some_questions"))
    view = st.session_state.practice_view
    if view == ONE:
        one_by_one(drawn)
    else:
        downloads(drawn)
        (worksheet if view == SHEET else key_to_sheet)(drawn)
    save_link(KEYS)


def one_by_one(drawn: Sequence[practice_set.Drawn]) -> None:
    """The question that one is at, how it went so far, and what to look at again."""
    state = st.session_state
    state.practice_at = min(state.practice_at, len(drawn))
    numbers = {number: f"{number}{mark_of(asked)}" for number, asked in enumerate(drawn, 1)}
    choose_one(TEXTS("question"), numbers, "practice_at", label_visibility="collapsed")
    asked = drawn[state.practice_at - 1]

    def more(over: bool) -> None:
        if over and state.practice_at < len(drawn):
            st.button(TEXTS("next_question"), key="practice_next", type="primary", on_click=go_on)

    with st.container(border=True, key=f"question_practice_{asked.question.id}"):
        st.caption(title_of(asked))
        ask(asked.question, PAGE, more)
        ask_class(link_of(asked), PAGE, ASK_QUESTION, for_teachers=True)
    how_it_went(drawn)
    ask_quiz([*map(link_of, drawn)])


def link_of(asked: practice_set.Drawn) -> str:
    return LinkTarget(asked.chapter, {LINK: asked.question.id}).link


def title_of(asked: practice_set.Drawn) -> Markdown:
    """Return a question's chapter and title."""
    return TEXTS("asked", chapter=PATH[asked.chapter].title, title=question_markdown(asked.title))


def mark_of(asked: practice_set.Drawn) -> str:
    """Right at once, settled otherwise, or open."""
    tries = tries_of(PAGE, asked.question)
    if not is_settled(asked.question, tries):
        return ""
    return " ✓" if practice_set.is_right_at_once(asked.question, tries) else " ○"


def how_it_went(drawn: Sequence[practice_set.Drawn]) -> None:
    tries = {asked.question.id: tries_of(PAGE, asked.question) for asked in drawn}
    so_far = practice_set.score_of_set(drawn, tries)
    if not so_far.settled:
        return
    with st.container(border=True, key="practice_score"):
        say(
            TEXTS(
                "score", first=so_far.first, count=len(drawn), helped=so_far.helped,
                shown=so_far.shown, open=len(drawn) - so_far.settled,
            )
        )  # fmt: skip
        if again := practice_set.to_look_at_again(drawn, tries):
            say(TEXTS("again"))
            for asked in again:
                st.page_link(
                    page_named(asked.chapter),
                    label=title_of(asked),
                    query_params=keys_of_question(asked.chapter, asked.question.id),
                )
        elif so_far.settled == len(drawn):
            say(TEXTS("nothing_again"))
        if so_far.settled == len(drawn):
            st.button(TEXTS("another"), key="practice_another", on_click=another_set)


def worksheet(drawn: Sequence[practice_set.Drawn]) -> None:
    """All questions, with room to work them out on paper."""
    say(TEXTS("name", line=Markdown("_" * 30)))
    for number, asked in enumerate(drawn, start=1):
        with st.container(border=True, key=f"question_sheet_{number}"):
            say(TEXTS("numbered", number=number, chapter=PATH[asked.chapter].title))
            show_prompt(asked.question)
            if isinstance(asked.question.kind, Choice):
                options = asked.question.kind.options
                say("  \n".join(TEXTS("option", option=question_markdown(one)) for one in options))
            else:
                say(TEXTS("answer", line=Markdown("_" * 20)))


def key_to_sheet(drawn: Sequence[practice_set.Drawn]) -> None:
    """All answers, and how each is made."""
    for number, asked in enumerate(drawn, start=1):
        with st.container(border=True, key=f"question_key_{number}"):
            say(TEXTS("numbered", number=number, chapter=PATH[asked.chapter].title))
            show_answer(asked.question, found=False)


def downloads(drawn: Sequence[practice_set.Drawn]) -> None:
    """The worksheet and its key, a file each. What is shown can be printed too."""
    seed = st.session_state.practice_seed
    chapters = listed_names(list(dict.fromkeys(PATH[asked.chapter].title for asked in drawn)))
    numbered = [
        (PLAIN("on_paper", number=number, chapter=PATH[asked.chapter].title), asked.question)
        for number, asked in enumerate(drawn, start=1)
    ]
    said = PLAIN("paper_title"), PLAIN("paper_about", chapters=chapters, seed=seed)
    with st.container(horizontal=True, vertical_alignment="center"):
        for view, write, label in (
            (SHEET, question_sheet, TEXTS("sheet_file")),
            (KEY_TO_SHEET, question_key, TEXTS("key_file")),
        ):
            st.download_button(
                label, partial(write, *said, numbered),
                f"worksheet-{seed}-{view}.html", "text/html", key=f"practice_{view}_file",
                on_click="ignore",
            )  # fmt: skip
    ask_quiz([*map(link_of, drawn)])
    st.caption(TEXTS("print"))


if __name__ == "__main__":
    frame(PAGE, TEXTS("lede", most=practice_set.SET_SIZE), TEXTS("title"))
    open_link("practice", KEYS)
    say_messages()
    mixed()
    page_footer("practice")
    save_link(KEYS)
