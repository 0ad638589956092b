"""The long run in shares: each test is in one of them, they are even, and the record is honest."""

import json
import os
import subprocess
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sampling import ROOT
from tests.shares import BROWSER, REST, files_of, places, refined, runs_of, seconds_of

MANY = "import os, pytest\n@pytest.mark.parametrize('n', range({}))\ndef test_it(n): {}\n"
LOG = """#!/bin/sh
echo "$SHARE $DEEP [$UNCHECKED] [$UNRECORDED] $*" >> "{}"
case "$*" in *--ignore*) exit 1; esac
"""
OF_MAKE = {"MAKEFLAGS", "MAKEOVERRIDES", "MFLAGS"}
OF_MAKE |= {"ARGS", "SHARE", "WORKERS", "UNRECORDED", "UNCHECKED"}
"""What a make that runs these tests would pass on."""
pytest_plugins = ["pytester"]


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    """Files of 12, 3 and 1 tests, and one for a browser; a test fails where FAILS is set."""
    pytester.makeini("[pytest]\ntestpaths = tests\n")
    tests = pytester.mkdir("tests")
    (tests / "browser").mkdir()
    for name, text in {
        "test_long.py": MANY.format(12, "pass"),
        "test_short.py": MANY.format(3, "pass"),
        "test_one.py": MANY.format(1, "assert 'FAILS' not in os.environ"),
        "browser/test_seen.py": MANY.format(2, "pass"),
        "deep_seconds.json": json.dumps(
            {"tests/test_long.py": 24, "tests/test_short.py": 6, "tests/test_one.py": 2}
        ),
        "../.gitignore": ".deep_runs.jsonl\n__pycache__\n.pytest_cache\n",
    }.items():
        (tests / name).write_text(text)
    git(pytester.path, "init", "--quiet")
    commit(pytester.path)
    return pytester


def git(folder: Path, *words: str) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *who, *words], cwd=folder, check=True)


def commit(folder: Path) -> None:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "--message", "all")


def run(project: pytest.Pytester, share: str, *words: str, **environment: str) -> str:
    """What a run of that share says."""
    paths = words if "tests/browser" in words else (*words, "--ignore", "tests/browser")
    told = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "DEEP": "1", "SHARE": share, **environment}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in told.items():
            patch.setenv(name, value)
        patch.setattr("tests.shares.DEEP", bool(told["DEEP"]))
        options = ("-p", "xdist", "-p", "tests.shares", "-p", "no:cacheprovider", "-v")
        return project.runpytest_inprocess(*options, *paths).stdout.str()


def named_in(said: str) -> list[str]:
    return [
        word
        for line in said.splitlines()
        if "PASSED" in line or "FAILED tests" in line
        for word in line.split()
        if "::" in word
    ]


def test_each_test_is_in_one_share_and_the_shares_are_even(project: pytest.Pytester) -> None:
    shares = [named_in(run(project, f"{number}/4")) for number in range(1, 5)]
    assert Counter(len(share) for share in shares) == {4: 4}
    assert len({test for share in shares for test in share}) == 16
    long = [sum("test_long" in test for test in share) for share in shares]
    assert sorted(long) != [3, 3, 3, 3], "files are kept whole but for those on a cut"
    seconds = Counter[str]()
    for one in runs_of(project.path):
        assert not one["exit"]
        assert one["passed"] == 4
        assert one["commit"][-1] != "+"
        seconds.update(one["seconds"].keys())
    assert seconds["tests/test_one.py"] == 1


def test_with_workers_a_share_and_its_note_are_the_same(project: pytest.Pytester) -> None:
    alone, shared = (named_in(run(project, "1/4", *words)) for words in ((), ("-n", "1")))
    assert shared == alone
    first, second = ({**one, "seconds": [*one["seconds"]]} for one in runs_of(project.path))
    same = ("share", "part", "commit", "exit", "passed", "failed", "seconds")
    assert [first[name] for name in same] == [second[name] for name in same]


