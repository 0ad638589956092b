"""The lesson of the class: each scene asks one thing, and a room asks just that."""

import re

import pytest

from core.files.lesson import MARKS
from core.program.labels import MARKED_TOKEN
from ui.classroom.asked import asked_question
from ui.lessons.course import ScenePosition
from ui.lessons.shelf import place_of, shipped

LESSON = shipped("class")
COVERED = [n for n, scene in enumerate(LESSON.scenes) if "cover" in place_of(scene.link).params]


def test_it_takes_no_longer_than_its_title_says() -> None:
    (promised,) = re.findall(r"\d+", LESSON.title)
    assert LESSON.minutes <= int(promised)


@pytest.mark.parametrize("at", range(len(LESSON.scenes)))
def test_each_scene_asks_one_thing(at: int) -> None:
    task = LESSON.scenes[at].task
    assert len(re.findall(r"[.?!](?=\s|$)", task)) == 1, task
    assert not re.search(r"\b(all|each|rows|four)\b", task), task


@pytest.mark.parametrize("at", COVERED)
def test_what_a_room_asks_is_what_the_scene_asks(at: int) -> None:
    """The tokens that a task names are those of the cell that the class is asked for."""
    scene = LESSON.scenes[at]
    said = {mark["token"] for mark in MARKS.finditer(scene.task) if mark["token"]}
    prompt = asked_question(ScenePosition("class", LESSON, at).asked).prompt
    assert said == set(re.findall(MARKED_TOKEN, prompt))
