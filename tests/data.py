"""Data of tests, each in the file `.toml` beside the module that reads it."""

import tomllib
from pathlib import Path
from typing import Any


def data_of(module: str) -> dict[str, Any]:
    """What stands beside the module of this file."""
    return tomllib.loads(Path(module).with_suffix(".toml").read_text("utf-8"))
