"""Each formula of a text that states something, letter for letter, and its two sides in numbers."""

import re
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np

from core import attention_from
from core.chapters.other_kinds.hopfield import energy
from core.chapters.other_kinds.scores import ADDITIVE, scored_family
from tests.test_texts import FILES

FORMULA = re.compile(r"\$\$(?P<shown>.+?)\$\$|\$(?P<inline>[^$\n]+)\$", re.DOTALL)
STATES = re.compile(
    r"\\(sum|frac|tanh)|[A-Za-z})]\)? ?[+/-] ?[A-Za-z(\\]|\d[a-zA-Z]|=.*[(^]|\\infty.+\\infty"
)
"""In a line of prose: not a letter, a power or a product alone."""
T, D = 5, 3
draw = np.random.default_rng(0)
Q, K, V = draw.normal(size=(3, T, D))
J = draw.normal(size=(D, D))
LOGITS = draw.normal(size=T)
Sides = Iterator[tuple[Any, Any]]


def softmax(row: np.ndarray) -> np.ndarray:
    powers = np.exp(row)
    return powers / powers.sum()


def score_and_value(keys: list[int]) -> tuple[float, np.ndarray]:
    """Of a set of keys, as a query reads it."""
    return float(np.log(np.exp(LOGITS[keys]).sum())), softmax(LOGITS[keys]) @ V[keys]


def sets() -> Sides:
    """A key counts e to its score, and a set as much as its keys together."""
    s, v = score_and_value([0, 2, 3])
    yield s, np.log(sum(np.exp(LOGITS[i]) for i in (0, 2, 3)))
    yield v, sum(np.exp(LOGITS[i] - s) * V[i] for i in (0, 2, 3))
    (s, v), (t, w), (both, read) = map(score_and_value, ([0, 2], [1, 3, 4], [0, 1, 2, 3, 4]))
    yield np.exp(s - both) * v + np.exp(t - both) * w, read


def a_new_maximum() -> Sides:
    """What was summed under the old one is worth e^(old − new) of it."""
    old, new = LOGITS[:2].max(), LOGITS.max()
    yield np.exp(LOGITS[:2] - old).sum() * np.exp(old - new), np.exp(LOGITS[:2] - new).sum()


def layers() -> Sides:
    row = Q[0]
    for _ in range(4):
        row = row + row @ J
    yield row, Q[0] @ np.linalg.matrix_power(np.eye(D) + J, 4)


def work() -> Sides:
    """Multiplications of a block: rows times inner length times columns of each product."""
    for d, tokens in ((8, 5), (768, 1024)):
        squares = [tokens * d * d] * 4
        fed = [tokens * d * 4 * d, tokens * 4 * d * d]
        pairs = [tokens * d * tokens, tokens * tokens * d]
        per_token = [sum(part) / tokens for part in (squares, fed, pairs)]
        yield per_token, [4 * d**2, 8 * d**2, 2 * tokens * d]
        share = sum(pairs) / sum(squares + fed + pairs)
        yield share, 2 * tokens**2 * d / (12 * d**2 * tokens + 2 * tokens**2 * d)
        yield share, tokens / (6 * d + tokens)
        yield share == 0.5, tokens == 6 * d
        yield sum(per_token) / (2 * d), 6 * d + tokens
        yield (tokens * d * 2 > tokens**2), tokens < 2 * d


def reads() -> Sides:
    trace = attention_from(Q, K, V)
    for t in range(T):
        yield trace["context"][0, t], softmax(Q[t] @ K[: t + 1].T / np.sqrt(D)) @ V[: t + 1]
    free = attention_from(Q, K, V, mask="none")
    yield free["weights"][0], [softmax(q @ K.T / np.sqrt(D)) for q in Q]
    yield free["scaled"][0, 0, 1], Q[0] @ K[1] / np.sqrt(D)


def linear() -> Sides:
    def phi(x: np.ndarray) -> np.ndarray:
        return np.where(x < 0, np.exp(x), x + 1)

    state = sum(np.outer(phi(K[j]), V[j]) for j in range(T))
    yield sum(phi(Q[1]) @ phi(K[j]) * V[j] for j in range(T)), phi(Q[1]) @ state


def additive() -> Sides:
    trace = scored_family("the bank").run(kinds_score=ADDITIVE)
    q, k, v_a = trace["Q"][0, 1], trace["K"][0, 0], trace["v_a"][0, :, 0]
    yield trace["scores"][0, 1, 0], v_a @ np.tanh(q + k)


def at_rest() -> Sides:
    weights = J + J.T - 2 * np.diag(np.diag(J))
    state = np.array([1.0, -1, 1])
    pairs = [(i, j) for i, j in product(range(D), repeat=2) if i != j]
    yield energy(weights, state), -sum(weights[i, j] * state[i] * state[j] for i, j in pairs) / 2


