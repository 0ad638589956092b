"""Every sentence of 'queries, keys, values', at the ends of its controls."""

import math
import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.attention.inputs import toy_inputs
from core.chapters.queries_keys_values.ladder import red_ball
from core.chapters.queries_keys_values.lookup import library, lookup_family
from core.program.inputs import Inputs
from tests.quotes import proves
from tests.ui.claims import ALWAYS, Inventory, Values, number, printed
from tests.ui.support import opened, stages
from tests.ui.test_glossary import plain_first_uses
from tests.ui.test_prose import plain_symbols

Match = re.Match[str]
D_MODEL = 512
"""Of the base model in Vaswani et al. (2017), table 3; it has 8 heads of 64."""
RUNGS, PARTS = ("1", "2", "3", "4"), ("lookup", "basis", "sizes", "budget")
BETAS = ("0", "0.5", "1", "2", "4", "8", "16", "32", "64")
QUERY, KEY = 2, 1
"""Where three words search or ask: the third and the second."""


def drawn(page: AppTest) -> Inputs:
    return toy_inputs(page.session_state.qkv_text, heads=1, d_model=4, d_k=2, d_v=3)


def pair(tokens: tuple[str, ...]) -> tuple[int, int]:
    """The pair of tokens that the page speaks of: the third and the second, or the last two."""
    query = min(2, len(tokens) - 1)
    return query, max(query - 1, 0)


def sentence(page: AppTest) -> Inputs:
    return red_ball() if page.session_state.qkv_numbers == "hand" else drawn(page)


def scores(inputs: Inputs, rung: int) -> np.ndarray:
    """XXᵀ, or QKᵀ by two plain products."""
    X = inputs["X"]
    left, right = (X, X) if rung == 1 else (X @ inputs["W_Q"][0], X @ inputs["W_K"][0])
    made: np.ndarray = left @ right.T
    return made


def weights(inputs: Inputs, rung: int) -> np.ndarray:
    """Softmax of the scores over √d_k; on the fourth rung without the later keys."""
    powers = np.exp(scores(inputs, rung) / math.sqrt(inputs["W_Q"].shape[-1]))
    seen = np.tril(powers) if rung == 4 else powers
    made: np.ndarray = seen / seen.sum(axis=1, keepdims=True)
    return made


def rung_of(page: AppTest) -> int:
    return int(page.session_state.qkv_rung)


@proves("""
    Version 1 compares the rows of the tokens directly. Version 2 compares queries with keys, and
    adds up values. Version 3 turns the scores into weights with softmax
""")
def versions(said: Values, page: AppTest) -> None:
    """All versions can be chosen; before there are weights, the scores mix the values."""
    rung, inputs = rung_of(page), sentence(page)
    stage = stages(page)[0]
    options = next(t for t in stage.document["toggles"] if t["key"] == "qkv_rung")["options"]
    assert len(options) == int(RUNGS[-1]) == 4
    assert ("weights" in stage.document["arrays"]) == (rung >= 3)
    if rung < 3:
        values = inputs["X"] if rung == 1 else inputs["X"] @ inputs["W_V"][0]
        mixed = scores(inputs, rung) @ values
        shown = np.array([[number(x) for x in row] for row in stage.texts("context")])
        np.testing.assert_allclose(shown, mixed, rtol=0, atol=0.00501)


def of_the_rung(said: Values, page: AppTest) -> None:
    """The number of the version, and what it adds."""
    rung, inputs, stage = rung_of(page), sentence(page), stages(page)[0]
    number, _, title = said["rung"].partition(" · ")
    assert int(number) == rung
    made, arrays = scores(inputs, min(rung, 2)), stage.document["arrays"]
    adds = said["adds"].replace("\\", "")
    if title == "Only X":
        assert (rung, "the row of X itself. Nothing is learned" in adds) == (1, True)
        assert not [name for name in arrays if name.startswith("W_")]
        for name in "QKV":
            np.testing.assert_allclose(
                stage.texts(name).astype(float), inputs["X"], rtol=0, atol=0.00501
            )
        np.testing.assert_allclose(made, made.T, atol=1e-12)
    elif title == "Projections":
        assert (rung, "three rows of its own" in adds) == (2, True)
        assert {"W_Q", "W_K", "W_V", "Q", "K", "V"} <= set(arrays)
        assert len(made) == 1 or abs(made - made.T).max() > 1
    elif title == "Softmax":
        assert (rung, "add up to 1" in adds) == (3, True)
        given = weights(inputs, rung)
        assert (given > 0).all()
        np.testing.assert_allclose(given.sum(axis=1), 1)
    else:
        assert (title, rung, "becomes −∞" in adds) == ("Causal mask", 4, True)
        shown = stage.texts("masked")
        future = np.triu(np.ones(shown.shape, dtype=bool), 1)
        np.testing.assert_array_equal(np.char.find(shown.astype(str), "inf") >= 0, future)


