"""Every sentence of 'why mask', at the ends of its controls."""

import json
import re

import numpy as np
from streamlit.testing.v1 import AppTest

from core import attention_program, toy_inputs
from core.attention.masks import GALLERY, KINDS
from tests.masks import looped
from tests.quotes import proves
from tests.ui.claims import (
    ALWAYS,
    RANDOM_WEIGHTS,
    Inventory,
    Values,
    chosen_sizes,
    drawn_with,
    number,
    printed,
    sentences,
)
from tests.ui.plain_attention import softmax
from tests.ui.real_heads import (
    HOW_CHOSEN,
    NAMES_A_HEAD,
    arrays_of,
    how_chosen,
    maps_of,
    names_a_head,
)
from tests.ui.support import prose, stage, values

Match = re.Match[str]
EDIT, BY_RULE, CHEAT = range(3)
GALLERY_TEXT = "The cat sat . A dog ran off"
WINDOW = "Let's hea"
VOCABULARY = "\n !$&',-.3:;?ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
"""The characters of the text that the ids are from, in their order."""
LONG = " ".join(f"w{n}" for n in range(64))


def outputs(page: AppTest, mask: str) -> tuple[np.ndarray, np.ndarray]:
    """The product's output before and after the edit. Sentences of these tests are plain words."""
    state = page.session_state
    words = state.mask_text.split()
    before, after = list(words), list(words)
    after[state.mask_at - 1] = state.mask_word
    program = attention_program(heads=2, mask=mask)
    first, second = (
        np.array(program.run(toy_inputs(" ".join(made), heads=2, d_model=8))["output"])
        for made in (before, after)
    )
    return first, second


def moved_rows(page: AppTest, mask: str) -> list[bool]:
    before, after = outputs(page, mask)
    return [a.tobytes() != b.tobytes() for a, b in zip(before, after, strict=True)]


def no_token(match: Match, page: AppTest) -> None:
    """Said where the link's number is beyond the sentence it names, or else the first one."""
    counts = {"1 token": 1, "6 tokens": 6}
    assert int(match[1]) > counts[match[2]]
    assert match[3] == ("choose 1" if match[2] == "1 token" else "choose 1 to 6")


@proves("""
    Notice. [above == 0] No row is above token 1. [same] With the causal mask, {?} not change at
    all. [else] With the causal mask, the rows above token {above} change by at most {largest}
    (rounding). Without a mask, {moved} of {rows} {?}
""")
def changed_rows(said: Values, page: AppTest) -> None:
    place = page.session_state.mask_at
    assert said["above"] == place - 1
    before, after = (made[: place - 1] for made in outputs(page, "causal"))
    assert said["same"] == (before.tobytes() == after.tobytes())
    printed(said["largest"], np.abs(before - after).max(initial=0.0))
    free = moved_rows(page, "none")
    assert (said["moved"], said["rows"]) == (sum(free), len(free))


@proves("""
    Largest change of each row of the output when token {place} changes. Rows that do not change at
    all: {causal} of {rows} with the causal mask, {free} without a mask
""")
def change_alt(said: Values, page: AppTest) -> None:
    causal, free = moved_rows(page, "causal"), moved_rows(page, "none")
    assert (said["place"], said["rows"]) == (page.session_state.mask_at, len(causal))
    assert (said["causal"], said["free"]) == (causal.count(False), free.count(False))


@proves("""
    With the mask, no row above it changes | With the causal mask, no row depends on a later token,
    so one pass trains every position
""")
def try_(said: Values, page: AppTest) -> None:
    """The rows above the edited token, wherever it is."""
    assert not any(moved_rows(page, "causal")[: page.session_state.mask_at - 1])


