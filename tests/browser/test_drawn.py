"""What is drawn is what the core computed: colours, differences, tables.

Each cell says by its hook which cell of the run it stands for, and is compared with that one. Its
number and its head are looked at on every program's stage (test_drawn_everywhere.py).
"""

import math
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from core import Trace
from core.attention.masks import OFFERED_SIZES
from core.attention.setups import Setup
from core.program.numbers.display import shown
from core.program.numbers.rounding import cell_text
from tests.browser.conftest import BrowserWith, OpenPage
from tests.browser.drawn import Drawn, aloud, cells, plain
from tests.browser.page import settle
from tests.browser.stage import expect_step
from tests.browser.tabs import Theme
from tests.sampling import some

SIGNED = ("X", "W_Q", "W_K", "W_V", "W_O", "Q", "K", "V", "scores", "scaled", "masked", "context",
          "output")  # fmt: skip


def at_steps(page: Page, *steps: str) -> Iterator[tuple[str, list[Drawn]]]:
    """The cells of one step after the other; the page is at the first, and they are neighbours."""
    for step in steps:
        if step != steps[0]:
            page.keyboard.press("PageDown")
        expect_step(page, step)
        yield step, cells(page)


@cache
def run(**settings: Any) -> Trace:
    sizes = {key: settings.pop(key) for key in OFFERED_SIZES if key in settings}
    return Setup(**settings, sizes=sizes).trace


@dataclass(frozen=True)
class Walk:
    """All that is drawn on the way from the projections to the output, and the run behind it."""

    trace: Trace = field(repr=False)
    head: int
    theme: str
    drawn: list[Drawn] = field(repr=False)


WALKS: list[tuple[dict[str, Any], int, Theme]] = [
    ({"heads": 2, "kv_heads": 2}, 2, "light"),
    ({"heads": 4, "kv_heads": 2, "mask": "window", "window": 4, "seed": 3}, 3, "dark"),
]


@pytest.fixture(
    scope="module", params=some(WALKS, 2, 1), ids=some(["two heads", "shared keys"], 2, 1)
)
def walk(server: str, browser_with: BrowserWith, request: pytest.FixtureRequest) -> Walk:
    settings, head, theme = request.param
    with browser_with("wide").new_context(color_scheme=theme, reduced_motion="reduce") as context:
        page = context.new_page()
        page.goto(f"{server}/?{urlencode(settings)}&head={head}&step=Q")
        settle(page)
        steps = ("Q", "scores", "scaled", "masked", "weights", "context", "output")
        drawn = [one for _, found in at_steps(page, *steps) for one in found]
    return Walk(run(**settings), head - 1, theme, drawn)


# Colours


def tint_of_zero(walk: Walk) -> int:
    (tint,) = {
        one.tint
        for one in walk.drawn
        if one.matrix in SIGNED and not one.hatched and walk.trace[one.matrix][one.cell] == 0
    }
    return tint


def test_a_colour_says_the_sign_and_the_size_of_its_number(walk: Walk) -> None:
    nothing, strongest = tint_of_zero(walk), []
    for name in SIGNED:
        for part in ("focus", "strip"):
            live = {
                one.id: (float(walk.trace[name][one.cell]), one.tint - nothing)
                for one in walk.drawn
                if (one.matrix, one.part) == (name, part) and not one.hatched
            }
            scale = np.abs(walk.trace["scores" if name in ("scaled", "masked") else name]).max()
            for value, tint in live.values():
                if abs(value) > scale / 20:
                    assert abs(tint) > 2
                    assert (tint > 0) == (value > 0)
            for (_, less), (_, more) in pairwise(sorted(live.values())):
                assert less <= more + 1, name
            assert_stronger(live.values(), float(scale))
            strongest += [abs(tint) for _, tint in live.values()]
    assert max(strongest) > 90


def assert_stronger(pairs: Collection[tuple[float, int]], scale: float) -> None:
    """Of two numbers of one sign, the clearly larger one has the stronger colour."""
    for sign in (1, -1):
        mine = sorted((sign * value, sign * tint) for value, tint in pairs if sign * value > 0)
        for value, tint in mine:
            assert all(other > tint for more, other in mine if more > value + scale / 10)


def test_a_cell_has_one_colour_wherever_and_whenever_it_is_drawn(walk: Walk) -> None:
    found: dict[str, set[tuple[int, ...]]] = {}
    for one in walk.drawn:
        if not one.hatched:
            assert one.rgba[3] == 255
            found.setdefault(one.id, set()).add(tuple(one.rgba))
    assert all(len(colours) == 1 for colours in found.values())
    parts = {(one.id, one.part) for one in walk.drawn}
    assert len(parts) > len({one.id for one in walk.drawn}) > 200


