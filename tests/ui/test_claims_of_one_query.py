"""Every sentence of 'one query at a time', at the ends of its controls."""

import re

import numpy as np
from streamlit.testing.v1 import AppTest

from core import attention_program, toy_inputs
from core.attention.tokens import tokenise
from tests.ui.claims import ALWAYS, Inventory, number, printed
from tests.ui.support import stages

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


def drawn_with(match: Match, page: AppTest) -> None:
    d_model, heads, seed = (int(n) for n in match.groups())
    made = toy_inputs("a", heads=heads, d_model=d_model, seed=seed)["W_Q"]
    shown = np.array([[float(x) for x in row] for row in stages(page)[0].texts("W_Q")])
    np.testing.assert_allclose(shown, made[0], atol=1e-9)


def nothing_kept(match: Match, page: AppTest) -> None:
    assert place(page) == 1
    assert match[2] == tokens(page)[0]
    assert int(match[1]) == 1
    assert "K_kept" not in stages(page)[0].document["arrays"]


def comes_in(match: Match, page: AppTest) -> None:
    arrays = stages(page)[0].document["arrays"]
    assert (int(match[1]), match[2].rstrip("₀₁₂₃")) == (place(page), tokens(page)[place(page) - 1])
    assert "K_kept" in arrays
    assert len(stages(page)[0].texts("X")) == 1


def meets(match: Match, page: AppTest) -> None:
    t = place(page)
    assert [int(n) for n in match.group(1, 2)] == [t, t - 1]
    assert (match[3] == "was") == (t == 2)
    shown = stages(page)[0]
    assert len(shown.texts("K")) == len(shown.texts("V")) == t
    assert len(shown.texts("K_kept")) == t - 1


def all_again(match: Match, page: AppTest) -> None:
    t = place(page)
    assert page.session_state.query_cache == "again"
    assert [int(match[n]) for n in (1, 3, 4, 5)] == [t, t, t, t - 1]
    assert len(stages(page)[0].texts("X")) == t


def beside_the_whole_pass(match: Match, page: AppTest) -> None:
    """What the stage shows is that row; and what is said to be rounding is no more."""
    t = place(page)
    row = rows(page.session_state.query_text)[t - 1]
    shown = [number(text) for text in stages(page)[0].texts("output")[-1]]
    np.testing.assert_allclose(shown, row, atol=0.0051)
    assert match[1] == "is the same, bit for bit" or 0 < number(match[2]) < 1e-12


def counted(match: Match, page: AppTest) -> None:
    """Loops over rows, pairs and features; d_model 8, 2 heads of 4."""
    T = len(tokens(page))
    kept = again = 0
    for t in range(1, T + 1):
        kept += 4 * 8 * 8 + 2 * 2 * t * 4
        again += t * 4 * 8 * 8 + 2 * 2 * t * t * 4
    assert match[1] == ("this token" if T == 1 else f"all {T} tokens")
    assert [number(match[n]) for n in (2, 3)] == [kept, again]
    assert abs(number(match[4]) - again / kept) <= 0.05


def alone(match: Match, page: AppTest) -> None:
    """Feature 1 of the first head, by the formula for that one row."""
    t = place(page, "query_row")
    made = toy_inputs(page.session_state.query_text)
    X, (W_Q, W_K, W_V) = made["X"], (made[name][0] for name in ("W_Q", "W_K", "W_V"))
    powers = np.exp((X[:t] @ W_K) @ (X[t - 1] @ W_Q) / 2)
    value = float(powers @ (X[:t] @ W_V)[:, 0] / powers.sum())
    assert match[1].rstrip("₀₁₂₃") == tokens(page)[t - 1]
    printed(match[2], value)
    printed(match[3], value)


def sees(match: Match, page: AppTest) -> None:
    new = int(page.session_state.query_new)
    assert (match[1] == "The new query sees") == (new == 1)
    expected = 6 if page.session_state.query_corner == "right" else new
    assert [int(n) for n in match.group(2, 3)] == [expected, 6]
    masked = stages(page)[1].texts("masked")[-1]
    assert sum("inf" not in text for text in masked) == expected


