"""Every sentence of 'dot products', at the ends of its controls."""

import math
import re
from collections import Counter

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.chapters.dot_products.similarity import similarity_inputs
from tests.quotes import proves
from tests.ui.claims import ALWAYS, Inventory, Values, number, printed
from tests.ui.support import opened, stages
from tests.ui.test_glossary import plain_first_uses
from tests.ui.test_prose import plain_symbols

Match = re.Match[str]
RULES = ("dot", "scaled", "cosine", "additive", "uniform")
EIGHT = "the cat sat on the mat the cat "
NO_VALUES, NEARLY_NONE, OPPOSITE = "cwzq", "dkgv", "di fj"
"""Values that are 0, that are 0 up to rounding, and two that cancel each other in their mean."""


def arrow(text: str) -> np.ndarray:
    """As a page prints it: (1.0, −2.0)."""
    return np.array([number(x) for x in text.strip("()").split(", ")])


def arrows(page: AppTest) -> tuple[np.ndarray, np.ndarray]:
    state = page.session_state
    q, k = (np.array(state[name].split(","), dtype=float) for name in ("dot_q", "dot_k"))
    return q, k


def in_space(page: AppTest) -> tuple[np.ndarray, np.ndarray]:
    q, k = arrows(page)
    return np.append(q, page.session_state.dot_qz), np.append(k, page.session_state.dot_kz)


def cosine(q: np.ndarray, k: np.ndarray) -> float:
    return float(q @ k / math.sqrt(q @ q) / math.sqrt(k @ k))


def same(text: str, value: float, q: np.ndarray, k: np.ndarray) -> None:
    """What hangs on the angle: a dash where an arrow has no length."""
    assert (text == "–") == (not q.any() or not k.any())
    if text != "–":
        printed(text, value)


LINE = re.compile(r"(.+) &= (.+) (=|\\approx) (\S+)$")


def on_paper(match: Match, page: AppTest) -> None:
    """Each left side, worked out, is its right side, which is what stands before it."""
    q, k = arrows(page)
    lengths = [math.sqrt(q @ q), math.sqrt(k @ k)]
    values = {
        r"q \cdot k": q @ k, r"\lVert q \rVert": lengths[0], r"\lVert k \rVert": lengths[1],
    }  # fmt: skip
    if all(lengths):
        values |= {
            r"\lVert q \rVert \lVert k \rVert": lengths[0] * lengths[1],
            r"\cos\theta": cosine(q, k),
            r"\lVert q \rVert \lVert k \rVert \cos\theta": q @ k,
        }
    [block] = [text.value for text in page.markdown if "By hand" in text.value]
    inside = block.partition(r"\begin{aligned}")[2].partition(r"\end{aligned}")[0]
    lines = [LINE.match(text.strip()) for text in inside.split(r" \\ ")]
    assert [line[1] for line in lines if line] == list(values)
    for line in lines:
        assert line
        python = re.sub(r"\\dfrac\{([^}]*)\}\{([^}]*)\}", r"(\1)/(\2)", line[2])
        python = re.sub(r"\\sqrt\{([^}]*)\}", r"sqrt(\1)", python).replace(")(", ")*(")
        worked = eval(python, {"sqrt": math.sqrt})
        printed(line[4], worked)
        assert (line[3] == "=") == (abs(number(line[4]) - worked) < 1e-9)
        # The product of two rounded lengths, each at most 5√2, is off by a little more.
        rounded = line[1] == r"\lVert q \rVert \lVert k \rVert"
        assert abs(worked - values[line[1]]) < (0.08 if rounded else 0.0051)


def by_formula(match: Match, page: AppTest) -> None:
    q, k = arrows(page)
    if q.any() and k.any():
        lengths = math.sqrt(q @ q) * math.sqrt(k @ k)
        np.testing.assert_allclose(lengths * cosine(q, k), q @ k, atol=1e-12)


def put(match: Match, page: AppTest) -> None:
    assert arrow(match[1]).tolist() == [1, 0]


@proves("""
    By dot product, k = {longer} matches q = {q} better than k = {nearer}, because it is longer. By
    cosine, which ignores length, k = {nearer} matches better | Drag the tip of k past 90° from q.
    Then make k longer
""")
def notice(said: Values, page: AppTest) -> None:
    """The longer of two keys wins by dot product, the nearer one by cosine."""
    q, longer, nearer = (arrow(said[name]) for name in ("q", "longer", "nearer"))
    assert q.tolist() == [1, 0]
    assert q @ longer > q @ nearer
    assert longer @ longer > nearer @ nearer
    assert cosine(q, longer) < cosine(q, nearer)
    np.testing.assert_allclose(cosine(q, 7 * longer), cosine(q, longer))


