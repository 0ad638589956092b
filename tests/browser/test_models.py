"""The page of models in a browser: numbers of one's own model, whoever else is there."""

import fcntl
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache, partial
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from core.models.checkpoints.opening import open_checkpoint
from core.models.transformer.changes import UNCHANGED, ModelChanges
from core.models.transformer.model import TransformerModel
from core.program.numbers.rounding import cell_text, typeset
from tests.browser.axe import Known, beyond, dressed, found_in
from tests.browser.conftest import ROOT, ColdServer, OpenPage, Serve, kill, resident, restart
from tests.browser.page import fits
from tests.browser.stage import focus_cell
from tests.browser.tabs import THEMES, Theme
from tests.browser.test_head_maps import grid, point
from tests.browser.test_jumping import nothing_jumps, slowed
from tests.browser.test_phone import FAULTS
from tests.browser.test_real_heads import PAINTED
from tests.browser.test_reconnecting import connected
from tests.core.models.tiny_models import MODELS, WORDS, made_checkpoint, made_tokeniser
from tests.quotes import proves
from tests.sampling import some
from ui.models.in_memory import IDLE

TEXT, IDS = "the+cat+sat+on+the+mat", [1, 2, 3, 4, 1, 5]
GPT2, LLAMA = (f"models?model={name}&model_text={TEXT}" for name in ("gpt2", "llama"))
Shut = Callable[[], AbstractContextManager[None]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Models that are offered."""
    made = tmp_path_factory.mktemp("models")
    for kind in ("gpt2", "llama"):
        (made / kind).mkdir()
        made_checkpoint(kind, made / kind)
        made_tokeniser(made / kind)
    return made


@pytest.fixture(scope="module")
def gate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("gate") / "gate"
    made.touch()
    return made


@pytest.fixture
def shut(gate: Path) -> Shut:
    """`with shut():` no model goes on after its layer."""

    @contextmanager
    def shutting() -> Iterator[None]:
        with gate.open() as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            yield

    return shutting


@pytest.fixture(scope="module")
def models(serve: Serve, folder: Path, gate: Path) -> Iterator[str]:
    """The address of a server that offers them."""
    said = {"ATTENTION_MODELS": str(folder), "GATE": str(gate)}
    with serve(ROOT, changed="gated", environment=said) as url:
        yield url


@cache
def run_of(folder: Path, kind: str, changes: ModelChanges = UNCHANGED) -> tuple[np.ndarray, str]:
    """All weights, and the most probable next token with its percentage, by hand."""
    model = TransformerModel(open_checkpoint(folder / kind))
    layers = list(model.run(IDS, changes))
    probabilities = model.probabilities(layers[-1].output[-1:])
    assert probabilities is not None
    best = int(probabilities[0].argmax())
    most = probabilities[0, best]
    percent = str(int(100 * most + 0.5))
    if changes != UNCHANGED:  # with one decimal, because a change may be small
        percent = f"{int(1000 * most + 0.5) / 10:.1f}"
    return np.stack([one.weights for one in layers]), f"{WORDS[best]}, with {percent} %"


def small(page: Page, layer: int, head: int) -> Locator:
    named = re.compile(rf"^Layer {layer + 1}, head {head + 1}:")
    return grid(page).get_by_role("button", name=named)


def expect_head(page: Page, layer: int, head: int, weights: np.ndarray) -> None:
    """The head is on the stage, with the largest weight of its last row."""
    row = weights[layer, head, -1]
    line = page.get_by_text(re.compile(rf"On the stage: layer {layer + 1}, head {head + 1} "))
    expect(line).to_be_visible()
    cell = f"weights.0.{len(row) - 1}.{int(row.argmax())}"
    expect(focus_cell(page, cell)).to_have_text(typeset(cell_text(float(row.max()))))


def leader(weights: np.ndarray) -> tuple[int, int]:
    """The head that gives most weight to the token before."""
    scores = [[np.diag(head, -1).mean() for head in layer] for layer in weights]
    layer, head = np.unravel_index(np.argmax(scores), weights.shape[:2])
    return int(layer), int(head)


def expect_run(page: Page, folder: Path, kind: str) -> None:
    """The page shows the untouched run of this model."""
    weights, predicted = run_of(folder, kind)
    expect(page.get_by_text(f"The most probable next token is {predicted}.")).to_be_visible()
    expect(grid(page).get_by_role("button")).to_have_count(weights.shape[0] * weights.shape[1])
    expect_head(page, *leader(weights), weights)


def switch_off(page: Page, folder: Path, kind: str) -> None:
    """Switch the head on the stage off: what the model predicts then is the run's by hand."""
    weights, _ = run_of(folder, kind)
    layer, head = leader(weights)
    page.get_by_role("button", name="Switch this head off").click()
    off = ModelChanges(frozenset({(layer, head)}))
    after, predicted = run_of(folder, kind, off)
    notice = page.get_by_text(f"Without head {head + 1} of layer {layer + 1}")
    expect(notice).to_be_visible()
    token, percent = predicted.split(", with ")
    expect(notice).to_contain_text(f"{token}, with {percent}")
    expect(grid(page).locator(".map.off")).to_have_count(1)
    expect(page.get_by_text("It is switched off, so the stage shows")).to_be_visible()
    expect_head(page, layer, head, after)


@proves("""
    Each row is a token that reads, and each column a token that is read | Press a map to choose its
    head | Buttons switch off the mask, the scale or a head. The model then runs again
""")
def test_a_link_opens_maps_and_stage_and_a_change_changes_both(
    models: str, folder: Path, open_page: OpenPage
) -> None:
    page = open_page(f"{models}/{GPT2}", size=(1366, 900))
    expect_run(page, folder, "gpt2")
    expect(grid(page).locator(".large")).to_have_attribute("aria-busy", "false")
    for canvas in grid(page).locator("canvas").all():
        assert canvas.evaluate(PAINTED) > 1
    switch_off(page, folder, "gpt2")
    expect(grid(page).locator(".title")).to_have_text(["before", "after"])
    off = ModelChanges(frozenset({leader(run_of(folder, "gpt2")[0])}))
    before, after = (run_of(folder, "gpt2", one)[0][1, 1] for one in (UNCHANGED, off))
    small(page, 1, 1).click()
    point(page, 0, 4, 2, 6, 6)
    then, now = (int(100 * float(one[4, 2]) + 0.5) for one in (before, after))
    text = f"“the₂” reads “sat”: before {then} %, after {now} %."
    expect(grid(page).locator(".reading")).to_have_text(text)
    page.get_by_role("button", name="Undo all changes").click()
    expect(page.get_by_text(run_of(folder, "gpt2")[1])).to_be_visible()
    expect(grid(page).locator(".map.off")).to_have_count(0)
    page.get_by_role("radiogroup", name="Scale").get_by_text("off").click()
    expect(page.get_by_text("Without the scale")).to_be_visible()
    labels_of_the_prediction_are_whole(page)
    page.set_viewport_size({"width": 390, "height": 844})
    fits(page, 390)
    assert page.evaluate(FAULTS) == []


def labels_of_the_prediction_are_whole(page: Page) -> None:
    """The longest bar's too, on which its percentage and a word follow."""
    chart = page.locator(".js-plotly-plot").first
    expect(chart.get_by_text("before").first).to_be_visible()
    beyond_edge = """(chart) => {
        const edge = chart.querySelector(".main-svg").getBoundingClientRect().right;
        const labels = [...chart.querySelectorAll(".bartext")];
        return Math.max(...labels.map((one) => one.getBoundingClientRect().right)) - edge;
    }"""
    assert chart.evaluate(beyond_edge) <= 0


def test_visitors_do_not_mix_wait_their_turn_and_one_stops_and_runs_again(
    models: str, folder: Path, open_page: OpenPage, shut: Shut
) -> None:
    with shut():
        first = open_page(f"{models}/{GPT2}", until=None)
        expect(first.get_by_text("Computing the layers: 50%")).to_be_visible()
        second = open_page(f"{models}/{LLAMA}", until=None)
        expect(second.get_by_text("You are number 1 in the queue")).to_be_visible()
        first.get_by_role("button", name="Stop", exact=True).click()
        expect(first.get_by_text("Stopped.")).to_be_visible()
    expect_run(second, folder, "llama")
    first.get_by_role("button", name="Run", exact=True).click()
    expect_run(first, folder, "gpt2")
    switch_off(first, folder, "gpt2")
    expect_run(second, folder, "llama")


@pytest.mark.deep
def test_a_page_that_is_loaded_again_in_the_middle_of_its_run(
    models: str, folder: Path, open_page: OpenPage, shut: Shut
) -> None:
    page = open_page(f"{models}/{GPT2}")
    expect_run(page, folder, "gpt2")
    with shut():
        page.get_by_role("button", name="Switch this head off").click()
        expect(page.get_by_text("Computing the layers: 50%")).to_be_visible()
        expect_run(page, folder, "gpt2")  # what is seen stays while a change is computed
        page.goto(f"{models}/{LLAMA}")
        page.reload()
        expect(page.get_by_text("in the queue")).to_be_visible()
    expect_run(page, folder, "llama")
    switch_off(page, folder, "llama")


@pytest.mark.deep
def test_a_server_that_is_killed_in_the_middle_of_a_run_and_after_it(
    cold_server: ColdServer, folder: Path, gate: Path, open_page: OpenPage, shut: Shut
) -> None:
    said = {"ATTENTION_MODELS": str(folder), "GATE": str(gate)}
    url = cold_server(ROOT, changed="gated", environment=said)
    page = open_page("about:blank", until=None, complains=True)

    def loses_its_server() -> None:
        """The new server computes the run anew."""
        with shut():
            kill(url)
            connected(page, False)
            restart(url)
            connected(page)
            expect(page.get_by_text("Computing the layers")).to_be_visible()
            expect(grid(page)).to_have_count(0)

    with shut():
        page.goto(f"{url}/{LLAMA}")
        expect(page.get_by_text("Computing the layers")).to_be_visible()
        kill(url)
    loses_its_server()
    expect_run(page, folder, "llama")
    switch_off(page, folder, "llama")
    loses_its_server()
    expect(page.get_by_text("Without head")).to_be_visible()
    page.get_by_role("button", name="Undo all changes").click()
    expect_run(page, folder, "llama")


@pytest.mark.deep
@pytest.mark.parametrize("theme", THEMES)
def test_axe_finds_nothing(models: str, open_page: OpenPage, known: Known, theme: Theme) -> None:
    page = open_page(f"{models}/{GPT2}&model_off=1.1", theme=theme)
    expect(page.get_by_text("Without head 1 of layer 1")).to_be_visible()
    dressed(page)
    assert beyond(found_in(page, theme), known[theme]) == {}


@pytest.mark.deep
def test_projected_a_head_fills_the_window(models: str, folder: Path, open_page: OpenPage) -> None:
    page = open_page(f"{models}/{GPT2}&present=1", size=(1280, 720))
    weights, _ = run_of(folder, "gpt2")
    row = weights[*leader(weights), -1]
    cell = focus_cell(page, f"weights.0.5.{int(row.argmax())}")
    expect(cell).to_have_text(typeset(cell_text(float(row.max()))))
    expect(cell).to_be_in_viewport()
    assert cell.evaluate("(cell) => parseFloat(getComputedStyle(cell).fontSize)") >= 24


@pytest.mark.deep
@pytest.mark.parametrize("width", some([1440, 390], 2, 1))
def test_nothing_jumps_while_a_model_is_run(models: str, width: int, open_page: OpenPage) -> None:
    look = {"size": (width, 900), "until": None, "prepare": partial(slowed, rate=1)}
    page = open_page(f"{models}/{GPT2}", **look)
    nothing_jumps(page)


@pytest.mark.deep
def test_leaving_the_page_frees_the_servers_memory(
    cold_server: ColdServer, tmp_path: Path, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = {"n_embd": 1024, "n_layer": 4, "n_head": 16, "n_inner": 4096}
    kind, config, settings = MODELS["gpt2"]
    monkeypatch.setitem(MODELS, "large", (kind, config, settings | sizes))
    (tmp_path / "large").mkdir()
    made_checkpoint("large", tmp_path / "large")
    made_tokeniser(tmp_path / "large")
    url = cold_server(ROOT, environment={"ATTENTION_MODELS": str(tmp_path)})
    page = open_page(f"{url}/models")
    before = resident(url)
    page.goto(f"{url}/models?model=large&model_text={TEXT}")
    expect(page.get_by_text("large: 4 layers of 16 heads")).to_be_visible(timeout=120_000)
    expect(page.get_by_text("On the stage:")).to_be_visible()
    assert resident(url) - before > 190_000_000
    page.goto("about:blank")
    freed = f"new Promise((passed) => setTimeout(passed, {1000 * (IDLE + 10)}))"
    page.evaluate(freed)
    assert resident(url) - before < 60_000_000
