"""Every sentence of the debug lab: each case closed and open, and what is said of guesses.

The right run and the ten broken ones are computed here once more, in plain numpy.
"""

import re
from collections.abc import Callable

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.attention.inputs import toy_inputs
from tests.quotes import proves
from tests.ui.claims import ALWAYS, Check, Inventory, Values, number, printed
from tests.ui.support import opened, opened_case, stage, told
from ui.prose import typeset_symbols

Match = re.Match[str]
Run = dict[str, np.ndarray]
STEPS = ("Q_all", "Q", "K", "V", "scores", "scaled", "masked", "weights", "context", "concat",
         "output")  # fmt: skip
TOGETHER = {name: both for both in (("K", "V"), ("concat", "output")) for name in both}
"""The steps that are shown together."""
CASES = {
    1: ("zero", "hidden scores are set to 0"),
    2: ("reshape", "the heads are reshaped without a transpose"),
    3: ("after", "the mask comes after softmax"),
    4: ("axis", "softmax runs along the wrong axis"),
    5: ("view", "the mask is written into a view"),
    6: ("swapped", "Q and K are swapped"),
    7: ("additive", "the additive mask is too small"),
    8: ("divisor", "the divisor is √d_model"),
    9: ("empty", "a large negative number replaces −∞"),
    10: ("plain", "softmax has no case for an empty row"),
}
"""By its number in a link: the key of a mistake and its name."""


def attend(X: np.ndarray, text: str, mistake: str = "") -> Run:
    """Two heads on four features, the first key and all later ones hidden."""
    toy, T = toy_inputs(text, heads=2, d_model=4), len(X)
    mask = np.array([[0 < j <= i for j in range(T)] for i in range(T)])
    Q, K, V = (X @ toy[f"W_{name}"] for name in "QKV")
    Q_all = np.concatenate(list(Q), axis=1)
    if mistake == "reshape":
        Q = Q_all.reshape(2, T, 2)
    scores = np.array([[[q @ k for k in K[h]] for q in Q[h]] for h in (0, 1)])
    if mistake == "swapped":
        scores = scores.swapaxes(1, 2)
    scaled = scores / np.sqrt(4 if mistake == "divisor" else 2)
    hidden = {"zero": 0.0 * scaled, "empty": -1e9 + 0 * scaled, "additive": scaled - 5}
    masked = np.where(mask, scaled, hidden.get(mistake, -np.inf))
    if mistake == "view":
        scaled = masked
    powers = np.exp(scaled if mistake == "after" else masked - masked[:, 1:2, 1:2])
    if mistake == "empty":
        powers = np.where(mask.any(axis=1, keepdims=True), np.where(mask, powers, 0), 1)
    sums = powers.sum(axis=1 if mistake == "axis" else 2, keepdims=True)
    with np.errstate(invalid="ignore"):
        weights = powers / sums
    weights = weights if mistake == "plain" else np.nan_to_num(weights)
    weights = weights * mask if mistake == "after" else weights
    context = weights @ V
    concat = np.concatenate(list(context), axis=1)
    made = (Q_all, Q, K, V, scores, scaled, masked, weights, context, concat, concat @ toy["W_O"])
    return {**dict(zip(STEPS, made, strict=True)), "mask": mask}


def run_of(page: AppTest, mistake: str = "") -> Run:
    text = page.session_state.lab_text
    return attend(toy_inputs(text, heads=2, d_model=4)["X"], text, mistake)


def broken(page: AppTest) -> Run:
    return run_of(page, CASES[page.session_state.lab_case][0])


def apart(one: Run, other: Run, name: str) -> np.ndarray:
    return ~np.isclose(one[name], other[name], rtol=0, atol=1e-9, equal_nan=True)


def first_apart(page: AppTest) -> str:
    right, wrong = run_of(page), broken(page)
    return next(name for name in STEPS if apart(right, wrong, name).any())


