"""Every sentence of 'why scale', at the ends of its controls."""

import re
from collections.abc import Callable

import numpy as np
from streamlit.testing.v1 import AppTest

from core.attention.inputs import toy_inputs
from core.chapters.why_scale.sentence import sentence_family
from core.chapters.why_scale.variance import DIMENSIONS, draw_vectors
from core.limits import MAX_SEED
from core.program.trace import Trace
from tests.ui.claims import ALWAYS, Check, Inventory, number, printed

Match = re.Match[str]


def q_dot_k(page: AppTest, d: int) -> np.ndarray:
    """The draws of a page's first exhibit, by a plain sum."""
    state = page.session_state
    drawn = draw_vectors(state.scale_draws, 1, state.scale_seed)
    products: np.ndarray = np.einsum("nd,nd->n", drawn[:, 0, :d], drawn[:, 1, :d])
    return products


def draws(match: Match, page: AppTest) -> None:
    d = page.session_state.scale_d
    products = q_dot_k(page, d)
    assert number(match[1]) == page.session_state.scale_draws
    assert number(match[2]) == d
    printed(match[3], products.mean())
    printed(match[4], ((products - products.mean()) ** 2).mean())


def approached(match: Match, page: AppTest) -> None:
    """With a hundred times the draws they are within four standard errors of it."""
    d = int(match[1])
    assert d == page.session_state.scale_d
    many = np.random.default_rng(7).standard_normal((2, 200_000, d), dtype=np.float32)
    products = (many[0] * many[1]).sum(axis=1, dtype=float)
    assert abs(products.mean()) < 4 * np.sqrt(d / 200_000)
    assert abs(products.var() / d - 1) < 0.06


def divided(match: Match, page: AppTest) -> None:
    d = page.session_state.scale_d
    assert int(match[1]) == d
    printed(match[2], np.sqrt(d))
    printed(match[3], (q_dot_k(page, d) / np.sqrt(d)).var())


def grid(match: Match, page: AppTest) -> None:
    printed(match[1], (q_dot_k(page, 4) ** 2).mean())


def row_of(page: AppTest) -> np.ndarray:
    """The scores of the one row, by a plain product."""
    drawn = draw_vectors(1_000, 8, page.session_state.scale_row)[0, :, :64]
    scores: np.ndarray = drawn[1:] @ drawn[0]
    return scores


def shares(scores: np.ndarray) -> np.ndarray:
    powers: np.ndarray = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def row(match: Match, page: AppTest) -> None:
    for text, score in zip(match[1].split(", "), row_of(page), strict=True):
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
            value = make(shares(scores / by))
            assert abs(number(text) - value) <= max(0.005, 0.5 * 10 ** np.floor(np.log10(value)))

    return check


def nats(p: np.ndarray) -> float:
    return float(-sum(x * np.log(x) for x in p if x))


def norm_of_jacobian(p: np.ndarray) -> float:
    entries = [p[i] * ((i == j) - p[j]) for i in range(len(p)) for j in range(len(p))]
    return float(np.sqrt(sum(x * x for x in entries)))


def on_average(match: Match, page: AppTest) -> None:
    drawn = draw_vectors(1_000, 8, page.session_state.scale_row)[:, :, :64]
    scores = np.einsum("nkd,nd->nk", drawn[:, 1:], drawn[:, 0])
    for text, by in ((match[1], 1), (match[2], 8)):
        printed(text, shares(scores / by).max(axis=1).mean())
    assert number(match[1]) > number(match[2])


def one_near_1(match: Match, page: AppTest) -> None:
    """Every entry of the Jacobian is at most what the largest weight leaves."""
    for rest in (0.1, 0.01, 0.001):
        p = np.array([1 - rest, *[rest / 7] * 7])
        entries = np.diag(p) - np.outer(p, p)
        assert np.abs(entries).max() <= rest


def sentence(page: AppTest) -> Trace:
    options = {"scale_on": "on", "scale_d_k": page.session_state.scale_d_k}
    return sentence_family(page.session_state.scale_text).run(**options)


def one_head(match: Match, page: AppTest) -> None:
    assert sentence(page)["W_Q"].shape == (1, *sentence(page)["W_K"].shape[1:])
    assert len(set(sentence(page)["W_Q"].shape[1:])) == 1


def drawn_with(match: Match, page: AppTest) -> None:
    made = toy_inputs(page.session_state.scale_text, heads=1, d_model=int(match[1]), seed=0)
    np.testing.assert_array_equal(sentence(page)["W_Q"], made["W_Q"])


