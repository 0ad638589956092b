"""A worksheet is solved from its own text, and its key has the same numbers."""

import math
import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core import InputError, Trace
from core.attention.examples.presets import PRESETS
from core.attention.masks import KINDS, SIZES
from core.attention.setups import Setup
from core.hash_random import Draw
from core.program.numbers.display import shown_matrix
from core.program.numbers.rounding import typeset
from core.program.patterns import Cell
from stage.paper.worksheet import ALL, HALF, ROW, worksheet
from tests.core.support import refuses, toy_run
from tests.quotes import proves
from tests.sampling import examples, paired, some
from tests.stage.solving import Pupil, Sheet

AMOUNTS = (ALL, HALF, ROW)
SCALES = (True, False, 0.5, 0.1, 2.75, 0.003, 1e-5)
WORDS = ["the", "cat", "sat", "on", "a", "mat", "and", "saw", "<b>", "more", "mice", "that", "ran"]
TRACE = Setup(kv_heads=1).trace


def check(page: str) -> Sheet:
    """The sheet is solved from its text; the key has those numbers, and what else is printed."""
    sheet = Sheet(page)
    solved = Pupil(sheet).solve()
    count = sum(len(table.blanks) for table in sheet.tables)
    cells = "the empty cell" if count == 1 else f"the {count} empty cells"
    assert f"Work out {cells}." in sheet.text["sheet"]
    assert count
    asked = [(table, found) for table, found in zip(sheet.tables, solved, strict=True) if found]
    for (table, found), key in zip(asked, sheet.key, strict=True):
        assert (table.title, table.small, table.blanks) == (key.title, key.small, key.blanks)
        for i, row in enumerate(table.cells):
            told = [text for text, _ in key.cells[i]]
            assert told == [found.get((i, j), text) for j, (text, _) in enumerate(row)], table.title
    assert not re.search(r"\*|\de[-−\d]", "".join(sheet.text.values()))
    assert given_away(sheet) == []
    return sheet


def given_away(sheet: Sheet) -> list[str]:
    """The empty cells whose number is printed: in the same matrix once more, or after the mask."""
    printed = {(table.name, table.heads): table for table in sheet.tables}
    found = [table.name for table in sheet.tables if table not in printed.values()]
    for (name, heads), table in printed.items():
        masked = printed.get(("masked", heads)) if name == "scaled" else None
        for i, j in table.blanks if masked else ():
            if masked and masked.cells[i][j][0] not in ("", "−∞"):
                found.append(f"masked[{i}, {j}] is the empty scaled[{i}, {j}]")
    return found


def pages(trace: Trace, slices: Cell | None = (0,), **chosen: object) -> str:
    return worksheet(trace, list(trace.steps), slices=slices, **chosen)  # type: ignore[arg-type]


@proves("""
    Combine only matrices of the same {word}; an unmarked matrix is for every {word} | There are
    {heads}; this sheet is about {word} {number} | Work out the {count} empty cells. Round the
    number of each cell to two decimals, and go on with the rounded number
""")
@pytest.mark.parametrize(("slices", "amount"), paired([(0,), (1,), None], list(AMOUNTS)))
def test_every_default_step_is_solved_from_its_sheet(slices: Cell | None, amount: str) -> None:
    sheet = check(pages(Setup().trace, slices, amount=amount))
    assert [t.name for t in sheet.key][-2:] == ["concat", "output"]
    assert ("Combine only matrices of the same head" in sheet.text["sheet"]) == (slices is None)
    about = f"There are 2 heads; this sheet is about head {(slices or (0,))[0] + 1}"
    assert (about in sheet.text["sheet"]) == (slices is not None)


EACH = [
    *({"preset": name} for name in some(list(PRESETS), 2)),
    *({"mask": mask} for mask in [*KINDS]),
    *({"scale": scale} for scale in SCALES),
    *({"heads": heads, "kv_heads": shared} for heads, shared in ((8, 2), (4, 4), (1, 1))),
]


@pytest.mark.parametrize(("chosen", "amount"), paired(EACH, AMOUNTS), ids=str)
def test_every_example_mask_and_scale_is_solved(chosen: dict[str, Any], amount: str) -> None:
    check(pages(Setup(**chosen).trace, amount=amount))


def test_a_row_of_a_query_that_sees_no_key_is_solved_from_the_sheet() -> None:
    """Its context has no term left; that it is 0 follows from the row of weights."""
    mask = np.array([[0, 0, 0], [0, 1, 0], [0, 0, 0]], dtype=bool)
    setup = Setup(text="the the the", heads=1, kv_heads=1, mask="custom", edits={"mask": mask})
    for version in range(8):
        sheet = check(worksheet(setup.trace, ["context"], amount=ROW, version=version))
        assert [table.name for table in sheet.tables] == ["V", "weights", "context"]


