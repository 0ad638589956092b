"""Every sentence of the page on other kinds, at the ends of its controls."""

import re
from fractions import Fraction
from functools import cache
from statistics import NormalDist

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from core.attention.river_bank import LEXICON
from core.attention.tokens import tokenise
from core.chapters.other_kinds.four import four_kinds
from core.chapters.other_kinds.hopfield import DRAWS, PICTURES, capacities, noisy
from core.chapters.other_kinds.recall import PATTERNS
from core.program.labels import token_labels
from tests.quotes import proves
from tests.ui import plain_kinds
from tests.ui.claims import ALWAYS, Inventory, Values, number, printed, shown_with
from tests.ui.support import stages

Match = re.Match[str]
SYMBOL = r"\$[^$]*\$"
EIGHT = "a b c d e f g h"
OPEN = ("bank", "banks", "pool", "deposit")
"""The words of the lexicon that are open in meaning."""
HAND = ([[1, 1]] * 3, [[1, 0], [0, 1], [1, 1]], [[1], [2], [3]])
"""Queries, keys and values that a head can work out."""


def tokens(page: AppTest) -> list[str]:
    return tokenise(page.session_state.kinds_text)


def labels(page: AppTest) -> list[str]:
    return list(token_labels(tokens(page)))


def of_sentence(page: AppTest) -> tuple[str, str]:
    """What is typed, and where its matrices come from."""
    return page.session_state.kinds_text, page.session_state.kinds_matrices


def softmax_beside(page: AppTest) -> np.ndarray:
    """Of the queries and keys on the stage of linear attention."""
    q, k, *_ = given(page)
    return plain_kinds.by_dot_product(q, k)


def given(page: AppTest) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, list[str]]:
    """Queries, keys, values and labels of the stage of linear attention, as its toggle says."""
    if page.session_state.kinds_numbers == "hand":
        q, k, v = (torch.tensor(rows, dtype=torch.float64) for rows in HAND)
        return q, k, v, ["one", "two", "three"]
    return *plain_kinds.projected(*of_sentence(page)), labels(page)


def linear(page: AppTest) -> np.ndarray:
    q, k, *_ = given(page)
    return plain_kinds.linear(q, k, page.session_state.kinds_features)


def sizes(said: Values, page: AppTest) -> None:
    """All pairs, and one row of the states that the stage draws."""
    q, _, v, _ = given(page)
    d_k = q.shape[1]
    assert said["pairs"] == len(q) ** 2
    assert said["state"] == d_k * v.shape[1] + d_k
    if page.session_state.kinds_brackets == "state":
        shown = stages(page)[0]
        assert shown.texts("state").shape[-1] + shown.texts("key_sum").shape[-1] == said["state"]


def features(page: AppTest, rows: torch.Tensor) -> torch.Tensor:
    positive = page.session_state.kinds_features == "elu"
    return torch.nn.functional.elu(rows) + 1 if positive else rows


def two_forms(said: Values, page: AppTest) -> None:
    """Either form gives each row."""
    q, k, v, _ = given(page)
    q, k = (features(page, rows) for rows in (q, k))
    pairs = (q @ k.T).tril() @ v
    states = torch.stack([k[: i + 1].T @ v[: i + 1] for i in range(len(q))])
    torch.testing.assert_close(torch.einsum("ik,ikv->iv", q, states), pairs)


@proves("""
    The largest weight of the last row is {softmax} with softmax; a query {times} times as long
    makes it {longer} | [positive] With linear attention, no query could make a weight of this row
    larger than {limit} | [else] In linear attention without φ a longer query changes nothing |
    Without $e^x$ the text fits into a state of fixed size, but a longer query cannot sharpen the
    weights without limit
""")
def linear_notice(said: Values, page: AppTest) -> None:
    """Its largest weight, and what a longer query does to it."""
    q, k, *_ = given(page)
    printed(said["softmax"], float(softmax_beside(page)[-1].max()))
    weights = torch.softmax(said["times"] * q[-1] @ k.T / q.shape[1] ** 0.5, -1)
    printed(said["longer"], float(weights.max()))
    assert said["positive"] == (page.session_state.kinds_features == "elu")
    (limited if said["positive"] else length_cancels)(said, page)