def cell_of(page: AppTest, name: str) -> tuple[str, tuple[int, ...]]:
    """The array and the cell of a name such as scores[sat, cat] of head 1."""
    found = re.fullmatch(r"(\w+)\[(.+), (.+?)\](?: of head (\d))?", name)
    assert found, name
    run, labels = run_of(page), stage(page).labels("scores")[0]
    array, row, column, head = found.groups()
    rows, columns = run[array].shape[-2:]
    down = labels.index(row)
    across = labels.index(column) if array in ("scores", "scaled", "masked", "weights") else (
        int(column) - 1
    )  # fmt: skip
    assert (down, across) < (rows, columns)
    assert (head is not None) == (run[array].ndim == 3)
    return array, (*((int(head) - 1,) if head else ()), down, across)


def value(text: str, is_so: float) -> None:
    """The text is that number, where it is none too."""
    if text == "NaN" or np.isnan(is_so):
        assert text == "NaN"
        assert np.isnan(is_so)
    elif "e" in text:
        digits, _, power = text.partition("e")
        printed(digits, is_so / 10.0 ** int(power))
    elif np.isinf(is_so):
        assert number(text) == is_so
    else:
        printed(text, is_so)


# What holds in a right run, by the words of the page; whether a run passes.
def no_nan(page: AppTest, run: Run, mistake: str) -> bool:
    return not any(np.isnan(run[name]).any() for name in STEPS)


def hidden_only(page: AppTest, run: Run, mistake: str) -> bool:
    infinite = np.isneginf(run["masked"])
    early = np.isneginf(run["scores"]).any() or np.isneginf(run["scaled"]).any()
    return not early and all((one == ~run["mask"]).all() for one in infinite)


def adds_up(page: AppTest, run: Run, mistake: str) -> bool:
    sums, seen = run["weights"].sum(axis=2), run["mask"].sum(axis=1)
    return all(abs(sums[h, i] - (1 if seen[i] else 0)) < 1e-9 for h, i in np.ndindex(sums.shape))


def hidden_get_0(page: AppTest, run: Run, mistake: str) -> bool:
    return all(
        run["weights"][h, i, j] == 0
        for h, i, j in np.ndindex(run["weights"].shape)
        if not run["mask"][i, j]
    )


def causal(page: AppTest, run: Run, mistake: str) -> bool:
    text = page.session_state.lab_text
    X = np.array(toy_inputs(text, heads=2, d_model=4)["X"])
    X[-1] = X[-1] * 0.5 - 0.7
    other = attend(X, text, mistake)["output"]
    return np.allclose(run["output"][:-1], other[:-1], rtol=0, atol=1e-9, equal_nan=True)


CHECKS = {
    "no number is NaN": no_nan,
    "scores are −∞ exactly where the mask hides a key, and only after masking": hidden_only,
    "each row of weights adds up to 1, or to 0 if no key is visible": adds_up,
    "a hidden key has the weight 0": hidden_get_0,
    "a new last token changes no earlier row of the output": causal,
}

ASKED = dict(
    zip(
        ("Is any number NaN?", "Is −∞ where it belongs?", "Do rows add up?",
         "Do hidden keys get weight 0?", "Does a later token leak?"),
        CHECKS, strict=True,
    )
)  # fmt: skip
"""By the question on its button: what a check says."""


def passes(page: AppTest, says: str, mistake: str) -> bool:
    return bool(CHECKS[says](page, run_of(page, mistake), mistake))


def listed_check(match: Match, page: AppTest) -> None:
    """It holds in the right run, and so many broken ones do not pass it."""
    assert passes(page, match[1], "")
    failed = [name for name, _ in CASES.values() if not passes(page, match[1], name)]
    assert int(match[2]) == len(failed)
    assert int(match[3]) == len(CASES)


def try_(said: Values, page: AppTest) -> None:
    """They are all there, one is wrong, and the sum of each row is next to the weights."""
    one_step(page)
    ((maps,),) = told(page, "small_maps")
    pictures = [picture["name"] for picture in maps["pictures"]]
    assert said["steps"] == len(pictures) == len({name.split(" ", 1)[1] for name in pictures})
    sums = [m["beside"] for p in maps["pictures"] for m in p["matrices"] if m["beside"]]
    for shown, true in zip(sums, broken(page)["weights"].sum(axis=2), strict=True):
        for text, row in zip(shown, true, strict=True):
            value(text, row)


def run_check(match: Match, page: AppTest) -> None:
    says = [check for check in CHECKS if check == match[2]]
    assert passes(page, says[0], CASES[page.session_state.lab_case][0]) == (match[1] == "True")


