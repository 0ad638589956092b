"""A server that is sent more than any page can use keeps little of it, and says so."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from urllib3 import PoolManager
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from core.files.uploads import MAX_FILE_BYTES
from tests.browser.conftest import ROOT, Serve
from ui.intake import LONGEST, MOST_FILES

PATIENCE = 60
MEASURED = Path(__file__).parent / "measured_server.py"
KEPT = re.compile(r'cache_memory_bytes\{cache_type="UploadedFileManager"[^}]*\} (\d+)')


@pytest.fixture(scope="module")
def own_server(serve: Serve) -> Iterator[str]:
    """One that nobody else sends anything."""
    with serve(ROOT, script=MEASURED) as url:
        yield url


@dataclass
class Visit:
    """A visit without a browser: what it is told, and what it says."""

    url: str
    socket: ClientConnection
    session: str = ""
    page: str = ""
    told: str = ""

    def runs(self, sentence: str = "") -> str:
        """All that the next run tells, with this sentence in the page's field, if any."""
        said = BackMsg()
        said.rerun_script.page_script_hash = self.page
        if sentence:
            (field,) = set(re.findall(r"\$\$ID-\w+-sentence_\d+", self.told))
            said.rerun_script.widget_states.widgets.add(id=field, string_value=sentence)
        self.socket.send(said.SerializeToString())
        self.told = ""
        while True:
            message = ForwardMsg.FromString(self.socket.recv(PATIENCE, decode=False))
            kind = message.WhichOneof("type")
            if kind == "new_session":
                self.session = message.new_session.initialize.session_id
            if kind == "navigation":
                self.page = message.navigation.page_script_hash
            if kind == "script_finished":
                return self.told
            self.told += str(message)

    def uploads(self, data: bytes) -> int:
        """The status of the answer."""
        address = f"{self.url}/_stcore/upload_file/{self.session}/{uuid4()}"
        health = PoolManager().request("GET", f"{self.url}/_stcore/health")
        cookie = health.headers["Set-Cookie"].partition(";")[0]
        headers = {"Cookie": cookie, "X-Xsrftoken": cookie.partition("=")[2]}
        file = {"file": ("W.csv", data)}
        return PoolManager().request("PUT", address, fields=file, headers=headers).status


@contextmanager
def visit(url: str) -> Iterator[Visit]:
    stream = f"{url.replace('http', 'ws')}/_stcore/stream"
    with connect(stream, subprotocols=["streamlit"], max_size=None) as socket:  # type: ignore[list-item]
        made = Visit(url, socket)
        made.runs()
        yield made


def kept(url: str) -> int:
    """Bytes of all uploaded files that the server holds."""
    found = KEPT.search(PoolManager().request("GET", f"{url}/_stcore/metrics").data.decode())
    return int(found[1]) if found else 0


def test_files_that_a_visit_uploads_and_never_uses_do_not_pile_up(own_server: str) -> None:
    with visit(own_server) as visitor:
        for _ in range(3 * MOST_FILES):
            assert visitor.uploads(bytes(MAX_FILE_BYTES)) == 204
        assert kept(own_server) == MOST_FILES * MAX_FILE_BYTES


def test_a_text_of_megabytes_is_refused_by_the_page_and_not_kept(own_server: str) -> None:
    with visit(own_server) as visitor:
        assert f"has {LONGEST:,} characters" in visitor.runs("x" * 5_000_000)


def test_a_message_larger_than_any_is_not_even_read(own_server: str) -> None:
    with visit(own_server) as visitor, pytest.raises(ConnectionClosed) as closed:
        visitor.runs("x" * 20_000_000)
    told = closed.value.rcvd  # a busy server may be gone before it is heard
    assert told is None or told.code == 1009
