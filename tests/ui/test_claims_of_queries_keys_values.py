"""Every sentence of 'queries, keys, values', at the ends of its controls."""

import math
import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.attention.inputs import toy_inputs
from core.chapters.queries_keys_values.ladder import by_hand
from core.chapters.queries_keys_values.lookup import library, lookup_family
from core.program.inputs import Inputs
from tests.ui.claims import ALWAYS, Inventory, number, printed
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
    return by_hand() if page.session_state.qkv_numbers == "hand" else drawn(page)


def scores(inputs: Inputs, rung: int) -> np.ndarray:
    """XXᵀ, or QKᵀ by two plain products."""
    X = inputs["X"]
    left, right = (X, X) if rung == 1 else (X @ inputs["W_Q"][0], X @ inputs["W_K"][0])
    made: np.ndarray = left @ right.T
    return made


def weights(inputs: Inputs, rung: int) -> np.ndarray:
    """Softmax of the scores over √d_k; on the fourth rung without the keys to come."""
    powers = np.exp(scores(inputs, rung) / math.sqrt(inputs["W_Q"].shape[-1]))
    seen = np.tril(powers) if rung == 4 else powers
    shares: np.ndarray = seen / seen.sum(axis=1, keepdims=True)
    return shares


def rung_of(page: AppTest) -> int:
    return int(page.session_state.qkv_rung)


def versions(match: Match, page: AppTest) -> None:
    assert match[1] == RUNGS[-1]


def weights_from(match: Match, page: AppTest) -> None:
    """Where softmax comes, there are weights on the stage; below, the scores mix the values."""
    rung, inputs = rung_of(page), sentence(page)
    stage = stages(page)[0]
    assert ("weights" in stage.document["arrays"]) == (rung >= int(match[1]))
    if rung < 3:
        values = inputs["X"] if rung == 1 else inputs["X"] @ inputs["W_V"][0]
        mixed = scores(inputs, rung) @ values
        shown = np.array([[number(x) for x in row] for row in stage.texts("context")])
        np.testing.assert_allclose(shown, mixed, rtol=0, atol=0.00501)


def title(match: Match, page: AppTest) -> None:
    assert int(match[1]) == rung_of(page)


def no_map(match: Match, page: AppTest) -> None:
    assert rung_of(page) == 1
    assert "W_Q" not in stages(page)[0].document["arrays"]
    made = scores(sentence(page), 1)
    np.testing.assert_allclose(made, made.T, atol=1e-12)


def three_rows(match: Match, page: AppTest) -> None:
    arrays = stages(page)[0].document["arrays"]
    assert {"W_Q", "W_K", "W_V", "Q", "K", "V"} <= set(arrays)


def two_things(match: Match, page: AppTest) -> None:
    made = scores(sentence(page), 2)
    assert abs(made - made.T).max() > 1


def shares(match: Match, page: AppTest) -> None:
    made = weights(sentence(page), rung_of(page))
    assert (made > 0).all()
    np.testing.assert_allclose(made.sum(axis=1), 1)


def hidden(match: Match, page: AppTest) -> None:
    shown = stages(page)[0].texts("masked")
    future = np.triu(np.ones(shown.shape, dtype=bool), 1)
    np.testing.assert_array_equal(np.char.find(shown.astype(str), "inf") >= 0, future)


def said_of_pair(match: Match, page: AppTest) -> None:
    """Who scores whom with what; on a line that begins so, without any maps."""
    inputs, rung = sentence(page), 1 if match[1] == "With X alone," else rung_of(page)
    query, key = pair(inputs.tokens)
    asks, asked = inputs.tokens[query], inputs.tokens[key]
    assert match.groups()[1:3] == (asks, asked)
    assert match.groups()[4:6] == (asked, asks)
    made = scores(inputs, rung)
    printed(match[4], made[query, key])
    printed(match[7], made[key, query])
    assert (match[8] == ": the same") == bool(np.isclose(made[query, key], made[key, query]))


def given_to(match: Match, page: AppTest) -> None:
    inputs, rung = sentence(page), rung_of(page)
    query, key = pair(inputs.tokens)
    asks, asked = inputs.tokens[query], inputs.tokens[key]
    assert (match[1], match[2], match[4], match[6]) == (asks, asked, asked, asks)
    made = weights(inputs, rung)
    printed(match[3], made[query, key])
    printed(match[5], made[key, query])
    later = f", which comes later and is hidden from {asked}"
    assert match[7] == (later if rung == 4 and query != key else "")