def limited(said: Values, page: AppTest) -> None:
    """Queries drawn at random, of any length, never give more; some query nearly does."""
    _, k, *_ = given(page)
    scattered = torch.randn(2000, k.shape[1], generator=torch.Generator().manual_seed(0)) * 5
    met = torch.cat([scattered.double(), 1e3 * (2 * torch.eye(k.shape[1]).double() - 1)])
    reached = features(page, met) @ features(page, k).T
    most = float((reached / reached.sum(1, keepdim=True)).max())
    assert number(said["limit"]) - 0.01 <= most <= number(said["limit"]) + 0.005


def length_cancels(said: Values, page: AppTest) -> None:
    q, k, *_ = given(page)
    one, other = (plain_kinds.linear(c * q, k, "none") for c in (1, 7))
    np.testing.assert_allclose(one, other, rtol=0, atol=1e-12)


@proves("""
    $e^x$ turns differences into ratios, so a longer query can make softmax sharper. [positive] φ is
    always above 0, so every visible key gets some weight. [below] Without φ, {below} {?} below 0
    here. Each row still adds up to 1, but such numbers are not weights. [else] Without φ, numbers
    may be below 0, and such numbers are not weights. Here none is below 0. [empty] {empty} {?} all
    0 here, because {?} dot products add up to 0
""")
def linear_more(said: Values, page: AppTest) -> None:
    """Whether a number is below 0, which rows are empty, and that a longer query sharpens."""
    made = linear(page)
    assert said["positive"] == (page.session_state.kinds_features == "elu")
    assert said["below"] == int((made < 0).sum())
    if said["positive"]:
        assert (made[np.tri(len(made), dtype=bool)] > 0).all()
    q, k, *_ = given(page)
    empty = [row for row in range(len(q)) if not (q @ k.T).tril()[row].any()]
    assert said["empty"] == (0 if said["positive"] else len(empty))
    assert not (said["below"] and said["empty"])  # each row adds up to 1
    np.testing.assert_allclose(np.delete(made, empty if said["empty"] else [], 0).sum(1), 1)
    longer = torch.softmax(10 * q[-1] @ k.T / 2**0.5, -1)
    assert float(longer.max()) >= softmax_beside(page)[-1].max() - 1e-12


def scores(said: Values, page: AppTest) -> None:
    assert page.session_state.kinds_part == "score"
    assert said["additive"] == (page.session_state.kinds_score == "additive")


@proves("""
    [additive] Notice. No score here is further from 0 than {bound}, because tanh stays between −1
    and 1 | [else] Notice. Dividing by | gives dot products of independent entries the same spread
    for every $d_k$
""")
def score_notice(said: Values, page: AppTest) -> None:
    """Of additive scores; dot products over √d_k have one spread for every d_k, and no bound."""
    scores(said, page)
    shown = stages(page)[1]
    if said["additive"]:
        most = float(np.abs(np.array(shown.texts("v_a"), dtype=float)).sum())
        printed(said["bound"], most)
        assert np.abs(np.array(shown.texts("scores"), dtype=float)).max() <= most + 0.005
        return
    assert "scaled" in shown.document["arrays"]
    for d, spread in spreads().items():
        np.testing.assert_allclose(spread / d**0.5, 1, rtol=0.03)


