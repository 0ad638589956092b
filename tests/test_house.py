"""The rules of the house that no type checker knows, each with a proof that it can be broken."""

import ast
import importlib
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from jaxtyping import TypeCheckError

from core.masks import Rule
from tests.deep import naming_shapes

ROOT = Path(__file__).parents[1]
# A layer may import itself and those after it; a page may not even import another page.
LAYERS = ("app", "pages", "ui", "core")
NOT_IN_CORE = {"streamlit", "plotly", "pandas", "starlette"}
MAY_IMPORT_TORCH = re.compile(r"core/(.*/)?\w*(torch|train|model|checkpoint)\w*\.py")
HTML_FROM_TEXT = ("unsafe_allow_html", "innerHTML", "outerHTML", "insertAdjacentHTML")
FROM_ELSEWHERE = re.compile(
    r"""(\b(import|from|fetch|src|href|url)\b\s*[=(]?\s*["'`]?\s*https?://"""
    r"""|\b(jsdelivr|unpkg|cdnjs|googleapis|esm\.sh|cdn)\b)"""
)
WAITS_FOR_TIME = {"sleep", "wait_for_timeout"}

Sources = dict[str, str]


def sources(*patterns: str) -> Sources:
    """The project's own files by their path, as text."""
    paths = [path for pattern in patterns for path in ROOT.glob(pattern) if path.is_file()]
    return {str(path.relative_to(ROOT)): path.read_text() for path in sorted(paths)}


PYTHON = sources("app.py", "pages/**/*.py", "ui/**/*.py", "core/**/*.py")
SHOWN = PYTHON | sources("ui/**/*.js", "ui/**/*.css", "ui/**/*.html")
TESTS = sources("tests/**/*.py", "benchmarks/**/*.py")


