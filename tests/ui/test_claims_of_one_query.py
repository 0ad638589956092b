"""Every sentence of 'one query at a time', at the ends of its controls."""

import re

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from core import attention_program, toy_inputs
from core.attention.tokens import tokenise
from tests.quotes import proves
from tests.ui.claims import (
    ALWAYS,
    RANDOM_WEIGHTS,
    Inventory,
    Values,
    about,
    drawn_with,
    number,
    printed,
)
from tests.ui.support import prose, stages

Match = re.Match[str]
SYMBOL = r"\$[^$]*\$"
LONG = "My dog ate my homework and then it slept well"
USUAL = "The cat sat on the mat"


def tokens(page: AppTest) -> list[str]:
    return tokenise(page.session_state.query_text)


def place(page: AppTest, key: str = "query_token") -> int:
    """Which token is chosen, from 1."""
    chosen = page.session_state[key]
    return len(tokens(page)) if chosen == "last" else int(chosen)


def rows(text: str) -> np.ndarray:
    """The output of a whole pass."""
    run = attention_program(heads=2).run(toy_inputs(text))
    return np.asarray(run["output"])


@proves("""
    Token {number}, {token} | [number == 1] nothing has been kept yet, and one row of X comes in |
    [again] all {number} tokens so far come in, and {number} rows of K and of V are computed. The
    steps before had already computed | [else] one row of X comes in. It meets {number} rows of K
    and of V; {number} of each {?} kept | Its output row is the same as in one pass over the
    sentence [apart] , up to {apart} (rounding)
""")
def notice(said: Values, page: AppTest) -> None:
    """Which rows come in and are computed, as the stage has them; and its row of the whole pass."""
    t, state, shown = place(page), page.session_state, stages(page)[0]
    assert (said["number"], said["again"]) == (t, state.query_cache == "again")
    assert said["token"].strip("*").rstrip("₀₁₂₃") == tokens(page)[t - 1]
    arrays = shown.document["arrays"]
    assert ("K_kept" in arrays) == (t > 1 and not said["again"])
    assert len(shown.texts("X")) == (t if said["again"] else 1)
    assert len(shown.texts("K")) == len(shown.texts("V")) == t
    if "K_kept" in arrays:
        assert len(shown.texts("K_kept")) == len(shown.texts("V_kept")) == t - 1
    row = rows(state.query_text)[t - 1]
    ours = [number(text) for text in shown.texts("output")[-1]]
    np.testing.assert_allclose(ours, row, atol=0.0051)
    rounding(said["apart"])


def rounding(text: str) -> None:
    """It says no difference, or one that is no more than rounding."""
    assert text == "" or 0 < number(text) < 1e-12


@proves("""
    A model that writes adds one token at a time | its query meets the keys of all tokens so far. So
    keys and values can be kept | no output row depends on a later token
""")
def why_it_works(said: Values, page: AppTest) -> None:
    words = tokens(page)
    whole = rows(page.session_state.query_text)
    for t in range(1, len(words) + 1):
        np.testing.assert_allclose(rows(" ".join(words[:t])), whole[:t], atol=1e-12)


def work(page: AppTest) -> tuple[list[int], list[int]]:
    """With a cache and without, token by token; d_model 8, 2 heads of 4."""
    steps = range(1, len(tokens(page)) + 1)
    kept = [4 * 8 * 8 + 2 * 2 * t * 4 for t in steps]
    again = [t * 4 * 8 * 8 + 2 * 2 * t * t * 4 for t in steps]
    return kept, again


@proves("""
    {with_cache} multiplications with a cache, {without} without, which is {times} times the work
""")
def counted(said: Values, page: AppTest) -> None:
    kept, again = work(page)
    assert said["tokens"] == len(kept)
    assert [number(said[name]) for name in ("with_cache", "without")] == [sum(kept), sum(again)]
    assert abs(number(said["times"]) - sum(again) / sum(kept)) <= 0.05


