"""The page of models: every number that it says is the library's, or counted here by hand."""

import json
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.models.checkpoints.opening import open_checkpoint
from core.models.transformer import block_trace
from core.models.transformer.changes import UNCHANGED, ModelChanges
from core.models.transformer.model import TransformerModel
from tests.core.models.tiny_models import WORDS, Reference, library_run, made_checkpoint
from tests.quotes import proves
from tests.ui.models.conftest import IDS, KINDS, MASKS, PROMPT, ran, said, stage_weights, visited
from tests.ui.queued import held_up
from tests.ui.support import changed, stage, told
from ui.models.work import MODEL_RUNS

MASKED, MASKED_IDS = "the cat [MASK] on the mat", [1, 2, 0, 4, 1, 5]
OFF = ((0, 0), (1, 2))
GIVEN_OFF = "1.1,2.3"
TWO_OFF = "head 1 of layer 1 :gray[(index 0, 0)] and head 3 of layer 2 :gray[(index 1, 2)]"
pytestmark = pytest.mark.usefixtures("models")


def percent(part: float) -> str:
    """A part of 1 in whole percent."""
    whole = int(100 * part + 0.5)
    if whole == 100 and part < 1:
        return ">99"
    return str(whole) if whole or not part else "<1"


def tenths(part: float) -> str:
    """A part of 1 in percent with one decimal, where a change may be small."""
    return f"{int(1000 * part + 0.5) / 10:.1f}" if part >= 0.0005 or not part else "<0.1"


@contextmanager
def switched_off(model: Any, off: Collection[tuple[int, int]]) -> Iterator[None]:
    """Heads of the library's GPT-2 whose context is 0."""

    def without(layer: int) -> Any:
        def hook(_: Any, given: Any) -> Any:
            context = given[0].clone()
            width = context.shape[-1] // model.config.n_head
            for _, head in [place for place in off if place[0] == layer]:
                context[..., head * width : (head + 1) * width] = 0
            return (context,)

        return hook

    hooks = [
        block.attn.c_proj.register_forward_pre_hook(without(layer))
        for layer, block in enumerate(model.transformer.h if off else ())
    ]
    yield
    for one in hooks:
        one.remove()


def of_library(
    name: str, folder: Path, ids: Sequence[int] = IDS, off: Collection[tuple[int, int]] = ()
) -> Reference:
    """What transformers computes."""
    model = made_checkpoint(KINDS[name], folder)
    with switched_off(model, off):
        return library_run(model, list(ids), "float32")


def by_hand(folder: Path, changes: ModelChanges) -> tuple[np.ndarray, np.ndarray]:
    """GPT-2's weights, and the probabilities of the next token, layer by layer."""
    model = TransformerModel(open_checkpoint(folder / "gpt2"))
    layers = list(model.run(IDS, changes))
    probabilities = model.probabilities(layers[-1].output[-1:])
    assert probabilities is not None
    return np.stack([one.weights for one in layers]), probabilities[0]


def previous(weights: np.ndarray) -> np.ndarray:
    """The mean weight of the token before, of each head; the first token has none before it."""
    return np.array([[np.diag(head, -1).mean() for head in layer] for layer in weights])


def same_token(weights: np.ndarray) -> np.ndarray:
    """The weight that the second "the" gives to the first, of each head."""
    return np.array([[head[4][0] for head in layer] for layer in weights])


def place(found: tuple[int, ...]) -> str:
    layer, head = found
    return f"layer {layer + 1}, head {head + 1} :gray[(index {layer}, {head})]"


def best(probabilities: np.ndarray) -> str:
    return WORDS[int(probabilities.argmax())]


def notice(page: AppTest) -> str:
    """What is said of the prediction."""
    found = [line for line in said(page).splitlines() if "most probable" in line]
    assert len(found) == 1, found
    return found[0].removeprefix("> **Notice.** ").replace("\u00a0%", " %")


def bars(page: AppTest) -> list[tuple[list[str], list[float]]]:
    """The bars of each run in the chart, with their tokens."""
    figure = json.loads(page.get("plotly_chart")[0].proto.spec)
    names = figure["layout"]["yaxis"]["ticktext"]
    longest = max(float(x) for bar in figure["data"] for x in bar["x"])
    assert longest == figure["layout"]["xaxis"]["range"][1]
    return [(names, [float(x) for x in bar["x"]]) for bar in figure["data"]]