def test_what_is_hidden_is_hatched_and_nothing_else(walk: Walk) -> None:
    for one in walk.drawn:
        by_mask = one.matrix in ("mask", "masked", "weights")
        assert one.hatched == (by_mask and not walk.trace["mask"][one.cell[-2:]]), one


def test_a_weight_is_the_darker_the_larger_its_share_and_on_black_the_lighter(walk: Walk) -> None:
    for part in ("focus", "strip"):
        rising = sorted(
            (float(walk.trace["weights"][one.cell]), one.depth, sum(one.rgba))
            for one in walk.drawn
            if (one.matrix, one.part) == ("weights", part) and not one.hatched
        )
        for (_, pale, before), (_, strong, after) in pairwise(rising):
            assert pale <= strong + 1
            assert before >= after - 2 if walk.theme == "light" else before <= after + 2
        for share, depth, _ in rising:
            assert all(other > depth for more, other, _ in rising if more > share + 0.1)
        assert rising[-1][0] == 1
        assert rising[-1][1] - rising[0][1] > 60


def test_a_number_keeps_its_colour_behind_the_mask_and_pales_as_it_is_scaled(walk: Walk) -> None:
    trace, nothing = walk.trace, tint_of_zero(walk)
    sizes = np.abs(trace["scaled"])
    assert sizes[:, ~trace["mask"]].max() > 1.15 * sizes[:, trace["mask"]].max()
    colours = {one.id: one for one in walk.drawn if one.matrix in ("scores", "scaled", "masked")}
    strong = np.abs(trace["scores"]).max() / 4
    paled = 0
    for i, j in np.ndindex(trace["mask"].shape):
        cell = walk.head, i, j
        raw, scaled, masked = (colours[f"{n}.{walk.head}.{i}.{j}"] for n in ELEMENTWISE)
        if trace["mask"][i, j]:
            assert scaled.rgba == masked.rgba, cell
        if abs(trace["scores"][cell]) > strong:
            paled += 1
            left = (scaled.tint - nothing) / (raw.tint - nothing)
            ratio = trace["scaled"][cell] / trace["scores"][cell]
            np.testing.assert_allclose(left, ratio, rtol=0, atol=0.15)
    assert paled >= 2


ELEMENTWISE = ("scores", "scaled", "masked")


# Differences


FLIPS: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"mask": "causal"}, {"mask": "none"}, "mask"),
    ({"mask": "none"}, {"mask": "causal"}, "mask"),
    ({"scale": False}, {"scale": True}, "scale"),
]


@pytest.mark.parametrize(("settings", "flipped", "compare"), some(FLIPS, len(FLIPS)))
def test_a_difference_is_what_is_here_less_what_is_there(
    open_page: OpenPage, settings: dict[str, Any], flipped: dict[str, Any], compare: str
) -> None:
    head, here, there = 2, run(**settings), run(**flipped)
    words = {key: {False: "off"}.get(value, value) for key, value in settings.items()}
    link = urlencode({**words, "head": head, "compare": compare, "step": "scaled"})
    page = open_page(f"?{link}", reduced_motion="reduce")
    met = dict.fromkeys("+−(", 0)
    for step, drawn in at_steps(page, "scaled", "masked", "weights", "context", "output"):
        for one in drawn:
            if one.part != "focus" or here[one.matrix].dtype == bool:
                assert not one.change
                continue
            a, b = here[one.matrix][one.cell], there[one.matrix][one.cell]
            if a == b or one.change == "":
                assert (one.change, "changed" in one.label) == ("", False), one
                assert a == b or abs(a - b) < 1e-9, one
            elif math.isinf(a) or math.isinf(b):
                assert plain(one.change) == f"({shown(there, one.matrix, one.cell)})", one
            else:
                assert one.change[0] == ("+" if a > b else "−"), one
                assert plain(one.change[1:]) == cell_text(abs(a - b)), one
                assert one.label.endswith(f", changed by {aloud(one.change)}"), one
            if one.change:
                met[one.change[0]] += 1
        badges = " ".join(page.locator(".badge").all_inner_texts())
        check_compared(badges, here, there, step, head - 1)
    assert met["+"] >= 20
    assert met["−"] >= 20
    assert (met["("] > 0) == (compare == "mask")