def plain(markdown: str) -> str:
    """A token or a number without its marks and its link."""
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", markdown).replace("\\", "").strip("*")


@proves("""
    [one] Notice. {asks} gives itself a {?} of {there}. [else] Notice. {asks} gives {asked} a {?} of
    {there}. {asked} gives {asks} [hidden] {back}, because {asks} comes later and is hidden [same]
    the same: {back} [else] {back}
""")
def both_ways(said: Values, page: AppTest) -> None:
    """Who gives whom which score, or which weight where there are weights."""
    inputs, rung = sentence(page), rung_of(page)
    query, key = pair(inputs.tokens)
    assert plain(said["asks"]) == inputs.tokens[query]
    assert plain(said["asked"]) == inputs.tokens[key]
    assert said["weights"] == (rung >= 3)
    made = weights(inputs, rung) if rung >= 3 else scores(inputs, rung)
    printed(plain(said["there"]), made[query, key])
    printed(plain(said["back"]), made[key, query])
    assert said["one"] == (query == key)
    assert said["same"] == bool(np.isclose(made[query, key], made[key, query]))
    assert said["hidden"] == (rung == 4 and query != key)


def only_x(said: Values, page: AppTest) -> None:
    assert rung_of(page) > 1
    inputs = sentence(page)
    query, key = pair(inputs.tokens)
    assert query != key
    made = scores(inputs, 1)
    for value in (made[query, key], made[key, query]):
        printed(said["score"], value)


@proves("""
    For the sentence above, X Xᵀ has {count}: {above} [zeros] [above] and {zeros}. None is below 0,
    because X Xᵀ is a matrix times its own transpose
""")
def eigenvalues(said: Values, page: AppTest) -> None:
    X = drawn(page)["X"]
    found = np.sort(np.linalg.svd(X, compute_uv=False) ** 2)[-np.linalg.matrix_rank(X) :]
    assert said["count"] == len(X) == len(found) + said["zeros"]
    for text, value in zip(said["above"].split(", "), found, strict=True):
        printed(text, float(value))


@proves("""
    [most] With random projections the two scores of a pair differ by up to {most}. [else] Even with
    random projections the two scores of each pair are equal here
""")
def differ(said: Values, page: AppTest) -> None:
    made = scores(drawn(page), 2)
    assert len(made) > 1
    most = float(np.abs(made - made.T).max())
    assert bool(said["most"]) == (most > 1e-9)
    if said["most"]:
        printed(said["most"], most)


def drawn_here(match: Match, page: AppTest) -> None:
    """Said where weights are drawn, and only of the sentence that has them."""
    assert page.session_state.qkv_numbers == "drawn" or page.session_state.qkv_part == "basis"
    assert int(match[1]) == drawn(page)["X"].shape[-1]
    assert len(drawn(page)["W_Q"]) == 1


@proves("""
    Without separate projections, “ball” and “red” would always score each other equally | a pair
    has the same score in both directions
""")
def symmetric(said: Values, page: AppTest) -> None:
    """By hand and random: equal scores in both directions."""
    for inputs in (red_ball(), drawn(page)):
        made = scores(inputs, 1)
        np.testing.assert_allclose(made, made.T, atol=1e-12)


@proves("""
    A token asks with its query, is found by its key and passes on its value | Learned projections
    give each token a query to ask with, a key to be found by and a value to pass on
""")
def not_symmetric(said: Values, page: AppTest) -> None:
    made = scores(red_ball(), 2)
    assert made[QUERY, KEY] > 0
    assert made[KEY, QUERY] == 0