@proves("""
    W_Q, W_K and $v_a$ were made by hand for this score. [open] The query of {reader} is {query} in
    both features: there tanh is steep, so keys count. The query of a word with one meaning is at
    most {flat}: there tanh is nearly flat
""")
def score_by_hand(said: Values, page: AppTest) -> None:
    """Which words read by their keys: by the slope of tanh, and by the scores on the stage."""
    text, matrices = of_sentence(page)
    assert (matrices, page.session_state.kinds_score) == ("hand", "additive")
    q, _ = plain_kinds.for_adding(text, matrices)
    reader = reader_of(page)
    assert said["open"] == (tokens(page)[reader].lower() in OPEN)
    flat = max(plain_kinds.asks(row.tolist()) for word, row in LEXICON.items() if word not in OPEN)
    printed(said["flat"].replace("\\", ""), flat)
    assert 1 - np.tanh(flat) ** 2 < 0.01
    if not said["open"]:
        return
    assert said["reader"] == f"*{labels(page)[reader]}*"
    printed(re.sub(r"\[(.*)\].*", r"\1", said["query"]).replace("\\", ""), float(q[reader, 0]))
    assert q[reader, 0] == q[reader, 1]
    assert 1 - np.tanh(float(q[reader, 0])) ** 2 > 0.5


def score_more(said: Values, page: AppTest) -> None:
    """The weights of a row then follow from the keys only, whatever the query is."""
    shown_with(kinds_part="score")(said, page)
    q, k = plain_kinds.for_adding(*of_sentence(page))
    v_a = torch.tensor(plain_kinds.V_A[page.session_state.kinds_matrices]).double()
    added = plain_kinds.softmax_of((q[:, None] + k[None]) @ v_a)
    keys = plain_kinds.softmax_of((k @ v_a).expand(len(k), len(k)))
    np.testing.assert_allclose(added, keys, atol=1e-12)


def spreads() -> dict[int, float]:
    """Of dot products of d numbers with mean 0 and variance 1."""
    draw = np.random.default_rng(0)
    return {
        d: float((q * k).sum(1).std())
        for d in (4, 64, 256) for q, k in [draw.normal(size=(2, 20_000, d))]
    }  # fmt: skip


def header(match: Match, page: AppTest) -> None:
    assert match[1].split(" | ") == given(page)[3]


def row_of(match: Match, page: AppTest) -> None:
    expected = {"softmax": softmax_beside, "linear": linear}[match[1]](page)[-1]
    for said, value in zip(match[2].split(" | "), expected, strict=True):
        printed(said, float(value))


def by_hand(said: Values, page: AppTest) -> None:
    """One query after the keys, and one state: the same fraction; on the stage, if it is there."""
    queries, keys, values = HAND
    (text,) = (one.value for one in page.markdown if "A query (1, 1)" in one.value)
    text = re.sub(r"\(#[^)]*\)", "", text)
    rows = [[float(n) for n in row.split(", ")] for row in re.findall(r"\(([^()]+)\)", text)]
    assert rows == [queries[-1], *keys]
    assert re.findall(r"\d+", text.partition("the values ")[2])[:3] == [str(v) for (v,) in values]
    met = [sum(a * b for a, b in zip(queries[-1], key, strict=True)) for key in keys]
    pairs = Fraction(sum(m * v for m, (v,) in zip(met, values, strict=True)), sum(met))
    state = [sum(key[at] * v for key, (v,) in zip(keys, values, strict=True)) for at in (0, 1)]
    read = sum(a * b for a, b in zip(queries[-1], state, strict=True))
    assert Fraction(said["pairs"]) == pairs
    assert Fraction(said["state"]) == Fraction(read, sum(met)) == pairs
    assert [float(said[f"{name}_read"]) for name in ("pairs", "state")] == [float(pairs)] * 2
    on_stage = page.session_state.kinds_numbers, page.session_state.kinds_features
    shown = float(stages(page)[0].texts("context")[-1, 0])
    assert shown == float(pairs) or on_stage != ("hand", "none")


def moved(match: Match, page: AppTest) -> None:
    """By the weights before and after, of matrices that are written out here."""
    T = len(tokens(page))
    seen = T * (T + 1) // 2
    assert (int(match[3]), int(match[5])) == (seen, T)
    found = weights_changed(page)
    if match[1] == "by distance":
        value = plain_kinds.projected(*of_sentence(page))[2][turned(page)]
        rows = min(3, T - turned(page)) if value.any() else 0
        assert (int(match[2]), int(match[4])) == (0, rows)
    else:
        assert (int(match[2]), int(match[4])) == found