@proves("""
    With the causal mask, rows above the edited token stay the same (up to rounding) | The causal
    mask hides nothing from the last row | The mask acts before softmax, so the weights of a row
    still add up to 1. A row that sees no key has only weights of 0
""")
def more(said: Values, page: AppTest) -> None:
    """And the last row is the same with the mask and without; rows on the stage add up to 1."""
    try_(said, page)
    made = toy_inputs(page.session_state.mask_text, heads=2, d_model=8)
    masked, free = (attention_program(heads=2, mask=m).run(made) for m in ("causal", "none"))
    np.testing.assert_array_equal(masked["weights"][:, -1], free["weights"][:, -1])
    takeaway(said, page)


def gallery_mask(page: AppTest) -> np.ndarray:
    """Which of 8 × 8 cells the chosen mask shows, cell by cell."""
    state = page.session_state
    kind, drawn = state.mask_kind, state.mask_drawn
    if kind == "draw":
        return (
            np.array([[b == "1" for b in drawn[8 * i : 8 * i + 8]] for i in range(8)])
            if drawn
            else np.tri(8, dtype=bool)
        )
    return looped(KINDS[kind].rule(*chosen_sizes(state, "mask_size")), 8, 8)


@proves("{computed} of {cells} cells {?} visible, {percent} %. The other {skipped} can be skipped")
def cells(said: Values, page: AppTest) -> None:
    """The counts; and what is said of rows that see nothing is said where there are such."""
    mask = gallery_mask(page)
    assert (said["computed"], said["cells"]) == (mask.sum(), 64)
    printed(said["percent"], 100 * mask.sum() / 64)
    assert said["skipped"] == 64 - mask.sum()
    drawn = "\n".join(text.value for text in page.markdown)
    assert ("A row that sees no key" in drawn) == (not mask.any(axis=1).all())
    for kind, words in (("window", "With a window of"), ("blocks", "A block holds")):
        assert (words in drawn) == (page.session_state.mask_kind == kind)


@proves("""
    The mask can also be added to the scores: 0 if a key is visible, −∞ if it is hidden. [infinite
    == "0.00"] The weights stay the same. [else] The weights then differ by at most {infinite}. With
    −{large} instead of −∞, [finite == "0.00"] they stay the same too [else] they differ by at most
    {finite}
""")
def added(said: Values, page: AppTest) -> None:
    mask = gallery_mask(page)
    made = toy_inputs(GALLERY_TEXT, heads=1)
    scores = (made["X"] @ made["W_Q"][0]) @ (made["X"] @ made["W_K"][0]).T / np.sqrt(8)
    filled = softmax(np.where(mask, scores, -np.inf))
    for text, size in ((said["infinite"], np.inf), (said["finite"], number(said["large"]))):
        printed(text, np.abs(softmax(scores + np.where(mask, 0.0, -size)) - filled).max())


@proves("""
    A row that sees no key has weights of 0 here. With −{large}, softmax gives the hidden keys of
    that row weights that add up to 1
""")
def blind_rows(said: Values, page: AppTest) -> None:
    """On the stage their weights are 0, and softmax of minus a large number adds up to 1."""
    blind = ~gallery_mask(page).any(axis=1)
    assert blind.any()
    weights = stage(page, BY_RULE).texts("weights")[blind]
    assert {float(text) for text in weights.ravel()} == {0.0}
    assert softmax(np.full((1, 8), -number(said["large"]))).sum() == 1


@proves("With a window of {size}, a token reads itself and at most {?} before it")
def window(said: Values, page: AppTest) -> None:
    assert page.session_state.mask_kind == "window"
    most = gallery_mask(page).sum(axis=1).max()
    assert said["size"] == page.session_state.mask_size == most


