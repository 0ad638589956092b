"""Every sentence of the page on other kinds, at the ends of its controls."""

import re
from fractions import Fraction
from statistics import NormalDist

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from core.attention.inputs import toy_inputs
from core.attention.tokens import tokenise
from core.chapters.other_kinds.convolution import KERNEL
from core.chapters.other_kinds.four import four_kinds
from core.chapters.other_kinds.hopfield import DRAWS, PICTURES, capacities, noisy
from core.chapters.other_kinds.recall import PATTERNS
from core.chapters.other_kinds.scores import scored_family
from core.program.labels import token_labels
from tests.ui.claims import ALWAYS, Check, Inventory, number, printed
from tests.ui.support import stages

Match = re.Match[str]
SYMBOL = r"\$[^$]*\$"
EIGHT = "a b c d e f g h"
HAND = ([[1, 1]] * 3, [[1, 0], [0, 1], [1, 1]], [[1], [2], [3]])
"""Queries, keys and values that a head can work out."""


def tokens(page: AppTest) -> list[str]:
    return tokenise(page.session_state.kinds_text)


def labels(page: AppTest) -> list[str]:
    return list(token_labels(tokens(page)))


def projected(page: AppTest) -> tuple[torch.Tensor, torch.Tensor]:
    toy = toy_inputs(page.session_state.kinds_text, heads=1, d_model=4, d_k=2, d_v=2)
    q, k = (torch.tensor(toy["X"] @ toy[f"W_{name}"][0]) for name in "QK")
    return q, k


def softmax(page: AppTest) -> np.ndarray:
    """Of the sentence."""
    return softmax_of(*projected(page))


def softmax_beside(page: AppTest) -> np.ndarray:
    """Of the queries and keys on the stage of linear attention."""
    q, k, *_ = given(page)
    return softmax_of(q, k)


def given(page: AppTest) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, list[str]]:
    """Queries, keys, values and labels of the stage of linear attention, as its toggle says."""
    if page.session_state.kinds_numbers == "hand":
        q, k, v = (torch.tensor(rows, dtype=torch.float64) for rows in HAND)
        return q, k, v, ["one", "two", "three"]
    toy = toy_inputs(page.session_state.kinds_text, heads=1, d_model=4, d_k=2, d_v=2)
    return *projected(page), torch.tensor(toy["X"] @ toy["W_V"][0]), labels(page)


def softmax_of(q: torch.Tensor, k: torch.Tensor) -> np.ndarray:
    hidden = ~torch.ones(len(q), len(q)).tril().bool()
    scores = (q @ k.T / 2**0.5).masked_fill(hidden, -torch.inf)
    made: np.ndarray = torch.softmax(scores, -1).numpy()
    return made


def linear(page: AppTest) -> np.ndarray:
    q, k, *_ = given(page)
    if page.session_state.kinds_features == "elu":
        q, k = (torch.nn.functional.elu(x) + 1 for x in (q, k))
    met = (q @ k.T).tril()
    made: np.ndarray = (met / met.sum(1, keepdim=True)).numpy()
    return made


def counted(match: Match, page: AppTest) -> None:
    assert int(match[1]) == len(given(page)[3]) ** 2


def of_the_state(match: Match, page: AppTest) -> None:
    assert int(match[1]) == 2 * given(page)[2].shape[1] + 2
    if page.session_state.kinds_brackets == "state":
        shown = stages(page)[0]
        assert shown.texts("state").shape[-1] + shown.texts("key_sum").shape[-1] == int(match[1])


def states_shown(match: Match, page: AppTest) -> None:
    """As many rows as the stage draws, and none where it draws all pairs."""
    rows, numbers = stages(page)[0].texts("state").shape
    sums = stages(page)[0].texts("key_sum")
    q, _, v, _ = given(page)
    assert int(match[1]) == rows == len(q) > 1
    assert numbers + sums.shape[-1] == 2 * v.shape[1] + 2


def features(page: AppTest, rows: torch.Tensor) -> torch.Tensor:
    positive = page.session_state.kinds_features == "elu"
    return torch.nn.functional.elu(rows) + 1 if positive else rows


