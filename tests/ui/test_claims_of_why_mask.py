"""Every sentence of 'why mask', at the ends of its controls."""

import re

import numpy as np
from streamlit.testing.v1 import AppTest

from core import attention_program, toy_inputs
from tests.ui.claims import ALWAYS, Inventory, number, printed, sentences
from tests.ui.plain_attention import softmax
from tests.ui.support import stage

Match = re.Match[str]
EDIT, GALLERY, CHEAT = range(3)
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


def drawn_with(match: Match, page: AppTest) -> None:
    """Those sizes and that seed give the weights on the stage."""
    d_model, heads, seed = (int(n) for n in match.groups())
    made = toy_inputs("a", heads=heads, d_model=d_model, seed=seed)
    shown = stage(page, EDIT).document["arrays"]["W_Q"]
    texts = [float(text) for text in shown["texts"].split(" ")]
    np.testing.assert_allclose(texts, made["W_Q"].ravel(), rtol=0, atol=1e-9)
    assert shown["shape"] == list(made["W_Q"].shape)


def is_now(match: Match, page: AppTest) -> None:
    """Its number, and the word as it was typed, in italics; a repeated one is numbered."""
    state = page.session_state
    assert int(match[1]) == state.mask_at
    assert match[2].rstrip("₀₁₂₃₄₅₆₇₈₉") == state.mask_word
    words = state.mask_text.split()
    words[state.mask_at - 1] = state.mask_word
    assert (match[2] != state.mask_word) == (words.count(state.mask_word) > 1)
    assert re.search(
        r"is \*[^*]+\* in the edited sentence\. With", "\n".join(m.value for m in page.markdown)
    )


def no_token(match: Match, page: AppTest) -> None:
    """Said where the link's number is beyond the sentence it names, or else the first one."""
    counts = {"1 token": 1, "6 tokens": 6}
    assert int(match[1]) > counts[match[2]]
    assert match[3] == ("choose 1" if match[2] == "1 token" else "choose 1 to 6")


def rows_above(match: Match, page: AppTest) -> None:
    place = page.session_state.mask_at
    above = match[1]
    if place == 1:
        assert above == "no row is above it"
        return
    rows = "row 1 moves" if place == 2 else f"rows 1 to {place - 1} move"
    before, after = (made[: place - 1] for made in outputs(page, "causal"))
    moved = np.abs(before - after).max()
    found = re.fullmatch(rf"{rows} by (\S+?)(, bit for bit what (?:they were|it was))?", above)
    assert found
    printed(found[1], moved)
    assert bool(found[2]) == (before.tobytes() == after.tobytes())


def rows_without(match: Match, page: AppTest) -> None:
    """And what the chart is told to say."""
    free, causal = moved_rows(page, "none"), moved_rows(page, "causal")
    assert [int(n) for n in match.groups()[:2]] == [sum(free), len(free)]
    assert (match[3] == "moves") == (sum(free) == 1)
    assert len(free) > 1
    alt = page.get("plotly_chart")[0].proto.alt
    told = [int(n) for n in re.findall(r"\d+", alt)]
    assert told == [page.session_state.mask_at, causal.count(False), len(causal), free.count(False)]


def one_row(match: Match, page: AppTest) -> None:
    assert moved_rows(page, "none") == [match[1] == "moves"]


def same_before(match: Match, page: AppTest) -> None:
    assert not any(moved_rows(page, "causal")[: page.session_state.mask_at - 1])


def gallery_mask(page: AppTest) -> np.ndarray:
    """Which of 8 × 8 cells the chosen mask shows, cell by cell."""
    state = page.session_state
    kind, size, drawn = state.mask_kind, state.mask_size, state.mask_drawn

    def shows(i: int, j: int) -> bool:
        if kind == "none":
            return True
        if kind == "draw" and drawn:
            return str(drawn)[8 * i + j] == "1"
        if kind == "prefix":
            return j <= i or j < size
        also = {
            "window": i - size < j,
            "dilated": (i - j) % size == 0,
            "blocks": i // size == j // size,
            "global": j in (i, i - 1) or j < size,
        }
        return j <= i and also.get(kind, True)

    return np.array([[shows(i, j) for j in range(8)] for i in range(8)])


