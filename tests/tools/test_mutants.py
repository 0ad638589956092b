"""Mistakes on purpose: what is changed, which tests are asked, and that the work tree stays."""

import json
import random
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.sampling import some
from tests.test_shares import commit, git
from tools.mutants import __main__ as command
from tools.mutants.belonging import OF_SCRIPTS, OF_TEXTS
from tools.mutants.belonging import tests_of as belonging
from tools.mutants.mutant import Mutant
from tools.mutants.rooms import ROOMS, sample
from tools.mutants.trial import KILLED, LATE, SURVIVED, Copy, Outcome
from tools.mutants.written import PLACEHOLDER, TEXT_ID, changed, in_script, in_style, in_text

pytestmark = pytest.mark.deep  # `make mutants` runs them first
ROOT = Path(__file__).parents[2]
WRITTEN = {"texts": in_text, "styles": in_style, "scripts": in_script}
TEXT = "<!-- low -->\nRow 1 is low.\n\n<!-- high -->\nThe first is high.\n"
TEST = """from pathlib import Path
def test_row():
    said = Path("pages/texts/en/rows.md").read_text()
    while "Row 3" in said: pass
    assert "Row 1" in said
"""


@pytest.mark.parametrize(
    ("change", "text", "mistakes"),
    [
        (in_text, "<!-- a_2 -->\n2 rows", ["<!-- a_2 -->\n3 rows", "<!-- a_2 -->\n2 columns"]),
        (in_text, "1.09 %", ["1.10 %"]),
        (in_text, "{{ n }} + {{ m }}", ["{{ n }} − {{ m }}", "{{ m }} + {{ n }}"]),
        (in_text, "First", ["Last"]),
        (in_text, "It adds up to most", ["It adds up to least"]),
        (in_text, "`2` [a](#before) {{ n | round(2) }}", []),
        (in_text, "<!-- a -->\n{{ a }}\n<!-- b -->\n{{ b }}", []),
        (in_style, "a { color: var(--a); } b { color: var(--b); }", [
            "a { color: var(--b); } b { color: var(--b); }",
            "a { color: var(--a); } b { color: var(--a); }",
        ]),
        (in_style, "a { width: 1.5em; } /* 2px */ #a2 {}", ["a { width: 3em; } /* 2px */ #a2 {}"]),
        (in_script, "a < 2 && b // 1 < 2", [
            "a <= 2 && b // 1 < 2", "a < 2 || b // 1 < 2", "a < 3 && b // 1 < 2",
        ]),
        (in_script, "x = '1 + 2' /* true */", []),
        (in_script, "f(true)", ["f(false)"]),
    ],
)  # fmt: skip
def test_what_is_changed(change, text: str, mistakes: list[str]) -> None:
    assert [changed("a", text, one).new for one in change(text)] == mistakes


@pytest.mark.parametrize("room", WRITTEN)
def test_a_mistake_is_small_and_leaves_no_text_without_its_values(room: str) -> None:
    for mutant in sample(ROOMS[room], ROOT, seed=5, count=100):
        lines = Counter(mutant.old.splitlines())
        lines.subtract(mutant.new.splitlines())
        assert 1 <= sum(abs(count) for count in lines.values()) <= 8, mutant.diff
        for pattern in (PLACEHOLDER, TEXT_ID):
            assert sorted(pattern.findall(mutant.old)) == sorted(pattern.findall(mutant.new))


def test_python_is_changed_where_it_runs() -> None:
    pytest.importorskip("cosmic_ray", reason="make mutants installs it, and runs this")
    from tools.mutants.python import drawn

    def found(text: str) -> set[str]:
        draws = [drawn("a.py", text, random.Random(seed)) for seed in range(30)]
        return {draw.new for draw in draws if draw}

    assert found("a = b < c\n") == {"a = b <= c\n", "a = b >= c\n"}
    assert found("def f(a: int | None = 1) -> int | None: pass\n") == {
        f"def f(a: int | None = {number}) -> int | None: pass\n" for number in (0, 2)
    }
    assert not found("zip(a, b, strict=True)\n")
    python = [mutant for room in ("core", "ui") for mutant in sample(ROOMS[room], ROOT, 3, 10)]
    for mutant in python:
        compile(mutant.new, mutant.path, "exec")


def test_a_sample_is_that_of_its_seed_and_a_larger_one_begins_with_it() -> None:
    def keys(seed: int, count: int) -> list[str]:
        return [mutant.key for mutant in sample(ROOMS["texts"], ROOT, seed, count)]

    assert keys(1, 20)[:7] == keys(1, 7)
    assert len(set(keys(1, 20))) == 20
    assert keys(1, 20) != keys(2, 20)


def test_a_mistake_keeps_its_key_where_its_lines_stand() -> None:
    one = Mutant("a", "1\n2\n3\n4\n5", "1\n2\n3\nx\n5")
    assert one.key == Mutant("a", "0\n1\n2\n3\n4\n5", "0\n1\n2\n3\nx\n5").key
    others = [Mutant("b", one.old, one.new), Mutant("a", one.old, "1\n2\n3\ny\n5")]
    assert one.key not in {other.key for other in others}


