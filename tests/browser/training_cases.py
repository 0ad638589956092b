"""Trainings for the curve, as its tests and their app draw them: each map shows where it is."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ui.components.training_curve import ShownTraining

STEPS = (0, 10, 20, 50, 100)
TOKENS = tuple("abcdefg")


def read_column(kept: int, layer: int, head: int, number: int = 0) -> int:
    """The only key that all queries of a map read."""
    return (kept + 2 * layer + 3 * head + number) % len(TOKENS)


def training(number: int, heads: int, name: str = "") -> ShownTraining:
    """A training of two layers whose heads all have names from the third kept step on."""
    weights = np.zeros((len(STEPS), 2, heads, len(TOKENS), len(TOKENS)))
    for kept, layer, head in np.ndindex(weights.shape[:3]):
        weights[kept, layer, head, :, read_column(kept, layer, head, number)] = 1
    named = [
        [[("previous token", 10 * kept + head) if kept > 1 else None for head in range(heads)]] * 2
        for kept in range(len(STEPS))
    ]
    losses = np.geomspace(3.5, 1.5 - number, STEPS[-1] + 1)
    said = tuple(f"loss {losses[step]:.2f}" for step in STEPS)
    return ShownTraining(name, losses, said, weights, named, causal=False)


def cases() -> Mapping[str, Mapping[str, Any]]:
    """What `training_curve` is given, by the name of the case."""
    two = [training(0, 4, "with the mask"), training(1, 4, "without the mask")]
    return {
        "one": {"trainings": [training(0, 2)], "off": [(1, 0)]},
        "two": {"trainings": two, "off": []},
    }
