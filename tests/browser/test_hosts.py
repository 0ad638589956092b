"""One suite on every host: Streamlit, a page from a disk, it in a sandboxed frame, a notebook."""

import html
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import FrameLocator, Page, expect

from core import Trace, explain
from core.attention.family import MASK_TOGGLE, SCALE_TOGGLE
from core.attention.mistakes.attention_mistakes import MISTAKES
from core.attention.setups import Setup
from core.program.labels import token_labels
from core.program.numbers.display import shown
from stage import Shown
from stage.hosts.standalone import standalone
from tests.browser.axe import broken
from tests.browser.conftest import MadeOnce, OpenPage
from tests.browser.drawn import written
from tests.browser.page import type_in
from tests.browser.stage import (
    cells_of,
    choice,
    focus_cell,
    focus_numbers,
    marked,
    option,
    read_at_each_click,
    strip_phase,
)
from tests.sampling import some

TEXT = "red <b>&amp; $x$ red"
STEPS = ("X", "Q", "scores", "scaled", "masked", "weights", "context", "output")
HOSTS = ("streamlit", "page", "frame", "notebook")
OPENING = ("scores", (0, 2, 1))
KEEP = {MASK_TOGGLE.key: ("causal", "none"), SCALE_TOGGLE.key: ("on", "off")}
Where = Page | FrameLocator


@pytest.fixture(scope="module")
def setup() -> Setup:
    return Setup(text=TEXT)


@pytest.fixture(scope="module")
def files(
    setup: Setup, made_once: MadeOnce, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Path]:
    """Each host that needs no server, as a file."""
    folder = tmp_path_factory.mktemp("hosts")
    kept: dict[str, Any] = {
        "family": setup.family, "options": setup.options, "keep": KEEP,
        "mistakes": MISTAKES.values(),
    }  # fmt: skip
    page = made_once("page.html", lambda: standalone(setup.trace, OPENING, **kept))
    whole = page.read_text(encoding="utf-8")
    cell = Shown(whole, 900)._repr_html_()
    framed = f'<iframe srcdoc="{html.escape(whole)}" sandbox="allow-scripts" '
    texts = {
        "frame": f'<!doctype html><body>{framed} style="width:100%;height:900px"></iframe>',
        "notebook": f"<!doctype html><body><div>{cell}</div>",
    }
    for name, text in texts.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return {"page": page} | {name: folder / f"{name}.html" for name in texts}


@pytest.fixture(params=some(HOSTS, 4, 3))
def where(request: pytest.FixtureRequest, open_page: OpenPage, files: dict[str, Path]) -> Where:
    """Where the stage stands. Nothing is asked of any network but Streamlit's."""
    if request.param == "streamlit":
        page = open_page(f"?text={quote(TEXT)}")
        page.wait_for_function(AHEAD)
        return page
    asked: list[str] = []

    def alone(page: Page) -> None:
        page.context.set_offline(True)
        page.on("request", lambda asking: asked.append(asking.url))

    page = open_page(files[request.param].as_uri(), prepare=alone, until=None)
    found: Where = page if request.param == "page" else page.frame_locator("iframe")
    expect(found.locator(".focus .cell").first).to_be_visible()
    assert all(re.match("file:|data:|blob:|about:", url) for url in asked), asked
    return found


AHEAD = """() => globalThis[Symbol.for("attention-told")]
  ?.get("stage")?.alternatives?.documents.length"""


def check_numbers(where: Where, trace: Trace, walk: list[tuple[str, int]]) -> None:
    """At each step, of each head, the numbers are those of a fresh run."""
    clicks = [
        click
        for step, head in walk
        for click in (
            (strip_phase(step), focus_numbers(step)),
            (option("head", str(head + 1)), focus_numbers(step)),
        )
    ]
    seen = read_at_each_click(where, clicks)[1::2]
    for (step, head), numbers in zip(walk, seen, strict=True):
        assert numbers == written(trace, step, head), (step, head)


