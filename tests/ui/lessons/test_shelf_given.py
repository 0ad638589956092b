"""A lesson from outside is opened or refused alike by its link, a file, the folder and a room."""

import os
import re
from collections.abc import Callable
from pathlib import Path
from time import thread_time
from urllib.parse import urlencode

import pytest
from streamlit.testing.v1 import AppTest

from core.errors import InputError
from core.files.lesson import (
    MAX_LESSON_BYTES,
    MOST_SCENES,
    Lesson,
    read_lesson,
    without_answers,
    write_lesson,
)
from tests.sampling import paired
from tests.ui.support import changed, link_of, opened, prose, stage, unopened, untouched
from tests.unreadable import unreadable
from ui.classroom.class_session import OWN_ROOM
from ui.classroom.store.room import name_in_links
from ui.classroom.store.rooms import rooms
from ui.lessons import folder, shelf
from ui.links.links import LONGEST_LINK, packed_data, unpacked_data

LINK = "?text=red+ball&step=weights"
SCENE = f'[[scene]]\ntitle = "S"\nlink = "{LINK}"\nminutes = 1\nsay = "W"\n'
GOOD = f'title = "T"\n{SCENE}'
NASTY = (
    "<img src=x onerror=alert(1)> <script>alert(1)</script> ## h *x* $x^2$ :red: :smile: "
    "https://evil.example www.evil.example a@evil.example | - 1. \u202eevil \u2069 -> ~~s~~ &lt;"
)
SHORT = "<img src=x onerror=alert(1)> *x* $x^2$ :smile: https://evil.example \u202eevil | # ->"
TEXTS_OF_ANYBODY = (
    f"title = '{SHORT}'\nfor = '{NASTY}'\n[[scene]]\ntitle = '{SHORT}'\nminutes = 1\n"
    "link = 'javascript:alert(1)//?text=red+ball&step=weights'\n"
    f"say = '{NASTY} {{weights.0.1.0}}'\ndo = '{NASTY}'\nanswer = 'ANSWER {NASTY}'\n"
    f"note = 'NOTE {NASTY}'\n"
)


def but(old: str, new: str) -> bytes:
    """The good lesson with something else in it."""
    return GOOD.replace(old, new).encode()


BAD = {
    "empty": b"",
    "no text": b"\xff\xfe\x00",
    "pickle": b"\x80\x04\x95",
    "nul": but("W", "\0"),
    "large": (GOOD + "#" * MAX_LESSON_BYTES).encode(),
    "large once unpacked": b" " * 3_000_000,
    "dots": b"a." * 10_000 + b"a = 1",
    "deep": b"a = " + b"[" * 5_000,
    "long number": b"a = " + b"9" * 5_000,
    "many": but(SCENE, SCENE * (MOST_SCENES + 1)),
    "unknown": b"os = 'rm'\n" + GOOD.encode(),
    "elsewhere": but(LINK, "https://evil.example/x"),
    "no page": but(LINK, "../../etc/passwd"),
    "itself": but(LINK, "?lesson=given.1"),
    "of a room": but(LINK, "?lesson=~GGGGGG.1"),
    "own": but(LINK, "?lesson=own.1"),
    "no array": but("W", "{nothing.0}"),
    "minutes": but("= 1", "= nan"),
    "long": but("W", "x" * 3_001),
    "a note with a number of the stage": (GOOD + "note = '{weights.0.0.0}'").encode(),
}
Opened = Callable[[bytes], AppTest]


@pytest.fixture(autouse=True)
def lessons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the server's lessons, which is empty."""
    monkeypatch.setenv(folder.VARIABLE, str(tmp_path))
    return tmp_path


def lesson_of_many_letters(count: int) -> Lesson:
    """A lesson with a task that hardly can be compressed."""
    letters = "".join(chr(0x4E00 + n * 7919 % 20_000) for n in range(count))
    return shelf.read_own((GOOD + f'do = "{letters}"\n').encode())


def shown(text: str) -> str:
    """A text of Markdown as a person reads it."""
    return re.sub(r"\\(.)", r"\1", text).replace("\u2060", "")


def said(page: AppTest) -> list[str]:
    """What a page warns of or refuses, as a person reads it."""
    assert not page.exception
    return [shown(box.value) for box in (*page.warning, *page.error)]


def by_link(data: bytes) -> AppTest:
    return opened("walkthrough", lesson="own.1", own=packed_data(data))


