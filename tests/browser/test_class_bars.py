"""Bars of a class of sixty on the projector: a few votes are seen from the back of the room."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenPage
from tests.browser.test_room import SIZES, a_class, bars, whole
from tests.sampling import some
from ui.classroom.store.rooms import ANSWER, BARS, Rooms

STUDENTS, FEW = 60, 6
OTHERS = ("3", "4", "5", "7", "9", "12", "0.5", "-3") * 3
SCENE = "?preset=P4&step=scaled&cell=scaled.0.1.0&cover=scaled&lesson=class.3"
CASES = {
    "two numbers": (SCENE, ["1.15"] * (STUDENTS - FEW) + ["2"] * FEW),
    "many numbers": (SCENE, ["1.15"] * 30 + ["2"] * FEW + [*OTHERS]),
    "options": (
        "softmax?question=softmax-change.3",
        ["The largest weight shrinks"] * (STUDENTS - FEW) + ["No weight changes"] * FEW,
    ),
    "a long working": ("dot-products?question=cosine.3", ["0.5"] * 54 + ["0.7"] * FEW),
}
SEEN = """(table) => {
  const tops = (one) => [...written(one).getClientRects()].map(({ top }) => Math.round(top));
  const rows = [...table.querySelectorAll("tbody tr")].map((row) => [...row.querySelectorAll("td")]
    .map((cell) => [cell.textContent, cell.querySelector("i").getBoundingClientRect().width]));
  const drawn = [...table.querySelectorAll("i")];
  return {
    lines: [...table.querySelectorAll("thead th")].map((one) => new Set(tops(one)).size),
    bars: rows.flat().map(([times, width]) => [Number(times), width]),
    ends: Math.max(...drawn.map((one) => one.getBoundingClientRect().right)),
  };
}"""
"""In how many lines each heading is, how long each bar is, and where the longest ends."""


@pytest.mark.parametrize("size", some(SIZES, 2))
@pytest.mark.parametrize("name", some([*CASES], 4, 2))
def test_bars_have_the_width_of_the_screen_and_headings_one_line(
    store: Rooms, open_page: OpenPage, name: str, size: tuple[int, int]
) -> None:
    link, given = CASES[name]
    code, key = a_class(store, link, STUDENTS)
    for n, text in enumerate(given):
        store.answer(code, 1, f"s{n}", text)
    page = open_page(f"room?room={code}", size=size)
    for votes in (1, 2):
        if votes == 2:
            store.open_second_vote(code, key)
            for n, text in enumerate(given):
                store.answer(code, 1, f"s{n}", text)
        store.close_vote(code, key)
        for shown in (BARS, ANSWER):
            store.show(code, key, shown)
            expect(bars(page).get_by_text(f"Vote {votes}: {STUDENTS} answers")).to_be_visible()
            whole(page, 18 * size[1] / 720)
            seen = bars(page).evaluate(SEEN)
            assert seen["lines"] == [1] * votes
            assert seen["ends"] > 0.85 * size[0]
            most = max(times for times, _ in seen["bars"])
            longest = max(width for _, width in seen["bars"])
            assert longest >= 0.45 * size[0] / votes
            for times, width in seen["bars"]:
                assert width == pytest.approx(longest * times / most, abs=5)