def row_by_row(match: Match, page: AppTest) -> None:
    """Either form gives each row; bracketed as whole matrices, with the mask between, not."""
    q, k, v, _ = given(page)
    q, k = (features(page, rows) for rows in (q, k))
    pairs = (q @ k.T).tril() @ v
    states = torch.stack([k[: i + 1].T @ v[: i + 1] for i in range(len(q))])
    torch.testing.assert_close(torch.einsum("ik,ikv->iv", q, states), pairs)
    if len(q) > 1:
        assert (q @ (k.T @ v) - pairs).abs().max() > 0.01


def largest(match: Match, page: AppTest) -> None:
    printed(match[1], float(softmax_beside(page)[-1].max()))
    printed(match[2], float(linear(page)[-1].max()))


def longer(match: Match, page: AppTest) -> None:
    q, k, *_ = given(page)
    weights = torch.softmax(int(match[1]) * q[-1] @ k.T / 2**0.5, -1)
    printed(match[2], float(weights.max()))
    assert float(weights.max()) >= softmax_beside(page)[-1].max() - 1e-12


def limited(match: Match, page: AppTest) -> None:
    """Queries drawn at random, of any length, never give more; some query nearly does."""
    assert page.session_state.kinds_features == "elu"
    _, k, *_ = given(page)
    met = torch.randn(2000, 2, generator=torch.Generator().manual_seed(0)).double() * 5
    reached = features(page, met) @ features(page, k).T
    most = float((reached / reached.sum(1, keepdim=True)).max())
    assert number(match[1]) - 0.01 <= most <= number(match[1]) + 0.005


def length_cancels(match: Match, page: AppTest) -> None:
    assert page.session_state.kinds_features == "none"
    q, k, *_ = given(page)
    met, other = (c * q @ k.T for c in (1, 7))
    torch.testing.assert_close(met.tril() / met.tril().sum(1, keepdim=True),
                               other.tril() / other.tril().sum(1, keepdim=True))  # fmt: skip


def spread_grows(match: Match, page: AppTest) -> None:
    """Sums of d products of numbers with mean 0 and variance 1: their spread is √d."""
    assert page.session_state.kinds_score == "dot"
    draw = np.random.default_rng(0)
    for d in (4, 64, 256):
        q, k = draw.normal(size=(2, 20_000, d))
        np.testing.assert_allclose((q * k).sum(1).std(), d**0.5, rtol=0.03)


def last(match: Match, page: AppTest) -> None:
    assert match[1] == given(page)[3][-1]


def header(match: Match, page: AppTest) -> None:
    assert match[1].split(" | ") == given(page)[3]


def row_of(match: Match, page: AppTest) -> None:
    expected = {"softmax": softmax_beside, "linear": linear}[match[1]](page)[-1]
    for said, value in zip(match[2].split(" | "), expected, strict=True):
        printed(said, float(value))


def apart(match: Match, page: AppTest) -> None:
    printed(match[1], float(np.abs(softmax_beside(page) - linear(page)).max()))


def positive(match: Match, page: AppTest) -> None:
    assert page.session_state.kinds_features == "elu"
    assert (linear(page) >= 0).all()


def may_be_below(match: Match, page: AppTest) -> None:
    assert page.session_state.kinds_features == "none"
    assert int(match[1]) == int((linear(page) < 0).sum()) > 0
    np.testing.assert_allclose(linear(page).sum(1), 1)


def none_is(match: Match, page: AppTest) -> None:
    assert page.session_state.kinds_features == "none"
    assert (linear(page) >= 0).all()


def three_keys(match: Match, page: AppTest) -> None:
    """The query, the keys and the values that are said are those that are worked out."""
    said = [[float(n) for n in row.split(", ")] for row in re.findall(r"\(([^()]+)\)", match[0])]
    values = re.findall(r"\d+", match[0].partition("values are")[2])
    queries, keys, own = HAND
    assert said == [queries[-1], *keys]
    assert [[int(value)] for value in values] == own


