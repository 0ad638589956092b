"""One model in memory: another takes its place, its files may change, it goes when nobody looks."""

import gc
import os
import subprocess
import threading
from pathlib import Path
from typing import Any
from weakref import ref

import numpy as np
import pytest

from core.errors import InputError
from core.models import memory, open_recording
from core.models.checkpoints.opening import open_checkpoint
from core.models.offers import Offer
from core.models.transformer.changes import UNCHANGED, ModelChanges
from core.models.transformer.model import TransformerModel
from tests.core.models.tiny_models import made_checkpoint
from tests.quotes import proves
from tests.ui.models.conftest import IDS, PROMPT, ran, said, stage_weights, visited, written
from tests.ui.models.test_recordings import FILE, TOKENS, T, recorded, shows
from tests.ui.queued import PATIENCE
from tests.ui.support import stages
from ui.models.in_memory import HOLDER, ModelHolder


@proves("One model is in memory at a time")
def test_another_model_takes_the_place_of_the_one_before(gpt2: Offer, llama: Offer) -> None:
    holder = ModelHolder()
    first = holder.borrow(gpt2)
    list(first.run([1, 2]))
    assert holder.borrow(gpt2) is first
    gone = ref(first)
    del first
    second = holder.borrow(llama)
    gc.collect()
    assert gone() is None
    assert holder.held == "llama"
    assert second.checkpoint.settings.kind == "llama"
    holder.drop()
    assert holder.held == ""


@proves("It is removed {idle} after the last visitor leaves")
def test_it_goes_when_nobody_looks_any_more(gpt2: Offer) -> None:
    now = 0.0
    holder = ModelHolder(lambda: now, idle=10.0)
    gone = ref(holder.borrow(gpt2))

    def passes(time: float) -> None:
        nonlocal now
        with holder._changed:
            now += time
            holder._changed.notify_all()

    for _ in range(3):
        passes(9)
        holder.touch("gpt2")
    passes(9)
    holder.touch("llama")
    assert holder.held == "gpt2"
    passes(2)
    with holder._changed:
        assert holder._changed.wait_for(lambda: holder.held == "", PATIENCE)
    gc.collect()
    assert gone() is None


def test_no_thread_is_left_of_a_model_that_went(gpt2: Offer, llama: Offer) -> None:
    before = set(threading.enumerate())
    holder = ModelHolder(idle=PATIENCE)
    for offer in (gpt2, llama, gpt2):
        holder.borrow(offer)
    holder.drop()
    for thread in {*threading.enumerate()} - before:
        thread.join(PATIENCE)
        assert not thread.is_alive()


def test_a_checkpoint_is_open_once_for_all_who_need_it(gpt2: Offer) -> None:
    holder = ModelHolder()
    kept = holder.borrow(gpt2).checkpoint
    holder.drop()
    reader = holder.reader(kept)
    assert reader is not holder.reader(kept), "no model is held"
    held = holder.borrow(gpt2)
    assert held.checkpoint is kept
    assert holder.reader(kept) is held


def test_a_run_that_was_left_in_its_middle_keeps_no_numbers(gpt2: Offer, llama: Offer) -> None:
    holder = ModelHolder()
    model = holder.borrow(gpt2)
    whole = [made.output for made in model.run([1, 2, 3])]
    run = model.run([1, 2, 3])
    first = next(run)
    holder.borrow(llama)
    assert not model._parts
    assert holder.borrow(gpt2) is model, "a second one would have the numbers twice"
    np.testing.assert_array_equal([first.output, next(run).output], whole)


def test_a_model_whose_file_was_written_over_is_opened_anew(gpt2: Offer, tmp_path: Path) -> None:
    holder = ModelHolder()
    kept = holder.borrow(gpt2)
    before = next(kept.run([1]))
    made_checkpoint("gpt2", tmp_path / "gpt2", seed=1)
    other = holder.borrow(gpt2)
    assert other.checkpoint is not kept.checkpoint
    assert not np.array_equal(next(other.run([1])).rows, before.rows)
    with pytest.raises(InputError, match="no longer the file that was opened"):
        holder.reader(kept.checkpoint).part("E_tokens")
    assert holder.borrow(gpt2) is other


def test_a_run_that_goes_on_and_a_single_layer_need_room_too(
    gpt2: Offer, llama: Offer, monkeypatch: pytest.MonkeyPatch
) -> None:
    holder = ModelHolder()
    model = holder.borrow(gpt2)
    run = model.run([1, 2, 3])
    next(run)
    layer = sum(part.nbytes for name, part in model._parts.items() if name.startswith("0."))
    holder.borrow(llama)
    monkeypatch.setattr(memory, "free_memory", lambda: layer / memory.SHARE_OF_FREE_MEMORY)
    assert holder.reader(model.checkpoint).settings == model.settings
    with pytest.raises(InputError, match=r"needs .* of memory"):
        holder.borrow(gpt2)
    assert holder.held == ""
    monkeypatch.setattr(memory, "free_memory", lambda: layer / memory.SHARE_OF_FREE_MEMORY - 2)
    with pytest.raises(InputError, match=r"needs .* of memory"):
        holder.reader(model.checkpoint)


def resident() -> int:
    """Bytes of this process in memory: by Linux's own file, elsewhere by the command ps."""
    if (file := Path("/proc/self/statm")).exists():
        return os.sysconf("SC_PAGE_SIZE") * int(file.read_text().split()[1])
    asked = ["ps", "-o", "rss=", "-p", str(os.getpid())]
    return 1024 * int(subprocess.run(asked, capture_output=True, check=True).stdout)


class LargeModel:
    """What a holder needs of a model, with 200 MB."""

    def __init__(self, checkpoint: object) -> None:
        self.checkpoint, self.byte_count = checkpoint, 200_000_000
        self.parts = [np.ones(25_000) for _ in range(1_000)]

    def forget_parts(self) -> None:
        self.parts.clear()


def test_a_dropped_model_gives_memory_back(gpt2: Offer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ui.models.in_memory.TransformerModel", LargeModel)
    holder = ModelHolder()
    before = resident()
    holder.borrow(gpt2)
    assert resident() - before > 190_000_000
    holder.drop()
    assert resident() - before < 20_000_000


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
