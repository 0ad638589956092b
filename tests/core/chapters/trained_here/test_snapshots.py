"""What a page shows of a training is what its measures and its runs have."""

import numpy as np
import pytest
import torch

from core.chapters.trained_here import snapshots
from core.models.trained.shipped import SHIPPED, shipped_training, snapshot_family
from core.models.trained.training_file import TrainedModel
from core.pytorch.training import Examples, predictions

EXPECTED = {
    "letters": ("previous_token", 1),
    "letters-unmasked": ("next_token", 0),
    "repeats": ("induction", 1),
    "period": ("induction", 1),
    "agreement": ("linked_words", 1),
}


@pytest.mark.parametrize("name", SHIPPED)
def test_a_page_opens_at_a_large_weight_of_the_tasks_own_kind(name: str) -> None:
    training = shipped_training(name)
    kind, layer = EXPECTED[name]
    assert snapshots.main_score(training) == kind
    array, (head, row, key) = snapshots.opening_weight(training)
    assert (array, head) == (f"weights_{layer + 1}", 0)
    trace, shown = snapshot_family(training).run(), training.task.shown
    assert trace[array][head, row, key] > 0.4
    if kind == "induction":
        earlier = max(at for at in range(row) if shown[at] == shown[row])
        assert key == earlier + 1
    else:
        here = {"previous_token": row - 1, "next_token": row + 1, "linked_words": 3}[kind]
        assert key == here
    assert row >= len(shown) // 2


@pytest.mark.parametrize("name", SHIPPED)
def test_the_weights_shown_are_those_of_every_step_that_is_kept(name: str) -> None:
    training = shipped_training(name)
    weights = snapshots.shown_weights(training)
    assert len(weights) == len(training.weights)
    np.testing.assert_array_equal(
        weights[0, 1], snapshot_family(training).run(trained_at="0")["weights_2"]
    )


def test_a_head_forms_where_its_measure_rises_most() -> None:
    training = shipped_training("repeats")
    before, after = snapshots.forming(training)
    assert (before, after) in [(150, 175), (175, 200)]
    has = [max(map(max, training.measures[at].scores["induction"])) for at in (before, after)]
    assert has[1] - has[0] > 0.2
    last = training.measures[800]
    assert {kind for kind, _ in snapshots.named_heads(last).values()} == {
        "induction", "previous_token",
    }  # fmt: skip
    assert snapshots.named_heads(training.measures[0]) == {}


def test_a_model_writes_its_likeliest_token_and_only_tokens_that_it_knows() -> None:
    training = shipped_training("period")
    once = training.task.shown[:10]
    found = snapshots.tokens_written(training, 300, (*once, once[0]))
    again = [once[at % 10] for at in range(1, 1 + snapshots.WRITTEN)]
    assert list(found) == again


def written_by_torch(model: TrainedModel, step: int, prompt: str) -> str:
    """The likeliest letter, again and again; the model reads the last letters only."""
    words, context = list(prompt), model.task.context
    tensors = {name: torch.tensor(array) for name, array in model.weights[step].items()}
    for _ in range(24):
        tokens = model.task.numbers(tuple(words[-context:]))[None]
        examples = Examples(tokens, tokens, np.ones_like(tokens, bool))
        logits, _ = predictions(tensors, examples, masked=model.settings.masked)
        words.append(model.task.words[int(logits[0, -1].argmax())])
    return "".join(words[len(prompt) :])


@pytest.mark.parametrize("name", ["letters", "letters-unmasked"])
def test_what_a_model_writes_is_what_torch_finds_likeliest(name: str) -> None:
    training, prompt = shipped_training(name), "the weights "
    for step in (200, 600):
        found = "".join(snapshots.tokens_written(training, step, tuple(prompt)))
        assert found == written_by_torch(training, step, prompt)


def test_a_page_opens_at_no_row_of_few_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    training = shipped_training("letters")
    weights = np.array(snapshots.shown_weights(training))
    weights[-1, :, :, 1, 0] = 1.0
    monkeypatch.setattr(snapshots, "shown_weights", lambda _: weights)
    _, (_, row, _) = snapshots.opening_weight(training)
    assert row >= len(training.task.shown) // 2
