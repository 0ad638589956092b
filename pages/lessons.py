"""Who leads the way?

Lessons that go through the pages scene by scene: built-in ones, those of the server's folder, and
one's own from a file.
"""

from collections.abc import Callable, Mapping
from functools import partial

import streamlit as st

from core.errors import InputError
from core.files.lesson import Lesson, write_lesson
from core.texts.text_file import LANGUAGE
from ui.classroom.store.room import HOURS_KEPT
from ui.classroom.teacher.opening import give_lesson
from ui.lessons.course import current_scene, first_scene, given_name, open_own, own_lesson
from ui.lessons.folder import file_named
from ui.lessons.printed_lesson import has_worksheet, lesson_key, lesson_sheet, plan, practice_of
from ui.lessons.shelf import (
    LESSON_NAMES,
    OWN_LESSON,
    further_names,
    lesson_in_folder,
    packed_lesson,
    read_own,
    shipped,
    source,
)
from ui.links.path import address_of, page_named
from ui.links.session import place_of_messages
from ui.page.fold import fold_drawn_when_open
from ui.page.frame import frame
from ui.page.path_navigation import page_footer
from ui.page.presenting import is_student_view
from ui.page.prose import say
from ui.page.sharing import own_address, show_link
from ui.page_texts import PAGES, chart_texts, page_texts
from ui.server.fragments import fragment
from ui.server.uploads import SMALL_FILE, file_in
from ui.text import escape_beside, escape_markdown

TEXTS, PLAIN = page_texts("lessons"), chart_texts("lessons")
CHOSEN = "lesson_of_files"
"""The lesson whose link and files are on show, by its name."""


def lesson_card(name: str, lesson: Lesson) -> Lesson:
    """A lesson: for whom, how long, and a way in."""
    with st.container(border=True, key=f"lesson_card_{name}"):
        st.markdown(TEXTS("lesson_title", title=escape_beside(lesson.title)))
        audience, minutes = escape_beside(lesson.audience), f"{lesson.minutes:g}"
        said = {"audience": audience, "scenes": len(lesson.scenes), "minutes": minutes}
        st.markdown(TEXTS("audience", **said))
        with st.container(horizontal=True, vertical_alignment="center"):
            page, asked = first_scene(name_given(name, lesson) or name, lesson)
            st.page_link(page_named(page), label=TEXTS("begin"), query_params=asked)
            practice, keys = page_named("practice"), practice_of(lesson)
            st.page_link(practice, label=TEXTS("questions"), query_params=keys)
        if name == OWN_LESSON:
            give_lesson(lesson, "give_lesson", "lessons")
    return lesson


def name_given(name: str, lesson: Lesson) -> str:
    """The name of a lesson that others have it by; "" of one's own that is not with a class."""
    return given_name(lesson) if name == OWN_LESSON else name


@fragment
def for_teachers(lessons: Mapping[str, Lesson]) -> None:
    """What a teacher copies and prints of a lesson, in one fold for all that are on the page.

    Students get neither a file nor a plan nor a key, which have the answers.
    """
    title = TEXTS("for_teachers", student=is_student_view())
    fold_drawn_when_open(title, "for_teachers", {}, (), partial(files_of_one, lessons))


def files_of_one(lessons: Mapping[str, Lesson]) -> None:
    """The choice of a lesson, and its files."""
    if st.session_state.get(CHOSEN) not in lessons:
        st.session_state[CHOSEN] = OWN_LESSON if OWN_LESSON in lessons else next(iter(lessons))
    name = st.selectbox(
        TEXTS("of_lesson"), [*lessons], key=CHOSEN, width=420,
        format_func=lambda name: lessons[name].title,
    )  # fmt: skip
    files_of(name, lessons[name])


