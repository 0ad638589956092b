"""A training in a process of its own answers line by line, and keeps what it has."""

import io
import json

import numpy as np
import pytest

from core.models.trained import training_worker
from core.models.trained.measures import measured
from core.models.trained.tasks import AGREEMENT, tasks
from core.models.trained.training_file import TrainingRun, read_training, steps_kept
from core.models.trained.training_worker import GO, STOP, answer_line
from core.pytorch.training import TrainingSettings

SETTINGS = TrainingSettings(steps=60, d_model=16)


def test_each_line_is_answered_by_the_next_losses_and_what_is_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(training_worker, "PART", 60.0)  # there is time for many steps
    run = TrainingRun(tasks()[AGREEMENT], SETTINGS, steps_kept(SETTINGS.steps))
    losses: list[float] = []
    goes_on = True
    while goes_on:
        output = io.BytesIO()
        goes_on = answer_line(run, GO, output)
        line, file = output.getvalue().split(b"\n", 1)
        said = json.loads(line)
        assert len(file) == said["bytes"]
        if not losses:
            assert len(said["losses"]) == 1  # the first is shown at once
        losses += said["losses"]
    model = read_training(file, run.task)
    np.testing.assert_allclose(model.losses, losses, atol=1e-6)
    assert tuple(model.weights) == steps_kept(SETTINGS.steps)
    assert model.settings == SETTINGS
    for step, weights in model.weights.items():  # of the weights as they are stored
        again = measured(model.task, weights, SETTINGS).loss
        assert model.measures[step].loss == pytest.approx(again, abs=1e-12)


def test_stop_keeps_the_weights_of_the_last_step() -> None:
    run = TrainingRun(tasks()[AGREEMENT], SETTINGS, ())
    assert answer_line(run, GO, io.BytesIO())
    output = io.BytesIO()
    assert not answer_line(run, STOP, output)
    model = read_training(output.getvalue().split(b"\n", 1)[1], run.task)
    assert tuple(model.weights) == (len(model.losses) - 1,)
    nothing = TrainingRun(tasks()[AGREEMENT], SETTINGS, ())
    output = io.BytesIO()
    assert not answer_line(nothing, STOP, output)
    assert json.loads(output.getvalue()) == {"losses": [], "bytes": 0}
