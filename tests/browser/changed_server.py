"""Streamlit that is changed for a test: `changed_server.py offline run app.py …`."""

import fcntl
import os
import socket
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.web.cli import main

sys.path.insert(0, str(Path(__file__).parents[2]))
OWN = ("localhost", "127.0.0.1", "::1", "0.0.0.0", "::", None)


def forgetful() -> None:
    """It keeps no session of a lost connection: two minutes are over at once."""
    for name in ("save", "delete"):  # nothing is kept, so there is nothing to delete
        setattr(MemorySessionStorage, name, lambda *_: None)


def doubling() -> None:
    """It hears a heartbeat of a page that is left in each moment until the next one is there."""
    from tests.browser.doubling_server import change

    change()


def gated() -> None:
    """Its models wait after each layer while somebody holds a lock on the file `GATE`."""
    import ui.models.work
    from core.models.transformer.prompt_run import run_prompt

    def run(*given: Any) -> Generator[int, None, Any]:
        layers = run_prompt(*given)
        while True:
            try:
                done = next(layers)
            except StopIteration as ended:
                return ended.value
            yield done
            with Path(os.environ["GATE"]).open() as gate:
                fcntl.flock(gate, fcntl.LOCK_SH)

    setattr(ui.models.work, "run_prompt", run)  # noqa: B010
    setattr(ui.models.work, "SMALL", 0)  # noqa: B010 - each visitor's run is computed


def measured() -> None:
    """It also says how much it keeps (`/_stcore/metrics`), which the product does not."""
    import ui.server.gate

    ui.server.gate._OF_THE_SERVER.add("metrics")


def offline() -> None:
    """On a computer without a network: it writes down whom it looked for, in vain.

    A socket without a connection (UDP) sends nothing when it is told where to.
    """

    def refuse(event: str, given: tuple[Any, ...]) -> None:
        if event == "socket.connect" and given[0].type == socket.SOCK_STREAM:
            host = given[1][0] if isinstance(given[1], tuple) else None
        elif event == "socket.getaddrinfo":
            host = given[0]
        else:
            return
        if host not in OWN:
            print("looked for", host, flush=True)
            raise OSError(f"no way to {host}")

    sys.addaudithook(refuse)


if __name__ == "__main__":
    globals()[sys.argv.pop(1)]()
    sys.exit(main())
