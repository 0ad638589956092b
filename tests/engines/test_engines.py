"""Every stage stands in Firefox and in WebKit, with its numbers, and does what it has to."""

import re
from pathlib import Path

import pytest

from core.attention.setups import Setup
from core.path import PATH
from core.program.numbers.display import shown
from stage import show
from tests.engines.engine import Engine
from ui.links.path import BESIDE, address_of

SIZES = ((1440, 900), (390, 844))
READY = """seen('.focus .cell').length
  && seen('.focus .cell').every((cell) => cell.innerText.trim())
  && !document.querySelector('[data-stale=true]')"""
FITS = """(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)(
  document.querySelector("[data-testid=stMain]"))"""
TRACE = Setup().trace


def opened(engine: Engine, server: str, address: str, size: tuple[int, int]) -> None:
    engine.go(server, address, size)
    engine.wait(READY)


def cells(engine: Engine, array: str, framed: bool = True) -> dict[str, str]:
    """The numbers of an array in the focus, by cell."""
    script = f"""return seen('.focus [data-matrix="{array}"] [role=gridcell]')
      .map((cell) => [cell.dataset.cell, cell.innerText.trim()]);"""
    return {cell: text.split("\n")[0] for cell, text in engine.run(script, framed)}


def expected(array: str) -> dict[str, str]:
    """The same of the first head, as the core prints them."""
    rows, cols = TRACE[array].shape[-2:]
    at = [(0, i, j) for i in range(rows) for j in range(cols)]
    texts = {cell: shown(TRACE, array, cell) for cell in at}
    return {
        ".".join([array, *map(str, cell)]): text.replace("-inf", "−∞").replace("-", "−")
        for cell, text in texts.items()
    }


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", [*PATH, *BESIDE])
def test_every_page_stands_with_its_numbers(
    engine: Engine, server: str, name: str, size: tuple[int, int]
) -> None:
    engine.go(server, address_of(name), size)
    engine.wait("document.querySelector('.st-key-page_footer a')")
    if engine.run("return !!stage();"):
        engine.wait(READY)
    assert engine.run("return seen('[data-testid=stException], .refused').length;") == 0
    engine.wait(FITS)


@pytest.mark.parametrize("size", SIZES)
def test_a_step_a_toggle_and_the_ribbon(engine: Engine, server: str, size: tuple[int, int]) -> None:
    opened(engine, server, "?step=scores", size)
    assert cells(engine, "scores") == expected("scores")
    engine.run("stage().root.querySelector('[data-action=next]').click();")
    engine.wait("stage().root.dataset.step === 'scaled'")
    engine.run("stage().go('weights', false);")
    engine.wait("stage().root.dataset.step === 'weights'")
    assert cells(engine, "weights") == expected("weights")
    said = engine.run("return all('[data-testid=ribbon]')[0].textContent;")
    assert "reads most from" in said
    arcs = "stage().root.querySelectorAll('[data-arc]').length"
    assert engine.run(f"return {arcs};") == 3
    engine.run("all('[data-control=mask] [data-value=none]')[0].click();")
    engine.wait(f"{arcs} === 6")
    hidden = "seen('.focus [data-matrix=weights] .masked').length"
    assert engine.run(f"return {hidden};") == 0


@pytest.mark.parametrize("size", SIZES)
def test_a_cell_s_arithmetic_is_drawn_as_mathematics(
    engine: Engine, server: str, size: tuple[int, int]
) -> None:
    opened(engine, server, "?step=scores&cell=scores.0.2.1", size)
    engine.wait("seen('[data-testid=arithmetic] math').length > 2")
    told = engine.run("return all('[data-testid=arithmetic] .maths')[0].ariaLabel")
    assert re.search(r"≈ -0\.31$|= -0\.31$", told), told
    low, high = engine.run("""const box = (node) => node.getBoundingClientRect();
      const heights = seen('[data-testid=arithmetic] mn').map((node) => box(node).height);
      return [Math.min(...heights), Math.max(...heights)];""")
    assert 8 < low <= high < 60
    engine.run("all('.focus [data-cell=\"scores.0.3.1\"]')[0].click();")
    engine.wait("all('[data-testid=arithmetic]')[0].ariaLabel.includes('on, cat')")


@pytest.mark.parametrize("size", SIZES)
def test_a_cover_hides_and_is_lifted(engine: Engine, server: str, size: tuple[int, int]) -> None:
    opened(engine, server, "?step=scores&cover=scores.2", size)
    covered = "seen('.focus .cell.covered').length"
    engine.wait(f"{covered} === 6")
    engine.run("stage().root.querySelector('[data-action=next]').click();")
    engine.wait(f"{covered} === 0")


@pytest.mark.parametrize("size", SIZES)
def test_a_lesson_s_scene_is_there_and_leads_on(
    engine: Engine, server: str, size: tuple[int, int]
) -> None:
    opened(engine, server, "?lesson=from-nothing.6", size)
    engine.wait("document.querySelector('.st-key-lesson').innerText.includes('scene 6 of 15')")
    engine.run("all('.course .next')[0].click();")
    engine.wait("document.querySelector('.st-key-lesson').innerText.includes('scene 7 of 15')")
    engine.wait("stage().root.dataset.step === 'scaled'")


def test_for_paper_there_are_no_controls(engine: Engine, server: str) -> None:
    opened(engine, server, "?step=scores", SIZES[0])
    engine.run("dispatchEvent(new Event('beforeprint'));")
    paper = "stage().root.classList.contains('paper') || !!all('.stage.paper').length"
    engine.wait(paper)
    engine.run("dispatchEvent(new Event('afterprint'));")
    engine.wait(f"!({paper})")


def test_a_page_of_its_own_works_from_a_file(engine: Engine, tmp_path: Path) -> None:
    file = tmp_path / "stage.html"
    show(TRACE).save(file)
    engine.go_to_file(file)
    engine.wait("stage()?.root.querySelector('.focus .cell')", framed=False)
    engine.run("stage().go('weights', false);", framed=False)
    engine.wait("stage().root.dataset.step === 'weights'", framed=False)
    assert cells(engine, "weights", framed=False) == expected("weights")
    engine.run("stage().choose('weights.0.2.1');", framed=False)
    engine.wait("seen('[data-testid=arithmetic] math').length > 2", framed=False)
