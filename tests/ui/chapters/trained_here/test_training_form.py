"""What a visitor asks for is trained and shown; what cannot be is said, and nothing is lost."""

import pytest
from streamlit.testing.v1 import AppTest

from core.models.trained.shipped import shipped_training
from core.models.trained.tasks import AGREEMENT
from tests.ui.queued import watch_until
from tests.ui.support import opened
from ui.chapters.trained_here import own_training
from ui.chapters.trained_here.own_training import DONE, OwnTraining
from ui.chapters.trained_here.trained_model import TEXTS
from ui.chapters.trained_here.training_form import TRAINING_KEYS
from ui.server.queue import Queue

ASKED = {
    "trained_what": AGREEMENT, "trained_steps": "50", "trained_own_heads": "4",
    "trained_layers": "1", "trained_width": "16", "trained_masked": "no", "trained_seed": "9",
}  # fmt: skip


@pytest.fixture(autouse=True)
def own_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_training, "TRAININGS", Queue())


def own(**asked: str) -> AppTest:
    return opened("trained_here", trained_task="own", **asked)


def test_what_a_link_asks_for_is_trained_and_shown() -> None:
    assert ASKED.keys() == TRAINING_KEYS.keys()
    page = own(**ASKED)
    assert str(TEXTS("not_trained")) in [text.value for text in page.markdown]
    page.button(key="trained_train").click().run()
    training = page.session_state.trained_own
    assert isinstance(training, OwnTraining)
    settings = training.settings
    assert (settings.masked, settings.layers, settings.heads) == (False, 1, 4)
    assert (settings.d_model, settings.steps, settings.seed) == (16, 50, 9)
    assert training.work is not None
    watch_until(training.work, lambda: training.ended)
    assert training.ended == DONE
    page.run()
    assert not page.exception
    said = " ".join(text.value for text in page.markdown)
    assert "the model at step 50 has a loss of" in said
    assert page.session_state.trained_at == "last"
    page.number_input(key="trained_seed").set_value(10).run()
    assert "trained_own" not in page.session_state
    assert not page.exception


@pytest.mark.parametrize(
    ("text", "says"),
    [("short", "5 characters"), ("a" * 900, "only one letter"), ("ab" * 75_000, "150,000")],
)
def test_a_text_that_cannot_be_learned_from_stays_and_is_said(text: str, says: str) -> None:
    page = own()
    page.text_area(key="trained_text").set_value(text).run()
    page.button(key="trained_train").click().run()
    assert not page.exception
    assert says in " ".join(warning.value for warning in page.warning).replace("\\", "")
    assert page.text_area(key="trained_text").value == text
    assert "trained_own" not in page.session_state


def test_a_step_that_a_training_has_not_is_its_last() -> None:
    page = opened("trained_here", trained_at="33", trained_off="2.4")
    assert not page.exception
    assert page.session_state.trained_at == "last"
    assert page.session_state.trained_off == "none"
    assert max(shipped_training("repeats").weights) == 800
