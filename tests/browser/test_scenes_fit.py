"""Beside the words of a lesson's scene nothing of the stage is cut, at any of its steps."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage
from tests.browser.lessons import open_scene
from tests.browser.page import nothing_of
from tests.browser.test_fits import FAULTS, WORDS
from tests.browser.test_formula_line import LEAST, READ
from tests.browser.test_projected import PLACES
from tests.sampling import paired, some
from ui.links.path import HOME

WINDOWS = ((1366, 768), (1440, 900))
ABOUT_STAGES = [scene for scene, place in PLACES.items() if place.stage]
OF_A_SENTENCE = [
    scene
    for scene, place in PLACES.items()
    if place.page == HOME and place.stage and "preset" not in place.params and not place.asks
]
"""Scenes whose sentence can be another one."""
WALK = f"""async (key) => {{
  const faults = {FAULTS}, read = {READ};
  const stages = [...globalThis[Symbol.for("attention-stages")]];
  const stage = stages.find(({{ config }}) => config.stage === key);
  const opened = stage.at, found = [];
  for (const stop of stage.stops) {{
    stage.go(stop.first, stop.inside);
    const here = await faults(stage.root), line = read(stage.formula);
    if (line.out.length || line.scrolls || line.below) here.push(`formula: ${{line.shown}}`);
    if (line.least < {LEAST}) here.push(`formula of ${{line.least}} px`);
    found.push(...here.map((fault) => `${{stop.first}} ${{fault}}`));
  }}
  stage.move(opened);
  return found;
}}"""
"""At each stop of a stage what is wrong with what is drawn; back at the one where it was."""
CUT = """(key) => {
  const stages = [...globalThis[Symbol.for("attention-stages")]];
  const { root } = stages.find(({ config }) => config.stage === key);
  const parts = [...root.querySelectorAll(
    ".face.focus :is(.cell, .caption, .label), .words, .steps > button")];
  const seen = parts.map((part) => part.closest(".window .grid") || part);
  const out = seen.filter((part) => part.getClientRects().length).filter((part) => {
    const { top, bottom } = part.getBoundingClientRect();
    return top < 0 || bottom > innerHeight + 0.5;
  });
  return out.map((part) => `${part.className} ${part.textContent}`.slice(0, 40));
}"""
"""What of a step is above or below the window as it is scrolled."""


def opened(open_page: OpenPage, scene: str, size: tuple[int, int], asked: str = "") -> Page:
    page = open_scene(open_page, scene, asked, size=size)
    expect(page.locator(f".st-key-{PLACES[scene].stage} .focus .cell").first).to_be_visible()
    return page


@pytest.mark.parametrize(("scene", "size"), paired(some(ABOUT_STAGES, 30, 5), WINDOWS))
def test_a_scene_s_stage_is_whole(open_page: OpenPage, scene: str, size: tuple[int, int]) -> None:
    page, stage = opened(open_page, scene, size), PLACES[scene].stage
    if not PLACES[scene].asks:
        nothing_of(page, CUT, stage)
    assert page.evaluate(WALK, stage) == []


@pytest.mark.parametrize("scene", some(OF_A_SENTENCE, 20, 1))
def test_in_a_scene_fifteen_words_are_usable_at_every_step(open_page: OpenPage, scene: str) -> None:
    page = opened(open_page, scene, WINDOWS[0], f"&text={'+'.join(WORDS)}")
    stage = PLACES[scene].stage
    chip = page.locator(f".st-key-{stage} .ribbon .chip")
    expect(chip.first).to_be_attached()
    assert page.evaluate(WALK, stage) == []
