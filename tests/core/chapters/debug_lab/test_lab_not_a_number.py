"""A run with NaN in it: the case of softmax that has no answer for an empty row."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.chapters.debug_lab.lab import CASES, first_difference
from core.operations.softmax import softmax
from core.operations.wrong_operations import plain_softmax
from core.program.code.script import notebook, numpy_script
from core.program.explanations import explain
from core.program.trace import Trace
from stage.document.row_tables import row_table
from tests.core.chapters.debug_lab.test_lab import both
from tests.core.program.test_explanations import check
from tests.core.properties import check_inverse, every_cell
from tests.sampling import examples


@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.integers(1, 7), st.floats(0, 1))
@examples(10)
def test_the_plain_formula_is_pytorchs(seed: int, heads: int, T: int, visible: float) -> None:
    draw = np.random.default_rng(seed)
    scores = np.where(draw.random((T, T)) < visible, draw.normal(0, 5, (heads, T, T)), -np.inf)
    weights = plain_softmax().forward(scores)
    expected = torch.tensor(scores).softmax(-1).numpy()
    np.testing.assert_allclose(weights, expected, rtol=0, atol=1e-12)
    empty = np.isneginf(scores.max(axis=-1))
    np.testing.assert_array_equal(np.isnan(weights), np.repeat(empty[..., None], T, -1))
    np.testing.assert_array_equal(weights[~empty], softmax().forward(scores)[~empty])


@pytest.fixture(scope="module")
def with_nan() -> Trace:
    return both("plain")[1]


def test_nan_fills_the_row_its_context_and_its_output_and_nothing_else(with_nan: Trace) -> None:
    right, _ = both("plain")
    for array in right:
        hit = np.isnan(with_nan[array])
        filled = array in ("weights", "context", "concat", "output")
        assert hit[..., 0, :].all() == hit.any() == filled, array
        np.testing.assert_array_equal(with_nan[array][~hit], right[array][~hit])
        assert hit.sum() == (hit[..., 0, :].size if filled else 0)
    found = first_difference(right, with_nan)
    assert found is not None
    assert (found.array, found.cell, found.count) == ("weights", (0, 0, 0), 2 * 6)
    assert first_difference(with_nan, with_nan) is None


def test_nan_leaves_float_noise_as_it_was(with_nan: Trace) -> None:
    small = {i.name: np.array(with_nan[i.name]) for i in with_nan.program.inputs}
    small["W_V"] *= 1e-6
    right, wrong = (program.run(small) for program in CASES["plain"].programs())
    assert wrong.noise == right.noise
    assert wrong.noise["context"] < 1e-12


def test_every_line_of_a_run_with_nan_evaluates_as_printed(with_nan: Trace) -> None:
    long = both("plain", " ".join("abcdefghijklmnopqr"))[1]
    for trace, deepest in ((with_nan, 6), (long, 1)):
        for array, cell in every_cell(trace):
            if max(cell) < deepest:
                check(trace, array, cell)
    assert explain(with_nan, "weights", (0, 0, 1)).plain == [
        "max(-inf, -inf, -inf, -inf, -inf, -inf) = -inf",
        *["exp(-inf - (-inf)) = NaN"] * 6,
        "NaN + NaN + NaN + NaN + NaN + NaN = NaN",
        "NaN / NaN = NaN",
    ]
    assert explain(with_nan, "weights", (0, 2, 0)).plain == ["exp(-inf) = 0"]
    assert explain(with_nan, "output", (0, 1)).latex[-1] == r"&= \mathrm{NaN}"


def test_the_words_say_where_nan_begins_and_where_it_came_from(with_nan: Trace) -> None:
    assert explain(with_nan, "weights", (0, 0, 3)).words.endswith("NaN begins here.")
    assert "its weight 0" not in explain(with_nan, "masked", (0, 0, 3)).words
    assert "its weight 0" in explain(with_nan, "masked", (0, 2, 0)).words
    assert "largest" not in explain(with_nan, "context", (0, 0, 1)).words
    for array, cell, source in (
        ("context", (0, 0, 1), "weights[The, The] of head 1"),
        ("concat", (0, 2), "context[The, 1] of head 2"),
        ("output", (0, 1), "concat[The, 1]"),
    ):
        assert explain(with_nan, array, cell).words.endswith(f"It is NaN because {source} is.")
    for name, at in every_cell(with_nan):
        told = explain(with_nan, name, at)
        assert "nan" not in f"{told.title}{told.words}{told.feeds}{told.latex}{told.plain}"
        if not np.isnan(with_nan[name][at]):
            assert "NaN" not in told.words


def test_a_nan_comes_from_all_that_its_formula_reads(with_nan: Trace) -> None:
    row = [(0, 0, j) for j in range(6)]
    for j in range(6):
        assert with_nan.sources("weights", (0, 0, j)) == {"masked": row}
        assert with_nan.uses("masked", (0, 0, j)) == {"weights": row}
    assert with_nan.sources("masked", (0, 0, 3)) == {"mask": [(0, 3)]}
    assert with_nan.sources("weights", (0, 3, 0)) == {"masked": [(0, 3, 0)]}
    assert with_nan.sources("context", (0, 0, 1)) == {
        "weights": row, "V": [(0, j, 1) for j in range(6)],
    }  # fmt: skip
    assert with_nan.sources("context", (0, 1, 1)) == {"weights": [(0, 1, 1)], "V": [(0, 1, 1)]}
    check_inverse(with_nan)


def test_the_row_at_work_is_shown_where_it_is_nan(with_nan: Trace) -> None:
    nan, visible = (row_table(with_nan, "weights", (0, i, 0)) for i in (0, 2))
    assert nan is not None
    assert visible is not None
    assert nan.title[-1].endswith("largest score −∞; exponentials add up to NaN")
    assert [row.cells for row in nan.rows] == [["-inf"] * 6, ["NaN"] * 6, ["NaN"] * 6]
    assert visible == row_table(both("plain")[0], "weights", (0, 2, 0))


def test_the_script_expects_nan_and_stops_where_there_is_none(with_nan: Trace) -> None:
    for source in (numpy_script(with_nan), notebook(with_nan)):
        assert source.count("np.nan") == 2 * 6 + 3 * 4
    assert r"\\operatorname{plain\\ softmax}" in notebook(with_nan)
    code = numpy_script(with_nan)
    exec(code, {})
    for guarded in ("np.nan_to_num(plain_softmax(masked))", "np.full((2, 6, 6), np.nan)"):
        broken = code.replace("weights = plain_softmax(masked)", f"weights = {guarded}")
        assert broken != code
        with pytest.raises(AssertionError, match="weights"):
            exec(broken, {})
