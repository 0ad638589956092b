"""Small models are trained as their program says, and the loss counts what it should."""

import math
from dataclasses import replace

import numpy as np
import pytest

from core.attention.layers.language_model import model_program
from core.models.trained.shipped import trained_inputs
from core.models.trained.tasks import AGREEMENT, REPEATS, tasks
from core.pytorch.training import Examples, TrainingSettings, Weights, judged, train_model

TASK = tasks()[REPEATS]
FEW = replace(TASK.draw(np.random.default_rng(3), 3, True))


def begun(settings: TrainingSettings) -> Weights:
    return next(train_model(TASK, settings)).weights


def program_numbers(
    weights: Weights, settings: TrainingSettings, row: int
) -> dict[str, np.ndarray]:
    """What the program makes of a row of the examples."""
    mask = "causal" if settings.masked else "none"
    words = tuple(TASK.words[number] for number in FEW.tokens[row])
    exact = {name: array.astype(np.float64) for name, array in weights.items()}
    program = model_program(settings.layers, settings.heads, mask=mask)
    trace = program.run(trained_inputs(TASK, exact, words))
    return {name: trace[name] for name in ("logits", *_maps(settings))}


def _maps(settings: TrainingSettings) -> list[str]:
    return [f"weights_{layer}" for layer in range(1, settings.layers + 1)]


SEVERAL = [
    TrainingSettings(),
    TrainingSettings(masked=False, layers=1, heads=4, seed=5),
    TrainingSettings(layers=3, heads=1, d_model=8, seed=2),
]


@pytest.mark.parametrize("settings", SEVERAL)
def test_what_is_trained_is_what_the_program_computes(settings: TrainingSettings) -> None:
    weights = begun(settings)
    found = judged(weights, FEW, masked=settings.masked)
    losses, right = [], []
    for row in range(len(FEW.tokens)):
        made = program_numbers(weights, settings, row)
        for layer, name in zip(found.weights, _maps(settings), strict=True):
            np.testing.assert_allclose(layer[row], made[name], rtol=0, atol=1e-10)
        for at in np.flatnonzero(FEW.counted[row]):
            logits, target = made["logits"][at], FEW.targets[row, at]
            losses.append(math.log(sum(math.exp(one - logits[target]) for one in logits)))
            right.append(int(max(range(len(logits)), key=logits.__getitem__)) == target)
    assert found.loss == pytest.approx(sum(losses) / len(losses), abs=1e-9)
    assert found.right == pytest.approx(sum(right) / len(right))


def test_a_head_that_is_off_gives_nothing() -> None:
    settings = SEVERAL[0]
    weights = dict(begun(settings))
    off = judged(weights, FEW, masked=True, off=[(1, 1)])
    d_k = settings.d_model // settings.heads
    joining = weights["W_O_2"].copy()
    joining[d_k:] = 0  # what joins its rows
    without = judged({**weights, "W_O_2": joining}, FEW, masked=True)
    assert off.loss == pytest.approx(without.loss, abs=1e-12)
    assert abs(off.loss - judged(weights, FEW, masked=True).loss) > 1e-4


def test_places_that_do_not_count_do_not_count() -> None:
    weights = begun(SEVERAL[0])
    other = np.where(FEW.counted, FEW.targets, (FEW.targets + 1) % len(TASK.words))
    same = Examples(FEW.tokens, other, FEW.counted)
    assert judged(weights, same, masked=True).loss == judged(weights, FEW, masked=True).loss
    more = Examples(FEW.tokens, FEW.targets, ~FEW.counted)
    assert judged(weights, more, masked=True).loss != judged(weights, FEW, masked=True).loss


def test_training_begins_at_a_guess_and_its_loss_falls() -> None:
    task = tasks()[AGREEMENT]
    settings = TrainingSettings(steps=40)
    moments = list(train_model(task, settings))
    assert [moment.step for moment in moments] == list(range(41))
    assert moments[0].loss == pytest.approx(math.log(len(task.words)), abs=0.6)
    assert moments[-1].loss < 0.65 * moments[0].loss


def test_the_same_seed_trains_the_same_and_another_another() -> None:
    task = tasks()[AGREEMENT]
    first, again, other = (
        [one.loss for one in train_model(task, TrainingSettings(steps=5, seed=seed))]
        for seed in (3, 3, 4)
    )
    assert first == again
    assert np.abs(np.array(first) - other).max() > 0.01
