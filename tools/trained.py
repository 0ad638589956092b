"""Train the models that ship: make trained. With names, only these.

Each training of `SHIPPED` is done anew, and a file of `core/models/trained/data` takes the loss of
every step and the weights at the steps that are kept. It prints what is measured on them.
"""

import json
import sys
from dataclasses import asdict
from datetime import date
from time import monotonic

import numpy as np
import torch
from safetensors.numpy import save_file

from core.models.trained.measures import heads_of_kind, loss_without, measured
from core.models.trained.shipped import FORMAT, SHIPPED, TrainedModel, shipped_training
from core.models.trained.tasks import DATA, tasks
from core.pytorch.training import train_model


def make(name: str) -> None:
    """Do a training, and write its file."""
    planned = SHIPPED[name]
    began, losses, arrays = monotonic(), [], {}
    for moment in train_model(tasks()[planned.task], planned.settings, planned.kept):
        losses.append(moment.loss)
        for array, numbers in (moment.weights or {}).items():
            arrays[f"{moment.step}.{array}"] = numbers.astype(np.float16)
    arrays["losses"] = np.array(losses, np.float32)
    said = {
        "format": FORMAT,
        "settings": json.dumps(asdict(planned.settings)),
        "seconds": f"{monotonic() - began:.1f}",
        "date": date.today().isoformat(),
        "torch": torch.__version__,
    }
    save_file(arrays, DATA / f"{name}.safetensors", said)


def report(name: str, training: TrainedModel) -> None:
    """Print what a training came to, at each step that is kept."""
    print(f"{name}: {training.seconds:.0f} s")
    for step, weights in training.weights.items():
        loss, right, scores = measured(training.task, weights, training.settings)
        told = [f"step {step:4}: loss {loss:.3f}, right {right:.3f}"]
        told += [f"{score} {np.round(found, 2).tolist()}" for score, found in scores.items()]
        print("  " + ", ".join(told))
    for score, found in scores.items():
        kind = heads_of_kind(found)
        for off in [*([head] for head in kind), kind]:
            without = loss_without(training.task, weights, training.settings, off)
            print(f"  without {off} of {score}: loss {without - loss:+.2f}")


if __name__ == "__main__":
    for name in sys.argv[1:] or SHIPPED:
        make(name)
        report(name, shipped_training(name))
