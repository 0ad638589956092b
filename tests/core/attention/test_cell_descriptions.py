"""What is said of a cell is true of its numbers: each sentence is read, and worked out anew."""

import math
import re
from collections import Counter
from functools import cache
from typing import Any

import numpy as np
import pytest

from core import Inputs, Trace, attention_program, explain, toy_inputs
from core.attention.mistakes.attention_mistakes import MISTAKES
from core.program.numbers.rounding import cell_text
from core.program.patterns import Cell
from tests.core.support import figure, random_run, toy_run

TOKENS = ("the", "cat", "saw", "the", "dog")
LABELS = ("the₁", "cat", "saw", "the₂", "dog")
"""None of these stands in the sentences themselves, so that whoever is named is a token."""
NUMBER = r"[−-]?\d+(?:\.\d+)?(?:e[−-]?\d+)?"
EMPTY_ROW = np.array(
    [[1, 0, 0, 1, 0], [0, 0, 0, 0, 0], [1, 1, 1, 0, 0], [0, 1, 0, 0, 1], [1, 0, 0, 0, 0]], bool
)
SETTINGS: list[dict[str, Any]] = [
    {"heads": 2, "kv_heads": 2, "mask": "causal"},
    {"heads": 4, "kv_heads": 2, "mask": "causal", "scale": False},
    {"heads": 2, "kv_heads": 1, "mask": "none", "scale": 0.3},
    {"heads": 2, "kv_heads": 1, "mask": "window", "window": 2},
    {"heads": 2, "kv_heads": 2, "mask": "prefix", "prefix": 3},
    {"heads": 4, "kv_heads": 2, "mask": "custom"},
]


@cache
def runs() -> tuple[Trace, ...]:
    """A run of each settings: of a toy sentence and of real-valued numbers in turn."""
    found = []
    for seed, settings in enumerate(SETTINGS):
        mask = EMPTY_ROW if settings["mask"] == "custom" else None
        shared = {"heads": settings["heads"], "kv_heads": settings["kv_heads"]}
        inputs = toy_inputs(" ".join(TOKENS), d_k=3, d_v=2, **shared, seed=seed, mask=mask)
        if seed % 2:
            drawn = random_run(seed, d_k=3, d_v=2, **settings)
            real = {name: drawn[name] for name in inputs if name != "mask"}
            inputs = Inputs({**inputs, **real}, TOKENS)
        found.append(attention_program(**settings).run(inputs))
    return tuple(found)


@cache
def said(trace: Trace, array: str) -> list[tuple[Cell, str]]:
    """Every cell of an array, with what is said of it."""
    return [(cell, explain(trace, array, cell).words) for cell in np.ndindex(trace[array].shape)]


def named(words: str) -> list[str]:
    """The tokens that a text names, in order."""
    return re.findall(rf"(?<!\w)(?:{'|'.join(LABELS)})(?!\w)", words)


def counted(words: str, *before: str) -> list[int]:
    """The whole numbers that stand right after these words."""
    return [int(number) for word in before for number in re.findall(rf"{word} (\d+)", words)]


def group(trace: Trace, array: str, head: int) -> int:
    """The key/value head that serves a head: each of them serves as many in turn."""
    return head // (len(trace["Q"]) // len(trace[array]))


# Scores


def angle(q: np.ndarray, k: np.ndarray) -> float:
    """The angle between two vectors in degrees, without a cosine."""
    q, k = q / np.linalg.norm(q), k / np.linalg.norm(k)
    return math.degrees(2 * math.atan2(np.linalg.norm(q - k), np.linalg.norm(q + k)))


def at_angles(*degrees: float, lengths: tuple[float, ...] = (1, 2, 3, 4, 5)) -> Trace:
    """A run whose queries lie along the first axis, and whose keys at these angles to it."""
    turned = np.radians(degrees)
    Q = np.tile([[length, 0.0] for length in lengths], (2, 1, 1))
    K = np.stack([np.cos(turned), np.sin(turned)], axis=1)[None]
    inputs = toy_inputs(" ".join(TOKENS), d_k=2, d_v=2, kv_heads=1)
    return attention_program(kv_heads=1).run(inputs, pinned={"Q": Q, "K": K})