def mixed(page: AppTest) -> np.ndarray:
    """What each search gets back, by plain products."""
    table = library()
    beta = float(page.session_state.qkv_beta)
    powers = np.exp(beta * table["Q"][0] @ table["K"][0].T)
    made: np.ndarray = (powers / powers.sum(axis=1, keepdims=True)) @ table["V"][0]
    return made


def row(text: str, values: np.ndarray) -> None:
    for one, value in zip(text.split(", "), values, strict=True):
        printed(plain(one), float(value))


@proves("""
    For {asks} the title of {found} fits best: {percent} % of what {asks} gets is the content of
    {found}
""")
def found(said: Values, page: AppTest) -> None:
    """The title that fits best, and its weight at the sharpness with which the library opens."""
    table, beta = library(), float(default_beta())
    asks = plain(said["asks"])
    assert asks == page.session_state.qkv_search
    fits = table["Q"][0, table.tokens.index(asks)] @ table["K"][0].T
    assert plain(said["found"]) == table.tokens[int(fits.argmax())]
    assert np.sort(fits)[-1] > np.sort(fits)[-2]  # one title fits best
    powers = np.exp(beta * fits)
    printed(said["percent"], 100 * float(powers.max() / powers.sum()))


def default_beta() -> str:
    return lookup_family().toggles[0].default


def lookup(said: Values, page: AppTest) -> None:
    """The picture, whose percentages `found` checks, is drawn with the sharpness that is said."""
    assert said["beta"] == default_beta()


@proves("""
    At this β, {asks} gets ({returned}). At β = 0 it gets the mean of all contents, ({mean}). As β
    grows, the result approaches the content of {found}, whose title fits best: ({stored})
""")
def lookup_result(said: Values, page: AppTest) -> None:
    table = library()
    assert plain(said["asks"]) == table.tokens[QUERY]
    row(said["returned"], mixed(page)[QUERY])
    fits = table["Q"][0, QUERY] @ table["K"][0].T
    at = table.tokens.index(plain(said["found"]))
    assert all(fits[at] > other for n, other in enumerate(fits) if n != at)
    row(said["stored"], table["V"][0, at])
    row(said["mean"], sum(table["V"][0]) / 3)
    beta_grows(page)


def beta_grows(page: AppTest) -> None:
    """At 0 the mean; every search comes nearer to its best content with each β, and gets there."""
    table = library()
    fits = table["Q"][0] @ table["K"][0].T
    best = table["V"][0][fits.argmax(axis=1)]
    if page.session_state.qkv_beta == "0":
        np.testing.assert_allclose(mixed(page), [sum(table["V"][0]) / 3] * 3)
    apart = []
    for beta in map(float, BETAS):
        powers = np.exp(beta * fits)
        made = (powers / powers.sum(axis=1, keepdims=True)) @ table["V"][0]
        apart.append(np.linalg.norm(made - best, axis=1))
    assert (np.diff(apart, axis=0) < 1e-12).all()
    assert apart[-1].max() < 1e-6


def in_basis(page: AppTest) -> tuple[np.ndarray, dict[str, tuple[np.ndarray, np.ndarray]]]:
    """A, and each of Q, K and scores before and after: Q A, and K times the inverse's transpose."""
    turn, inputs = math.radians(page.session_state.qkv_angle), drawn(page)
    A = np.array([[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]])
    A[:, 0] *= float(page.session_state.qkv_stretch)
    (a, b), (c, d) = A
    inverse = np.array([[d, -b], [-c, a]]) / (a * d - b * c)
    Q, K = (inputs["X"] @ inputs[name][0] for name in ("W_Q", "W_K"))
    changed = Q @ A, K @ inverse.T
    return A, {
        "Q": (Q, changed[0]), "K": (K, changed[1]), "scores": (Q @ K.T, changed[0] @ changed[1].T),
    }  # fmt: skip


def basis(said: Values, page: AppTest) -> None:
    """A has an inverse; the stage has a small number for each cell that changed, and no other."""
    A, arrays = in_basis(page)
    assert A.shape[0] == A.shape[1]
    assert abs(A[0, 0] * A[1, 1] - A[0, 1] * A[1, 0]) > 0.1
    stage = stages(page)[1]
    for name, (before, after) in arrays.items():
        changes = stage.changes(name)
        apart = np.abs(after - before) > 1e-9
        if changes is None:
            assert not apart.any()
            continue
        np.testing.assert_array_equal(changes.astype(str) != "", apart)
        for text, gap in zip(changes[apart], (after - before)[apart], strict=True):
            printed(text.removeprefix("+"), gap)