def length_counts(said: Values, page: AppTest) -> None:
    q, k = np.array([1.0, 0.0]), arrow(said["longer"])
    printed(said["degrees"].removesuffix("°"), math.degrees(math.acos(cosine(q, k))))
    printed(said["length"], math.sqrt(k @ k))
    assert 0 < cosine(q, k) < 1
    units = q / np.sqrt(q @ q), k / np.sqrt(k @ k)
    np.testing.assert_allclose(units[0] @ units[1], cosine(q, k), atol=1e-12)


def line_of_key(match: Match, page: AppTest) -> None:
    q, k = np.array([1.0, 0.0]), arrow(match[1])
    for text, value in zip(
        match.groups()[1:], (math.sqrt(k @ k), q @ k, cosine(q, k)), strict=True
    ):
        printed(text, value)


def space_alt(said: Values, page: AppTest) -> None:
    q, k = in_space(page)
    np.testing.assert_array_equal(arrow(said["q"]), q)
    np.testing.assert_array_equal(arrow(said["k"]), k)
    angle = math.degrees(math.acos(np.clip(cosine(q, k), -1, 1))) if q.any() and k.any() else 0
    same(said["degrees"].rstrip("°"), angle, q, k)
    printed(said["dot"], q @ k)
    same(said["cosine"], cosine(q, k) if q.any() and k.any() else 0, q, k)


def in_space_and_plane(said: Values, page: AppTest) -> None:
    space_alt(said, page)
    (q, k), flat = in_space(page), arrows(page)
    printed(said["length_q"], math.sqrt(q @ q))
    printed(said["length_k"], math.sqrt(k @ k))
    printed(said["flat_dot"], flat[0] @ flat[1])
    same(said["flat_cosine"], cosine(*flat) if flat[0].any() and flat[1].any() else 0, *flat)


@proves("""
    The formula holds for any number of features. Give only k a third feature. Then q·k does not
    change, but k is longer [angled] , so the cosine comes closer to 0, or stays 0
""")
def any_number(said: Values, page: AppTest) -> None:
    """With that of q put to 0, whatever that of k is."""
    flat, (q, k) = arrows(page), in_space(page)
    q[2] = 0
    assert q @ k == flat[0] @ flat[1]
    assert (k @ k > flat[1] @ flat[1]) == (k[2] != 0)
    assert said["angled"] == bool(flat[0].any() and flat[1].any())
    if said["angled"] and k[2]:
        assert abs(cosine(q, k)) < abs(cosine(*flat)) or flat[0] @ flat[1] == 0


def tokens(page: AppTest) -> list[str]:
    found: list[str] = page.session_state.dot_text.split()
    return found


def given(page: AppTest, rule: str) -> dict[str, np.ndarray]:
    """Q, K, V and v_a of the sentence, by plain products."""
    inputs = similarity_inputs(page.session_state.dot_text, rule)
    made = {name: inputs["X"] @ inputs[f"W_{name}"][0] for name in "QKV"}
    return made | ({"v_a": inputs["v_a"][0, :, 0]} if rule == "additive" else {})


def score(rule: str, q: np.ndarray, k: np.ndarray, v_a: np.ndarray | None) -> float:
    if rule == "uniform":
        return 0
    if rule == "additive":
        assert v_a is not None
        return float(sum(v * math.tanh(a + b) for v, a, b in zip(v_a, q, k, strict=True)))
    if rule == "cosine":
        return cosine(q, k) if q.any() and k.any() else 0
    return float(q @ k) / (math.sqrt(len(q)) if rule == "scaled" else 1)


def weights(page: AppTest, rule: str) -> np.ndarray:
    made = given(page, rule)
    v_a = made.get("v_a")
    powers = np.exp([[score(rule, q, k, v_a) for k in made["K"]] for q in made["Q"]])
    shares: np.ndarray = powers / powers.sum(axis=1, keepdims=True)
    return shares


def rules(said: Values, page: AppTest) -> None:
    assert said["rules"] == len(RULES)
    first, *others = (given(page, rule) for rule in RULES)
    for other in others:
        for name in "QKV":
            np.testing.assert_array_equal(other[name], first[name])


def drawn_here(match: Match, page: AppTest) -> None:
    given = similarity_inputs(page.session_state.dot_text)
    assert int(match[1]) == given["X"].shape[-1]
    assert len(given["W_Q"]) == 1


def reader(match: Match, page: AppTest) -> None:
    """The third token or the last, with its number among equal ones."""
    said = tokens(page)
    at = min(3, len(said)) - 1
    again = Counter(said)[said[at]] > 1
    nth = "₀₁₂₃₄₅₆₇₈₉"[Counter(said[: at + 1])[said[at]]] if again else ""
    assert match[1] == said[at] + nth


