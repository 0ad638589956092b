"""make mutants: a seeded sample of mistakes in each room, and which of them the tests notice.

    make mutants ROOM=core SEED=1 COUNT=60     one room; without ROOM all of them, as many together
    make mutants ROOM=core SEED=1 ALL=1        what is left is tried by all of `make test` too

The tests that belong to a file are run in a copy of the last commit. Each outcome is noted in
build/mutants/ at once: the same command goes on where it was interrupted. The report is there too.
`tools/mutants/equivalent.txt` lists mistakes that change nothing: a person reads the diff of one
that survived, and adds its key with the reason.
"""

import argparse
import json
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from tools.mutants.belonging import tests_of
from tools.mutants.mutant import Mutant
from tools.mutants.rooms import ROOMS, sample
from tools.mutants.trial import KILLED, LATE, SURVIVED, Copy, Outcome

ROOT = Path(__file__).parents[2]
EQUIVALENT, UNCLEAR = "equivalent", "unclear"
STATES = (KILLED, EQUIVALENT, SURVIVED, UNCLEAR)
WHOLE_RUN = ("-n", "2", "--dist", "worksteal")


def equivalent(root: Path) -> set[str]:
    """The keys that a person has put on the list."""
    lines = (root / "tools" / "mutants" / "equivalent.txt").read_text().splitlines()
    return {line.split()[0] for line in lines if line and not line.startswith("#")}


def outcome(copy: Copy, mutant: Mutant, tests: list[str], seconds: float, all: bool) -> Outcome:
    """What the tests that belong say, then, if it is asked, all of them.

    If they have not ended in time, either the mistake made them go on for ever or they are slow:
    the same tests without it tell. A test that fails without it as well, or
    with it once only, has noticed nothing.
    """
    said = copy.tried(mutant, tests, seconds) if tests else Outcome(SURVIVED)
    if said.state == LATE:
        late = copy.run(tests, seconds).state == LATE
        said = Outcome(UNCLEAR if late else KILLED, "the time that it took")
    if all and said.state in (SURVIVED, UNCLEAR):
        said = copy.tried(mutant, WHOLE_RUN, 30 * 60)
    if said.state == KILLED and "::" in said.by:
        if copy.run([said.by], seconds).state != SURVIVED:
            return Outcome(UNCLEAR, f"{said.by} fails without the mistake")
        if copy.tried(mutant, [said.by], seconds).state == SURVIVED:
            return Outcome(UNCLEAR, f"{said.by} failed once, and then not")
    return said


def tried(
    room: str, mutants: Iterable[Mutant], noted: Path, workers: int, seconds: float, all: bool
) -> dict[str, dict[str, Any]]:
    """The outcome of each by its key; those that are noted are not tried again."""
    done = {}
    if noted.exists():
        lines = [json.loads(line) for line in noted.read_text().splitlines()]
        done = {
            line["key"]: line for line in lines if line["all"] >= all or line["state"] == KILLED
        }
    known = equivalent(ROOT)
    left = [mutant for mutant in mutants if mutant.key not in done.keys() | known]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(workers) as pool:
        copies: SimpleQueue[Copy] = SimpleQueue()
        for number in range(workers):
            copies.put(Copy(ROOT, Path(folder, str(number))))

        def one(mutant: Mutant) -> None:
            copy = copies.get()
            try:
                tests = tests_of(mutant.path, ROOT, ROOMS[room].in_browser)
                said = outcome(copy, mutant, tests, seconds, all)
            finally:
                copies.put(copy)
            done[mutant.key] = {
                "key": mutant.key, "state": said.state, "by": said.by, "all": all, "tests": tests,
            }  # fmt: skip
            with noted.open("a") as notes:
                notes.write(json.dumps(done[mutant.key]) + "\n")
            print(f"{room} {said.state} {mutant.key} {mutant.path} {said.by}", flush=True)

        for _ in pool.map(one, left):
            pass
    return {
        mutant.key: {"state": EQUIVALENT} if mutant.key in known else done[mutant.key]
        for mutant in mutants
    }


def report(room: str, mutants: Iterable[Mutant], outcomes: Mapping[str, Mapping[str, Any]]) -> str:
    """How many of each state, and the diffs of those that nothing noticed."""
    found = [(mutant, outcomes[mutant.key]) for mutant in mutants]
    counts = ", ".join(
        f"{sum(said['state'] == state for _, said in found)} {state}" for state in STATES
    )
    parts = [f"{room}: {len(found)} sampled, {counts}"]
    for mutant, said in found:
        if said["state"] in (SURVIVED, UNCLEAR):
            ran = "all tests" if said["all"] else " ".join(said["tests"])
            parts.append(f"{said['state']} {mutant.key} {said['by']}\n{mutant.diff}\n({ran})")
    return "\n\n".join(parts)


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("--room", choices=["", *ROOMS], default="")
    asked.add_argument("--seed", type=int, default=0)
    asked.add_argument("--count", type=int, default=60)
    asked.add_argument("--workers", type=int, default=2)
    asked.add_argument("--seconds", type=float, default=90, help="for the tests of one mistake")
    asked.add_argument("--all", action="store_true")
    said = asked.parse_args()
    commit = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=ROOT, text=True)[:10]
    folder = ROOT / "build" / "mutants"
    folder.mkdir(parents=True, exist_ok=True)
    rooms = [said.room] if said.room else list(ROOMS)
    reports = []
    with tempfile.TemporaryDirectory() as clean:
        committed = Copy(ROOT, Path(clean, "committed")).folder
        for number, room in enumerate(rooms):
            count = (said.count + number) // len(rooms)
            mutants = sample(ROOMS[room], committed, said.seed, count)
            noted = folder / f"{commit}-{room}-{said.seed}.jsonl"
            outcomes = tried(room, mutants, noted, said.workers, said.seconds, said.all)
            reports.append(report(room, mutants, outcomes))
            file = folder / f"report-{commit}-{said.room or 'all'}-{said.seed}.txt"
            file.write_text("\n\n".join(reports) + "\n")
    print("", *reports, f"This is in {file.relative_to(ROOT)}.", sep="\n\n")


if __name__ == "__main__":
    main()
