"""A file that a browser names and the server no longer has is said to be gone."""

import asyncio
import re
import tomllib
from http import HTTPStatus
from types import SimpleNamespace
from uuid import uuid4

import pytest
from starlette.types import Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime import Runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec
from streamlit.testing.v1 import AppTest

from core.files.lesson import MAX_LESSON_BYTES
from core.files.text import MAX_CHARACTERS
from core.files.uploads import MAX_FILE_BYTES
from core.limits import MAX_TEXT
from tests.loops import answers
from tests.sampling import ROOT
from tests.ui.support import changed, opened, refused, unopened
from ui.lessons.shelf import source
from ui.server import uploads
from ui.server.uploads import (
    LONGEST,
    MOST_FILES,
    RECORDING_FILE,
    SMALL_FILE,
    KeepLittle,
    byte_count,
    cut,
    drop_oldest,
)

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


def asked(**values: str) -> Message:
    said = BackMsg()
    for name, value in values.items():
        widget = said.rerun_script.widget_states.widgets.add(id=name)
        setattr(widget, f"{name.split('_')[0]}_value", value)
    return {"type": "websocket.receive", "bytes": said.SerializeToString()}


def values(message: Message) -> dict[str, str]:
    found = BackMsg.FromString(message["bytes"]).rerun_script.widget_states.widgets
    return {widget.id: getattr(widget, str(widget.WhichOneof("value"))) for widget in found}


@pytest.mark.parametrize(
    ("told", "kept"),
    [
        ({"string_1": "é" * 1_000_000, "string_2": "a word"},
         {"string_1": "é" * LONGEST, "string_2": "a word"}),
        ({"string_1": "x" * MAX_CHARACTERS, "string_2": "y" * MAX_TEXT, "json_1": "[1]"}, None),
        ({"json_1": "x" * 1_000_000, "string_1": "a word"}, {"string_1": "a word"}),
    ],
)  # fmt: skip
def test_a_text_is_kept_up_to_its_limit(told: dict[str, str], kept: dict[str, str] | None) -> None:
    assert max(MAX_CHARACTERS, MAX_TEXT, MAX_LESSON_BYTES) < LONGEST
    assert values(cut(asked(**told))) == (told if kept is None else kept)


@pytest.mark.parametrize(
    "message", [{"bytes": b"\xff" * 1_000_000}, {"text": "x" * 1_000_000}, asked(string_1="a word")]
)
def test_what_is_short_or_no_message_of_a_browser_is_for_streamlit(message: Message) -> None:
    assert cut(message) is message


def test_what_a_browser_says_is_cut_before_anything_else_hears_it() -> None:
    heard: list[Message] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        heard.append(await receive())

    assert answers(KeepLittle(app), {"type": "websocket"}, asked(string_1="x" * 1_000_000)) == []
    assert [len(values(message)["string_1"]) for message in heard] == [LONGEST]


def test_a_visit_keeps_its_latest_files_and_takes_none_from_others() -> None:
    manager = MemoryUploadedFileManager("/upload")
    for number in range(60):
        file = UploadedFileRec(str(number), "W.csv", "text/csv", b"1")
        manager.add_file("one", file)
        drop_oldest(manager, "one")
        if number == 0:
            manager.add_file("other", file)
    assert [*manager.file_storage["one"]] == [str(n) for n in range(60 - MOST_FILES, 60)]
    assert [*manager.file_storage["other"]] == ["0"]
    drop_oldest(manager, "nobody", 1)
    assert "nobody" not in manager.file_storage


@pytest.fixture
def manager(monkeypatch: pytest.MonkeyPatch) -> MemoryUploadedFileManager:
    """That of a server whose visits may have 50 bytes, and 120 together."""
    made = MemoryUploadedFileManager("/upload")
    runtime = SimpleNamespace(uploaded_file_mgr=made)
    monkeypatch.setattr(Runtime, "instance", lambda: runtime)
    monkeypatch.setattr(uploads, "MOST_BYTES", 50)
    monkeypatch.setattr(uploads, "MOST_OF_ALL", 120)
    return made


async def sent(app: KeepLittle, session: str, size: int | None) -> int:
    """The status of the answer to a file of so many bytes."""
    statuses: list[int] = []

    async def send(message: Message) -> None:
        statuses.append(message.get("status", 0))

    headers = [] if size is None else [(b"content-length", str(size).encode())]
    path = f"/_stcore/upload_file/{session}/id"
    scope = {"type": "http", "method": "PUT", "path": path, "headers": headers}
    await app(scope, never, send)
    return statuses[0]


async def never() -> Message:
    raise AssertionError("a file was read")


def server(manager: MemoryUploadedFileManager) -> KeepLittle:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        session = scope["path"].split("/")[3]
        data = bytes(int(dict(scope["headers"])[b"content-length"]))
        manager.add_file(session, UploadedFileRec(str(uuid4()), "a", "", data))
        await send({"type": "http.response.start", "status": 204})

    return KeepLittle(app)


def test_a_visits_files_have_a_size_together(manager: MemoryUploadedFileManager) -> None:
    app = server(manager)
    for size in (20, 20, 20, 45, 5, 1):
        assert asyncio.run(sent(app, "one", size)) == 204
    assert [len(file.data) for file in manager.file_storage["one"].values()] == [5, 1]
    assert asyncio.run(sent(app, "one", 60)) == 204
    assert [len(file.data) for file in manager.file_storage["one"].values()] == [60]


def test_all_files_have_a_limit_that_is_checked_first(manager: MemoryUploadedFileManager) -> None:
    app = server(manager)
    statuses = [asyncio.run(sent(app, session, 50)) for session in ("one", "two", "three")]
    assert statuses == [204, 204, HTTPStatus.INSUFFICIENT_STORAGE]
    assert byte_count(manager) == 100
    assert asyncio.run(sent(app, "one", 50)) == 204, "in place of its own"
    assert asyncio.run(sent(app, "one", None)) == HTTPStatus.LENGTH_REQUIRED


def test_files_under_way_count_too(manager: MemoryUploadedFileManager) -> None:
    async def two_and_a_third() -> tuple[tuple[int, int], int]:
        both, goes_on = asyncio.Semaphore(0), asyncio.Event()

        async def slow(scope: Scope, receive: Receive, send: Send) -> None:
            both.release()
            await goes_on.wait()
            await send({"type": "http.response.start", "status": 204})

        app = KeepLittle(slow)
        under_way = asyncio.gather(sent(app, "one", 50), sent(app, "two", 50))
        for _ in range(2):
            await both.acquire()
        third = await asyncio.wait_for(sent(app, "three", 50), 10)
        goes_on.set()
        first, second = await under_way
        return (first, second), third

    assert asyncio.run(two_and_a_third()) == ((204, 204), HTTPStatus.INSUFFICIENT_STORAGE)


def test_the_servers_own_limit_is_that_of_the_largest_field() -> None:
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
    assert config["server"]["maxUploadSize"] == RECORDING_FILE
    assert SMALL_FILE * 2**20 > MAX_FILE_BYTES
    assert RECORDING_FILE * 2**20 <= uploads.MOST_BYTES
