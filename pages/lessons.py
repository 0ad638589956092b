"""Who leads the way?

Lessons that go through the pages scene by scene: those that come along, and one's own from a file.
"""

from functools import partial

import streamlit as st

from core.errors import InputError
from core.files.lesson import Lesson
from ui.frame import frame
from ui.lessons.course import first_scene, open_own, own_lesson, stand
from ui.lessons.plan import plan
from ui.lessons.shelf import NAMES, OWN, read_own, shipped, source
from ui.path import page_of
from ui.prose import say
from ui.session import place_of_messages
from ui.text import escape_beside, escape_markdown
from ui.uploads import file_in
from ui.walk import way_from


def lesson_card(name: str, lesson: Lesson) -> None:
    """A lesson: for whom, how long, a way in, and what its teacher prints."""
    with st.container(border=True, key=f"lesson_card_{name}"):
        st.markdown(f"**{escape_beside(lesson.title)}**")
        scenes = len(lesson.scenes)
        st.markdown(
            f"{escape_beside(lesson.audience)} **{scenes} scene{'s' * (scenes > 1)}**, about "
            f"{lesson.minutes:g} minutes."
        )
        with st.container(horizontal=True, vertical_alignment="center"):
            page, asked = first_scene(name, lesson)
            st.page_link(page_of(page), label="Begin →", query_params=asked)
            st.download_button(
                "Teacher's plan (.html)", partial(plan, name, lesson, _address()),
                f"{name}-plan.html", "text/html", key=f"plan_{name}", on_click="ignore",
            )  # fmt: skip
            if name != OWN:
                st.download_button(
                    "As a file (.toml)", source(name), f"{name}.toml", "application/toml",
                    key=f"file_{name}", on_click="ignore",
                )  # fmt: skip


def _address() -> str:
    """The product's own address, as this browser has it."""
    return (st.context.url or "").removesuffix("lessons")


def take() -> None:
    """Open the file that was chosen, before the page is made: it may end the lesson that is on."""
    state = st.session_state
    state.lesson_refused = ""
    try:
        if (file := file_in("lesson_file")) is not None:
            open_own(read_own(file.getvalue()))
    except InputError as error:
        state.lesson_refused = f"{error}."


def own() -> None:
    """A lesson from a person's file, or why it cannot be opened."""
    st.file_uploader("A lesson's file", ["toml"], key="lesson_file", on_change=take)
    if "lesson_refused" not in st.session_state:
        take()  # a browser that has lost its session begins the next one with a file
    with place_of_messages():
        if st.session_state.lesson_file is not None and st.session_state.lesson_refused:
            st.error(escape_markdown(st.session_state.lesson_refused))
    if (lesson := own_lesson()) is not None:
        lesson_card(OWN, lesson)


frame(
    "lessons",
    "Lessons: who leads the way?",
    "A lesson leads through the pages scene by scene: each scene sets its page, says what to look "
    "at, and leads on to the next. Everything can still be changed, and set back.",
)
if (now := stand()) is not None:
    title = escape_beside(now.lesson.title)
    say(f"You are in “{title}”, at scene {now.at + 1} of {len(now.lesson.scenes)}.")
st.header("Lessons that come along", anchor=False)
for known in NAMES:
    lesson_card(known, shipped(known))
st.header("One of your own", anchor=False)
say(
    "Set a page as you want it, copy its link from “Share”, and write a few sentences beside "
    "it: that is a scene. A lesson is a text file of scenes. Take one of those above as a file, "
    "change it, and open it here. It is read by the server that runs this page, for this visit, "
    "and kept nowhere."
)
own()
with st.expander("What may be in the file"):
    say(
        "`title` and `for` (for whom) stand first; then `[[scene]]` before each scene, with "
        "`title`, `link`, `say` and `minutes`. It may also have `do` (what to do or to answer), "
        "`answer` (to what is asked: it stands under that word, and is not shown when projecting), "
        "`note` (for the teacher alone: it is not shown when projecting, and printed in the plan) "
        "and `until` (the last step that Page Down walks to before it goes on to the next scene)."
    )
    st.code(
        'title = "Two tokens"\n'
        'for = "Whoever has ten minutes."\n\n'
        "[[scene]]\n"
        'title = "Who reads whom?"\n'
        'link = "?text=red+ball&heads=1&step=weights&cell=weights.0.1.0&cover=weights"\n'
        "minutes = 4\n"
        'say = """*ball* takes {weights.0.1.0} of what it reads from *red*. '
        'The number comes from [softmax]."""\n'
        'do = "Work out the [weight] of *red* for *ball*, and type it into the matrix."\n'
        'note = "Ask first what the two weights of a row add up to."\n',
        language="toml",
    )
    say(
        "In `say`, `{weights.0.1.0}` is that number on the stage, and `{weights}` leads to that "
        "matrix. Everywhere `[softmax]` or `[shares](softmax)` explains a term of the glossary, "
        "`*ball*` is a [token](#term-token), and code stands between backquotes. All else is "
        "text. A link leads to a page of this product, one of Practice to a set of questions: "
        "whatever stands before the page's own part is left out."
    )
way_from("lessons")
