"""Every sentence of the page on other kinds, at the ends of its controls."""

import re
from fractions import Fraction
from functools import cache
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
from tests.ui.claims import ALWAYS, Inventory, TextCheck, Values, number, printed
from tests.ui.support import stages
from ui.charts.other_kinds import capacity_figure, energy_figure

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


def sizes(said: Values, page: AppTest) -> None:
    """All pairs, and one row of the states that the stage draws."""
    q, _, v, _ = given(page)
    assert said["pairs"] == len(q) ** 2
    assert said["state"] == 2 * v.shape[1] + 2
    assert (2 * len(q)) ** 2 == 4 * said["pairs"]
    if page.session_state.kinds_brackets == "state":
        shown = stages(page)[0]
        assert shown.texts("state").shape[-1] + shown.texts("key_sum").shape[-1] == said["state"]


def features(page: AppTest, rows: torch.Tensor) -> torch.Tensor:
    positive = page.session_state.kinds_features == "elu"
    return torch.nn.functional.elu(rows) + 1 if positive else rows


def row_by_row(said: Values, page: AppTest) -> None:
    """Either form gives each row."""
    q, k, v, _ = given(page)
    q, k = (features(page, rows) for rows in (q, k))
    pairs = (q @ k.T).tril() @ v
    states = torch.stack([k[: i + 1].T @ v[: i + 1] for i in range(len(q))])
    torch.testing.assert_close(torch.einsum("ik,ikv->iv", q, states), pairs)


def last_row(said: Values, page: AppTest) -> None:
    """Its largest weight, and what a longer query does to it."""
    q, k, *_ = given(page)
    printed(said["softmax"], float(softmax_beside(page)[-1].max()))
    weights = torch.softmax(said["times"] * q[-1] @ k.T / 2**0.5, -1)
    printed(said["longer"], float(weights.max()))
    assert said["positive"] == (page.session_state.kinds_features == "elu")
    (limited if said["positive"] else length_cancels)(said, page)


def limited(said: Values, page: AppTest) -> None:
    """Queries drawn at random, of any length, never give more; some query nearly does."""
    _, k, *_ = given(page)
    met = torch.randn(2000, 2, generator=torch.Generator().manual_seed(0)).double() * 5
    reached = features(page, met) @ features(page, k).T
    most = float((reached / reached.sum(1, keepdim=True)).max())
    assert number(said["limit"]) - 0.01 <= most <= number(said["limit"]) + 0.005


def length_cancels(said: Values, page: AppTest) -> None:
    q, k, *_ = given(page)
    met, other = (c * q @ k.T for c in (1, 7))
    torch.testing.assert_close(met.tril() / met.tril().sum(1, keepdim=True),
                               other.tril() / other.tril().sum(1, keepdim=True))  # fmt: skip


def all_rows(said: Values, page: AppTest) -> None:
    """Whether a number is below 0, and that a longer query sharpens."""
    made = linear(page)
    assert said["positive"] == (page.session_state.kinds_features == "elu")
    assert said["below"] == int((made < 0).sum())
    assert not (said["positive"] and said["below"])
    np.testing.assert_allclose(made.sum(1), 1)
    q, k, *_ = given(page)
    longer = torch.softmax(10 * q[-1] @ k.T / 2**0.5, -1)
    assert float(longer.max()) >= softmax_beside(page)[-1].max() - 1e-12


def scores(said: Values, page: AppTest) -> None:
    assert page.session_state.kinds_part == "score"
    assert said["additive"] == (page.session_state.kinds_score == "additive")


def score_bound(said: Values, page: AppTest) -> None:
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


def three_keys(said: Values, page: AppTest) -> None:
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


def part(name: str) -> TextCheck:
    def check(said: Values, page: AppTest) -> None:
        assert page.session_state.kinds_part == name

    return check


def moved(match: Match, page: AppTest) -> None:
    """By the weights before and after, of matrices that are written out here."""
    T = len(tokens(page))
    seen = T * (T + 1) // 2
    assert (int(match[3]), int(match[5])) == (seen, T)
    found = weights_changed(page)
    if match[1] == "by distance":
        assert (int(match[2]), int(match[4])) == (0, min(3, T))
    else:
        assert (int(match[2]), int(match[4])) == found


def weights_changed(page: AppTest) -> tuple[int, int]:
    """How many weights and rows of attention change if the first row is multiplied by −1."""
    T = len(tokens(page))
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
    return (
        int(((before - after).abs() > 1e-12).sum()),
        int(((read - other).abs() > 1e-12).any(1).sum()),
    )


def fixed_or_new(said: Values, page: AppTest) -> None:
    """The kernel is one for two texts; attention's weights change with one row of a text."""
    assert page.session_state.kinds_part == "distance"
    T = len(tokens(page))
    here, other = (
        np.array(four_kinds(text)["distance"].weights)
        for text in (page.session_state.kinds_text, " ".join("abcdefgh"[:T]))
    )
    np.testing.assert_array_equal(here, other)
    assert weights_changed(page)[0] > 0 or T == 1


def recalled(said: Values, page: AppTest) -> None:
    state = page.session_state
    shown, pattern = stages(page)[1], PATTERNS[int(state.kinds_pattern) - 1]
    rows = [np.ravel(np.array(shown.texts(name), dtype=float)) for name in ("state", "new_state")]
    counts = [int((np.where(row >= 0, 1, -1) != pattern).sum()) for row in rows]
    assert [said["before"], said["after"]] == counts
    assert counts[0] == state.kinds_flips
    assert (str(said["pattern"]), said["entries"]) == (state.kinds_pattern, len(pattern))
    if said["before"] and not said["after"]:
        assert (np.sign(rows[1]) == pattern).all()