@proves("""
    Without a cache the first takes {without_first} and the last {without_last}; with a cache,
    {with_first} and {with_last}. Token {now} is marked: {without_now} and {with_now}
""")
def work_alt(said: Values, page: AppTest) -> None:
    t = place(page)
    assert (said["tokens"], said["now"]) == (len(tokens(page)), t)
    for name, counts in zip(("with", "without"), work(page), strict=True):
        told = [number(said[f"{name}_{when}"]) for when in ("first", "last", "now")]
        assert told == [counts[0], counts[-1], counts[t - 1]]


@proves("""
    Feature 1 of {token} is {single} with a single query and {matrix} in the matrix form | One query
    meets all keys so far, and its row equals that of the matrix form
""")
def row_notice(said: Values, page: AppTest) -> None:
    """Feature 1 of the first head, by the formula for that one row."""
    t = place(page, "query_row")
    made = toy_inputs(page.session_state.query_text)
    X, (W_Q, W_K, W_V) = made["X"], (made[name][0] for name in ("W_Q", "W_K", "W_V"))
    powers = np.exp((X[:t] @ W_K) @ (X[t - 1] @ W_Q) / 2)
    value = float(powers @ (X[:t] @ W_V)[:, 0] / powers.sum())
    assert said["token"].strip("*").rstrip("₀₁₂₃") == tokens(page)[t - 1]
    for name in ("single", "matrix"):
        printed(re.sub(r"\\|\[|\]\(.*", "", said[name]), value)


def corner(said: Values, page: AppTest) -> None:
    assert said["sentence"] == USUAL


@proves("{seen} of {keys} keys")
def corner_notice(said: Values, page: AppTest) -> None:
    new = int(page.session_state.query_new)
    expected = 6 if page.session_state.query_corner == "right" else new
    assert (said["new"], said["seen"], said["keys"]) == (new, expected, 6)
    masked = stages(page)[1].texts("masked")[-1]
    assert sum("inf" not in text for text in masked) == expected


@proves("""
    “Ends lower right” lets a query see the keys up to its own. “Begins upper left” lets the first
    query see only the first key. PyTorch's scaled_dot_product_attention reads is_causal=True as
    upper left. With fewer queries than keys, this hides keys
""")
def corner_more(said: Values, page: AppTest) -> None:
    """What either corner lets queries see, and which of them PyTorch's `is_causal` means."""
    for new in (1, 2, 4):
        given = torch.zeros(1, new, 1), torch.zeros(1, 4, 1), torch.eye(4)[None]
        made = torch.nn.functional.scaled_dot_product_attention(*given, is_causal=True)[0] > 0
        upper_left, lower_right = torch.ones(new, 4).tril(), torch.ones(new, 4).tril(4 - new)
        assert (made == upper_left.bool()).all()
        assert upper_left[0].sum() == 1
        assert lower_right[-1].all()
        assert bool((upper_left < lower_right).any()) == (new < 4)


@proves("The matrix for {tokens} has {size} numbers. With {tokens} tokens it does not run")
def fixed(said: Values, page: AppTest) -> None:
    """The matrix of the stage; and the error says both sizes."""
    T = int(page.session_state.query_fixed)
    assert said["tokens"] == T
    assert number(said["size"]) == stages(page)[1].texts("W_fixed").size == (2 * T) ** 2
    sizes = re.match(r"W_fixed has (\d+) along place in .*; y needs (\d+) there", said["error"])
    assert sizes
    assert [int(n) for n in sizes.groups()] == [2 * T, 2 * (T + 1)]


def numbers_of_maps() -> int:
    made = toy_inputs("a")
    return sum(made[name].size for name in ("W_Q", "W_K", "W_V", "W_O"))


@proves("""
    With d_model = {d_model}, attention has {attention} numbers for any text; a map for {tokens}
    tokens would have {fixed}
""")
def grow_notice(said: Values, page: AppTest) -> None:
    assert (said["d_model"], said["tokens"]) == (8, 12)
    assert number(said["attention"]) == numbers_of_maps()
    assert number(said["fixed"]) == (12 * 8) ** 2


