"""Every sentence of the page on softmax, at the ends of its controls."""

import json
import re
from base64 import b64decode

import numpy as np
import torch
from streamlit.testing.v1 import AppTest

from core.attention.inputs import toy_inputs
from core.attention.tokens import tokenise
from tests.ui.claims import ALWAYS, Inventory, number, printed
from tests.ui.support import opened, stages

Match = re.Match[str]


def shares(scores: np.ndarray) -> np.ndarray:
    powers: np.ndarray = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def row(page: AppTest) -> np.ndarray:
    """The four logits as they are made positive: moved, over the temperature."""
    state = page.session_state
    logits = np.array([state[f"softmax_{n}"] for n in range(1, 5)], dtype=float)
    moved: np.ndarray = (logits + float(state.softmax_plus)) / float(state.softmax_temperature)
    return moved


def positive(page: AppTest) -> np.ndarray:
    at, made = row(page), page.session_state.softmax_made
    found: np.ndarray = {
        "exp": np.exp(at), "stable": np.exp(at - at.max()), "square": at**2, "none": at,
    }[made]  # fmt: skip
    return found


def told_sum(match: Match, page: AppTest) -> None:
    told = positive(page)
    total = told.sum()
    close(match[1], total)
    if total:
        close(match[2], told[0] / total)
        close(match[3], told[3] / total)


def close(text: str, value: float) -> None:
    """As printed: two decimals, or a few digits of what is small or large."""
    np.testing.assert_allclose(
        number(re.sub(r"\[|\]\(.*\)", "", text)), value, rtol=0.06, atol=0.0051
    )


def no_sum(match: Match, page: AppTest) -> None:
    assert positive(page).sum() == 0


def as_the_formula(match: Match, page: AppTest) -> None:
    """What the formula gives for the four scores as they stand below the bars."""
    text = match[0].replace("\\", "").replace("text{score}_", "score_")
    above, below = re.search(r"dfrac\{(.*)\}\{(sum.*|e\^.*)\}", text).groups()  # type: ignore[union-attr]
    if below.startswith("sum_i "):
        each = below.removeprefix("sum_i ")
        below = " + ".join(each.replace("score_i", f"score_{n}") for n in range(1, 5))
    at = {f"score_{n}": float(page.session_state[f"softmax_{n}"]) for n in range(1, 5)}

    def worked(tex: str) -> float:
        plain = re.sub(r"e\^\{([^}]*)\}", r"exp(\1)", tex).replace("^2", "**2")
        return float(eval(plain, {"exp": np.exp}, at))  # noqa: S307: our own formula

    total, told = worked(below), stages(page)[0].texts("portions")
    for key, share in enumerate(np.array(told, dtype=float).ravel() if total else (), start=1):
        made = worked(above.replace("score_j", f"score_{key}")) / total
        np.testing.assert_allclose(share, made, rtol=0.06, atol=0.0051)


def above(match: Match, page: AppTest) -> None:
    assert page.session_state.softmax_made in ("exp", "stable")
    made = shares(row(page))
    assert (made > 0).all()
    order = np.argsort(row(page))
    assert (np.diff(made[order])[np.diff(row(page)[order]) > 0] > 0).all()


def none_changed(match: Match, page: AppTest) -> None:
    assert page.session_state.softmax_made == "stable"
    told = np.array(stages(page)[0].texts("portions"), dtype=float).ravel()
    np.testing.assert_allclose(told, shares(row(page)), rtol=0.06, atol=0.0051)


def squared(match: Match, page: AppTest) -> None:
    assert page.session_state.softmax_made == "square"
    at = row(page)
    pairs = sum(at[i] == -at[j] != 0 for i in range(4) for j in range(i))
    if "pairs" in match[0]:
        assert int(match[1]) == pairs > 1
    else:
        assert pairs == (1 if "one pair" in match[0] else 0)


def left_as_they_are(match: Match, page: AppTest) -> None:
    assert page.session_state.softmax_made == "none"
    at = row(page)
    below = int((at / at.sum() < 0).sum())
    told = re.search(r"and (\d) of the four (is|are) below", match[0])
    assert (int(told[1]) if told else 0) == below
    if told:
        assert told[2] == ("is" if below == 1 else "are")


