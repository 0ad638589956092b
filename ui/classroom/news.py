"""What students' pages wait for: that their room has changed. They ask, and are answered then.

An idle phone so says nothing over its connection: its browser asks this address (room_news.js), and
the answer waits. What it asks with is a digest of what it shows, which nobody can guess: for any
other one the answer is the same at once, whether there is such a room or not.
"""

from asyncio import sleep, to_thread
from functools import lru_cache
from importlib import import_module
from time import monotonic

from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from core.errors import InputError
from ui.links.navigation import below_base

ADDRESS = "room-news"
"""Next to the address of the student's page."""
HELD = 5.0
"""Seconds that an answer waits at most: a server that ends waits as long."""
EACH = 0.5
"""Seconds between two looks at a room."""
NEW, SAME = "new", "same"
_KEPT = 1_000


def room_news() -> Route:
    """Answer a page with a room's code and the digest of what it shows: NEW, or after HELD SAME."""

    async def respond(request: Request) -> PlainTextResponse:
        code, seen = (request.query_params.get(name, "")[:64] for name in ("room", "seen"))
        end = monotonic() + HELD
        while (same := await _now(code) == seen != "") and monotonic() < end:
            if await request.is_disconnected():
                break
            await sleep(EACH)
        return PlainTextResponse(SAME if same else NEW, headers={"Cache-Control": "no-store"})

    return Route(below_base(f"/{ADDRESS}"), respond)


async def _now(code: str) -> str:
    """The digest of a room as it is now: read once for all who ask, and beside the event loop."""
    return await to_thread(_read, code, int(monotonic() / EACH))


@lru_cache(maxsize=_KEPT)
def _read(code: str, _moment: int) -> str:
    # Imported here, because a server that starts needs no rooms to answer.
    unusable: type[Exception] = import_module("ui.server.unavailable").UnavailableError
    try:
        room = import_module("ui.classroom.store.rooms").rooms().room(code)
    except (InputError, unusable):  # which the page says as it looks
        return ""
    return room.digest if room else ""
