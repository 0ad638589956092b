"""A model or a recording that is written over while somebody looks at it."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.models import open_recording
from core.models.checkpoints.opening import open_checkpoint
from core.models.transformer.changes import UNCHANGED, ModelChanges
from core.models.transformer.model import TransformerModel
from tests.core.models.tiny_models import made_checkpoint
from tests.ui.models.conftest import IDS, PROMPT, ran, said, stage_weights, visited, written
from tests.ui.models.test_recordings import FILE, TOKENS, T, recorded, shows
from tests.ui.support import stages
from ui.models.in_memory import HOLDER

CHANGED = "The files of this model have changed since this run"
OTHER_FILE = "model.safetensors is no longer the file that was opened"


@pytest.fixture
def folder(tmp_path: Path, offered: Any) -> Path:
    """A folder that is offered, with a model."""
    written(tmp_path, "gpt2")
    offered(tmp_path)
    return tmp_path


def weights_of_file(folder: Path, layer: int, head: int) -> np.ndarray:
    model = TransformerModel(open_checkpoint(folder / "gpt2"))
    return [one.weights for one in model.run(IDS)][layer][head]


def test_old_maps_never_stand_next_to_numbers_of_another_file(folder: Path) -> None:
    page = visited(model="gpt2", model_text=PROMPT, model_place="1.2")
    before = weights_of_file(folder, 0, 1)
    np.testing.assert_allclose(stage_weights(page), before, atol=0.00501)
    assert CHANGED not in said(page)
    made_checkpoint("gpt2", folder / "gpt2", seed=1)
    page.run()
    assert CHANGED in said(page)
    np.testing.assert_allclose(stage_weights(page), before, atol=0.00501)
    HOLDER.drop()  # as another visitor's model does
    page.session_state.model_place = "2.1"
    assert OTHER_FILE in said(page.run())
    assert stages(page) == []
    ran(page.button(key="model_run").click().run())
    assert CHANGED not in said(page)
    assert OTHER_FILE not in said(page)
    np.testing.assert_allclose(stage_weights(page), weights_of_file(folder, 1, 0), atol=0.00501)


def test_a_change_after_the_file_changed_is_compared_with_a_run_of_that_file(folder: Path) -> None:
    page = visited(model="gpt2", model_text=PROMPT)
    made_checkpoint("gpt2", folder / "gpt2", seed=1)
    ran(page.segmented_control(key="model_scale").set_value("off").run())
    work = page.session_state.model_work
    model = TransformerModel(open_checkpoint(folder / "gpt2"))
    for run, changes in ((work.before, UNCHANGED), (work.after, ModelChanges(scale=False))):
        weights = [one.weights for one in model.run(IDS, changes)]
        np.testing.assert_array_equal(run.weights, np.stack(weights))


def test_a_recording_that_is_written_over_is_opened_again(tmp_path: Path, offered: Any) -> None:
    offered(tmp_path)
    recorded(tmp_path / FILE, (T, T, True), tokens=TOKENS[:T])
    page = visited(model=FILE)
    shows(page, open_recording(tmp_path / FILE), 0, 0)
    (tmp_path / FILE).rename(tmp_path / "before")
    recorded(tmp_path / FILE, (T, T, False), (T, T, True))
    page.run()
    assert "The file of this recording has changed, so it was opened again." in said(page)
    shows(page, open_recording(tmp_path / FILE), 0, 0)
    page.run()
    assert "opened again" not in said(page)
