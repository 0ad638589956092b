"""What the chapters' own programs say of their cells is true of the numbers, cell by cell.

Read back from the words by rules of their own. `test_cell_descriptions.py` does it for attention.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from core import Trace, explain
from core.chapters.one_query.through_time import influence_program
from core.program.axes import POSITION
from core.program.labels import axis_label, plainly
from core.program.patterns import Cell
from tests.core.support import figure
from tests.registry import REGISTRY, Entry
from tests.sampling import DEEP, some

Check = Callable[[re.Match[str], Trace, str, Cell], object]
"""It asserts, or says whether it is so."""
NUMBER = r"−?\d+(?:\.\d+)?(?:e[-−]?\d+)?"


def close(text: str, value: float) -> None:
    """Two decimals, or one digit where it is smaller than they show."""
    assert abs(figure(text) - value) <= max(0.005, 0.5 * 10 ** np.floor(np.log10(abs(value) or 1)))


def direction(match: re.Match[str], trace: Trace, array: str, cell: Cell) -> None:
    """A row of Q_hat or K_hat is that of Q or K over the length that is said."""
    source, (h, i, k) = trace[array.removesuffix("_hat")], cell
    length = float(np.linalg.norm(source[h, i]))
    assert int(match[1]) == k + 1
    assert match[2] == {"Q_hat": "query", "K_hat": "key"}[array]
    close(match[3], length)
    assert np.linalg.norm(trace[array][h, i]) == pytest.approx(1)


def angle(match: re.Match[str], trace: Trace, array: str, cell: Cell) -> None:
    h, i, j = cell
    q, k = trace["Q"][h, i], trace["K"][h, j]
    cosine = float(q @ k / np.linalg.norm(q) / np.linalg.norm(k))
    assert abs(int(match[1]) - np.degrees(np.arccos(np.clip(cosine, -1, 1)))) <= 0.5 + 1e-6
    assert trace[array][cell] == pytest.approx(cosine)


def no_angle(match: re.Match[str], trace: Trace, array: str, cell: Cell) -> None:
    h, i, j = cell
    assert not (trace["Q"][h, i].any() and trace["K"][h, j].any())
    assert trace[array][cell] == 0


def bounded(match: re.Match[str], trace: Trace, array: str, cell: Cell) -> None:
    most = float(np.abs(trace["v_a"]).sum())
    assert figure(match[1]) == -figure(match[2])
    close(match[2], most)
    assert np.abs(trace[array]).max() <= most


def same_row(match: re.Match[str], trace: Trace, array: str, cell: Cell) -> None:
    h, i, k = cell
    assert (int(match[1]), match[2]) == (k + 1, trace.tokens[i])
    np.testing.assert_array_equal(trace[array][h, i], trace["X"][i])


def scores_no_weights(match: re.Match[str], trace: Trace, array: str, cell: Cell) -> None:
    h, i, v = cell
    assert (int(match[1]), match[2]) == (v + 1, trace.tokens[i])
    assert trace[array][cell] == pytest.approx(trace["scores"][h, i] @ trace["V"][h, :, v])
    assert not np.allclose(trace["scores"].sum(axis=-1), 1)


def content_weight(match: re.Match[str], trace: Trace, array: str, cell: Cell) -> None:
    _, i, j = cell
    assert match.groups() == (trace.tokens[j], trace.tokens[i])
    np.testing.assert_allclose(trace[array].sum(axis=-1), 1)


def kept(match: re.Match[str], trace: Trace, array: str, cell: Cell) -> None:
    """Of the first rows, and what is said of the token is said of it twice."""
    _, p, feature = cell
    assert (int(match[1]), match[4]) == (feature + 1, trace.tokens[p])
    assert match[3] == trace.tokens[p]
    assert match[2] == {"K_kept": "key", "V_kept": "value"}[array]


def appended(match: re.Match[str], trace: Trace, array: str, cell: Cell) -> None:
    g, j, feature = cell
    assert (int(match[1]), match[3]) == (feature + 1, trace.tokens[j])
    assert match[2] == {"K": "key", "V": "value"}[array]
    old = trace[f"{array}_kept"]
    source = old[g] if match[4] == "kept from before" else trace[f"{array}_new"][g]
    row = j if match[4] == "kept from before" else j - old.shape[1]
    np.testing.assert_array_equal(trace[array][g, j], source[row])


def triangle(match: re.Match[str], trace: Trace, array: str, cell: Cell) -> None:
    """The n-th of the queries that are given sees so many keys from the first on."""
    i = cell[-2]
    seen = 1 if match[2] == "key" else int(match[2].removesuffix(" keys"))
    assert int(match[1]) == i + 1
    assert trace["mask"][i].tolist() == [j < seen for j in range(trace["mask"].shape[1])]
    if "Hidden" in match.string or "may not" in match.string:
        assert not trace["mask"][i, cell[-1]]


def left(match: re.Match[str], trace: Trace, array: str, cell: Cell) -> None:
    """Token 1 put in what it has as its value; the factor is applied once a step."""
    factor, times = figure(match[3]), 1 if match[2] == "once" else int(match[2].split()[0])
    assert (match[1], times) == (trace.tokens[cell[1]], cell[1])
    expected = factor**times
    close(match[4], expected)
    assert trace[array][cell] == pytest.approx(expected)


def of_the_row(match: re.Match[str], trace: Trace, array: str, cell: Cell) -> None:
    source = {"q_t": "Q", "K_t": "K", "V_t": "V"}[array]
    at = trace.program.axis("x").offset if array == "q_t" else cell[1]
    assert (int(match[1]), match[2]) == (cell[2] + 1, trace.tokens[at])
    np.testing.assert_array_equal(trace[array][cell[:2]], trace[source][cell[0], at])


def of_what_it_reads(match: re.Match[str], trace: Trace, array: str, cell: Cell) -> None:
    t = trace.program.axis("x").offset
    assert (match[1], match[3]) == (trace.tokens[t], trace.tokens[cell[2]])
    percent = 100 * float(trace[array][cell])
    if match[2] == ">99.99":
        assert 99.995 <= percent < 100
    else:
        close(match[2], percent)


def place_of(match: re.Match[str], trace: Trace, array: str, cell: Cell) -> None:
    place, feature = int(match[1]) - 1, int(match[2]) - 1
    assert place == cell[1]
    assert trace[array][0, place] == trace["X"][trace.tokens.index(match[3]), feature]


def of_two_features(match: re.Match[str], trace: Trace, array: str, cell: Cell) -> None:
    assert match[2] == trace.tokens[cell[1]]
    rows = slice(cell[1] if match[1] == "What" else 0, cell[1] + 1)
    keys, values = (trace[a][0, rows, int(match[n]) - 1] for a, n in (("K", 3), ("V", 4)))
    np.testing.assert_allclose(trace[array][cell], (keys * values).sum())


TOKEN = r"(Zq\d+)"
SAID: dict[str, dict[str, dict[str, Check]]] = {
    "similarity, cosine": {
        "Q_hat K_hat": {
            rf"Feature (\d+) of the direction of the (query|key) of .* its length, ({NUMBER})\. "
            r"This row has length 1\.$": direction,
            r"The (query|key) of .* is zero: it has no direction, so it stays": (
                lambda _, t, array, at: not any(t[n][at[:2]].any() for n in (array[0], array))
            ),
        },
        "scores": {
            r"The cosine of the angle between .*, (\d+)°\. Their lengths do": angle,
            r"The cosine of .*\. One of the two is zero and has no angle": no_angle,
        },
    },
    "similarity, additive": {
        "scores": {
            rf".*tanh is between .* the score is between ({NUMBER}) and ({NUMBER})\.$": bounded
        }
    },
    "similarity, uniform": {
        "scores": {r"0 for every pair": lambda _, t, array, at: not t[array].any()}
    },
    "ladder, rung 1": {
        "Q K V": {
            rf"Feature (\d+) of {TOKEN}: its (?:query|key|value) is its row of X\.$": same_row
        },
        "context": {
            rf"Feature (\d+) of what {TOKEN} reads: .* Scores are not weights": scores_no_weights
        },
    },
    "lookup": {
        "scaled": {
            rf"The score times the sharpness β = ({NUMBER})\.$": (
                lambda match, t, _, at: np.isclose(
                    t["scaled"][at], figure(match[1]) * t["scores"][at]
                )
            )
        },
        "weights": {
            rf"The weight of the content of {TOKEN} in what {TOKEN} gets back\.": content_weight
        },
    },
    "a decoder's step, several new": {
        "K_kept V_kept": {
            rf"Feature (\d+) of the (key|value) of {TOKEN}\. It was computed when {TOKEN} was "
            r"new, and kept\.$": kept
        },
        "K V": {
            rf"Feature (\d+) of the (key|value) of {TOKEN}: (just computed|kept from "
            r"before)\.$": appended
        },
    },
    "a decoder's step, upper left": {
        "mask masked": {
            r".*begins at the first key, so new query (\d) sees only the first "
            r"(key|\d keys)\.$": triangle
        }
    },
    "one query, 2": {
        "q_t": {rf"Feature (\d+) of the query of {TOKEN}: its row of Q\.$": of_the_row},
        "K_t": {rf"Feature (\d+) of the key of {TOKEN}: its row of K\.$": of_the_row},
        "V_t": {rf"Feature (\d+) of the value of {TOKEN}: its row of V\.$": of_the_row},
        "a_t": {rf"{TOKEN} reads (>99.99|{NUMBER}) % from {TOKEN}\.$": of_what_it_reads},
    },
    "influence, 1.1": {
        "state": {
            rf"The state at token {TOKEN} has what is left of token 1: multiplied "
            rf"(once|\d+ times) by ({NUMBER}), it is ({NUMBER})\.$": left,
            r"The state at token Zq1 still has all of it\.$": (
                lambda _, t, array, at: at[1] == 0 and t[array][at] == t["V"][at]
            ),
        }
    },
    "linear, state, none": {
        "outer state": {
            rf"(What|The state) (?:after )?{TOKEN}(?: adds to the state)?: for key feature (\d), "
            r"value feature (\d)\.$": of_two_features
        }
    },
    "a map of fixed size": {
        "flat": {rf"Place (\d+) of the long row: feature (\d+) of {TOKEN}\.$": place_of}
    },
}
"""By program and by its arrays: what is said of a cell, and what checks it."""


def impulse(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """What the page's influence runs on: token 1 alone has a value, 1."""
    V = np.zeros_like(arrays["V"])
    V[:, 0] = 1
    return {**arrays, "V": V}