def by_file(data: bytes) -> AppTest:
    """The page of lessons if the file is refused, else the lesson's first scene."""
    page = opened("lessons")
    page.file_uploader[0].upload("a.toml", data)
    page.run()
    if "own_lesson" not in page.session_state:
        return page
    lesson = page.session_state.own_lesson
    return changed(unopened("walkthrough", lesson="own.1"), own_lesson=lesson)


def by_folder(data: bytes) -> AppTest:
    (folder.lessons_folder() / "given.toml").write_bytes(data)
    return opened("walkthrough", lesson="given.1")


def by_list(data: bytes) -> AppTest:
    (folder.lessons_folder() / "given.toml").write_bytes(data)
    return opened("lessons")


def by_room(data: bytes) -> AppTest:
    """The lesson as a room has it, whoever wrote it into the room's file."""
    code, key = rooms().create()
    with rooms()._database.writing() as connection:
        connection.execute("INSERT INTO room_lessons VALUES (?, ?)", (code, data))
    page = unopened("walkthrough", lesson=f"{name_in_links(code)}.1")
    return changed(page, **{OWN_ROOM: (code, key)})


WAYS: dict[str, Opened] = {
    way.__name__.removeprefix("by_"): way for way in (by_link, by_file, by_folder, by_list, by_room)
}
"""How a lesson comes, with the page that a person sees who opens it."""


@pytest.fixture(params=WAYS)
def opens(request: pytest.FixtureRequest) -> Opened:
    """`opens(data)`: the page that a person sees who opens this lesson, in each of the ways."""
    return WAYS[request.param]


@pytest.mark.parametrize(("name", "opens"), paired([*BAD], [*WAYS]), indirect=["opens"])
def test_a_bad_lesson_is_refused_with_one_reason_however_it_comes(opens: Opened, name: str) -> None:
    began = thread_time()  # what others do on the machine, and loading a page, take none of it
    with pytest.raises(InputError) as error:
        shelf.read_own(BAD[name])
    assert thread_time() - began < 1
    page = opens(BAD[name])
    assert len([text for text in said(page) if str(error.value) in text]) == 1
    assert "lesson" not in page.session_state or not page.session_state.lesson
    assert page.title  # the rest of the page is there


def told(page: AppTest) -> list[str]:
    """All that a page says of the lesson."""
    assert not page.exception
    every = [*page.markdown, *page.caption, *page.warning]
    return [box.value for box in every if "evil" in box.value]


def test_a_lessons_texts_are_text_and_its_scene_says_the_same_however_it_comes() -> None:
    every = {way: told(opens(TEXTS_OF_ANYBODY.encode())) for way, opens in WAYS.items()}
    for way, found in every.items():
        assert any("<img src=x onerror=alert(1)>" in shown(text) for text in found), way
        for text in found:
            ours = re.sub(r"\*\*|^\*(?=\S)|\[\w+[.\w]*\]\(#stage-[\w.]+\)", "", text)
            live = r"(?<!\\)[<$#|]|https?:(?!\u2060)\\?/|www(?!\u2060)\\?\.evil|(?<!\\):red"
            assert not re.search(live, ours), (way, text)
    assert len(every.pop("list")) > 0
    assert len(every["link"]) >= 6
    assert all(texts == every["link"] for texts in every.values())


@pytest.mark.parametrize("name", ["given.1", "own.1", "class.2"])
def test_students_get_no_answer_and_no_note(lessons: Path, name: str) -> None:
    (lessons / "given.toml").write_bytes(TEXTS_OF_ANYBODY.encode())
    along = {"own": packed_data(TEXTS_OF_ANYBODY.encode())} if name == "own.1" else {}
    teacher = opened("walkthrough", lesson=name, **along)
    assert {"Answer", "Teacher's note"} <= {fold.label for fold in teacher.expander}
    page = opened("walkthrough", lesson=name, role="student", **along)
    assert not {"Answer", "Teacher's note"} & {fold.label for fold in page.expander}
    assert not any(word in text for text in told(page) for word in ("ANSWER", "NOTE"))


def test_a_link_for_students_brings_the_lesson_without_answers_and_notes() -> None:
    lesson = read_lesson(TEXTS_OF_ANYBODY)
    packed = shelf.packed_lesson(without_answers(lesson))
    written = unpacked_data(packed, MAX_LESSON_BYTES).decode()
    assert "ANSWER" in write_lesson(lesson)
    assert not any(word in written for word in ("ANSWER", "NOTE"))
    assert shelf.lesson_of_link(packed).scenes[0].words == lesson.scenes[0].words