def imports(source: str) -> Iterator[str]:
    """The modules that a source imports, anywhere in it."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or "")


def upward_imports(files: Sources) -> list[str]:
    offences = []
    for path, source in files.items():
        layer = LAYERS.index(path.split("/")[0].removesuffix(".py"))
        for module in imports(source):
            package = module.split(".")[0]
            if package not in LAYERS:
                continue
            down = LAYERS.index(package) - layer
            if down < 0 or (down == 0 and package == "pages"):
                offences.append(f"{path} imports {module}")
    return offences


def foreign_imports(files: Sources) -> list[str]:
    """Of what draws or serves, in `core`; of torch, in a file not named for it."""
    return [
        f"{path} imports {module}"
        for path, source in files.items()
        for module in imports(source)
        if (path.startswith("core/") and module.split(".")[0] in NOT_IN_CORE)
        or (module.split(".")[0] == "torch" and not MAY_IMPORT_TORCH.fullmatch(path))
    ]


def unsafe_text(files: Sources) -> list[str]:
    """Text made into HTML, and arrays unpickled."""
    allows_pickle = re.compile(r"allow_pickle\s*=\s*True")
    return [
        path
        for path, source in files.items()
        if any(word in source for word in HTML_FROM_TEXT) or allows_pickle.search(source)
    ]


def fetched_from_elsewhere(files: Sources) -> list[str]:
    return [path for path, source in files.items() if FROM_ELSEWHERE.search(source)]


def waits_for_time(files: Sources) -> list[str]:
    return [
        f"{path}:{node.lineno}"
        for path, source in files.items()
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call)
        and getattr(node.func, "attr", getattr(node.func, "id", "")) in WAITS_FOR_TIME
    ]


RULES = [
    (upward_imports, PYTHON),
    (foreign_imports, PYTHON),
    (unsafe_text, SHOWN),
    (fetched_from_elsewhere, SHOWN),
    (waits_for_time, sources("tests/**/*.py")),
]
BROKEN = [
    (upward_imports, "core/masks.py", "from ui.frame import frame"),
    (upward_imports, "ui/frame.py", "import pages.walkthrough"),
    (upward_imports, "pages/why_mask.py", "def f():\n    from pages.walkthrough import x"),
    (upward_imports, "core/masks.py", "import app"),
    (foreign_imports, "core/masks.py", "import streamlit as st"),
    (foreign_imports, "core/masks.py", "from plotly.graph_objects import Figure"),
    (foreign_imports, "core/masks.py", "import pandas"),
    (foreign_imports, "core/masks.py", "def f():\n    import torch.nn"),
    (foreign_imports, "ui/torch_chart.py", "import torch"),
    (unsafe_text, "ui/a.py", "st.markdown(t, unsafe_allow_html=True)"),
    (unsafe_text, "ui/a.js", "cell.innerHTML = text"),
    (unsafe_text, "ui/a.js", "cell.insertAdjacentHTML('beforeend', text)"),
    (unsafe_text, "core/a.py", "np.load(f, allow_pickle = True)"),
    (fetched_from_elsewhere, "ui/a.js", 'import * as d3 from "https://example.org/d3.js"'),
    (fetched_from_elsewhere, "ui/a.css", "@import url(https://example.org/a.css)"),
    (fetched_from_elsewhere, "ui/a.html", '<script src="https://example.org/a.js"></script>'),
    (fetched_from_elsewhere, "ui/a.py", 'figure.to_html(include_plotlyjs="cdn")'),
    (waits_for_time, "tests/a.py", "import time\ntime.sleep(1)"),
    (waits_for_time, "tests/a.py", "page.wait_for_timeout(100)"),
]


@pytest.mark.parametrize(("rule", "files"), RULES, ids=[rule.__name__ for rule, _ in RULES])
def test_the_house_keeps_its_rule(rule, files):
    assert files, "the rule looks at nothing"
    assert rule(files) == []


@pytest.mark.parametrize(("rule", "path", "source"), BROKEN)
def test_the_rule_finds_what_breaks_it(rule, path, source):
    assert rule({path: source}) != []


def test_what_the_rules_allow_passes():
    assert upward_imports({"pages/a.py": "from ui.frame import frame\nimport core.masks"}) == []
    assert foreign_imports({"core/torch_reference.py": "import torch"}) == []
    assert (
        fetched_from_elsewhere({"ui/a.py": '"[the paper](https://arxiv.org/abs/1706.03762)"'}) == []
    )


FIRST_PICTURE = """
from streamlit.testing.v1 import AppTest
app = AppTest.from_file("app.py", default_timeout=60).run()
assert not app.exception, app.exception
assert app.title, "nothing was shown"
"""


def loads_torch(code: str, path: Path = ROOT) -> bool:
    """Whether torch is imported by running `code` in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint('torch' in sys.modules)"],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()[-1] == "True"


def test_the_first_picture_comes_without_torch():
    assert not loads_torch(FIRST_PICTURE)


def test_torch_on_the_way_would_be_noticed(tmp_path):
    (tmp_path / "torch.py").write_text("")
    assert loads_torch(f"{FIRST_PICTURE}\nimport torch", tmp_path)


def test_annotations_of_the_core_are_checked_while_tests_run():
    with pytest.raises(TypeCheckError):
        Rule("causal").mask("3", 3)  # type: ignore[arg-type]


def test_each_module_that_names_shapes_is_among_the_checked():
    named = naming_shapes(ROOT)
    assert Rule.__module__ in named
    for module in map(importlib.import_module, named):
        assert type(module.__loader__).__module__.startswith("jaxtyping")


def test_modules_that_name_shapes_are_found_at_any_depth(tmp_path):
    sources = {
        "core/masks.py": "from jaxtyping import Float",
        "core/deep/er/sums.py": "def f():\n    import jaxtyping",
        "stage/__init__.py": "import jaxtyping as shapes",
        "core/words.py": '"""Tells of jaxtyping, from far away."""',
        "ui/charts.py": "from jaxtyping import Float",
    }
    for path, source in sources.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(source)
    assert naming_shapes(tmp_path) == ["core.deep.er.sums", "core.masks", "stage"]
