"""Tiny models that visitors run: each has a tokeniser, and is offered as a folder."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.models.checkpoints.opening import open_checkpoint
from core.models.offers import Offer
from tests.core.models.tiny_models import WORDS, made_checkpoint, made_tokeniser
from tests.ui.classroom.support import shown
from tests.ui.queued import watch_until
from tests.ui.support import opened, stage
from ui.models import in_memory, offered_models, work

said = shown
PROMPT, IDS = "the cat sat on the mat", [1, 2, 3, 4, 1, 5]


def written(folder: Path, kind: str, name: str = "", hidden: str = WORDS[0]) -> Path:
    """A tiny model of a kind, in a folder of its own."""
    place = folder / (name or kind)
    place.mkdir()
    made_checkpoint(kind, place)
    made_tokeniser(place, hidden)
    return place


def tiny_offer(folder: Path, kind: str) -> Offer:
    place = written(folder, kind)
    return Offer(kind, f"tiny {kind}", "model", lambda: open_checkpoint(place))


@pytest.fixture
def gpt2(tmp_path: Path) -> Offer:
    return tiny_offer(tmp_path, "gpt2")


@pytest.fixture
def llama(tmp_path: Path) -> Offer:
    return tiny_offer(tmp_path, "llama")


@pytest.fixture(autouse=True)
def nothing_held() -> Iterator[None]:
    yield
    for run in list(in_memory.KEPT_RUNS._looked_at):
        in_memory.KEPT_RUNS.forget(run)
        run.release()
    in_memory.HOLDER.drop()
    work._SMALL_RUNS.clear()
    in_memory.HOLDER._open.clear()  # another test has another model of this name


def ended(one: work.ModelWork) -> work.ModelWork:
    """The run once it is over; somebody looks at it until then."""
    watch_until(one.work, lambda: one.work.over)
    return one


KINDS = {name: name for name in ("bert", "distilbert", "gpt2", "llama", "roberta")}
KINDS |= {"vectors": "bert, without a head"}
"""Names in links, and the kinds of tiny models below them."""
MASKS = {"bert": "[MASK]", "distilbert": "[MASK]", "roberta": "<mask>"}
"""How a hidden token is written."""


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a model of each kind."""
    folder = tmp_path_factory.mktemp("models")
    for name, kind in KINDS.items():
        written(folder, kind, name, MASKS.get(name, WORDS[0]))
    return folder


@pytest.fixture
def offered(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """`offered(folder)`: what is in it is all that the server offers; None: nothing."""
    monkeypatch.delenv(offered_models.HUB, raising=False)
    monkeypatch.setattr(offered_models, "MODEL_PACKAGES", {})

    def offer(folder: Path | None) -> None:
        monkeypatch.setenv(offered_models.FOLDERS, str(folder or ""))
        offered_models._offers.clear()

    yield offer
    offered_models._offers.clear()


@pytest.fixture
def models(offered: Any, model_folder: Path) -> None:
    """The models of `KINDS` are offered."""
    offered(model_folder)


def ran(page: AppTest) -> AppTest:
    """The page once its run is over, as its heartbeat draws it then."""
    assert not page.exception
    for _ in range(10):
        work = page.session_state.model_work if "model_work" in page.session_state else None
        if work is None or page.session_state.model_redrawn:
            return page
        ended(work)
        page.run()
        assert not page.exception
    raise AssertionError("one run after another")


def visited(**link: str) -> AppTest:
    """The page of models opened by a link, once its run is over."""
    return ran(opened("models", **link))


def stage_weights(page: AppTest) -> np.ndarray:
    """Those on the stage; what the mask removed is 0."""
    texts = stage(page).texts("weights")
    return np.array([[float(t.replace("−", "-") or 0) for t in row] for row in texts.tolist()])
