"""Every sentence of 'why scale', at the ends of its controls."""

import json
import re
from collections.abc import Callable
from functools import cache
from itertools import product

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.attention.inputs import toy_inputs
from core.chapters.why_scale.sentence import sentence_family
from core.chapters.why_scale.variance import DIMENSIONS, draw_vectors
from core.program.trace import Trace
from tests.quotes import proves
from tests.ui.claims import Check, Inventory, Values, number, printed
from tests.ui.plain_attention import softmax
from tests.ui.real_heads import (
    HOW_CHOSEN,
    NAMES_A_HEAD,
    arrays_of,
    causal_weights,
    how_chosen,
    names_a_head,
    variances_of,
)
from tests.ui.support import stage, values

Match = re.Match[str]


@cache
def sums(draws: int, seed: int) -> np.ndarray:
    """Of the products of each pair of vectors, feature by feature."""
    q, k = draw_vectors(draws, 1, seed).swapaxes(0, 1)
    added: np.ndarray = np.cumsum(q * k, axis=1)
    return added


def q_dot_k(page: AppTest, d: int) -> np.ndarray:
    """The draws of a page's first exhibit, by a plain sum."""
    products: np.ndarray = sums(page.session_state.scale_draws, page.session_state.scale_seed)[
        :, d - 1
    ]
    return products


@proves("""
    At d = {d}, the scores q·k have variance {variance}. Divided by √{d}, they have variance
    {scaled}
""")
def spread(said: Values, page: AppTest) -> None:
    d = page.session_state.scale_d
    products = q_dot_k(page, d)
    assert said["d"] == d
    printed(said["variance"], ((products - products.mean()) ** 2).mean())
    printed(said["scaled"], (products / np.sqrt(d)).var())


MANY = 50_000


@cache
def many_products(d: int) -> np.ndarray:
    many = np.random.default_rng(7).standard_normal((2, MANY, d), dtype=np.float32)
    products: np.ndarray = (many[0] * many[1]).sum(axis=1, dtype=float)
    return products


@proves("""
    with mean 0 and variance 1 | The mean of q·k is then 0, so its variance is the mean of its
    square | If i ≠ j, the four factors are independent with mean 0, so the term is 0. That leaves d
    terms of 1, so the variance is d. Dividing q·k by √d divides its square by d, and the variance
    becomes 1. The grid shows these terms for d = {grid_d}, as means over your {draws} draws: they
    add up to {grid_sum}. At d = {d}, q·k has mean {mean}. With more draws, the mean approaches 0
""")
def proof(said: Values, page: AppTest) -> None:
    """Its numbers are those of the draws; with many more draws they approach the limits.

    The mean by four standard errors. Each term is what the list says, by a sum over all signs.
    """
    state, d = page.session_state, said["d"]
    assert (d, number(said["draws"])) == (state.scale_d, state.scale_draws)
    printed(said["mean"], q_dot_k(page, d).mean())
    printed(said["grid_sum"], (q_dot_k(page, said["grid_d"]) ** 2).mean())
    products = many_products(d)
    assert abs(products.mean()) < 4 * np.sqrt(d / MANY)
    assert abs(products.var() / d - 1) < 0.06
    signs = np.array(list(product((1, -1), repeat=said["grid_d"])))
    terms = np.einsum("ni,nj,mi,mj->ij", signs, signs, signs, signs) / len(signs) ** 2
    np.testing.assert_array_equal(terms, np.eye(said["grid_d"]))


def row_of(page: AppTest) -> np.ndarray:
    """The scores of the one row, by a plain product."""
    drawn = draw_vectors(1_000, 8, page.session_state.scale_row)[0, :, :64]
    scores: np.ndarray = drawn[1:] @ drawn[0]
    return scores


def row_scores(said: Values, page: AppTest) -> None:
    for text, score in zip(said["scores"].split(", "), row_of(page), strict=True):
        printed(text, float(score))


def heading(match: Match, page: AppTest) -> None:
    assert int(match[1]) == page.session_state.scale_divisor


