"""What is said of the example on a sentence is recomputed here from the arrays of its run."""

import re

import numpy as np
import pytest

from core.attention.examples.river_bank import BANK_LEXICON, LEXICON
from core.attention.examples.river_bank_story import BY_HAND, meanings, notes, openings, taught
from core.attention.examples.two_meanings import FEATURE_NAMES
from core.attention.setups import Setup
from core.program.labels import axis_labels, plainly
from core.program.trace import Trace
from tests.ui.plain_attention import softmax

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


def own_weights(trace: Trace, mask: np.ndarray, factor: float) -> np.ndarray:
    X, W_Q, W_K = trace["X"], trace["W_Q"], trace["W_K"]
    scores = np.stack([X @ q @ (X @ k).T for q, k in zip(W_Q, W_K, strict=True)]) * factor
    return softmax(np.where(mask, scores, -np.inf))


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
    scaled = Setup(preset="river-bank", text=text, mask=mask).trace
    words = plainly(notes(trace, setup.drawn_words, scaled if scale is False else None))
    claims = {
        r"Here earlier tokens read later ones: in head (\d), (\S+) gives (\S+) a weight of "
        r"([\d.]+)\.": "later",
        r"Without the scale the weights are sharper: ([\d.]+) instead of ([\d.]+)\.": "sharper",
        r"These words have random rows, because none was made for them by hand: (.+?)"
        r"(?: and (\d+) more)?\.": "drawn",
        re.escape(BY_HAND): "by hand",
    }
    found: dict[str, list[re.Match[str]]] = {}
    rest = words
    for pattern, name in claims.items():
        found[name] = [*re.finditer(pattern, rest)]
        rest = re.sub(pattern, "", rest)
    assert not rest.strip(), "nobody has read this as a claim"
    opens = max((n for n, t in enumerate(trace.tokens) if has(t, "open")), default=None)
    assert bool(found["later"]) == (mask == "none" and T > 1)
    for claim in found["later"]:
        later = weights[int(claim[1]) - 1] * np.triu(np.ones((T, T)), 1)
        assert float(claim[4]) == pytest.approx(later.max(), abs=0.005)
        row, key = np.unravel_index(later.argmax(), later.shape)
        assert (claim[2], claim[3]) == (tokens[row], tokens[key])
    for claim in found["sharper"]:
        assert scale is False
        assert opens is not None
        top = weights[0, opens].argmax()
        on = own_weights(trace, visible, 0.5)[0, opens, top]
        assert float(claim[2]) == pytest.approx(on, abs=0.005)
        assert float(claim[1]) == pytest.approx(weights[0, opens, top], abs=0.005)
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


MEANINGS = {
    r"(\S+) can mean two things\.(?P<which>.*)": "open",
    r"(\S+) has one meaning here: head 1 has little to settle for it\.": "settled",
    r"(\S+) is an action: head 2 looks for a person who does it\.": "action",
    r"(\S+) is not an action: head 2 looks for the action that it takes part in\.": "other",
    r"(\S+) (?:has one meaning here: head (1) has nothing to settle for it|is not an action, and "
    r"asks for nothing in head (2))\.": "nothing",
    r"The numbers of (\S+) are random, so what it reads means nothing\.": "drawn",
}
SETTLED = (
    r"It reads (?P<mostly>mostly )?(?P<key>\S+)(?: more than any other word)?, so here it "
    r"(?:is (?P<means>.+)|has to do with (?P<feature>.+))\."
)
TAUGHT = (
    r"The largest feature of its output is (.+?), ([\d.]+)(?: \((.+) is from head 2\))?\. A "
    r"language model adds it to the row before, and predicts the next word from such sums\."
)


EVERY_WORD = " ".join([*LEXICON][-64:])
CUED = [
    f"we sat by the {cue} {word}"
    for word in filter(BANK_LEXICON.is_open, LEXICON)
    for cue in ("rain", "boat", "swam", "loan", "paid")
]

BECAUSE = (
    r"Its query and the key of (\S+) are both large in feature (\d), here (.+?): ([\d.]+) and "
    r"([\d.]+)\."
)
IS_OPEN = "Before it reads, its meaning is open: its number for open is large."