Drawing = Callable[[st.SearchStrategy[Any]], Any]


def some_numbers(draw: Drawing, shape: tuple[int, ...], decimals: int) -> np.ndarray:
    """Decimal numbers from −2 to 2."""
    drawn = Draw(f"given:{draw(st.integers(0, 99))}")
    units = drawn.around_zero(2 * 10**decimals, int(np.prod(shape)))
    return np.round(units / 10**decimals, decimals).reshape(shape)


def some_setup(draw: Drawing) -> Setup:
    """What may be chosen on the walkthrough, as far as it fits the paper."""
    heads = draw(st.sampled_from((1, 2, 4)))
    count = draw(st.integers(3, 14))
    text = " ".join(draw(st.lists(st.sampled_from(WORDS), min_size=count, max_size=count)))
    mask = draw(st.sampled_from([*KINDS]))
    setup = Setup(
        text=text, heads=heads, mask=mask,
        kv_heads=draw(st.sampled_from([n for n in (1, 2, 4) if heads % n == 0])),
        sizes={key: draw(st.integers(1, 5)) for key in SIZES},
        scale=draw(st.sampled_from(SCALES)),
        d_model=draw(st.sampled_from((4, 8, 12))), seed=draw(st.integers(0, 99)),
    )  # fmt: skip
    T = len(setup.trace.tokens)
    assume(T <= 16)
    edits: dict[str, np.ndarray] = {}
    if mask == "custom":
        painted = some_numbers(draw, (T, T), 0) > -1
        assume(painted.any())
        edits["mask"] = painted
    for name in draw(st.sets(st.sampled_from(("X", "W_V", "W_O", "Q", "K", "V", "scores")))):
        edits[name] = some_numbers(draw, setup.trace[name].shape, draw(st.integers(0, 4)))
    return replace(setup, edits=edits)


@given(st.data())
@examples(15)
def test_any_sheet_is_solved_from_the_sheet(data: st.DataObject) -> None:
    trace = some_setup(data.draw).trace
    wanted = [phase.names for phase in trace.program.phases] + [list(trace.steps)]
    fitting = [n for n in wanted if any(s in trace.steps and trace[s].dtype != bool for s in n)]
    check(
        worksheet(
            trace, data.draw(st.sampled_from(fitting)),
            slices=data.draw(st.sampled_from([None, *((h,) for h in range(len(trace["Q"])))])),
            amount=data.draw(st.sampled_from(AMOUNTS)), version=data.draw(st.integers(0, 99)),
        )
    )  # fmt: skip


def evaluated(line: str) -> float:
    """A printed line's left side, worked out as it is printed."""
    left = re.split("[=≈]", line)[0].replace("\u00a0", " ")
    code = left.replace("×", "*").replace("−", "-").replace("∞", "inf")
    names = {"exp": math.exp, "sqrt": math.sqrt, "max": max, "inf": math.inf}
    return float(eval(code, {"__builtins__": {}}, names))


def table_of(sheet: Sheet, name: str) -> list[list[str]]:
    (found,) = [table for table in sheet.tables if table.name == name]
    return [[text for text, _ in row] for row in found.cells]


@pytest.mark.parametrize(
    "trace",
    [
        TRACE,
        Setup(preset="P2").trace,
        Setup(edits={"X": np.round(np.sin(np.arange(48.0)).reshape(6, 8), 4)}).trace,
        Setup(scale=1e-5, edits={"W_V": np.full((2, 8, 4), 0.0005)}).trace,
        Setup(preset="P5-previous").trace,
    ],
)
def test_the_sums_are_told_if_they_are_asked_for_and_end_in_the_key(trace: Trace) -> None:
    assert not Sheet(pages(trace)).lines
    sheet = check(pages(trace, sums=True))
    cells = [table.cells[i][j][0] for table in sheet.key for i, j in table.blanks]
    assert len(sheet.lines) == len(cells)
    for told, text in zip(sheet.lines, cells, strict=True):
        _, *lines = told.strip().split("\n")
        assert re.split("[=≈] ", lines[-1])[-1] == text
        for line in lines:
            # So many decimals a number of a sum has at most: 0.00000000206.
            assert all(len(part) <= 12 for part in re.findall(r"\.(\d+)", line)), line
            right = re.split("[=≈] ", line)[-1]
            unit = 10.0 ** -len(right.partition(".")[2])
            assert evaluated(line) == pytest.approx(evaluated(right), abs=unit / 2 + 1e-9), line


