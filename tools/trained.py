"""Train the models that ship: make trained. With names, only these.

Each training of `SHIPPED` is done anew, and its file in `core/models/trained/data` written. It
prints what is measured on the weights.
"""

import sys

import numpy as np

from core.models.trained.shipped import SHIPPED
from core.models.trained.tasks import DATA, tasks
from core.models.trained.training_file import TrainedModel, TrainingRun, training_bytes


def make(name: str) -> TrainedModel:
    """Do a training, and write its file."""
    planned = SHIPPED[name]
    run = TrainingRun(tasks()[planned.task], planned.settings, planned.kept)
    while not run.is_over:
        run.advance()
    training = run.model()
    (DATA / f"{name}.safetensors").write_bytes(training_bytes(training))
    return training


def report(name: str, training: TrainedModel) -> None:
    """Print what a training came to, at each step that is kept."""
    print(f"{name}: {training.seconds:.0f} s")
    for step, found in training.measures.items():
        told = [f"step {step:4}: loss {found.loss:.3f}, right {found.right:.3f}"]
        told += [f"{score} {np.round(each, 2).tolist()}" for score, each in found.scores.items()]
        print("  " + ", ".join(told))
    for off, loss in found.without.items():
        print(f"  without {off}: loss {loss - found.loss:+.2f}")
    for length, (loss, right) in found.prefixes.items():
        print(f"  texts of {length} letters: loss {loss:.2f}, right {right:.2f}")


if __name__ == "__main__":
    for name in sys.argv[1:] or SHIPPED:
        report(name, make(name))