def test_a_score_is_said_to_have_its_sign_and_the_angle_of_its_query_and_key() -> None:
    met: Counter[int | None] = Counter()
    for trace in (*runs(), at_angles(0, 45, 90, 135, 180), at_angles(89.4, 89.6, 90.4, 90.6, 270)):
        for (h, i, j), words in said(trace, "scores"):
            q, k = trace["Q"][h, i], trace["K"][group(trace, "K", h), j]
            (degrees,) = (int(n) for n in re.findall(r"(\d+)°", words))
            assert abs(degrees - angle(q, k)) <= 0.5 + 1e-9, (h, i, j, words)
            score, most = trace["scores"][h, i, j], np.linalg.norm(q) * np.linalg.norm(k)
            share = re.search(r"the score is about (−?\d+) % of the product of their", words)
            met[int(np.sign(score)) if share else None] += 1
            if share:
                assert abs(figure(share[1]) - 100 * score / most) <= 0.5 + 1e-6, (h, i, j, words)
            else:
                assert "less than 1 % of the product of their lengths, above or below 0" in words
                assert abs(angle(q, k) - 90) <= 0.5 + 1e-9
                assert abs(score) < 0.01 * most
    assert min(met[kind] for kind in (1, -1, None)) >= 20


def test_a_score_names_its_query_and_its_key_and_where_they_stand() -> None:
    for trace in runs():
        for (_, i, j), words in said(trace, "scores"):
            assert named(words) == [LABELS[i], LABELS[j]]
            assert counted(words, "row", "column") == [i + 1, j + 1]


def test_a_score_of_a_zero_vector_is_said_to_be_zero_for_that() -> None:
    trace = at_angles(0, 90, 120, 210, 300, lengths=(1, 2, 0, 4, 5))
    for (h, i, j), words in said(trace, "scores"):
        assert ("is zero" in words) == (not trace["Q"][h, i].any())
        assert ("°" in words) == ("is zero" not in words)
        if "is zero" in words:
            assert trace["scores"][h, i, j] == 0


def test_of_given_scores_nothing_is_said_that_queries_and_keys_would_decide() -> None:
    trace = toy_run(" ".join(TOKENS), pinned={"scores": np.arange(-25, 25).reshape(2, 5, 5) / 10})
    for (_, i, j), words in said(trace, "scores"):
        assert named(words) == [LABELS[i], LABELS[j]]
        assert "given" in words
        assert not any(sense in words for sense in ("%", "°", "dot product"))


def test_scaling_is_said_to_do_what_it_does() -> None:
    for trace, settings in zip(runs(), SETTINGS, strict=True):
        for cell, words in said(trace, "scaled"):
            (factor,) = (
                [1.0] * ("Scaling is off" in words)
                + [1 / math.sqrt(int(root)) for root in re.findall(r"divided by .*√(\d+)", words)]
                + [figure(number) for number in re.findall(rf"times .*, ({NUMBER})", words)]
            )
            assert trace["scaled"][cell] == pytest.approx(factor * trace["scores"][cell], rel=1e-12)
            assert ("divided" in words) == (settings.get("scale", True) is True)
            assert counted(words, "has") == [trace["K"].shape[-1]] * ("divided" in words)


# Masks and weights


def test_who_may_see_whom_is_what_the_mask_holds() -> None:
    for trace in runs():
        for (i, j), words in said(trace, "mask"):
            before, _, why = words.partition(":")
            assert named(before) == [LABELS[i], LABELS[j]]
            assert ("may not see" in before) == (not trace["mask"][i, j])
            assert ("may see" in before) == trace["mask"][i, j]
            assert set(counted(why, "key")) <= {j + 1}
            assert set(counted(why, "query")) <= {i + 1}


def test_a_hidden_score_is_said_to_be_hidden_and_to_weigh_nothing() -> None:
    met = Counter[bool]()
    for trace in runs():
        for cell, words in said(trace, "masked"):
            visible = bool(trace["mask"][cell[1:]])
            met[visible] += 1
            assert ("Visible" in words, "Hidden" in words) == (visible, not visible)
            assert set(counted(words, "key")) <= {cell[2] + 1}
            assert set(counted(words, "query")) <= {cell[1] + 1}
            if visible:
                assert trace["masked"][cell] == trace["scaled"][cell]
            else:
                assert "−∞" in words
                assert trace["masked"][cell] == -math.inf
                assert ("its weight 0" in words) == (trace["weights"][cell] == 0)
    assert min(met[True], met[False]) > 100


def test_a_weight_is_said_to_be_the_share_that_it_is() -> None:
    met: Counter[str] = Counter()
    for trace in runs():
        for (h, i, j), words in said(trace, "weights"):
            weight, row = trace["weights"][h, i, j], trace["mask"][i]
            if not row.any():
                met["nothing visible"] += 1
                assert "No key is visible" in words
                assert named(words) == [LABELS[i]]
            elif not row[j]:
                met["hidden"] += 1
                assert "Exactly 0" in words
                assert named(words) == [LABELS[j], LABELS[i]]
            else:
                met["share"] += 1
                (share,) = re.findall(rf"({NUMBER}) %", words)
                (total,) = re.findall(rf"add up to ({NUMBER})", words)
                assert named(words) == [LABELS[i], LABELS[j]]
                assert share.replace("−", "-") == cell_text(100 * weight)
                assert total == cell_text(trace["weights"][h, i].sum()) == "1.00"
                assert "underflows" not in words
    assert min(met.values()) >= 20
    assert len(met) == 3