@proves("""
    {queries} of {tokens} queries, {keys} of {tokens} keys and {scores} of {pairs} scores have
    changed
""")
def moved(said: Values, page: AppTest) -> None:
    arrays = in_basis(page)[1]
    totals = {"Q": ("queries", "tokens"), "K": ("keys", "tokens"), "scores": ("scores", "pairs")}
    for name, (count, total) in totals.items():
        before, after = arrays[name]
        apart = np.abs(after - before) > 1e-9
        apart = apart if name == "scores" else apart.any(axis=1)
        assert [said[count], said[total]] == [apart.sum(), apart.size]


@proves("""
    All scores are $X$ (W_Q W_Kᵀ) Xᵀ: other matrices with the same product W_Q W_Kᵀ give the same
    scores
""")
def only_the_product(said: Values, page: AppTest) -> None:
    """Scores of the product alone, kept by any A; symmetric for every X only if the product is."""
    before, after = in_basis(page)[1]["scores"]
    np.testing.assert_allclose(after, before, atol=1e-9)
    inputs = drawn(page)
    product = inputs["W_Q"][0] @ inputs["W_K"][0].T
    np.testing.assert_allclose(inputs["X"] @ product @ inputs["X"].T, before, atol=1e-9)
    rng = np.random.default_rng(5)
    X, W = rng.normal(size=(6, 4)), rng.normal(size=(4, 4))
    assert not np.allclose(X @ W @ X.T, (X @ W @ X.T).T)
    both = X @ (W + W.T) @ X.T
    np.testing.assert_allclose(both, both.T)


SIZES = ("T", "d_model", "heads", "d_k", "d_v")


def sizes(said: Values, page: AppTest) -> None:
    """Each shape by its axes, from the sizes of the controls (which fit in a link)."""
    size = {name: page.session_state[f"qkv_{name}"] for name in (*SIZES, "d_q")}
    assert size["d_q"] == size["d_k"]
    [table] = page.table
    axes = re.sub(r"\\text\{(\w+)\}", r"\1", " ".join(table.value["Axes"]))
    assert set(SIZES) <= set(re.findall(r"\w+", re.sub(r"[${}]", "", axes)))
    for named, shape in zip(table.value["Axes"], table.value["Sizes"], strict=True):
        names = re.sub(r"\\text|[${}]", "", named)
        products = [math.prod(size[n] for n in axis.split("·")) for axis in names.split(" × ")]
        assert [int(n) for n in shape.split(" × ")] == products


def do_not_fit(match: Match, page: AppTest) -> None:
    """The page began with sizes that do, whatever the link asked for."""
    assert int(match[1]) != int(match[2])
    assert page.session_state.qkv_d_q == page.session_state.qkv_d_k == 4


@proves("has {heads} heads with d_k = d_v = {d_k}, and {heads} × {d_k} = {d_model} = d_model")
def paper(said: Values, page: AppTest) -> None:
    assert (said["heads"], said["d_k"], said["d_model"]) == (8, 64, D_MODEL)
    assert D_MODEL == 8 * 64


def budget(said: Values, page: AppTest) -> None:
    assert said["d_model"] == D_MODEL


@proves("""
    {parameters} parameters make n² = {scores} scores: {each} for each parameter. At n = {equal} the
    two counts are equal
""")
def counts(said: Values, page: AppTest) -> None:
    n, d_k = int(page.session_state.qkv_n), int(page.session_state.qkv_d_qk)
    entries = 2 * D_MODEL * d_k
    assert [number(said[name]) for name in ("parameters", "scores")] == [entries, n * n]
    each = number(said["each"].replace("e−", "e-"))
    np.testing.assert_allclose(each, n * n / entries, rtol=0.03, atol=0.005 * (each >= 0.01))
    assert number(said["equal"]) ** 2 == entries


def rank(said: Values, page: AppTest) -> None:
    """At most d_k, also of random rows of another seed; any n × n matrix if n is no more."""
    n, d_k = int(page.session_state.qkv_n), int(page.session_state.qkv_d_qk)
    assert (said["d_k"], number(said["n"])) == (d_k, n)
    Q, K = np.random.default_rng(d_k).normal(size=(2, 80, d_k))
    assert np.linalg.matrix_rank(Q @ K.T) <= d_k
    assert said["any_scores"] == (n <= d_k)


