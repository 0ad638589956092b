"""The rules of the house that no type checker knows, each with a proof that it can be broken."""

import ast
import importlib
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Collection
from fnmatch import fnmatch
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from jaxtyping import TypeCheckError

from core.attention.masks import Rule
from stage.hosts.assets import IMPORT
from tests.registry import REGISTRY
from tests.sampling import ROOT, naming_shapes

# A layer may import itself and those after it; a page may not even import another page.
LAYERS = ("app", "pages", "ui", "stage", "core")
NOT_IN_CORE = {"streamlit", "plotly", "pandas", "starlette"}
MAY_IMPORT_TORCH = re.compile(r"core/pytorch/.*\.py")
UNSAFE = re.compile(
    r"unsafe_allow_html|innerHTML|outerHTML|insertAdjacentHTML|allow_pickle\s*=\s*True"
)
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


PYTHON = sources("app.py", "pages/**/*.py", "ui/**/*.py", "stage/**/*.py", "core/**/*.py")
SHOWN = PYTHON | sources(
    *(f"{room}/**/*.{kind}" for room in ("ui", "stage") for kind in ("js", "css", "html"))
)
TESTS = sources("tests/**/*.py")


@cache
def nodes(source: str) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(ast.parse(source)))


@cache
def imports(source: str) -> list[str]:
    """The modules that a source imports, anywhere in it."""
    found = []
    for node in nodes(source):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found.append("." * node.level + (node.module or ""))
    return found


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


ROOMS = {"texts": -1, "program": 0, "operations": 1, "attention": 2, "files": 3, "questions": 3,
         "pytorch": 3, "models": 4, "chapters": 5}  # fmt: skip
"""The rooms of `core`, from the language up; a room imports none above it."""


def climbing_imports(files: Sources) -> list[str]:
    """Of a room above, in `core`; of another chapter, in a chapter."""
    offences = []
    for path, source in files.items():
        inside = path.removesuffix(".py").split("/")
        if inside[0] != "core" or inside[1] not in ROOMS:
            continue
        for module in imports(source):
            other = module.split(".")
            if other[0] != "core" or len(other) < 2 or other[1] not in ROOMS:
                continue
            above = ROOMS[other[1]] > ROOMS[inside[1]]
            beside = inside[1] == other[1] == "chapters" and inside[2:3] != other[2:3]
            if above or beside:
                offences.append(f"{path} imports {module}")
    return offences


SCRIPT_ROOMS = ("dom", "run", "formula", "draw", "present", "act", "parts", "stage.js")
"""The rooms of the stage's scripts, from the ground up; a script imports from none above it."""


def climbing_scripts(files: Sources) -> list[str]:
    offences = []
    for path, source in files.items():
        if not path.startswith("stage/browser/") or not path.endswith(".js"):
            continue
        for name in IMPORT.findall(source):
            other = os.path.relpath(f"{path}/../{name}", "stage/browser")
            here = path.removeprefix("stage/browser/")
            floors = [SCRIPT_ROOMS.index(each.split("/")[0]) for each in (here, other)]
            if floors[0] < floors[1]:
                offences.append(f"{here} imports {other}")
    return offences


def circles(files: Sources) -> list[str]:
    """Modules that import each other, by whatever way round and wherever the import stands."""
    modules = {
        path.removesuffix(".py").removesuffix("/__init__").replace("/", "."): source
        for path, source in files.items()
    }
    needs = {
        name: {m for m in imports(source) if m in modules and m != name}
        for name, source in modules.items()
    }
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


CLASSES_BY_CONTRACT = {"masked"}
"""A class of the stage's cells; that an array has the same name is chance."""


def named_in_the_engine(files: Sources) -> list[str]:
    """Array names and letters of programs that stand as strings where no program is known."""
    known = {
        word for entry in REGISTRY.values() for word in (*entry.program.names, *entry.program.axes)
    } - CLASSES_BY_CONTRACT
    offences = []
    for path, source in files.items():
        if path.endswith(".py"):
            constants = (n for n in nodes(source) if isinstance(n, ast.Constant))
            words = [str(n.value) for n in constants if isinstance(n.value, str)]
        else:
            words = [a or b for a, b in re.findall(r'"([^"\n]*)"|\'([^\'\n]*)\'', source)]
        offences += [f"{path}: {word!r}" for word in words if word in known]
    return offences