def check_compared(said: str, here: Trace, there: Trace, step: str, head: int) -> None:
    """How many numbers of the step's matrix differ, and by how much at most, is so."""
    match = re.search(r"(\d+) of (\d+) numbers of (\w+) differs?(?:, by up to (\S+))?", said)
    assert match is not None, said
    differ, size, name, most = match.groups()
    a, b = ((t[name][head] if t[name].ndim == 3 else t[name]) for t in (here, there))
    assert (name, int(size)) == (step, a.size)
    assert int(differ) == (a != b).sum()
    both = np.isfinite(a) & np.isfinite(b)
    assert plain(most or "0.00") == cell_text(np.abs(a[both] - b[both]).max())


# Tables


def table(page: Page) -> list[tuple[str, list[str]]]:
    """The rows of the table beside the stage, each with its label."""
    expect(page.locator(".workings table")).to_have_count(1)
    rows = page.locator(".workings table tr").evaluate_all(
        """(rows) => rows.map((row) => [...row.querySelectorAll(":scope > :not(.strip-of)")]
          .map((cell) => cell.textContent))"""
    )
    return [(row[0], row[1:]) for row in rows]


STRIPS = """(stage) => {
  const look = (part) => getComputedStyle(part).backgroundColor;
  return [...stage.querySelectorAll(".workings .bar")].map((bar) => {
    const box = bar.getBoundingClientRect(), room = bar.parentNode.getBoundingClientRect();
    const [left, width] = [room.left + 6, room.width - 12]; // beside what is around it
    return [(box.left - left) / width, box.width / width, [...bar.children].map(look)];
  });
}"""
LOOKS = "(cells) => cells.map((cell) => getComputedStyle(cell).backgroundColor)"


def rows_are_strips(page: Page, trace: Trace, at: tuple[int, int, int]) -> None:
    """As wide as their weights, each from where the one above ends; their sum is as wide as all."""
    (h, group, row), weights = at, trace["weights"][at[0], at[2]]
    *parts, total = page.get_by_test_id("stage").evaluate(STRIPS)
    for j, (start, wide, _) in enumerate(parts):
        expected = [weights[:j].sum(), weights[j]]
        np.testing.assert_allclose([start, wide], expected, rtol=0, atol=0.03)
    np.testing.assert_allclose(total[:2], [0, 1], rtol=0, atol=0.03)
    names = [*(f"V.{group}.{j}" for j in range(len(parts))), f"context.{h}.{row}"]
    for name, (*_, looks) in zip(names, [*parts, total], strict=True):
        assert looks == page.locator(f'.focus [data-cell^="{name}."]').evaluate_all(LOOKS), name


def test_tables_have_rows_of_the_heads_own_values_and_of_its_softmax(open_page: OpenPage) -> None:
    trace, (h, group, row) = run(heads=4, kv_heads=2), (3, 1, 4)
    page = open_page(f"?heads=4&kv_heads=2&step=context&cell=context.{h}.{row}.1", step="context")
    (_, features), *parts, (_, total) = table(page)
    assert features == [str(v + 1) for v in range(trace["V"].shape[-1])]
    assert len(parts) == row + 1
    tokens = ["The", "cat", "sat", "on", "the", "mat"]
    for j, (label, printed) in enumerate(parts):
        weight, values = trace["weights"][h, row, j], trace["V"][group, j]
        assert label == f"{shown(trace, 'weights', (h, row, j))} × V[{tokens[j]}]"
        assert [plain(text) for text in printed] == [cell_text(weight * v) for v in values]
    context = trace["context"][h, row]
    assert [plain(text) for text in total] == [cell_text(value) for value in context]
    rows_are_strips(page, trace, (h, group, row))

    page.keyboard.press("PageUp")
    expect_step(page, "weights")
    (_, names), (_, scores), (reckoned, powers), (_, shares) = table(page)
    assert names == tokens
    expect(page.locator(".workings caption .token")).to_have_text(tokens[row])
    masked, weights = trace["masked"][h, row], trace["weights"][h, row]
    np.testing.assert_allclose([float(plain(s)) for s in scores], masked, rtol=0, atol=0.0051)
    # With the digits that stand there the exponentials come out as printed.
    largest = float(plain(reckoned.partition("(masked − ")[2].strip("()")))
    for score, power in zip(scores, powers, strict=True):
        decimals = len(power.partition(".")[2]) or 2
        printed_power = math.exp(float(plain(score)) - largest)
        off = abs(printed_power - float(plain(power)))
        assert off <= 0.5000001 * 10**-decimals, (score, power)
    exact = np.exp(masked - masked.max())
    np.testing.assert_allclose([float(plain(p)) for p in powers], exact, rtol=0, atol=0.02)
    np.testing.assert_allclose([float(plain(s)) for s in shares], weights, rtol=0, atol=0.0051)
