"""A chapter declares itself once: what it must have, and that nothing else lists it."""

import ast
import os
import re
import subprocess
import sys
from itertools import chain
from pathlib import Path
from shutil import copy, copytree, ignore_patterns

import pytest

from core import attention_program
from core.path import ORDER, PATH
from tests.registry import DECLARED
from tests.sampling import ROOT

HAS = {
    "a folder": "core/chapters/{name}/__init__.py",
    "programs and families": "core/chapters/{name}/programs.py",
    "a page": "pages/{name}.py",
    "the page's texts": "pages/texts/en/{name}.md",
    "its own texts": "core/texts/en/{name}.md",
    "claims": "tests/pages/test_claims_of_{name}.py",
    "data of its claims": "tests/pages/test_claims_of_{name}.toml",
}
"""What belongs to each chapter, and where it is."""


@pytest.mark.parametrize("name", ORDER)
def test_a_chapter_has_all_that_belongs_to_it(name: str) -> None:
    places = {what: place.format(name=name) for what, place in HAS.items()}
    assert not [f"{what}: {at}" for what, at in places.items() if not (ROOT / at).is_file()]
    chapter = PATH[name]
    assert chapter.name == name
    assert chapter.title
    assert chapter.question.endswith("?")
    assert chapter.questions, f"add QUESTIONS to core/chapters/{name}/questions.py"
    assert chapter.programs or chapter.families, f"add to core/chapters/{name}/programs.py"


def names_in(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def makers_in(node: ast.AST) -> dict[str, str]:
    """The functions that are said to return a `Family` or a `Program`, with which of them."""
    return {
        part.name: made
        for part in ast.walk(node)
        if isinstance(part, ast.FunctionDef)
        and (made := ast.unparse(part.returns or part)) in ("Family", "Program")
    }


def undeclared(folder: Path) -> list[str]:
    """The functions of a chapter that make a family or a program which it does not declare.

    A family is declared if `FAMILIES` is made with its function, by whatever way round; a program
    if `PROGRAMS` or `FAMILIES` is.
    """
    needs: dict[str, set[str]] = {"FAMILIES": set(), "PROGRAMS": set()}
    makers: list[tuple[Path, str, str, str]] = []
    for file in sorted(folder.glob("*.py")):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                targets = {node.name}
            elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
                parts = node.targets if isinstance(node, ast.Assign) else [node.target]
                targets = set(chain.from_iterable(map(names_in, parts)))
            else:
                continue
            for target in targets:
                needs.setdefault(target, set()).update(names_in(node))
                makers += [(file, target, *made) for made in makers_in(node).items()]

    def reached(*waiting: str) -> set[str]:
        found: set[str] = set()
        names = [*waiting]
        while names:
            if (name := names.pop()) not in found:
                found.add(name)
                names += needs.get(name, ())
        return found

    families = reached("FAMILIES")
    declared = {"Family": families, "Program": families | reached("PROGRAMS")}
    lists = {"Family": "FAMILIES", "Program": "PROGRAMS"}
    return [
        f"{function} of {file.name} makes a {made}: add one to {lists[made]} in programs.py"
        for file, target, function, made in makers
        if target not in declared[made]
    ]


@pytest.mark.parametrize("name", ORDER)
def test_a_chapter_declares_every_program_and_family_that_it_makes(name: str) -> None:
    assert not undeclared(ROOT / "core" / "chapters" / name)


def test_no_two_programs_or_families_have_one_name() -> None:
    for found in (DECLARED, [pair for c in PATH.values() for pair in c.families.items()]):
        names = [name for name, _ in found]
        assert len({*names}) == len(names)


def test_every_folder_and_every_page_is_on_the_path() -> None:
    folders = {made.parent.name for made in (ROOT / "core" / "chapters").glob("*/__init__.py")}
    assert folders == {*ORDER}
    assert len({chapter.key for chapter in PATH.values()}) == len(ORDER)


PROGRAM = """
from core.attention.program import attention_program
from core.chapters.softmax.questions import QUESTIONS as OTHERS
from core.program.program import Program
from core.sample import Sample
def trial_program() -> Program:
    return attention_program(heads=1)
PROGRAMS = {"{name}": Sample(trial_program())}
QUESTIONS = {"Tried": next(iter(OTHERS.values()))}
"""
FILES = {
    "core/chapters/{name}/__init__.py": (
        "from core.chapter import Chapter\n"
        'CHAPTER = Chapter("{name}", "{name}", 5, needs=("softmax",))\n'
    ),
    "core/chapters/{name}/programs.py": PROGRAM,
    "core/texts/en/{name}.md": (
        "<!-- chapter -->\nTrial\n\n<!-- question -->\nTrial: is it here?\n"
    ),
    "pages/{name}.py": "",
    "pages/texts/en/{name}.md": "",
    "tests/pages/test_claims_of_{name}.py": "",
    "tests/pages/test_claims_of_{name}.toml": "",
}
"""A chapter from outside: a chapter of so little has its programs and questions in one module."""
WHOLE = "test_a_chapter_has_all_that_belongs_to_it"
DECLARES = "test_a_chapter_declares_every_program_and_family_that_it_makes"
PROGRAMS_OF = "core/chapters/{name}/programs.py"
LACKING = {
    "no_question": (PROGRAMS_OF, '"Tried": next(iter(OTHERS.values()))', "", WHOLE),
    "no_entry": (PROGRAMS_OF, "trial_program())", "attention_program())", DECLARES),
    "no_claims": ("tests/pages/test_claims_of_{name}.py", "", "", WHOLE),
}
"""What is taken away from a chapter, by its name: the file or a part of it, what replaces it, and
the test that turns red, and no other one."""
CHECKS = ("tests/test_chapters.py", "tests/test_registry.py")


def with_chapters(root: Path, *names: str) -> None:
    """Copy the product to a folder and add these chapters to it, the last ones of the path."""
    for room in ("core", "stage", "ui", "pages", "lessons", "tests"):
        left = ["__pycache__", *(["browser"] if room == "tests" else [])]
        copytree(ROOT / room, root / room, ignore=ignore_patterns(*left))
    for name in names:
        for place, text in FILES.items():
            file = root / place.format(name=name)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text.replace("{name}", name), encoding="utf-8")
    path = root / "core" / "path.py"
    added = "".join(f'"{name}", ' for name in names)
    order = path.read_text(encoding="utf-8")
    path.write_text(order.replace("\n)", f"\n    {added}\n)", 1), "utf-8")