def agrees_with(page: AppTest, weights: np.ndarray, measure: str = "Previous token") -> None:
    """The leaders, the chosen head and its numbers on the stage are those of some weights."""
    scores = (previous if measure == "Previous token" else same_token)(weights)
    order = sorted(np.ndindex(*scores.shape), key=lambda at: -scores[at])
    text = ", ".join(f"{percent(float(scores[at]))} % ({place(at)})" for at in order[:3])
    assert f"{measure}: the highest measures are {text}." in said(page)
    looks = [button.label for button in page.button if button.label.startswith("Show layer")]
    assert looks == [f"Show {place(at).partition(' :')[0]}" for at in order[:3]]
    found = re.search(r"The large map is layer (\d+), head (\d+)", said(page))
    assert found
    chosen = int(found[1]) - 1, int(found[2]) - 1
    measured = percent(float(scores[chosen]))
    assert f"The large map is {place(chosen)}. Its measure is {measured} %: " in said(page)
    assert f"**On the stage:** {place(chosen)}" in said(page)
    np.testing.assert_allclose(stage_weights(page), weights[chosen], atol=0.00501)


RAN = {
    "gpt2": "2 layers of 3 heads, d_model = 15; 6 tokens",
    "llama": "2 layers of 6 heads (2 key/value heads), d_model = 36; 6 tokens",
    "bert": "2 layers of 3 heads, d_model = 21; 6 tokens",
}


@proves("""
    The most probable {?} is {token}, with {percent} % | The most probable next tokens, each with
    its probability | {name}: {layers} of {heads} ({groups}), d_model = {width}; {tokens}
""")
@pytest.mark.parametrize("name", ["gpt2", "llama"])
def test_what_is_predicted_and_measured_is_the_librarys(name: str, tmp_path: Path) -> None:
    page, library = visited(model=name, model_text=PROMPT), of_library(name, tmp_path)
    assert library.probabilities is not None
    assert f"{name}: {RAN[name]}" in said(page)
    assert "begins at the weights" not in said(page)
    predicted = library.probabilities[-1]
    token, most = best(predicted), percent(predicted.max())
    assert notice(page) == f"The most probable next token is *{token}*, with {most} %."
    ((tokens, drawn),) = bars(page)
    order = np.argsort(-predicted)[:8]
    assert tokens == [WORDS[id] for id in order]
    np.testing.assert_allclose(drawn, predicted[order], atol=1e-5)
    agrees_with(page, library.weights)


def test_the_opening_head_is_the_leader_of_the_measure(tmp_path: Path) -> None:
    library = of_library("gpt2", tmp_path)
    for measure, title, count in (
        ("previous_token", "Previous token", previous),
        ("same_token", "Same token again", same_token),
    ):
        page = visited(model="gpt2", model_text=PROMPT, model_measure=measure)
        scores = count(library.weights)
        leader = np.unravel_index(scores.argmax(), scores.shape)
        assert f"**On the stage:** {place(tuple(map(int, leader)))}" in said(page)
        agrees_with(page, library.weights, title)


@proves("Press a map to enlarge it and to put its head on the stage below")
def test_any_head_is_shown_with_its_numbers(tmp_path: Path) -> None:
    library = of_library("llama", tmp_path)
    for layer, head in ((0, 5), (1, 0)):
        page = visited(model="llama", model_text=PROMPT, model_place=f"{layer + 1}.{head + 1}")
        assert f"**On the stage:** {place((layer, head))}" in said(page)
        agrees_with(page, library.weights)
        drawn = [made.proto.component_name for made in page.get("bidi_component")]
        assert drawn.index("head_grid") < drawn.index("attention_stage")


@proves("""
    This model predicts hidden tokens. Write {mask} in the prompt in place of a word. This model
    turns a text into vectors. It does not predict tokens
""")
@pytest.mark.parametrize(("name", "mask"), MASKS.items())
def test_a_masked_token_is_predicted_or_its_lack_said(tmp_path: Path, name: str, mask: str) -> None:
    page = visited(model=name, model_text=MASKED.replace("[MASK]", mask))
    library = of_library(name, tmp_path, MASKED_IDS)
    assert library.probabilities is not None
    predicted = library.probabilities[2]
    token, most = best(predicted), percent(predicted.max())
    assert notice(page) == (
        f"The most probable token in place of the mask is *{token}*, with {most} %."
    )
    agrees_with(page, library.weights)
    unmasked = said(visited(model=name, model_text=PROMPT))
    assert f"Write `{mask}` in the prompt" in unmasked
    assert f"{name}: {RAN.get(name, '')}" in unmasked
    assert "It does not predict tokens." in said(visited(model="vectors", model_text=PROMPT))


