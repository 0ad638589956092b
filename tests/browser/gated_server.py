"""Streamlit whose models wait after each layer while somebody holds a lock on the file `GATE`."""

import fcntl
import os
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

from streamlit.web.cli import main

sys.path.insert(0, str(Path(__file__).parents[2]))
import ui.models.work
from core.models.transformer.prompt_run import run_prompt


def gated(*given: Any) -> Generator[int, None, Any]:
    """A run that passes the gate after each layer."""
    layers = run_prompt(*given)
    while True:
        try:
            done = next(layers)
        except StopIteration as ended:
            return ended.value
        yield done
        with Path(os.environ["GATE"]).open() as gate:
            fcntl.flock(gate, fcntl.LOCK_SH)


if __name__ == "__main__":
    setattr(ui.models.work, "run_prompt", gated)  # noqa: B010
    setattr(ui.models.work, "SMALL", 0)  # noqa: B010 - each visitor's run is computed
    sys.exit(main())
