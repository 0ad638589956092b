"""What a server keeps of visits that were left, and that it asks nobody for anything."""

import asyncio
import re
from collections.abc import Iterator

import pytest
from urllib3 import PoolManager
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from benchmarks.visitor import visiting
from tests.browser.conftest import ROOT, Serve, folder_of, open_files
from tests.loops import run_aside
from tests.sampling import DEEP
from ui.server.server_startup import FILES_A_VISIT, FILES_KEPT

VISITS = 800 if DEEP else 16
AT_A_TIME = 8


async def _visit_and_leave(url: str, visits: int) -> None:
    turns = asyncio.Semaphore(AT_A_TIME)

    async def visit() -> None:
        async with turns, visiting(url):
            pass

    await asyncio.gather(*(visit() for _ in range(visits)))


@pytest.fixture(scope="module")
def url(serve: Serve) -> Iterator[str]:
    """The address of a server for a whole network that soon lets go of visits that were left."""
    said = {"STREAMLIT_SERVER_DISCONNECTED_SESSION_TTL": "2", "STREAMLIT_SERVER_ADDRESS": "0.0.0.0"}
    with serve(ROOT, changed="offline", environment=said) as address:
        yield address


def test_what_visits_had_open_is_closed_though_nobody_comes(url: str) -> None:
    run_aside(_visit_and_leave(url, 1))
    before = open_files(url)
    run_aside(_visit_and_leave(url, VISITS))
    assert open_files(url) <= before + FILES_KEPT + AT_A_TIME * FILES_A_VISIT
    one = PoolManager(maxsize=1)
    for _ in range(100_000):
        one.request("GET", f"{url}/_stcore/health")
        if open_files(url) <= before + 1:
            return
    pytest.fail(f"{open_files(url)} files are open, {before} were")


def test_a_server_looks_for_no_other_computer(url: str) -> None:
    """Neither as it starts for a whole network, nor if another site's page wants a socket."""
    stream = f"{url.replace('http', 'ws')}/_stcore/stream"
    for origin in ("http://evil.example", "null", "http://[", f"{url}.evil.example"):
        with pytest.raises(InvalidStatus), connect(stream, origin=Origin(origin)):
            pass
    with connect(stream, origin=Origin(url)):
        pass
    said = (folder_of(url) / "log").read_text()
    assert re.search(rf"^  http://localhost:{url.rpartition(':')[2]}/$", said, re.MULTILINE)
    assert "looked for" not in said