def foreign_imports(files: Sources) -> list[str]:
    """Of what draws or serves, in `core`; of torch, in a file not named for it."""
    return [
        f"{path} imports {module}"
        for path, source in files.items()
        for module in imports(source)
        if (path.startswith(("core/", "stage/")) and module.split(".")[0] in NOT_IN_CORE)
        or (module.split(".")[0] == "torch" and not MAY_IMPORT_TORCH.fullmatch(path))
    ]


def unsafe_text(files: Sources) -> list[str]:
    """Text made into HTML, and arrays unpickled."""
    return [path for path, source in files.items() if UNSAFE.search(source)]


def fetched_from_elsewhere(files: Sources) -> list[str]:
    return [path for path, source in files.items() if FROM_ELSEWHERE.search(source)]


def waits_for_time(files: Sources) -> list[str]:
    return [
        f"{path}:{node.lineno}"
        for path, source in files.items()
        for node in nodes(source)
        if isinstance(node, ast.Call)
        and getattr(node.func, "attr", getattr(node.func, "id", "")) in WAITS_FOR_TIME
    ]


def fragments_that_lose(files: Sources) -> list[str]:
    """Fragments that do not look for what changed beside them: that of our own does."""
    return [
        path
        for path, source in files.items()
        if path != "ui/server/fragments.py"
        for node in nodes(source)
        if (isinstance(node, ast.Attribute) and ast.unparse(node) == "st.fragment")
        or (isinstance(node, ast.ImportFrom) and node.module == "streamlit"
            and "fragment" in {alias.name for alias in node.names})
    ]  # fmt: skip


def leaves_by_itself(files: Sources) -> list[str]:
    """Goes to another page unheard: `go_to` drops what the browser says of the page it leaves."""
    return [
        path
        for path, source in files.items()
        if path != "ui/links/navigation.py" and re.search(r"\bswitch_page\b", source)
    ]