def test_the_tests_that_belong_are_asked_first() -> None:
    def first(path: str) -> str:
        return belonging(path, ROOT, False)[0]

    assert first("core/program/code/script.py") == "tests/core/program/code/test_script.py"
    assert first("ui/classroom/student/joining.py") == "tests/ui/classroom/student/test_joining.py"
    of_script = belonging("stage/browser/run/patterns.js", ROOT, True)
    assert of_script[: len(OF_SCRIPTS["stage"])] == OF_SCRIPTS["stage"], "tables, in a blank page"
    assert of_script[len(OF_SCRIPTS["stage"])] == "tests/browser/test_patterns.py"
    of_page, of_core = (
        [test for test in belonging(path, ROOT, False) if test not in OF_TEXTS]
        for path in ("pages/texts/en/softmax.md", "core/texts/en/two_meanings.md")
    )
    assert first("pages/texts/en/softmax.md") == "tests/test_quotes.py"
    assert of_page[0].endswith("::test_every_sentence_holds_at_the_ends_of_its_controls[softmax]")
    assert first("pages/softmax.py") == of_page[0]
    assert of_core[0] == "tests/core/attention/examples/test_two_meanings.py"


@pytest.mark.parametrize("room", ROOMS)
def test_each_file_has_tests_that_belong(room: str) -> None:
    alone = []
    for path in some(ROOMS[room].files(ROOT), of=12):
        tests = belonging(path, ROOT, ROOMS[room].in_browser)
        assert all((ROOT / test.partition("::")[0]).exists() for test in tests)
        assert all("/browser/" in test for test in tests) or not ROOMS[room].in_browser
        alone += [path] * (not tests)
    assert not alone


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A text and its test, which goes on for ever if the row is the third."""
    folder = tmp_path / "project"
    for name, text in (
        ("pages/texts/en/rows.md", TEXT),
        ("tests/test_claims_of_rows.py", TEST),
        ("tools/mutants/equivalent.txt", "# none\n"),
        (".gitignore", "build\n__pycache__\n"),
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    git(folder, "init", "--quiet")
    commit(folder)
    monkeypatch.setattr(command, "ROOT", folder)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # it starts sooner
    return folder


def told(monkeypatch: pytest.MonkeyPatch, capsys, *words: str) -> str:
    monkeypatch.setattr(sys, "argv", ["mutants", "--room", "texts", "--count", "9", *words])
    command.main()
    return capsys.readouterr().out


def test_a_mistake_is_noticed_or_not_or_makes_the_tests_go_on_for_ever(
    project: Path, tmp_path: Path
) -> None:
    copy, tests = Copy(project, tmp_path / "copy"), ["tests/test_claims_of_rows.py"]

    def tried(old: str, new: str, seconds: float) -> Outcome:
        mistake = Mutant("pages/texts/en/rows.md", TEXT, TEXT.replace(old, new))
        return copy.tried(mistake, tests, seconds)

    by = "tests/test_claims_of_rows.py::test_row"
    assert tried("Row 1", "Row 2", 60) == Outcome(KILLED, by)
    assert tried("Row 1", "Row 3", 3) == Outcome(LATE)
    assert tried("first", "last", 60) == Outcome(SURVIVED)
    assert (project / "pages/texts/en/rows.md").read_text() == TEXT
    assert (copy.folder / "pages/texts/en/rows.md").read_text() == TEXT


def test_the_report_counts_and_shows_what_nothing_noticed(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    said = told(monkeypatch, capsys)
    assert "texts: 3 sampled, 2 killed, 0 equivalent, 1 survived, 0 unclear" in said
    assert "-The first is high.\n+The last is high." in said
    (notes,) = (project / "build" / "mutants").glob("*.jsonl")
    lines = notes.read_text().splitlines()
    assert len(lines) == 3
    notes.write_text("".join(f"{line}\n" for line in lines[1:]))
    left = [json.loads(line)["key"] for line in lines]
    again = told(monkeypatch, capsys)
    assert left[0] in again.split("texts: 3")[0], "it goes on where it was interrupted"
    assert not any(key in again.split("texts: 3")[0] for key in left[1:])
    survivor = next(one["key"] for one in map(json.loads, lines) if one["state"] == SURVIVED)
    (project / "tools" / "mutants" / "equivalent.txt").write_text(f"{survivor} said elsewhere\n")
    assert "2 killed, 1 equivalent, 0 survived" in told(monkeypatch, capsys)


ONCE = """import os
def test_row():
    assert os.path.exists("once") or os.mkdir("once")
"""


@pytest.mark.parametrize(
    ("test", "why"),
    [
        ("def test_row(): assert False", "fails without the mistake"),
        (ONCE, "failed once, and then not"),
    ],
)
def test_a_test_that_fails_by_itself_has_noticed_nothing(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys, test: str, why: str
) -> None:
    (project / "tests" / "test_claims_of_rows.py").write_text(test)
    commit(project)
    said = told(monkeypatch, capsys, "--count", "1")
    assert "0 killed, 0 equivalent, 0 survived, 1 unclear" in said
    assert f"test_row {why}" in said
