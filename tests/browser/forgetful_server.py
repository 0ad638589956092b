"""Streamlit that keeps no session of a lost connection: two minutes are over at once."""

import sys
from typing import Any

from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.web.cli import main


def forget(self: MemorySessionStorage, *_: Any) -> None:
    """Keep nothing, so that there is nothing to delete."""


if __name__ == "__main__":
    setattr(MemorySessionStorage, "save", forget)  # noqa: B010
    setattr(MemorySessionStorage, "delete", forget)  # noqa: B010
    sys.exit(main())
