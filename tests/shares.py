"""The long run in shares: SHARE=2/6 runs the second sixth, and a record says which are green.

`tests/deep_seconds.json` says how long each test file took. All files, one after the other, are a
line that is cut into shares of equal length; a file on a cut is parted between its tests. They
stand in an order like that of shuffled cards, so that a wrong guess of a folder is in all shares.

`python -m tests.shares` takes the seconds anew from the record.
"""

import json
import os
import re
import subprocess
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from tests.sampling import DEEP

BROWSER, REST = "browser", "rest"
SHARE = re.compile(r"\d+/\d+")
SHORT = 3
"""Seconds of a file that is not in the list."""
LISTED = 5 * SHORT
"""From so many seconds on a file is in the list."""


class Share:
    """One share of so many: which tests are its own, and what became of them."""

    def __init__(self, config: pytest.Config, said: str) -> None:
        self.number, self.count = map(int, said.split("/") if SHARE.fullmatch(said) else (0, 0))
        if not 1 <= self.number <= self.count:
            raise pytest.UsageError(f"SHARE={said} is none: SHARE=2/6 is the second of six.")
        self.said, self.root = said, config.rootpath
        self.part = BROWSER if config.args == ["tests/browser"] else REST
        self.places = places(files_of(self.root, self.part), seconds_of(self.root))
        self.of: dict[str, int] = {}
        self.ran: dict[str, set[str]] = defaultdict(set)
        self.seconds: dict[str, float] = defaultdict(float)
        self.failed: set[str] = set()
        self.commit, self.began = commit_of(self.root), time.monotonic()

    def has(self, place: float) -> bool:
        return int(place * self.count) == self.number - 1

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        """A file of other shares alone is not even read."""
        name = collection_path.relative_to(self.root).as_posix()
        if name not in self.places:
            return None
        first, last = (int(end * self.count) for end in self.places[name])
        return None if first <= self.number - 1 <= last else True

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        by_file: dict[str, list[pytest.Item]] = defaultdict(list)
        for item in items:
            by_file[file_of(item.nodeid)].append(item)
        self.of = {name: len(tests) for name, tests in by_file.items()}
        chosen = set()
        for name, tests in by_file.items():
            start, end = self.places.get(name, (0, 0))
            chosen |= {
                test
                for at, test in enumerate(tests)
                if self.has(start + (end - start) * at / len(tests))
            }
        config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
        items[:] = [item for item in items if item in chosen]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        name = file_of(report.nodeid)
        self.ran[name].add(report.nodeid)
        self.seconds[name] += report.duration
        if report.failed:
            self.failed.add(report.nodeid)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """A worker of pytest-xdist says how many tests its files have."""
        self.of |= getattr(node, "workeroutput", {}).get("of", {})

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput["of"] = self.of
        elif not os.environ.get("UNRECORDED"):
            with record_of(self.root).open("a") as record:
                record.write(json.dumps(self.result(int(exitstatus))) + "\n")

    def result(self, exitstatus: int) -> dict[str, Any]:
        return {
            "share": self.said, "part": self.part, "commit": self.commit,
            "date": datetime.now(UTC).isoformat(timespec="minutes"), "exit": exitstatus,
            "passed": sum(map(len, self.ran.values())) - len(self.failed),
            "failed": len(self.failed),
            "minutes": round((time.monotonic() - self.began) / 60, 1),
            "failed_ids": sorted(self.failed),
            "seconds": {
                name: round(self.seconds[name] * self.of.get(name, len(ran)) / len(ran), 1)
                for name, ran in self.ran.items()
            },
        }  # fmt: skip

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        terminalreporter.write_line(standing(runs_of(self.root), self.commit, self.count))


def pytest_configure(config: pytest.Config) -> None:
    if DEEP and (share := os.environ.get("SHARE")):
        config.pluginmanager.register(Share(config, share), "share")


def file_of(test: str) -> str:
    return test.split("::")[0]


def files_of(root: Path, part: str) -> list[str]:
    found = (path.relative_to(root).as_posix() for path in (root / "tests").rglob("test_*.py"))
    return [name for name in found if name.startswith("tests/browser/") == (part == BROWSER)]


def places(files: Iterable[str], seconds: Mapping[str, float]) -> dict[str, tuple[float, float]]:
    """Where each file begins and ends on the line of all of them, which is one long."""
    order = sorted(files, key=lambda name: (crc32(name.encode()), name))
    ends = list(accumulate((seconds.get(name, SHORT) for name in order), initial=0.0))
    return {
        name: (start / ends[-1], end / ends[-1])
        for name, (start, end) in zip(order, pairwise(ends), strict=True)
    }


def commit_of(root: Path) -> str:
    """With a + if files differ from it: no other run can be of the same."""

    def git(*words: str) -> str:
        return subprocess.run(
            ["git", *words], cwd=root, capture_output=True, text=True, check=True
        ).stdout.strip()

    return git("rev-parse", "HEAD") + ("+" if git("status", "--porcelain") else "")


def standing(runs: Iterable[Mapping[str, Any]], commit: str, count: int) -> str:
    """Which of so many shares are green on that commit, by the last run of each part."""
    last = {(run["share"], run["part"]): not run["exit"] for run in runs if run["commit"] == commit}
    said: dict[str, list[str]] = {"green": [], "red": [], "not run whole": []}
    for number in range(1, count + 1):
        parts = {part: last.get((f"{number}/{count}", part)) for part in (REST, BROWSER)}
        red = [part for part, green in parts.items() if green is False]
        if red:
            said["red"].append(f"{number} ({', '.join(red)})")
        else:
            said["green" if all(parts.values()) else "not run whole"].append(str(number))
    states = "; ".join(
        f"{state} {'all' if len(numbers) == count and state != 'red' else ' '.join(numbers)}"
        for state, numbers in said.items()
        if numbers
    )
    if commit.endswith("+"):
        states += " (files differ from the commit: this counts for no commit)"
    return f"shares of {count} on {commit[:12]}: {states}"


def record_of(root: Path) -> Path:
    return root / ".deep_runs.jsonl"


def runs_of(root: Path) -> list[dict[str, Any]]:
    record = record_of(root)
    return [json.loads(line) for line in record.read_text().splitlines()] if record.exists() else []


def seconds_of(root: Path) -> dict[str, float]:
    listed: dict[str, float] = json.loads((root / "tests" / "deep_seconds.json").read_text())
    return listed


def refined(
    listed: Mapping[str, float], runs: Iterable[Mapping[str, Any]], files: Iterable[str]
) -> dict[str, float]:
    """The seconds of files that are there, as the newest run of each took."""
    newest = dict(listed)
    for run in runs:
        newest |= run["seconds"]
    there = set(files)
    return {
        name: round(seconds)
        for name, seconds in sorted(newest.items())
        if name in there and seconds >= LISTED
    }


if __name__ == "__main__":
    ROOT = Path(__file__).parents[1]
    FILES = files_of(ROOT, BROWSER) + files_of(ROOT, REST)
    NEW = refined(seconds_of(ROOT), runs_of(ROOT), FILES)
    (ROOT / "tests" / "deep_seconds.json").write_text(json.dumps(NEW, indent=1) + "\n")