def either_way(match: Match, page: AppTest) -> None:
    """One query after the keys, and one state: the same fraction; on the stage, if it is there."""
    queries, keys, values = HAND
    met = [sum(a * b for a, b in zip(queries[-1], key, strict=True)) for key in keys]
    pairs = Fraction(sum(m * v for m, (v,) in zip(met, values, strict=True)), sum(met))
    state = [sum(key[at] * v for key, (v,) in zip(keys, values, strict=True)) for at in (0, 1)]
    read = sum(a * b for a, b in zip(queries[-1], state, strict=True))
    assert Fraction(match[1]) == pairs
    assert Fraction(match[3]) == Fraction(read, sum(met)) == pairs
    assert [float(match[n]) for n in (2, 4)] == [float(pairs)] * 2
    on_stage = page.session_state.kinds_numbers, page.session_state.kinds_features
    shown = float(stages(page)[0].texts("context")[-1, 0])
    assert shown == float(pairs) or on_stage != ("hand", "none")


def part(name: str) -> Check:
    def check(match: Match, page: AppTest) -> None:
        assert page.session_state.kinds_part == name

    return check


def bounded(match: Match, page: AppTest) -> None:
    shown = stages(page)[1]
    assert page.session_state.kinds_score == "additive"
    printed(match[1], float(np.abs(np.array(shown.texts("v_a"), dtype=float)).sum()))
    assert np.abs(np.array(shown.texts("scores"), dtype=float)).max() <= number(match[1]) + 0.005


def unbounded(match: Match, page: AppTest) -> None:
    assert page.session_state.kinds_score == "dot"
    assert "scaled" in stages(page)[1].document["arrays"]


def moved(match: Match, page: AppTest) -> None:
    """By the weights before and after, of matrices that are written out here."""
    T = len(tokens(page))
    seen = T * (T + 1) // 2
    assert (int(match[3]), int(match[5])) == (seen, T)
    if match[1] == "by distance":
        assert (int(match[2]), int(match[4])) == (0, min(3, T))
        return
    toy = toy_inputs(page.session_state.kinds_text, heads=1, d_model=4, d_k=2, d_v=2)
    found = []
    for sign in (1, -1):
        X = np.array(toy["X"])
        X[0] *= sign
        q, k, v = (torch.tensor(X @ toy[f"W_{name}"][0]) for name in "QKV")
        hidden = ~torch.ones(T, T).tril().bool()
        weights = torch.softmax((q @ k.T / 2**0.5).masked_fill(hidden, -torch.inf), -1)
        found.append((weights, weights @ v))
    (before, read), (after, other) = found
    assert int(match[2]) == int(((before - after).abs() > 1e-12).sum())
    assert int(match[4]) == int(((read - other).abs() > 1e-12).any(1).sum())


def recalled(match: Match, page: AppTest) -> None:
    state = page.session_state
    shown, pattern = stages(page)[1], PATTERNS[int(state.kinds_pattern) - 1]
    counts = []
    for name in ("state", "new_state"):
        row = np.ravel(np.array(shown.texts(name), dtype=float))
        counts.append(int((np.where(row >= 0, 1, -1) != pattern).sum()))
    assert [int(match[2]), int(match[3])] == counts
    assert counts[0] == state.kinds_flips
    assert match[1] == state.kinds_pattern


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


def begins(match: Match, page: AppTest) -> None:
    patterns, first, sought, updates = stored(page)
    apart = sum(a != b for a, b in zip(first, patterns[sought], strict=True))
    assert (int(match[1]), int(match[2])) == (apart, len(first))
    assert match[3].endswith(f" {sought + 1}")
    assert number(match[4]) == told_energy(patterns, first)
    name = "state" if page.session_state.kinds_part == "rest" else "held"
    shown = stages(page)[1].texts(name).astype(float)
    assert history(page)[updates] == shown.ravel().tolist()


def ends(match: Match, page: AppTest) -> None:
    states = history(page)
    assert int(match[1]) == len(states) - 1
    assert number(match[2]) == told_energy(stored(page)[0], states[-1])


