"""The rows that a table of workings draws: how wide they are, and what a row was before."""

import re

import numpy as np
import pytest

from core.attention.setups import Setup
from core.program.labels import parse_cell, plainly
from stage.document.row_tables import WIDEST, TableLine, row_table
from tests.quotes import proves
from tests.sampling import paired


def lines(setup: Setup, array: str, cell: tuple[int, ...]) -> list[TableLine]:
    made = row_table(setup.trace, array, cell)
    return made.rows if made else []


@proves("What {reader} reads: {values} rows times their {weights}, added up")
@pytest.mark.parametrize(("mask", "row"), paired(["causal", "none", "window"], [5, 0, 2]))
def test_each_visible_value_row_is_as_wide_as_its_weight(mask: str, row: int) -> None:
    setup = Setup(preset="river-bank", mask=mask)
    trace = setup.trace
    *parts, total = lines(setup, "context", (1, row, 0))
    seen = np.flatnonzero(trace["mask"][row])
    assert [parse_cell(part.of) for part in parts] == [("V", (1, j, 0)) for j in seen.tolist()]
    for part, weight in zip(parts, trace["weights"][1, row, seen], strict=True):
        drawn = {"<1": 0.5, ">99": 99.5}.get(part.share) or float(part.share)
        assert drawn == pytest.approx(100 * weight, abs=0.5001)
    assert (total.share, total.of) == ("100", f"context.1.{row}.0")
    added = sum(np.array([*map(float, part.cells)]) for part in parts)
    np.testing.assert_allclose(added, trace["context"][1, row], atol=0.0051 * len(parts) + 0.01)
    made = row_table(trace, "context", (1, row, 0))
    assert made
    said = f"What {trace.tokens[row]} reads: value rows times their weights, added up"
    assert plainly("".join(made.title)) == said


@pytest.mark.parametrize("row", range(6))
def test_the_row_of_a_softmax_says_its_largest_score_and_its_total(row: int) -> None:
    trace = Setup(preset="river-bank").trace
    made = row_table(trace, "weights", (1, row, 0))
    assert made
    scores = trace["masked"][1, row]
    said = re.match(r": largest score (\S+), .* add up to (\S+)$", made.title[-1])
    assert said
    largest, total = (float(text.replace("−", "-")) for text in said.groups())
    assert largest == pytest.approx(scores.max(), abs=0.0051)
    assert total == pytest.approx(np.exp(scores - scores.max()).sum(), abs=0.0051 * len(scores))


@proves("What attention changed for {row}: {before}, then {after}")
def test_the_last_step_shows_the_row_before_and_after() -> None:
    setup = Setup(preset="river-bank")
    for row in range(6):
        for line, name in zip(lines(setup, "output", (row, 0)), ("X", "output"), strict=True):
            numbers = [float(text) for text in line.cells]
            np.testing.assert_allclose(numbers, setup.trace[name][row], atol=0.0051)
            assert line.of == f"{name}.{row}.0"
            assert line.label == {"X": "before", "output": "after"}[name]
        made = row_table(setup.trace, "output", (row, 0))
        assert made
        said = f"What attention changed for {setup.trace.tokens[row]}: X, then output"
        assert plainly("".join(made.title)) == said


def test_rows_whose_numbers_have_no_names_are_not_compared() -> None:
    assert not lines(Setup(), "output", (2, 0))
    assert not lines(Setup(edits={"Q": np.ones((2, 6, 4))}), "output", (2, 0))


@proves("before: drawn at random")
def test_a_row_drawn_at_random_is_named_so_before_and_after() -> None:
    setup = Setup(preset="river-bank", text="zebra sat by the river")
    names = [lines(setup, "output", (row, 0))[0].label for row in range(5)]
    assert names == ["before: drawn at random", *["before"] * 4]


@proves("{weight} for the {count} other rows")
@pytest.mark.parametrize(("mask", "row"), [("causal", 15), ("causal", 16), ("none", 15)])
def test_the_heaviest_value_rows_are_drawn_and_others_told_together(mask: str, row: int) -> None:
    text = "we sat by the river and we saw the boat and the tree and the fish by the river bank"
    setup = Setup(preset="river-bank", text=text, mask=mask)
    trace = setup.trace
    *parts, total = lines(setup, "context", (0, row, 0))
    weights = trace["weights"][0, row]
    seen = len(trace.tokens) if mask == "none" else row + 1
    assert (total.share, total.of) == ("100", f"context.0.{row}.0")
    if seen <= WIDEST:
        assert len(parts) == seen
        return
    *heavy, others = parts
    places = [int((parse_cell(part.of) or ("", (0, 0)))[1][1]) for part in heavy]
    assert places == sorted(places)
    left = sorted({*range(seen)} - {*places})
    assert weights[places].min() >= weights[left].max()
    share, of = re.match(r"([\d.]+) for the (\d+) other rows", others.label).groups()  # type: ignore[union-attr]
    assert int(of) == len(left)
    assert float(share) == pytest.approx(weights[left].sum(), abs=0.0051)
    assert float(others.share) == pytest.approx(100 * weights[left].sum(), abs=0.51)
    assert others.of == ""
    mixed = sum(weights[at] * trace["V"][0, at] for at in left)
    np.testing.assert_allclose([float(t) for t in others.cells], mixed, atol=0.0051)
