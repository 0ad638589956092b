"""What is said of the example on a sentence is recomputed here from the arrays of its run."""

import re

import numpy as np
import pytest

from core.attention.river_bank import FEATURES, HEADS, LEXICON
from core.attention.river_bank_story import BY_HAND, story, title
from core.attention.setups import Setup
from core.program.labels import axis_labels, plainly
from core.program.trace import Trace

TEXTS = [
    "we sat by the money bank",
    "The cat sat on the mat",
    "the bank by the river",
    "bank",
    "a zebra saw the deposit and the quay , the pool and the bank",
    "one two three four five six seven eight nine",
    "the tree",
]
RULES = [("causal", True), ("none", True), ("causal", False), ("none", False), ("window", 2.0)]


def softmax(row: np.ndarray) -> np.ndarray:
    powers: np.ndarray = np.exp(row - row.max())
    return powers / powers.sum()


def own_weights(trace: Trace, mask: np.ndarray, factor: float) -> np.ndarray:
    X, W_Q, W_K = trace["X"], trace["W_Q"], trace["W_K"]
    scores = np.stack([X @ q @ (X @ k).T for q, k in zip(W_Q, W_K, strict=True)]) * factor
    masked = np.where(mask, scores, -np.inf)
    return np.array([[softmax(row) for row in head] for head in masked])


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize(("mask", "scale"), RULES)
def test_each_sentence_is_so(text: str, mask: str, scale: bool | float) -> None:
    setup = Setup(preset="river-bank", text=text, mask=mask, scale=scale)
    trace = setup.trace
    T, tokens = len(trace.tokens), axis_labels(trace, "X")[0]
    i, j = np.ogrid[:T, :T]
    masks = {"causal": j <= i, "none": j <= T, "window": (j <= i) & (i - j < 3)}
    visible = np.broadcast_to(masks[mask], (T, T))
    factor = (0.5 if scale else 1.0) if isinstance(scale, bool) else scale
    weights = own_weights(trace, visible, factor)
    words = plainly(
        story(
            trace,
            setup.drawn_words,
            Setup(preset="river-bank", text=text, mask=mask).trace if scale is False else None,
        )
    )

    def last(feature: str) -> int | None:
        rows = [LEXICON.get(t.lower()) for t in trace.tokens]
        at = FEATURES.index(feature)
        return max(
            (n for n, row in enumerate(rows) if row is not None and row[at] > 0), default=None
        )

    claims = {
        r"In head (\d) \((.+?)\) (\S+) puts ([\d.]+) of its weight (each )?on (.+?)\.": "puts",
        r"The largest feature of the output of (\S+) is (.+?), ([\d.]+)\.": "largest",
        r"No token here has the feature open: head 1 has nothing to settle\.": "nothing",
        r"Here earlier tokens read later ones: in head (\d) (\S+) puts ([\d.]+) on (\S+)\.": (
            "later"
        ),
        r"Without the scale the weights are sharper: ([\d.]+) with it, ([\d.]+) without it\.": (
            "sharper"
        ),
        r"These words have no row made by hand, so theirs are drawn: (.+?)(?: and (\d+) more)?\.": (
            "drawn"
        ),
        re.escape(BY_HAND): "by hand",
    }  # fmt: skip
    found: dict[str, list[re.Match[str]]] = {}
    rest = words
    for pattern, name in claims.items():
        found[name] = [*re.finditer(pattern, rest)]
        rest = re.sub(pattern, "", rest)
    assert not rest.strip(), "nobody has read this as a claim"
    opens, acts = last("open"), last("action")
    assert [m[1] for m in found["puts"]] == ["1"] * (opens is not None) + ["2"] * (acts is not None)
    for claim, row in zip(found["puts"], [r for r in (opens, acts) if r is not None], strict=True):
        head = int(claim[1]) - 1
        assert claim[2] == HEADS[head]
        assert claim[3] == tokens[row]
        top = float(weights[head, row].max())
        assert float(claim[4]) == pytest.approx(top, abs=0.005)
        told = re.split(r", | and ", claim[6])
        on = {row if key == "itself" else tokens.index(key) for key in told}
        # Those that have the largest weight as far as two decimals tell.
        alike = np.flatnonzero(np.abs(weights[head, row] - top) < 0.01)
        assert {int(weights[head, row].argmax())} <= on <= set(alike.tolist())
        assert {k for k in alike.tolist() if np.isclose(weights[head, row, k], top)} <= on
        assert bool(claim[5]) == (len(on) > 1)
    assert bool(found["nothing"]) == (opens is None)
    for claim in found["largest"]:
        assert opens is not None
        output = trace["output"][opens]
        assert (claim[1], claim[2]) == (tokens[opens], FEATURES[output.argmax()])
        assert float(claim[3]) == pytest.approx(output.max(), abs=0.005)
    assert bool(found["later"]) == (mask == "none" and T > 1)
    for claim in found["later"]:
        later = weights[int(claim[1]) - 1] * np.triu(np.ones((T, T)), 1)
        assert float(claim[3]) == pytest.approx(later.max(), abs=0.005)
        row, key = np.unravel_index(later.argmax(), later.shape)
        assert (claim[2], claim[4]) == (tokens[row], tokens[key])
    for claim in found["sharper"]:
        assert scale is False
        assert opens is not None
        top = weights[0, opens].argmax()
        on = own_weights(trace, visible, 0.5)[0, opens, top]
        assert float(claim[1]) == pytest.approx(on, abs=0.005)
        assert float(claim[2]) == pytest.approx(weights[0, opens, top], abs=0.005)
        assert on < weights[0, opens, top]
    unknown = list(dict.fromkeys(t for t in trace.tokens if t.lower() not in LEXICON))
    if unknown:
        (claim,) = found["drawn"]
        said = re.split(r", | and ", claim[1])
        assert said == unknown[: len(said)]
        assert len(said) + int(claim[2] or 0) == len(unknown)
    else:
        assert not found["drawn"]
    assert len(found["by hand"]) == 1
    asked = f"What does “{trace.tokens[opens]}” mean?" if opens is not None else "Your sentence"
    assert title(trace) == asked


def test_each_toggle_changes_what_is_said() -> None:
    def said(**chosen: object) -> str:
        setup = Setup(preset="river-bank", text="we sat by the money bank", **chosen)  # type: ignore[arg-type]
        return plainly(setup.story(setup.trace, setup.options)[1])

    assert "earlier tokens read later ones" in said(mask="none")
    assert "Without the scale the weights are sharper" in said(scale=False)
    assert not re.search("later ones|sharper", said())


def test_other_numbers_than_the_example_s_own_are_not_told_of() -> None:
    edited = Setup(preset="river-bank", edits={"W_Q": np.zeros((2, 8, 4))})
    assert "puts" not in edited.story(edited.trace, edited.options)[1]
