"""Every sentence of the page on softmax, at the ends of its controls."""

import json
import re
from base64 import b64decode

import numpy as np
import torch
from streamlit.testing.v1 import AppTest

from core.attention.inputs import toy_inputs
from core.attention.tokens import tokenise
from tests.quotes import proves
from tests.ui.claims import (
    RANDOM_WEIGHTS,
    Inventory,
    Values,
    drawn_with,
    number,
    printed,
    shown_with,
)
from tests.ui.plain_attention import softmax
from tests.ui.support import opened, stages


def typed(page: AppTest) -> np.ndarray:
    """The four scores as the sliders stand."""
    return np.array([page.session_state[f"softmax_{n}"] for n in range(1, 5)], dtype=float)


def row(page: AppTest) -> np.ndarray:
    """The four logits as they are made positive: moved, over the temperature."""
    state = page.session_state
    moved: np.ndarray = (typed(page) + float(state.softmax_plus)) / float(state.softmax_temperature)
    return moved


def positive(page: AppTest) -> np.ndarray:
    at, made = row(page), page.session_state.softmax_made
    found: np.ndarray = {
        "exp": np.exp(at), "stable": np.exp(at - at.max()), "square": at**2, "none": at,
    }[made]  # fmt: skip
    return found


def close(text: str, value: float) -> None:
    """As printed: two decimals, or a few digits of what is small or large."""
    plain = re.sub(r"\[|\]\(.*\)|\\", "", text).replace("e−", "e-")
    np.testing.assert_allclose(number(plain), value, rtol=0.06, atol=0.0051)


@proves("""
    Move the score of key 1 up to 5, then down to −5 | Notice. The numbers in the {?} column add up
    to {total}. [divides] Divided by {total}, they become the weights: key 1 gets {first}, key 4
    gets {last}. [else] Nothing can be divided by a sum of 0, so there are no weights here
""")
def sum_(said: Values, page: AppTest) -> None:
    told = positive(page)
    total = told.sum()
    close(said["total"], total)
    assert said["divides"] == (total != 0)
    assert said["made"] == page.session_state.softmax_made
    if total:
        close(said["first"], told[0] / total)
        close(said["last"], told[3] / total)


def as_the_formula(match: re.Match[str], page: AppTest) -> None:
    """What the formula gives for the four scores as they are typed."""
    text = match[0].replace("\\", "").replace("text{score}_", "score_")
    above, below = re.search(r"dfrac\{(.*)\}\{(sum.*|e\^.*)\}", text).groups()  # type: ignore[union-attr]
    if below.startswith("sum_i "):
        each = below.removeprefix("sum_i ")
        below = " + ".join(each.replace("score_i", f"score_{n}") for n in range(1, 5))
    at = {f"score_{n}": score for n, score in enumerate(typed(page), start=1)}

    def worked(tex: str) -> float:
        plain = re.sub(r"e\^\{([^}]*)\}", r"exp(\1)", tex).replace("^2", "**2")
        return float(eval(plain, {"exp": np.exp}, at))  # our own formula

    total, told = worked(below), stages(page)[0].texts("weights")
    for key, weight in enumerate(np.array(told, dtype=float).ravel() if total else (), start=1):
        made = worked(above.replace("score_j", f"score_{key}")) / total
        np.testing.assert_allclose(weight, made, rtol=0.06, atol=0.0051)


@proves("""
    numbers of at least 0 that add up to 1 | All four weights are above 0, and a larger score always
    gets a larger weight
""")
def exponentials(said: Values, page: AppTest) -> None:
    assert page.session_state.softmax_made in ("exp", "stable")
    made = softmax(row(page))
    assert (made > 0).all()
    order = np.argsort(row(page))
    assert (np.diff(made[order])[np.diff(row(page)[order]) > 0] > 0).all()


@proves("Subtracting the largest score first changes none of them")
def stable(said: Values, page: AppTest) -> None:
    assert page.session_state.softmax_made == "stable"
    told = np.array(stages(page)[0].texts("weights"), dtype=float).ravel()
    np.testing.assert_allclose(told, softmax(row(page)), rtol=0.06, atol=0.0051)


@proves("""
    Squares ignore the sign: [pairs > 1] {pairs} pairs of keys with opposite numbers get equal
    weights. [pairs] one pair of keys with opposite numbers gets equal weights. [else] a number far
    below 0 counts as much as one far above
""")
def squares(said: Values, page: AppTest) -> None:
    assert page.session_state.softmax_made == "square"
    at = row(page)
    assert said["pairs"] == sum(at[i] == -at[j] != 0 for i in range(4) for j in range(i))


