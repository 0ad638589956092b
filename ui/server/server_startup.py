"""What a server does before its first visitor comes."""

import ast
import asyncio
import gc
import logging
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import Any

from streamlit import App, get_option
from streamlit.runtime import Runtime

from ui.links.navigation import below_base

MANY_FILES = 65_536
"""Files that a server may have open at a time, where the system allows it."""
FEW_FILES = 4_096
"""With fewer, visitors of one school may already be too many."""
FILES_A_VISIT = 4
"""Its connection, and what Streamlit opens for its session."""
FILES_KEPT = 128 * (FILES_A_VISIT - 1) + 100
"""For the sessions that Streamlit keeps after they were left, and for the server itself."""
A_WHILE = 60.0
"""Seconds after which the start is over, and there is time for what is not urgent."""
ANY_ADDRESS = ("0.0.0.0", "::", "", None)
"""A server that listens there is reached by each address of its computer."""
ELSEWHERE = ("192.0.2.1", 9)
"""An address that no computer has (RFC 5737), and a port: the way to it begins at one's own."""
SELDOM = (25_000, 20, 100)
"""How many new objects, and how many smaller collections, make a collection worth its time."""
_log = logging.getLogger(__name__)
_ROOT = Path(__file__).parents[2]
_FIRST_PAGE = _ROOT / "pages" / "walkthrough.py"
_FIRST_VISIT = (_ROOT / "app.py", _FIRST_PAGE)


@asynccontextmanager
async def get_ready(_: App) -> AsyncIterator[dict[str, Any]]:
    """The server's lifespan: what takes long is begun here, and goes on while it answers."""
    allow_many_files()
    send_at_once(asyncio.get_running_loop())
    collect_seldom()
    Thread(target=import_first_visit, daemon=True).start()
    tidying = Thread(target=_keep_tidy, daemon=True)
    asyncio.get_running_loop().call_later(A_WHILE, tidying.start)
    say_where()
    letting_go = asyncio.create_task(let_go())
    yield {}
    letting_go.cancel()


def say_where() -> None:
    """Print where a browser finds this server.

    Streamlit would ask another server for this one's address first.
    """
    address, port = get_option("server.address"), get_option("server.port")
    scheme = "https" if get_option("server.sslCertFile") else "http"
    here = ["localhost", network_address()] if address in ANY_ADDRESS else [address]
    for host in filter(None, here):
        print(f"  {scheme}://{host}:{port}{below_base('') or '/'}", flush=True)


def network_address() -> str:
    """Return this computer's address in its network, "" for none. Nothing is sent for it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as unconnected, suppress(OSError):
        unconnected.connect(ELSEWHERE)
        return str(unconnected.getsockname()[0])
    return ""


def allow_many_files() -> None:
    """Raise the limit of open files as far as the system allows, or say what to set."""
    try:
        import resource
    except ImportError:  # Windows, which has no such limit
        return
    kind, unlimited = resource.RLIMIT_NOFILE, resource.RLIM_INFINITY
    soft, hard = resource.getrlimit(kind)
    allowed = MANY_FILES if hard == unlimited else min(MANY_FILES, hard)
    if soft == unlimited or soft >= allowed:
        allowed = soft
    else:
        try:
            resource.setrlimit(kind, (allowed, hard))
        except (OSError, ValueError):  # macOS says unlimited and means less
            allowed = soft
    if allowed != unlimited and allowed < FEW_FILES:
        visitors = max(0, allowed - FILES_KEPT) // FILES_A_VISIT
        _log.warning(
            "This server may open %s files, enough for some %s visitors at a time. For more, raise "
            "the limit before you start it: ulimit -n %s (or LimitNOFILE= of systemd, --ulimit "
            "nofile= of Docker).",
            f"{allowed:,}", visitors, MANY_FILES,
        )  # fmt: skip


def import_first_visit() -> None:
    """Import what the first page needs, while a visitor's browser still fetches Streamlit."""
    try:
        for script in _FIRST_VISIT:
            for name in imported(script):
                import_module(name)
        # A chapter imports its questions when they are asked for.
        import_module(".questions", f"core.chapters.{_FIRST_PAGE.stem}")
    finally:
        collect_seldom()


def _keep_tidy() -> None:
    """Forget old rooms of classes, for as long as the server runs."""
    import_module("ui.classroom.store.rooms").keep_tidy()


def send_at_once(loop: asyncio.AbstractEventLoop) -> None:
    """Let no small packet of the loop's servers wait for the last one to be acknowledged.

    asyncio does so where a socket says that it is TCP's. Streamlit's own does not, and on Linux
    each file on a connection after its first then took 40 ms: RFC 896 (sending) against RFC 1122
    (acknowledging late). What is accepted has the option from the socket that listens.
    """
    create = loop.create_server

    async def create_server(*args: Any, **options: Any) -> asyncio.Server:
        if listening := options.get("sock"):
            with suppress(OSError):  # one that is not TCP's has no such option
                listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return await create(*args, **options)

    loop.create_server = create_server  # type: ignore[method-assign]


def collect_seldom() -> None:
    """Look for cycles rarely, and never among what is there by now.

    Each run of a script makes some ten thousand objects, nearly all of which go by themselves. By
    Python's own settings (700, 10, 10) a fifth of a busy server's time was spent on looking
    through them, in pauses that everybody waits for.
    """
    gc.freeze()
    gc.set_threshold(*SELDOM)


def imported(script: Path) -> list[str]:
    """The modules that a script takes something from, wherever it says so."""
    nodes = ast.walk(ast.parse(script.read_text(encoding="utf-8")))
    return [node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module]


async def let_go() -> None:
    """Let go of visits that were left, again and again, also if nobody comes any more.

    Streamlit keeps the latest 128 of them for `server.disconnectedSessionTTL` seconds, each with
    three open files, but looks at the time only when the next visit is left.
    """
    while True:
        await asyncio.sleep(get_option("server.disconnectedSessionTTL") / 4)
        drop_expired()


def drop_expired() -> None:
    """Let go of what is old now."""
    # private names: nothing public of Streamlit 1.67 lets go of a visit by its age
    manager: Any = Runtime.instance()._session_mgr
    manager._session_storage._cache.expire()