def eigenvalues(match: Match, page: AppTest) -> None:
    X = drawn(page)["X"]
    found = np.sort(np.linalg.svd(X, compute_uv=False) ** 2)[-np.linalg.matrix_rank(X) :]
    zeros = re.search(r"(\d+) zeros?$", match[2])
    assert int(match[1]) == len(X) == len(found) + int(zeros[1] if zeros else 0)
    for text, value in zip(re.findall(r"\d+\.\d+", match[2]), found, strict=True):
        printed(text, float(value))


def not_symmetric(match: Match, page: AppTest) -> None:
    made = scores(drawn(page), 2)
    most = float(np.abs(made - made.T).max())
    assert most > 1e-9
    printed(match[1], most)


def equal_scores(match: Match, page: AppTest) -> None:
    made = scores(drawn(page), 2)
    np.testing.assert_allclose(made, made.T, atol=1e-9)


def drawn_here(match: Match, page: AppTest) -> None:
    """Said where weights are drawn, and only of the sentence that has them."""
    assert page.session_state.qkv_numbers == "drawn" or page.session_state.qkv_part == "basis"
    assert int(match[1]) == drawn(page)["X"].shape[-1]
    assert len(drawn(page)["W_Q"]) == 1


def symmetric(match: Match, page: AppTest) -> None:
    made = scores(sentence(page), 1)
    np.testing.assert_allclose(made, made.T, atol=1e-12)
    assert (np.diag(made) >= 0).all()


def asks_unasked(match: Match, page: AppTest) -> None:
    made = scores(by_hand(), 2)
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
    for one, value in zip(text.strip("()").split(", "), values, strict=True):
        printed(one, float(value))


def found(match: Match, page: AppTest) -> None:
    """The title that fits best, and its weight at the sharpness with which the library opens."""
    table, beta = library(), float(default_beta())
    assert match[1] == page.session_state.qkv_search
    fits = table["Q"][0, table.tokens.index(match[1])] @ table["K"][0].T
    assert match[2] == match[4] == table.tokens[int(fits.argmax())]
    powers = np.exp(beta * fits)
    printed(match[3], 100 * float(powers.max() / powers.sum()))


def of_the_fits(match: Match, page: AppTest) -> None:
    assert match[1] == default_beta()


def default_beta() -> str:
    return lookup_family().toggles[0].default


def one_title_fits_best(match: Match, page: AppTest) -> None:
    table = library()
    fits = np.sort(table["Q"][0] @ table["K"][0].T)
    assert (fits[:, -1] > fits[:, -2]).all()


def three_words(match: Match, page: AppTest) -> None:
    assert len(library().tokens) == 3


def comes_back(match: Match, page: AppTest) -> None:
    assert match[1] == library().tokens[QUERY]
    row(match[2], mixed(page)[QUERY])


def stored(match: Match, page: AppTest) -> None:
    table = library()
    fits = table["Q"][0, QUERY] @ table["K"][0].T
    at = table.tokens.index(match[1])
    assert all(fits[at] > other for n, other in enumerate(fits) if n != at)
    row(match[2], table["V"][0, at])
    row(match[3], sum(table["V"][0]) / 3)


def at_beta_0(match: Match, page: AppTest) -> None:
    if page.session_state.qkv_beta == "0":
        mean = sum(library()["V"][0]) / 3
        np.testing.assert_allclose(mixed(page), [mean] * 3)


def beta_grows(match: Match, page: AppTest) -> None:
    """Every search comes nearer to its best content with each β, and in the end is there."""
    table = library()
    fits = table["Q"][0] @ table["K"][0].T
    best = table["V"][0][fits.argmax(axis=1)]
    apart = []
    for beta in map(float, BETAS):
        powers = np.exp(beta * fits)
        made = (powers / powers.sum(axis=1, keepdims=True)) @ table["V"][0]
        apart.append(np.linalg.norm(made - best, axis=1))
    assert (np.diff(apart, axis=0) < 1e-12).all()
    assert apart[-1].max() < 1e-6


def need_not_look_alike(match: Match, page: AppTest) -> None:
    assert library()["K"].shape[-1] != library()["V"].shape[-1]


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


def has_inverse(match: Match, page: AppTest) -> None:
    A, _ = in_basis(page)
    assert A.shape[0] == A.shape[1]
    assert abs(A[0, 0] * A[1, 1] - A[0, 1] * A[1, 0]) > 0.1


