"""A lesson's file is read as it is meant, or refused with what is wrong and what helps."""

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core.attention.glossary import GLOSSARY
from core.errors import InputError
from core.files.lesson import (
    LONGEST_SCENE,
    LONGEST_WORDS,
    MARKS,
    MOST_SCENES,
    Lesson,
    Scene,
    read_lesson,
    term_of,
    without_answers,
    write_lesson,
)
from tests.core.support import refuses

SCENE = """
[[scene]]
title = "Who reads whom?"
link = "?step=weights"
minutes = 2.5
say = "A share: {weights.0.1.0}."
"""
GOOD = f'title = "Two tokens"\n{SCENE}'


def with_scene(old: str, new: str) -> str:
    assert old in GOOD
    return GOOD.replace(old, new)


def test_a_lesson_says_for_whom_it_is_and_its_scenes_in_their_order() -> None:
    lesson = read_lesson(
        'title = "Two"\nfor = "Anybody."\n'
        + SCENE
        + SCENE.replace("Who reads whom?", "And now?")
        + 'do = "Look."\nanswer = "Yes."\nnote = "Wait."\nuntil = "output"\n'
    )
    assert (lesson.title, lesson.audience, lesson.minutes) == ("Two", "Anybody.", 5)
    first, second = lesson.scenes
    assert (first.title, first.link, first.minutes) == ("Who reads whom?", "?step=weights", 2.5)
    assert (first.task, first.answer, first.note, first.until) == ("", "", "", "")
    assert (second.title, second.task, second.answer) == ("And now?", "Look.", "Yes.")
    assert (second.note, second.until) == ("Wait.", "output")


@pytest.mark.parametrize(
    ("text", "value", "limit", "remedy"),
    [
        ("title = ", "The lesson cannot be read", "must be TOML", "[[scene]]"),
        ("[" * 5_000, "nested too deep", "the limit is", "[[scene]]"),
        (SCENE, "The lesson has no title", "it needs title, scene", "add title"),
        ('title = "T"\nscene = []', "The lesson has 0 scenes", f"1 to {MOST_SCENES}", "[[scene]]"),
        ('title = "T"\n' + SCENE * (MOST_SCENES + 1), f"has {MOST_SCENES + 1} scenes",
         f"1 to {MOST_SCENES}", "[[scene]]"),
        ('title = "T"\nscene = 3', "scene is not a list",
         "each scene needs its own table", "[[scene]]"),
        ('title = "T"\nscene = [3]', "Scene 1 is not a table", "must have fields", "[[scene]]"),
        (f'author = "me"\n{GOOD}', "The lesson has 'author'", "may have title, for, scene",
         "leave it out"),
        (with_scene("minutes = 2.5", "minute = 2"), "Scene 1 has 'minute'", "may have",
         "correct its name"),
        (with_scene('say = "A share: {weights.0.1.0}."', ""), "Scene 1 has no say",
         "it needs title, link, say, minutes", "add say"),
        (with_scene('"Who reads whom?"', '"  "'), "Scene 1: title is empty", "must have words",
         "write some"),
        (with_scene('"Who reads whom?"', "7"), "Scene 1: title is not a text", "must be a text",
         "in quotes"),
        (with_scene("A share", "x" * (LONGEST_WORDS + 1)), f"has {LONGEST_WORDS + 19:,} characters",
         f"the limit is {LONGEST_WORDS:,}", "shorten it"),
        (with_scene("2.5", "0"), "Scene 1: minutes is 0", f"up to {LONGEST_SCENE}", "minutes = 3"),
        (with_scene("2.5", "nan"), "minutes is nan", f"up to {LONGEST_SCENE}", "minutes = 3"),
        (with_scene("2.5", "true"), "minutes is True", f"up to {LONGEST_SCENE}", "minutes = 3"),
        (with_scene("2.5", "1e9"), "minutes is 1000000000.0", f"up to {LONGEST_SCENE}", "= 3"),
        (with_scene("{weights.0.1.0}", "{weights 0}"), "Scene 1: say has {weights 0}",
         "must be a cell or a matrix", "{weights.0.2.1}"),
        (with_scene("A share", "[A share](https://example.org)"),
         "has the term 'https://example.or", "the glossary does not have it", "softmax"),
        (GOOD + 'note = "It is {weights.0.1.0}."', "Scene 1: note has {weights.0.1.0}",
         "it is printed without a stage", "move that number to say"),
    ],
)  # fmt: skip
def test_what_is_no_lesson_is_refused(text: str, value: str, limit: str, remedy: str) -> None:
    error = refuses("", read_lesson, text)
    assert all((value in error.value, limit in error.limit, remedy in error.remedy)), error


@given(st.text())
def test_any_text_is_a_lesson_or_is_refused(text: str) -> None:
    try:
        lesson = read_lesson(text)
    except InputError:
        return
    assert lesson.scenes  # pragma: no cover


@pytest.mark.parametrize(
    ("written", "term"),
    [("[softmax]", "softmax"), ("[Softmax]", "softmax"), ("[dot product]", "dot-product"),
     ("[shares](softmax)", "softmax"), ("{weights.0.1}", ""), ("*cat*", ""), ("`x[0]`", "")],
)  # fmt: skip
def test_marks_name_terms_of_the_glossary(written: str, term: str) -> None:
    mark = re.fullmatch(MARKS, written)
    assert mark
    assert term_of(mark) == term
    assert not term or term in GLOSSARY


WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30).map(
    lambda text: MARKS.sub("", text).replace("\r\n", "\n").strip()
)
SCENES = st.builds(
    Scene, title=WORDS.filter(bool), link=WORDS, words=WORDS.filter(bool),
    minutes=st.floats(1e-9, LONGEST_SCENE), task=WORDS, answer=WORDS, note=WORDS, until=WORDS,
)  # fmt: skip


@given(st.builds(Lesson, WORDS.filter(bool), WORDS, st.lists(SCENES, min_size=1).map(tuple)))
def test_a_written_lesson_is_read_as_the_same_lesson(lesson: Lesson) -> None:
    assume(len(lesson.scenes) <= MOST_SCENES)
    for scene in lesson.scenes:
        assume(not any(MARKS.search(text) for text in (scene.words, scene.task, scene.answer)))
        assume(not MARKS.search(scene.note))
    assert read_lesson(write_lesson(lesson)) == lesson
    for scene in read_lesson(write_lesson(without_answers(lesson))).scenes:
        assert (scene.answer, scene.note) == ("", "")


def test_what_toml_does_not_allow_in_a_text_is_written_too() -> None:
    lesson = Lesson("T", "", (Scene("a \x7f \0 \x1f \u2028 z", "", 'a "\\ \n\t z', 1.0),))
    assert read_lesson(write_lesson(lesson)) == lesson