def e_times(match: Match, page: AppTest) -> None:
    printed(match[1], np.e)


def base_two(match: Match, page: AppTest) -> None:
    printed(match[2], 1 / np.log(float(match[1])))


def ends(match: Match, page: AppTest) -> None:
    """At a tenth and at a thousand, whatever the four are."""
    logits = np.array([page.session_state[f"softmax_{n}"] for n in range(1, 5)], dtype=float)
    assert ("equal" in match[0]) == (len(set(logits)) == 1)
    if "equal" in match[0]:
        return
    best = int((logits == logits.max()).sum())
    told = re.search(r"among the (\d)", match[0])
    assert (int(told[1]) if told else 1) == best
    assert shares(logits / 0.1)[logits == logits.max()].sum() > 0.999
    np.testing.assert_allclose(shares(logits / 1000), 0.25, atol=0.005)


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
    def check(match: Match, page: AppTest) -> None:
        for text, value in zip(match[1].split(" | "), weights(page).sum(axis), strict=True):
            printed(text, float(value))

    return check


def numbered(match: Match, page: AppTest) -> None:
    count = len(tokenise(page.session_state.softmax_text))
    assert match[1].split(" | ") == [str(n + 1) for n in range(count)]


def over(name: str):
    def check(match: Match, page: AppTest) -> None:
        assert page.session_state.softmax_over == name

    return check


def rows_differ(match: Match, page: AppTest) -> None:
    assert page.session_state.softmax_over == "none"
    sums = weights(page).sum(1)
    assert len(sums) == 1 or np.ptp(sums) > 0.01


def drawn_with(match: Match, page: AppTest) -> None:
    assert int(match[1]) == toy_inputs("a", heads=1, d_model=8)["X"].shape[1]


def long_row(match: Match, page: AppTest) -> None:
    toy = toy_inputs(" ".join(f"word{n}" for n in range(int(match[1]))), heads=1, d_model=8)
    q, k, v = (toy["X"] @ toy[f"W_{name}"][0] for name in "QKV")
    powers = np.exp(k @ q[-1] / 8**0.5)
    printed(match[2], float(np.linalg.norm(powers @ v)))
    printed(match[3], float(np.linalg.norm(powers @ v / powers.sum())))
    printed(match[4], float(max(np.linalg.norm(x) for x in v)))


def normalised(page: AppTest) -> tuple[np.ndarray, float]:
    """How long the context is over more and more keys, as the chart shows it, and the bound."""
    charts = [json.loads(chart.proto.spec)["data"] for chart in page.get("plotly_chart")]
    (divided,) = (
        np.frombuffer(b64decode(one["y"]["bdata"]), one["y"]["dtype"])
        for data in charts for one in data if one.get("name") == "divided by the sum"
    )  # fmt: skip
    text = " ".join(one.value for one in page.markdown)
    return divided, number(re.findall(r"longest value row, (\S+)\. A longer", text)[0])


def bounded(match: Match, page: AppTest) -> None:
    lengths, longest = normalised(page)
    assert len(lengths) == 64
    assert lengths.max() <= longest + 0.005


def much_shorter(match: Match, page: AppTest) -> None:
    lengths, longest = normalised(page)
    assert lengths.min() < longest / 2


def moved(match: Match, page: AppTest) -> None:
    state = page.session_state
    logits = np.array([state[f"softmax_{n}"] for n in range(1, 5)], dtype=float)
    assert (number(match[1]), number(match[3])) == (state.softmax_add, state.softmax_times)
    printed(match[2], np.abs(shares(logits + state.softmax_add) - shares(logits)).max())
    printed(match[4], np.abs(shares(logits * state.softmax_times) - shares(logits)).max())


def multiplying(match: Match, page: AppTest) -> None:
    """By another number than 1 it changes the weights, where these are not all equal."""
    state = page.session_state
    logits = np.array([state[f"softmax_{n}"] for n in range(1, 5)], dtype=float)
    for times in (state.softmax_times, 0.0, 0.99, 1.01):
        changed = np.abs(shares(logits * times) - shares(logits)).max() > 1e-9
        assert changed == (times != 1 and len(set(logits)) > 1)