def test_a_role_that_there_is_not_is_said() -> None:
    page = opened("walkthrough", lesson="class.2", role="teacher")
    assert any("role is 'teacher'" in text for text in said(page))


@pytest.mark.parametrize("name", shelf.LESSON_NAMES)
def test_a_lesson_goes_through_its_link_unchanged(name: str) -> None:
    lesson, packed = shelf.shipped(name), shelf.packed_lesson(shelf.shipped(name))
    assert read_lesson(write_lesson(lesson)) == lesson
    assert shelf.lesson_of_link(packed) == lesson
    page = opened(shelf.place_of(lesson.scenes[0].link).page, lesson="own.1", own=packed)
    assert said(page) == []
    assert link_of(page)["own"] == packed
    assert lesson.title in "".join(shown(box.value) for box in page.caption)


def test_the_first_scene_of_another_lesson_is_set_up_though_its_place_is_the_same() -> None:
    page = by_link(GOOD.encode())
    assert stage(page).labels("weights")[0] == ["red", "ball"]
    other = but("red+ball&step=weights", "a+blue+cup&step=scores")
    page.query_params.update(own=packed_data(other), lesson="own.1")
    second = stage(page.run())
    assert (second.labels("weights")[0], second.step) == (["a", "blue", "cup"], "scores")


@pytest.mark.parametrize("packed", ["x", "é", "A" * (LONGEST_LINK + 1), "eJw", "%%%", "===="])
def test_a_link_whose_lesson_is_garbage_opens_the_page_and_says_so(packed: str) -> None:
    page = opened("walkthrough", lesson="own.1", own=packed)
    (why,) = said(page)
    assert "The lesson in the link cannot be read" in why
    assert not {"own", "lesson"} & {*page.query_params}


def test_a_lesson_that_is_too_long_for_a_link_has_none_and_stays_in_its_visit() -> None:
    lesson = lesson_of_many_letters(2_900)
    assert shelf.packed_lesson(lesson) == ""
    page = changed(unopened("walkthrough", lesson="own.1"), own_lesson=lesson)
    assert "too long for a link" in prose(page)
    assert "own" not in page.query_params


def test_with_a_lesson_in_it_the_address_stays_short_enough() -> None:
    packed = shelf.packed_lesson(lesson_of_many_letters(1_800))
    assert 4_000 < len(packed) <= shelf.LONGEST_PACKED
    sentence = " ".join("é" * 38 for _ in range(20))
    page = opened("walkthrough", lesson="own.1", own=packed, text=sentence)
    assert len(urlencode(link_of(page))) <= LONGEST_LINK
    assert any("too long" in text or "limit" in text for text in said(page))


def test_a_student_finds_the_front_page_as_everybody_does() -> None:
    students = stage(opened("walkthrough", role="student"))
    assert students.step == stage(untouched("walkthrough")).step


# The folder


def test_a_file_is_found_at_once_under_its_name_and_read_anew(lessons: Path) -> None:
    assert shelf.further_names() == []
    (lessons / "physics-7b.toml").write_text(GOOD)
    assert shelf.further_names() == ["physics-7b"]
    assert shelf.lesson_named("physics-7b").title == "T"
    (lessons / "physics-7b.toml").write_text(GOOD.replace('"T"', '"Other"'))
    assert shelf.lesson_named("physics-7b").title == "Other"


def test_a_link_to_a_scene_of_the_folder_leads_where_the_scene_does(lessons: Path) -> None:
    (lessons / "given.toml").write_text(GOOD)
    place = shelf.place_of("?lesson=given.1&mask=none")
    assert place.params == {"text": "red ball", "step": "weights", "mask": "none"}


def test_built_in_lessons_need_no_folder(monkeypatch: pytest.MonkeyPatch, lessons: Path) -> None:
    monkeypatch.setenv(folder.VARIABLE, str(lessons / "none"))
    assert shelf.further_names() == []
    assert shelf.lesson_named("class") == shelf.shipped("class")
    monkeypatch.delenv(folder.VARIABLE)
    assert shelf.further_names() == []


