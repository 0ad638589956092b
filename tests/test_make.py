"""What the Makefile's commands start."""

import subprocess
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def started_by(target: str) -> str:
    """The line with which a target starts the app."""
    command = ["make", "--dry-run", target]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    (line,) = [line for line in said.splitlines() if "streamlit run app.py" in line]
    return line


def test_the_app_watches_no_files_in_use_and_does_while_it_is_developed() -> None:
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
    assert settings["server"]["fileWatcherType"] == "none"
    assert "fileWatcherType" not in started_by("run")
    assert "--server.fileWatcherType auto" in started_by("dev")
