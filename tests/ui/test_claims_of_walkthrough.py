"""Every sentence of the walkthrough, its panels closed and open."""

import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.attention.presets import PRESETS
from core.program.labels import off_stage, parts
from core.program.trace import Trace
from tests.ui.claims import ALWAYS, Inventory, number, printed
from tests.ui.support import cut, stage
from ui.walkthrough.keys import pack

Match = re.Match[str]
SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
PANELS = (
    "examples_panel",
    "numbers_panel",
    "edit_panel",
    "worksheet_panel",
    "download_panel",
    "in_code",
)


def run_of(page: AppTest) -> Trace:
    found: Trace = page.session_state.good.trace
    return found


def visible(page: AppTest) -> np.ndarray:
    """The mask by its rule; a drawn one as it is. The queries are tokens from `first` on."""
    state, trace = page.session_state, run_of(page)
    T, S = trace["scores"].shape[1:]
    first = S - T if T < S and state.corner == "lower-right" else 0
    window, prefix = state.window or 3, state.prefix or 2
    rules = {
        "causal": lambda i, j: j <= i,
        "none": lambda i, j: True,
        "window": lambda i, j: i - window < j <= i,
        "prefix": lambda i, j: j <= i or j < prefix,
        "custom": lambda i, j: bool(trace["mask"][i - first, j]),
    }
    rule = rules[state.mask]
    return np.array([[rule(i + first, j) for j in range(S)] for i in range(T)])


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


def steps(match: Match, page: AppTest) -> None:
    assert int(match[1]) == len(stage(page).document["phases"])


def drawn(match: Match, page: AppTest) -> None:
    """Only what is not given is drawn: an example and an edit have their own numbers."""
    trace, state = run_of(page), page.session_state
    if state.preset:
        follows = {"X"} if state.preset == "river-bank" else set()  # it follows from the sentence
        for name, given in PRESETS[state.preset].arrays.items():
            if name not in state.edits and name not in {"mask", *follows}:
                np.testing.assert_array_equal(trace[name], given)
    for name, edit in state.good.edits.items():
        if name != "mask" or state.mask == "custom":
            np.testing.assert_array_equal(trace[name], edit)


def random(match: Match, page: AppTest) -> None:
    assert not page.session_state.preset
    drawn(match, page)


def by_hand(match: Match, page: AppTest) -> None:
    assert page.session_state.preset
    drawn(match, page)


def a_number_for_every_key(match: Match, page: AppTest) -> None:
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


def becomes_shares(match: Match, page: AppTest) -> None:
    mask, weights = visible(page), run_of(page)["weights"]
    np.testing.assert_allclose(weights, shares(scaled(page), mask), atol=1e-9)
    for h, i in np.ndindex(weights.shape[:2]):
        assert abs(weights[h, i].sum() - (1 if any(mask[i]) else 0)) < 1e-9


