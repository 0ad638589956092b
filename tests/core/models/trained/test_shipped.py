"""The trainings that ship: what is claimed of them, recomputed on the weights as they are stored.

Scores are recomputed here by loops over the weights of the program's own runs.
"""

import math
import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from core.models.head_places import place_text
from core.models.trained.measures import (
    INDUCTION,
    LINKED,
    NEXT,
    PREFIXES,
    PREVIOUS,
    Measures,
    commonest,
    examples_for,
    head_score,
    heads_of_kind,
    measured,
    switched_off,
)
from core.models.trained.shipped import (
    SHIPPED,
    shipped_training,
    snapshot_family,
    step_options,
    without_heads,
)
from core.models.trained.tasks import DATA, tasks
from core.models.trained.training_file import (
    TrainedModel,
    TrainingRun,
    read_training,
    training_bytes,
)
from core.pytorch.training import Examples, Weights, judged, train_model
from tests.sampling import DEEP, ROOT

LETTERS, UNMASKED, REPEATS, PERIOD, AGREEMENT = SHIPPED
SEEDS = (1, 2, 3)
BELOW_A_FIFTH = 0.2


@cache
def training(name: str, seed: int = 0) -> TrainedModel:
    """A training that ships; with another seed it is done anew, and stored as those are."""
    if not seed:
        return shipped_training(name)
    planned, shipped = SHIPPED[name], shipped_training(name)
    settings = replace(planned.settings, seed=seed)
    run = TrainingRun(tasks()[planned.task], settings, {settings.steps})
    while not run.is_over:
        run.advance()
    return read_training(training_bytes(run.model()), shipped.task)


def last(name: str, seed: int = 0) -> Weights:
    return training(name, seed).weights[SHIPPED[name].settings.steps]


def trained_loss(name: str, seed: int) -> float:
    return float(training(name, seed).losses[-50:].mean())


by_seed = pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.deep) for seed in SEEDS)]
)


def final(name: str, seed: int) -> Measures:
    return training(name, seed).measures[SHIPPED[name].settings.steps]


def score(name: str, kind: str, seed: int = 0) -> np.ndarray:
    """By layer and head."""
    return np.array(final(name, seed).scores[kind])


def rises(name: str, kind: str, seed: int = 0) -> tuple[float, list[float]]:
    """What the loss rises by without all heads of a kind, and without each of them."""
    found = final(name, seed)
    heads = map(place_text, heads_of_kind(found.scores[kind]))
    return found.without[kind] - found.loss, [found.without[head] - found.loss for head in heads]


@by_seed
def test_without_a_mask_the_loss_is_far_lower_and_nothing_is_learned(seed: int) -> None:
    assert trained_loss(UNMASKED, seed) < BELOW_A_FIFTH * trained_loss(LETTERS, seed)
    assert score(UNMASKED, NEXT, seed)[0].max() > 0.5
    assert score(LETTERS, NEXT, seed).max() == 0
    task = training(LETTERS).task
    share, error = commonest(task)
    for name in (LETTERS, UNMASKED):
        prefixes = final(name, seed).prefixes
        assert list(prefixes) == [*PREFIXES, task.context]
        for loss, right in (prefixes[length] for length in PREFIXES):
            if name == LETTERS:
                assert right > share + 10 * error
                assert loss < 2
            else:
                assert right <= share + 2 * error
                assert loss > math.log(len(task.words))


@by_seed
def test_heads_of_induction_form_where_a_piece_comes_twice(seed: int) -> None:
    assert final(REPEATS, seed).right >= 0.98
    assert score(REPEATS, INDUCTION, seed)[1].max() >= 0.8
    assert score(REPEATS, PREVIOUS, seed)[0].max() >= 0.45
    for kind in (INDUCTION, PREVIOUS):
        without_all, without_each = rises(REPEATS, kind, seed)
        assert without_all >= 2
        assert max(without_each) <= without_all + 1


def test_they_form_at_once_and_the_loss_falls_with_them() -> None:
    begin, before, after = (training(REPEATS).measures[step] for step in (0, 100, 200))
    assert begin.loss - before.loss < 0.5
    assert before.loss - after.loss > 2
    early, late = (np.max(one.scores[INDUCTION]) for one in (before, after))
    assert early < 0.2
    assert late > 0.6


@by_seed
def test_a_fixed_period_is_learned_without_a_head_of_the_token_before(seed: int) -> None:
    assert final(PERIOD, seed).right >= 0.98
    assert score(PERIOD, PREVIOUS, seed).max() <= 0.2


@by_seed
def test_a_verb_agrees_across_a_noun_of_the_other_number(seed: int) -> None:
    found = training(AGREEMENT, seed)
    own, examples = last(AGREEMENT, seed), examples_for(found.task, 500)
    verbs = examples.targets[:, -1]
    for verb in set(verbs.tolist()):
        rows = verbs == verb
        some = Examples(examples.tokens[rows], examples.targets[rows], examples.counted[rows])
        assert rows.sum() > 100
        assert judged(own, some, masked=True).right >= 0.95
    evenly = 1 / found.task.context
    assert score(AGREEMENT, LINKED, seed).max() >= (6 * evenly if not seed else 3 * evenly)