def overflow(match: Match, page: AppTest) -> None:
    state = page.session_state
    with np.errstate(over="ignore", under="ignore"):
        total = sum(np.exp(float(state[f"softmax_{n}"] + state.softmax_add)) for n in range(1, 5))
    holds = 0 < total < np.inf
    assert ("still holds" in match[0]) == holds
    assert ("would be lost" in match[0]) == (not holds)
    said = number(re.search(r"sum to (\S+)", match[0])[1].replace("e−", "e-"))  # type: ignore[index]
    np.testing.assert_allclose(said, total, rtol=0.05, atol=0.005)


INVENTORY = Inventory(
    "softmax",
    ends={
        **{f"softmax_{n}": ("-5", "5") for n in range(1, 5)},
        "softmax_made": ("exp", "stable", "square", "none"),
        "softmax_temperature": ("0.25", "1", "4"),
        "softmax_plus": ("-5", "0", "5"),
        "softmax_add": ("-1000", "0", "1000"),
        "softmax_times": ("0", "1", "8"),
        "softmax_text": ("cat", "My dog ate my homework"),
        "softmax_over": ("keys", "queries", "none"),
    },
    claims={
        r"Softmax: how do scores become shares": ALWAYS,
        r"To read several tokens at once|It starts with scores|Softmax turns them": ALWAYS,
        r"Each key has a score\.$|One that enters softmax": ALWAYS,
        r"Notice\.$|Try it\.$|Move the score of key 1 up|Which bars change": ALWAYS,
        r"\$.text\{weight\}_j = .dfrac\{.*": as_the_formula,
        r"The sum is (\S+); key 1 has (\S+) of it, key 4 (\S+)\.$": told_sum,
        r"A sum of 0 cannot be divided by": no_sum,
        r"All four shares are above 0": above,
        r"Subtracting the largest has changed none": none_changed,
        r"Squares forget the sign: (\d|one|a number).*": squared,
        r"Nothing was made positive.*": left_as_they_are,
        r"Here none of the four is below 0": left_as_they_are,
        r"Any way to make numbers positive": ALWAYS,
        r".*always e ≈ (\S+) times the share": e_times,
        r"Another base is only another temperature: \$(\d+)\^x\$ is \$e\^\{x/T\}\$ at \$T\$ ≈ "
        r"([\d.]+)\.$": base_two,
        r"Of all bases, e is the one": ALWAYS,
        r"Adding (\S+) moves the .* by (\S+); multiplying by (\S+) .* to (\S+)\.$": moved,
        r"Adding c puts the same factor": ALWAYS,
        r"Multiplying by another number than 1 changes the weights, unless all are": multiplying,
        r"Subtracting the row's maximum adds.*": overflow,
        r"Try adding 1,000": ALWAYS,
        r"A temperature \$T\$ divides every logit": ALWAYS,
        r"All four logits are equal, so|Towards 0.1 the largest.*": ends,
        r"A model that writes text may be asked": ALWAYS,
        r"In attention the scores are a matrix|Which sum should": ALWAYS,
        r"The scale of attention, .* is a temperature too": ALWAYS,
        r"Drawn at random, with \$d_{.text{model}}\$ = (\d+), one head and seed 0": drawn_with,
        r"\| sum \| (.+) \|$": numbered,
        r"\| each query's weights add up to \| (.+) \|$": sums(1),
        r"\| each key's weights add up to \| (.+) \|$": sums(0),
        r"Over the queries each column|The queries compete|Divided over the wrong": over("queries"),
        r"Without a sum the weights": over("none"),
        r"Rows may differ in how much": rows_differ,
        r"Over the keys each query's weights|What a query reads depends": over("keys"),
        r"One query of a drawn text reads its first keys, up to 64": ALWAYS,
        r"With (\d+) keys the context is (\S+) long .*, and (\S+) where it is: never longer than "
        r"the longest value row, (\S+)\.$": long_row,
        r"A longer text does not raise that bound\.$": bounded,
        r"It is an upper bound only: a mean of many values may be much shorter\.$": much_shorter,
        r"To take away|Softmax takes e to each|It notices the differences": ALWAYS,
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


def test_its_controls_are_seen_at_their_ends() -> None:
    INVENTORY.check_ends()


def test_every_sentence_holds_at_the_ends_of_its_controls() -> None:
    INVENTORY.check()