def cells(match: Match, page: AppTest) -> None:
    """The counts; and what is said of rows that see nothing is said where there are such."""
    mask = gallery_mask(page)
    assert int(match[1]) == mask.sum()
    assert (match[2] == "is") == (mask.sum() == 1)
    printed(match[3], 100 * mask.sum() / 64)
    assert int(match[4]) == 64 - mask.sum()
    said = any(text.startswith("A row that sees no key") for text in sentences(page))
    assert said == (not mask.any(axis=1).all())


def added(size: float, text: str, page: AppTest) -> None:
    mask = gallery_mask(page)
    made = toy_inputs(GALLERY_TEXT, heads=1)
    scores = (made["X"] @ made["W_Q"][0]) @ (made["X"] @ made["W_K"][0]).T / np.sqrt(8)
    filled = softmax(np.where(mask, scores, -np.inf))
    differ = np.abs(softmax(scores + np.where(mask, 0.0, -size)) - filled).max()
    printed(text, differ)


def added_infinity(match: Match, page: AppTest) -> None:
    added(np.inf, match[1], page)


def added_number(match: Match, page: AppTest) -> None:
    added(number(match[1]), match[2], page)


def blind_rows(match: Match, page: AppTest) -> None:
    """On the stage their weights are 0, and softmax of minus a large number adds up to 1."""
    blind = ~gallery_mask(page).any(axis=1)
    assert blind.any()
    weights = stage(page, GALLERY).texts("weights")[blind]
    assert {float(text) for text in weights.ravel()} == {0.0}
    assert softmax(np.full((1, 8), -number(match[1]))).sum() == 1


def window(match: Match, page: AppTest) -> None:
    assert page.session_state.mask_kind == "window"
    size, most = int(match[1]), gallery_mask(page).sum(axis=1).max()
    assert size == page.session_state.mask_size == most
    assert int(match[2] or 0) == size - 1 == int(match[3])


def block(match: Match, page: AppTest) -> None:
    assert page.session_state.mask_kind == "blocks"
    longest = gallery_mask(page).sum(axis=1).max()
    assert match[1] == ("one token" if longest == 1 else f"{longest} tokens at most")


def ids(match: Match, page: AppTest) -> None:
    n = page.session_state.mask_block
    assert int(match[1]) == n
    assert [int(text) for text in match[2].split()] == [VOCABULARY.index(c) for c in WINDOW[:n]]


def examples(match: Match, page: AppTest) -> None:
    rows = [text for text in sentences(page) if text.startswith("| “")]
    assert int(match[1]) == len(rows) == page.session_state.mask_block


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


def cheat_reads(match: Match, page: AppTest) -> None:
    _, read = copied(page.session_state.mask_cheat)
    for text, value in zip(match[1].split(", "), read, strict=True):
        printed(text, value)


def cheat_hits(match: Match, page: AppTest) -> None:
    values, read = copied(page.session_state.mask_cheat)
    assert [float(text) for text in match[1].split(", ")] == values[1:].tolist()
    hits = [round(r, 2) == v for r, v in zip(read[:-1], values[1:], strict=True)]
    assert [int(match[2]), int(match[3])] == [sum(hits), len(hits)]


def running_mean(match: Match, page: AppTest) -> None:
    values, read = copied("causal")
    np.testing.assert_allclose(read, [values[: n + 1].mean() for n in range(5)], atol=1e-6)


def mean_of_all(match: Match, page: AppTest) -> None:
    for mask in ("none", "causal"):
        values, read = copied(mask)
        assert abs(read[-1] - values.mean()) < 1e-6


def shares(match: Match, page: AppTest) -> None:
    """On the stage: a hidden key has weight 0, and each row that sees any adds up to 1."""
    mask = gallery_mask(page)
    shown = stage(page, GALLERY)
    weights = np.array([[float(text) for text in row] for row in shown.texts("weights")])
    assert not weights[~mask].any()
    assert (np.abs(weights.sum(axis=1)[mask.any(axis=1)] - 1) < 8 * 0.005).all()