FOUR = ((0, 0), (0, 1), (1, 0), (1, 1))
CHANGES: dict[str, tuple[tuple[tuple[int, int], ...], bool, bool]] = {
    "Without head 1 of layer 1 :gray[(index 0, 0)]": (OFF[:1], True, True),
    f"Without {TWO_OFF}": (OFF, True, True),
    "Without head 1 of layer 1 :gray[(index 0, 0)], head 2 of layer 1 :gray[(index 0, 1)] and "
    "head 1 of layer 2 :gray[(index 1, 0)]": (FOUR[:3], True, True),
    "Without 4 heads": (FOUR, True, True),
    "Without the mask": ((), False, True),
    "Without the scale": ((), True, False),
    "Without the mask and the scale": ((), False, False),
    f"Without {TWO_OFF}, and without the mask": (OFF, False, True),
    f"Without {TWO_OFF}, and without the scale": (OFF, True, False),
    f"Without {TWO_OFF}, and without the mask and the scale": (OFF, False, False),
}
"""How each change is said; the heads that are off, whether the mask and the scale stay."""


@proves("""
    {changes}, the most probable {?} is still {token}, with {percent_after} % as before instead of
    {percent} % {now}, with {now_percent} %. The probability of {token} goes from {percent} % to
    {percent_after} % | Without {off} heads and , head {one.head} of layer {one.layer} [(index
    {one.layer_index}, {one.head_index})], and without the mask and the scale mask scale
""")
@pytest.mark.parametrize("words", CHANGES)
def test_a_change_is_said_with_both_probabilities(words: str, model_folder: Path) -> None:
    off, mask, scale = CHANGES[words]
    link = {"model_off": ",".join(f"{layer + 1}.{head + 1}" for layer, head in off)} if off else {}
    link |= {f"model_{key}": "off" for key, on in (("mask", mask), ("scale", scale)) if not on}
    page = visited(model="gpt2", model_text=PROMPT, **link)
    weights, after = by_hand(model_folder, ModelChanges(frozenset(off), mask, scale))
    _, before = by_hand(model_folder, UNCHANGED)
    was, now = int(before.argmax()), int(after.argmax())
    then, then_after = tenths(before[was]), tenths(after[was])
    end = f"{WORDS[now]}*, with {tenths(after[now])} %. The probability of *{WORDS[was]}* goes "
    end = f"is *{end}from {then} % to {then_after} %."
    if was == now:
        same = "as before" if then == then_after else f"instead of {then} %"
        end = f"is still *{WORDS[was]}*, with {then_after} % {same}."
    assert notice(page) == f"{words}, the most probable next token {end}"
    (tokens, first), (_, second) = bars(page)
    np.testing.assert_allclose(first, [before[WORDS.index(token)] for token in tokens], atol=1e-6)
    np.testing.assert_allclose(second, [after[WORDS.index(token)] for token in tokens], atol=1e-6)
    agrees_with(page, weights)
    of_maps = [one["news"] for one in told(page, "attention_told") if "maps" in one["stage"]]
    (state,) = [news["state"] for news in of_maps if "state" in news]
    assert {tuple(one) for one in state["off"]} == set(off)


def test_heads_that_are_off_change_what_the_library_says_they_do(tmp_path: Path) -> None:
    page = visited(model="gpt2", model_text=PROMPT, model_off=GIVEN_OFF)
    library = of_library("gpt2", tmp_path, off=OFF)
    assert library.probabilities is not None
    after = library.probabilities[-1]
    tokens, drawn = bars(page)[1]
    np.testing.assert_allclose(drawn, [after[WORDS.index(token)] for token in tokens], atol=1e-5)
    agrees_with(page, library.weights)