def sharper(said: Values, page: AppTest) -> None:
    """Every pattern with every number of flips: by the overlaps, whatever is on the stage."""
    part("memory")(said, page)
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


def at_last(said: Values, page: AppTest) -> None:
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


def cannot_rise(said: Values, page: AppTest) -> None:
    part("rest")(said, page)
    patterns, *_ = stored(page)
    energies = [told_energy(patterns, state) for state in history(page)]
    assert (np.diff(energies) <= 0).all()
    q, k = projected(page)
    scores = (q @ k.T).numpy()
    assert len(q) == 1 or not np.allclose(scores, scores.T)


def as_a_picture(said: Values, page: AppTest) -> None:
    """A picture and its negative have the same energy."""
    part("paint")(said, page)
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


def how_many_stay(said: Values, page: AppTest) -> None:
    """Of the chart's draws; and many more draws say the same, so that it is no luck of these."""
    found = {c.stored: c for c in capacities()}
    assert (said["entries"], said["draws"]) == (64, DRAWS)
    for stored, percent in ((said["few"], said["most"]), (said["many"], said["least"])):
        printed(percent, 100 * found[stored].staying)
        assert float(percent) == pytest.approx(100 * after_one_update(stored)[1], abs=1)
    assert said["all_stay"] == all(c.modern == 1 for c in found.values())


def would_turn(said: Values, page: AppTest) -> None:
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


def energy_drawn(said: Values, page: AppTest) -> None:
    """The line's ends and the marked point."""
    patterns, *_, updates = stored(page)
    energies = [told_energy(patterns, state) for state in history(page)]
    assert (np.diff(energies) <= 0).all()
    assert (said["updates"], said["now"]) == (len(energies) - 1, updates)
    shown = [number(said[name]) for name in ("first", "last", "at")]
    assert shown == [energies[0], energies[-1], energies[updates]]


def capacity_drawn(said: Values, page: AppTest) -> None:
    first, *_, last = capacities()
    assert (said["fewest"], said["most"]) == (first.stored, last.stored)
    for name, of in (("first", first), ("last", last)):
        printed(said[f"classical_{name}"], 100 * of.staying)
        printed(said[f"modern_{name}"], 100 * of.modern)


def additive(page: AppTest) -> np.ndarray:
    """The additive weights, with the v_a that its stage shows."""
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
        "softmax": softmax(page), "linear": (met / met.sum(1, keepdim=True)).numpy(),
        "additive": additive(page), "distance": by_distance(page),
    }  # fmt: skip


def most_read(said: Values, page: AppTest) -> None:
    """Of each kind; all mix the same values, and the maps are these weights."""
    assert said["reader"] == f"*{labels(page)[-1]}*"
    found = four_kinds(page.session_state.kinds_text)
    for kind, weights in kinds_of_weights(page).items():
        token, text = re.fullmatch(r"\*(\S+)\* \((\S+)\)", said[kind]).groups()  # type: ignore[union-attr]
        assert token == labels(page)[int(weights[-1].argmax())]
        printed(text.replace("\\", ""), float(weights[-1].max()))
        np.testing.assert_allclose(found[kind].weights, weights, atol=1e-12)
        np.testing.assert_array_equal(found[kind].trace["V"], found["softmax"].trace["V"])


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
        rf"Random weights \({SYMBOL} = 4, one head, seed 0\)": ALWAYS,
        r"\| last row \| (.+) \|$": header,
        r"\| (softmax|linear) \| (.+) \|$": row_of,
        r"\| weights \| weights that change \| rows that change \|$": ALWAYS,
        r"\| (by \w+) \| (\d+) of (\d+) \| (\d+) of (\d+) \|$": moved,
        r"Linear attention: no exponential$|What else can change$|How many patterns fit\?": ALWAYS,
        r"In the link:$|The default is used instead\.$|Random patterns, each after one": ALWAYS,
    },
    texts={
        **dict.fromkeys(("lede", "try", "takeaway", "origin"), ALWAYS),
        **dict.fromkeys(("distance", "distance_try", "distance_more"), part("distance")),
        **dict.fromkeys(("paint", "paint_try"), part("paint")),
        "notice": most_read,
        "two_forms": row_by_row,
        "by_hand": three_keys,
        "sizes": sizes,
        "linear_notice": last_row,
        "linear_more": all_rows,
        "score": part("score"),
        "score_notice": score_bound,
        "score_more": part("score"),
        "distance_notice": fixed_or_new,
        "memory": part("memory"),
        "memory_notice": recalled,
        "memory_more": sharper,
        "rest": part("rest"),
        "rest_more": cannot_rise,
        "recall": at_last,
        "paint_more": as_a_picture,
        "capacity_notice": how_many_stay,
        "capacity_more": would_turn,
        "energy_alt": energy_drawn,
        "capacity_alt": capacity_drawn,
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
    energy_figure.clear()  # what is kept is not said again
    capacity_figure.clear()
    INVENTORY.check()


def test_every_control_is_tried_at_its_ends() -> None:
    INVENTORY.check_ends()