def test_a_share_is_green_when_both_its_parts_are_on_this_commit(project: pytest.Pytester) -> None:
    assert "not run whole all" in run(project, "1/2")
    assert "green 1; not run whole 2" in run(project, "1/2", "tests/browser")
    run(project, "2/2", "tests/browser")
    both = [run(project, f"{number}/2", FAILS="1") for number in (1, 2)]
    red = ["test_one.py::test_it[0] FAILED" in said for said in both].index(True) + 1
    assert f"red {red} (rest)" in both[1]
    assert f"green {3 - red};" in both[1]
    failed = [one["failed_ids"] for one in runs_of(project.path) if one["failed"]]
    assert failed == [["tests/test_one.py::test_it[0]"]]
    assert "green all" in run(project, f"{red}/2")
    assert "not run whole all" in run(project, "2/3"), "thirds are no halves"
    (project.path / "tests" / "test_new.py").write_text("")
    said = run(project, "1/2")
    assert "+" in runs_of(project.path)[-1]["commit"]
    assert "not run whole all" in said
    assert "counts for no commit" in said
    commit(project.path)
    assert "not run whole all" in run(project, "1/2")


def test_what_is_no_whole_run_of_a_share_is_not_noted(project: pytest.Pytester) -> None:
    run(project, "1/2", UNRECORDED="1")
    run(project, "1/2", DEEP="")
    assert not runs_of(project.path)
    assert "green" not in run(project, "1/2", "-k", "nothing")
    assert runs_of(project.path)[-1]["exit"]


@pytest.mark.parametrize("share", ["7/6", "6"])
def test_what_is_no_share_is_refused(project: pytest.Pytester, share: str) -> None:
    assert "passed" not in run(project, share)


@given(st.dictionaries(st.text(min_size=1), st.floats(0.5, 500), min_size=1))
def test_files_stand_on_one_line_without_gaps(seconds: dict[str, float]) -> None:
    ends = sorted(places(seconds, seconds).values())
    assert ends[0][0] == 0
    assert ends[-1][1] == 1
    assert all(left[1] == right[0] for left, right in pairwise(ends))
    for name, (start, end) in places(seconds, seconds).items():
        assert end - start == pytest.approx(seconds[name] / sum(seconds.values()))


def test_every_file_that_is_listed_is_there() -> None:
    there = {*files_of(ROOT, BROWSER), *files_of(ROOT, REST)}
    assert set(seconds_of(ROOT)) <= there
    assert {name for name in there if "/browser/" in name} == set(files_of(ROOT, BROWSER))


def test_the_newest_run_of_a_file_says_how_long_it_takes() -> None:
    runs = [{"seconds": {"a": 60.0, "b": 90.4, "gone": 90.0}}, {"seconds": {"a": 2.0, "c": 15.0}}]
    assert refined({"a": 20, "d": 40}, runs, "abcd") == {"b": 90, "c": 15, "d": 40}


def test_make_runs_both_parts_of_a_share_though_the_first_fails(tmp_path: Path) -> None:
    python, log = tmp_path / "bin" / "python", tmp_path / "log"
    python.parent.mkdir()
    python.write_text(LOG.format(log))
    python.chmod(0o755)
    for stamp in ("app.stamp", "dev.stamp"):  # newer than what is asked for: nothing is installed
        (tmp_path / stamp).touch()

    def made(*words: str) -> list[str]:
        log.write_text("")
        command = ["make", "test-deep", f"VENV={tmp_path}", *words]
        own = {key: value for key, value in os.environ.items() if key not in OF_MAKE}
        ended = subprocess.run(
            command, cwd=ROOT, env=own, capture_output=True, text=True, check=False
        )
        assert ended.returncode, "a part failed"
        return [line for line in log.read_text().splitlines() if "pytest" in line]

    common = "-m pytest -n 3 --dist worksteal"
    assert made("SHARE=2/6") == [
        f"2/6 1 [] [] {common} --ignore tests/browser",
        f"2/6 1 [1] [] {common} tests/browser",
    ]
    of_all = made("ARGS=-k some")
    assert [line.split()[0] for line in of_all[::2]] == [f"{number}/6" for number in range(1, 7)]
    assert all("[1] -m pytest" in line and "-k some" in line for line in of_all)
