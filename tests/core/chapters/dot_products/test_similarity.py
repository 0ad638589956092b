"""Five rules for a score: each is PyTorch's, is explained, and can be exported."""

import math
import re
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core import InputError, Trace, explain
from core.chapters.dot_products import similarity, vector_pair
from core.program.numbers.arithmetic import Call, PrintedNumber, arithmetic_line
from core.program.numbers.display import shown
from core.program.numbers.rounding import cell_text
from core.program.patterns import Cell
from core.pytorch.snippet import torch_snippet
from tests.by_torch import torch_steps
from tests.core.program.test_explanations import check, check_line, check_lines, stands_for
from tests.core.properties import every_cell, real_inputs
from tests.quotes import proves
from tests.sampling import examples

TEXT = "The cat sat on the mat"
NEW = {"Q_hat": "Q", "K_hat": "K"}
every_rule = pytest.mark.parametrize("rule", similarity.RULES)


def rule_run(rule: str, seed: int, *, size: float = 1.0, d_k: int = 3, **sizes: int) -> Trace:
    """Real-valued inputs of about `size`."""
    program = similarity.similarity_program(rule)
    given = {"i": 5, "j": 5, "m": 7, "k": d_k, "v": 2, "o": 1} | sizes
    arrays = real_inputs(program, given, seed, spread=1.0)
    return program.run(arrays | {"X": size * arrays["X"]})


@st.composite
def cases(draw: st.DrawFn, longest: int = 9, widest: int = 20) -> dict[str, Any]:
    return {
        "rule": draw(st.sampled_from(list(similarity.RULES))),
        "seed": draw(st.integers(0, 2**32 - 1)),
        **dict.fromkeys("ij", draw(st.integers(1, longest))),
        "m": draw(st.integers(1, widest)),
        "d_k": draw(st.integers(1, widest)),
        "v": draw(st.integers(1, 5)),
        "size": draw(st.sampled_from([1.0, 1e-2, 30.0])),
    }


@given(cases(longest=6, widest=8))
@examples(15)
def test_every_step_is_pytorchs(case: dict[str, Any]) -> None:
    trace = rule_run(**case)
    room = 1e-12 * max(1.0, float(np.abs(trace["scores"]).max()))
    for name, array in torch_steps(trace).items():
        np.testing.assert_allclose(trace[name], array, rtol=1e-11, atol=room, err_msg=name)


@proves("""
    Each of {rules} rules turns a query and a key into a score. A rule changes no query, no key and
    no value. Softmax turns the scores into weights | Under every rule each row of weights adds up
    to 1. The cosine ignores lengths; under the uniform rule, each token reads the mean of all
    values
""")
def test_a_rule_changes_only_scores_and_what_follows_from_them() -> None:
    runs = {rule: similarity.similarity_run("the cat sat on", rule) for rule in similarity.RULES}
    plain = runs["dot"]
    for rule, run in runs.items():
        for name in {"Q", "K", "V"} & {*run}:
            np.testing.assert_array_equal(run[name], plain[name])
        np.testing.assert_allclose(run["weights"].sum(axis=-1), 1)
        if rule == "uniform":
            mean = np.broadcast_to(run["V"].mean(axis=1, keepdims=True), run["context"].shape)
            np.testing.assert_allclose(run["context"], mean)
    q, k = (torch.tensor(plain[name]) for name in "QK")
    cosines = torch.cosine_similarity(7 * q[:, :, None], k[:, None], dim=-1)
    np.testing.assert_allclose(runs["cosine"]["scores"], cosines, atol=1e-9)


def test_a_zero_row_has_no_direction_and_stays_zero() -> None:
    inputs = dict(similarity.similarity_inputs("a b c", "cosine"))
    X = np.array(inputs["X"])
    X[1] = 0
    trace = similarity.similarity_program("cosine").run({**inputs, "X": X})
    np.testing.assert_array_equal(trace["Q_hat"][0, 1], 0.0)
    np.testing.assert_array_equal(trace["scores"][0, 1], 0.0)
    assert "no direction" in explain(trace, "Q_hat", (0, 1, 0)).words
    assert "has no angle" in explain(trace, "scores", (0, 1, 0)).words
    assert explain(trace, "Q_hat", (0, 1, 0)).plain[-3:] == [
        "sqrt(0) = 0", "max(0, 1e-8) = 1e-8", "0 / 1e-8 = 0.00",
    ]  # fmt: skip
    for array, cell in every_cell(trace):
        check_cell(trace, array, cell)


def test_a_row_of_float_noise_is_shown_as_zero() -> None:
    # 0.1·3 − 0.3·1 is 5.6e-17 in floats.
    arrays = {"X": [[0.1, 0.3], [1.0, 1.0]], "W_Q": [[[3.0], [-1.0]]], "W_K": [[[1.0], [2.0]]],
              "W_V": [[[1.0], [1.0]]]}  # fmt: skip
    trace = similarity.similarity_program("cosine").run({n: np.array(a) for n, a in arrays.items()})
    assert trace["Q"][0, 0, 0] != 0
    assert [shown(trace, "Q_hat", (0, i, 0)) for i in (0, 1)] == ["0.00", "1.00"]
    check_cell(trace, "Q_hat", (0, 0, 0))


