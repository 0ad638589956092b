"""Published sizes of captured models: they are those of the captured runs, as far as these say."""

import pytest

from core.models.captures import CapturedRun, captured_heads, captured_runs, load_capture
from core.models.model_facts import MODEL_FACTS, ROTATION_BASES

RUNS = [run for run in captured_runs() if run.model in MODEL_FACTS]


def test_every_model_with_facts_is_a_captured_one() -> None:
    assert {run.model for run in RUNS} == {*MODEL_FACTS}


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.name)
def test_a_run_has_the_layers_heads_and_features_of_its_model(run: CapturedRun) -> None:
    model = MODEL_FACTS[run.model]
    assert (run.n_layers, run.n_heads) == (model.layers, model.heads)
    assert model.heads % model.kv_heads == 0
    assert model.heads * model.d_head == model.d_model
    assert len(run.tokens) <= model.context
    for head in run.heads:
        assert head.kv_head == head.head // model.sharing
        assert load_capture(head.name).K.shape[1] == model.d_head


def test_models_that_rotate_are_captured_ones() -> None:
    assert set(ROTATION_BASES) < {run.model for run, _ in captured_heads().values()}
