"""Each operation equals a plain loop over its definition."""

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import given

from core import attention_program, toy_inputs
from core.operations.masking import keep_visible, mask_fill, mask_fill_by_head
from core.operations.shapes import block, columns, rows
from core.program.trace import Trace
from tests.core.support import cases, random_run
from tests.sampling import examples


def filled(shape: tuple[int, ...], cell: Callable[..., Any]) -> np.ndarray:
    return np.array([cell(*at) for at in np.ndindex(shape)]).reshape(shape)


def by_loops(trace: Trace) -> dict[str, np.ndarray]:
    """Every step, each from the arrays before it, as its definition reads."""
    t = trace
    T, (H, _, d_k), (G, _, d_v) = len(t["X"]), t["W_Q"].shape, t["W_V"].shape
    group, features, joined = H // G, range(t["X"].shape[1]), range(H * d_v)
    scale = t.program.step["scaled"].operation
    factor = getattr(scale, "factor", 1 / math.sqrt(d_k))

    def projected(name: str, width: int, heads: int) -> np.ndarray:
        W, X = t[f"W_{name}"], t["X"]
        return filled(
            (heads, T, width), lambda h, i, k: sum(X[i, m] * W[h, m, k] for m in features)
        )

    def weight(h: int, i: int, j: int) -> Any:
        row = t["masked"][h, i]
        total = sum(math.exp(s - max(row)) for s in row if s > -math.inf)
        return math.exp(row[j] - max(row)) / total if row[j] > -math.inf else 0.0

    return {
        "Q": projected("Q", d_k, H),
        "K": projected("K", d_k, G),
        "V": projected("V", d_v, G),
        "scores": filled(
            (H, T, T),
            lambda h, i, j: sum(t["Q"][h, i, k] * t["K"][h // group, j, k] for k in range(d_k)),
        ),
        "scaled": filled((H, T, T), lambda h, i, j: t["scores"][h, i, j] * factor),
        "masked": filled(
            (H, T, T), lambda h, i, j: t["scaled"][h, i, j] if t["mask"][i, j] else -math.inf
        ),
        "weights": filled((H, T, T), weight),
        "context": filled(
            (H, T, d_v),
            lambda h, i, v: sum(t["weights"][h, i, j] * t["V"][h // group, j, v] for j in range(T)),
        ),
        "concat": filled((T, H * d_v), lambda i, c: t["context"][c // d_v, i, c % d_v]),
        "output": filled(
            (T, t["W_O"].shape[1]),
            lambda i, m: sum(t["concat"][i, c] * t["W_O"][c, m] for c in joined),
        ),
    }


@given(cases(longest=7, widest=11))
@examples(15)
def test_every_step_equals_a_plain_loop(case: dict[str, Any]) -> None:
    trace = random_run(**case)
    for name, loop in by_loops(trace).items():
        np.testing.assert_allclose(trace[name], loop, rtol=1e-12, atol=1e-12, err_msg=name)


def test_softmax_stays_finite_for_scores_of_ten_thousand() -> None:
    trace = random_run(11, size=30.0, T=7)
    assert np.abs(trace["scaled"]).max() > 1e4
    assert np.isfinite(trace["weights"]).all()
    np.testing.assert_allclose(trace["weights"].sum(axis=-1), 1.0)


def test_pinning_a_step_changes_only_what_comes_after_it() -> None:
    program, inputs = attention_program(), toy_inputs("the cat sat")
    free = program.run(inputs)
    pinned = program.run(inputs, pinned={"scores": np.zeros((2, 3, 3))})
    for name in ("X", "Q", "K", "V"):
        np.testing.assert_array_equal(pinned[name], free[name])
    np.testing.assert_allclose(pinned["weights"][0, 2], 1 / 3)
    assert pinned.sources("scores", (0, 1, 0)) == {}
    assert pinned.uses("Q", (0, 1, 0)) == {}


def test_what_a_hidden_number_becomes_is_what_the_rule_by_hand_says() -> None:
    for fill in (mask_fill(), mask_fill_by_head(), keep_visible()):
        (becomes,) = fill.forward(np.array([7.0]), np.array([False]))
        (said,) = re.findall(r"If it is 0, the number becomes (\S+)\.", fill.by_hand)
        assert float(said.replace("−∞", "-inf")) == becomes


def test_rows_and_columns_that_are_taken_are_those_that_the_formula_names() -> None:
    A = np.arange(30.0).reshape(5, 6)
    for first, count in [(0, 1), (0, 3), (2, 1), (2, 3)]:
        tile = block(f"i+{first} j+{first} -> i j", count, 2)
        taken = [rows(f"i+{first} j -> i j", count), columns(f"i j+{first} -> i j", count), tile]
        for one in taken:
            said = {"row": (1, 5), "column": (1, 6)}
            named = re.findall(r"(row|column)s? (\d+)(?: to (\d+))?", str(one.formula(["A"])))
            for word, low, high in named:
                said[word] = int(low), int(high or low)
            (top, bottom), (left, right) = said.values()
            np.testing.assert_array_equal(one.forward(A), A[top - 1 : bottom, left - 1 : right])
