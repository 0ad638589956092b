"""`pip install .` gives `core` and `stage` to a notebook, with numpy alone; what make needs."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from importlib.metadata import distribution
from importlib.util import find_spec
from itertools import chain
from pathlib import Path

import pytest

import core
from tests.sampling import ROOT

NEEDED = ("numpy", "jaxtyping", "wadler_lindig", "regex", "jinja2", "markupsafe", "safetensors")
"""What pyproject.toml asks for, and what jaxtyping and jinja2 ask for in turn."""
LINES = """
from core import attention_program, toy_inputs, explain
program = attention_program(heads=2, kv_heads=1, mask="causal", scale=True)
trace = program.run(toy_inputs("The cat sat on the mat", heads=2, kv_heads=1, d_model=8, seed=0))
assert trace["weights"].shape == (2, 6, 6) and not trace["weights"].flags.writeable
assert trace.sources("scores", (0, 2, 1))["Q"][0] == (0, 2, 0)
assert (0, 0, 1) in trace.uses("K", (0, 1, 0))["scores"]
e = explain(trace, "scores", (0, 2, 1))
assert e.title and e.words and e.latex and e.plain
pinned = program.run(
    toy_inputs("The cat sat on the mat", kv_heads=1), pinned={"scores": trace["scores"]}
)
assert (pinned["weights"] == trace["weights"]).all()
assert "numpy" in program.to_script(trace) and "cells" in program.to_notebook(trace)
from stage.document.document import document
from stage.hosts.component import stage_script, style_sheet
assert document(trace, ("scores", (0, 2, 1)))["opening"][0] == "scores"
assert "export default" in stage_script("streamlit.js") and ".stage" in style_sheet()
from core.chapters.softmax.shares import TEXTS
assert TEXTS("weight", key="2")
from core.models.captures import captured_heads, load_capture, trace_of
assert trace_of(load_capture(next(iter(captured_heads()))))["weights"].ndim == 3
assert trace._repr_html_().startswith("<iframe srcdoc=")
"""
NOTEBOOK = re.findall(
    r"^```python\n(.*?)^```$",
    (ROOT / "docs" / "notebook.md").read_text(encoding="utf-8"),
    re.MULTILINE | re.DOTALL,
)
"""The blocks of code of the page on notebooks, in their order."""
LOADED = """
import sys
print(sorted({m.split(".")[0] for m in sys.modules} & {"streamlit", "plotly", "torch", "pandas"}))
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what `pip install .` puts there, and nothing else but what that needs."""
    folder = tmp_path_factory.mktemp("installed")
    source, target = folder / "source", folder / "site"
    for package in ("core", "stage"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / package, source / package, ignore=ignored)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    offline = ["--no-index", "--no-deps", "--no-build-isolation", "--target", str(target)]
    subprocess.run([*pip, *offline, str(source)], check=True, cwd=folder)
    for name in NEEDED:
        spec = find_spec(name)
        assert spec is not None
        assert spec.origin is not None
        here = Path(spec.origin).parent
        (target / name).symlink_to(here)
        beside_it = (here.parent.glob(f"{name}{end}") for end in (".libs", "-*.dist-info"))
        for beside in chain(*beside_it):
            (target / beside.name).symlink_to(beside)
    return target


def test_what_is_promised_runs_where_only_core_and_stage_are_installed(
    installed: Path, tmp_path: Path
) -> None:
    assert len(NOTEBOOK) > 5
    blocks = "\n".join([LINES, *NOTEBOOK, LOADED])
    code = f"import sys\nsys.path.insert(0, {str(installed)!r})\n{blocks}"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-W", "error", "-c", code],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    *printed, loaded = done.stdout.splitlines()
    assert loaded == "[]"
    assert printed[0].startswith("Trace: output from X")
    assert (tmp_path / "attention.html").is_file()


def test_what_is_installed_has_its_version_is_typed_and_asks_for_what_the_test_gives(
    installed: Path,
) -> None:
    metadata = next(installed.glob("attention_step_by_step-*.dist-info/METADATA")).read_text()
    assert f"\nVersion: {core.__version__}\n" in metadata
    for package in ("core", "stage"):
        assert (installed / package / "py.typed").is_file()
    lines = [line for line in metadata.splitlines() if line.startswith("Requires-Dist")]
    assert names_of(line.partition(": ")[2] for line in lines) <= {*NEEDED}
    of_jaxtyping = distribution("jaxtyping").requires or []
    assert names_of(line for line in of_jaxtyping if "extra" not in line) <= {*NEEDED}


def names_of(requirements: Iterable[str]) -> set[str]:
    return {line.split(">")[0].replace("-", "_") for line in requirements}


@pytest.mark.parametrize(
    "left", ["build/lib/core/a.py", "attention_step_by_step.egg-info/PKG-INFO"]
)
def test_what_installing_leaves_in_the_folder_is_ignored_by_git(left: str) -> None:
    subprocess.run(["git", "check-ignore", "--quiet", left], cwd=ROOT, check=True)


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