@proves("""
    A row of numbers is an arrow | With it, a model decides how much one word reads from another
""")
def each_sums_to_1(said: Values, page: AppTest) -> None:
    """Sums of rows; lengths, the product and the mean, each tried on the sentence's own rows."""
    [stage] = stages(page)
    rule = page.session_state.dot_rule
    if len(tokens(page)) <= 16:  # a large matrix has colours and no numbers
        shown = np.array([[number(x) for x in row] for row in stage.texts("weights")])
        np.testing.assert_allclose(shown, weights(page, rule), rtol=0, atol=0.00501)
    made, uniform = given(page, "additive"), weights(page, "uniform")
    for q, k in zip(made["Q"], made["K"], strict=True):
        np.testing.assert_allclose(
            score("cosine", 3 * q, k / 7, None), score("cosine", q, k, None), atol=1e-12
        )
    mean = made["V"].sum(axis=0) / len(made["V"])
    np.testing.assert_allclose(uniform @ made["V"], np.tile(mean, (len(uniform), 1)), atol=1e-12)


LINK = re.compile(r"\[(.+?)\]\(#stage-([^)]*)\)")


@proves("""
    Values do not change the weights. Turning every value by {degrees}° changes [changed] {changed};
    {kept} stay exactly the same. [else] nothing here, because every value is 0. Queries and keys
    decide what is read; values are what is read
""")
def turning(said: Values, page: AppTest) -> None:
    """What is made of V is another one after the turn, where it is not 0; the rest is as it was."""
    state = page.session_state
    degrees = state.dot_turn % 360 or 90
    assert said["degrees"] == degrees
    angle, V = math.radians(degrees), given(page, state.dot_rule)["V"]
    R = np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
    context = weights(page, state.dot_rule) @ V
    changed = [n for n, a in (("V", V), ("context", context)) if np.abs(a @ R - a).max() > 1e-9]
    hats = ["Q_hat", "K_hat"] if state.dot_rule == "cosine" else []
    scaled = ["scaled"] if state.dot_rule == "scaled" else []
    kept = ["Q", "K", *hats, "scores", *scaled, "weights"]
    assert [name for _, name in LINK.findall(said["changed"])] == changed
    if not changed:
        assert np.abs(V).max() < 1e-12
        return
    assert [name for _, name in LINK.findall(said["kept"])] == kept


INVENTORY = Inventory(
    "dot_products",
    typed={
        "dot_q": ("0,0", "1,0", "-5,-5", "5,5"),
        "dot_k": ("0,0", "-5,-5", "0,1", "-1.5,0.7"),
        "dot_qz": ("-5", "0", "5"),
        "dot_kz": ("-5", "0", "5"),
        "dot_text": ("x", "the the", EIGHT * 8),
        "dot_turn": ("0", "45", "360"),
    },
    claims={
        r"By hand: q·k = ‖q‖ ‖k‖ cos θ$": by_formula,
        r"\$\$$": ALWAYS,
        r"\\begin\{aligned\}": on_paper,
        r"Set q to (.+) and k to$": put,
        r"\| k \| ‖k‖ \| q·k \| cos θ \|": ALWAYS,
        r"\| (\(.+\)) \| (\S+) \| (\S+) \| (\S+) \|": line_of_key,
        r"Random weights \(\S+ = (\d+), one head, seed 0\)": drawn_here,
        r"What (\S+) reads from each token, under each rule:$": reader,
    },
    module=globals(),
    always="lede try origin takeaway",
    texts={"in_space": in_space_and_plane},
    others=[
        {"dot_text": NO_VALUES},
        {"dot_text": NEARLY_NONE, "dot_turn": "15"},
        {"dot_text": OPPOSITE, "dot_rule": "uniform"},
        {"dot_text": "a b c a", "dot_rule": "cosine", "dot_turn": "90"},
        {"dot_q": "3,-4", "dot_k": "-3,4", "dot_qz": "0.1", "dot_kz": "-0.1"},
        {"dot_q": "0.1,0", "dot_k": "0,0.1"},
        {"present": "1"},
    ],
    panels=["fold_rules"],
)


@pytest.mark.parametrize("rule", RULES)
def test_terms_are_links_and_symbols_are_typeset_under_each_rule(rule: str) -> None:
    page = opened("dot_products", dot_rule=rule)
    assert not plain_first_uses(page)
    assert not plain_symbols(page)


@pytest.mark.parametrize("text", ["*b* <i> $x$", "[a](b) _c_ d"])
def test_a_token_that_looks_like_markdown_is_set_off_as_it_is(text: str) -> None:
    page = opened("dot_products", dot_text=text)
    [said] = [made.value for made in page.markdown if "reads from each" in made.value]
    assert re.match(r"What \*(\\.|\w)+\* reads from each", said)