def runs(name: str) -> Iterator[Trace]:
    entry: Entry = REGISTRY[name]
    for seed in range(40 if DEEP else 3):
        arrays = entry.inputs(0.9)
        draw = np.random.default_rng(seed)
        for given in entry.program.inputs:
            if not given.boolean:
                arrays[given.name] = draw.normal(size=arrays[given.name].shape).round(1)
        if name == "similarity, cosine" and seed % 2:
            arrays["X"][0] = 0
        if name.startswith("influence"):
            arrays = impulse(arrays)
        made = entry.program.run(arrays)
        count = max(len(made.tokens), *(made.sizes.get(a, 0) for a in "ij"))
        yield replace(made, tokens=tuple(f"Zq{n + 1}" for n in range(count)))


IN_POWERS = r" −?[\d.]+e\S+ means .*$"
"""What is said of every number in powers of ten: tests/core/program/test_explanations.py."""


@pytest.mark.parametrize("name", SAID)
def test_what_is_said_of_a_cell_is_true_of_it(name: str) -> None:
    seen = set()
    for trace in runs(name):
        for arrays, checks in SAID[name].items():
            for array in arrays.split():
                for cell in np.ndindex(trace[array].shape):
                    words = re.sub(IN_POWERS, "", explain(trace, array, cell).words)
                    found = [(p, m) for p in checks if (m := re.match(p, words))]
                    assert found, (array, cell, words)
                    for pattern, match in found:
                        so = checks[pattern](match, trace, array, cell)
                        assert so in (None, True), (array, cell, words)
                        seen.add(pattern)
    assert seen == {pattern for checks in SAID[name].values() for pattern in checks}


