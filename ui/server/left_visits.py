"""A server lets go of visits that were left, also if nobody comes any more.

Streamlit keeps the latest 128 of them for `server.disconnectedSessionTTL` seconds, each with three
open files, but looks at the time only when the next visit is left.
"""

import asyncio
from typing import Any

from streamlit import get_option
from streamlit.runtime import Runtime


async def let_go() -> None:
    """Let go of what is old again and again."""
    while True:
        await asyncio.sleep(get_option("server.disconnectedSessionTTL") / 4)
        drop_expired()


def drop_expired() -> None:
    """Let go of what is old now."""
    # private names: nothing public of Streamlit 1.67 lets go of a visit by its age
    manager: Any = Runtime.instance()._session_mgr
    manager._session_storage._cache.expire()