def line_of(make: Callable[[np.ndarray], float]) -> Check:
    """A line of the table: one number for the row, one for the divided row."""

    def check(match: Match, page: AppTest) -> None:
        scores = row_of(page)
        for text, by in zip(
            match.groups()[-2:], (1, page.session_state.scale_divisor), strict=True
        ):
            value = make(softmax(scores / by))
            assert abs(number(text) - value) <= max(0.005, 0.5 * 10 ** np.floor(np.log10(value)))

    return check


def bits(p: np.ndarray) -> float:
    return float(-sum(x * np.log2(x) for x in p if x))


@proves("0 if one key has all the weight, {most} bits if all {keys} are equal")
def entropy(said: Values, page: AppTest) -> None:
    """The most is reached with equal weights, and nothing is left with one."""
    equal = np.full(said["keys"], 1 / said["keys"])
    assert len(row_of(page)) == said["keys"]
    printed(said["most"], bits(equal))
    assert bits(np.eye(said["keys"])[0]) == 0


def norm_of_jacobian(p: np.ndarray) -> float:
    entries = [p[i] * ((i == j) - p[j]) for i in range(len(p)) for j in range(len(p))]
    return float(np.sqrt(sum(x * x for x in entries)))


@proves("""
    Softmax then puts nearly all weight on one key | the largest weight is {without} on average.
    With scores divided by √d, it is {with_root}
""")
def largest(said: Values, page: AppTest) -> None:
    drawn = draw_vectors(1_000, 8, page.session_state.scale_row)[:, :, :64]
    scores = np.einsum("nkd,nd->nk", drawn[:, 1:], drawn[:, 0])
    for text, by in ((said["without"], 1), (said["with_root"], 8)):
        printed(text, softmax(scores / by).max(axis=1).mean())


@proves("If one weight is near 1, all slopes are near 0")
def jacobian(said: Values, page: AppTest) -> None:
    """By small changes; and every slope is at most what the largest weight leaves."""
    scores, step = row_of(page) / 8, 1e-6
    p = softmax(scores)
    changes = [softmax(scores + move) - p for move in step * np.eye(8)]
    formula = np.array(
        [[p[i] * (1 - p[i]) if i == j else -p[i] * p[j] for i in range(8)] for j in range(8)]
    )
    np.testing.assert_allclose(np.array(changes) / step, formula, atol=1e-6)
    np.testing.assert_allclose(np.diag(p) - np.outer(p, p), formula, atol=1e-12)
    for rest in (0.1, 0.01, 0.001):
        p = np.array([1 - rest, *[rest / 7] * 7])
        assert np.abs(np.diag(p) - np.outer(p, p)).max() <= rest


def rows_behind(said: Values, page: AppTest) -> None:
    """The chart's first points are means of as many rows as are said."""
    count = int(number(said["rows"]))
    drawn = draw_vectors(count, 8, page.session_state.scale_row)[:, :, :64]
    weights = softmax(np.einsum("nkd,nd->nk", drawn[:, 1:], drawn[:, 0]))
    even = np.mean([bits(p) for p in weights]) / np.log2(8)
    (line,) = (
        one for chart in page.get("plotly_chart") for one in json.loads(chart.proto.spec)["data"]
        if one.get("name") == "without √d" and one["yaxis"] == "y"
    )  # fmt: skip
    at = list(line["x"]).index(64)
    assert values(line["y"])[at] == pytest.approx(even)


def sentence(page: AppTest) -> Trace:
    options = {"scale_on": "on", "scale_d_k": page.session_state.scale_d_k}
    return sentence_family(page.session_state.scale_text).run(**options)


def drawn_here(match: Match, page: AppTest) -> None:
    made = toy_inputs(page.session_state.scale_text, heads=1, d_model=int(match[1]), seed=0)
    np.testing.assert_array_equal(sentence(page)["W_Q"], made["W_Q"])