def head_by_head(text: str, where: np.ndarray) -> None:
    """What is said of a step's numbers: in all, and of each head what its matrix' badge says."""
    said = [(int(n), int(size)) for n, size in re.findall(r"(\d+) of (\d+)", text)]
    heads = list(where) if where.ndim == 3 else []
    assert said == [(int(one.sum()), one.size) for one in (where, *heads)]


def checks(said: Values, page: AppTest) -> None:
    escape = [name for name, _ in CASES.values() if all(passes(page, c, name) for c in CHECKS)]
    assert (said["cases"], said["missed"]) == (len(CASES), len(escape))
    assert 0 < len(escape) < len(CASES) / 2


def found_by(said: Values, page: AppTest) -> None:
    name = CASES[page.session_state.lab_case][0]
    failed = [asks for asks, says in ASKED.items() if not passes(page, says, name)]
    assert said["checks"] == failed
    assert said["total"] == len(CHECKS)


def sizes(match: Match, page: AppTest) -> None:
    text = page.session_state.lab_text
    drawn = toy_inputs(text, heads=int(match[2]), d_model=int(match[1]), seed=int(match[3]))
    told = stage(page).document["arrays"]["X"]
    assert tuple(told["shape"]) == drawn["X"].shape
    for said, x in zip(
        (told["texts"] or "").split(), drawn["X"].ravel(), strict=bool(told["texts"])
    ):
        printed(said, float(x))


def one_step(page: AppTest) -> None:
    """Made by the right formula of the broken run's numbers, one step only comes out otherwise."""
    wrong = broken(page)
    with np.errstate(invalid="ignore"):
        shares = np.exp(wrong["masked"] - wrong["masked"].max(axis=2, keepdims=True))
        shares = np.nan_to_num(shares / shares.sum(axis=2, keepdims=True))
    assert len(wrong["scores"]) == 2
    toy = toy_inputs(page.session_state.lab_text, heads=2, d_model=4)
    made = {
        "Q_all": toy["X"] @ np.concatenate(list(toy["W_Q"]), axis=1),
        "Q": np.array([wrong["Q_all"][:, :2], wrong["Q_all"][:, 2:]]),
        "K": toy["X"] @ toy["W_K"], "V": toy["X"] @ toy["W_V"],
        "scores": wrong["Q"] @ wrong["K"].swapaxes(1, 2), "scaled": wrong["scores"] / np.sqrt(2),
        "masked": np.where(wrong["mask"], wrong["scaled"], -np.inf), "weights": shares,
        "context": wrong["weights"] @ wrong["V"],
        "concat": np.concatenate(list(wrong["context"]), axis=1),
        "output": wrong["concat"] @ toy["W_O"],
    }  # fmt: skip
    assert [name for name in STEPS if apart(made, wrong, name).any()] == [first_apart(page)]


@proves("""
    Attention with a mistake can still run. Each case is the same program of two heads, with one
    wrong step | Wrong attention can run without an error
""")
def lede(said: Values, page: AppTest) -> None:
    """Closed, the program that is shown is the same in every case; open, it is the broken one."""
    one_step(page)
    told = stage(page).document
    is_open = bool(opened_case(page))
    assert (stage(page).differences is not None) == is_open
    if not is_open:
        assert "Closed until the mistake is revealed" in stage(page).answer["explained"]["said"][0]
        assert [n for n in told["arrays"] if n in STEPS] == list(STEPS)


def closed(said: Values, page: AppTest) -> None:
    """It is said of every cell that is computed: no arithmetic of it is shown, only its number."""
    if not opened_case(page):
        explained = stage(page).answer["explained"]
        assert explained["said"][0].startswith("Closed until the mistake is revealed.")
        assert len(explained["plain"]) == 1
        left, _, right = explained["plain"][0].partition(" = ")
        assert left == right


def right_run(said: Values, page: AppTest) -> None:
    right = run_of(page)
    assert np.isneginf(right["masked"][:, :, 0]).all()
    assert all(
        np.isneginf(m[i, j]) for m in right["masked"] for i, j in np.ndindex(m.shape) if j > i
    )
    assert not right["weights"][:, 0].any()
    assert (right["weights"][:, 1:].sum(axis=2) > 0).all()