@proves("""
    Nothing was made positive. [negative] {negative} of the four {?} below 0. All four add up to 1,
    but they are not weights. [else] By luck none of the four is below 0 here. When numbers have
    both signs, some results are negative
""")
def unchanged(said: Values, page: AppTest) -> None:
    assert page.session_state.softmax_made == "none"
    at = row(page)
    assert said["negative"] == (at / at.sum() < 0).sum()


@proves("adding 1 to a logit multiplies its weight, relative to any other, by e ≈ {e}")
def why_e(said: Values, page: AppTest) -> None:
    printed(said["e"], np.e)
    printed(said["temperature"], 1 / np.log(float(said["base"])))


@proves("""
    A factor above 1 makes the weights sharper, a factor between 0 and 1 more even | A temperature
    $T$ divides every logit before softmax. [best == keys] All {keys} logits are equal, so the
    weights are equal at every temperature. [else] Towards {coldest} the largest logit takes nearly
    all the weight [best > 1] , split among the {best} keys that have it. Towards {hottest} all
    weights approach 1/{keys}. At a low temperature, a model writes its likeliest words. At a high
    temperature, it surprises more often
""")
def ends(said: Values, page: AppTest) -> None:
    """Near 0 and far above, whatever the four are."""
    logits = typed(page)
    best = logits == logits.max()
    assert (said["best"], said["keys"]) == (best.sum(), 4)
    if said["best"] < 4:
        assert softmax(logits / float(said["coldest"]))[best].sum() > 0.98
        spread = [np.ptp(softmax(logits / t)) for t in (1, float(said["hottest"]), 1000)]
        assert spread[0] > spread[1] > spread[2]
        np.testing.assert_allclose(softmax(logits / 1000), 0.25, atol=0.005)


@proves("""
    Adding {constant} to every score changes the weights by {moved_by_adding}. Multiplying every
    score by {factor} changes them by up to {moved_by_multiplying}
""")
def moving(said: Values, page: AppTest) -> None:
    state, logits = page.session_state, typed(page)
    assert number(said["constant"]) == state.softmax_add
    assert number(said["factor"]) == state.softmax_times
    changes = {
        "moved_by_adding": logits + state.softmax_add,
        "moved_by_multiplying": logits * state.softmax_times,
    }
    for name, changed in changes.items():
        printed(said[name], np.abs(softmax(changed) - softmax(logits)).max())


@proves("""
    Multiplying the scores by any number but 1 changes the weights, unless all scores are equal
""")
def only_differences(said: Values, page: AppTest) -> None:
    """By another number than 1 it changes the weights, if these are not all equal."""
    logits = typed(page)
    for times in (page.session_state.softmax_times, 0.0, 0.99, 1.01):
        changed = np.abs(softmax(logits * times) - softmax(logits)).max() > 1e-9
        assert changed == (times != 1 and len(set(logits)) > 1)


@proves("""
    So softmax may subtract the row's largest score first. Without this, adding {most} makes every
    exponential infinite
""")
def overflow(said: Values, page: AppTest) -> None:
    """Each exponential is too large, and subtracting the largest score changes no weight."""
    with np.errstate(over="ignore"):
        assert np.isinf(np.exp(typed(page) + number(said["most"]))).all()
    np.testing.assert_allclose(softmax(typed(page) + number(said["most"])), softmax(typed(page)))


def weights(page: AppTest) -> np.ndarray:
    toy = toy_inputs(page.session_state.softmax_text, heads=1, d_model=8)
    q, k = (torch.tensor(toy["X"] @ toy[f"W_{name}"][0]) for name in "QK")
    hidden = ~torch.ones(len(q), len(q)).tril().bool()
    scores = (q @ k.T / 8**0.5).masked_fill(hidden, -torch.inf)
    over = page.session_state.softmax_over
    made = scores.exp() if over == "none" else torch.softmax(scores, 1 if over == "keys" else 0)
    found: np.ndarray = made.numpy()
    return found


def sums(axis: int):
    def check(match: re.Match[str], page: AppTest) -> None:
        for text, value in zip(match[1].split(" | "), weights(page).sum(axis), strict=True):
            printed(text, float(value))

    return check


def numbered(match: re.Match[str], page: AppTest) -> None:
    count = len(tokenise(page.session_state.softmax_text))
    assert match[1].split(" | ") == [str(n + 1) for n in range(count)]


@proves("One row may read far more in total than another")
def over_nothing(said: Values, page: AppTest) -> None:
    shown_with(softmax_over="none")(said, page)
    sums = weights(page).sum(1)
    assert len(sums) == 1 or np.ptp(sums) > 0.01