def fixed(match: Match, page: AppTest) -> None:
    T = int(page.session_state.query_fixed)
    assert (int(match[1]), bool(match[2])) == (T, T > 1)
    assert number(match[3]) == stages(page)[1].texts("W_fixed").size == (2 * T) ** 2


def given(match: Match, page: AppTest) -> None:
    assert int(match[1]) == int(page.session_state.query_fixed) + 1


def does_not_fit(match: Match, page: AppTest) -> None:
    T = int(page.session_state.query_fixed)
    assert [int(n) for n in match.groups()] == [2 * T, 2 * (T + 1)]


def any_text(match: Match, page: AppTest) -> None:
    made = toy_inputs("a")
    maps = sum(made[name].size for name in ("W_Q", "W_K", "W_V", "W_O"))
    assert [number(n) for n in match.groups()] == [8, maps, 12, (12 * 8) ** 2]


def hardly_moves(match: Match, page: AppTest) -> None:
    words = tokens(page)
    first = [rows(" ".join(words[:t]))[0] for t in range(1, len(words) + 1)]
    moved = max(float(np.abs(row - first[-1]).max()) for row in first)
    assert number(match[1]) == 0 if moved == 0 else number(match[1]) < 1e-12


def at_the_end(match: Match, page: AppTest) -> None:
    factor, weight = (float(page.session_state[f"query_{n}"]) for n in ("factor", "weight"))
    assert int(match[1]) == 32
    left = factor**31
    assert abs(number(match[2]) - left) <= max(0.005, 0.5 * 10 ** np.floor(np.log10(left)))
    if left < 0.005:
        assert abs(number(match[2]) - left) <= 0.5 * 10 ** np.floor(np.log10(left))
    assert number(match[3]) == factor
    becomes = "grows with every" if factor > 1 else "stays what it"
    assert match[4].startswith("shrinks with every" if factor < 1 else becomes)
    printed(match[5], weight)