@proves("{?} the scale, {query} gives {key} the weight {ours}; {?} it, {theirs}")
def weight(said: Values, page: AppTest) -> None:
    """By the numbers of the sentence's run, from Q and K, without the core's own weights."""
    trace = sentence(page)
    i = min(2, len(trace.tokens) - 1)
    j = max(i - 1, 0)
    assert (said["query"], said["key"]) == tuple(f"*{trace.tokens[n]}*" for n in (i, j))
    assert said["scaled"] == (page.session_state.scale_on == "on")
    q, k = trace["Q"][0, i], trace["K"][0, : i + 1]
    roots = (np.sqrt(len(q)), 1) if said["scaled"] else (1, np.sqrt(len(q)))
    (ours,) = re.findall(rf"^\[([^]]*)\]\(#stage-weights\.0\.{i}\.{j}\)$", said["ours"])
    for text, by in zip((ours.replace("\\", ""), said["theirs"]), roots, strict=True):
        printed(text, softmax(k @ q / by)[j])


def difference(said: Values, page: AppTest) -> None:
    """The stage compares its weights with those of the other run: this minus that."""
    assert said["scaled"] == (page.session_state.scale_on == "on")
    trace = sentence(page)
    q, k = trace["Q"][0], trace["K"][0]
    hidden = ~np.tri(len(q), dtype=bool)
    on, off = (softmax(np.where(hidden, -np.inf, q @ k.T / by)) for by in (np.sqrt(q.shape[1]), 1))
    changes = stage(page).changes("weights")
    if changes is None:
        np.testing.assert_allclose(on, off, rtol=0, atol=1e-9)
        return
    for i, j in zip(*np.nonzero(~hidden), strict=True):
        change = (on - off)[i, j] * (1 if said["scaled"] else -1)
        assert abs(number(str(changes[i, j]) or "0") - change) <= max(0.005, 0.06 * abs(change))


@proves("""
    Scores spread wider when queries and keys have more features | The upper scores spread out, the
    lower ones do not
""")
def try_(said: Values, page: AppTest) -> None:
    """At every d that can be chosen; divided, the draws keep their spread."""
    spread = [float(q_dot_k(page, d).std()) for d in DIMENSIONS]
    assert spread == sorted(set(spread))
    np.testing.assert_allclose(np.divide(spread, np.sqrt(DIMENSIONS)), 1, atol=0.12)


@proves("for d = {d}. q·k has standard deviation {plain}, q·k / √d has standard deviation {scaled}")
def spread_alt(said: Values, page: AppTest) -> None:
    d = page.session_state.scale_d
    assert said["d"] == d
    printed(said["plain"], q_dot_k(page, d).std())
    printed(said["scaled"], q_dot_k(page, d).std() / np.sqrt(d))


@proves("""
    With independent entries (mean 0, variance 1), a dot product has variance $d_k$. Dividing by …
    makes the variance 1 | up to {plain} at d = {d}. The variance of q·k / √d stays near 1, and is
    {scaled} there
""")
def variance_alt(said: Values, page: AppTest) -> None:
    """The largest d, and near 1 at every other one too."""
    assert said["d"] == DIMENSIONS[-1]
    printed(said["plain"], q_dot_k(page, said["d"]).var())
    printed(said["scaled"], q_dot_k(page, said["d"]).var() / said["d"])
    for d in DIMENSIONS:
        assert abs(q_dot_k(page, d).var() / d - 1) < 0.25


@proves("""
    On the diagonal they are {low} to {high}. Off the diagonal, none is further from 0 than {away}
""")
def grid_alt(said: Values, page: AppTest) -> None:
    drawn = draw_vectors(page.session_state.scale_draws, 1, page.session_state.scale_seed)
    terms = drawn[:, 0, :4] * drawn[:, 1, :4]
    means = [[float((terms[:, i] * terms[:, j]).mean()) for j in range(4)] for i in range(4)]
    diagonal = [means[n][n] for n in range(4)]
    assert said["count"] == 4
    printed(said["low"], min(diagonal))
    printed(said["high"], max(diagonal))
    printed(said["away"], max(abs(means[i][j]) for i in range(4) for j in range(4) if i != j))


