"""A server that is sent more than any page can use keeps little of it, and says so."""

import re
from collections.abc import Iterator
from uuid import uuid4

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from urllib3 import PoolManager
from websockets.exceptions import ConnectionClosed

from benchmarks.visitor import Visitor, visiting
from core.files.uploads import MAX_FILE_BYTES
from tests.browser.conftest import ROOT, Serve
from tests.loops import run_aside
from ui.server.uploads import LONGEST, MOST_FILES

KEPT = re.compile(r'cache_memory_bytes\{cache_type="UploadedFileManager"[^}]*\} (\d+)')


@pytest.fixture(scope="module")
def own_server(serve: Serve) -> Iterator[str]:
    """One that nobody else sends anything."""
    with serve(ROOT, changed="measured") as url:
        yield url


def upload(url: str, visitor: Visitor, data: bytes) -> int:
    """Upload a file of that visit; the status of the answer."""
    begun = (ForwardMsg.FromString(said).new_session for said in visitor.received)
    session = next(filter(None, (one.initialize.session_id for one in begun)))
    cookie = PoolManager().request("GET", f"{url}/_stcore/health").headers["Set-Cookie"]
    pair = cookie.partition(";")[0]
    return PoolManager().request(
        "PUT", f"{url}/_stcore/upload_file/{session}/{uuid4()}",
        fields={"file": ("W.csv", data)},
        headers={"Cookie": pair, "X-Xsrftoken": pair.partition("=")[2]},
    ).status  # fmt: skip


def kept(url: str) -> int:
    """Bytes of all uploaded files that the server holds."""
    found = KEPT.search(PoolManager().request("GET", f"{url}/_stcore/metrics").data.decode())
    return int(found[1]) if found else 0


def test_files_that_a_visit_uploads_and_never_uses_do_not_pile_up(own_server: str) -> None:
    async def uploads() -> None:
        async with visiting(own_server) as visitor:
            for _ in range(3 * MOST_FILES):
                assert upload(own_server, visitor, bytes(MAX_FILE_BYTES)) == 204
            assert kept(own_server) == MOST_FILES * MAX_FILE_BYTES

    run_aside(uploads())


def test_a_text_of_megabytes_is_refused_a_larger_one_not_even_read(own_server: str) -> None:
    async def types() -> None:
        async with visiting(own_server) as visitor:
            answers = b"".join(await visitor.type("Sentence", "x" * 5_000_000))
            assert f"has {LONGEST:,} characters".encode() in answers
            with pytest.raises(ConnectionClosed) as closed:
                await visitor.type("Sentence", "x" * 20_000_000)
            told = closed.value.rcvd  # a busy server may be gone before it is heard
            assert told is None or told.code == 1009

    run_aside(types())