def test_an_unknown_rule_is_refused() -> None:
    with pytest.raises(InputError, match="rule is 'euclid'; there is no such rule: choose dot"):
        similarity.similarity_program("euclid")


def test_every_name_of_every_program_may_stand_in_a_link() -> None:
    assert set(similarity.ARRAYS) == {
        name for rule in similarity.RULES for name in similarity.similarity_program(rule).names
    }
    assert len(set(similarity.ARRAYS)) == len(similarity.ARRAYS)


def check_cell(trace: Trace, array: str, cell: Cell) -> None:
    """Old operations as elsewhere; of new ones every line, the cell, and what goes in."""
    if not (array in NEW or (array == "scores" and "v_a" in trace)):
        check(trace, array, cell)
        return
    lines = check_lines(trace, array, cell)
    h, i, last = cell
    number = r"-?\d+(?:\.\d+)?(?:e-?\d+)?"
    if array in NEW:
        row = trace[NEW[array]][h, i]
        found = re.findall(rf"({number})\*({number})", " ".join(lines))
        assert all(a == b for a, b in found)
        printed = [a for a, _ in found] + [re.findall(number, lines[-1])[0]]
        expected = [*row, row[last]]
        noises = [trace.noise[NEW[array]]] * len(expected)
    else:
        found = re.findall(rf"tanh\(({number}) \+ ({number})\) [=≈] ({number})", " ".join(lines))
        weighed = re.findall(rf"({number})\*({number})", " ".join(lines))
        assert [t for _, _, t in found] == [t for _, t in weighed]
        printed = [x for a, b, _ in found for x in (a, b)] + [v for v, _ in weighed]
        q, k = trace["Q"][h, i], trace["K"][h, last]
        expected = [x for pair in zip(q, k, strict=True) for x in pair] + [*trace["v_a"][h, :, 0]]
        noises = [trace.noise["Q"], trace.noise["K"]] * len(q) + [0.0] * len(q)
    terms = list(zip(printed, expected, noises, strict=True))
    fit = [all(stands_for(t, float(v), n, d) for t, v, n in terms) for d in range(2, 18)]
    assert any(fit), (array, cell, lines)


@given(cases(longest=5, widest=18), st.randoms())
@examples(8)
def test_every_line_of_every_step_evaluates_as_printed(case: dict[str, Any], random: Any) -> None:
    trace = rule_run(**case)
    for array in trace:
        for _ in range(2):
            check_cell(trace, array, tuple(random.randrange(n) for n in trace[array].shape))


@pytest.mark.parametrize(("rule", "array"), [("cosine", "Q_hat"), ("additive", "scores")])
def test_sums_of_more_than_sixteen_terms_show_partial_sums(rule: str, array: str) -> None:
    trace = rule_run(rule, 4, d_k=20)
    assert max(line.count("*") for line in explain(trace, array, (0, 1, 2)).plain) == 16
    check_cell(trace, array, (0, 1, 2))


@every_rule
def test_the_pytorch_snippet_computes_the_same(rule: str) -> None:
    trace = similarity.similarity_run("a b", rule)
    names: dict[str, object] = {}
    exec(torch_snippet(trace), names)
    last = trace.program.steps[-1].name
    found = names[last]
    assert isinstance(found, torch.Tensor)
    np.testing.assert_allclose(found.numpy(), trace[last], rtol=0, atol=1e-12)


@every_rule
@pytest.mark.parametrize("degrees", [15, 90, 213])
def test_turning_the_values_leaves_the_weights_bit_identical(rule: str, degrees: int) -> None:
    plain = similarity.similarity_program(rule).run(similarity.similarity_inputs(TEXT, rule))
    other = similarity.similarity_run(TEXT, rule, degrees)
    assert similarity.changed_arrays(other, plain) == ["V", "context"]
    assert other["weights"].tobytes() == plain["weights"].tobytes()
    angle = math.radians(degrees)
    R = np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
    for name in ("V", "context"):
        np.testing.assert_allclose(other[name], plain[name] @ R, rtol=0, atol=1e-10)


@pytest.mark.parametrize(
    ("text", "rule", "changed"),
    [
        ("dkgv", "dot", []),  # its value is 0, up to what floats leave of a sum
        ("di fj", "uniform", ["V"]),  # two values that cancel each other in their mean
        ("di fj", "dot", ["V", "context"]),
    ],
)
def test_what_a_turn_changes_is_not_rounding(text: str, rule: str, changed: list[str]) -> None:
    plain, other = similarity.similarity_run(text, rule), similarity.similarity_run(text, rule, 90)
    assert similarity.changed_arrays(other, plain) == changed
    kept = similarity.kept_arrays(other, plain)
    assert {"Q", "K", "scores", "weights"} <= set(kept)
    assert not set(changed) & set(kept)
    assert not np.array_equal(plain["V"], other["V"])  # beyond rounding or not, V is another