@proves("""
    for {first} to {last} tokens. A map of fixed size grows from {fixed_first} to {fixed_last};
    attention stays at {attention}
""")
def sizes_alt(said: Values, page: AppTest) -> None:
    first, last = said["first"], said["last"]
    told = [number(said[name]) for name in ("fixed_first", "fixed_last", "attention")]
    assert told == [(first * 8) ** 2, (last * 8) ** 2, numbers_of_maps()]


@proves("""
    While the sentence above grows token by token, the first row of attention's output [moved] moves
    by {moved} at most (rounding) [else] does not change
""")
def grow_more(said: Values, page: AppTest) -> None:
    words = tokens(page)
    first = [rows(" ".join(words[:t]))[0] for t in range(1, len(words) + 1)]
    moved = max(float(np.abs(row - first[-1]).max()) for row in first)
    assert (said["moved"] == "") == (moved == 0)
    rounding(said["moved"])


def close(text: str, value: float) -> None:
    """Two decimals, or one digit of what is smaller."""
    assert abs(number(text) - value) <= (
        0.005 if value >= 0.005 else 0.5 * 10 ** np.floor(np.log10(value))
    )


@proves("""
    With the factor {factor}, the state {?} from step to step: at token {tokens} it holds {left} of
    token 1. Attention reads {read}, the chosen weight, at any distance | Both begin at {first}. At
    token {tokens} the state of the recurrent net holds {left}, and attention reads {read}
""")
def at_the_end(said: Values, page: AppTest) -> None:
    factor, weight = (float(page.session_state[f"query_{n}"]) for n in ("factor", "weight"))
    assert said["tokens"] == 32
    state = [1.0]
    for _ in range(31):
        state.append(factor * state[-1])
    close(said["left"], state[-1])
    close(said["read"], weight)
    if "factor" in said:
        assert number(said["factor"]) == factor
        assert said["trend"] == np.sign(state[-1] - state[0])
        assert {*np.sign(np.diff(state))} == {said["trend"]}
    else:
        assert number(said["first"]) == 1