def test_buttons_switch_a_head_off_and_on_and_it_stays_on_the_stage() -> None:
    page = visited(model="gpt2", model_text=PROMPT)
    shown = re.search(r"On the stage:\*\* (.*)", said(page))
    assert shown
    ran(page.button(key="model_out").click().run())
    assert f"{shown[1]}. It is switched off, so" in said(page)
    assert page.query_params["model_off"]
    ran(page.button(key="model_on").click().run())
    assert notice(page).startswith("The most")
    assert f"On the stage:** {shown[1]}\n" in said(page) + "\n"
    page.segmented_control(key="model_mask").set_value("off").run()
    assert notice(ran(page)).startswith("Without the mask, ")
    assert f"On the stage:** {shown[1]}\n" in said(page) + "\n"
    ran(page.segmented_control(key="model_scale").set_value("off").run())
    ran(page.button(key="model_undo").click().run())
    assert notice(page).startswith("The most")
    assert not {"model_off", "model_mask", "model_scale"} & {*page.query_params}
    assert not [button for button in page.button if button.key == "model_undo"]


@proves("Stopped. The page shows the run without changes")
def test_a_run_stays_in_sight_while_a_change_is_computed_and_stop_ends_it() -> None:
    page = visited(model="gpt2", model_text=PROMPT)
    before = notice(page)
    with held_up(MODEL_RUNS):
        page.segmented_control(key="model_scale").set_value("off").run()
        assert page.button(key="model_stop")
        assert notice(page) == before
        page.button(key="model_stop").click().run()
    for _ in range(2):
        assert "Stopped. The page shows the run without changes." in said(page)
        assert notice(page) == before
        page.run()
    ran(page.button(key="model_run").click().run())
    assert notice(page).startswith("Without the scale, ")


def test_another_model_is_run_when_it_is_chosen(tmp_path: Path) -> None:
    page = visited(model="gpt2", model_text=PROMPT, model_off="1.3", model_place="2.3")
    page.selectbox(key="model").select("llama").run()
    assert "gpt2: 2 layers" not in said(page)
    ran(page)
    assert "llama: 2 layers of 6 heads" in said(page)
    agrees_with(page, of_library("llama", tmp_path).weights)
    assert "model_off" not in page.query_params


def test_a_model_that_fails_says_so_and_another_can_be_run(monkeypatch: pytest.MonkeyPatch) -> None:
    page = visited(model="gpt2", model_text=PROMPT)

    with monkeypatch.context() as patch:
        patch.setattr("ui.models.work.run_prompt", Mock(side_effect=ZeroDivisionError))
        page.segmented_control(key="model_scale").set_value("off").run()
        ran(page)
        page.run()
        assert "The run stopped because of an error in this app." in said(page)
        assert notice(page).startswith("The most"), "the run before is still there"
    page.selectbox(key="model").select("bert").run()
    assert "bert: 2 layers" in said(ran(page))


@proves("""
    The stage shows the {units} units that add most. The sum of all others is one matrix | The net
    has {all_units} units | The stage shows head {head} [(index {head_index})]. The sum of all other
    heads is one matrix | The feed-forward net takes each row separately, so one token is enough to
    see it
""")
@pytest.mark.parametrize(("kind", "most"), [("gpt2", 800), ("llama", 1_500), ("bert", 1_000)])
def test_a_large_layer_has_two_parts(kind: str, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    page = visited(model=kind, model_text=PROMPT, model_place="2.3")
    changed(page, fold_model_layer=True)
    assert "opens in two parts" not in said(page)
    assert {"attn", "H"} < {*stage(page, 1).document["arrays"]}
    monkeypatch.setattr(block_trace, "MOST_NUMBERS", most)
    page.session_state.model_work.seen._layer = None
    page.run()
    assert not page.error
    text = said(page)
    assert "opens in two parts" in text
    assert "The stage shows head 3 :gray[(index 2)]. The sum of all other heads" in text
    assert {"attn", "other_heads", "all_heads", "Z"} < {*stage(page, 1).document["arrays"]}
    monkeypatch.setattr(block_trace, "STRONGEST", 2)
    page.segmented_control(key="model_part").set_value("net").run()
    page.selectbox(key="model_token").set_value(4).run()
    assert len({*page.selectbox(key="model_token").options}) == 6, "two tokens are the same word"
    assert not page.error
    assert "units. The stage shows the 2 units that add most." in said(page)
    assert stage(page, 1).labels("H")[0] == ["on"]
    assert (page.query_params["model_part"], page.query_params["model_token"]) == ("net", "4")
    linked = visited(
        model=kind, model_text=PROMPT, model_place="2.3", model_part="net", model_token="64"
    )
    assert stage(linked, 1).labels("H")[0] == ["mat"], "the last token"