def reader_of(page: AppTest) -> int:
    """By hand the last word that is open in meaning, if there is one; else the last token."""
    words = tokens(page)
    if page.session_state.kinds_matrices == "drawn":
        return len(words) - 1
    asking = [at for at, word in enumerate(words) if word.lower() in OPEN]
    return max(asking, default=len(words) - 1)


def turned(page: AppTest) -> int:
    """The token whose row is multiplied by −1: what an open word looks for, else the first."""
    reader = reader_of(page)
    if page.session_state.kinds_matrices == "drawn" or tokens(page)[reader].lower() not in OPEN:
        return 0
    q, k, _ = plain_kinds.projected(*of_sentence(page))
    return int((q[reader] @ k[: reader + 1].T).argmax())


def distance_try(said: Values, page: AppTest) -> None:
    shown_with(kinds_part="distance")(said, page)
    assert said["token"] == f"*{labels(page)[turned(page)]}*"


def weights_changed(page: AppTest) -> tuple[int, int]:
    """How many weights and rows of attention change if that row is multiplied by −1."""
    given, found = plain_kinds.arrays_of(*of_sentence(page)), []
    for sign in (1, -1):
        X = np.array(given["X"])
        X[turned(page)] *= sign
        q, k, v = (torch.tensor(X @ given[f"W_{name}"]) for name in "QKV")
        weights = plain_kinds.by_dot_product(q, k)
        found.append((weights, weights @ v.numpy()))
    (before, read), (after, other) = found
    return (
        int((abs(before - after) > 1e-12).sum()),
        int((abs(read - other) > 1e-12).any(1).sum()),
    )


@proves("A kernel has the same weights for every text. Attention computes new ones")
def distance_notice(said: Values, page: AppTest) -> None:
    """The kernel is one for two texts; attention's weights change if two tokens change places."""
    assert page.session_state.kinds_part == "distance"
    text, matrices = of_sentence(page)
    T = len(tokens(page))
    other = " ".join(["river", *["bank"] * 7][:T] if matrices == "hand" else "abcdefgh"[:T])
    (here, of_text), (there, of_other) = (
        [np.array(four_kinds(one, matrices)[kind].weights) for kind in ("distance", "softmax")]
        for one in (text, other)
    )
    np.testing.assert_array_equal(here, there)
    assert T == 1 or not np.allclose(of_text, of_other)


@proves("""
    {before} of {entries} signs of the state {?} from pattern {pattern}, and {after} after one
    update | [before and not after] All its signs are back
""")
def memory_notice(said: Values, page: AppTest) -> None:
    state = page.session_state
    shown, pattern = stages(page)[1], PATTERNS[int(state.kinds_pattern) - 1]
    rows = [np.ravel(np.array(shown.texts(name), dtype=float)) for name in ("state", "new_state")]
    counts = [int((np.where(row >= 0, 1, -1) != pattern).sum()) for row in rows]
    assert [said["before"], said["after"]] == counts
    assert counts[0] == state.kinds_flips
    assert (str(said["pattern"]), said["entries"]) == (state.kinds_pattern, len(pattern))
    if said["before"] and not said["after"]:
        assert (np.sign(rows[1]) == pattern).all()


def memory_more(said: Values, page: AppTest) -> None:
    """Every pattern with every number of flips: by the overlaps, whatever is on the stage."""
    shown_with(kinds_part="memory")(said, page)
    for pattern in PATTERNS:
        for flips in range(5):
            state = np.array(pattern)
            state[[7, 0, 2, 4][:flips]] *= -1
            overlaps = PATTERNS @ state
            best = overlaps == overlaps.max()
            sharp, flat = (torch.softmax(torch.tensor(b * overlaps), 0).numpy() for b in (4, 0.1))
            assert sharp[best].sum() > 0.99
            assert (flat > 0.15).all()
            np.testing.assert_allclose(sharp[best], sharp[best][0])