def guessed(match: Match, page: AppTest) -> None:
    state = page.session_state
    assert state.lab_guess == CASES[state.lab_case][0]


def heading(match: Match, page: AppTest) -> None:
    """Under the name of its mistake, and under the number that is pressed above it."""
    case = page.session_state.lab_case
    called = re.sub(r"\\([()])", r"\1", typeset_symbols(CASES[case][1]))
    assert (match[2] or "Q and K are swapped") == called
    assert case == ORDER[int(match[1]) - 1]
    if page.session_state.lab_guess == CASES[case][0]:
        assert opened_case(page)[0].startswith("Right. ")


ORDER = (10, 5, 9, 1, 7, 3, 4, 8, 6, 2)
"""The numbers of the cases, from the easier ones on."""


def first_wrong(said: Values, page: AppTest) -> None:
    """And all steps before it are as in the correct run."""
    right, wrong = run_of(page), broken(page)
    array, cell = cell_of(page, plain(said["cell"]))
    assert array == said["array"] == first_apart(page)
    where = np.argwhere(apart(right, wrong, array))
    assert tuple(where[0]) == cell
    value(said["ours"], right[array][cell])
    value(plain(said["theirs"]), wrong[array][cell])
    found = re.fullmatch(r"(\d+ of \d+) numbers of (\w+)( \(.+\))?", plain(said["counted"]))
    assert found
    parting_numbers(found[1], found[2], found[3] or "", page)


def plain(text: str) -> str:
    """A text without its escapes, its links and its marks of emphasis."""
    return re.sub(r"\\|\*", "", re.sub(r"\[((?:[^\]\\]|\\.)+)\]\(#stage-[^)]*\)", r"\1", text))


def parting_numbers(every: str, array: str, by_head: str, page: AppTest) -> None:
    """As the badge of the stage has it, of the head on show."""
    assert array == first_apart(page)
    head_by_head(every + by_head, apart(run_of(page), broken(page), array))
    shown = stage(page)
    assert shown.differences is not None
    for head, badge in enumerate(shown.differences["said"][array], 1):
        count = badge.partition(" numbers")[0]
        assert f"{count} in head {head}" in by_head or (not by_head and count == every)


def why(*names: str, so: Callable[[Run, Run], bool]) -> Check:
    """What is said of a mistake is said only of its case, and is true of its run."""

    def check(match: Match, page: AppTest) -> None:
        assert CASES[page.session_state.lab_case][0] in names
        assert so(run_of(page), broken(page))

    return check


def hidden(run: Run, name: str) -> np.ndarray:
    chosen: np.ndarray = run[name][:, ~run["mask"]]
    return chosen


def rows_of(run: Run) -> np.ndarray:
    sums: np.ndarray = run["weights"].sum(axis=2)
    return sums


def too_even(right: Run, wrong: Run) -> bool:
    nearer = np.abs(wrong["scaled"]) <= np.abs(right["scaled"])
    tops = [run["weights"][:, 1:].max(axis=2) for run in (right, wrong)]
    return bool(nearer.all() and (tops[1] <= tops[0] + 1e-12).all() and (tops[1] < tops[0]).any())


def cut_straight(right: Run, wrong: Run) -> bool:
    """Head 1 has all four features of token 1, and the last head those of the last token."""
    first, last = wrong["Q"][0].ravel()[:4], wrong["Q"][1].ravel()[-4:]
    return np.array_equal(first, right["Q_all"][0]) and np.array_equal(last, right["Q_all"][-1])


def nan_fills(right: Run, wrong: Run) -> bool:
    rows = {n: np.isnan(wrong[n]) for n in STEPS}
    after = ("weights", "context", "concat", "output")
    whole = all(rows[n][..., 0, :].all() and not rows[n][..., 1:, :].any() for n in after)
    return whole and not any(rows[n].any() for n in STEPS if n not in after)


def later(match: Match, page: AppTest) -> None:
    assert page.session_state.lab_case == 4
    assert not causal(page, broken(page), "axis")


def smaller(match: Match, page: AppTest) -> None:
    assert page.session_state.lab_case == 7
    printed(match[2], float(np.exp(number(match[1]))))
    right, wrong = run_of(page), broken(page)
    np.testing.assert_allclose(hidden(right, "scaled") - hidden(wrong, "masked"), number(match[1]))
    assert (hidden(wrong, "weights") > 0).all()