def small_numbers(match: Match, page: AppTest) -> None:
    """The stage has one for each cell that is another, and none for those that are not."""
    stage = stages(page)[1]
    for name, (before, after) in in_basis(page)[1].items():
        changes = stage.changes(name)
        apart = np.abs(after - before) > 1e-9
        if changes is None:
            assert not apart.any()
            continue
        np.testing.assert_array_equal(changes.astype(str) != "", apart)
        for text, gap in zip(changes[apart], (after - before)[apart], strict=True):
            printed(text.removeprefix("+"), gap)


def moved(match: Match, page: AppTest) -> None:
    arrays = in_basis(page)[1]
    for name, counts in (("Q", (1, 2)), ("K", (3, 4)), ("scores", (5, 6))):
        before, after = arrays[name]
        apart = np.abs(after - before) > 1e-9
        apart = apart if name == "scores" else apart.any(axis=1)
        assert [int(match[n]) for n in counts] == [apart.sum(), apart.size]


def only_the_product(match: Match, page: AppTest) -> None:
    before, after = in_basis(page)[1]["scores"]
    np.testing.assert_allclose(after, before, atol=1e-9)
    inputs = drawn(page)
    product = inputs["W_Q"][0] @ inputs["W_K"][0].T
    np.testing.assert_allclose(inputs["X"] @ product @ inputs["X"].T, before, atol=1e-9)


def symmetric_for_every_x(match: Match, page: AppTest) -> None:
    """With X = the identity the scores are the product; with a symmetric one, they are always."""
    rng = np.random.default_rng(5)
    X, W = rng.normal(size=(6, 4)), rng.normal(size=(4, 4))
    assert not np.allclose(X @ W @ X.T, (X @ W @ X.T).T)
    both = X @ (W + W.T) @ X.T
    np.testing.assert_allclose(both, both.T)


SIZES = ("T", "d_model", "heads", "d_k", "d_v")


def a_real_run(match: Match, page: AppTest) -> None:
    """Each shape by its axes, from the sizes of the controls (which fit in a link)."""
    size = {name: page.session_state[f"qkv_{name}"] for name in (*SIZES, "d_q")}
    assert size["d_q"] == size["d_k"]
    [table] = page.table
    axes = re.sub(r"\\text\{(\w+)\}", r"\1", " ".join(table.value["Axes"]))
    assert set(SIZES) <= set(re.findall(r"\w+", re.sub(r"[${}]", "", axes)))
    for said, shape in zip(table.value["Axes"], table.value["Sizes"], strict=True):
        plain = re.sub(r"\\text|[${}]", "", said)
        products = [math.prod(size[n] for n in axis.split("·")) for axis in plain.split(" × ")]
        assert [int(n) for n in shape.split(" × ")] == products


def do_not_fit(match: Match, page: AppTest) -> None:
    """The page began with sizes that do, whatever the link asked for."""
    assert int(match[1]) != int(match[2])
    assert page.session_state.qkv_d_q == page.session_state.qkv_d_k == 4


def base_model(match: Match, page: AppTest) -> None:
    assert [int(n) for n in match.groups()] == [64, 8, 8, 64, D_MODEL]
    assert D_MODEL == 8 * 64


def which_d_model(match: Match, page: AppTest) -> None:
    assert int(match[1]) == D_MODEL


def counts(match: Match, page: AppTest) -> None:
    n, d_k = int(page.session_state.qkv_n), int(page.session_state.qkv_d_qk)
    entries = 2 * D_MODEL * d_k
    assert [number(text) for text in match.groups()[:4]] == [D_MODEL, d_k, entries, n * n]
    each = number(match[5].replace("e−", "e-"))
    np.testing.assert_allclose(each, n * n / entries, rtol=0.03, atol=0.005 * (each >= 0.01))


def as_many(match: Match, page: AppTest) -> None:
    assert int(match[1]) ** 2 == 2 * D_MODEL * int(page.session_state.qkv_d_qk)


def rank_of(match: Match, page: AppTest) -> None:
    """Also of random rows of another seed."""
    d_k = int(page.session_state.qkv_d_qk)
    assert int(match[1]) == int(match[2]) == d_k
    Q, K = np.random.default_rng(d_k).normal(size=(2, 80, d_k))
    assert np.linalg.matrix_rank(Q @ K.T) <= d_k


def can_be_made(match: Match, page: AppTest) -> None:
    """n × n numbers through d_k: any of them where n is no more, else none of full rank."""
    n, d_k = page.session_state.qkv_n, int(page.session_state.qkv_d_qk)
    assert {number(size) for size in match.groups()[1:]} == {int(n)}
    assert (match[1] == "That allows every") == (int(n) <= d_k)


