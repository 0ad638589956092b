"""A file that a browser names and the server no longer has is said to be gone."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from tests.sampling import ROOT
from tests.ui.support import changed, opened, refused, unopened
from ui.lessons.shelf import source

GONE = "The file that you chose is gone; the server keeps a file for one visit: choose it again."


@pytest.fixture
def _nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AppTest, "_register_uploaded_files", lambda page, runner: None)


def with_file() -> AppTest:
    """The page of lessons, where a lesson was uploaded."""
    page = opened("lessons")
    page.file_uploader[0].upload("a.toml", source("class").encode())
    return page


@pytest.mark.usefixtures("_nothing_is_kept")
def test_a_lesson_that_the_server_has_lost_is_said_to_be_gone() -> None:
    page = with_file()
    begun = unopened("lessons")._run(page._tree.get_widget_states())
    assert refused(page.run()) == refused(begun) == [GONE], "or not in a visit that begins with it"


@pytest.mark.usefixtures("_nothing_is_kept")
def test_matrices_that_the_server_has_lost_are_said_to_be_gone() -> None:
    panels = {"numbers_panel": True, "edit_panel": True, "edit_how": "upload a file"}
    page = changed(opened("walkthrough"), **panels)
    page.file_uploader[0].upload("a.csv", b"1, 2")
    assert refused(page.run()) == [GONE]


def test_one_that_is_there_is_opened() -> None:
    page = with_file().run()
    assert refused(page) == []
    assert page.session_state.own_lesson.title


def test_every_uploader_is_asked_in_that_way() -> None:
    for path in [*ROOT.glob("pages/**/*.py"), *ROOT.glob("ui/**/*.py")]:
        written = path.read_text(encoding="utf-8")
        uploaders = re.findall(r"(.*)\bst\.file_uploader\(", written)
        assert all(not before.strip() for before in uploaders), f"{path} takes a file by itself"
        assert not uploaders or "file_in(" in written, path