@pytest.mark.parametrize("name", SHIPPED)
def test_every_snapshot_is_a_run_whose_numbers_are_those_of_torch(name: str) -> None:
    found = training(name)
    family = snapshot_family(found)
    tokens = found.task.numbers(found.task.shown)[None]
    examples = Examples(tokens, np.roll(tokens, -1, 1), np.ones_like(tokens, bool))
    assert list(step_options(found).values()) == list(SHIPPED[name].kept)
    for option, step in step_options(found).items():
        weights = found.weights[step]
        trace = family.run(trained_at=option)
        assert trace.tokens == found.task.shown
        maps = judged(weights, examples, masked=found.settings.masked).weights
        for layer, own in enumerate(maps, 1):
            np.testing.assert_allclose(trace[f"weights_{layer}"], own[0], rtol=0, atol=1e-10)
        assert np.isfinite(trace["probs"]).all()


@pytest.mark.parametrize("name", SHIPPED)
def test_what_a_file_says_is_measured_on_its_weights(name: str) -> None:
    found = training(name)
    for step in found.weights if DEEP else [max(found.weights)]:
        said, own = found.measures[step], found.weights[step]
        now = measured(found.task, own, found.settings)
        assert said.loss == pytest.approx(now.loss, abs=1e-9)
        assert said.right == now.right
        assert said.without == pytest.approx(now.without, abs=1e-9)
        assert said.scores.keys() == now.scores.keys()
        for kind, scores in said.scores.items():
            np.testing.assert_allclose(scores, now.scores[kind], atol=1e-9)
        assert said.prefixes == {
            length: pytest.approx(each, abs=1e-9) for length, each in now.prefixes.items()
        }


@pytest.mark.parametrize("name", SHIPPED)
def test_a_model_whose_heads_are_off_is_the_one_that_was_judged(name: str) -> None:
    found = training(name)
    own, examples = last(name), examples_for(found.task)
    for kind, heads in switched_off(final(name, 0).scores).items():
        off = without_heads(own, heads, found.settings)
        loss = judged(off, examples, masked=found.settings.masked).loss
        assert loss == pytest.approx(final(name, 0).without[kind], abs=1e-9)
    (head, *_) = switched_off(final(name, 0).scores)
    trace = snapshot_family(found).run(trained_off=head)
    np.testing.assert_array_equal(trace["W_O_1"][: trace["W_V_1"].shape[2]], 0)


@pytest.mark.parametrize(
    ("name", "kind"),
    [(LETTERS, PREVIOUS), (UNMASKED, NEXT), (REPEATS, INDUCTION), (AGREEMENT, LINKED)],
)
def test_scores_are_means_that_a_loop_finds(name: str, kind: str) -> None:
    found = training(name)
    examples = examples_for(found.task, 5)
    maps = judged(last(name), examples, masked=found.settings.masked).weights
    for layer in maps:
        wanted = np.zeros(layer.shape[1])
        for head in range(layer.shape[1]):
            means = []
            for row, tokens in enumerate(examples.tokens):
                own = []
                for i in range(len(tokens)):
                    if kind == PREVIOUS and i > 0:
                        own.append(layer[row, head, i, i - 1])
                    if kind == NEXT and i + 1 < len(tokens):
                        own.append(layer[row, head, i, i + 1])
                    if kind == LINKED and examples.linked is not None:
                        query, key = examples.linked[row]
                        own += [layer[row, head, i, key]] * int(i == query)
                    if kind == INDUCTION and examples.counted[row, i]:
                        after = [j + 1 for j in range(i - 1) if tokens[j] == tokens[i]]
                        own += [sum(layer[row, head, i, j] for j in after)] if after else []
                means.append(sum(own) / len(own))
            wanted[head] = sum(means) / len(means)
        np.testing.assert_allclose(head_score(kind, layer, examples), wanted, atol=1e-12)


def test_what_ships_is_what_the_command_makes() -> None:
    """Its first steps, done again; how far rounding leads later depends on the machine."""
    for name, planned in SHIPPED.items():
        found = training(name)
        assert found.settings == planned.settings
        assert len(found.losses) == planned.settings.steps + 1
        assert found.seconds > 0
        assert found.date
        assert found.torch
        few = replace(planned.settings, steps=20 if DEEP else 3)
        losses = [moment.loss for moment in train_model(tasks()[planned.task], few)]
        np.testing.assert_allclose(losses, found.losses[: len(losses)], rtol=0, atol=1e-3)
    assert sum(path.stat().st_size for path in DATA.iterdir()) < 4_000_000


def test_the_lines_of_the_guide_run(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs/trained.md").read_text(), re.DOTALL)
    exec(compile(code, "trained.md", "exec"), {})
    *steps, without, line = capsys.readouterr().out.splitlines()
    assert [int(step.split()[0]) for step in steps] == list(SHIPPED[REPEATS].kept)
    assert float(without) >= 2
    assert re.fullmatch(r"[-\d.e /]+≈ [-\d.e]+", line)