INVENTORY = Inventory(
    "why_mask",
    ends={
        "mask_text": ("cat", LONG),
        "mask_at": ("1", "64"),
        "mask_word": ("cat", "🙂"),
        "mask_kind": (
            "causal", "window", "dilated", "prefix", "blocks", "global", "none", "draw",
        ),
        "mask_cheat": ("none", "causal"),
        "mask_edit_mask": ("causal", "none"),
        "mask_size": ("1", "8"),
        "mask_drawn": ("0" * 64, "1" * 64),
        "mask_block": ("1", "8"),
    },
    claims={
        r"Why mask: what would leak": ALWAYS,
        r"A model such as GPT is trained at every position": ALWAYS,
        r"Without a mask every position but the last could read": ALWAYS,
        r"In the link:$": ALWAYS,
        r"Token (\d+) is not there; the sentence has (\d+ tokens?): (.*)\.$": no_token,
        r"The default is used instead": ALWAYS,
        r"Which rows move when that token changes$": ALWAYS,
        r"Try it\.$|Notice\.$": ALWAYS,
        r"Replace another token: with the mask, no row above it moves": same_before,
        r"Drawn at random, with \$[^$]*\$ = (\d+), (\d+) heads and seed (\d+)": drawn_with,
        r"Token (\d+) is (.+) in the edited sentence\.$": is_now,
        r"With the causal mask ((?:rows? 1|no row is).*)\.$": rows_above,
        r"Without a mask (\d+) of (\d+) rows of the output (moves?)\.$": rows_without,
        r"Without a mask the one row of the output (moves|stays)\.$": one_row,
        r"With the causal mask the rows before the edited token are exactly": same_before,
        r"So a text can be extended without computing its beginning again": ALWAYS,
        r"The last row sees every token with the causal mask too": ALWAYS,

        r"(\d+) of 64 cells (is|are) .* computed, (\d+) %; (\d+) can be skipped\.$": cells,
        r"The same mask can also be added .* differ by (\S+) at most\.$": added_infinity,
        r"With −(\S+) in place of −∞ they differ by (\S+) at most\.$": added_number,
        r"A row that sees no key has weights of 0 here": ALWAYS,
        r"With −(\S+) softmax shares out 1": blind_rows,
        r"A window of (\d+) is the token itself (?:alone|and at most (\d+) before it); "
        r".*`window_size=\((\d+), 0\)`\.$": window,
        r"A block has (.*) and stands for one text": block,
        r"Here a token is one character": ALWAYS,
        r"Tokens in the window: (\d+), with the ids ([\d ]+)\.$": ids,
        r"Examples in it: (\d+)\.$": examples,
        r"\| sees \| is to predict \| id \|": ALWAYS,
        r"\| “(.*)” \| “(.)” \| (\d+) \|$": example,
        r"A head made to look for the next token is on the stage below": ALWAYS,
        r"It reads (.*), token by token\.$": cheat_reads,
        r"The ids of the next tokens are ([\d, ]+): (\d) of (\d) are read off\.$": cheat_hits,
        r"Without a mask the next token stands in the input": ALWAYS,
        r"When the model writes text, there is no next token yet": ALWAYS,
        r"With the causal mask the tokens it looks for are hidden": running_mean,
        r"The last token has no next one: its row reads the mean of all": mean_of_all,
        r"A model that may see both sides of a token, such as BERT": ALWAYS,
        r"To take away": ALWAYS,
        r"A hidden score becomes −∞ before softmax": shares,
        r"With the causal mask no row depends on a later token": ALWAYS,
    },
    others=[
        {"mask_text": "cat", "mask_at": "1", "mask_word": "cat"},
        {"mask_text": "cat", "mask_at": "1", "mask_word": "dog", "mask_edit_mask": "none"},
        {"mask_text": "the the the", "mask_at": "2", "mask_word": "the"},
        {"mask_text": "the the the", "mask_at": "3", "mask_word": "$"},
        {"mask_text": LONG, "mask_at": "64"},
        {"mask_text": LONG, "mask_at": "33", "mask_word": "w63"},
        *({"mask_kind": kind, "mask_size": size} for kind in
          ("window", "dilated", "prefix", "blocks", "global") for size in ("1", "8")),
        {"mask_kind": "blocks", "mask_size": "3"},
        {"mask_kind": "draw", "mask_drawn": "0" * 64},
        {"mask_kind": "draw", "mask_drawn": "1" + "0" * 63},
        {"mask_kind": "draw", "mask_drawn": "0" * 8 + "1" * 56},
    ],
)  # fmt: skip


def test_its_controls_are_seen_at_their_ends() -> None:
    INVENTORY.check_ends()


def test_every_sentence_holds_at_the_ends_of_its_controls() -> None:
    INVENTORY.check()