def who_gives(match: Match, page: AppTest) -> None:
    """By the numbers of the sentence's run, from Q and K, without the core's own weights."""
    trace = sentence(page)
    i = min(2, len(trace.tokens) - 1)
    j = max(i - 1, 0)
    assert match.group(2, 3) == (trace.tokens[i], trace.tokens[j])
    is_on = page.session_state.scale_on == "on"
    assert (match[1] == "With", match[5] == "without") == (is_on, is_on)
    q, k = trace["Q"][0, i], trace["K"][0, : i + 1]
    roots = (np.sqrt(len(q)), 1) if is_on else (1, np.sqrt(len(q)))
    for text, by in zip(match.group(4, 6), roots, strict=True):
        printed(text, shares(k @ q / by)[j])


def other_scale(match: Match, page: AppTest) -> None:
    assert (match[1] == "without") == (page.session_state.scale_on == "on")


def spreads(match: Match, page: AppTest) -> None:
    """At every d that can be chosen."""
    spread = [float(q_dot_k(page, d).std()) for d in DIMENSIONS]
    assert spread == sorted(set(spread))
    np.testing.assert_allclose(np.divide(spread, np.sqrt(DIMENSIONS)), 1, atol=0.12)


INVENTORY = Inventory(
    "why_scale",
    ends={
        "scale_d": ("1", "128"),
        "scale_draws": ("500", "20000"),
        "scale_seed": ("0", str(MAX_SEED)),
        "scale_text": ("cat", "My dog ate my homework"),
        "scale_divisor": ("1", "64"),
        "scale_row": ("0", str(MAX_SEED)),
        "scale_on": ("on", "off"),
        "scale_d_k": ("4", "16", "64"),
    },
    claims={
        r"Why scale: what goes wrong": ALWAYS,
        r"The more features query and key have": ALWAYS,
        r"Softmax of such a row": ALWAYS,
        r"Attention divides the scores": ALWAYS,
        r"In ([\d,]+) draws at d = (\d+), q·k has mean (\S+) and variance (\S+);": draws,
        r".*with more draws they approach 0 and (\d+)\.": approached,
        r"Divided by √(\d+) = (\S+), its variance is (\S+)\.$": divided,
        r"The entries of q and k are independent draws": ALWAYS,
        r"Notice\.$|Try it\.$|The row above\.$": ALWAYS,
        r"Move d: the upper scores spread out, those divided by √d do not": spreads,
        r"The mean of q·k is 0|\$\$.operatorname": ALWAYS,
        r"Where i = j|Elsewhere its four|That leaves the d ones|Divided by √d, every": ALWAYS,
        r"The grid shows the same terms as means over your draws, for d = 4\.$": ALWAYS,
        r"Its cells add up to (\S+)\.$": grid,
        r"This is one row: a query and 8 keys at d = 64, scores (.+)\.$": row,
        r"\| row \| undivided \| divided by (\d+) \|": heading,
        r"\| Largest weight \| (\S+) \| (\S+) \|": line_of(lambda p: float(p.max())),
        r"\| Entropy in nats, at most log 8 = 2.08 \| (\S+) \| (\S+) \|": line_of(nats),
        r"\| Entropy in bits, at most 3.00 \| (\S+) \| (\S+) \|": line_of(
            lambda p: nats(p) / np.log(2)
        ),
        r"\| Entropy / the most \| (\S+) \| (\S+) \|": line_of(lambda p: nats(p) / np.log(8)),
        r"\| Norm of the Jacobian \| (\S+) \| (\S+) \|": line_of(norm_of_jacobian),
        r"Entropy tells how evenly the weights are spread": ALWAYS,
        r"Many rows: means of 1,000 such rows": ALWAYS,
        r"At d = 64 the largest of 8 weights is (\S+) on average without √d and (\S+) with it": (
            on_average
        ),
        r"Softmax's Jacobian": ALWAYS,
        r"Where one weight is near 1": one_near_1,
        r"There is one head, so \$d_k\$ = \$d_{.text{model}}\$ here\.$": one_head,
        r"Drawn at random, with \$d_{.text{model}}\$ = (\d+), one head and seed 0": drawn_with,
        r"(With|Without) the scale, (.+) gives (.+) the weight (\S+), (with|without) it (\S+)\.$": (
            who_gives
        ),
        r"The small number below another .* would be (without|with)": other_scale,
        r".*controls the variance of the scores": ALWAYS,
        r"And variance 1 is a statement": ALWAYS,
        r"To take away": ALWAYS,
        r"The dot product of two vectors of|Divided by \$.sqrt": ALWAYS,
    },
    others=[
        {"scale_d": "1", "scale_draws": "500", "scale_seed": "3"},
    ],
)


def test_its_controls_are_seen_at_their_ends() -> None:
    INVENTORY.check_ends()


def test_every_sentence_holds_at_the_ends_of_its_controls() -> None:
    INVENTORY.check()
