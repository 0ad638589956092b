"""Every sentence of the debug lab: each case closed and open, and what is said of guesses.

What the runs, the checks and the verdicts are made of has tests of its own beside PyTorch.
"""

import re
from collections.abc import Callable, Mapping

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.attention.inputs import toy_inputs
from core.chapters.debug_lab.checks import CHECKS
from core.chapters.debug_lab.lab import Runs, first_wrong_counts, lab_runs, parting
from core.chapters.debug_lab.verdicts import verdict_on_cell, verdict_on_name, verdict_on_step
from core.program.labels import cell_name, plainly
from core.program.trace import Trace
from tests.core.chapters.debug_lab import test_lab
from tests.data import data_of
from tests.quotes import proves
from tests.ui.agreement import Check, Filled, Values, agree, number, only, plain, printed, row_of
from tests.ui.claims import Inventory
from tests.ui.support import opened, opened_case, stage, told
from ui.page.prose import typeset_symbols

CASES = {int(number): case for number, case in data_of(__file__)["own"]["cases"].items()}
ORDER = (10, 5, 9, 1, 7, 3, 4, 8, 6, 2)
"""The numbers of the cases, from the easier ones on."""


def runs(page: AppTest) -> Runs:
    return lab_runs(page.session_state.lab_text)


def case(page: AppTest) -> str:
    return CASES[page.session_state.lab_case][0]


def apart(right: Trace, wrong: Trace, name: str) -> np.ndarray:
    return ~np.isclose(wrong[name], right[name], rtol=0, atol=1e-9, equal_nan=True)


@proves("""
    All steps before {array} are correct. The first wrong cell is {cell}: {theirs} instead of
    {ours}. {counted} are wrong | They find most of the {cases} mistakes, but not {missed} of them |
    {checks} of the {total} checks {?} it: “{asks}”, . None of the {total} checks finds it
""")
def filled(page: AppTest) -> Mapping[str, Filled]:
    name, made = case(page), runs(page)
    right, wrong, first = made.right, made.broken[name], parting(runs(page), name)
    escape = [each for each in made.broken if all(c.passes(made.broken[each]) for c in CHECKS)]
    assert 0 < len(escape) < len(CASES) / 2
    return {
        "first_wrong": {
            "array": first.array, "cell": cell_name(right, first.array, first.cell),
            "ours": right[first.array][first.cell], "theirs": wrong[first.array][first.cell],
            "counted": lambda said: plain(said) == plain(first_wrong_counts(made, name)),
        },
        "found_by": {
            "checks": [check.asks for check in CHECKS if not check.passes(wrong)], "total": 5,
        },
        "checks": {"cases": 10, "missed": len(escape)},
        "closed": only(not opened_case(page)),
    }  # fmt: skip


proves("""
    Attention with a mistake can still run. Each case is the same program of two heads, with one
    wrong step | Wrong attention can run without an error
""")(test_lab.test_a_broken_program_is_the_right_one_with_one_step_replaced)


def try_(said: Values, page: AppTest) -> None:
    """The steps are all there, and the sum of each row is next to the weights."""
    ((maps,),) = told(page, "small_maps")
    names = {picture["name"].split(" ", 1)[1] for picture in maps["pictures"]}
    assert said["steps"] == len(maps["pictures"]) == len(names)
    sums = [m["beside"] for p in maps["pictures"] for m in p["matrices"] if m["beside"]]
    agree(sums, runs(page).broken[case(page)]["weights"].sum(axis=2))


def sizes(match: re.Match[str], page: AppTest) -> None:
    d_model, heads, seed = map(int, match.groups())
    drawn = toy_inputs(page.session_state.lab_text, heads=heads, d_model=d_model, seed=seed)["X"]
    shown = stage(page).document["arrays"]["X"]
    assert tuple(shown["shape"]) == drawn.shape
    if shown["texts"]:
        agree(shown["texts"].split(), drawn.ravel())


def lede(said: Values, page: AppTest) -> None:
    """Closed, the program that is shown is the same in every case; open, it is the broken one."""
    shown = stage(page)
    assert (shown.differences is not None) == bool(opened_case(page))
    if not opened_case(page):
        names = [*runs(page).right.program.names]
        assert [name for name in shown.document["arrays"] if name in names] == names


def closed(said: Values, page: AppTest) -> None:
    """It is said of every cell that is computed: no arithmetic of it is shown, only its number."""
    explained = stage(page).answer["explained"]
    assert explained["said"][0].startswith("Closed until the mistake is revealed.")
    (line,) = explained["plain"]
    assert len({*line.split(" = ")}) == 1