def layer(match: Match, page: AppTest) -> None:
    """By the definitions of table 1, over as many layers as the last token needs to see the first.

    A layer is counted once for each of these, in work as in what is kept.
    """
    state = page.session_state
    n, d, k = state.query_n, state.query_d, state.query_kernel
    plain = -(-(n - 1) // (k - 1))
    dilated = next(m for m in range(1, 40) if k**m >= n)
    one = k * n * d * d
    expected = {
        "recurrent": [1, 2 * n * d * d, n, n - 1, d],
        "convolution": [plain, plain * one, plain, plain, plain * (k - 1) * d],
        "dilated convolution": [dilated, dilated * one, dilated, dilated, (k**dilated - 1) * d],
        "attention": [1, 4 * n * d * d + 2 * n * n * d, 1, 1, 2 * n * d],
    }
    assert [int(text.replace(",", "")) for text in match[2].split(" | ")] == expected[match[1]]


MODELS = {"GPT-2": (12, 12, 64, 1024), "GPT-3": (96, 96, 128, 2048),
          "Llama 2 70B": (80, 8, 128, 4096), "Llama 3 8B": (32, 8, 128, 8192)}  # fmt: skip
"""Layers, key/value heads, their width, and on how many tokens it was trained."""
LEARNED = {"GPT-2": 1024, "GPT-3": 2048}
"""How many positions each of them has a learned row for: it reads no further."""
RELEASE = " (April 2024)"
"""Of Llama 3 8B: later releases of that name were trained on more tokens."""


def cache_of(match: Match, page: AppTest) -> None:
    name, *cells = match.string.strip("| ").split(" | ")
    layers, groups, d_k, each = (int(text) for text in cells[:4])
    name, tokens = name.removesuffix(RELEASE), page.session_state.query_context
    if tokens > LEARNED.get(name, tokens):
        assert cells[4] == f"reads at most {LEARNED[name]:,}"
    else:
        about(cells[4], 2 * layers * groups * d_k * each * tokens)
    if name in MODELS:
        assert (layers, groups, d_k, int(cells[5].replace(",", ""))) == MODELS[name]
        assert each == 2
    else:
        assert (layers, groups, d_k, each) == (1, 2, 4, np.dtype(float).itemsize)


def heading(match: Match, page: AppTest) -> None:
    many = page.session_state.query_context
    assert (number(match[1]), bool(match[2])) == (many, many > 1)


@proves("""
    {biggest} keeps {size} for every token. {sharing} has one key/value head for {heads} heads, so
    it keeps one number instead of {heads}
""")
def bytes_notice(said: Values, page: AppTest) -> None:
    """And Llama 2 70B has 64 heads on 8 key/value heads."""
    held = {name: 2 * layers * g * d * 2 for name, (layers, g, d, _) in MODELS.items()}
    assert said["biggest"] == max(held, key=held.__getitem__)
    about(said["size"], held[said["biggest"]])
    assert (said["sharing"], said["heads"]) == ("Llama 2 70B", 64 // MODELS["Llama 2 70B"][1])


def sources(said: Values, page: AppTest) -> None:
    assert [name for name in MODELS if f"{name}: " in said["sources"]] == list(MODELS)


@proves("""
    Each token adds one row to K and V | Keys and values are kept, so a step projects one row; the
    cache grows with every token
""")
def try_(said: Values, page: AppTest) -> None:
    """As the pass over the sentence up to each token."""
    words = tokens(page)
    for t in range(1, len(words) + 1):
        run = attention_program(heads=2).run(toy_inputs(" ".join(words[:t])))
        assert run["K"].shape[1] == run["V"].shape[1] == t


@proves("key/value heads, a cache holds $2")
def bytes_formula(said: Values, page: AppTest) -> None:
    """By the formula in words: keys and values of every key/value head of every layer."""
    context = page.session_state.query_context
    told = [line for line in prose(page).splitlines() if line.startswith("| ")]
    for name, (layers, groups, d_k, _) in MODELS.items():
        (line,) = [line for line in told if line.startswith(f"| {name} ")]
        if context <= LEARNED.get(name, context):
            size = line.strip("| ").split(" | ")[5]
            about(size, 2 * 2 * layers * groups * d_k * context)


def bytes_learned(said: Values, page: AppTest) -> None:
    """It names the models that PyTorch's table of so many rows stops."""
    assert said["models"] == " and ".join(LEARNED)
    for rows in LEARNED.values():
        table = torch.nn.Embedding(rows, 1)
        assert table(torch.tensor([rows - 1])).shape == (1, 1)
        with pytest.raises(IndexError):
            table(torch.tensor([rows]))


INVENTORY = Inventory(
    "one_query",
    typed={"query_text": ("cat", LONG), "query_token": ("1", "last"), "query_row": ("1", "last")},
    claims={
        RANDOM_WEIGHTS: drawn_with,
        r"More about one query$": ALWAYS,
        rf"Layers, counted for {SYMBOL} tokens of {SYMBOL} features, causal and w": ALWAYS,
        r"\| kind \|": ALWAYS,
        r"\| (recurrent|convolution|dilated convolution|attention) \| (.*) \|$": layer,
        r"\| model \| .* \| cache of ([\d,]+) token(s?) \|": heading,
        r"\| (this page, one layer|GPT-2|GPT-3|Llama 2 70B|Llama 3 8B \(April 2024\)) \|": cache_of,
    },
    module=globals(),
    always="lede row row_more grow recurrent layers_each layers_more takeaway origin",
    texts={"recurrent_notice": at_the_end, "influence_alt": at_the_end},
    others=[
        {"query_text": "cat dog", "query_token": "2"},
        {"query_token": "3", "query_cache": "again"},
        *({"query_part": part} for part in ("corner", "grow", "recurrent")),
        {"query_part": "corner", "query_new": "1"},
        {"query_part": "recurrent", "query_factor": "1"},
    ],
)
