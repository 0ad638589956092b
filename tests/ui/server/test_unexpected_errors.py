"""A page that raises while it reads its link is shown without it; any other error is seen."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.local_script_runner import LocalScriptRunner

import ui.chapters.walkthrough.view
import ui.links.session
from app import app
from tests.sampling import ROOT
from tests.ui.support import opened, untouched, warned
from ui.chapters.walkthrough.keys import packed_edits, unpack
from ui.links.links import Keys, values_of_link
from ui.page_texts import plain_ui_texts
from ui.server.unexpected_errors import give_up_link

GIVEN_UP = plain_ui_texts("messages")("link_given_up")


@pytest.fixture(autouse=True)
def _asked_for_help_as_by_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    made = LocalScriptRunner.__init__

    def with_handler(self: LocalScriptRunner, *args: Any, **options: Any) -> None:
        made(self, *args, **options)
        self._on_script_error = give_up_link

    monkeypatch.setattr(LocalScriptRunner, "__init__", with_handler)


def raises(*asked: Any) -> None:
    raise LookupError("nobody thought of this")


def test_a_link_that_cannot_be_read_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    assert app._on_script_error is give_up_link, "the server does not ask for it"

    def raising(keys: Keys, link: Mapping[str, str], typed: Mapping[str, str]) -> Any:
        return raises() if link else values_of_link(keys, link, typed)

    monkeypatch.setattr(ui.links.session, "values_of_link", raising)
    page = opened("softmax", softmax_text="a b c")
    assert warned(page) == [GIVEN_UP]
    assert not page.query_params
    assert page.session_state.softmax_text == untouched("softmax").session_state.softmax_text
    assert warned(page.run()) == []


def test_so_does_one_that_a_part_of_the_page_cannot_show(monkeypatch: pytest.MonkeyPatch) -> None:
    def raising(packed: str) -> dict[str, np.ndarray]:
        return {"": np.eye(2)[:, [9]]} if packed else unpack(packed)

    monkeypatch.setattr(ui.chapters.walkthrough.view, "unpack", raising)
    page = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    page.query_params["m"] = packed_edits({"X": np.ones((2, 2))})
    page.run()
    assert warned(page) == [GIVEN_UP]


def test_an_error_without_a_link_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ui.links.session, "values_of_link", raises)
    assert opened("softmax").exception


def test_a_later_error_is_seen_and_takes_nothing_away(monkeypatch: pytest.MonkeyPatch) -> None:
    page = opened("softmax", softmax_text="a b c")
    monkeypatch.setattr("ui.page.frame.presenting", raises)
    page.run()
    assert page.run().exception
    assert page.session_state.softmax_text == "a b c"
    assert page.query_params