def powers() -> Sides:
    yield 3.0**LOGITS, np.exp(LOGITS / (1 / np.log(3)))
    weights = softmax(LOGITS / 0.7)
    yield weights[0] / weights[1], np.exp((LOGITS[0] - LOGITS[1]) / 0.7)


def spread() -> Sides:
    """Every draw of entries of −1 and 1: independent, with mean 0 and variance 1."""
    draws = np.array([*product((-1, 1), repeat=2 * D)])
    q, k = draws[:, :D], draws[:, D:]
    dots = (q * k).sum(axis=1)
    terms = [(q[:, i] * k[:, i] * q[:, j] * k[:, j]).mean() for i, j in np.ndindex(D, D)]
    yield dots.var(), sum(terms)
    yield terms, np.eye(D).ravel()


def mean() -> Sides:
    yield (
        np.mean([V[j] for j, times in enumerate((1, 2, 5)) for _ in range(times)], axis=0),
        sum(p * v for p, v in zip((1 / 8, 2 / 8, 5 / 8), V, strict=False)),
    )


def another_order() -> Sides:
    def f(X: np.ndarray) -> np.ndarray:
        return np.array(attention_from(X @ J, X, X, mask="none")["context"][0])

    P = np.eye(T)[[3, 0, 4, 1, 2]]
    yield f(P @ Q), P @ f(Q)


def nothing_seen() -> Sides:
    with np.errstate(invalid="ignore"):
        yield np.isnan(-np.inf - np.array(-np.inf)), True


FORMULAS: dict[str, Callable[[], Sides]] = {
    r"s=\ln\sum e^{s_i}": sets,
    r"s(I)=\ln\sum_{i\in I}e^{s_i}\qquad v(I)=\sum_{i\in I}e^{s_i-s(I)}\,v_i": sets,
    r"v(I\cup J)=e^{s(I)-s(I\cup J)}\,v(I)+e^{s(J)-s(I\cup J)}\,v(J)": sets,
    **dict.fromkeys((r"e^{s-m}", r"e^{s-m}\,v", r"e^{\ln n - \ln n}"), a_new_maximum),
    **dict.fromkeys(("x (I + J)^n", "(I + J)^n"), layers),
    **dict.fromkeys(("d \\times 4d", "6d", "T = 2d", "4d^2", "8d^2", "2Td", "2d", "6d + T"), work),
    r"\frac{2T^2d}{12d^2T+2T^2d}=\frac{T}{6d+T}": work,
    r"y_t=\operatorname{softmax}\!\left(\frac{q_t K_{1:t}^\top}{\sqrt{d_k}}\right)V_{1:t}": reads,
    r"\sum_{j \le i} (\phi(q_i) \cdot \phi(k_j))\, v_j": linear,
    r"\phi(q_i) \cdot \sum_{j \le i} \phi(k_j)^\top v_j": linear,
    r"v_a^\top \tanh(q + k)": additive,
    r"E = -\frac{1}{2} \sum_{i \neq j} W_{ij} s_i s_j": at_rest,
    **dict.fromkeys((r"e^{x/T}", r"e^{(a - b)/T}"), powers),
    r"\operatorname{Var}(q\cdot k)=\sum_{i=1}^{d}\sum_{j=1}^{d}\mathbb{E}[\,q_i k_i\,q_j k_j\,]": (
        spread
    ),
    r"\mathbb{E}[v]=\sum_j p_j v_j": mean,
    r"f(PX) = P\,f(X)": another_order,
    **dict.fromkeys((r"s - \max s", r"-\infty - (-\infty)"), nothing_seen),
    r"\text{softmax}(QK^\top / \sqrt{d_k})": reads,
    r"q \cdot k / \sqrt{d_k}": reads,
}
SIZES = r"d_\{\\text\{model\}\} / H( = n)?|d_k = d_\{\\text\{model\}\} / H"
"""A head's width, by the definition of heads."""


def test_what_a_formula_states_is_so_in_numbers() -> None:
    for sides in {*FORMULAS.values()}:
        for left, right in sides():
            np.testing.assert_allclose(left, right, rtol=1e-12, err_msg=sides.__name__)


def test_these_are_the_formulas_of_texts() -> None:
    stated = {
        re.sub(r"\{\{.*?\}\}", "n", found["shown"] or found["inline"]).strip()
        for file in FILES
        for source in file.sources.values()
        for found in FORMULA.finditer(source)
        if found["shown"] or STATES.search(found["inline"])
    }
    assert {one for one in stated if not re.fullmatch(SIZES, one)} == FORMULAS.keys()