@proves("""
    one query has {many} keys. If softmax did not divide by the total, its context would be a vector
    of length {plain}. With the division the length is {normalised}, and never more than that of the
    longest value row, {longest}
""")
def longer(said: Values, page: AppTest) -> None:
    words = " ".join(f"word{n}" for n in range(said["many"]))
    toy = toy_inputs(words, heads=1, d_model=8)
    q, k, v = (toy["X"] @ toy[f"W_{name}"][0] for name in "QKV")
    powers = np.exp(k @ q[-1] / 8**0.5)
    printed(said["plain"], float(np.linalg.norm(powers @ v)))
    printed(said["normalised"], float(np.linalg.norm(powers @ v / powers.sum())))
    if "longest" not in said:
        return
    printed(said["longest"], float(max(np.linalg.norm(x) for x in v)))
    charts = [json.loads(chart.proto.spec)["data"] for chart in page.get("plotly_chart")]
    (divided,) = (
        np.frombuffer(b64decode(one["y"]["bdata"]), one["y"]["dtype"])
        for data in charts for one in data if one.get("name") == "divided by the sum"
    )  # fmt: skip
    assert len(divided) == said["many"]
    assert divided.max() <= number(said["longest"]) + 0.005


def listed(text: str, values: np.ndarray) -> None:
    for one, value in zip(text.split(", "), values, strict=True):
        close(one, float(value))


def made_alt(said: Values, page: AppTest) -> None:
    told = positive(page)
    total = told.sum()
    wanted = [row(page), told, told / total if total else None]
    wanted = wanted if page.session_state.softmax_made != "none" else [wanted[0], wanted[2]]
    for (_, numbers), values in zip(said["columns"], wanted, strict=True):
        for text, value in zip(numbers.split(", "), [] if values is None else values, strict=False):
            close(text, value)
    close(said["columns"][-1][0].split(":")[0].removeprefix("divided by "), total)


@proves("Weights of {keys} as bars. {name}: {weights}")
def weights_alt(said: Values, page: AppTest) -> None:
    """As they are, something added, and multiplied: the first two are equal."""
    state = page.session_state
    assert said["keys"] == 4
    (_, plain), (added, more), (multiplied, times) = said["rows"]
    assert number(added.split()[0]) == state.softmax_add
    assert number(multiplied.split()[-1]) == state.softmax_times
    listed(plain, softmax(typed(page)))
    listed(more, softmax(typed(page)))
    listed(times, softmax(typed(page) * state.softmax_times))


@proves("At T = {temperature} the weights are {weights}. A vertical line marks T = {at}")
def temperature_alt(said: Values, page: AppTest) -> None:
    assert said["keys"] == 4
    assert said["at"] == page.session_state.softmax_temperature
    for temperature, row in said["ends"]:
        listed(row, softmax(typed(page) / float(temperature)))


@proves("With {keys} it is {plain} without dividing, and {normalised} when divided by the sum")
def growth_alt(said: Values, page: AppTest) -> None:
    texts = {name: said[name] for name in ("plain", "normalised")}
    longer({"many": said["keys"], **texts}, page)


INVENTORY = Inventory(
    "softmax",
    typed={
        **{f"softmax_{n}": ("-5", "5") for n in range(1, 5)},
        "softmax_text": ("cat", "My dog ate my homework"),
    },
    claims={
        r"\$.text\{weight\}_j = .dfrac\{.*": as_the_formula,
        RANDOM_WEIGHTS: drawn_with,
        r"\| sum of weights \| (.+) \|$": numbered,
        r"\| of each query \| (.+) \|$": sums(1),
        r"\| of each key \| (.+) \|$": sums(0),
    },
    module=globals(),
    always="lede logits which_sum takeaway origin",
    texts={
        "temperature": ends,
        "over_keys": shown_with(softmax_over="keys"),
        "over_queries": shown_with(softmax_over="queries"),
    },
    others=[
        {f"softmax_{n}": "3" for n in range(1, 5)},
        {"softmax_1": "5", "softmax_2": "5"},
        {"softmax_made": "none", "softmax_1": "-2"},
        {"softmax_made": "none", "softmax_3": "-2"},
        {"softmax_made": "none", "softmax_4": "3"},
        {"softmax_made": "none", "softmax_4": "-4"},
        {"softmax_made": "square", "softmax_1": "-1", "softmax_3": "1"},
        {"softmax_made": "square", "softmax_1": "-3", "softmax_3": "3"},
        {"softmax_made": "square", "softmax_4": "5"},
        {"softmax_made": "stable", "softmax_temperature": "0.25", "softmax_plus": "5"},
        {"softmax_over": "none", "softmax_text": "a"},
        {"softmax_over": "queries", "softmax_text": "a"},
    ],
    panels=["fold_over"],
)


def test_softmax_over_scores_is_cited_from_the_first_attention() -> None:
    page = opened("softmax")
    page.session_state.in_code = True
    (said,) = (one.value for one in page.run().markdown if "In attention: " in one.value)
    assert said.partition("In attention: ")[2].startswith("Bahdanau, Cho and Bengio (2015)")
