"""Streamlit that keeps no session of a lost connection: two minutes are over at once."""

import sys

from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.web.cli import main

MemorySessionStorage.save = MemorySessionStorage.delete = lambda *_: None  # type: ignore[method-assign]

if __name__ == "__main__":
    sys.exit(main())
