"""The page *Lessons*: a learner's way in first, and one fold for teachers."""

import re
from pathlib import Path
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.support import changed, closed_folds, link_of, opened, unopened, untouched, warned
from ui.lessons.folder import VARIABLE
from ui.lessons.printed_lesson import practice_of
from ui.lessons.shelf import LESSON_NAMES, OWN_LESSON, read_own, shipped

MINE = 'title = "Mine"\n[[scene]]\ntitle = "S"\nminutes = 1\nsay = "It is."\nlink = "?preset=P4"\n'
OWN = read_own(MINE.encode())


def with_fold(lesson: str = "", role: str = "", **state: object) -> AppTest:
    """The page with its fold for teachers open, at a lesson if one is named."""
    page = unopened("lessons", **({"role": role} if role else {}))
    changed(page, fold_for_teachers=True, fold_for_teachers_by_link=False, **state)
    return changed(page, lesson_of_files=lesson) if lesson else page


def files(page: AppTest) -> list[str]:
    """What can be downloaded, by the keys of its buttons."""
    ids = (one.proto.id for one in page.get("download_button"))
    return [re.sub(r".*-((sheet|key|plan|file)_)", r"\1", id) for id in ids]


def links(page: AppTest) -> list[str]:
    return [one.value for one in page.code if "lesson=" in one.value]


def test_a_card_has_a_learner_s_two_ways_in_and_nothing_for_teachers() -> None:
    page = untouched("lessons")
    assert (files(page), links(page)) == ([], [])
    led = [
        (one.proto.label, dict(parse_qsl(one.proto.query_string))) for one in page.get("page_link")
    ]
    assert [asked["lesson"] for label, asked in led if label == "Begin →"] == [
        f"{name}.1" for name in LESSON_NAMES
    ]
    practised = [asked for label, asked in led if label == "Questions on what it touches"]
    assert practised == [practice_of(shipped(name)) for name in LESSON_NAMES]
    assert closed_folds(page) == ["fold_for_teachers"]


@pytest.mark.parametrize("name", LESSON_NAMES)
def test_the_fold_has_the_link_and_the_files_of_the_lesson_that_is_chosen(name: str) -> None:
    page = with_fold(name)
    sheets = ["sheet_class", "key_class"] if name == "class" else []
    assert files(page) == [*sheets, f"plan_{name}", f"file_{name}"]
    assert links(page)
    assert all(f"lesson={name}.1" in link for link in links(page))
    titles = [shipped(one).title for one in LESSON_NAMES]
    assert page.selectbox(key="lesson_of_files").options == titles


@pytest.mark.parametrize("name", LESSON_NAMES)
def test_a_student_gets_neither_plan_nor_key_nor_file_and_stays_one(name: str) -> None:
    page = with_fold(name, role="student")
    for _ in range(2):
        assert files(page) == (["sheet_class"] if name == "class" else [])
        assert link_of(page)["role"] == "student"
        del page.query_params["role"]  # links within the app have no role
        page.run()


def test_a_lesson_of_ones_own_is_the_one_that_is_chosen_and_goes_again() -> None:
    page = with_fold(own_lesson=OWN)
    assert page.selectbox(key="lesson_of_files").value == OWN_LESSON
    assert files(page) == ["plan_own", "file_own"]
    changed(page, own_lesson=None)
    assert page.selectbox(key="lesson_of_files").value == LESSON_NAMES[0]


def test_a_lesson_of_the_folder_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    page = opened("lessons")
    title = "On this server"
    assert not any(title in one.value for one in page.header)
    (tmp_path / "physics-7b.toml").write_text(
        MINE.replace("?preset=P4", "heads?heads_text=red+ball")
    )
    (tmp_path / "bad.toml").write_text("title = 3")
    page.run()
    assert any(title in one.value for one in page.header)
    (why,) = warned(page)
    assert "bad.toml is not shown" in why
    scene = opened("heads", lesson="physics-7b.1")
    assert scene.text_input(key="heads_text").value == "red ball"