RULES = [
    (upward_imports, PYTHON),
    (climbing_imports, PYTHON),
    (climbing_scripts, SHOWN),
    (circles, PYTHON),
    (named_in_the_engine, sources("core/program/**/*.py", "stage/**/*.py", "stage/**/*.js")),
    (foreign_imports, PYTHON),
    (unsafe_text, SHOWN),
    (fetched_from_elsewhere, SHOWN),
    (fragments_that_lose, PYTHON),
    (leaves_by_itself, PYTHON),
    (waits_for_time, TESTS),
]
BROKEN = [
    (upward_imports, "core/attention/masks.py", "from ui.page.frame import frame"),
    (upward_imports, "ui/page/frame.py", "import pages.walkthrough"),
    (upward_imports, "pages/why_mask.py", "def f():\n    from pages.walkthrough import x"),
    (upward_imports, "core/attention/masks.py", "import app"),
    (upward_imports, "stage/views.py", "from ui.links.links import read"),
    (upward_imports, "core/program/trace.py", "from stage.document import document"),
    (climbing_imports, "core/program/trace.py", "from core.operations.softmax import softmax"),
    (climbing_imports, "core/operations/softmax.py", "import core.attention.masks"),
    (climbing_imports, "core/attention/masks.py", "def f():\n    import core.files.npy"),
    (climbing_scripts, "stage/browser/draw/a.js", 'import { b } from "../act/b.js";\n'),
    (climbing_scripts, "stage/browser/act/a.js", 'import { S } from "../stage.js";\n'),
    (climbing_imports, "core/files/npy.py", "import core.models.captures"),
    (climbing_imports, "core/models/captures.py", "import core.chapters.heads.heads"),
    (climbing_imports, "core/files/npy.py", "from core.chapters.heads.heads import drawn"),
    (climbing_imports, "core/chapters/heads/a.py", "from core.chapters.why_mask import b"),
    (named_in_the_engine, "core/program/a.py", 'if array == "weights": pass'),
    (named_in_the_engine, "stage/a.py", 'letter in {"h": 1}'),
    (named_in_the_engine, "stage/a.js", "if (name === 'W_Q') return;"),
    (foreign_imports, "stage/views.py", "import streamlit as st"),
    (foreign_imports, "core/attention/masks.py", "import streamlit as st"),
    (foreign_imports, "core/attention/masks.py", "from plotly.graph_objects import Figure"),
    (foreign_imports, "core/attention/masks.py", "import pandas"),
    (foreign_imports, "core/attention/masks.py", "def f():\n    import torch.nn"),
    (foreign_imports, "ui/torch_chart.py", "import torch"),
    (unsafe_text, "ui/a.py", "st.markdown(t, unsafe_allow_html=True)"),
    (unsafe_text, "ui/a.js", "cell.innerHTML = text"),
    (unsafe_text, "ui/a.js", "cell.insertAdjacentHTML('beforeend', text)"),
    (unsafe_text, "core/a.py", "np.load(f, allow_pickle = True)"),
    (fetched_from_elsewhere, "ui/a.js", 'import * as d3 from "https://example.org/d3.js"'),
    (fetched_from_elsewhere, "ui/a.css", "@import url(https://example.org/a.css)"),
    (fetched_from_elsewhere, "ui/a.html", '<script src="https://example.org/a.js"></script>'),
    (fetched_from_elsewhere, "ui/a.py", 'figure.to_html(include_plotlyjs="cdn")'),
    (fragments_that_lose, "ui/a.py", "@st.fragment\ndef f(): ..."),
    (fragments_that_lose, "ui/a.py", "from streamlit import fragment"),
    (leaves_by_itself, "pages/a.py", "st.switch_page(page_named('softmax'))"),
    (leaves_by_itself, "ui/a.py", "from streamlit import switch_page as go"),
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


FILLED = {"_Block", "_Part", "_Scan", "_Cursor"}
"""What is filled while one text, script or file is read."""


def thawed(source: str) -> set[str]:
    """The dataclasses that can be changed."""
    return {
        node.name
        for node in nodes(source)
        if isinstance(node, ast.ClassDef)
        for decorator in map(ast.unparse, node.decorator_list)
        if decorator.startswith("dataclass") and "frozen=True" not in decorator
    }


def test_dataclasses_are_frozen_but_for_those_that_a_reading_fills():
    assert set().union(*map(thawed, PYTHON.values())) == FILLED


def test_a_circle_is_found_also_where_one_import_stands_inside_a_function():
    there, back = "from core.b import x", "def f():\n    import core.a"
    assert {*circles({"core/a.py": there, "core/b.py": back})} == {"core.a", "core.b"}
    assert circles({"core/a.py": there, "core/b.py": ""}) == []
    package = {"core/b/__init__.py": "import core.a", "core/a.py": "import core.b"}
    assert {*circles(package)} == {"core.a", "core.b"}


FIRST_PICTURE = """
from streamlit.testing.v1 import AppTest
app = AppTest.from_file("app.py", default_timeout=60).run()
assert not app.exception, app.exception
assert app.title, "nothing was shown"
"""


def slow_ones(code: str, path: Path = ROOT) -> set[str]:
    """Which of the libraries that take longest to load `code` loads, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint(*sys.modules)"],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return {"torch", "pandas"} & set(done.stdout.split())


def test_the_first_picture_comes_without_the_slow_ones():
    assert not slow_ones(FIRST_PICTURE)


@pytest.mark.parametrize("name", ["torch", "pandas"])
def test_a_slow_one_on_the_way_would_be_noticed(tmp_path, name):
    (tmp_path / f"{name}.py").write_text("")
    assert slow_ones(f"import {name}", tmp_path) == {name}


def test_annotations_of_the_core_are_checked_while_tests_run():
    with pytest.raises(TypeCheckError):
        Rule("causal").mask("3", 3)  # type: ignore[arg-type]


def test_each_module_that_names_shapes_is_among_the_checked():
    named = naming_shapes(ROOT)
    assert Rule.__module__ in named
    for module in map(importlib.import_module, named):
        assert type(module.__loader__).__module__.startswith("jaxtyping")


MOST_FILES = 20
"""What has more has rooms; pages and texts are one file a chapter."""


def test_no_folder_of_the_product_has_too_many_files() -> None:
    kinds = {".py", ".js", ".css"}
    paths = (path for room in ("core", "stage", "ui") for path in (ROOT / room).rglob("*"))
    full = Counter(
        path.parent.relative_to(ROOT).as_posix() for path in paths if path.suffix in kinds
    )
    assert len(full) > 50
    assert {folder: files for folder, files in full.items() if files > MOST_FILES} == {}


OF_A_ROOM = {
    "tests/core/chapters/cost/test_cost.py": "how its modules count one thing",
    "tests/core/chapters/one_query/test_one_query.py": "three ways of one query, beside each other",
    "tests/core/chapters/other_kinds/test_other_kinds.py": "kinds beside attention",
    "tests/core/chapters/words/test_words.py": "from words to vectors, through all its modules",
    "tests/core/models/test_damaged_files.py": "whatever reads a file of a model",
    "tests/core/models/test_hostile_files.py": "whatever reads a file of a model",
    "tests/core/operations/test_operations.py": "every operation, beside loops and PyTorch",
    "tests/core/questions/test_hints.py": "the hints of every chapter",
    "tests/core/questions/test_questions.py": "the questions of every chapter",
    "tests/core/questions/test_told.py": "what every question says",
    "tests/stage/questions_solved/test_questions_solved.py": "questions, from their sheets alone",
    "tests/ui/models/test_page.py": "pages/models.py, with the models of its room",
    "tests/ui/models/test_what_is_said.py": "sentences of pages/models.py, likewise",
    "tests/pages/test_claims.py": "every page",
    "tests/pages/test_control_names.py": "every page",
    "tests/pages/test_glossary.py": "every page",
    "tests/pages/test_any_link.py": "every page",
    "tests/pages/test_taught.py": "every page",
    "tests/pages/test_unfilled.py": "every page",
}
"""Files of tests that are of no one module, and of what."""


def mirrored(test: str, modules: Collection[str]) -> str:
    """The module whose tests these are: `x.py` has `test_x.py`, and `test_x_….py` for a part."""
    folder, _, name = test.removeprefix("tests/").rpartition("/")
    name = name.removeprefix("test_").removesuffix(".py")
    name = name.removeprefix("claims_of_") if folder == "pages" else name
    words = name.split("_")
    longest_first = ["_".join(words[:n]) for n in range(len(words), 0, -1)]
    asked = [f"{folder}/{one}{end}" for one in longest_first for end in (".py", "/__init__.py")]
    return next((path for path in asked if path in modules), "")


def strays(tests: Collection[str], modules: Collection[str]) -> list[str]:
    rooms = tuple(f"tests/{room}/" for room in LAYERS[1:])
    named = (test for test in tests if test.startswith(rooms) and "/test_" in test)
    return [test for test in named if not mirrored(test, modules)]


def test_a_file_of_tests_stands_where_its_module_does() -> None:
    assert strays(TESTS, PYTHON) == sorted(OF_A_ROOM, key=list(TESTS).index)
    assert strays({"tests/core/test_masks.py", "tests/pages/test_claims_of_a.py"}, PYTHON)
    modules = {"core/attention/masks.py", "ui/measuring/__init__.py", "pages/a.py"}
    assert not strays(
        {"tests/core/attention/test_masks_of_rows.py", "tests/ui/test_measuring.py",
         "tests/pages/test_claims_of_a.py"}, modules
    )  # fmt: skip


LARGE = 60
"""What has more lines is tested by name."""
ASKED_THROUGH = {
    "tests/core/attention/given/test_attention_from.py":
        "core/attention/given/given_{arrays program}",
    "tests/core/attention/layers/test_language_model.py": "core/attention/layers/{layer}",
    "tests/test_chapters.py": "core/{chapter}",
    "tests/core/questions/test_questions.py": "core/chapters/{*}/questions",
    "tests/core/files/test_text.py": "core/files/dialects/{*}",
    "tests/core/models/checkpoints/test_opening.py":
        "core/models/checkpoints/{config model_families part_sources}",
    "tests/core/models/recorded/test_recording.py":
        "core/models/recorded/{hook_cache stored_arrays}",
    "tests/facts/test_what_steps_say.py": "core/program/{described}",
    "tests/core/program/code/test_script.py": "core/program/numbers/{literals}",
    "tests/core/models/recorded/test_capturing.py":
        "core/pytorch/{attention_calls call_parts recorder}",
    "tests/ui/models/test_page.py": "pages/{models}",
    "tests/ui/classroom/teacher/test_free_texts.py": "pages/{room}",
    "tests/stage/paper/test_worksheet.py": "stage/paper/{paper}",
    "tests/pages/test_attention_graph.py": "ui/chapters/attention_graph/{run_graph}",
    "tests/pages/test_one_query.py": "ui/chapters/one_query/{further_parts}",
    "tests/pages/test_recursive_attention.py":
        "ui/chapters/recursive_attention/{attention_schedules merging}",
    "tests/pages/test_walkthrough.py": "ui/chapters/walkthrough/{controls numbers}",
    "tests/ui/chapters/words/test_learned_words.py": "ui/chapters/words/{charts}",
    "tests/ui/classroom/questions/test_asked.py":
        "ui/classroom/questions/{covered_place shown_question}",
    "tests/ui/classroom/student/test_joining.py": "ui/classroom/student/{student_results}",
    "tests/ui/classroom/questions/test_class_button.py": "ui/classroom/teacher/{opening projector}",
    "tests/ui/components/head_maps/test_head_maps.py": "ui/components/head_maps/{cards measured}",
    "tests/browser/test_components.py": "ui/components/{maps trees two_orders}/__init__",
    "tests/ui/lessons/test_shelf.py": "ui/lessons/{panel}",
    "tests/ui/models/test_keys.py": "ui/models/{changes choosing prediction stages}",
    "tests/ui/stage/test_exhibit.py": "ui/stage/{settings}",
}  # fmt: skip
"""Large modules that no test imports: these tests, before others, ask what is around them."""
ASKED = [
    f"{before}{name}{after}.py"
    for before, names, after in (re.split("[{}]", said) for said in ASKED_THROUGH.values())
    for name in names.split()
]


def unasked(modules: Sources, tests: Sources) -> list[str]:
    """Large modules with a public name that no test imports, and that no file of tests mirrors."""
    imported = {
        word
        for source in tests.values()
        for node in nodes(source)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
        for module in [getattr(node, "module", None)]
        for word in (alias.name, module, f"{module}.{alias.name}")
    }
    own = {mirrored(test, modules) for test in tests}
    return [
        path
        for path, source in modules.items()
        if path not in own
        and source.count("\n") > LARGE
        and path.removesuffix(".py").removesuffix("/__init__").replace("/", ".") not in imported
        and any(
            isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name[0] != "_"
            for node in ast.parse(source).body
        )
    ]


def test_a_large_module_is_imported_by_a_test_or_asked_through_what_is_around_it() -> None:
    found = unasked(PYTHON, TESTS)
    assert [path for path in found if not any(fnmatch(path, asked) for asked in ASKED)] == []
    assert [asked for asked in ASKED if not any(fnmatch(path, asked) for path in found)] == []
    assert ASKED_THROUGH.keys() <= TESTS.keys()
    module = {"ui/a.py": "def told(): ...\n" + "\n" * LARGE}
    assert unasked(module, {"tests/ui/test_b.py": "from ui import b"}) == ["ui/a.py"]
    assert not unasked(module, {"tests/ui/test_b.py": "from ui import a"})
    assert not unasked(module, {"tests/ui/test_a.py": ""})
