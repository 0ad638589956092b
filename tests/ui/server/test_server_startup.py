"""What a server does before its first visitor comes."""

import asyncio
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from streamlit import App
from streamlit.runtime import Runtime, RuntimeConfig
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager

from tests.sampling import ROOT
from ui.server.server_startup import FEW_FILES, drop_expired, get_ready

FIRST_VISIT = """
import asyncio, sys, threading
from streamlit import App
from streamlit.testing.v1 import AppTest
from ui.server.server_startup import get_ready

async def start():
    async with get_ready(App("app.py")):
        [thread.join() for thread in threading.enumerate() if thread.daemon]

asyncio.run(start())
ready = set(sys.modules)
page = AppTest.from_file("app.py", default_timeout=60).run()
assert page.title and not page.exception
late = sorted(set(sys.modules) - ready)
print(*(name for name in late if name.split(".")[0] in ("core", "stage", "ui", "numpy")))
"""

LIMITED = """
import asyncio, resource, sys
kind, (soft, hard) = resource.RLIMIT_NOFILE, map(int, sys.argv[1:])
resource.setrlimit(kind, (soft, hard))
from streamlit import App
from ui.server.server_startup import get_ready

async def start():
    async with get_ready(App("app.py")):
        print(*resource.getrlimit(kind))

asyncio.run(start())
"""


def started(soft: int, hard: int) -> tuple[list[int], str]:
    """How many files a server may open that may open so many when it starts, and what it says."""
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(soft), str(hard)],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return [*map(int, done.stdout.splitlines()[-1].split())], done.stderr


def test_a_server_that_starts_may_open_as_many_files_as_the_system_allows() -> None:
    limits, said = started(1_024, FEW_FILES)
    assert limits == [FEW_FILES, FEW_FILES]
    assert "files" not in said


def test_a_server_that_may_open_few_files_says_for_how_many_visitors_and_what_to_set() -> None:
    (soft, _), said = started(512, 1_024)
    assert soft == 1_024
    assert "may open 1,024 files, enough for some 135 visitors at a time" in said
    assert "ulimit -n 65536" in said


def test_no_packet_of_a_server_waits_for_an_acknowledgement() -> None:
    async def ready() -> bool:
        async with get_ready(App("app.py")):
            return await _accepted_at_once()

    with ThreadPoolExecutor(1) as aside:  # a browser's loop may run in this thread
        assert aside.submit(asyncio.run, ready()).result()
        plainly = aside.submit(asyncio.run, _accepted_at_once()).result()
        assert not plainly, "the test can tell nothing"


async def _accepted_at_once() -> bool:
    """Whether a connection to a server of the loop sends at once."""
    loop = asyncio.get_running_loop()
    sends: asyncio.Future[bool] = loop.create_future()

    def accepted(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there = writer.get_extra_info("socket")
        sends.set_result(bool(there.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)))
        writer.close()

    listening = socket.socket()  # as Streamlit makes it: of no protocol in particular
    listening.bind(("127.0.0.1", 0))
    async with await asyncio.start_server(accepted, sock=listening):
        _, writer = await asyncio.open_connection(*listening.getsockname())
        writer.close()
        return await sends


def test_nothing_of_ours_is_imported_in_the_first_visit() -> None:
    done = subprocess.run(
        [sys.executable, "-c", FIRST_VISIT], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[1:] == [""], "after the server's address"


SEEKS = "ui/server/server_startup.py looks for left visits where Streamlit no longer keeps them: {}"


@pytest.fixture
def storage(monkeypatch: pytest.MonkeyPatch) -> Any:
    """What a Streamlit server keeps of left visits; here each is old at once."""
    kept = MemorySessionStorage(ttl_seconds=0)
    files = MemoryMediaFileStorage(""), MemoryUploadedFileManager("")
    monkeypatch.setattr(Runtime, "_instance", None)
    Runtime(RuntimeConfig("app.py", *files, session_storage=kept))
    return kept


def test_a_visit_that_was_left_is_let_go_of(storage: Any) -> None:
    try:
        storage._cache["left"] = "a visit"
        drop_expired()
        kept = dict(storage._cache._data)
    except (AttributeError, TypeError) as error:
        pytest.fail(SEEKS.format(error))
    assert not kept, SEEKS.format(kept)
