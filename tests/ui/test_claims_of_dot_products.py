"""Every sentence of 'dot products', at the ends of its controls."""

import math
import re
from collections import Counter

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.chapters.dot_products.similarity import similarity_inputs
from tests.ui.claims import ALWAYS, Inventory, number, printed
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
    [block] = [text.value for text in page.markdown if "The same on paper" in text.value]
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


def put(match: Match, page: AppTest) -> None:
    assert arrow(match[1]).tolist() == [1, 0]


def two_keys(match: Match, page: AppTest) -> None:
    """The longer of two keys wins by dot product, the one that is q itself by cosine."""
    q, longer, nearer = np.array([1.0, 0.0]), arrow(match[1]), arrow(match[2])
    assert q @ longer > q @ nearer
    assert cosine(q, longer) < cosine(q, nearer)
    np.testing.assert_array_equal(nearer, q)


def longer_key(match: Match, page: AppTest) -> None:
    q, k = np.array([1.0, 0.0]), arrow(match[1])
    printed(match[2], math.degrees(math.acos(cosine(q, k))))
    printed(match[3], math.sqrt(k @ k))


def line_of_key(match: Match, page: AppTest) -> None:
    q, k = np.array([1.0, 0.0]), arrow(match[1])
    for text, value in zip(
        match.groups()[1:], (math.sqrt(k @ k), q @ k, cosine(q, k)), strict=True
    ):
        printed(text, value)


def divided_by_lengths(match: Match, page: AppTest) -> None:
    q, k = arrows(page)
    if q.any() and k.any():
        units = q / np.sqrt(q @ q), k / np.sqrt(k @ k)
        np.testing.assert_allclose(units[0] @ units[1], cosine(q, k), atol=1e-12)


def arrows_in_space(match: Match, page: AppTest) -> None:
    for text, vector in zip(match.groups(), in_space(page), strict=True):
        np.testing.assert_array_equal(arrow(text), vector)


def angle_and_lengths(match: Match, page: AppTest) -> None:
    q, k = in_space(page)
    angle = math.degrees(math.acos(np.clip(cosine(q, k), -1, 1))) if q.any() and k.any() else 0
    same(match[1].rstrip("°"), angle, q, k)
    printed(match[2], math.sqrt(q @ q))
    printed(match[3], math.sqrt(k @ k))


def products(match: Match, page: AppTest) -> None:
    for texts, (q, k) in (
        (match.groups()[:2], in_space(page)), (match.groups()[2:], arrows(page)),
    ):  # fmt: skip
        printed(texts[0], q @ k)
        same(texts[1], cosine(q, k) if q.any() and k.any() else 0, q, k)


def third_feature(match: Match, page: AppTest) -> None:
    """With that of q put to 0, whatever that of k is."""
    flat, (q, k) = arrows(page), in_space(page)
    q[2] = 0
    assert q @ k == flat[0] @ flat[1]
    assert (k @ k > flat[1] @ flat[1]) == (k[2] != 0)


def closer_to_0(match: Match, page: AppTest) -> None:
    flat, (q, k) = arrows(page), in_space(page)
    q[2] = 0
    if flat[0].any() and flat[1].any() and k[2]:
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


def same_under_each(match: Match, page: AppTest) -> None:
    assert int(match[1]) == len(RULES)
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


def rows_sum_to_1(match: Match, page: AppTest) -> None:
    [stage] = stages(page)
    rule = page.session_state.dot_rule
    if len(tokens(page)) <= 16:  # a large matrix has colours and no numbers
        shown = np.array([[number(x) for x in row] for row in stage.texts("weights")])
        np.testing.assert_allclose(shown, weights(page, rule), rtol=0, atol=0.00501)


def rules_differ(match: Match, page: AppTest) -> None:
    """Lengths, the product and the mean, each tried on the sentence's own rows."""
    made, uniform = given(page, "additive"), weights(page, "uniform")
    for q, k in zip(made["Q"], made["K"], strict=True):
        np.testing.assert_allclose(
            score("cosine", 3 * q, k / 7, None), score("cosine", q, k, None), atol=1e-12
        )
    mean = made["V"].sum(axis=0) / len(made["V"])
    np.testing.assert_allclose(uniform @ made["V"], np.tile(mean, (len(uniform), 1)), atol=1e-12)


