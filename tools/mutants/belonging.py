"""Which tests belong to a file: named for it, in the folder that mirrors its own, or naming it."""

import re
from collections import Counter
from functools import cache
from pathlib import Path

MOST = 8
"""So many files of tests are run for a mistake."""
MOST_IN_BROWSER = 4
OF_TEXTS = [
    "tests/test_quotes.py",
    "tests/test_claims_of_texts.py",
    "tests/test_texts.py",
    "tests/ui/page/test_prose.py",
]
HOUSE = "tests/test_house.py"
"""What is asked of every Python file."""
CLAIMS = "tests/pages/test_claims.py::test_every_sentence_holds_at_the_ends_of_its_controls"
CASE = "INVENTORY = "
"""What a file has that is a case of these claims, and no test by itself."""
OF_PAGES = ["tests/browser/test_look.py", "tests/browser/test_first_screen.py"]
OF_STAGE = ["tests/browser/test_stage.py", "tests/browser/test_walk.py", *OF_PAGES]
OF_SCRIPTS = {
    "stage": ["tests/browser/test_stage_methods.py", "tests/browser/test_hands.py"],
    "ui": ["tests/browser/test_components.py"],
}
"""Tables of what each script does, alone in a blank page."""


def tests_of(path: str, root: Path, in_browser: bool) -> list[str]:
    """Those that belong most first; for what no test names, those that look at everything.

    A text's quotes come before, for they take a second.
    """
    file = Path(path)
    stem = file.parent.name if file.stem == "__init__" else file.stem
    said, reader = (re.compile("|".join(names)) for names in naming(file, root))
    mirrors = (Path("tests", folder) for folder in file.parents)
    folders = (each for each in mirrors if any((root / each).glob("test_*.py")))
    folder = next((each.as_posix() for each in folders if each.name != "tests"), "")
    kin: Counter[str] = Counter()
    for test, text in sources(root, "tests").items():
        if test.startswith("tests/browser/") != in_browser:
            continue
        name = test.rpartition("/")[2].removeprefix("test_").removesuffix(".py")
        kin[test] = (
            8 * (name == stem)
            + 2 * (stem in name.split("_") or name in stem.split("_"))
            + 3 * (name == file.parent.name)
            + 3 * bool(said.search(text))
            + 2 * bool(reader.search(text))
            + 2 * (test.rpartition("/")[0] == folder)
        )
    near = [test for test, points in kin.most_common() if points > 1]
    near = near[: MOST_IN_BROWSER if in_browser else MOST]
    if in_browser:
        tables = OF_SCRIPTS.get(file.parts[0], []) if file.suffix in (".js", ".css") else []
        everywhere = OF_STAGE if file.parts[0] == "stage" else OF_PAGES
        always = [*tables, *([] if near else everywhere)]
    else:
        always = OF_TEXTS if file.suffix == ".md" else []
        always = [*always, *([f"{CLAIMS}[{stem}]"] if is_claimed(stem, root) else [])]
    first = [test for test in always if (root / test.partition("::")[0]).exists()]
    is_asked = not in_browser and file.suffix == ".py" and (root / HOUSE).exists()
    last = [HOUSE] if is_asked else []
    return [*dict.fromkeys([*first, *near, *last])]


def is_claimed(stem: str, root: Path) -> bool:
    """Whether what it says in all its states is recomputed, as a case of test_claims.py."""
    file = root / f"tests/pages/test_claims_of_{stem}.py"
    return file.exists() and CASE in file.read_text(encoding="utf-8")


def naming(file: Path, root: Path) -> tuple[list[str], list[str]]:
    """The patterns by which a test names it, and those by which it names a module that reads it."""
    if file.suffix == ".py":
        names = [rf"\b{module(file.as_posix())}\b"]
        reads = re.compile(rf"^ *from {module(file.as_posix())} import", re.MULTILINE)
    else:
        names = [re.escape(file.name), rf"[\"']{file.stem}[\"']"]
        reads = re.compile(rf"texts\([^)]*\"{file.stem}\"|\b{re.escape(file.name)}\b")
    if file.suffix in (".js", ".css"):
        folder = {file.parent.name} - {"stage", "ui"}
        names += [rf"[\"'#.=-]{name}\b" for name in (file.stem, *folder)]
    code = sources(root, file.parts[0]).items()
    readers = [rf"\b{module(path)}\b" for path, text in code if reads.search(text)]
    return names, readers or names


def module(path: str) -> str:
    return re.escape(path.removesuffix(".py").removesuffix("/__init__").replace("/", "."))


@cache
def sources(root: Path, folder: str) -> dict[str, str]:
    """The Python files of a folder; of the tests' those that run by themselves."""
    pattern = "test_*.py" if folder == "tests" else "*.py"
    return {
        path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted((root / folder).rglob(pattern))
        if not {"engines", "real_models"} & set(path.parts)
        and not (path.match("tests/pages/test_claims_of_*") and CASE in path.read_text("utf-8"))
    }