def blocks(said: Values, page: AppTest) -> None:
    assert page.session_state.mask_kind == "blocks"
    mask = gallery_mask(page)
    assert said["size"] == mask.sum(axis=1).max()
    texts = [i // said["size"] for i in range(8)]
    assert all(texts[i] == texts[j] for i, j in zip(*np.nonzero(mask), strict=True))


def examples(said: Values, page: AppTest) -> None:
    n = page.session_state.mask_block
    assert [int(text) for text in said["ids"].split()] == [VOCABULARY.index(c) for c in WINDOW[:n]]
    rows = [text for text in sentences(page) if text.startswith("| “")]
    assert said["examples"] == len(rows) == n


def example(match: Match, page: AppTest) -> None:
    n = len(match[1])
    assert 1 <= n <= page.session_state.mask_block
    assert (match[1], match[2]) == (WINDOW[:n], WINDOW[n])
    assert int(match[3]) == VOCABULARY.index(WINDOW[n])


def copied(mask: str) -> tuple[np.ndarray, np.ndarray]:
    """The ids of L e t ' s, and what a head reads that looks one token ahead."""
    values = np.array([VOCABULARY.index(c) for c in WINDOW[:5]], dtype=float)
    visible = np.ones((5, 5), dtype=bool) if mask == "none" else np.tri(5, dtype=bool)
    return values, softmax(np.where(visible, 20.0 * np.eye(5, k=1), -np.inf)) @ values


@proves("""
    A model such as GPT learns to predict the next token | Without a mask, every position but the
    last could simply read the answer | The head below looks for the next token | On the stage, the
    head reads {read}. The next ids are {wanted}: it finds {hits} of {targets}
""")
def cheat_reads(said: Values, page: AppTest) -> None:
    values, read = copied(page.session_state.mask_cheat)
    links = re.findall(r"\[([^]]*)\]\(#stage-context\.0\.(\d)\.0\)", said["read"])
    assert [int(at) for _, at in links] == [*range(5)]
    for (text, _), value in zip(links, read, strict=True):
        printed(text.replace("\\", ""), value)
    assert [float(text) for text in said["wanted"].split(", ")] == values[1:].tolist()
    hits = [round(r, 2) == v for r, v in zip(read[:-1], values[1:], strict=True)]
    assert (said["hits"], said["targets"]) == (sum(hits), len(hits))


@proves("""
    With the causal mask, this head finds nothing: each row reads the mean of all values up to its
    own. The last row always does so
""")
def cheat(said: Values, page: AppTest) -> None:
    """Masked, each row is a running mean; the last row is the mean of all either way."""
    values, read = copied("causal")
    np.testing.assert_allclose(read, [values[: n + 1].mean() for n in range(5)], atol=1e-6)
    for mask in ("none", "causal"):
        assert abs(copied(mask)[1][-1] - values.mean()) < 1e-6


@proves("A hidden score becomes −∞ before softmax, so its weight is exactly 0")
def takeaway(said: Values, page: AppTest) -> None:
    """On the stage: a hidden key has weight 0, and each row that sees any adds up to 1."""
    mask = gallery_mask(page)
    shown = stage(page, BY_RULE)
    weights = np.array([[float(text) for text in row] for row in shown.texts("weights")])
    assert not weights[~mask].any()
    assert (np.abs(weights.sum(axis=1)[mask.any(axis=1)] - 1) < 8 * 0.005).all()


def real_try(said: Values, page: AppTest) -> None:
    """Whichever is chosen on the stage: it reads token 1 most."""
    weights = arrays_of("smollm2-repeat", "smollm2-first-token")["weights"]
    assert (weights.argmax(axis=1) == 0).all()


@proves("""
    Row 1 sees one token, so its weight is always 1. The other rows of this head give token 1
    {percent} %, on average. Its value is short (length {own}, others {others}), so little is passed
    on
""")
def real_notice(said: Values, page: AppTest) -> None:
    """By the numbers of the model; and row 1 of every head of the run has the weight 1."""
    arrays = arrays_of("smollm2-repeat", "smollm2-first-token")
    lengths = np.sqrt((arrays["V"] ** 2).sum(axis=1))
    printed(said["percent"], 100 * arrays["weights"][1:, 0].mean())
    printed(said["own"], lengths[0])
    printed(said["others"], lengths[1:].mean())
    assert (maps_of("smollm2-repeat")[:, :, 0, 0] == 1).all()
    passed_on = np.sqrt((arrays["context"] ** 2).sum(axis=1))
    assert passed_on.max() < 0.1 * lengths[1:].min()


@proves("Each row of weights adds up to 1")
def real_sink(said: Values, page: AppTest) -> None:
    """Each row of the head adds up to 1, whatever there is to read: most goes to the first key."""
    weights = arrays_of("smollm2-repeat", "smollm2-first-token")["weights"]
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=0.01)
    assert (weights.argmax(axis=1) == 0).mean() > 0.9
    assert "still has to put its weight somewhere: on an *attention sink*" in prose(page)