def at_last(match: Match, page: AppTest) -> None:
    patterns, first, sought, _ = stored(page)
    last, size = history(page)[-1], len(first)
    wrong = sum(a != b for a, b in zip(last, patterns[sought], strict=True))
    if match[0].startswith("All"):
        assert (wrong, int(match[1])) == (0, size)
    elif match[0].startswith("Every"):
        assert wrong == size
    else:
        assert (wrong, size) == (int(match[2]), int(match[3]))
        assert 0 < wrong < size


def at_rest(match: Match, page: AppTest) -> None:
    states = history(page)
    assert all(state == states[-1] for state in states[-len(states[0]) :])


def restless(match: Match, page: AppTest) -> None:
    states = history(page)
    assert int(match[1]) == len(states[0])
    assert any(state != states[-1] for state in states[-len(states[0]) :])


def most_that_stay(match: Match, page: AppTest) -> None:
    found = capacities()
    assert int(match[1]) == 64
    assert all((c.staying == 1) == (c.stored <= int(match[2])) for c in found)
    assert [int(match[n]) for n in (3, 4)] == [DRAWS, DRAWS - 1]


def would_turn(match: Match, page: AppTest) -> None:
    last = capacities()[-1]
    assert int(match[1]) == last.stored
    assert float(match[2]) == pytest.approx(100 * last.turned, abs=0.005)


def theory(match: Match, page: AppTest) -> None:
    last = capacities()[-1]
    share = NormalDist().cdf(-((64 / last.stored) ** 0.5))
    assert float(match[1]) == pytest.approx(100 * share, abs=0.005)


def all_stay(match: Match, page: AppTest) -> None:
    assert all(c.modern == 1 for c in capacities())


def is_back(match: Match, page: AppTest) -> None:
    shown = stages(page)[1]
    row = np.ravel(np.array(shown.texts("new_state"), dtype=float))
    pattern = PATTERNS[int(page.session_state.kinds_pattern) - 1]
    assert (np.sign(row) == pattern).all()
    assert page.session_state.kinds_flips > 0


def additive(page: AppTest) -> np.ndarray:
    """The first attention's weights, with the v_a that its stage shows."""
    q, k = projected(page)
    v_a = np.array(scored_family(page.session_state.kinds_text).run()["v_a"]).ravel()
    met = torch.tanh(q[:, None] + k[None]) @ torch.tensor(v_a)
    hidden = ~torch.ones(len(q), len(q)).tril().bool()
    made: np.ndarray = torch.softmax(met.masked_fill(hidden, -torch.inf), -1).numpy()
    return made


def by_distance(page: AppTest) -> np.ndarray:
    """Row i, column j: the kernel's weight for i − j places back."""
    T = len(tokens(page))
    back = np.subtract.outer(range(T), range(T))
    return np.select([back == n for n in range(len(KERNEL))], KERNEL, 0.0)


def kinds_of_weights(page: AppTest) -> dict[str, np.ndarray]:
    q, k = (torch.nn.functional.elu(x) + 1 for x in projected(page))
    met = (q @ k.T).tril()
    return {
        "softmax of dot products": softmax(page),
        "linear, no exponential": (met / met.sum(1, keepdim=True)).numpy(),
        "additive score": additive(page), "distance alone": by_distance(page),
    }  # fmt: skip


def most_read(match: Match, page: AppTest) -> None:
    assert match[1] == labels(page)[-1]
    said = re.findall(r"(\S+) \(([^()]+), (\S+)\)", match[2])
    expected = kinds_of_weights(page)
    assert [name for _, name, _ in said] == [*expected]
    for token, name, text in said:
        row = expected[name][-1]
        assert token == labels(page)[int(row.argmax())]
        printed(text, float(row.max()))


