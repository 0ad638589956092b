"""What the Makefile's commands start."""

import os
import subprocess
import tomllib

from tests.sampling import ROOT


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


def test_what_make_starts_keeps_compiled_files_whatever_the_shell_says() -> None:
    asked = "include Makefile\nasked: ; @echo [$$PYTHONDONTWRITEBYTECODE]"
    said = subprocess.run(
        ["make", "--no-print-directory", "-f", "-", "asked"], cwd=ROOT, input=asked,
        capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    ).stdout  # fmt: skip
    assert said == "[]\n"