def turning(match: Match, page: AppTest) -> None:
    """What is made of V is another one after the turn, where it is not 0; all else is as it was."""
    state = page.session_state
    degrees = state.dot_turn % 360 or 90
    assert int(match[1]) == degrees
    angle, V = math.radians(degrees), given(page, state.dot_rule)["V"]
    R = np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
    context = weights(page, state.dot_rule) @ V
    changed = [n for n, a in (("V", V), ("context", context)) if np.abs(a @ R - a).max() > 1e-9]
    named = ["V", "context"]
    hats = ["$Q_{\\text{hat}}$", "$K_{\\text{hat}}$"] if state.dot_rule == "cosine" else []
    scaled = ["scaled"] if state.dot_rule == "scaled" else []
    kept = ["Q", "K", *hats, "scores", *scaled, "weights"]
    if not changed:
        assert match[2] == "nothing here, as every value is 0"
        assert np.abs(V).max() < 1e-12
        return
    first, stayed = match[2].removesuffix(" stay the same to the last bit").split(", while ")
    assert first.split(" and ") == [name for name in named if name in changed]
    assert re.split(", | and ", stayed) == kept


INVENTORY = Inventory(
    "dot_products",
    ends={
        "dot_q": ("0,0", "1,0", "-5,-5", "5,5"),
        "dot_k": ("0,0", "-5,-5", "0,1", "-1.5,0.7"),
        "dot_qz": ("-5", "0", "5"),
        "dot_kz": ("-5", "0", "5"),
        "dot_text": ("x", "the the", EIGHT * 8),
        "dot_rule": RULES,
        "dot_turn": ("0", "45", "360"),
    },
    claims={
        r"Dot products: what does q·k measure\?$": ALWAYS,
        r"The dot product of two arrows is one number, q·k = ‖q‖ ‖k‖ cos θ\.$": ALWAYS,
        r"It depends on how far the two point the same way, and also on how long": ALWAYS,
        r"Try it\.$|Drag a tip, or move it|Then make k longer": ALWAYS,
        r"The same on paper": ALWAYS,
        r"\$\$$": ALWAYS,
        r"\\begin\{aligned\}": on_paper,
        r"Put q on (.+) and k on$": put,
        r"Notice\.$|The query q = \(1\.0, 0\.0\) meets two keys": ALWAYS,
        r"The dot product prefers (.+), the cosine prefers (.+), which is q itself\.": two_keys,
        r".*which is q itself\. (\(.+\)) points (\S+)° away, but it is (\S+) long": longer_key,
        r"So q·k is not “similarity” in the sense of direction": ALWAYS,
        r"Where q and k are first divided by their lengths, the score is the cosine": (
            divided_by_lengths
        ),
        r"\| k \| ‖k‖ \| q·k \| cos θ \|": ALWAYS,
        r"\| (\(.+\)) \| (\S+) \| (\S+) \| (\S+) \|": line_of_key,
        r"q = (\(.+\)), k = (\(.+\))$": arrows_in_space,
        r"θ = (\S+), ‖q‖ = (\S+), ‖k‖ = (\S+)$": angle_and_lengths,
        r"q·k = (\S+), cos θ = (\S+); in the plane above they were (\S+) and (\S+)\.$": products,
        r"Where both arrows have a length, the formula holds with any number of features": ALWAYS,
        r"A third feature that only k has \(that of q is 0\) leaves q·k as it is and makes k": (
            third_feature
        ),
        r"The cosine then comes closer to 0 and the angle closer to 90°, or they are there": (
            closer_to_0
        ),
        r"(\d) rules for the scores; queries, keys and values are the same under": same_under_each,
        r"Whatever the scores are, softmax makes weights of them": ALWAYS,
        r"Drawn at random, with \S+ = (\d+), one head and seed 0: the mech": drawn_here,
        r"What (\S+) reads from each token, by each rule:$": reader,
        r"What to notice\.$": ALWAYS,
        r"Under every rule each row of weights sums to 1; the rule decides how": rows_sum_to_1,
        r"The cosine forgets lengths, the additive rule needs no product of q and k, and": (
            rules_differ
        ),
        r"Similarity space is not value space": ALWAYS,
        r"To turn every value by (\d+)° changes (.+)\.$": turning,
        r"No value has a say in who is read; the values are what is read": ALWAYS,
        r"To take away\.$": ALWAYS,
        r"The dot product of two vectors is .*; where one has no length, it is 0\.$": ALWAYS,
        r"Other scores are possible\.$": ALWAYS,
    },
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


def test_its_controls_are_seen_at_their_ends() -> None:
    INVENTORY.check_ends()


def test_every_sentence_holds_at_the_ends_of_its_controls() -> None:
    INVENTORY.check()


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