def right_run(said: Values, page: AppTest) -> None:
    """The first key is hidden from all, and each later key."""
    right = runs(page).right
    hidden = np.triu(np.ones_like(right["mask"]), 1) | (np.arange(len(right["mask"])) == 0)
    assert (np.isneginf(right["masked"]) == hidden).all()
    assert not right["weights"][:, 0].any()
    assert (right["weights"][:, 1:].sum(axis=2) > 0).all()


def listed_check(page: AppTest, says: str) -> list[str]:
    """So many broken runs do not pass it."""
    (check,) = (each for each in CHECKS if each.says == says)
    assert check.passes(runs(page).right)
    return [f"finds {sum(not check.passes(run) for run in runs(page).broken.values())} of 10"]


def guessed(match: re.Match[str], page: AppTest) -> None:
    assert page.session_state.lab_guess == case(page)


def heading(match: re.Match[str], page: AppTest) -> None:
    """Under the name of its mistake, and under the number that is pressed above it."""
    number = page.session_state.lab_case
    called = re.sub(r"\\([()])", r"\1", typeset_symbols(CASES[number][1]))
    assert (match[2] or "Q and K are swapped") == called
    assert number == ORDER[int(match[1]) - 1]
    if page.session_state.lab_guess == case(page):
        assert opened_case(page)[0].startswith("Right. ")


def why(name: str, so: Callable[[Trace, Trace], object]) -> Check:
    """What is said of a mistake is said only of its case, and is true of its run."""

    def check(match: re.Match[str], page: AppTest) -> None:
        assert case(page) == name
        assert so(runs(page).right, runs(page).broken[name])

    return check


def hidden(run: Trace, name: str) -> np.ndarray:
    chosen: np.ndarray = run[name][:, ~run["mask"]]
    return chosen


def too_even(right: Trace, wrong: Trace) -> bool:
    nearer = np.abs(wrong["scaled"]) <= np.abs(right["scaled"])
    tops = [run["weights"][:, 1:].max(axis=2) for run in (right, wrong)]
    return bool(nearer.all() and (tops[1] <= tops[0] + 1e-12).all() and (tops[1] < tops[0]).any())


def cut_straight(right: Trace, wrong: Trace) -> bool:
    """Head 1 has all four features of token 1, and the last head those of the last token."""
    first, last = wrong["Q"][0].ravel()[:4], wrong["Q"][1].ravel()[-4:]
    return np.array_equal(first, right["Q_all"][0]) and np.array_equal(last, right["Q_all"][-1])


def smaller(match: re.Match[str], page: AppTest) -> None:
    assert case(page) == "additive"
    printed(match[2], float(np.exp(number(match[1]))))
    right, wrong = runs(page).right, runs(page).broken["additive"]
    np.testing.assert_allclose(hidden(right, "scaled") - hidden(wrong, "masked"), number(match[1]))


def kept(right: Trace, wrong: Trace) -> bool:
    return bool((hidden(wrong, "weights") > 0).all())


def first_is_empty(right: Trace, wrong: Trace) -> bool:
    """In the right run the row of the first query, which sees no key, has only zeros."""
    return not right["mask"][0].any() and not right["weights"][:, 0].any()


