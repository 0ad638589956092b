"""Every sentence of the walkthrough, its panels closed and open."""

import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.attention.examples.presets import PRESETS
from core.attention.masks import OFFERED, OFFERED_SIZES, rule_of
from core.program.labels import off_stage, sentence_parts
from core.program.trace import Trace
from tests.data import data_of
from tests.masks import looped
from tests.quotes import proves
from tests.ui.agreement import Values, number, printed
from tests.ui.claims import Inventory
from tests.ui.page.test_prose import PANELS
from tests.ui.support import cut, stage
from ui.chapters.walkthrough.keys import packed_edits

Match = re.Match[str]
SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")


def run_of(page: AppTest) -> Trace:
    found: Trace = page.session_state.good.trace
    return found


def visible(page: AppTest) -> np.ndarray:
    """The mask by its rule; a drawn one as it is. The queries are tokens from `first` on."""
    state, trace = page.session_state, run_of(page)
    T, S = trace["scores"].shape[1:]
    first = S - T if T < S and state.corner == "lower-right" else 0
    if state.mask == "custom":
        return trace["mask"]
    chosen = {key: state[key] or size.default for key, size in OFFERED_SIZES.items()}
    return looped(rule_of(state.mask, chosen), T, S, first)


def shares(scores: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Softmax of each row over the keys that it sees; zeros where it sees none."""
    made = np.zeros_like(scores)
    for h, i in np.ndindex(scores.shape[:2]):
        seen = [j for j in range(mask.shape[1]) if mask[i, j]]
        powers = [np.exp(scores[h, i, j] - max(scores[h, i, seen])) for j in seen]
        made[h, i, seen] = [power / sum(powers) for power in powers]
    return made


def scaled(page: AppTest) -> np.ndarray:
    trace, chosen = run_of(page), page.session_state.scale
    d_k = trace["K"].shape[-1]
    factor = {"on": 1 / np.sqrt(d_k), "off": 1.0}.get(chosen)
    made: np.ndarray = trace["scores"] * (float(chosen) if factor is None else factor)
    return made


def edit_note(said: Values, page: AppTest) -> None:
    """Only what is not given is drawn: an example and an edit have their own numbers."""
    trace, state = run_of(page), page.session_state
    if state.preset:
        follows = {"X"} if state.good.example.lexicon else set()  # it follows from the sentence
        for name, given in state.good.example.arrays.items():
            if name not in state.edits and name not in {"mask", *follows}:
                np.testing.assert_array_equal(trace[name], given)
    for name, edit in state.good.edits.items():
        if name != "mask" or state.mask == "custom":
            np.testing.assert_array_equal(trace[name], edit)


def random(said: Values, page: AppTest) -> None:
    assert not page.session_state.preset
    edit_note(said, page)


@proves("All numbers are your own")
def all_own_note(said: Values, page: AppTest) -> None:
    """Every input of the run is an edit."""
    trace = run_of(page)
    inputs = {given.name for given in trace.program.inputs} - {"mask", "bias"}
    assert inputs <= set(page.session_state.edits)
    edit_note(said, page)


def made_by_hand(said: Values, page: AppTest) -> None:
    assert page.session_state.preset
    edit_note(said, page)


@proves("""
    Each query has a row of scores, one for every key. Softmax turns this row into weights. Context
    mixes the rows of V by these weights | scores say how well its query matches their keys, softmax
    turns scores into weights, and weights mix the values
""")
def notice(said: Values, page: AppTest) -> None:
    """Scores for every key, weights from them, and a mixture by these."""
    a_number_for_every_key(page)
    becomes_weights(page)
    mixes(page)


def a_number_for_every_key(page: AppTest) -> None:
    trace = run_of(page)
    T, S = trace["Q"].shape[1], trace["K"].shape[1]
    if not trace.pinned & {"Q", "K"}:
        assert T == S == len(trace.tokens)
    assert trace["scores"].shape[1:] == (T, S)
    assert np.isfinite(trace["scores"]).all()
    if "scores" not in trace.pinned:
        shared = len(trace["Q"]) // len(trace["K"])
        for h, i, j in [*np.ndindex(trace["scores"].shape)][:: max(1, T)]:
            made = sum(trace["Q"][h, i] * trace["K"][h // shared, j])
            np.testing.assert_allclose(trace["scores"][h, i, j], made, rtol=1e-9, atol=1e-9)


def becomes_weights(page: AppTest) -> None:
    mask, weights = visible(page), run_of(page)["weights"]
    np.testing.assert_allclose(weights, shares(scaled(page), mask), atol=1e-9)
    for h, i in np.ndindex(weights.shape[:2]):
        assert abs(weights[h, i].sum() - (1 if any(mask[i]) else 0)) < 1e-9


def mixes(page: AppTest) -> None:
    trace = run_of(page)
    shared = len(trace["weights"]) // len(trace["V"])
    for h, context in enumerate(trace["context"]):
        made = sum(np.outer(w, v) for w, v in
                   zip(trace["weights"][h].T, trace["V"][h // shared], strict=True))  # fmt: skip
        np.testing.assert_allclose(context, made, atol=1e-6 * max(1, np.abs(made).max()))


@proves("""
    Before softmax, a causal mask hides later tokens: in masked their scores are −∞. Without a mask,
    every token may read from all. Each row of weights is a probability distribution over the keys;
    if no key is visible, all its weights are 0 instead
""")
def notice_more(said: Values, page: AppTest) -> None:
    """A causal mask leaves no weight on later keys, and a row that sees no key has weights 0."""
    trace = run_of(page)
    T, S = trace["scores"].shape[1:]
    first = S - T if T < S and page.session_state.corner == "lower-right" else 0
    mask = np.array([[j <= i + first for j in range(S)] for i in range(T)])
    made = trace if page.session_state.mask == "causal" else None
    weights = shares(scaled(page), mask) if made is None else made["weights"]
    for w in weights:
        assert w[0, : first + 1].sum() == pytest.approx(1)
        assert not w[~mask].any()
    becomes_weights(page)  # zeros in a row that sees no key
    if page.session_state.mask == "causal":
        assert np.isneginf(trace["masked"][:, ~mask]).all()
    if page.session_state.mask == "none":
        assert trace["mask"].all()


@proves("{queries}, {keys} keys. {corner} “{toggle}” on the stage offers the other corner")
# Notes under the stage.
def corner(said: Values, page: AppTest) -> None:
    """As the last query sees: every key, or as many as there are queries."""
    trace = run_of(page)
    T, S = trace["mask"].shape
    assert (said["queries"], said["keys"]) == (T, S)
    assert T < S
    assert page.session_state.mask not in ("none", "custom")
    match = re.fullmatch(
        r"The mask's triangle (begins in the upper left|ends in the lower right) corner: the "
        r"(?:query is|queries are) (?:taken as )?the (first|last)(?: (\d+))? of (\d+) tokens.*",
        said["corner"],
    )
    assert match, said["corner"]
    first = 0 if match[1] == "begins in the upper left" else S - T
    np.testing.assert_array_equal(trace["mask"], visible(page))
    if page.session_state.mask == "causal":
        np.testing.assert_array_equal(trace["mask"], np.tri(T, S, first, dtype=bool))
    assert match[2] == ("last" if first else "first")
    assert (int(match[3] or 1), int(match[4])) == (T, S)
    toggles = {toggle["key"]: toggle for toggle in stage(page).document["toggles"]}
    assert toggles["corner"]["word"] == said["toggle"]
    assert len(toggles["corner"]["options"]) == 2
    (link,) = [link.proto for link in page.get("page_link") if "one-query" in link.proto.page]
    assert link.query_string == "query_part=corner"


@proves("X has your numbers, not those of the sentence. Reset takes all edits back")
def own_x(said: Values, page: AppTest) -> None:
    np.testing.assert_array_equal(run_of(page)["X"], page.session_state.edits["X"])
    assert any(button.label == "Reset" for button in page.button)


@proves("""
    Some of this text is in a script without spaces between words. There each character is a token
""")
def spaceless(said: Values, page: AppTest) -> None:
    """Some letter of the text is of no script that puts spaces between words."""
    letters = [
        t for t in run_of(page).tokens if re.match("[\u3040-\u30ff\u4e00-\u9fff\u0e00-\u0eff]", t)
    ]
    assert letters
    assert all(len(letter) == 1 for letter in letters)


@proves("""
    The same token occurs at several places: {tokens}. Nothing in X says where it is: its rows of X
    are equal
""")
def repeated(said: Values, page: AppTest) -> None:
    """Each label is that token at that place of its own, and its row of X is like the others'."""
    trace = run_of(page)
    for group in re.sub(r"\\(?=[^a-z])|\*", "", said["tokens"]).split("; "):
        labels = [text for text in re.split(r", | and ", group) if text != "…"]
        places = []
        for label in labels:
            token = label.rstrip("₀₁₂₃₄₅₆₇₈₉")
            nth = int(label.removeprefix(token).translate(SUBSCRIPTS))
            places.append([n for n, t in enumerate(trace.tokens) if t == token][nth - 1])
        assert len(places) > 1
        assert all((trace["X"][n] == trace["X"][places[0]]).all() for n in places)
        if "…" not in group:
            assert len(places) == trace.tokens.count(trace.tokens[places[0]])


@proves("There is nothing before this view yet")
def nothing_before(said: Values, page: AppTest) -> None:
    assert page.session_state.compare == "before"
    assert stage(page).differences is None


# An example and what was changed of it.
def changed(said: Values, page: AppTest) -> None:
    state = page.session_state
    example = state.good.example
    opens = example.run()
    own = example.settings
    words = []
    if example.row_of and state.text != example.text:
        words.append("the sentence")
    drawn = state.edits.get("mask") if state.mask == "custom" else None
    if state.mask != own["mask"] or (drawn is not None and (drawn != opens["mask"]).any()):
        words.append("the mask")
    if state.scale != ("on" if own["scale"] else "off"):
        words.append("the scale")
    others = {name: a for name, a in state.good.edits.items() if name != "mask"}
    if any(a.shape != opens[name].shape or (a != opens[name]).any() for name, a in others.items()):
        words.append("the numbers")
    assert words
    assert re.split(", | and ", said["what"]) == words
    assert said["printed"] == bool(example.printed)
    if said["printed"]:
        assert any("| printed | here |" in text.value for text in page.markdown)
    shown = stage(page).document["story"]
    if not example.row_of:
        story = (
            f"You have changed {said['what']}. About the example as it opens: "
            f"{off_stage(example.story)}"
        )
        assert shown == [example.title, sentence_parts(story), [], {}]
    elif others:
        story = f"You have changed {said['what']}, so the heads may ask something else."
        assert shown == [example.title, [story], [], {}]
    else:  # what is told of the run itself: tests/core/attention/examples/test_river_bank_story.py
        assert not shown[0]
        assert cut(example.story) != shown[1]
        assert len(shown[2]) == run_of(page)["weights"][..., 0].size


BLOG = data_of(__file__)["own"]["blog"]


def blog(array: str, mask: str) -> np.ndarray:
    given = PRESETS["P1"].arrays
    X = given["X"]
    scores = (X @ given["W_Q"][0]) @ (X @ given["W_K"][0]).T
    seen = np.array([[mask == "none" or j <= i for j in range(3)] for i in range(3)])
    weights = shares(scores[None], seen)[0]
    V = X @ given["W_V"][0]
    return {
        "V": V, "weights": weights, "context": weights @ V,
        "masked": np.where(seen, scores, -np.inf),
    }[array]  # fmt: skip


def block(match: Match, page: AppTest) -> None:
    """The table below it: our numbers, each as it is printed, or marked where it is not."""
    array, mask, (row, column) = BLOG[match[0]]
    ours = blog(array, mask)
    tables = [m.value for m in page.markdown if m.value.startswith("| printed")]
    titles = [c.value.replace("\\", "") for c in page.caption if c.value.replace("\\", "") in BLOG]
    table = tables[titles.index(match[0])].replace("\\", "")
    for i, line in enumerate(table.splitlines()[2:]):
        said, here, mark = (part.split() for part in line.strip("| ").split("|"))
        for j, (one, text) in enumerate(zip(said, here, strict=True)):
            printed(text, float(ours[row + i, column + j]))
            assert mark == (["✓"] if said == here else ["≠"]), one


@proves("""
    A positive number in place of 1/√d_k. While the field is empty, the switch on the stage decides:
    1/√d_k or no scale
""")
# Panels.
def scale_by_help(said: Values, page: AppTest) -> None:
    """The field has a number only if the switch does not decide."""
    state = page.session_state
    assert bool(state.scale_by) == (state.scale not in ("on", "off"))
    np.testing.assert_allclose(run_of(page)["scaled"], scaled(page))


@proves("Something is covered, and a table of numbers would show it. Cover nothing first")
def covered(said: Values, page: AppTest) -> None:
    assert page.session_state.cover
    assert not [box for box in page.selectbox if box.key == "edit_name"]


def no_worksheet(match: Match, page: AppTest) -> None:
    assert not [b for b in page.get("download_button") if "Worksheet" in b.proto.label]
    assert stage(page).step not in run_of(page).steps


def too_wide(match: Match, page: AppTest) -> None:
    rows, columns = run_of(page)[match[1]].shape[-2:]
    assert (int(match[2]), int(match[3])) == (rows, columns)
    assert max(rows, columns) > int(match[4])


def too_many(match: Match, page: AppTest) -> None:
    trace = run_of(page)
    assert number(match[1]) == sum(trace[name].size for name in trace.steps)
    assert number(match[1]) > number(match[2])


def zeros_of_nan(match: Match, page: AppTest) -> None:
    assert any("nan_to_num" in code.value for code in page.code)


def fused(match: Match, page: AppTest) -> None:
    assert any("scaled_dot_product_attention(Q, K, V" in code.value for code in page.code)


# What a link asks for in vain.
def uneven(match: Match, page: AppTest) -> None:
    heads, d_model = int(match[1]), int(match[2])
    assert d_model % heads
    fitting = [int(n) for n in re.findall(r"\d+", match[3])]
    assert fitting == [n for n in range(1, 17) if d_model % n == 0]
    trace = run_of(page)
    assert (len(trace["Q"]), trace["X"].shape[1]) != (heads, d_model)


def unserved(match: Match, page: AppTest) -> None:
    groups, heads = int(match[1]), int(match[2])
    assert heads % groups
    assert [int(n) for n in re.findall(r"\d+", match[3])] == [
        n for n in range(1, heads + 1) if heads % n == 0
    ]


@proves("{key} is {value}; the example's matrices are for {own}: leave it out, or choose {own}")
def size_of_example(said: Values, page: AppTest) -> None:
    assert page.session_state.preset
    assert said["own"] != said["value"]
    assert page.session_state[said["key"]] in (None, said["own"])
    trace = run_of(page)
    sizes = {"heads": len(trace["Q"]), "kv_heads": len(trace["K"]), "d_model": trace["X"].shape[1]}
    assert sizes[said["key"]] == said["own"]


def not_empty(match: Match, page: AppTest) -> None:
    """What is shown in the place of an empty sentence is the view's own."""
    state = page.session_state
    assert state.text == (state.good.example.text if state.preset else "The cat sat on the mat")


@proves("head is {head}; there are {heads}: choose one of them. The last is shown")
def last_head(said: Values, page: AppTest) -> None:
    assert len(run_of(page)["Q"]) == said["heads"] < said["head"]
    assert page.session_state.head == said["heads"]


def as_text(match: Match, page: AppTest) -> None:
    """A text of the page's file that is shown as plain text: checked by its id."""


def no_cell(match: Match, page: AppTest) -> None:
    name, *at = match[1].split(".")
    shape = run_of(page)[name].shape
    assert len(at) != len(shape) or any(int(n) >= size for n, size in zip(at, shape, strict=True))
    assert stage(page).selected != match[1]


def other_size(match: Match, page: AppTest) -> None:
    """It is not used; here it has another size along that axis."""
    assert match[1] not in page.session_state.good.edits
    axis = {"head": 0, "key/value head": 0, "query position": 1, "key position": 2}[match[3]]
    assert run_of(page)[match[1]].shape[axis] == int(match[4]) != int(match[2])


def hindered(match: Match, page: AppTest) -> None:
    """Recomputed by plain loops in tests/core/attention/examples/test_two_meanings.py."""
    assert page.session_state.good.hindrance


def other_joined(match: Match, page: AppTest) -> None:
    """Its rows are not used; here the joined heads have as many features as it needs."""
    assert "W_O" not in page.session_state.good.edits
    assert run_of(page)["concat"].shape[1] == int(match[2]) != int(match[1])


X3 = np.array([[1.0, 0, 2, 0], [0, 1, 0, 1], [1, 0, 2, 0]])
OF_TEXT = np.round(np.sin(np.arange(48.0)).reshape(6, 8), 1)
LONG = " ".join(["a"] * 64)
VECTORS = packed_edits(
    {"Q": np.ones((1, 2, 2)), "K": np.ones((1, 2, 2)), "V": np.ones((1, 2, 2)), "W_O": np.eye(2)}
)
EVERY_INPUT = packed_edits(
    {"X": np.eye(2), "W_O": np.eye(2), **{f"W_{name}": np.ones((1, 2, 2)) for name in "QKV"}}
)
TWO_OF_FIVE = packed_edits(
    {"Q": np.eye(2)[None], "K": np.ones((1, 5, 2)), "V": np.arange(10.0).reshape(1, 5, 2)}
)
TWO_BY_FIVE = {"heads": "1", "d_model": "2", "m": TWO_OF_FIVE}
FIVE_OF_TWO = packed_edits(
    {"Q": np.ones((1, 5, 2)), "K": np.ones((1, 2, 2)), "V": np.ones((1, 2, 2))}
)
NOTHING = np.zeros((2, 2))

INVENTORY = Inventory(
    "walkthrough",
    typed={"m": (packed_edits({"X": X3}), packed_edits({"scores": np.zeros((1, 3, 3))}))},
    claims={
        rf"(?:{'|'.join(BLOG)})$": block,
        r"There is nothing to work out here; inputs are given: choose a step": no_worksheet,
        r"(\w+) is (\d+) × (\d+); a sheet holds (\d+) rows and columns": too_wide,
        r"This view has ([\d,]+) numbers to compute; an exercise "
        r"compares at most ([\d,]+)": too_many,
        r"A row in which no key is visible would be 0/0: nan_to_num makes": zeros_of_nan,
        r"In PyTorch, fused: one call leads from Q, K and V to the mixture$": fused,
        r"In the link: (\d+) heads cannot share d_model = (\d+) evenly: choose (.+)\.$": uneven,
        r"In the link: (\d+) key/value heads cannot serve (\d+) heads evenly: choose (.+)\.$": (
            unserved
        ),
        r"In the link: (heads|kv_heads|d_model) is (\d+); the example's matrices are for (\d+): "
        r"leave it out, or choose (\d+)\.$": as_text,
        r"The sentence is empty; it needs at least one word: type a word\.$": not_empty,
        r"In the link: head is (\d+); there are (\d+): choose one of them\.$": as_text,
        r"(?:In the link: )?(\w+) has (\d+) along (.+); the program has (\d+): "
        r"give it as": other_size,
        r"Neither .+ nor .+ is in the sentence|Both .+ and .+ are in the sentence|"
        r".+ comes after .+, and the mask hides|The mask hides .+ from|.+ cannot read it\.$|"
        r"Put .+ before .+\.$|"
        r"Here .+ reads .+ most, not |.+ reads .+ most, but its weight is|"
        r"So .+, [\d.]+, is larger than ": hindered,
        r"W_O has (\d+) along joined feature; output needs (\d+) there: make": other_joined,
        r"There is no cell '(.+)' here: another one is selected\.$": no_cell,
    },
    module=globals(),
    others=[
        *({"preset": name} for name in PRESETS),
        {"preset": "P9b", "m": packed_edits({"mask": np.eye(3)})},
        {"preset": "P9b", "mask": "causal", "m": packed_edits({"mask": np.eye(3)})},
        {"preset": "P1", "m": packed_edits({"X": X3})},
        {"m": VECTORS},
        {"heads": "1", "d_model": "2", "text": "a b", "m": EVERY_INPUT},
        {"preset": "P1", "m": packed_edits({"W_Q": np.array(PRESETS["P1"].arrays["W_Q"])})},
        {"preset": "P6", "m": packed_edits({"Q": np.ones((1, 2, 2))}), "step": "Q"},
        {"m": packed_edits({"X": OF_TEXT}), "kv_heads": "1"},
        {"mask": "custom", "text": "a b", "heads": "1", "m": packed_edits({"mask": NOTHING})},
        TWO_BY_FIVE,
        *({**TWO_BY_FIVE, "corner": "lower-right", "mask": mask} for mask in OFFERED),
        {"heads": "1", "d_model": "2", "m": FIVE_OF_TWO},
        {"preset": "river-bank", "text": "a zebra", "m": packed_edits({"X": OF_TEXT[:2]})},
        {"preset": "river-bank", "m": packed_edits({"X": OF_TEXT[:3]})},
        {"preset": "river-bank", "m": packed_edits({"scores": np.zeros((2, 3, 3))})},
    ],
    panels=PANELS,
)
