"""The folder in which the server keeps what is to outlive it."""

import os
import sys
from pathlib import Path

NAME = "attention-step-by-step"
VARIABLE = "ATTENTION_DATA"


def data_folder() -> Path:
    """Return the folder that ATTENTION_DATA names, or one next to the user's other data."""
    if named := os.environ.get(VARIABLE):
        return Path(named).expanduser()
    home = Path.home()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / NAME
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / NAME
    return Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share") / NAME