def test_a_weight_that_underflows_is_said_to_be_visible_and_above_zero() -> None:
    scores = np.zeros((2, 5, 5))
    scores[1, 3, 1] = -900
    trace = toy_run(" ".join(TOKENS), scale=False, pinned={"scores": scores})
    for (h, i, j), words in said(trace, "weights"):
        lost = trace["mask"][i, j] and trace["weights"][h, i, j] == 0
        assert ("underflows" in words) == lost == ((h, i, j) == (1, 3, 1))
        assert ("Exactly 0" in words) == (not trace["mask"][i, j])


# What is read


def test_the_largest_part_of_a_mixture_is_the_largest_in_size_and_whose_it_is_said() -> None:
    met: Counter[str] = Counter()
    for trace in runs():
        for (h, i, v), words in said(trace, "context"):
            parts = trace["weights"][h, i] * trace["V"][group(trace, "V", h), :, v]
            if not trace["mask"][i].any():
                met["nothing visible"] += 1
                assert named(words) == [LABELS[i], LABELS[i]]
                assert re.search(r"reads 0\b", words)
                continue
            claim = re.search(rf"argest part, ({NUMBER}), comes from (\S+)\.", words)
            assert claim is not None, words
            part, source = claim.groups()
            assert named(words) == [LABELS[i], source]
            at = LABELS.index(source)
            assert part.replace("−", "-") == cell_text(parts[at], 1e-9)
            assert abs(parts[at]) == np.abs(parts).max()
            met["negative"] += bool(parts[at] < 0 and parts.max() > 0)
            met["positive"] += bool(parts[at] > 0)
    assert met["nothing visible"] >= 8
    assert met["negative"] >= 30
    assert met["positive"] >= 30


def test_a_joined_feature_is_that_feature_of_that_head() -> None:
    for trace in runs():
        for (i, c), words in said(trace, "concat"):
            (feature,), (head,) = counted(words, "Feature"), counted(words, "head")
            assert named(words) == [LABELS[i]]
            place = head - 1, i, feature - 1
            assert trace.sources("concat", (i, c)) == {"context": [place]}
            assert trace["context"][place] == trace["concat"][i, c]


def test_a_weight_matrix_is_said_to_lead_from_row_to_column() -> None:
    roles = {"W_Q": "query", "W_K": "key", "W_V": "value", "W_O": "output"}
    for array, role in roles.items():
        for cell, words in said(runs()[3], array):
            *_, row, column = cell
            assert counted(words, "feature") == [row + 1, column + 1]
            assert [word for word in roles.values() if word in words] == [role]


def test_a_hidden_score_that_is_a_number_is_said_to_get_a_weight_only_if_it_does() -> None:
    """An additive mask too small to hide; next to a score of ten thousand nothing is left of it."""
    program = MISTAKES["additive"].change(attention_program(heads=1))
    inputs = toy_inputs("a b c", heads=1)
    met = set()
    for largest in (0.0, 10_000.0):
        trace = program.run(inputs, pinned={"scores": np.diag([largest] * 3)[None]})
        for i, j in ((0, 1), (0, 2), (1, 2)):
            words = explain(trace, "masked", (0, i, j)).words
            read = trace["weights"][0, i, j] > 0
            assert ("softmax gives it a weight above 0" in words) == read
            assert ("Yet its weight is 0" in words) != read
            met.add(bool(read))
    assert met == {True, False}
    given = program.run(inputs, pinned={"weights": np.zeros((1, 3, 3))})
    assert "weight" not in explain(given, "masked", (0, 0, 1)).words


@pytest.mark.parametrize("name", ["Q", "K", "V"])
def test_a_given_projection_is_not_said_to_be_made(name: str) -> None:
    for given in ("", name):
        trace = toy_run(pinned={given: np.ones((2, 3, 4))} if given else {})
        said = explain(trace, name, (0, 1, 1)).words
        assert (f"times a column of W_{name}" in said) == (not given)
        assert said.endswith(", as given.") == bool(given)
        weight = explain(trace, f"W_{name}", (0, 1, 1))
        assert ("has no effect" in weight.words) == bool(given)
        assert (weight.feeds == "It feeds nothing.") == bool(given)


@pytest.mark.parametrize("heads", [1, 2, 4])
def test_what_is_said_of_a_joined_head_says_whether_there_are_others(heads: int) -> None:
    said = explain(toy_run(heads=heads), "concat", (2, 7)).words
    assert said.startswith(f"Feature {8 // heads} of head {heads} for sat")
    assert ("next to the other heads" in said) == (heads > 1)
    assert ("nothing to join" in said) == (heads == 1)