def stored(page: AppTest) -> tuple[list[list[int]], list[int], int, int]:
    """The patterns of the part on show, the state it starts from, the one sought, updates."""
    state = page.session_state
    if state.kinds_part == "rest":
        patterns = [[1] * 8, [1] * 4 + [-1] * 4]
        first = [-1 if at in (7, 0, 2, 4)[: state.kinds_off] else 1 for at in range(8)]
        return patterns, first, 0, state.kinds_update
    drawn = state.kinds_pictures
    shown = np.array([2 * int(bit) - 1 for bit in f"{int(drawn or '0', 16):0192b}"])
    shown = (shown if drawn else PICTURES.astype(int)).reshape(3, 64)
    on_show = stages(page)[1].texts("stored").astype(float)
    np.testing.assert_array_equal(on_show.ravel(), shown[state.kinds_paint_head - 1])
    start: list[int] = noisy(
        shown[state.kinds_asked - 1], state.kinds_noise, state.kinds_draw
    ).tolist()
    return shown.tolist(), start, state.kinds_asked - 1, state.kinds_moment


def history(page: AppTest) -> list[list[int]]:
    """All states, by plain loops over the patterns."""
    patterns, first, *_ = stored(page)
    states, size = [first], len(first)
    for asked in [*range(size)] * 2:
        now = states[-1]
        field = sum(
            row[asked] * sum(row[i] * now[i] for i in range(size) if i != asked) for row in patterns
        )
        states.append([*now[:asked], 1 if field >= 0 else -1, *now[asked + 1 :]])
    return states


def told_energy(patterns: list[list[int]], state: list[int]) -> float:
    met = sum(sum(a * b for a, b in zip(row, state, strict=True)) ** 2 for row in patterns)
    return -0.5 * (met - len(patterns) * len(state))


@proves("""
    Notice. At first, {before} of {size} entries {?} from {name}; after {updates} updates, {after}.
    The energy goes from {first} to {last}. [not rests] It is not at rest: some entries changed
    during the last {size} updates
""")
def recall(said: Values, page: AppTest) -> None:
    """How far from the pattern it begins and ends, the energies, and whether it is at rest."""
    patterns, first, sought, updates = stored(page)
    states, size = history(page), len(first)
    before, after = (
        sum(a != b for a, b in zip(state, patterns[sought], strict=True))
        for state in (first, states[-1])
    )
    assert [said[name] for name in ("before", "after", "size")] == [before, after, size]
    assert said["name"].endswith(f" {sought + 1}")
    assert number(said["first"]) == told_energy(patterns, first)
    assert number(said["last"]) == told_energy(patterns, states[-1])
    assert said["updates"] == len(states) - 1
    assert said["rests"] == all(state == states[-1] for state in states[-size:])
    name = "state" if page.session_state.kinds_part == "rest" else "held"
    shown = stages(page)[1].texts(name).astype(float)
    assert states[updates] == shown.ravel().tolist()


def rest_more(said: Values, page: AppTest) -> None:
    shown_with(kinds_part="rest")(said, page)
    patterns, *_ = stored(page)
    energies = [told_energy(patterns, state) for state in history(page)]
    assert (np.diff(energies) <= 0).all()
    q, k, _ = plain_kinds.projected("we sat by the river bank", "hand")
    scores = (q @ k.T).numpy()
    assert not np.allclose(scores, scores.T)


def paint_more(said: Values, page: AppTest) -> None:
    """A picture and its negative have the same energy."""
    shown_with(kinds_part="paint")(said, page)
    patterns, first, *_ = stored(page)
    assert told_energy(patterns, first) == told_energy(patterns, [-each for each in first])


@cache
def after_one_update(stored: int) -> tuple[float, float]:
    """Of entries the part that turns, and of patterns that stays: 2,000 networks of our own."""
    draw = np.random.default_rng(0)
    patterns = draw.choice([-1.0, 1.0], size=(2000, stored, 64))
    W = patterns.swapaxes(1, 2) @ patterns
    W[:, range(64), range(64)] = 0
    turned = (patterns @ W >= 0) != (patterns > 0)
    return float(turned.mean()), float(1 - turned.any(axis=-1).mean())