@pytest.mark.parametrize("decimals", some([0, 1, 2, 3, 5, 6], 2, 1))
def test_what_is_given_is_printed_in_full(decimals: int) -> None:
    given = np.round(np.sin(np.arange(48.0)).reshape(6, 8), decimals)
    sheet = check(pages(Setup(edits={"X": given}).trace))
    printed = [[float(text.replace("−", "-")) for text in row] for row in table_of(sheet, "X")]
    np.testing.assert_array_equal(np.array(printed), given)
    assert "are rounded to" not in sheet.text["sheet"]


def test_what_would_be_too_long_is_rounded_and_the_sheet_says_so() -> None:
    sheet = check(pages(Setup(preset="P2").trace))
    assert table_of(sheet, "scores")[0] == ["0.00", "0.693147", "1.098612"]
    assert "Given numbers are rounded to 6 decimals." in sheet.text["sheet"]


def test_a_number_that_is_given_of_a_step_is_as_the_stage_shows_it() -> None:
    trace = Setup(text="red green blue", mask="none").trace
    sheet = check(worksheet(trace, ["context"], slices=(1,)))
    shown = [[typeset(text) for text in row] for row in shown_matrix(trace, "weights", (1,))]
    assert table_of(sheet, "weights") == shown


@pytest.mark.parametrize("amount", [HALF, ROW])
def test_no_empty_cell_is_copied_to_another_one_that_is_printed(amount: str) -> None:
    sheet = check(pages(Setup(scale=False).trace, amount=amount))
    blanks = {table.name: table.blanks for table in sheet.key}
    hidden = [(i, j) for i, j in blanks["scaled"] if j <= i]
    assert (blanks["scores"], blanks["masked"]) == (blanks["scaled"], hidden)
    assert blanks["concat"] == blanks["context"]


@pytest.mark.parametrize("version", some(range(6), 2))
def test_a_matrix_without_an_empty_cell_is_given_if_it_is_needed(version: int) -> None:
    mask = np.zeros((3, 3), bool)
    mask[2, 0] = True
    setup = Setup(text="red green blue", mask="custom", edits={"mask": mask})
    sheet = check(pages(setup.trace, amount=HALF, version=version))
    assert all(table.blanks for table in sheet.key)


def test_one_row_is_the_same_row_in_every_matrix_and_half_is_half_by_version() -> None:
    sheet = check(pages(Setup().trace, None, amount=ROW))
    assert len({i for table in sheet.key for i, _ in table.blanks}) == 1
    half = partial(worksheet, TRACE, ["Q", "weights"], slices=(1,), amount=HALF)
    blanks = [[table.blanks for table in check(half(version=n)).key] for n in (0, 1, 0)]
    assert blanks[0] == blanks[2] != blanks[1]
    assert [*map(len, blanks[0])] == [12, 11]


def test_tokens_are_text() -> None:
    page = pages(Setup(text="The <b>cat</b> & a <script>").trace)
    assert "<script" not in page
    assert "<b>" not in page


@proves("a sheet holds numbers below {most} | {title} is too wide for the paper")
def test_what_does_not_fit_the_paper_is_refused() -> None:
    refuses("17 × ", worksheet, toy_run("a " * 17, 1), ["scores"])
    with pytest.raises(InputError, match=r"Q holds .*; a sheet holds numbers below 1,000,000"):
        pages(Setup(edits={"X": np.full((6, 8), 1e5), "W_Q": np.full((2, 8, 4), 99.5)}).trace)
    long = np.full((6, 16), 0.123456)
    with pytest.raises(InputError, match="X is too wide for the paper"):
        pages(Setup(text=" ".join("abcdefghijklmnop" for _ in range(6)), edits={"X": long}).trace)


def test_what_is_given_is_nothing_to_be_worked_out() -> None:
    for arrays in (["X"], ["mask"]):
        refuses("There is nothing to work out", worksheet, TRACE, arrays)
    blind = Setup(mask="custom", edits={"mask": np.zeros((6, 6), bool)}).trace
    for amount in AMOUNTS:
        refuses("There is nothing to work out", worksheet, blind, ["weights"], amount=amount)


def test_given_scores_are_given() -> None:
    sheet = check(pages(toy_run("red green", 1, pinned={"scores": np.full((1, 2, 2), 1.125)})))
    assert not next(table.blanks for table in sheet.tables if table.name == "scores")
    assert table_of(sheet, "scores") == [["1.125"] * 2] * 2
