"""A whole run of a model: every layer again from what is kept, and what the model predicts."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.models.checkpoints.tokeniser import Encoded
from core.models.transformer import prompt_run
from core.models.transformer.changes import UNCHANGED, ModelChanges
from core.models.transformer.model import TransformerModel
from core.models.transformer.prompt_run import Prediction, PromptRun, leading_tokens, run_prompt
from tests.core.models.support import opened_model
from tests.core.models.tiny_models import IDS, MODELS, WORDS, library_run, made_tokeniser, near
from tests.core.support import refuses
from tests.sampling import some

OFF = ModelChanges(heads_off=frozenset({(0, 1)}), scale=False)


def whole(
    model: TransformerModel, ids: list[int], changes: ModelChanges = UNCHANGED
) -> tuple[list[int], PromptRun]:
    """What a run says while it goes on, and the run."""
    words = [WORDS[id] for id in ids]
    running, said = run_prompt(model, Encoded(ids, words, words), changes), []
    while True:
        try:
            said.append(next(running))
        except StopIteration as ended:
            return said, ended.value


def opened(folder: Path, name: str, dtype: str = "float64") -> tuple[TransformerModel, Any]:
    made_tokeniser(folder)
    return opened_model(name, folder, dtype)


@pytest.mark.parametrize("name", some(list(MODELS), 3))
def test_every_layer_is_computed_again_as_it_was(tmp_path: Path, name: str) -> None:
    model, theirs = opened(tmp_path, name)
    said, run = whole(model, IDS)
    assert said == [1, 2]
    near(run.weights, library_run(theirs, IDS).weights)
    for layer, made in enumerate(model.run(IDS)):
        again = run.layer(model, layer)
        for array in ("X", "Q", "K", "V", "weights", "context", "output"):
            np.testing.assert_array_equal(getattr(again, array), getattr(made, array))


def test_a_layer_of_a_changed_run_has_the_changes(tmp_path: Path) -> None:
    model, _ = opened(tmp_path, "llama")
    _, run = whole(model, IDS, OFF)
    for layer, made in enumerate(model.run(IDS, OFF)):
        np.testing.assert_array_equal(run.layer(model, layer).output, made.output)
    assert not run.layer(model, 0).context[1].any()


@pytest.mark.parametrize(
    ("name", "ids", "position"),
    [
        *((name, IDS, len(IDS) - 1) for name in ("gpt2", "llama", "mistral", "qwen2")),
        ("bert", [1, 2, 0, 4, 0], 2),
    ],
)
def test_what_follows_the_last_token_or_stands_at_the_first_masked_one_is_predicted(
    tmp_path: Path, name: str, ids: list[int], position: int
) -> None:
    model, made = opened(tmp_path, name)
    _, run = whole(model, ids)
    theirs = library_run(made, ids).probabilities
    assert run.prediction is not None
    assert theirs is not None
    assert run.prediction.position == position
    near(run.prediction.probabilities, theirs[position])


def test_nothing_is_predicted_without_a_masked_token_or_a_head(tmp_path: Path) -> None:
    for name, ids in (("bert", [1, 2, 3]), ("bert, without a head", [1, 0])):
        model, _ = opened(tmp_path, name)
        assert whole(model, ids)[1].prediction is None


def test_too_large_a_run_is_refused_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model, _ = opened(tmp_path, "gpt2", "float32")
    taken = 4 * (2 * 7 * 15 + 2 * 3 * 7 * 7)  # rows and weights of 2 layers, in bytes
    monkeypatch.setattr(prompt_run, "MOST_RUN_BYTES", taken)
    whole(model, IDS)
    monkeypatch.setattr(prompt_run, "MOST_RUN_BYTES", taken - 1)
    fresh, _ = opened(tmp_path, "gpt2")
    refuses(r"7 tokens.*shorten", whole, fresh, IDS)
    assert not fresh._parts


def test_the_leading_tokens_are_those_of_the_first_prediction_and_then_new_ones() -> None:
    first = Prediction(0, np.linspace(0, 1, 12))
    second = Prediction(0, np.linspace(1, 0, 12))
    assert leading_tokens(first) == [11, 10, 9, 8, 7, 6, 5, 4]
    assert leading_tokens(first, second) == [11, 10, 9, 8, 7, 6, 5, 4, 0, 1, 2, 3]