def same_values(match: Match, page: AppTest) -> None:
    """The values of every kind, and the maps are these weights."""
    found = four_kinds(page.session_state.kinds_text)
    for of, weights in zip(found.values(), kinds_of_weights(page).values(), strict=True):
        np.testing.assert_allclose(of.weights, weights, atol=1e-12)
        np.testing.assert_array_equal(of.trace["V"], found["softmax"].trace["V"])


INVENTORY = Inventory(
    "other_kinds",
    ends={
        "kinds_text": ("cat", EIGHT),
        "kinds_brackets": ("pairs", "state"),
        "kinds_features": ("elu", "none"),
        "kinds_numbers": ("sentence", "hand"),
        "kinds_part": ("score", "distance", "rest", "paint", "memory"),
        "kinds_off": ("0", "4"),
        "kinds_update": ("0", "16"),
        "kinds_pictures": ("", "0" * 47 + "1"),
        "kinds_asked": ("1", "3"),
        "kinds_noise": ("0", "24"),
        "kinds_draw": ("1", "20"),
        "kinds_moment": ("0", "128"),
        "kinds_score": ("additive", "dot"),
        "kinds_mixer": ("convolution", "attention"),
        "kinds_first": ("typed", "turned"),
        "kinds_beta": ("0.1", "4"),
        "kinds_pattern": ("1", "3"),
        "kinds_flips": ("0", "4"),
    },
    claims={
        r"Other kinds of attention: what can change and still be attention\?": ALWAYS,
        r"Attention is a mean of values, each times a weight\.$": ALWAYS,
        r"Try it\.$|Press a map: it opens on a stage below, where each number is": ALWAYS,
        r"All four mix the same values, each times a weight\.$": same_values,
        r"Most of what (\S+) reads is from (.+)\.$": most_read,
        r"Without the exponential: two forms$": ALWAYS,
        r"Nothing says that the weights must come from softmax|Change one thing at a": ALWAYS,
        rf"Linear attention leaves {SYMBOL} out|What row {SYMBOL} reads is then a sum": ALWAYS,
        r"Its query can be taken out of the sum: ": row_by_row,
        r"The first form needs every pair of tokens\.$": ALWAYS,
        r"The second adds each token to a state and reads the state\.$": ALWAYS,
        rf"Random weights \({SYMBOL} = 4, one head, seed 0\)": ALWAYS,
        r"Two forms, one result\.$": ALWAYS,
        r"By hand\.$": ALWAYS,
        r"A query \(1, 1\) meets the keys .+, whose values are 1, 2 and 3\.$": three_keys,
        r"Without φ, all pairs give (\S+) = (\S+), and the state gives (\S+) = (\S+)\.$":
            either_way,
        r"A matrix of all pairs has (\d+) numbers here, and grows with the square of": counted,
        r"A state with its sum of keys has (\d+), for a text of any length, and what": of_the_state,
        r"The stage shows (\d+) states, one after each token: each replaces the one": states_shown,
        r"What (\S+) reads from each token:$": last,
        r"\| weights \| (?!other)(.+) \|$": header,
        r"\| (softmax|linear) \| (.+) \|$": row_of,
        r"What to notice\.$": ALWAYS,
        r"Over all rows the two differ by (\S+) at most\.$": apart,
        r"In the last row the largest weight is (\S+) with softmax and (\S+) in line": largest,
        r"With a query (\d+) times as long, softmax gives up to (\S+), because": longer,
        r"In linear attention no query can give one of these keys more than (\S+)\.$": limited,
        r"Without φ a longer query changes nothing\.$": length_cancels,
        r"With φ no number can be below 0, so each row is made of shares": positive,
        r"Without φ dot products may be below 0: here (\d+) of these numbers are": may_be_below,
        r"They still add up to 1 in each row, but they are no shares": ALWAYS,
        r"Without φ dot products may be below 0, and then there are no shares; here": none_is,
        r"What else can change$|In the link:$|The default is used instead\.$": ALWAYS,
        r"The first attention \(2015\) did not take a dot product": part("score"),
        rf"It added query and key, bent each sum with tanh.*: {SYMBOL}\.$": part("score"),
        r"Its query was the state of the decoder before the word to be written": part("score"),
        r"No score here is further from 0 than (\S+), because tanh stays": bounded,
        rf"The spread of dot products grows with {SYMBOL}: it is {SYMBOL} for indep": spread_grows,
        rf"Dividing by {SYMBOL} undoes that growth\.$": unbounded,
        r"It sets no bound: one score may be of any size\.$": unbounded,
        r"An additive score needs a tanh for every feature of every pair": part("score"),
        r"That is why dot products have stayed\.$": part("score"),
        r"A convolution mixes rows too\.$|It takes those near by, each times a": part("distance"),
        r"Turn the first token's row around, and see which weights follow": part("distance"),
        r"What turning the first token around changes:$": part("distance"),
        r"\| weights \| other weights \| other rows \|$": part("distance"),
        r"\| (by \w+) \| (\d+) of (\d+) \| (\d+) of (\d+) \|$": moved,
        r"A kernel is learned once and then holds for every": part("distance"),
        r"Attention makes new weights for each text, and reaches as far as the": part("distance"),
        r"Which is better depends on what one knows of the data": part("distance"),
        r"A memory that comes to rest\.$|A Hopfield network \(1982\) stores": part("rest"),
        r"Given a state, it asks one entry after another: what do the others say": part("rest"),
        r"The entry takes the sign of its field, the sum of the others times": part("rest"),
        r"At first (\d+) of (\d+) entries are not those of ((?:pattern|picture) \d), and the "
        r"energy is (\S+)\.$": begins,
        r"After (\d+) updates it is (\S+)\.$": ends,
        r"(?:All (\d+) entries are those|Every entry is the negative|Then (\d+) of (\d+) entries "
        r"are not those) of (?:pattern|picture) \d\.$": at_last,
        r"It has come to rest\.$": at_rest,
        r"It has not come to rest: in the last (\d+) updates some entries changed": restless,
        rf"The energy is {SYMBOL}, each pair of entries once\.$": part("rest"),
        r"It cannot rise: the part of the asked entry is minus its field times": part("rest"),
        rf"For that {SYMBOL} must equal {SYMBOL}\.$|Scores of attention do not: ": part("rest"),
        r"A memory of pictures\.$|Each of 64 cells is 1 or −1, and": part("paint"),
        r"Paint others on the stage: press a cell and drag|Then choose which one": part("paint"),
        r"Pictures that are much alike pull at each other: paint two of them": part("paint"),
        r"A picture and its negative have the same energy: with more than half": part("paint"),
        r"How many patterns fit\?$|Patterns drawn at random, each looked at": part("paint"),
        r"With (\d+) entries up to (\d+) patterns all stay as they are, in (\d+) draws \(numbers "
        r"0 to (\d+)\)\.$": most_that_stay,
        r"The patterns are all in one sum, and what is asked of one is disturbed": part("paint"),
        r"With (\d+) patterns (\S+) % of entries would turn; ": would_turn,
        r".*theory expects (\S+) %\.$": theory,
        rf"In the modern update, which is attention with {SYMBOL}, all stay: the": all_stay,
        r"A memory that is attention\.$|A Hopfield network starts from a noisy": part("memory"),
        rf"In its modern form \(2021\) one step is {SYMBOL}, with the patterns": part("memory"),
        r"Entries with another sign than those of pattern (\d): (\d) in the state, (\d) after one "
        r"update\.$": recalled,
        r"The pattern is back\.$": is_back,
        r"β sharpens: a large one gives nearly all to the pattern that is most": part("memory"),
        r"Where two patterns are as like it, the update stands between them": part("memory"),
        r"In code$|Predict, then reveal$|To take away\.$": ALWAYS,
        r"Scores, shares and brackets can change, and it is still a mean with": ALWAYS,
        rf"Without {SYMBOL} the text fits into a state of fixed size, but a longer": ALWAYS,
    },
    others=[
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


def test_every_sentence_is_true_in_every_state() -> None:
    INVENTORY.check()


def test_every_control_is_tried_at_its_ends() -> None:
    INVENTORY.check_ends()