ASKED = """
from core.practice_set import QUESTIONS, mixed_set
from core.path import PATH
from ui.links.path import address_of, chapter_number, script_of
from ui.page.path_navigation import _CHAPTERS, chapter_line

assert chapter_number("trial") == len(PATH) == {count}
assert list(QUESTIONS["trial"]) == ["Tried"]
assert mixed_set(["trial"], seed=1)[0].title == "Tried"
assert _CHAPTERS[-1]["title"] == "Trial" and _CHAPTERS[-1]["needs"] == [3]
assert script_of("trial").is_file() and address_of("trial") == "trial"
assert "Chapter {count} of {count} · 5 min" in chapter_line("trial")
print("found")
"""


def test_a_chapter_from_outside_is_found_everywhere_by_the_path_alone(tmp_path: Path) -> None:
    """On the path, in practice, and in the header's menu."""
    with_chapters(tmp_path, "trial")
    asked = ASKED.replace("{count}", str(len(ORDER) + 1))
    done = subprocess.run(
        [sys.executable, "-c", asked], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.stdout == "found\n", done.stderr


@pytest.mark.deep
def test_what_is_taken_from_a_chapter_turns_a_test_red_and_its_program_is_checked(
    tmp_path: Path,
) -> None:
    with_chapters(tmp_path, "trial", *LACKING)
    copy(ROOT / "pyproject.toml", tmp_path)
    for name, (place, what, instead, _) in LACKING.items():
        file = tmp_path / place.format(name=name)
        if what:
            file.write_text(file.read_text(encoding="utf-8").replace(what, instead), "utf-8")
        else:
            file.unlink()
    asked = ["-k", f"trial or {' or '.join(LACKING)}", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rpf", *CHECKS, *asked],
        cwd=tmp_path, capture_output=True, text=True,
        env={**os.environ, "DEEP": "1", "UNCHECKED": "1"},  # else its program is in some tests only
    )  # fmt: skip
    found = re.findall(r"^(PASSED|FAILED) \S+::(\w+)\[(\w+)", done.stdout, re.MULTILINE)
    failed = {name: test for outcome, test, name in found if outcome == "FAILED"}
    assert failed == {name: red for name, (*_, red) in LACKING.items()}, done.stdout
    assert done.stdout.count("FAILED") == len(LACKING)
    checked = {test for outcome, test, name in found if name == "trial"}
    assert {"test_script_and_notebook_run_alone_and_notice_a_change", *failed.values()} <= checked


def test_each_step_of_attention_is_the_subject_of_one_chapter() -> None:
    arrays = [array for chapter in PATH.values() for array in chapter.explains]
    assert sorted(arrays) == sorted(["X", *attention_program().step])