def means_of_layers() -> list[float]:
    return [float(layer[:, 1:, 0].mean()) for layer in maps_of("smollm2-repeat")]


def if_equal() -> float:
    T = maps_of("smollm2-repeat").shape[-1]
    return sum(1 / n for n in range(2, T + 1)) / (T - 1)


def real_chart(said: Values, page: AppTest) -> None:
    """The chart's bars and its dashed line."""
    drawn = json.loads(page.get("plotly_chart")[-1].proto.spec)
    (line,) = drawn["layout"]["shapes"]
    assert line["line"]["dash"] == "dash"
    np.testing.assert_allclose([line["y0"], line["y1"]], if_equal())
    np.testing.assert_allclose(values(drawn["data"][0]["y"]), means_of_layers())


@proves("""
    Bars of {layers} layers. The mean weight on token 1 is {low} in layer {lowest} and {high} in
    layer {highest}. Layer {layer}, of the head below, has {own}. With equal weights it would be
    {equal}
""")
def layers_alt(said: Values, page: AppTest) -> None:
    means = means_of_layers()
    assert (said["layers"], said["layer"]) == (len(means), 19)
    for text, layer, value in (
        (said["low"], said["lowest"], min(means)),
        (said["high"], said["highest"], max(means)),
        (said["own"], said["layer"], means[said["layer"] - 1]),
    ):
        printed(text, value)
        assert means[layer - 1] == value
    printed(said["equal"], if_equal())


INVENTORY = Inventory(
    "why_mask",
    typed={
        "mask_text": ("cat", LONG),
        "mask_word": ("cat", "🙂"),
        "mask_drawn": ("0" * 64, "1" * 64),
    },
    claims={
        r"In the link:$": ALWAYS,
        r"Token (\d+) is not there; the sentence has (\d+ tokens?): (.*)\.$": no_token,
        r"The default is used instead": ALWAYS,
        r"Change of each output row$": ALWAYS,
        RANDOM_WEIGHTS: drawn_with,
        r"\| sees \| must predict \| id \|": ALWAYS,
        r"\| “(.*)” \| “(.)” \| (\d+) \|$": example,
        NAMES_A_HEAD: names_a_head,
        HOW_CHOSEN: how_chosen,
    },
    module=globals(),
    always="lede origin",
    texts={"rows": changed_rows, "blind": blind_rows, "read": cheat_reads},
    others=[
        {"mask_text": "cat", "mask_at": "1", "mask_word": "cat"},
        {"mask_text": "cat", "mask_at": "1", "mask_word": "dog", "mask_edit_mask": "none"},
        {"mask_text": "the the the", "mask_at": "2", "mask_word": "the"},
        {"mask_text": "the the the", "mask_at": "3", "mask_word": "$"},
        {"mask_text": LONG, "mask_at": "64"},
        {"mask_text": LONG, "mask_at": "33", "mask_word": "w63"},
        *({"mask_kind": kind, "mask_size": size} for kind in
          GALLERY if KINDS[kind].sizes for size in ("1", "8")),
        {"mask_kind": "blocks", "mask_size": "3"},
        {"mask_kind": "draw", "mask_drawn": "0" * 64},
        {"mask_kind": "draw", "mask_drawn": "1" + "0" * 63},
        {"mask_kind": "draw", "mask_drawn": "0" * 8 + "1" * 56},
    ],
    panels=["fold_mask_real"],
)  # fmt: skip