@proves("""
    At d = {d}, the mean entropy divided by its maximum is {entropy_without} without √d and
    {entropy_with} with it. The mean norm of the Jacobian of softmax is {norm_without} without √d
    and {norm_with} with it
""")
def saturation_alt(said: Values, page: AppTest) -> None:
    d = said["d"]
    assert d == DIMENSIONS[-1]
    drawn = draw_vectors(1_000, 8, page.session_state.scale_row)[:, :, :d]
    scores = np.einsum("nkd,nd->nk", drawn[:, 1:], drawn[:, 0])
    for name, by in (("without", 1), ("with", np.sqrt(d))):
        weights = softmax(scores / by)
        entropies, norms = zip(*((bits(p), norm_of_jacobian(p)) for p in weights), strict=True)
        printed(said[f"entropy_{name}"], sum(entropies) / len(weights) / 3)
        printed(said[f"norm_{name}"], sum(norms) / len(weights))


def real_head(run: str, name: str) -> tuple[np.ndarray, np.ndarray]:
    arrays = arrays_of(f"smollm2-{run}", f"smollm2-{name}")
    return arrays["Q"], arrays["K"]


def real_variance(run: str, name: str, divisor: float) -> float:
    """Of the scores that a causal mask shows."""
    Q, K = real_head(run, name)
    every = [float(q @ k) / divisor for i, q in enumerate(Q) for k in K[: i + 1]]
    mean = sum(every) / len(every)
    return sum((score - mean) ** 2 for score in every) / len(every)


@proves("""
    These scores have variance {variance}; divided by √d_k, {scaled}. In rows 2 to {rows}, the
    largest weight is {largest} on average. Undivided, it is {undivided}
""")
def real_notice(said: Values, page: AppTest) -> None:
    printed(said["variance"], real_variance("met", "pronouns", 1))
    printed(said["scaled"], real_variance("met", "pronouns", 8))
    Q, K = real_head("met", "pronouns")
    assert (len(Q), Q.shape[1]) == (said["rows"], 64)
    for text, divisor in ((said["largest"], 8), (said["undivided"], 1)):
        weights = causal_weights(Q, K, divisor)
        printed(text, sum(max(row) for row in weights[1:]) / (len(Q) - 1))


@proves("""
    {above} of the model's {heads} heads have more than 1 on this text. The median is {median} |
    Half of the heads have {quarter} to {three_quarters}, and the largest variance is {most}
""")
def real_trained(said: Values, page: AppTest) -> None:
    """Variances of all heads from the file, this head's by a loop; it is near the median."""
    every = np.sort(variances_of("smollm2-met").ravel())
    assert (said["heads"], said["above"]) == (len(every), int((every > 1).sum()))
    assert said["above"] > 0.9 * said["heads"]
    printed(said["median"], (every[134] + every[135]) / 2)
    printed(said["quarter"], 0.75 * every[67] + 0.25 * every[68])
    printed(said["three_quarters"], 0.25 * every[201] + 0.75 * every[202])
    printed(said["most"], every[-1])
    own = real_variance("met", "pronouns", 8)
    assert np.abs(every - own).min() < 1e-4 * own
    assert abs((every < own).mean() - 0.5) < 0.1


INVENTORY = Inventory(
    "why_scale",
    typed={"scale_text": ("cat", "My dog ate my homework")},
    claims={
        r"\| measure \| undivided \| divided by (\d+) \|": heading,
        r"\| Largest weight \| (\S+) \| (\S+) \|": line_of(lambda p: float(p.max())),
        r"\| Entropy in bits \| (\S+) \| (\S+) \|": line_of(bits),
        r"\| Norm of the Jacobian \| (\S+) \| (\S+) \|": line_of(norm_of_jacobian),
        r"Random weights \(\$d_{.text{model}}\$ = (\d+), one head, seed 0\)": drawn_here,
        NAMES_A_HEAD: names_a_head,
        HOW_CHOSEN: how_chosen,
    },
    module=globals(),
    always="lede limits real_without takeaway origin",
    texts={"many": rows_behind},
    others=[
        {"scale_d": "1", "scale_draws": "500", "scale_seed": "3"},
    ],
    panels=["fold_scale_real"],
)
