"""The page *Lessons*: a learner's way in first, and one fold for teachers."""

import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.support import PAGES, closed_folds, opened
from ui.lessons.folder import VARIABLE
from ui.lessons.shelf import LESSON_NAMES, OWN_LESSON, read_own, shipped

OWN = read_own(
    b'title = "Mine"\n[[scene]]\ntitle = "S"\nminutes = 1\nsay = "It is."\nlink = "?preset=P4"\n'
)


def with_fold(lesson: str = "", role: str = "", **state: object) -> AppTest:
    """The page with its fold for teachers open, at a lesson if one is named."""
    page = AppTest.from_file(str(PAGES / "lessons.py"), default_timeout=60)
    if role:
        page.query_params["role"] = role
    opened_fold = {"fold_for_teachers": True, "fold_for_teachers_by_link": False}
    for key, value in (opened_fold | state).items():
        page.session_state[key] = value
    page.run()
    assert not page.exception
    if lesson:
        page.selectbox(key="lesson_of_files").set_value(lesson).run()
        assert not page.exception
    return page


def files(page: AppTest) -> list[str]:
    """What can be downloaded, by the keys of its buttons."""
    ids = (one.proto.id for one in page.get("download_button"))
    return [re.sub(r".*-((sheet|key|plan|file)_)", r"\1", id) for id in ids]


def links(page: AppTest) -> list[str]:
    return [one.value for one in page.code if "lesson=" in one.value]


def test_a_card_has_a_learner_s_two_ways_in_and_nothing_for_teachers() -> None:
    page = opened("lessons")
    assert not files(page)
    assert not links(page)
    labels = [one.proto.label for one in page.get("page_link")]
    assert labels.count("Begin →") == len(LESSON_NAMES)
    assert closed_folds(page) == ["fold_for_teachers"]


@pytest.mark.parametrize("name", LESSON_NAMES)
def test_the_fold_has_the_link_and_the_files_of_the_lesson_that_is_chosen(name: str) -> None:
    page = with_fold(name)
    sheets = ["sheet_class", "key_class"] if name == "class" else []
    assert files(page) == [*sheets, f"plan_{name}", f"file_{name}"]
    assert links(page)
    assert all(f"lesson={name}.1" in link for link in links(page))
    assert page.selectbox(key="lesson_of_files").options == [
        shipped(one).title for one in LESSON_NAMES
    ]


@pytest.mark.parametrize("name", LESSON_NAMES)
def test_a_student_gets_neither_plan_nor_key_nor_file(name: str) -> None:
    page = with_fold(name, role="student")
    assert files(page) == (["sheet_class"] if name == "class" else [])


def test_a_lesson_of_ones_own_is_the_one_that_is_chosen_and_goes_again() -> None:
    page = with_fold(own_lesson=OWN)
    assert page.selectbox(key="lesson_of_files").value == OWN_LESSON
    assert files(page) == ["plan_own", "file_own"]
    page.session_state.own_lesson = None
    page.run()
    assert not page.exception
    assert page.selectbox(key="lesson_of_files").value == LESSON_NAMES[0]


def test_a_lesson_of_the_servers_folder_is_found_at_once_and_a_bad_one_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    page = opened("lessons")
    title = "On this server"
    assert not any(title in one.value for one in page.header)
    lesson = (
        'title = "Two tokens"\n[[scene]]\ntitle = "Here"\nminutes = 1\nsay = "It is."\n'
        'link = "heads?heads_text=red+ball"\n'
    )
    (tmp_path / "physics-7b.toml").write_text(lesson)
    (tmp_path / "bad.toml").write_text("title = 3")
    page.run()
    assert any(title in one.value for one in page.header)
    (refused,) = page.warning
    assert "bad.toml is not shown" in refused.value.replace("\\", "")
    scene = opened("heads", lesson="physics-7b.1")
    assert scene.text_input(key="heads_text").value == "red ball"