def test_the_stage_is_the_same_on_every_host(where: Where, setup: Setup) -> None:
    trace = setup.trace
    # Pointing, and the arithmetic of the cell that is selected.
    focus_cell(where, "scores.0.3.1").hover()
    expect(focus_cell(where, "scores.0.3.1")).to_have_class(re.compile("here"))
    assert marked(where, "source") == cells_of(trace.sources("scores", (0, 3, 1)), "Q", "K")
    focus_cell(where, "scores.0.3.2").click()
    told = explain(trace, "scores", (0, 3, 2))
    arithmetic = where.get_by_test_id("arithmetic")
    expect(arithmetic).to_contain_text(told.title)
    expect(arithmetic.get_by_role("img", name="; ".join(told.plain), exact=True)).to_be_visible()
    # Keys.
    focus_cell(where, "scores.0.3.2").press("ArrowLeft")
    expect(focus_cell(where, "scores.0.3.1")).to_be_focused()
    expect(arithmetic).to_contain_text(explain(trace, "scores", (0, 3, 1)).title)
    focus_cell(where, "scores.0.3.1").press("PageDown")
    stage = where.get_by_test_id("stage")
    expect(stage).to_have_attribute("data-step", "scaled")
    # Covers: numbers that are worked out, and that are lifted.
    choice(where, "cover", "result").click()
    covered = where.locator(".focus .covered")
    expect(covered).to_have_count(len(trace.tokens) ** 2)
    answer = where.get_by_label("The number that you worked out")
    wrong = MISTAKES["divisor"].made_of(trace, setup.family.built(**setup.options).program)
    for run, said in ((wrong, MISTAKES["divisor"].name), (trace, "is right")):
        type_in(answer, shown(run, "scaled", (0, 3, 1)))
        expect(arithmetic).to_contain_text(said)
    expect(covered).to_have_count(len(trace.tokens) ** 2 - 1)
    focus_cell(where, "scaled.0.3.1").press("u")
    expect(where.locator(focus_numbers("scaled"))).to_have_text(written(trace, "scaled", 0))
    choice(where, "cover", "").click()
    # Every head, mask and scale in all four combinations; once at every step.
    choice(where, "head", "2").click()
    check_numbers(where, trace, [("scaled", 1)])
    for mask, scale in (("causal", "on"), ("none", "on"), ("none", "off"), ("causal", "off")):
        for control, value in (("mask", mask), ("scale", scale)):
            if choice(where, control, value).get_attribute("aria-checked") != "true":
                choice(where, control, value).click()
        run = Setup(text=TEXT, mask=mask, scale=scale == "on").trace
        every = STEPS if (mask, scale) == ("none", "off") else ("weights",)
        check_numbers(where, run, [("weights", 0), *((step, 1) for step in every)])
        selected = where.locator('[aria-selected="true"]').first.get_attribute("data-cell")
        name, *at = str(selected).split(".")
        assert len(at) < 3 or at[0] == "1"  # of the head on show
        spoken = "; ".join(explain(run, name, tuple(map(int, at))).plain)
        expect(arithmetic.get_by_role("img", name=spoken, exact=True)).to_be_visible()
    # Tokens are text.
    assert stage.locator("img, b, script").count() == 0
    where.locator('.strip .phase[data-step="X"]').click()
    labels = where.locator('[data-part="focus"][data-matrix="X"] .label.side')
    expect(labels).to_have_text(token_labels(trace.tokens))


def test_a_page_of_its_own_is_accessible_and_opens_where_its_address_says(
    open_page: OpenPage, files: dict[str, Path]
) -> None:
    page = open_page(files["page"].as_uri(), until=None)
    expect(page.locator(".focus .cell").first).to_be_visible()
    assert broken(page) == {}
    page.locator(option("mask", "none")).click()
    page.locator('.strip .phase[data-step="weights"]').click()
    focus_cell(page, "weights.0.1.3").click()
    assert "step=weights" in page.url
    again = open_page(page.url, until=None)
    expect(focus_cell(again, "weights.0.1.3")).to_have_attribute("aria-selected", "true")
    expect(again.locator(option("mask", "none"))).to_have_attribute("aria-checked", "true")


def test_a_page_is_small_and_holds_no_token_as_markup(files: dict[str, Path]) -> None:
    text = files["page"].read_text(encoding="utf-8")
    assert len(text.encode()) < 1_500_000
    assert "<b>" not in text
    asked = set(re.findall(r"""https?://[^\s"']+""", text))
    assert asked == {"http://www.w3.org/1998/Math/MathML", "http://www.w3.org/2000/svg"}