def mixes(match: Match, page: AppTest) -> None:
    trace = run_of(page)
    shared = len(trace["weights"]) // len(trace["V"])
    for h, context in enumerate(trace["context"]):
        made = sum(np.outer(w, v) for w, v in
                   zip(trace["weights"][h].T, trace["V"][h // shared], strict=True))  # fmt: skip
        np.testing.assert_allclose(context, made, atol=1e-6 * max(1, np.abs(made).max()))


def no_future(match: Match, page: AppTest) -> None:
    """Of this view's scores a causal mask makes just this, whatever mask is chosen."""
    trace = run_of(page)
    T, S = trace["scores"].shape[1:]
    first = S - T if T < S and page.session_state.corner == "lower-right" else 0
    mask = np.array([[j <= i + first for j in range(S)] for i in range(T)])
    made = trace if page.session_state.mask == "causal" else None
    weights = shares(scaled(page), mask) if made is None else made["weights"]
    for w in weights:
        assert w[0, : first + 1].sum() == pytest.approx(1)
        assert not w[~mask].any()


def all_may(match: Match, page: AppTest) -> None:
    if page.session_state.mask == "none":
        assert run_of(page)["mask"].all()


# Notes under the stage.
def lengths(match: Match, page: AppTest) -> None:
    trace = run_of(page)
    assert (int(match[1]), int(match[2])) == trace["mask"].shape
    assert int(match[1]) < int(match[2])
    assert page.session_state.mask not in ("none", "custom")


def corner(match: Match, page: AppTest) -> None:
    """As the last query sees: every key, or as many as there are queries."""
    trace = run_of(page)
    T, S = trace["mask"].shape
    first = 0 if match[1] == "begins in the upper left" else S - T
    np.testing.assert_array_equal(trace["mask"], visible(page))
    if page.session_state.mask == "causal":
        np.testing.assert_array_equal(trace["mask"], np.tri(T, S, first, dtype=bool))
    assert match[2] == ("last" if first else "first")
    assert (int(match[3] or 1), int(match[4])) == (T, S)


def offers_other(match: Match, page: AppTest) -> None:
    toggles = {toggle["key"]: toggle for toggle in stage(page).document["toggles"]}
    assert toggles["corner"]["word"] == match[1]
    assert len(toggles["corner"]["options"]) == 2
    (link,) = [link.proto for link in page.get("page_link") if "one-query" in link.proto.page]
    assert link.query_string == "query_part=corner"


def own_x(match: Match, page: AppTest) -> None:
    state = page.session_state
    np.testing.assert_array_equal(run_of(page)["X"], state.edits["X"])
    assert any(button.label == "Reset" for button in page.button)


def spaceless(match: Match, page: AppTest) -> None:
    """Some letter of the text is of no script that puts spaces between words."""
    letters = [
        t for t in run_of(page).tokens if re.match("[\u3040-\u30ff\u4e00-\u9fff\u0e00-\u0eff]", t)
    ]
    assert letters
    assert all(len(letter) == 1 for letter in letters)


def same_token(match: Match, page: AppTest) -> None:
    """Each label is that token at that place of its own, and its row of X is like the others'."""
    trace = run_of(page)
    for group in match[1].split("; "):
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


def nothing_before(match: Match, page: AppTest) -> None:
    assert page.session_state.compare == "before"
    assert stage(page).differences is None


# An example and what was changed of it.
def changed(match: Match, page: AppTest) -> None:
    state = page.session_state
    example = PRESETS[state.preset]
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
    assert re.split(", | and ", match[1]) == words
    shown = stage(page).document["story"]
    if not example.row_of:
        said = (
            f"You have changed {match[1]}; of the example as it opens: {off_stage(example.story)}"
        )
        assert shown == [example.title, parts(said), []]
    elif others:
        assert shown == [
            example.title,
            [f"You have changed {match[1]}: its heads may ask something else."],
            [],
        ]
    else:  # what is told of the run itself: tests/core/attention/test_river_bank_story.py
        assert not shown[0]
        assert cut(example.story) != shown[1]
        assert len(shown[2]) == run_of(page)["weights"][..., 0].size


def about_itself(match: Match, page: AppTest) -> None:
    assert any("| printed | here |" in text.value for text in page.markdown)
    assert PRESETS[page.session_state.preset].printed


BLOG = {
    "The values": ("V", None, (0, 0)),
    "Weights, nothing masked": ("weights", "none", (0, 0)),
    "First feature of row 1, nothing masked": ("context", "none", (0, 0)),
    "Scores, the future masked": ("masked", "causal", (0, 0)),
    "Weights, the future masked": ("weights", "causal", (0, 0)),
    "First feature of row 1": ("context", "causal", (0, 0)),
    "First feature of row 2": ("context", "causal", (1, 0)),
}
"""Where each table of the published example has its numbers from, under which mask."""


def blog(array: str, mask: str | None) -> np.ndarray:
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
            value = ours[row + i, column + j]
            if np.isinf(value):
                assert number(text) == value
            else:
                printed(text, float(value))
            assert mark == (["✓"] if said == here else ["≠"]), one


# Panels.
def covered(match: Match, page: AppTest) -> None:
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


def own_heads(match: Match, page: AppTest) -> None:
    assert page.session_state.preset
    assert int(match[3]) == int(match[4]) != int(match[2])
    assert page.session_state[match[1]] in (None, int(match[3]))
    trace = run_of(page)
    sizes = {"heads": len(trace["Q"]), "kv_heads": len(trace["K"]), "d_model": trace["X"].shape[1]}
    assert sizes[match[1]] == int(match[3])


def not_empty(match: Match, page: AppTest) -> None:
    """What is shown in the place of an empty sentence is the view's own."""
    state = page.session_state
    assert state.text == (PRESETS[state.preset].text if state.preset else "The cat sat on the mat")


def last_head(match: Match, page: AppTest) -> None:
    assert len(run_of(page)["Q"]) == int(match[2]) < int(match[1])
    assert page.session_state.head == int(match[2])


def no_cell(match: Match, page: AppTest) -> None:
    name, *at = match[1].split(".")
    shape = run_of(page)[name].shape
    assert len(at) != len(shape) or any(int(n) >= size for n, size in zip(at, shape, strict=True))
    assert stage(page).selected != match[1]


def other_size(match: Match, page: AppTest) -> None:
    """It is not used; here it has another size along that axis."""
    assert match[1] not in page.session_state.good.edits
    axis = {"head": 0, "query position": 1, "key position": 2}[match[3]]
    assert run_of(page)[match[1]].shape[axis] == int(match[4]) != int(match[2])


X3 = np.array([[1.0, 0, 2, 0], [0, 1, 0, 1], [1, 0, 2, 0]])
OF_TEXT = np.round(np.sin(np.arange(48.0)).reshape(6, 8), 1)
LONG = " ".join(["a"] * 64)
TWO_OF_FIVE = pack({
    "Q": np.eye(2)[None], "K": np.ones((1, 5, 2)), "V": np.arange(10.0).reshape(1, 5, 2)
})  # fmt: skip
TWO_BY_FIVE = {"heads": "1", "d_model": "2", "m": TWO_OF_FIVE}
FIVE_BY_TWO = {
    "heads": "1", "d_model": "2",
    "m": pack({"Q": np.ones((1, 5, 2)), "K": np.ones((1, 2, 2)), "V": np.ones((1, 2, 2))}),
}  # fmt: skip

INVENTORY = Inventory(
    "walkthrough",
    ends={
        "preset": ("P1", "P9b"),
        "text": ("cat", LONG),
        "mask": ("causal", "none", "window", "prefix", "custom"),
        "scale": ("on", "off", "0.5", "1e6"),
        "window": ("1", "64"),
        "prefix": ("1", "64"),
        "heads": ("1", "16"),
        "kv_heads": ("1", "2"),
        "d_model": ("1", "64"),
        "seed": ("0", "999999"),
        "compare": ("none", "mask", "scale", "before"),
        "corner": ("upper-left", "lower-right"),
        "m": (pack({"X": X3}), pack({"scores": np.zeros((1, 3, 3))})),
    },
    claims={
        r"Self-attention: how does a word read the others\?$": ALWAYS,
        r"A word's neighbours change what it means\.$": ALWAYS,
        r"See how, in (\d+) steps\.$": steps,
        r"Embeddings and weight matrices are random unless you enter your own": random,
        r"The example's weight matrices were made by hand, unless you enter your own\.$": by_hand,
        r"A real model learns them, and its embeddings\.$": by_hand,
        r"Made by hand: an example whose weights somebody chose\.$": ALWAYS,
        r"Random: every embedding and weight is drawn, and only the arithmetic means": ALWAYS,
        r"A real model learns its numbers\.$": ALWAYS,
        r"What to notice\.$|To take away\.$": ALWAYS,
        r"A row of scores belongs to one token's query: a number for every key": (
            a_number_for_every_key
        ),
        r"Scaled and masked, it becomes a row of weights by softmax: shares of 1, or": (
            becomes_shares
        ),
        r"Context mixes rows of V by them\.$": mixes,
        r"A causal mask takes the future out of masked before softmax: no token": no_future,
        r"(\d+) quer(?:y|ies), (\d+) keys\.$": lengths,
        r"The mask's triangle (begins in the upper left|ends in the lower right) corner: the "
        r"(?:query is|queries are) (?:taken as )?the (first|last)(?: (\d+))? of (\d+) tokens": (
            corner
        ),
        r"“(.+)” on the stage offers the other corner\.$": offers_other,
        r"Without a mask, every token may read from all\.$": all_may,
        r"Each token reads from the tokens it may see: scores say how well": ALWAYS,
        r"A real model learns the weight matrices; the steps stay the same\.$": ALWAYS,
        r"X is as you gave it, not made from the sentence\.$": own_x,
        r"Reset takes all edits back\.$": own_x,
        r"Some of this text is in a script without spaces between words": spaceless,
        r"Most trained language models use a tokenizer instead: it splits": ALWAYS,
        r"The same token at several places: (.+)\.$": same_token,
        r"Nothing in X says where it stands: its rows of X are equal\.$": ALWAYS,
        r"There is nothing before this view yet: change the sentence": nothing_before,
        r"You have changed (.+) of the example\.$": changed,
        r"What follows is about the example itself\.$": about_itself,
        rf"(?:{'|'.join(BLOG)})$": block,
        r"\| printed \| here \||\| [-\d].* \| ✓ \|$": ALWAYS,
        r"X and the matrices W are inputs\.$": ALWAYS,
        r"Q, K, V and scores are results: one that is given is taken as it is": drawn,
        r"Of several heads, the one on show is edited; a file may hold the": ALWAYS,
        r"A worksheet leaves out numbers of this view, to be worked out by hand": ALWAYS,
        r"It rounds at every step, so its numbers may differ a little from this page": ALWAYS,
        r"The key is on a page of its own\.$": ALWAYS,
        r"Nothing is to be worked out here; inputs are given: choose a step": no_worksheet,
        r"(\w+) is (\d+) × (\d+); a sheet holds (\d+) rows and columns": too_wide,
        r"The page opens in a browser, without a network\.$": ALWAYS,
        r"The scripts and the notebook need numpy; those with checks stop at a number": ALWAYS,
        r"The snippet needs PyTorch and checks the last step\.$": ALWAYS,
        r"Implement it yourself: the steps of this view as blanks": ALWAYS,
        r"A check stops at the first step that is wrong, and names the": ALWAYS,
        r"It runs where you are, not here\.$": ALWAYS,
        r"This view has ([\d,]+) numbers to compute; an exercise compares ([\d,]+)": too_many,
        r"Something is covered: a table of numbers would give it away\.$": covered,
        r"Cover nothing first\.$": covered,
        r"In numpy, as one function$|In PyTorch, written out$": ALWAYS,
        r"A row in which no key is visible would be 0/0: nan_to_num makes": zeros_of_nan,
        r"In PyTorch, fused: one call leads from Q, K and V to the mixture$": fused,
        r"In the source of this site$|Vaswani et al\., |Shazeer \(2019\), Ainslie": ALWAYS,
        r"In the link: (\d+) heads cannot share d_model = (\d+) evenly: choose (.+)\.$": uneven,
        r"In the link: (\d+) key/value heads cannot serve (\d+) heads evenly: choose (.+)\.$": (
            unserved
        ),
        r"In the link: (heads|kv_heads|d_model) is (\d+); the example's matrices are for (\d+): "
        r"leave it out, or choose (\d+)\.$": own_heads,
        r"In the link:$": ALWAYS,
        r"The sentence is empty; it needs at least one word: type a word\.$": not_empty,
        r"In the link: head is (\d+); there are (\d+): choose one of them\.$": last_head,
        r"In the link: (\w+) has (\d+) along (.+); the program has (\d+): give it as": other_size,
        r"The last is shown\.$|The default is used instead\.$": ALWAYS,
        r"There is no cell '(.+)' here: another one is selected\.$": no_cell,
    },
    others=[
        *({"preset": name} for name in PRESETS),
        *({"preset": name, "mask": "none", "scale": "0.5"} for name in ("P1", "P4", "P9b")),
        {"preset": "P9b", "m": pack({"mask": np.eye(3)})},
        {"preset": "P9b", "mask": "causal", "m": pack({"mask": np.eye(3)})},
        {"preset": "P1", "m": pack({"X": X3})},
        {"preset": "P1", "m": pack({"W_Q": np.array(PRESETS["P1"].arrays["W_Q"])})},
        {"preset": "P6", "m": pack({"Q": np.ones((1, 2, 2))}), "step": "Q"},
        {"m": pack({"X": OF_TEXT}), "kv_heads": "1"},
        {"mask": "custom", "text": "a b", "m": pack({"mask": np.zeros((2, 2))}), "heads": "1"},
        TWO_BY_FIVE,
        *({**TWO_BY_FIVE, "corner": "lower-right", "mask": mask}
          for mask in ("causal", "window", "prefix", "custom", "none")),
        FIVE_BY_TWO,
        {"mask": "window", "window": "1"},
        {"text": "猫が座った"},
        {"text": "the ! the ! _the_ the <b>"},
        {"heads": "8", "kv_heads": "2", "head": "9"},
        {"heads": "4", "kv_heads": "3"},
        {"preset": "P4", "heads": "2"},
        {"preset": "river-bank", "text": "The Cat and a zebra saw the bank, a zebra"},
        {"preset": "river-bank", "text": LONG, "mask": "none"},
        {"preset": "river-bank", "text": "", "heads": "4"},
        {"preset": "river-bank", "kv_heads": "1", "d_model": "16"},
        {"preset": "river-bank", "text": "a zebra", "m": pack({"X": OF_TEXT[:2]})},
        {"preset": "river-bank", "m": pack({"X": OF_TEXT[:3]})},
        {"preset": "river-bank", "m": pack({"scores": np.zeros((2, 3, 3))})},
        {"preset": "P4", "kv_heads": "2"},
        {"heads": "16", "d_model": "64", "text": LONG, "step": "weights"},
        {"cover": "weights", "cell": "weights.9.9.9"},
        {"step": "X"},
    ],
    panels=PANELS,
)  # fmt: skip


def test_its_controls_are_seen_at_their_ends() -> None:
    INVENTORY.check_ends()


def test_every_sentence_holds_at_the_ends_of_its_controls() -> None:
    INVENTORY.check()