vectors = st.integers(-50, 50).map(lambda n: n / 10)
planes = st.tuples(vectors, vectors)
spaces = st.tuples(vectors, vectors, vectors)


@given(st.tuples(planes, planes) | st.tuples(spaces, spaces))
@examples(15)
def test_the_dot_product_is_lengths_times_cosine_of_the_angle(both: Any) -> None:
    pair = vector_pair.VectorPair(*both)
    q, k = (torch.tensor(v, dtype=torch.float64) for v in both)
    assert math.isclose(pair.dot, float(q @ k), abs_tol=1e-9)
    if pair.cosine is None or pair.degrees is None:
        assert pair.sign == "none"
        return
    around = math.cos(math.radians(pair.degrees))  # from the directions, not from the product
    assert math.isclose(pair.lengths[0] * pair.lengths[1] * around, pair.dot, abs_tol=1e-9)
    assert math.isclose(pair.cosine, float(torch.cosine_similarity(q, k, dim=0)), abs_tol=1e-9)
    exact = sum(Fraction(str(a)) * Fraction(str(b)) for a, b in zip(*both, strict=True))
    sign = "positive" if exact > 0 else "negative" if exact < 0 else "zero"
    assert pair.sign == sign
    assert pair.sign in vector_pair.SIGNS
    near = round(90 - pair.degrees, 9)
    assert sign == ("zero" if not near else "positive" if near > 0 else "negative")
    if pair.shadow is not None:
        assert math.isclose(pair.shadow, pair.lengths[1] * around, abs_tol=1e-9)


@given(st.tuples(planes, planes))
@examples(15)
def test_the_arithmetic_of_two_arrows_evaluates_as_printed(both: Any) -> None:
    pair = vector_pair.VectorPair(*both)
    ends = {name: check_line(line.plain(), 1e-9) for name, line in pair.lines.items()}
    assert cell_text(float(ends["dot"]), 1e-9) == cell_text(pair.dot, 1e-9)
    assert pair.lines["dot"].exact
    if "again" in ends:
        assert ends["again"] == cell_text(pair.dot, 1e-9)
        assert abs(float(ends["cosine"]) - float(pair.cosine or 0)) <= 0.005
    assert len(pair.latex) == len(pair.lines)


@pytest.mark.parametrize(
    ("q", "k", "degrees"),
    [((1, 0), (0, 2), 90), ((0.3, 0.6), (0.2, -0.1), 90), ((1, 1), (3, 3), 0),
     ((0.1, 0.7), (-0.3, -2.1), 180), ((1, 0), (3, 4), 53.13010235415598)],
)  # fmt: skip
def test_special_angles_come_out_exactly(q: Any, k: Any, degrees: float) -> None:
    found = vector_pair.VectorPair(tuple(map(float, q)), tuple(map(float, k))).degrees
    assert found == pytest.approx(degrees, abs=1e-12)


@given(spaces, spaces)
def test_the_arc_goes_from_one_direction_to_the_other(q: Any, k: Any) -> None:
    points = vector_pair.arc(q, k, radius=2.0)
    if not (any(q) and any(k)):
        assert len(points) == 0
        return
    np.testing.assert_allclose(np.linalg.norm(points, axis=1), 2.0)
    for point, end in ((points[0], q), (points[-1], k)):
        np.testing.assert_allclose(point, 2 * np.array(end) / np.linalg.norm(end), atol=1e-6)
    steps = [vector_pair.angle_between(a, b) for a, b in pairwise(points)]
    whole = vector_pair.angle_between(np.array(q), np.array(k))
    np.testing.assert_allclose(sum(steps), whole, atol=1e-5)


def test_tanh_of_a_huge_number_is_one() -> None:
    for argument, said in (("2e6", "1.00"), ("-2e6", "-1.00")):
        call = Call("tanh", (PrintedNumber(argument),))
        assert arithmetic_line(call, 2, trim=False).plain() == f"tanh({argument}) ≈ {said}"


def test_the_dot_product_prefers_the_longer_key_and_the_cosine_the_nearer() -> None:
    pairs = [vector_pair.VectorPair(vector_pair.P11_QUERY, key) for key in vector_pair.P11_KEYS]
    assert [(pair.dot, pair.cosine) for pair in pairs] == [(1, 1), (3, 0.6)]
    assert vector_pair.favourites(vector_pair.P11_QUERY, vector_pair.P11_KEYS) == (1, 0)


@proves("shadow of k on q")
def test_a_shadow_is_of_k_on_q() -> None:
    """What is left of k beside the line of q is at a right angle to q."""
    q, k = np.array([4.0, 2.0]), np.array([3.0, 4.0])
    shadow = vector_pair.VectorPair(tuple(q), tuple(k)).shadow
    assert shadow is not None
    assert q @ (k - shadow * q / np.linalg.norm(q)) == pytest.approx(0, abs=1e-12)