def broken_run(said: Values, page: AppTest) -> None:
    """Each number that differs and is written has a text for below it, and no other has one."""
    told, right, wrong = stage(page), run_of(page), broken(page)
    assert told.differences is not None
    for name in STEPS:
        under = told.differences["changes"].get(name, [""] * wrong[name].size)
        differ = apart(right, wrong, name).ravel()
        assert [bool(text) for text in under] == differ.tolist()
        gaps = zip(under, right[name].ravel(), wrong[name].ravel(), strict=True)
        for text, ours, theirs in gaps:
            if not text:
                continue
            if np.isfinite(ours) and np.isfinite(theirs):
                value(text.removeprefix("+"), theirs - ours)
            else:
                value(text.removeprefix("was ").replace("-inf", "−∞"), ours)


# What is said of a guess.
def right_step(match: Match, page: AppTest) -> None:
    array = match[2]
    stop = page.session_state.lab_stop
    assert array == first_apart(page)
    assert array in TOGETHER.get(stop, (stop,))
    head_by_head(match[0], apart(run_of(page), broken(page), array))


def all_right(match: Match, page: AppTest) -> None:
    for array in re.split(" and |, ", match[1]):
        assert not apart(run_of(page), broken(page), array).any()


def follows(match: Match, page: AppTest) -> None:
    """The step comes after the first wrong one, and has wrong numbers."""
    array = match[1]
    assert STEPS.index(array) > STEPS.index(first_apart(page))
    assert apart(run_of(page), broken(page), array).any()


def example(match: Match, page: AppTest) -> None:
    """A line of a step: of one that is right throughout, or of one whose number is wrong."""
    stop = page.session_state.lab_stop
    step = TOGETHER.get(stop, (stop,))
    differ = {name: apart(run_of(page), broken(page), name) for name in step}
    is_right = not any(cells.any() for cells in differ.values())
    array, cell = worked(page, match[1], run_of(page) if is_right else broken(page))
    assert array in step
    assert differ[array][cell] != is_right


def cell_follows(match: Match, page: AppTest) -> None:
    array, cell = worked(page, match[1], broken(page))
    assert STEPS.index(array) > STEPS.index(first_apart(page))
    assert apart(run_of(page), broken(page), array)[cell]


def right_there(match: Match, page: AppTest) -> None:
    """The number of the correct run, at the cell that was chosen."""
    array, *cell = page.session_state.lab_found.split(".")
    value(match[1], run_of(page)[array][tuple(map(int, cell))])


def worked(page: AppTest, line: str, run: Run) -> tuple[str, tuple[int, ...]]:
    """A line such as scores[a, b] of head 1 = (1 × 2) + (3 × 4) ≈ 14.00 ends in that number."""
    found = re.fullmatch(r"(.+?\](?: of head \d)?) [=≈] (.+)", line)
    assert found, line
    name, rest = found.groups()
    array, cell = cell_of(page, name)
    left, _, end = rest.rpartition("≈" if "≈" in rest else "=")
    value(end.strip(), run[array][cell])
    plain = left.strip().replace("×", "*").replace("−", "-").replace("/ (", "/(")
    if plain and re.fullmatch(r"[-\d.e+*/() ]+", plain):
        assert abs(eval(plain) - run[array][cell]) < 0.006
    return array, cell


def as_in_the_right_run(match: Match, page: AppTest) -> None:
    array, cell = worked(page, match[1], run_of(page))
    assert not apart(run_of(page), broken(page), array)[cell]


def right_as_written(match: Match, page: AppTest) -> None:
    array, cell = worked(page, match[1], run_of(page))
    assert apart(run_of(page), broken(page), array)[cell]
    value(match[1].rpartition(" ")[2], broken(page)[array][cell])


def right_cell(match: Match, page: AppTest) -> None:
    array, cell = worked(page, match[1], run_of(page))
    assert array == first_apart(page)
    assert apart(run_of(page), broken(page), array)[cell]


