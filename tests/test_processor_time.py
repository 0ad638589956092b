"""What a run says of its processor time is what the kernel says."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sampling import ROOT, some

LEFT_BEHIND = 2.5
"""Seconds: more than the rest of such a run takes."""
LEAVES = f"""
import subprocess, sys

def test_that_leaves_a_process_behind_and_waits_until_it_has_ended():
    busy = "import time\\nwhile time.process_time() < {LEFT_BEHIND}: pass"
    subprocess.run(["sh", "-c", '"$0" -ISc "$1" &', sys.executable, busy], stdout=subprocess.PIPE)
"""


@pytest.mark.parametrize("workers", some(["0", "1"], 2, 1))
def test_a_run_says_what_it_and_all_that_it_started_took(tmp_path: Path, workers: str) -> None:
    (tmp_path / "test_leaves.py").write_text(LEAVES)
    command = [sys.executable, "-m", "pytest", "-p", "tests.processor_time", "-n", workers, "."]
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as run:  # fmt: skip
        assert run.stdout
        written = run.stdout.read()
        _, run.returncode, spent = os.wait4(run.pid, 0)
    assert run.returncode == 0, written
    (said,) = re.findall(r"^([\d.]+) s of processor time \(([\d.]+) minutes\)$", written, re.M)
    seconds, minutes = map(float, said)
    assert minutes == pytest.approx(seconds / 60, abs=0.06)
    assert LEFT_BEHIND < seconds < spent.ru_utime + spent.ru_stime + 0.1
    assert seconds > 0.8 * (spent.ru_utime + spent.ru_stime)