def measured(match: Match, page: AppTest) -> None:
    tokens, d_k = int(match[1]), int(page.session_state.qkv_d_qk)
    rng = np.random.default_rng(11)
    X, W_Q, W_K = (rng.normal(size=s) for s in ((tokens, D_MODEL), (D_MODEL, d_k), (D_MODEL, d_k)))
    assert int(match[2]) == np.linalg.matrix_rank((X @ W_Q) @ (X @ W_K).T)


def softmax_raises(match: Match, page: AppTest) -> None:
    """Scores of rank 1, whose weights have a larger one."""
    made = np.outer([1.0, 2.0, 3.0], [1.0, -1.0, 0.5])
    powers = np.exp(made)
    assert np.linalg.matrix_rank(made) == 1
    assert np.linalg.matrix_rank(powers / powers.sum(axis=1, keepdims=True)) == 3


PAIR = r"(Here|With X alone,) (\w+) scores (\w+) with (\S+), (\w+) scores (\w+) with (\S+?)"
W = r"\$W_(?:Q|K|V|O)\$"
INVENTORY = Inventory(
    "queries_keys_values",
    ends={
        "qkv_search": library().tokens,
        "qkv_text": ("cat", "My dog ate my homework"),
        "qkv_rung": RUNGS,
        "qkv_numbers": ("hand", "drawn"),
        "qkv_beta": BETAS,
        "qkv_part": PARTS,
        "qkv_angle": ("0", "355"),
        "qkv_stretch": ("0.25", "4"),
        **{f"qkv_{name}": ("1", "16") for name in ("T", "heads", "d_q", "d_k", "d_v")},
        "qkv_d_model": ("16", "64"),
        "qkv_n": ("16", "1024"),
        "qkv_d_qk": ("1", "64"),
    },
    claims={
        r"Queries, keys, values: why three projections\?$": ALWAYS,
        r"For this sentence \$XX\^.top\$ has (\d+) eigenvalues?: (.+)\.$": eigenvalues,
        r"None is below 0, because \$XX\^.top\$ is a matrix times its own": ALWAYS,
        r"None is below 0, .* \$Q\$\$K\^.top\$ is not symmetric here: the two scores of a pair "
        r"differ by up to (\S+)\.$": not_symmetric,
        r"The two scores of each pair happen to be equal in \$Q\$\$K": equal_scores,
        r"With X alone, ball would score red exactly as red scores ball\.$": symmetric,
        r"Three learned maps, projections, let a token ask": ALWAYS,
        r"(\d) versions lead up to attention with a causal mask: from the second on": versions,
        r"Versions 1 and 2 mix the values by their scores; from version (\d) on softmax": (
            weights_from
        ),
        r"(\d) · (?:X alone|Learned maps|Softmax|Causal mask)\.": title,
        r"(?:1 · X alone\. )?Query, key and value are all the row of X itself": ALWAYS,
        r"There is no map to learn, and a pair has the same score in both directions\.$": no_map,
        rf"2 · Learned maps\. {W}, {W} and {W} give each token three rows": three_rows,
        r"Now asking and being asked are two things\.$": two_things,
        r"The scores, divided by \S+, become weights: shares that are positive and add up": shares,
        r"So a token reads a weighted mean of value rows, however large its scores are": ALWAYS,
        r"The score of a key that comes after the query becomes −∞ before softmax, so no": hidden,
        rf"{PAIR}(: the same)?\.$": said_of_pair,
        r"Here (\w+) gives (\w+) a weight of (\S+), (\w+) gives (\S+) to (\w+)(.*)\.$": given_to,
        r"Drawn at random, with \S+ = (\d+), one head and seed 0: the mech": drawn_here,
        r"\$XX\^.top\$ is symmetric, so a pair has one score.*below 0": symmetric,
        r"With one map for queries and another for keys, scores = .* need not be": asks_unasked,
        r"Q and K both have a row for each token; a score is a row of one times": ALWAYS,
        r"Scores can be any numbers; softmax makes weights of them": ALWAYS,
        r"Try it\.$|Think of a library\.$|Let another word search": ALWAYS,
        r"Notice\. (\w+) asks, and the title of (\w+) fits best: (\d+) % of .* content of (\w+)": (
            found
        ),
        r"The fit is the dot product of search and title\.$": ALWAYS,
        r"Softmax of \$(\S+) .times\$ each fit gives the percentages\.$": of_the_fits,
        r"Which title fits its search best": one_title_fits_best,
        r"A query is a search text, a key is a title, a value is the content": ALWAYS,
        r"The search meets the titles; the content comes back\.$": ALWAYS,
        r"Here three words search among themselves, and β says how strictly": three_words,
        r"Here (\w+) gets back (\(.+\))\.$": comes_back,
        r"Stored with (\w+), whose title fits best, is (\(.+\)); the mean of all .* (\(.+\))\.$": (
            stored
        ),
        r"What to notice\.$": ALWAYS,
        r"At β = 0 every search returns the mean of all contents": at_beta_0,
        r"As β grows, the result moves to the content whose title fits best; for large": beta_grows,
        r"Attention uses β = .* makes search texts, titles and contents from the tokens": ALWAYS,
        r"Search texts and titles decide who is read, contents are what is read": (
            need_not_look_alike
        ),
        r"Take any square matrix A that has an inverse, here a turn and a stretch": has_inverse,
        r"Where a cell is no longer what it was, a small number says by how much": small_numbers,
        r"What to notice\. (\d+) of (\d+) queries and (\d+) of (\d+) keys have changed, "
        r"and (\d+) of (\d+) scores\.$": moved,
        r"The scores are X .* depend on the two maps only through their product": only_the_product,
        r"So the features of a query have no meaning of their own: another A can": only_the_product,
        r"And \$Q\$\$K\^.top\$ is symmetric for every X only where .* is": symmetric_for_every_x,
        r"Make the sizes fit\.$": ALWAYS,
        r"Every shape in the table is that of a real run\.$": a_real_run,
        r"In the link:$|The default is used instead\.$": ALWAYS,
        r"K has (\d+) along key feature; scores needs (\d+) there": do_not_fit,
        r"A score multiplies a query with a key, feature by feature, so .* must equal": ALWAYS,
        r".*may be another size: values are averaged, and meet neither queries nor keys": ALWAYS,
        r".*takes the joined heads back to": ALWAYS,
        r"The base model of Vaswani et al. \(2017\) has \$d_k\$ = \$d_v\$ = (\d+) and (\d+) heads; "
        r"its joined heads are as wide as X: (\d+) × (\d+) = (\d+)\.$": base_model,
        rf"{W} and {W} are all that one head learns about which token reads which\.$": ALWAYS,
        r"They do not grow with the text; the number of scores does\.$": ALWAYS,
        r"Here \S+ is (\d+)\.$": which_d_model,
        r"What to notice\. 2 · \S+ · \$d_k\$ = 2 · (\d+) · (\d+) = (\S+) parameters make n² = "
        r"(\S+) scores, (\S+) for each parameter\.$": counts,
        r"There are as many scores as parameters at n = (\d+)\.$": as_many,
        r"With \$d_k\$ = (\d+) the rank of \S+ is at most (\d+)\.$": rank_of,
        r"(So not every|That allows every) (\S+) × (\S+) matrix of scores": can_be_made,
        r"With random X, .* of (\d+) tokens has rank (\d+) \(the dots: measured\)\.$": measured,
        r"Softmax can raise the rank: that of the weights may be larger": softmax_raises,
        r"To take away\.$": ALWAYS,
        r"A row of X plays three parts: as a query it asks, as a key it is found": ALWAYS,
        r"The maps to them are learned\.$": ALWAYS,
        r"Of .* only the product .* counts for the scores\.$": only_the_product,
    },
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
    ],
)  # fmt: skip


def test_its_controls_are_seen_at_their_ends() -> None:
    INVENTORY.check_ends()


def test_every_sentence_holds_at_the_ends_of_its_controls() -> None:
    INVENTORY.check()


def test_sizes_that_do_not_fit_leave_a_table_of_a_real_run() -> None:
    """What the table says is true of what is shown, not of what the slider asks for."""
    page = opened("queries_keys_values", qkv_part="sizes")
    page.slider(key="qkv_d_q").set_value(3).run()
    assert page.error
    assert any("Every shape in the table is that of a real run" in m.value for m in page.markdown)
    assert "2 × 8 × 4" in list(page.table[0].value["Sizes"])


@pytest.mark.parametrize("rung", RUNGS)
@pytest.mark.parametrize("part", PARTS)
def test_terms_are_links_and_symbols_are_typeset_in_each_part(rung: str, part: str) -> None:
    page = opened("queries_keys_values", qkv_rung=rung, qkv_part=part)
    assert not plain_first_uses(page)
    assert not plain_symbols(page)
