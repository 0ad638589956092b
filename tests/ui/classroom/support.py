"""What the tests of classes share: rooms in which something is asked, and their screens."""

from collections.abc import Callable, Iterator
from pathlib import Path

from streamlit.testing.v1 import AppTest

from tests.ui.support import changed, opened, pressed
from ui.classroom.store.rooms import ANSWER, BARS, Ask, Room, Rooms

ME = "me"
ran, press = changed, pressed
"""Another run of a page, and a press of its button, neither of which raises."""


class Clock:
    """A time that passes only as a test says."""

    now = 1e9

    def __call__(self) -> float:
        return self.now


def asked(store: Rooms, link: str, *answers: str, **kind: bool) -> tuple[str, str]:
    """A room in which a link is asked, with students s0, s1, … for the answers; "" sends none."""
    code, key = store.create(**kind)
    store.ask(code, key, link)
    for n, text in enumerate(answers):
        answered(store, code, f"s{n}", text, name=f"*Name* {n}")
    return code, key


def answered(store: Rooms, code: str, who: str, text: str, *, name: str = "") -> None:
    """A student joins, and answers the first question."""
    store.join(code, who, name)
    if text:
        store.answer(code, 1, who, text)


def room_of(store: Rooms, code: str) -> Room:
    found = store.room(code)
    assert found
    return found


def asked_now(store: Rooms, code: str) -> Ask:
    found = room_of(store, code).now
    assert found
    return found


def bytes_kept(store_file: Path) -> bytes:
    return b"".join(file.read_bytes() for file in sorted(store_file.parent.iterdir()))


def changes_for_students(store: Rooms, code: str, key: str) -> Iterator[Callable[[], object]]:
    """What changes the pages of students, one after the other in a room with one question."""
    yield lambda: store.close_vote(code, key)
    yield lambda: store.show(code, key, BARS)
    yield lambda: store.show(code, key, ANSWER)
    yield lambda: store.open_second_vote(code, key)
    yield lambda: store.ask(code, key, "practice")
    yield lambda: store.go_to(code, key, 1)
    yield lambda: store.close_room(code, key)
    yield lambda: store.delete_room(code, key)


def student(code: str, who: str = ME) -> AppTest:
    """The page of a student whose browser has said its id."""
    return changed(opened("join", room=code), student=who)


def send(page: AppTest, text: str) -> None:
    next(iter([*page.text_input, *page.radio])).set_value(text)
    press(page, "Send")


def said(page: AppTest) -> str:
    """All that a page says, in text and in bars."""
    assert not page.exception
    texts = (page.title, page.header, page.markdown, page.caption)
    boxes = (page.success, page.info, page.warning, page.error)
    return "\n".join([*(one.value for kind in texts + boxes for one in kind), *bars_of(page)])


def shown(page: AppTest) -> str:
    """The same without escapes."""
    return said(page).replace("\\", "")


def bars_of(page: AppTest) -> list[str]:
    """The bars of votes, as HTML."""
    return [part.proto.body for part in page.get("html")]