def check_why(said: str, trace: Trace, head: int, row: int, weights: np.ndarray) -> None:
    """The product of one feature is most of the score that has most of the weight."""
    top = int(weights.argmax())
    query = trace["X"][row] @ trace["W_Q"][head]
    key = trace["X"][top] @ trace["W_K"][head]
    terms = query * key
    if not said:
        assert top == row or terms.max() <= terms.sum() / 2
        return
    claim = re.fullmatch(BECAUSE, said)
    assert claim, said
    assert top != row
    assert claim[1] == axis_labels(trace, "X")[0][top]
    feature = FEATURE_NAMES.index(claim[3])
    assert int(claim[2]) == terms.argmax() + 1
    asks = np.eye(len(FEATURE_NAMES))[feature] @ trace["W_K"][head]
    assert asks.argmax() == terms.argmax()
    assert asks.max() == trace["W_K"][head][:, terms.argmax()].max()
    assert terms.max() > terms.sum() / 2
    assert float(claim[4]) == pytest.approx(query[terms.argmax()], abs=0.005)
    assert float(claim[5]) == pytest.approx(key[terms.argmax()], abs=0.005)


def check_which(said: str, trace: Trace, row: int, weights: np.ndarray) -> None:
    """Which of its two meanings a word has: that of the one word which it reads most."""
    sides = [FEATURE_NAMES.index(name) for name in ("water", "money")]
    becomes = trace["output"][row]
    water, money = (round(float(becomes[side]), 2) for side in sides)
    if said == "What it reads does not say which.":
        assert water == pytest.approx(money, abs=0.0051)
        return
    top = int(weights.argmax())
    if not said:
        clear = np.sum(np.isclose(weights, weights[top])) == 1 and top != row
        has_side = known_side(trace.tokens[top], sides) == sides[int(becomes[sides].argmax())]
        assert not (clear and has_side)
        return
    claim = re.fullmatch(SETTLED, said)
    assert claim, said
    assert claim["key"] == axis_labels(trace, "X")[0][top]
    assert top != row
    assert bool(claim["mostly"]) == (weights[top] > 0.5)
    assert weights[top] > np.delete(weights, top).max()
    side = sides[int(becomes[sides].argmax())]
    assert side == known_side(trace.tokens[top], sides)
    word, feature = trace.tokens[row].lower(), FEATURE_NAMES[side]
    assert claim["means"] == BANK_LEXICON.means.get((word, feature))
    assert claim["feature"] == (None if claim["means"] else feature)


def known_side(token: str, sides: list[int]) -> int:
    """Of the features that tell two meanings apart the one that a token has more of; else -1."""
    row = LEXICON.get(token.lower())
    if row is None or not row[sides].any():
        return -1
    return sides[int(row[sides].argmax())]


def has(token: str, feature: str) -> bool:
    row = LEXICON.get(token.lower())
    return row is not None and bool(row[FEATURE_NAMES.index(feature)] > 0)