@proves("""
    Of {few} stored patterns of {entries} entries, {most} % stay as they are; of {many}, {least} %
    ({draws} draws) | which is attention with $\\beta = 1$
""")
def capacity_notice(said: Values, page: AppTest) -> None:
    """Of the chart's draws; and many more draws say the same, so that it is no luck of these."""
    found = {c.stored: c for c in capacities()}
    assert (said["entries"], said["draws"]) == (64, DRAWS)
    for stored, percent in ((said["few"], said["most"]), (said["many"], said["least"])):
        printed(percent, 100 * found[stored].staying)
        assert float(percent) == pytest.approx(100 * after_one_update(stored)[1], abs=1)
    assert said["all_stay"] == all(c.modern == 1 for c in found.values())


def capacity_more(said: Values, page: AppTest) -> None:
    """And theory, for entries that have no weight to themselves, is near many more draws."""
    last = capacities()[-1]
    assert said["stored"] == last.stored
    assert float(said["turned"]) == pytest.approx(100 * last.turned, abs=0.005)
    beyond = NormalDist().cdf(-((63 / (last.stored - 1)) ** 0.5))
    assert float(said["expected"]) == pytest.approx(100 * beyond, abs=0.005)
    assert float(said["expected"]) == pytest.approx(
        100 * after_one_update(last.stored)[0], abs=0.05
    )
    draw = np.random.default_rng(0)
    patterns = draw.choice([-1.0, 1.0], size=(said["stored"], 64))
    assert torch.softmax(torch.tensor(patterns @ patterns[0]), 0)[0] > 0.99


def energy_alt(said: Values, page: AppTest) -> None:
    """The line's ends and the marked point."""
    patterns, *_, updates = stored(page)
    energies = [told_energy(patterns, state) for state in history(page)]
    assert (np.diff(energies) <= 0).all()
    assert (said["updates"], said["now"]) == (len(energies) - 1, updates)
    shown = [number(said[name]) for name in ("first", "last", "at")]
    assert shown == [energies[0], energies[-1], energies[updates]]


def capacity_alt(said: Values, page: AppTest) -> None:
    first, *_, last = capacities()
    assert (said["fewest"], said["most"]) == (first.stored, last.stored)
    for name, of in (("first", first), ("last", last)):
        printed(said[f"classical_{name}"], 100 * of.staying)
        printed(said[f"modern_{name}"], 100 * of.modern)


@proves("""
    four ways to weigh the same values | {reader} reads most from {softmax} with softmax, {linear}
    with linear attention and {additive} with the additive score. A convolution only counts
    positions: it gives most to {distance}
""")
def notice(said: Values, page: AppTest) -> None:
    """Of each kind; all mix the same values, and the maps are these weights."""
    reader, names = reader_of(page), labels(page)
    assert said["reader"] == f"*{names[reader]}*"
    found = four_kinds(*of_sentence(page))
    for kind, weights in plain_kinds.all_kinds(*of_sentence(page)).items():
        token, text = re.fullmatch(r"\*(\S+)\* \((\S+)\)", said[kind]).groups()  # type: ignore[union-attr]
        row = weights[reader]
        assert row[names.index(token)] == pytest.approx(row.max())
        printed(text.replace("\\", ""), float(row.max()))
        np.testing.assert_allclose(found[kind].weights, weights, atol=1e-12)
        np.testing.assert_array_equal(found[kind].trace["V"], found["softmax"].trace["V"])


def made_by_hand(said: Match | Values, page: AppTest) -> None:
    """The matrices are the example's, and these words are not in its lexicon."""
    assert page.session_state.kinds_matrices == "hand"
    drawn = [word for word in dict.fromkeys(tokens(page)) if word.lower() not in LEXICON]
    told = next(one.value for one in page.caption if "made by hand" in one.value)
    assert all(f"*{word}*" in told for word in drawn[:6])
    assert bool(drawn) == ("random rows" in told)