def here(match: Match, page: AppTest) -> None:
    """The number of the broken run, at the cell that was named just before."""
    said = re.sub(r"\\|\*", "", " ".join(v.value for v in [*page.success, *page.warning]))
    cells = {
        found
        for found, number in re.findall(
            r"(\w+\[[^\]]+\](?: of head \d)?)[^“]*?\. Here it is (\S+)\.(?: |$)", said
        )
        if number == match[1]
    }
    assert cells
    for name in cells:
        array, cell = cell_of(page, name)
        value(match[1], broken(page)[array][cell])


def named_wrongly(match: Match, page: AppTest) -> None:
    guess = page.session_state.lab_guess
    assert guess != CASES[page.session_state.lab_case][0]
    assert match[1] == typeset_symbols(dict(CASES.values())[guess])
    array, cell = cell_of(page, match[2])
    value(match[3], run_of(page, guess)[array][cell])


def given(match: Match, page: AppTest) -> None:
    state = page.session_state
    assert match[1] == "X" or match[1].startswith("W_")
    assert match[1] in (state.lab_stop, state.lab_found.partition(".")[0])


def bad_link(match: Match, page: AppTest) -> None:
    assert str(page.session_state[match[1]]) != match[2]
    assert match[3] == {"lab_on": "sentence", "lab_told": "yes"}[match[1]]