@pytest.mark.parametrize(
    ("file", "reason"),
    [
        (b"a b.toml", "a name has 1 to 60"), (b"a.b.toml", "a name has 1 to 60"),
        (b"x" * 61 + b".toml", "a name has 1 to 60"), (b"<b>.toml", "a name has 1 to 60"),
        (b"\xff.toml", "a name has 1 to 60"), (b"own.toml", "is taken"),
        (b"class.toml", "is taken"), (b"x.TOML", "ends in .toml"), (b"x.Toml", "ends in .toml"),
    ],
)  # fmt: skip
def test_a_name_that_no_link_can_have_is_said(lessons: Path, file: bytes, reason: str) -> None:
    Path(os.fsdecode(os.fsencode(lessons) + b"/" + file)).write_text(GOOD)
    (name,) = shelf.further_names()
    with pytest.raises(InputError, match=reason):
        shelf.lesson_in_folder(name)
    with pytest.raises(InputError):
        shelf.lesson_named("x")
    (why,) = said(opened("lessons"))
    assert reason in why
    assert f"{file.decode(errors='replace')} is not shown" in why


def test_nothing_outside_is_read(lessons: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside") / "secret.toml"
    for file in (outside, lessons / ".hidden.toml"):
        file.write_text(GOOD)
    (lessons / "out.toml").symlink_to(outside)
    os.mkfifo(lessons / "pipe.toml")
    (lessons / "folder.toml").mkdir()
    (lessons / "gone.toml").symlink_to(lessons / "nothing")
    (lessons / "inside.toml").symlink_to(lessons / ".hidden.toml")
    assert shelf.further_names() == ["folder", "gone", "inside", "out", "pipe"]
    reasons = {"out": "leads out", "pipe": "no file", "folder": "no file", "gone": "no file"}
    for name, reason in reasons.items():
        with pytest.raises(InputError, match=reason):
            shelf.lesson_named(name)
    assert shelf.lesson_named("inside").title == "T"


@pytest.mark.parametrize("asked", ["../class", "/etc/passwd", "a/b", "..", "\0", "nothing", ""])
def test_a_name_in_a_link_leads_to_no_other_file(lessons: Path, asked: str) -> None:
    (lessons.parent / "class.toml").write_text(GOOD)
    with pytest.raises(InputError, match="no such lesson"):
        shelf.lesson_named(asked)


def test_a_folder_of_many_files_lists_the_first(lessons: Path) -> None:
    for number in range(folder.MOST_FILES + 5):
        (lessons / f"n{number:03}.toml").write_text(GOOD)
    assert shelf.further_names() == [f"n{number:03}" for number in range(folder.MOST_FILES)]


def test_a_lesson_whose_file_goes_bad_ends_and_says_why(lessons: Path) -> None:
    file = lessons / "given.toml"
    file.write_text(shelf.source("class"))
    page = opened("walkthrough", lesson="given.4")
    assert said(page) == []
    file.write_text(GOOD)
    (why,) = said(page.run())
    assert "a whole number from 1 to 1" in why
    assert "lesson" not in page.query_params
    assert said(page.run()) == []


def test_the_card_of_ones_own_lesson_has_the_class_first_then_its_links_in_a_line_each() -> None:
    lesson = lesson_of_many_letters(900)

    def card(**state: object) -> AppTest:
        opened_fold = {"fold_for_teachers": True, "fold_for_teachers_by_link": False}
        return changed(unopened("lessons"), own_lesson=lesson, **opened_fold, **state)

    page = card()
    links = [one for one in page.code if "own=" in one.value]
    assert len(links) == 3
    assert not any(one.proto.wrap_lines for one in links)
    captions = [one.value for one in page.caption]
    assert "This link opens the lesson:" in captions
    assert not any("shows others what you see" in one for one in captions)
    drawn = list(page.main)
    buttons = [one for one in page.get("bidi_component") if "give_lesson" in one.proto.id]
    assert drawn.index(buttons[0]) < drawn.index(links[0])
    code, key = rooms().create()
    rooms().put_lesson(code, key, write_lesson(lesson))
    page = card(**{OWN_ROOM: (code, key), "lesson_given": (lesson, name_in_links(code))})
    offered = [one.proto.label for one in page.get("link_button")]
    assert offered == ["Open the projector", "Open my window"]
    assert not [one for one in page.code if "own=" in one.value]
    rooms().delete_room(code, key)


@pytest.mark.parametrize("mode", [0, 0o444, 0o111])
def test_a_lesson_that_may_not_be_read_is_refused_or_left_out(lessons: Path, mode: int) -> None:
    (lessons / "mine.toml").write_text(GOOD)
    with unreadable(lessons, mode):
        assert shelf.further_names() in ([], ["mine"])
        if mode != 0o111:
            with pytest.raises(InputError, match="cannot be read"):
                shelf.lesson_in_folder("mine")
    with unreadable(lessons / "mine.toml"), pytest.raises(InputError, match="cannot be read"):
        shelf.lesson_in_folder("mine")