def layer(match: Match, page: AppTest) -> None:
    """By the definitions of table 1, with this page's sizes."""
    state = page.session_state
    n, d, k = state.query_n, state.query_d, state.query_kernel
    plain = -(-(n - 1) // (k - 1))
    dilated = next(m for m in range(1, 40) if k**m >= n)
    expected = {
        "recurrent": [2 * n * d * d, n, 1, n - 1, d],
        "convolution": [k * n * d * d, 1, plain, plain, plain * (k - 1) * d],
        "dilated convolution": [k * n * d * d, 1, dilated, dilated, (k**dilated - 1) * d],
        "attention": [4 * n * d * d + 2 * n * n * d, 1, 1, 1, 2 * n * d],
    }
    assert [int(text.replace(",", "")) for text in match[2].split(" | ")] == expected[match[1]]


UNITS = {"byte": 1, "bytes": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
MODELS = {"GPT-2": (12, 12, 64, 1024), "GPT-3": (96, 96, 128, 2048),
          "Llama 2 70B": (80, 8, 128, 4096), "Llama 3 8B": (32, 8, 128, 8192)}  # fmt: skip
"""Layers, key/value heads, their width, and on how many tokens it was trained."""
RELEASE = " (April 2024)"
"""Of Llama 3 8B: later releases of that name were trained on more tokens."""


def about(text: str, value: float) -> None:
    said, unit = text.split(" ")
    assert abs(number(said) * UNITS[unit] - value) <= 0.05 * UNITS[unit] * (UNITS[unit] > 1)


def cache_of(match: Match, page: AppTest) -> None:
    name, *cells = match.string.strip("| ").split(" | ")
    layers, groups, d_k, each = (int(text) for text in cells[:4])
    about(cells[4], 2 * layers * groups * d_k * each * page.session_state.query_context)
    name = name.removesuffix(RELEASE)
    if name in MODELS:
        assert (layers, groups, d_k, int(cells[5].replace(",", ""))) == MODELS[name]
        assert each == 2
    else:
        assert (layers, groups, d_k, each) == (1, 2, 4, np.dtype(float).itemsize)


def heading(match: Match, page: AppTest) -> None:
    many = page.session_state.query_context
    assert (number(match[1]), bool(match[2])) == (many, many > 1)


def biggest(match: Match, page: AppTest) -> None:
    held = {name: 2 * layers * g * d * 2 for name, (layers, g, d, _) in MODELS.items()}
    assert match[1] == max(held, key=held.__getitem__)
    about(match[2], held[match[1]])


def shares(match: Match, page: AppTest) -> None:
    """64 heads on 8 key/value heads."""
    assert (match[1], int(match[2]), int(match[3])) == ("Llama 2 70B", 64 // 8, 64 // 8)


def trained_on_fewer(match: Match, page: AppTest) -> None:
    short = [n for n, (*_, most) in MODELS.items() if most < page.session_state.query_context]
    assert [name.removesuffix(RELEASE) for name in re.split(", | and ", match[1])] == short
    assert (RELEASE in match[1]) == ("Llama 3 8B" in short)
    assert (match[2] == "was") == (len(short) == 1)


INVENTORY = Inventory(
    "one_query",
    ends={
        "query_text": ("cat", LONG),
        "query_token": ("1", "last"),
        "query_cache": ("kept", "again"),
        "query_part": ("row", "corner", "grow", "recurrent", "bytes"),
        "query_row": ("1", "last"),
        "query_corner": ("left", "right"),
        "query_new": ("1", "2", "3"),
        "query_fixed": ("1", "4"),
        "query_factor": ("0.3", "1", "1.1"),
        "query_weight": ("0.1", "0.9"),
        "query_n": ("16", "4096"),
        "query_d": ("64", "1024"),
        "query_kernel": ("2", "9"),
        "query_context": ("1", "131072"),
    },
    claims={
        r"One query at a time: what does generation compute\?": ALWAYS,
        r"A model that writes adds one token at a time, and in its attention only": ALWAYS,
        r"Try it\.$|Press Play: the sentence is written token by token, and K and": ALWAYS,
        r"So keys and values can be kept, in a cache": ALWAYS,
        rf"Drawn at random, with {SYMBOL} = (\d+), (\d+) heads and seed (\d+)": drawn_with,
        r"Token (\d+), (.+): nothing has been kept yet, and one row of X": nothing_kept,
        r"Token (\d+), (.+): one row of X comes in\.$": comes_in,
        r"It meets (\d+) rows of K and of V; (\d+) of each (was|were) kept\.$": meets,
        r"Token (\d+), (.+): all (\d+) tokens so far come in, and (\d+) rows of K and of V are "
        r"computed\. (\d+) of each had been computed in the steps before\.$": all_again,
        r"Beside its row of the whole pass, .*, its row of the output (is the same, bit for bit|"
        r"differs by (\S+) at most, for floats are added in another order)\.$": (
            beside_the_whole_pass
        ),
        r"Counted in one layer, for (.+): ([\d,]+) mult.* cache, ([\d,]+) without, (\S+) times": (
            counted
        ),
        r"With a cache each step projects one row; without one it projects all": ALWAYS,
        r"The scores of the new token grow in number with the text either way": ALWAYS,
        r"What to notice\.$|Choose token after token:$": ALWAYS,
        r"K and V grow by one row at each, labelled with its token": ALWAYS,
        r"Queries are not kept, for each is used once": ALWAYS,
        r"The causal mask is what makes this possible": ALWAYS,
        r"More about one query$": ALWAYS,
        rf"For one token {SYMBOL} attention is a sum over the tokens up to it": ALWAYS,
        rf"Row {SYMBOL} of the matrix form is the same sum:|\$\$y_t=": ALWAYS,
        r"For (\S+) feature 1 is (\S+) by the single query, and (\S+) in its row of the": alone,
        r"The single query needs no mask: what it may not read is not there": ALWAYS,
        r"In training all queries are asked at once|When a model writes, there is one": ALWAYS,
        rf"The last tokens of “{USUAL}” are new and ask; the keys of the others": ALWAYS,
        r"With fewer queries than keys the mask is no square": ALWAYS,
        r"(The new query sees|The last of the new queries sees) (\d) of (\d) keys\.$": sees,
        r"As “lower right” has it, a query sees the keys up to its own": ALWAYS,
        r"As “upper left” has it, the first query sees the first key alone": ALWAYS,
        r"Both agree where there are as many queries as keys": ALWAYS,
        rf"Attention computes {SYMBOL} from {SYMBOL} to {SYMBOL}, one input more": ALWAYS,
        r"A map of fixed size cannot: here all tokens stand in one long row": ALWAYS,
        r"The matrix for (\d) token(s?) has (\d+) numbers\.$": fixed,
        r"Given (\d) tokens it does not run:$": given,
        r"“W_fixed has (\d) along place in the long row; y needs (\d+) there": does_not_fit,
        rf"With {SYMBOL} = (\d) attention has (\d+) numbers for any text; a map for (\d+) tokens "
        r"would have ([\d,]+)\.$": any_text,
        r"And while the sentence above grows token by token, .* moves by (\S+) at": hardly_moves,
        r"A recurrent net passes everything on in one state of fixed size": ALWAYS,
        r"Here it is linear, with one feature: at each step the state is multipl": ALWAYS,
        r"Token 1 has the value 1, all others 0, so what arrives anywhere": ALWAYS,
        r"At token (\d+) the state holds (\S+) of token 1, because with the factor (\S+) it "
        r"([\w ]+); attention reads (\S+), the weight that was chosen": at_the_end,
        r"In a trained net the factor is learned, and the state has many features": ALWAYS,
        rf"Layers, counted for {SYMBOL} tokens of {SYMBOL} features, causal and w": ALWAYS,
        r"\| kind \|": ALWAYS,
        r"\| (recurrent|convolution|dilated convolution|attention) \| (.*) \|$": layer,
        r"Steps in a row cannot be done at the same time": ALWAYS,
        r"The path is how many products with weights lie between": ALWAYS,
        r"A convolution needs more layers to reach further; dilated, each layer": ALWAYS,
        r"Attention buys its short path with work that grows as n²": ALWAYS,
        r"\| model \| .* \| cache of ([\d,]+) token(s?) \|": heading,
        r"\| (this page, one layer|GPT-2|GPT-3|Llama 2 70B|Llama 3 8B \(April 2024\)) \|": cache_of,
        rf"A cache holds 2·layers·G·{SYMBOL} numbers for each token": ALWAYS,
        r"(\S+) keeps (.+) for every token of every text that is being written\.$": biggest,
        r"(.+) lets (\d+) heads share each .* it would else keep (\d+)\.$": shares,
        r"(.+) (was|were) trained on fewer tokens at once than the table": trained_on_fewer,
        r"Sources:$|(?:GPT-2|GPT-3|Llama 2 70B|Llama 3 8B):$": ALWAYS,
        r"Radford et al|Brown et al|Touvron et al|Grattafiori et al": ALWAYS,
        r"To take away\.$": ALWAYS,
        r"When a model writes, one query meets all keys so far": ALWAYS,
        r"Keys and values are kept, so a step projects one row; the cache grows": ALWAYS,
    },
    others=[
        {"query_text": "cat dog", "query_token": "2"},
        {"query_token": "3", "query_cache": "again"},
        *({"query_part": part} for part in ("corner", "grow", "recurrent")),
        {"query_part": "corner", "query_new": "1"},
        {"query_part": "recurrent", "query_factor": "1"},
    ],
)


def test_its_controls_are_seen_at_their_ends() -> None:
    INVENTORY.check_ends()


def test_every_sentence_holds_at_the_ends_of_its_controls() -> None:
    INVENTORY.check()
