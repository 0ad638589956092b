"""What the page of models shows before a run, during the next one, and if that one fails."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.quotes import proves
from tests.ui.models.conftest import MASKS, PROMPT, ran, said, visited
from tests.ui.queued import held_up
from tests.ui.support import stage
from ui.models import in_memory, running, work

COMES = "After the run, you see here:"
STILL = f"You still see the run of “{PROMPT}”."
pytestmark = pytest.mark.usefixtures("models")


def shown(page: AppTest) -> list[str]:
    """What is predicted, and the weights on the stage."""
    (notice,) = [one.value for one in page.markdown if "most probable" in one.value]
    return [notice, *map(str, stage(page).texts("weights").tolist())]


def test_nothing_is_run_until_somebody_asks_and_what_comes_is_said() -> None:
    page = visited().run()
    assert COMES in said(page)
    assert "model_work" not in page.session_state
    ran(page.button(key="model_run").click().run())
    assert "bert: 2 layers" in said(page)
    assert COMES not in said(page)
    assert "gpt2: 2 layers" in said(ran(visited().selectbox(key="model").select("gpt2").run()))
    refused = visited(model="gpt2", model_text="the " * 12)
    assert len(refused.error) == 1
    assert COMES in said(refused)


REFUSED = {
    "": "The prompt has 0 tokens; a run has 1 to 11: change the prompt",
    "the " * 12: "The prompt has 12 tokens; a run has 1 to 11: change the prompt",
    "a " * 5_000: "The prompt has 5000 tokens; a run has 1 to 11: change the prompt",
    "a" * 20_000: "characters",
}


@pytest.mark.parametrize("refused", REFUSED, ids=len)
def test_a_refused_prompt_is_said_and_kept_and_the_run_before_stays_in_sight(refused: str) -> None:
    page = visited(model="gpt2", model_text=PROMPT)
    before = shown(page)
    ran(page.text_input(key="model_text").input(refused).run())
    (error,) = page.error
    assert REFUSED[refused] in error.value.replace("\\", "")
    assert page.text_input(key="model_text").value == refused
    assert STILL in said(page)
    assert shown(page) == before
    ran(page.text_input(key="model_text").input("the dog ran").run())
    assert not page.error
    assert "You still see" not in said(page)
    assert stage(page).labels("weights") == [["the", "dog", "ran"]] * 2


@proves("Computing the layers: {percent}. Below: the run of “{shown}”")
def test_the_run_before_stays_while_another_prompt_is_computed_and_if_it_is_stopped() -> None:
    page = visited(model="gpt2", model_text=PROMPT)
    before = shown(page)
    with held_up(work.MODEL_RUNS):
        page.text_input(key="model_text").input("the dog ran").run()
        assert shown(page) == before
        page.button(key="model_stop").click().run()
    assert STILL in said(page)
    assert shown(page) == before


def test_the_run_before_of_another_model_goes() -> None:
    page = visited(model="gpt2", model_text=PROMPT)
    with held_up(work.MODEL_RUNS):
        page.selectbox(key="model").select("llama").run()
        assert COMES in said(page)
        assert "**Notice.**" not in said(page)


def test_the_run_before_makes_room_for_the_next_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "SMALL", 0)
    page = visited(model="gpt2", model_text=PROMPT)
    monkeypatch.setattr(in_memory.KEPT_RUNS, "_most_bytes", in_memory.KEPT_RUNS.byte_count + 1)
    ran(page.text_input(key="model_text").input("on the mat sat the cat").run())
    assert not page.error
    assert stage(page).labels("weights")[0][0] == "on"


@pytest.mark.parametrize(("model", "hidden"), MASKS.items())
def test_a_prompt_to_try_has_the_hidden_token_of_the_model(model: str, hidden: str) -> None:
    page = visited(model=model, model_text="the cat")
    assert f"Write `{hidden}`" in said(page)
    ran(page.button(key=f"model_{running.PROMPTS[1]}").click().run())
    assert str(page.text_input(key="model_text").value).endswith(f" {hidden}.")
    (made,) = page.error
    assert "11" in made.value  # the tiny models read no more tokens


@pytest.mark.parametrize("name", running.PROMPTS)
def test_a_prompt_to_try_is_run_at_a_press(name: str) -> None:
    page = visited(model="gpt2", model_text=PROMPT)
    page.button(key=f"model_{name}").click().run()
    prompt = page.text_input(key="model_text").value
    assert prompt != PROMPT
    assert page.session_state.model_work.prompt == prompt
