"""The script of a training runs by itself, and its losses are those of the training."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from core.models.trained.own_training import requested_task
from core.models.trained.tasks import AGREEMENT, LETTERS, PERIOD, REPEATS
from core.models.trained.training_file import TrainingRun
from core.models.trained.training_script import training_notebook, training_script
from core.pytorch.training import TrainingSettings

SETTINGS = TrainingSettings(False, layers=1, heads=4, d_model=16, steps=2, seed=4)
TEXT = "quotes \" ' and \\ slashes <task> {x} é 🙂 " * 20


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (LETTERS, TEXT), (AGREEMENT, ""),
        *(pytest.param(name, "", marks=pytest.mark.deep) for name in (LETTERS, REPEATS, PERIOD)),
    ],
)  # fmt: skip
def test_it_trains_the_same_by_itself(name: str, text: str, tmp_path: Path) -> None:
    run = TrainingRun(requested_task(name, text), SETTINGS, (0,))
    while not run.is_over:
        run.advance()
    script = training_script(run.model(), text).replace("% 25", "% 1")
    assert not re.search(r"^(import|from) (core|stage|ui)\b", script, re.MULTILINE)
    cells = json.loads(training_notebook(run.model(), text))["cells"]
    code = "\n\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    assert code.strip() in training_script(run.model(), text)
    (tmp_path / "train.py").write_text(script, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-I", "train.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    losses = [float(loss) for loss in re.findall(r"loss ([\d.]+)", done.stdout)]
    assert losses == pytest.approx(run.losses, abs=1e-5)
