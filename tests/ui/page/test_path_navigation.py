"""What the header brings to the walkthrough: the panel that shares its link."""

from types import SimpleNamespace
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.path import PATH
from tests.links import TOY
from tests.ui.support import PAGES, changed, told, warned
from ui.links.path import BESIDE, HOME
from ui.page.sharing import own_address
from ui.page.sharing import shared as shared_keys

APP = f"""
import runpy
from ui.page.path_navigation import header

header({HOME!r})
runpy.run_path({str(PAGES / f"{HOME}.py")!r}, run_name="__main__")
"""


def shared(**state: object) -> AppTest:
    """The front page's toy numbers and its header after these changes, with the panel open."""
    page = AppTest.from_string(APP, default_timeout=60)
    page.query_params.update(TOY)
    changed(page.run(), share_page=True, **state)
    return changed(page, share_page=True)  # for a link of what the last run has shown


def header(name: str, **link: str) -> AppTest:
    """A page of nothing but the header."""
    page = AppTest.from_string(f"from ui.page.path_navigation import header\nheader({name!r})")
    page.query_params.update(link)
    return page.run()


@pytest.mark.parametrize("name", [*PATH, *BESIDE])
def test_the_header_is_told_which_page_it_is_on(name: str) -> None:
    page = header(name)
    assert told(page, "path") == [[{"here": name, "shares": True}]]
    assert [popover.proto.popover.label for popover in page.main.get("popover")] == ["Share"]


@pytest.mark.parametrize(
    ("name", "link", "has_one"),
    [
        ("room", {}, True),
        ("room", {"room": "AAAAAA", "key": "x"}, True),
        ("room", {"room": "AAAAAA"}, False),
        ("join", {}, False),
    ],
)
def test_a_class_has_the_header_unshared(name: str, link: dict[str, str], has_one: bool) -> None:
    page = header(name, **link)
    assert told(page, "path") == ([[{"here": name, "shares": False}]] if has_one else [])
    assert not page.get("popover")


def test_the_walkthrough_shares_what_is_set_and_the_same_for_students_and_a_projector() -> None:
    page = shared(text="red green blue", mask="none")
    link, students, projected = (code.value for code in page.code[:3])
    assert {"text=red+green+blue", "mask=none"} <= {*link.partition("?")[2].split("&")}
    assert students == f"{link}&role=student"
    assert projected == f"{link}&present=1"
    for_whom = [kind for c in page.caption for kind in ("students", "projector") if kind in c.value]
    assert for_whom[-2:] == ["students", "projector"]


def test_what_is_shared_in_a_scene_opens_it_and_what_was_changed_there() -> None:
    page = AppTest.from_string(APP, default_timeout=60)
    page.query_params["lesson"] = "class.3"
    page.run()
    for changes in ({}, {"mask": "none"}):
        changed(page, share_page=True, **changes)
        link, students, projected = (code.value for code in changed(page, share_page=True).code[:3])
        assert dict(parse_qsl(urlsplit(link).query)) == {"lesson": "class.3", **changes}
        assert (students, projected) == (f"{link}&role=student", f"{link}&present=1")


def test_the_code_is_the_students_who_get_no_other_link(monkeypatch: pytest.MonkeyPatch) -> None:
    coded: list[str] = []
    monkeypatch.setattr("ui.page.sharing.link_code", coded.append)
    links = [code.value for code in shared(mask="none").code[:3]]
    assert coded[-1] == links[1]
    monkeypatch.setitem(TOY, "role", "student")
    assert [code.value for code in shared(mask="none").code] == [links[1]] == coded[-1:]


OWN = {"lesson": "own.2", "mask": "none"}


@pytest.mark.parametrize(
    ("link", "others_open"),
    [
        (OWN | {"own": "x"}, OWN | {"own": "x"}),
        (OWN, {"step": "X", "mask": "none"}),  # too long for a link: they get the view alone
        ({"lesson": "class.2", "mask": "none"}, {"lesson": "class.2", "mask": "none"}),
    ],
)
def test_others_open_a_scene_if_its_lesson_is_in_the_link_and_never_this_window(
    monkeypatch: pytest.MonkeyPatch, link: dict[str, str], others_open: dict[str, str]
) -> None:
    window = {"present": "1", "role": "student", "screen": "k"}
    query = SimpleNamespace(to_dict=lambda: link | window)
    monkeypatch.setattr("ui.page.sharing.st", SimpleNamespace(query_params=query))
    monkeypatch.setattr("ui.page.sharing.link_said", lambda: {"step": "X"} | link | window)
    assert shared_keys() == others_open


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("http://a.test:8501", "http://a.test:8501/"), ("http://a.test/?x=1", "http://a.test/"),
        ("http://a.test/heads?x=1", "http://a.test/heads"), ("http://a.test/b/", "http://a.test/b/"),
    ],
)  # fmt: skip
def test_an_address_has_no_keys(monkeypatch: pytest.MonkeyPatch, url: str, address: str) -> None:
    monkeypatch.setattr("ui.page.sharing.st", SimpleNamespace(context=SimpleNamespace(url=url)))
    assert own_address() == address


def test_a_view_that_no_link_holds_is_said_with_what_to_do_instead() -> None:
    assert "shorten the sentence" in warned(shared(text="a" * 9_000))[0]
    many = np.random.default_rng(1).normal(size=(64, 64))
    said = warned(shared(edits={"X": many}, d_model=64))[0]
    assert "download the matrices (.npz) instead" in said