@proves("give rank {rank} at {tokens} tokens")
def measured(said: Values, page: AppTest) -> None:
    """The rank of other random scores; and scores of rank 1 whose weights have a larger one."""
    tokens, d_k = said["tokens"], int(page.session_state.qkv_d_qk)
    rng = np.random.default_rng(11)
    X, W_Q, W_K = (rng.normal(size=s) for s in ((tokens, D_MODEL), (D_MODEL, d_k), (D_MODEL, d_k)))
    assert said["rank"] == np.linalg.matrix_rank((X @ W_Q) @ (X @ W_K).T)
    made = np.outer([1.0, 2.0, 3.0], [1.0, -1.0, 0.5])
    powers = np.exp(made)
    assert np.linalg.matrix_rank(made) == 1
    assert np.linalg.matrix_rank(powers / powers.sum(axis=1, keepdims=True)) == 3


@proves("""
    for queries and keys of {d_k}. The parameters stay at {parameters}. The scores grow as n²: they
    equal the parameters at n = {equal}. At n = {n} there are {scores} scores. Up to n = {d_k} the
    rank of the scores is n; above it, the rank is {d_k}
""")
def budget_alt(said: Values, page: AppTest) -> None:
    """The chart's own words."""
    n, d_k = int(page.session_state.qkv_n), int(page.session_state.qkv_d_qk)
    entries = 2 * D_MODEL * d_k
    assert (said["d_k"], said["parameters"], said["n"], said["scores"]) == (d_k, entries, n, n * n)
    assert number(said["equal"]) ** 2 == entries


INVENTORY = Inventory(
    "queries_keys_values",
    typed={
        "qkv_text": ("cat", "My dog ate my homework"),
        "qkv_beta": BETAS,
        "qkv_d_model": ("16", "64"),
    },
    claims={
        r"Random weights \(\S+ = (\d+), one head, seed 0\)": drawn_here,
        r"In the link:$|The default is used instead\.$": ALWAYS,
        r"K has (\d+) along key feature; scores needs (\d+) there": do_not_fit,
    },
    module=globals(),
    always="library from_tokens must_agree takeaway origin",
    texts={"lede": symmetric, "rung": of_the_rung, "product": only_the_product},
    others=[
        *({"qkv_rung": rung, "qkv_numbers": "drawn"} for rung in RUNGS),
        *(
            {"qkv_part": "basis", "qkv_angle": angle, "qkv_stretch": stretch}
            for angle, stretch in (("0", "1"), ("0", "4"), ("355", "0.25"), ("180", "1"))
        ),
        {"qkv_part": "sizes"} | {f"qkv_{name}": "1" for name in (*SIZES, "d_q")},
        {
            "qkv_part": "sizes", "qkv_T": "16", "qkv_heads": "16", "qkv_d_model": "64",
            "qkv_d_q": "16", "qkv_d_k": "16", "qkv_d_v": "1",
        },
        *(
            {"qkv_part": "budget", "qkv_n": n, "qkv_d_qk": d_k}
            for n, d_k in (("16", "1"), ("16", "16"), ("32", "1"), ("64", "64"), ("1024", "1"))
        ),
        {"qkv_part": "budget", "present": "1"},
        {"qkv_rung": "4", "qkv_numbers": "drawn", "qkv_text": "cat"},
    ],
)  # fmt: skip


def test_sizes_that_do_not_fit_leave_a_table_of_a_real_run() -> None:
    """What the table says is true of what is shown, not of what the slider asks for."""
    page = opened("queries_keys_values", qkv_part="sizes")
    page.slider(key="qkv_d_q").set_value(3).run()
    assert page.error
    assert any("Every shape in the table is from a real run" in m.value for m in page.markdown)
    assert "2 × 8 × 4" in list(page.table[0].value["Sizes"])


@pytest.mark.parametrize("rung", RUNGS)
@pytest.mark.parametrize("part", PARTS)
def test_terms_are_links_and_symbols_are_typeset_in_each_part(rung: str, part: str) -> None:
    page = opened("queries_keys_values", qkv_rung=rung, qkv_part=part)
    assert not plain_first_uses(page)
    assert not plain_symbols(page)
