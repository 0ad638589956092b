"""Every page on a projector: what it is about fills the window, whole and large, and can be blanked."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage
from tests.browser.test_present import LOOK, ONLY_THE_CURTAIN, PROJECTING
from tests.browser.waiting import settle
from tests.deep import some
from ui.path import PATH, address_of

SIZES = {(1280, 720): 18, (1920, 1080): 27}
"""Windows of a projector, and the smallest digits, captions and labels in them."""
# The stage covers all of the window, or all but what stands beside it.
WALK = f"""async ([least]) => {{
  const look = {LOOK};
  const painted = () => new Promise((done) => requestAnimationFrame(done));
  const stage = [...globalThis[Symbol.for("attention-stages")]].find((one) => one.presenting);
  const found = [];
  for (let stop = 0; stop < stage.stops.length; stop += 1) {{
    stage.go(stage.stops[stop].first, stage.stops[stop].inside);
    let seen;
    for (let frame = 0; frame < 60; frame += 1) {{
      await painted();
      seen = look(stage.root);
      if (frame > 1 && !seen.cut.length && seen.digits >= least && seen.labels >= least) break;
    }}
    found.push(seen);
  }}
  return found;
}}"""


def projected(page: Page, server: str, name: str) -> None:
    page.goto(f"{server}/{address_of(name)}?present=1")
    settle(page)
    expect(page.locator(".stage.present .focus .cell").first).to_be_visible()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", some([*PATH], 6, 2))
def test_a_projected_page_is_its_stage_large_and_whole_at_every_step(
    server: str, open_page: OpenPage, name: str, size: tuple[int, int]
) -> None:
    page = open_page("about:blank", width=size[0], height=size[1], settled=False)
    projected(page, server, name)
    bad = []
    for seen in page.evaluate(WALK, [SIZES[size]]):
        assert seen["cells"]
        few = {part: seen[part] for part in ("digits", "labels") if 0 < seen[part] < SIZES[size]}
        if seen["cut"] or few or seen["scrolls"] or not seen["map"]:
            bad.append((seen["step"], few, seen["map"], seen["cut"][:4]))
    assert not bad, "\n".join(map(str, bad))