def drawn_at_random(match: Match, page: AppTest) -> None:
    assert page.session_state.kinds_matrices == "drawn"


INVENTORY = Inventory(
    "other_kinds",
    typed={"kinds_text": ("cat", EIGHT), "kinds_pictures": ("", "0" * 47 + "1")},
    claims={
        rf"Random weights \({SYMBOL} = 4, one head, seed 0\)": drawn_at_random,
        r"These words have random rows, because": made_by_hand,
        r"\| last row \| (.+) \|$": header,
        r"\| (softmax|linear) \| (.+) \|$": row_of,
        r"\| weights \| weights that change \| rows that change \|$": ALWAYS,
        r"\| (by \w+) \| (\d+) of (\d+) \| (\d+) of (\d+) \|$": moved,
        r"Linear attention: no exponential$|What else can change$|How many patterns fit\?": ALWAYS,
        r"In the link:$|The default is used instead\.$|Random patterns, each after one": ALWAYS,
    },
    module=globals(),
    always="lede try takeaway origin",
    texts={
        **dict.fromkeys(("distance", "distance_more"), shown_with(kinds_part="distance")),
        **dict.fromkeys(("paint", "paint_try"), shown_with(kinds_part="paint")),
        "made": made_by_hand,
        "score": shown_with(kinds_part="score"),
        "memory": shown_with(kinds_part="memory"),
        "rest": shown_with(kinds_part="rest"),
    },
    others=[
        {"kinds_matrices": "hand", "kinds_text": "The cat sat on the mat"},
        {"kinds_matrices": "hand", "kinds_text": "the bank by the river"},
        {"kinds_matrices": "hand", "kinds_text": EIGHT, "kinds_features": "none"},
        {"kinds_matrices": "hand", "kinds_text": "cat", "kinds_part": "distance"},
        {"kinds_matrices": "hand", "kinds_text": "we sat by the river bank",
         "kinds_part": "distance", "kinds_mixer": "attention", "kinds_first": "turned"},
        {"kinds_matrices": "hand", "kinds_text": "we sat by the money bank",
         "kinds_features": "none", "kinds_brackets": "pairs"},
        {"kinds_matrices": "hand", "kinds_text": "the pool by the bank", "kinds_score": "dot"},
        {"kinds_matrices": "hand", "kinds_text": "we sat", "kinds_part": "score"},
        {"kinds_features": "none", "kinds_brackets": "pairs"},
        {"kinds_features": "none", "kinds_text": "a b c d e f g h"},
        {"kinds_features": "none", "kinds_text": "cat"},
        {"kinds_features": "none", "kinds_numbers": "hand"},
        {"kinds_features": "none", "kinds_numbers": "hand", "kinds_brackets": "pairs"},
        {"kinds_numbers": "hand", "kinds_text": "cat"},
        {"kinds_part": "score", "kinds_score": "dot"},
        {"kinds_part": "distance"},
        {"kinds_part": "distance", "kinds_mixer": "attention", "kinds_first": "turned"},
        {"kinds_part": "distance", "kinds_text": "cat"},
        *({"kinds_part": "rest", "kinds_off": off, "kinds_update": "3"} for off in "01234"),
        {"kinds_part": "paint"},
        {"kinds_part": "paint", "kinds_noise": "24", "kinds_asked": "2", "kinds_moment": "77"},
        {"kinds_part": "paint", "kinds_pictures": "f" * 20 + "0" * 28, "kinds_asked": "2"},
        {"kinds_part": "paint", "kinds_pictures": ("f0" * 8 + "f1" + "f0" * 7 + "0" * 16)},
        *(
            {"kinds_part": "memory", "kinds_beta": beta, "kinds_flips": flips, "kinds_pattern": p}
            for beta in ("0.1", "1", "4")
            for flips, p in (("0", "1"), ("1", "2"), ("3", "3"), ("4", "1"))
        ),
    ],
)  # fmt: skip