WHY: Mapping[str, Mapping[str, Callable[[Trace, Trace], object]]] = {
    "swapped": {
        r"Q and K are swapped$": lambda right, wrong: True,
        r"The scores are transposed: entry i, j says how well the query of token j": (
            lambda right, wrong: np.allclose(wrong["scores"], right["scores"].swapaxes(1, 2))
        ),
    },
    "zero": {r"A score of 0 does not hide a key\.$|Because e⁰ = 1, a hidden key keeps a": kept},
    "reshape": {
        r"Memory holds one token after another\.$|"
        r"If you cut it directly into heads, the first head gets all features": cut_straight
    },
    "after": {
        r"Softmax has already given weight to hidden keys\.$|Setting these weights to 0": (
            lambda right, wrong: (wrong["weights"].sum(axis=2) < 0.999).all()
        )
    },
    "axis": {
        r"Each column is divided by its sum, instead of each row\.$": (
            lambda right, wrong: np.allclose(wrong["weights"].sum(axis=1)[:, 1:], 1)
        ),
        r"So a later query changes what an earlier query reads: the result is not causal": (
            lambda right, wrong: not CHECKS[-1].passes(wrong)
        ),
    },
    "view": {
        r"`masked = scaled\[:\]` makes no copy, so masking it overwrites": (
            lambda right, wrong: np.array_equal(wrong["scaled"], wrong["masked"])
        ),
        r"The output is right, but the scores that should be unmasked are not\.$": (
            lambda right, wrong: (
                not apart(right, wrong, "output").any() and apart(right, wrong, "scaled").any()
            )
        ),
    },
    "additive": {
        r"So a hidden key keeps a weight above 0\.$": kept,
        r"With −∞ the weight is exactly 0; with a large negative number only if e to": (
            lambda right, wrong: not hidden(right, "weights").any()
        ),
    },
    "divisor": {
        r"A score is a sum of .* products, those of one head, and not of": (
            lambda right, wrong: wrong["Q"].shape == wrong["K"].shape
        ),
        r"Divided by .*, scores are too close to 0 and weights too even\.$": too_even,
    },
    "empty": {
        r"e to a large negative score underflows to 0, so every row with a visible key is": (
            lambda right, wrong: not apart(right, wrong, "weights")[:, 1:].any()
        ),
        r"The first row has no visible key: it becomes equal weights on hidden keys\.$": (
            lambda right, wrong: np.allclose(wrong["weights"][:, 0], 1 / len(wrong["mask"]))
        ),
        r"With −∞ such a row is 0/0, so it needs a case of its own: zeros\.$": first_is_empty,
    },
    "plain": {
        r"Every score of the first row is −∞, and so is the largest\.$": (
            lambda right, wrong: np.isneginf(wrong["masked"][:, 0]).all()
        ),
        r"NaN then fills the row's weights, context and output: any sum with NaN is NaN": (
            lambda right, wrong: np.isnan(wrong["output"][0]).all()
        ),
        r"A row without a visible key needs a case of its own: zeros\.$": first_is_empty,
    },
}
"""By the case: how a sentence begins that says why it is wrong, and what then holds in its runs."""


def of_a_guess(match: re.Match[str], page: AppTest) -> None:
    """It is part of a verdict on what is guessed, which the core's tests read word for word."""
    state, made, name = page.session_state, runs(page), case(page)
    array, *cell = state.lab_found.split(".")
    said = [
        verdict_on_step(made, name, state.lab_stop).text,
        verdict_on_cell(made, name, array, tuple(map(int, cell))).text,
    ]
    if state.lab_guess:
        said.append(verdict_on_name(made, name, state.lab_guess).text)
    every = [match.string, *map(plainly, said), *(typeset_symbols(plainly(text)) for text in said)]
    one, *spoken = (re.sub(r":\w+\[|[][$]", "", text) for text in every)
    assert any(one in text for text in spoken), spoken


def bad_link(match: re.Match[str], page: AppTest) -> None:
    assert str(page.session_state[match[1]]) != match[2]
    assert match[3] == {"lab_on": "sentence", "lab_told": "yes"}[match[1]]


INVENTORY = Inventory(
    "debug_lab",
    claims={
        r"Random weights \(.*= (\d+), (\d+) heads, seed (\d+)\)": sizes,
        r"- (.+) \((finds \d+ of \d+)\)$": row_of(listed_check),
        r"Right\.$": guessed,
        r"Case (\d+):(?: (.+))?$": heading,
        **{said: why(name, so) for name, facts in WHY.items() for said, so in facts.items()},
        r"Subtracting (\S+) makes e to a hidden score about (\S+) times smaller": smaller,
        r"Right: |All numbers of .+ are correct|For example, |\w+ has wrong numbers, but its step|"
        r"This step is correct, but it|The correct run has|Look at an earlier step\.$|Not here\.$|"
        r"This number is correct: |The digits that you see are|Later digits differ\.$|"
        r"Here it is \S+\.$|With the mistake “|.+ is an input: it is the same": of_a_guess,
        r"In the link: (\w+) is '(.+)'; there is no such choice: choose (.+)\.$": bad_link,
    },
    module=globals(),
    others=[
        {"lab_case": str(n), "lab_told": "yes", **text}
        for n in CASES
        for text in ({}, {"lab_text": "a b c"})
    ],
)


@pytest.mark.parametrize("number", CASES)
def test_a_check_that_is_run_says_whether_it_holds_here(number: int) -> None:
    page = opened("debug_lab", lab_case=str(number))
    assert not [*page.success, *page.warning]
    page.button_group(key="lab_checks").set_value(list(page.button_group(key="lab_checks").options))
    page.run()
    said = [text.value.replace("\\", "") for text in [*page.success, *page.warning]]
    assert len(said) == len(CHECKS)
    for text in said:
        match = re.match(r"(True|Not true) here: (.+)\.$", text)
        assert match, text
        (check,) = (each for each in CHECKS if each.says == match[2])
        assert check.passes(runs(page).broken[case(page)]) == (match[1] == "True")
    page.button_group(key="lab_case").set_value(number % len(CASES) + 1).run()
    assert not [*page.success, *page.warning]
