"""A chapter declares itself once: what it must have, and that nothing else lists it."""

import subprocess
import sys
from pathlib import Path
from shutil import copytree, ignore_patterns

import pytest

from core.chapter import Chapter
from core.path import ORDER, PATH

ROOT = Path(__file__).parents[1]
HAS = {
    "a folder": "core/chapters/{name}/__init__.py",
    "questions": "core/chapters/{name}/questions.py",
    "a page": "pages/{name}.py",
    "the page's texts": "pages/texts/en/{name}.md",
    "its own texts": "core/texts/en/{name}.md",
    "claims": "tests/ui/test_claims_of_{name}.py",
}
"""What belongs to each chapter, and where it is."""


def missing(name: str, root: Path = ROOT) -> list[str]:
    """What a chapter lacks, and the file to add."""
    places = {what: place.format(name=name) for what, place in HAS.items()}
    return [f"{what}: {place}" for what, place in places.items() if not (root / place).is_file()]


@pytest.mark.parametrize("name", ORDER)
def test_a_chapter_has_all_that_belongs_to_it(name: str) -> None:
    assert not missing(name)
    chapter = PATH[name]
    assert chapter.name == name
    assert chapter.title
    assert chapter.question.endswith("?")
    assert chapter.questions


def test_every_folder_and_every_page_is_on_the_path() -> None:
    folders = {made.parent.name for made in (ROOT / "core" / "chapters").glob("*/__init__.py")}
    assert folders == {*ORDER}
    assert len({chapter.key for chapter in PATH.values()}) == len(ORDER)


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    assert missing("nothing", tmp_path) == [
        f"{what}: {place.format(name='nothing')}" for what, place in HAS.items()
    ]


FILES = {
    "core/chapters/trial/__init__.py": (
        "from core.chapter import Chapter\n"
        'CHAPTER = Chapter("trial", "trial", 5, needs=("softmax",))\n'
    ),
    "core/chapters/trial/questions.py": (
        "from core.chapters.softmax.questions import QUESTIONS as OTHERS\n"
        'QUESTIONS = {"Tried": next(iter(OTHERS.values()))}\n'
    ),
    "core/texts/en/trial.md": "<!-- chapter -->\nTrial\n\n<!-- question -->\nTrial: is it here?\n",
    "pages/trial.py": "",
}
ASKED = """
from core.practice_set import QUESTIONS, mixed_set
from core.path import PATH
from ui.path import address_of, chapter_number, script_of
from ui.path_navigation import _CHAPTERS, chapter_line

assert chapter_number("trial") == len(PATH) == 17
assert list(QUESTIONS["trial"]) == ["Tried"]
assert mixed_set(["trial"], seed=1)[0].title == "Tried"
assert _CHAPTERS[-1]["title"] == "Trial" and _CHAPTERS[-1]["needs"] == [3]
assert script_of("trial").is_file() and address_of("trial") == "trial"
assert "Chapter 17 of 17 · 5 min" in chapter_line("trial")
print("found")
"""


def test_a_chapter_from_outside_is_found_everywhere_by_the_path_alone(tmp_path: Path) -> None:
    """On the path, in practice, and in the header's menu."""
    for room in ("core", "stage", "ui", "pages", "lessons"):
        copytree(ROOT / room, tmp_path / room, ignore=ignore_patterns("__pycache__"))
    for place, text in FILES.items():
        (tmp_path / place).parent.mkdir(exist_ok=True)
        (tmp_path / place).write_text(text, encoding="utf-8")
    path = tmp_path / "core" / "path.py"
    order = path.read_text(encoding="utf-8")
    path.write_text(order.replace('"other_kinds",\n', '"other_kinds", "trial",\n'), "utf-8")
    done = subprocess.run(
        [sys.executable, "-c", ASKED], cwd=tmp_path, capture_output=True, text=True
    )  # fmt: skip
    assert done.stdout == "found\n", done.stderr


def test_a_chapter_is_frozen_and_reads_its_questions_when_asked() -> None:
    chapter = Chapter("softmax", "softmax", 1)
    assert chapter.questions is PATH["softmax"].questions
    assert chapter.knows == ""
    assert PATH["why_scale"].knows