@pytest.mark.parametrize("text", [*TEXTS, EVERY_WORD, *CUED])
def test_what_each_row_means_follows_from_its_query(text: str) -> None:
    """A head looks for a feature if that feature alone would score highest against the query."""
    trace = Setup(preset="river-bank", text=text).trace
    T, tokens = len(trace.tokens), axis_labels(trace, "X")[0]
    told = [plainly(said) for said in meanings(trace)]
    lessons = list(taught(trace).values())
    assert len(told) == len(trace["weights"]) * T
    seen = set()
    own = own_weights(trace, np.tril(np.ones((T, T), bool)), 0.5)
    for number, said in enumerate(told):
        head, row = divmod(number, T)
        ((kind, claim),) = [(k, m) for p, k in MEANINGS.items() if (m := re.fullmatch(p, said))]
        seen.add(kind)
        assert claim[1] == tokens[row]
        word, query = trace.tokens[row], trace["X"][row] @ trace["W_Q"][head]
        sought = trace["W_K"][head] @ query
        best = {FEATURE_NAMES[at] for at in np.flatnonzero(np.isclose(sought, sought.max()))}
        assert (kind == "drawn") == (word.lower() not in LEXICON)
        if kind == "nothing":
            assert not query.any()
            assert int(claim[2] or claim[3]) == head + 1
            assert not has(word, ("open", "action")[head])
        elif kind == "open":
            assert (head, has(word, "open"), best) == (0, True, {"water", "money"})
            check_which(claim["which"].strip(), trace, row, own[0, row])
        elif kind == "settled":
            assert (head, has(word, "open")) == (0, False)
            # It asks less than half as much as any word that is open.
            least = min(
                np.abs(row @ trace["W_Q"][0]).max() for w, row in LEXICON.items() if has(w, "open")
            )
            assert np.abs(query).max() < least / 2
        elif kind == "action":
            assert (head, has(word, "action"), best) == (1, True, {"person"})
        elif kind == "other":
            assert (head, has(word, "action"), best) == (1, False, {"action"})
        first, why, becomes = (plainly(said[number]) for said in lessons)
        if has(word, ("open", "action")[head]):
            check_why(why, trace, head, row, own[head, row])
        else:
            assert not why
        assert bool(first) == ((head, has(word, "open")) == (0, True))
        if first:
            assert first == IS_OPEN
            assert trace["X"][row, FEATURE_NAMES.index("open")] == trace["X"][row].max()
        if becomes:
            (feature, printed, second) = re.fullmatch(TAUGHT, becomes).groups()  # type: ignore[union-attr]
            assert (head, has(word, "open")) == (0, True)
            assert feature == FEATURE_NAMES[trace["output"][row].argmax()]
            assert float(printed) == pytest.approx(trace["output"][row].max(), abs=0.005)
            _, next_largest = np.argsort(-trace["output"][row], kind="stable")[:2]
            made = [own[h, row] @ trace["X"] @ trace["W_V"][h] @ trace["W_O"].reshape(2, -1, 8)[h]
                    for h in (0, 1)]  # fmt: skip
            is_second = made[1][next_largest] > made[0][next_largest] + 0.005
            assert second == (FEATURE_NAMES[next_largest] if is_second else None)
    if text == EVERY_WORD:
        assert seen == {*MEANINGS.values()} - {"drawn"}


@pytest.mark.parametrize("text", [*TEXTS, "we sat by the river bank", EVERY_WORD])
def test_the_opening_says_no_word_that_a_later_step_teaches(text: str) -> None:
    """Before its scores nobody has met a query, a key, a score or a weight."""
    trace = Setup(preset="river-bank", text=text).trace
    said = " ".join(map(plainly, [*meanings(trace), *taught(trace)["X"]]))
    assert not re.findall(r"\b(quer\w+|keys?|features?|scores?|weights?|values?|output)\b", said)


@pytest.mark.parametrize("text", ["we sat by the river bank", "we sat at the money bank"])
def test_an_example_opens_at_the_numbers_of_its_story(text: str) -> None:
    trace = Setup(preset="river-bank", text=text).trace
    own = openings(trace)
    row = len(trace.tokens) - 1
    assert own["X"] == (row, FEATURE_NAMES.index("open"))
    assert trace["X"][own["X"]] == trace["X"][row].max()
    for name in ("Q", "context", "output"):
        assert own[name][-2] == row
        assert trace[name][own[name]] == trace[name][own[name][:-1]].max()


@pytest.mark.parametrize(
    ("text", "row"),
    [("she lit the candle with a match", 6), ("we sat by the tree", 4), ("the by the", None),
     ("Bark of the tree", 0)],
)  # fmt: skip
def test_if_nothing_is_open_a_word_with_a_meaning_is_looked_at(text: str, row: int | None) -> None:
    """One that has two meanings in another example, else the last known that is no small word."""
    trace = Setup(preset="river-bank", text=text).trace
    own = openings(trace)
    assert (row is None) == (not own)
    for array, cell in own.items():
        letters = trace.program.letters[array]
        assert "i" not in letters or cell[letters.index("i")] == row
        assert all(at < size for at, size in zip(cell, trace[array].shape, strict=True))


def test_each_toggle_changes_what_is_said() -> None:
    def said(**chosen: object) -> str:
        setup = Setup(preset="river-bank", text="we sat by the money bank", **chosen)  # type: ignore[arg-type]
        return plainly(setup.story(setup.trace, setup.options).text)

    assert "earlier tokens read later ones" in said(mask="none")
    assert "Without the scale the weights are sharper" in said(scale=False)
    assert not re.search("later ones|sharper", said())


def test_other_numbers_than_the_example_s_own_are_not_told_of() -> None:
    edited = Setup(preset="river-bank", edits={"W_Q": np.zeros((2, 8, 4))})
    told = edited.story(edited.trace, edited.options)
    assert not told.meanings
    assert "may ask something else" in told.text