def files_of(name: str, lesson: Lesson) -> None:
    """The link, worksheet, key, plan and file of a lesson."""
    linked = name_given(name, lesson)
    if name != OWN_LESSON or not linked:  # a lesson that was given has its room's link
        share_lesson(name, lesson)
    file = source(name) if name in LESSON_NAMES else write_lesson(lesson)
    offered: list[tuple[str, str, str | Callable[[], str], str]] = [
        ("plan", "plan", partial(plan, linked or name, lesson, _root()), "-plan.html"),
        ("file", "download", file, ".toml"),
    ]
    if has_worksheet(name, lesson):
        key = ("key", "key_file", partial(lesson_key, name, lesson), "-key.html")
        sheet = ("sheet", "sheet_file", partial(lesson_sheet, name, lesson), "-worksheet.html")
        offered = [sheet, key, *offered]
    with st.container(horizontal=True, vertical_alignment="center"):
        for file_key, id, made, ending in offered:
            if file_key == "sheet" or not is_student_view():
                kind = "application/toml" if ending == ".toml" else "text/html"
                st.download_button(
                    TEXTS(id), made, f"{name}{ending}", kind, key=f"{file_key}_{name}",
                    on_click="ignore",
                )  # fmt: skip


def share_lesson(name: str, lesson: Lesson) -> None:
    """The link of a lesson's first scene, if its lesson can be in a link."""
    if name == OWN_LESSON and not packed_lesson(lesson):
        st.warning(TEXTS("too_long", hours=HOURS_KEPT))
        return
    page, asked = first_scene(name, lesson)
    address = _root() + address_of(page).removeprefix("./")
    show_link(address, asked, PLAIN("shorten_lesson"), TEXTS("lesson_link"))


def _root() -> str:
    """The product's own address, as this browser has it."""
    return own_address().removesuffix("lessons")


def take() -> None:
    """Open the file that was chosen, before the page is made: it may end the lesson that is on."""
    state = st.session_state
    state.lesson_refused = ""
    try:
        if (file := file_in("lesson_file")) is not None:
            open_own(read_own(file.getvalue()))
            state[CHOSEN] = OWN_LESSON
    except InputError as error:
        state.lesson_refused = PLAIN("refused", error=str(error))


def own() -> dict[str, Lesson]:
    """A lesson from a person's file, or why it cannot be opened."""
    st.file_uploader(
        TEXTS("uploader"), ["toml"], key="lesson_file", on_change=take, max_upload_size=SMALL_FILE
    )
    if "lesson_refused" not in st.session_state:
        take()  # a browser that has lost its session begins the next one with a file
    with place_of_messages():
        if st.session_state.lesson_file is not None and st.session_state.lesson_refused:
            st.error(escape_markdown(st.session_state.lesson_refused))
    if (lesson := own_lesson()) is None:
        return {}
    return {OWN_LESSON: lesson_card(OWN_LESSON, lesson)}


def of_the_folder() -> dict[str, Lesson]:
    """The lessons of the server's folder, and why a file there is none."""
    names, shown = further_names(), {}
    if names:
        st.header(TEXTS("on_server"), anchor=False)
    for name in names:
        try:
            lesson = lesson_in_folder(name)
        except InputError as error:
            st.warning(TEXTS("bad_file", name=file_named(name), error=str(error)))
        else:
            shown[name] = lesson_card(name, lesson)
    return shown


frame("lessons", TEXTS("lede"), TEXTS("title"))
if (now := current_scene()) is not None:
    title = escape_beside(now.lesson.title)
    say(TEXTS("now_in", title=title, number=now.at + 1, count=len(now.lesson.scenes)))
st.header(TEXTS("built_in"), anchor=False)
on_page = {known: lesson_card(known, shipped(known)) for known in LESSON_NAMES}
on_page |= of_the_folder()
st.header(TEXTS("teach_title"), anchor=False)
if not is_student_view():
    st.page_link(page_named("room"), label=TEXTS("ask_a_class"))
say(TEXTS("how"))
on_page |= own()
for_teachers(on_page)
with st.expander(TEXTS("format_title")):
    say(TEXTS("format"))
    example = PAGES / LANGUAGE / "lesson.toml"
    st.code(example.read_text(encoding="utf-8").strip(), language="toml")
    say(TEXTS("marks"))
    say(TEXTS("links"))
page_footer("lessons")