INVENTORY = Inventory(
    "debug_lab",
    typed={
        "lab_case": tuple(map(str, CASES)),
        "lab_text": ("red hat red", " ".join(f"w{n}" for n in range(64))),
        "lab_on": ("sentence", "P6"),
        "lab_stop": ("X", "output"),
        "lab_found": ("W_O.0.0", "output.2.3"),
        "lab_guess": ("after", "zero"),
        "lab_told": ("yes", "no"),
    },
    claims={
        r"Random weights \(.*= (\d+), (\d+) heads, seed (\d+)\)": sizes,
        r"In a correct run all of this holds:$|In numpy$|In PyTorch$": ALWAYS,
        r"- (.+) \(finds (\d+) of (\d+)\)$": listed_check,
        r"Right\.$": guessed,
        r"Case (\d+):(?: (.+))?$": heading,
        r"Q and K are swapped$": why("swapped", so=lambda right, wrong: True),
        r"A score of 0 does not hide a key\.$|Because e⁰ = 1, a hidden key keeps a weight ab": why(
            "zero", so=lambda right, wrong: bool((hidden(wrong, "weights") > 0).all())
        ),
        r"Memory holds one token after another\.$": why("reshape", so=cut_straight),
        r"If you cut it directly into heads, the first head gets all features of the first": why(
            "reshape", so=cut_straight
        ),
        r"Softmax has already given weight to hidden keys\.$|Setting these weights to 0": why(
            "after", so=lambda right, wrong: bool((rows_of(wrong) < 0.999).all())
        ),
        r"Each column is divided by its sum, instead of each row\.$": why(
            "axis",
            so=lambda right, wrong: bool(np.allclose(wrong["weights"].sum(axis=1)[:, 1:], 1)),
        ),
        r"So a later query changes what an earlier query reads: the result is not causal": later,
        r"`masked = scaled\[:\]` makes no copy, so masking it overwrites": why(
            "view", so=lambda right, wrong: np.array_equal(wrong["scaled"], wrong["masked"])
        ),
        r"The output is right, but the scores that should be unmasked are not\.$": why(
            "view",
            so=lambda right, wrong: np.allclose(wrong["output"], right["output"])
            and bool(apart(right, wrong, "scaled").any()),
        ),
        r"The scores are transposed: entry i, j says how well the query of token j": why(
            "swapped",
            so=lambda right, wrong: np.allclose(wrong["scores"], right["scores"].swapaxes(1, 2)),
        ),
        r"Subtracting (\S+) makes e to a hidden score about (\S+) times smaller": smaller,
        r"So a hidden key keeps a weight above 0\.$": why(
            "additive", so=lambda right, wrong: bool((hidden(wrong, "weights") > 0).all())
        ),
        r"With −∞ the weight is exactly 0; with a large negative number only if e to": why(
            "additive", so=lambda right, wrong: not hidden(right, "weights").any()
        ),
        r"A score is a sum of .* products, those of one head, and not of": why(
            "divisor", so=lambda right, wrong: wrong["Q"].shape == wrong["K"].shape
        ),
        r"Divided by .*, scores are too close to 0 and weights too even\.$": why(
            "divisor", so=too_even
        ),
        r"e to a large negative score underflows to 0, so every row with a visible key is": why(
            "empty",
            so=lambda right, wrong: not apart(right, wrong, "weights")[:, 1:].any(),
        ),
        r"The first row has no visible key: it becomes equal weights on hidden keys\.$": why(
            "empty",
            so=lambda right, wrong: not wrong["mask"][0].any()
            and np.allclose(wrong["weights"][:, 0], 1 / wrong["mask"].shape[0]),
        ),
        r"With −∞ such a row is 0/0, so it needs a case of its own: zeros\.$": why(
            "empty", so=lambda right, wrong: not right["weights"][:, 0].any()
        ),
        r"Every score of the first row is −∞, and so is the largest\.$": why(
            "plain", so=lambda right, wrong: bool(np.isneginf(wrong["masked"][:, 0]).all())
        ),
        r"But −∞ − \(−∞\) is not a number\.$": ALWAYS,
        r"NaN then fills the row's weights, context and output: any sum with NaN is NaN": why(
            "plain", so=nan_fills
        ),
        r"A row without a visible key needs a case of its own: zeros\.$": why(
            "plain", so=lambda right, wrong: not right["weights"][:, 0].any()
        ),
        r"Right: (\d+ of \d+) numbers of (\w+)( \(.+\))? are wrong, and every earlier": right_step,
        r"All numbers of (.+) are correct\.$": all_right,
        r"For example, (.+)\.$": example,
        r"(\w+) has wrong numbers, but its step is correct: it works from wrong num": follows,
        r"This step is correct, but it works from wrong numbers: (.+)\.$": cell_follows,
        r"The correct run has (\S+) there\.$": right_there,
        r"Look at an earlier step\.$|Not here\.$": ALWAYS,
        r"This number is correct: (.+)\.$": as_in_the_right_run,
        r"The digits that you see are correct: (.+)\.$": right_as_written,
        r"Later digits differ\.$": ALWAYS,
        r"Right: in the correct run, (.+)\.$": right_cell,
        r"Here it is (\S+)\.$": here,
        r"With the mistake “(.+)”, (.+) would be (\S+)\.$": named_wrongly,
        r"(?::\w+\[)?\$?(\w+)\$?\]? is an input: it is the same in the correct run\.$": given,
        r"In the link: (\w+) is '(.+)'; there is no such choice: choose (.+)\.$": bad_link,
        r"The default is used instead\.$": ALWAYS,
    },
    module=globals(),
    always="origin takeaway",
    others=[
        *({"lab_case": str(n), "lab_told": "yes"} for n in CASES),
        {"lab_case": "6", "lab_guess": "swapped"},
        *({"lab_case": str(n), "lab_told": "yes", "lab_text": "a b c"} for n in CASES),
        *(
            {"lab_case": str(n), "lab_stop": stop, "lab_found": found, "lab_guess": guess,
             "lab_text": "the cat saw the dog"}
            for n, stop, found, guess in (
                (1, "masked", "masked.1.2.3", "empty"), (2, "Q", "Q.0.1.1", "swapped"),
                (3, "weights", "weights.0.2.2", "zero"), (4, "context", "scaled.1.1.1", "after"),
                (5, "scaled", "masked.0.1.4", "plain"), (6, "weights", "output.4.0", "divisor"),
                (7, "V", "context.1.3.1", "axis"), (8, "Q_all", "scaled.1.4.2", "additive"),
                (9, "concat", "weights.1.0.0", "reshape"), (10, "output", "weights.0.0.2", "view"),
            )
        ),
    ],
)  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_check_that_is_run_says_whether_it_holds_here(case: int) -> None:
    page = opened("debug_lab", lab_case=str(case))
    assert not [*page.success, *page.warning]
    page.button_group(key="lab_checks").set_value(list(page.button_group(key="lab_checks").options))
    page.run()
    said = [text.value.replace("\\", "") for text in [*page.success, *page.warning]]
    assert len(said) == len(CHECKS)
    for text in said:
        match = re.match(r"(True|Not true) here: (.+)\.$", text)
        assert match, text
        run_check(match, page)
    page.button_group(key="lab_case").set_value(case % len(CASES) + 1).run()
    assert not [*page.success, *page.warning]