def test_the_factor_that_is_said_is_the_programs_own() -> None:
    for factor in (0.3, 1.0):
        trace = influence_program(factor).run(impulse(REGISTRY["influence, 1.1"].inputs()))
        assert f" by {factor:g}, " in explain(trace, "state", (0, 1, 0)).words


NAMED = r"\b(?:[Ff]eature|[Nn]umber) (\d+)"
DERIVED = {"flat", "y", "W_fixed", "concat"}
"""Arrays whose places stand for a token and a feature, or a head and one, at once."""
OF_TWO = "entry of the state"
"""An axis whose places stand for a key's feature and a value's."""
TURNED = {"Q_rot", "K_rot", "frequency"}
"""Of a real head with RoPE, where another feature is named: test_queries_and_keys.py."""
FOLLOWED = {"message", "so_far"}
"""Arrays with a row for each key of one token, which has no axis of theirs."""


@pytest.mark.parametrize("name", some(list(REGISTRY), 8))
def test_tokens_and_features_that_are_named_are_those_of_the_cell(name: str) -> None:
    """Of every array of every program, whatever else is said of a cell."""
    made = REGISTRY[name].run()
    count = max(len(made.tokens), *(size for size in made.sizes.values()))
    trace = replace(made, tokens=tuple(f"Zq{n + 1}" for n in range(count)))
    for array, letters in trace.program.letters.items():
        if array in DERIVED or any(trace.program.axis(a).name == OF_TWO for a in letters):
            continue
        if array in TURNED and "frequency" in trace.program.letters and "places" in trace:
            continue
        for cell in some([*np.ndindex(trace[array].shape)], 2):
            kinds = [trace.program.axis(letter).kind for letter in letters]
            tokens = {axis_label(trace, letter, at)
                      for letter, at, kind in zip(letters, cell, kinds, strict=True)
                      if kind == POSITION}  # fmt: skip
            others = {at + 1 for at, kind in zip(cell, kinds, strict=True) if kind != POSITION}
            explained = explain(trace, array, cell)
            if single := re.fullmatch(r"[sv]_(\d)", array):  # of one key, which its name says
                tokens.add(f"Zq{single[1]}")
            if array in FOLLOWED:  # of one token, whom the program follows
                tokens.add(axis_label(trace, "x", 0))
            if array == "context":  # and where its largest part comes from
                tokens |= set(re.findall(r"Zq\d+(?=\.$)", explained.words))
            assert set(explained.said[1::2]) <= tokens, (array, cell, explained.words)
            named = re.findall(NAMED, explained.words)
            assert {int(n) for n in named} <= others, (array, cell, explained.words)


DOES = {
    "query": r"look\w* for|asks",
    "key": r"can be found by",
    "value": r"hands? over|pass(?:es)? on",
}
"""What a token does with each of its three vectors."""


@pytest.mark.parametrize("name", some(list(REGISTRY), 8, 6))
def test_no_role_is_told_in_the_words_of_another(name: str) -> None:
    trace = REGISTRY[name].run()
    for array, role in trace.program.roles.items():
        if role not in DOES or array not in trace:
            continue
        for cell in ((0,) * trace[array].ndim, tuple(n - 1 for n in trace[array].shape)):
            words = plainly(explain(trace, array, cell).words)
            for other in DOES.keys() - {role}:
                assert not re.search(DOES[other], words), (array, words)


def test_attention_says_all_three() -> None:
    trace = REGISTRY["attention"].run()
    for array, role in (("Q", "query"), ("K", "key"), ("V", "value")):
        for cell in np.ndindex(trace[array].shape):
            assert re.search(DOES[role], explain(trace, array, cell).words)
