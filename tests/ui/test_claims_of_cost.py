"""Every sentence of 'what it costs', at the ends of its controls."""

import re

import numpy as np
from streamlit.testing.v1 import AppTest

from core import attention_program, toy_inputs
from core.attention.tokens import tokenise
from core.pytorch import speed
from tests.ui.claims import ALWAYS, Inventory, number, printed
from tests.ui.support import prose, stage

Match = re.Match[str]
SYMBOL = r"\$[^$]*\$"
LONG = "My dog ate my homework and then it slept well and ran"
OTHERS = ("A dog slept", "Good morning")
UNITS = {"byte": 1, "bytes": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
MODELS = {
    "GPT-2": (12, 768, 12, 12, 64, 3072, 2, 50257 + 1024, 1024),
    "GPT-3": (96, 12288, 96, 96, 128, 49152, 2, 50257 + 2048, 2048),
    "Llama 2 70B": (80, 8192, 64, 8, 128, 28672, 3, 2 * 32000, 4096),
    "Llama 3 8B": (32, 4096, 32, 8, 128, 14336, 3, 2 * 128256, 8192),
}
"""Layers, d_model, heads, key/value heads, d_k, d_ff, its matrices, rows of embeddings, tokens."""


def lengths(page: AppTest) -> list[int]:
    return [len(tokenise(text)) for text in (page.session_state.cost_text, *OTHERS)]


def model(page: AppTest) -> tuple[int, ...]:
    return MODELS[page.session_state.cost_model]


def work_of(name: str, T: int) -> tuple[int, int, int]:
    """Multiplications of one layer: projections, feed-forward, scores and weighted sum."""
    _, d, heads, groups, d_k, d_ff, matrices, *_ = MODELS[name]
    return 2 * T * d * (heads + groups) * d_k, T * matrices * d * d_ff, 2 * heads * T * T * d_k


def percent(text: str, part: float, total: float) -> None:
    assert text.endswith(" %")
    printed(text.removesuffix(" %"), 100 * part / total)


def about(text: str, value: float) -> None:
    said, unit = text.split(" ")
    assert abs(number(said) * UNITS[unit] - value) <= 0.05 * UNITS[unit] * (UNITS[unit] > 1)


def amount(text: str, value: float) -> None:
    said, unit = text.split(" ")
    printed(said, value / {"billion": 1e9, "million": 1e6}[unit])


def doubled(match: Match, page: AppTest) -> None:
    T = page.session_state.cost_tokens
    assert [number(match[n]) for n in (1, 2)] == [T, 2 * T]
    assert [int(match[n]) for n in (3, 4, 5)] == [(2 * T) ** 2 // T**2, 2 * T // T, 1]


def alt(page: AppTest, chart: int) -> str:
    return str(page.get("plotly_chart")[chart].proto.alt)


def to_scale(match: Match, page: AppTest) -> None:
    """The two areas are to each other as the two works."""
    said = re.match(r"A square of (\S+) by (\S+) and a strip of (\S+) by (\S+), to", alt(page, 0))
    assert said
    T, also, high, wide = (int(number(n)) for n in said.groups())
    assert T == also == high == page.session_state.cost_tokens
    work = list(counted_at(T).values())
    assert wide == 2 * int(match[1])
    assert T * T * work[1] == high * wide * work[0]


def share_of_all(match: Match, page: AppTest) -> None:
    T, d = page.session_state.cost_tokens, 8
    said = re.search(
        r"At (\S+) tokens: .*?, (\S+ %), and a half at (\S+) tokens; .*?, (\S+ %), and a half at "
        r"(\S+) tokens\.$",
        alt(page, 1),
    )
    assert said
    assert number(said[1]) == T
    for share, half, others in ((2, 3, 4 * d * d), (4, 5, 4 * d * d + 8 * d * d)):
        percent(said[share], 2 * T * T * d, 2 * T * T * d + others * T)
        assert 2 * number(said[half]) * d == others


def heading(match: Match, page: AppTest) -> None:
    T = page.session_state.cost_tokens
    assert [number(n) for n in match.groups()] == [lengths(page)[0], T, 2 * T]


def counted_at(T: int) -> dict[str, int]:
    """By formulas of their own; d_model 8, 2 heads of 4."""
    return {
        "multiplications: scores and weighted sum": sum(2 * T * 4 for _ in range(T)) * 2,
        "multiplications: projections": 4 * T * 8 * 8,
        "numbers: scores": 2 * T**2,
        "numbers: keys and values": T * 8 + T * 8,
        "numbers: parameters": 4 * 8 * 8,
    }


def quantity(match: Match, page: AppTest) -> None:
    T = page.session_state.cost_tokens
    counts = [counted_at(n)[match[1]] for n in (lengths(page)[0], T, 2 * T)]
    assert [number(match[n]) for n in (2, 3, 4)] == counts
    assert int(match[5]) * counts[1] == counts[2]


def twice(match: Match, page: AppTest) -> None:
    once, again = (counted_at(page.session_state.cost_tokens * n) for n in (1, 2))
    names = ("scores and weighted sum", "projections")
    for said, name in zip(match.groups(), names, strict=True):
        assert int(said) * once[f"multiplications: {name}"] == again[f"multiplications: {name}"]


def even(match: Match, page: AppTest) -> None:
    work = list(counted_at(int(match[2])).values())
    assert (int(match[1]), work[0]) == (8, work[1])


def held(match: Match, page: AppTest) -> None:
    T = page.session_state.cost_tokens
    each = np.dtype(float).itemsize
    assert (number(match[1]), int(match[4])) == (T, each)
    about(match[2], counted_at(T)["numbers: scores"] * each)
    about(match[3], counted_at(T)["numbers: keys and values"] * each)


def written(match: Match, page: AppTest) -> None:
    T = page.session_state.cost_tokens
    step = [4 * 8 * 8 + 2 * 2 * 4 * t for t in (1, T)]
    assert [number(n) for n in match.groups()] == [step[0], T, step[1]]


def pairs(match: Match, page: AppTest) -> None:
    T = page.session_state.cost_tokens
    assert number(match[1]) == T
    assert number(match[2]) == 2 * sum(t for t in range(1, T + 1))
    assert number(match[3]) == counted_at(T)["numbers: scores"] == 2 * T * T


def whole_square(match: Match, page: AppTest) -> None:
    T = page.session_state.cost_tokens
    (row,) = [line for line in prose(page).splitlines() if line.startswith("| numbers: scores")]
    assert number(row.split(" | ")[2]) == 2 * T * T


def where_pairs_count_most(match: Match, page: AppTest) -> None:
    """At 2d and at 6d tokens they are half; the first part has its own T by the same rule."""
    d, T = 8, np.arange(1, 200)
    work, projections = 2 * T**2 * d, 4 * d * d * T
    assert T[work >= projections][0] == 2 * d
    assert T[work >= projections + 2 * T * d * 4 * d][0] == 6 * d
    assert f"both are equal at $T$ = {2 * d}, twice" in prose(page)


def drawn_with(match: Match, page: AppTest) -> None:
    d_model, heads, seed = (int(n) for n in match.groups())
    made = toy_inputs("a", heads=heads, d_model=d_model, seed=seed)["W_Q"]
    shown = np.array([[float(x) for x in row] for row in stage(page).texts("W_Q")])
    np.testing.assert_allclose(shown, made[0], atol=1e-9)


def scores_of(page: AppTest) -> dict[str, list[int]]:
    """Rows, rows of PAD, scores computed, used and not, pair by pair."""
    n = lengths(page)
    most, total = max(n), sum(n)
    used = 2 * sum(i + 1 for each in n for i in range(each))
    scores = {
        "padded": (3 * most, 2 * sum(most * most for _ in n)),
        "packed, one square": (total, 2 * total * total),
        "packed, a square for each text": (total, 2 * sum(each * each for each in n)),
    }
    return {
        name: [rows, rows - total, count, used, count - used]
        for name, (rows, count) in scores.items()
    }


def layout(match: Match, page: AppTest) -> None:
    assert [int(number(text)) for text in match[2].split(" | ")] == scores_of(page)[match[1]]


def padding(match: Match, page: AppTest) -> None:
    rows, pad, *_ = scores_of(page)["padded"]
    assert [int(n) for n in match.groups()] == [pad, rows]


def tokens_of_all(match: Match, page: AppTest) -> None:
    assert int(match[1]) == sum(lengths(page))


def rows_kept(match: Match, page: AppTest) -> None:
    """The differences themselves are tested in the core; here, that rounding explains them."""
    assert match[1] == "are the same, bit for bit" or 0 < number(match[2]) < 1e-12


def feature(match: Match, page: AppTest) -> None:
    """What that text comes to alone."""
    texts = (page.session_state.cost_text, *OTHERS)
    text = texts[int(page.session_state.cost_which) - 1]
    assert match[1].rstrip("₀₁₂₃") == tokenise(text)[0]
    printed(match[2], attention_program(heads=2).run(toy_inputs(text))["output"][0, 0])


def long_row(match: Match, page: AppTest) -> None:
    told = scores_of(page)
    ours, theirs = told["packed, one square"][2], told["padded"][2]
    assert number(match[1]) == ours
    assert ours != theirs
    assert number(match[2]) == abs(ours - theirs)
    assert (match[3] == "more") == (ours > theirs)


def left(match: Match, page: AppTest) -> None:
    assert number(match[1]) == scores_of(page)["packed, a square for each text"][2]


def parameters(match: Match, page: AppTest) -> None:
    name, *said = match.groups()
    assert name == page.session_state.cost_model
    layers, d, heads, groups, d_k, d_ff, matrices, rows, _ = model(page)
    parts = [layers * 2 * d * (heads + groups) * d_k, layers * matrices * d * d_ff, rows * d]
    amount(said[0], sum(parts))
    for text, share, part in zip(said[1::2], said[2::2], parts, strict=True):
        amount(text, part)
        percent(share, part, sum(parts))


def sizes(match: Match, page: AppTest) -> None:
    layers, d, heads, groups, d_k, d_ff, matrices, *_ = model(page)
    *sizes, kept, last, wide = match.groups()
    assert [int(number(n)) for n in (*sizes, last, wide)] == [
        layers, d, heads, d_k, matrices, d_ff,
    ]  # fmt: skip
    shared = re.search(r"\d+", kept)
    assert groups == (int(shared[0]) if shared else heads)


def banded(match: Match, page: AppTest) -> None:
    assert match[1] == page.session_state.cost_model == "GPT-3"


def trained(match: Match, page: AppTest) -> None:
    name = page.session_state.cost_model
    T = model(page)[-1]
    assert (number(match[1]), match[2]) == (T, name)
    projections, feeding, quadratic = work_of(name, T)
    total = projections + feeding + quadratic
    assert match[3] == (" (April 2024)" if name == "Llama 3 8B" else None)
    percent(match[4], projections + quadratic, total)
    percent(match[5], quadratic, total)


def shares(match: Match, page: AppTest) -> None:
    name, T = page.session_state.cost_model, page.session_state.cost_context
    assert (match[1], number(match[2])) == (name, T)
    projections, feeding, quadratic = work_of(name, T)
    for text, part in zip(match.groups()[2:], (quadratic, projections, feeding), strict=True):
        percent(text, part, projections + feeding + quadratic)


def operations(match: Match, page: AppTest) -> None:
    name, T = page.session_state.cost_model, page.session_state.cost_context
    printed(match[1], 2 * MODELS[name][0] * sum(work_of(name, T)) / T / 1e9)


def usual(match: Match, page: AppTest) -> None:
    """Of these sizes are those with 12·d² a layer, and the formula is exact for them."""
    name, T = page.session_state.cost_model, page.session_state.cost_context
    d = MODELS[name][1]
    projections, feeding, quadratic = work_of(name, T)
    assert match[1] == name
    assert projections + feeding == 12 * d * d * T
    percent(match[2], quadratic, projections + feeding + quadratic)
    assert number(match[3]) == 6 * d
    assert 2 * work_of(name, 6 * d)[2] == sum(work_of(name, 6 * d))


def unusual(match: Match, page: AppTest) -> None:
    name, T = page.session_state.cost_model, page.session_state.cost_context
    assert match[1] == name
    assert sum(work_of(name, T)[:2]) != 12 * MODELS[name][1] ** 2 * T


def instead(match: Match, page: AppTest) -> None:
    name, T = page.session_state.cost_model, page.session_state.cost_context
    d = MODELS[name][1]
    percent(match[1], T, 6 * d + T)
    half = int(number(match[4]))
    assert number(match[2]) == 6 * d
    percent(match[3], work_of(name, T)[2], sum(work_of(name, T)))
    assert 2 * work_of(name, half)[2] == sum(work_of(name, half))


def half_of_the_pairs(match: Match, page: AppTest) -> None:
    """A triangle with its diagonal, among all pairs of the shortest text there is here."""
    assert abs(128 * 129 / 2 / 128**2 - 0.5) < 0.005


def feeding_first(match: Match, page: AppTest) -> None:
    for name in MODELS:
        projections, feeding, quadratic = work_of(name, 128)
        assert feeding > projections + quadratic
        projections, feeding, quadratic = work_of(name, 2**20)
        assert quadratic > feeding + projections


def measured_with(match: Match, page: AppTest) -> None:
    """As the measuring process begins where nobody says otherwise."""
    heads, d_k, first, last, limit = (number(text) for text in match.groups())
    assert (heads, d_k, limit) == (speed.HEADS, speed.D_K, speed.LIMIT)
    assert (first, last) == (min(speed.LENGTHS), max(speed.LENGTHS))


def left_for(match: Match, page: AppTest) -> None:
    assert number(match[1]) == speed.SILENCE


INVENTORY = Inventory(
    "cost",
    ends={
        "cost_text": ("cat", LONG),
        "cost_tokens": ("8", "131072"),
        "cost_layout": ("padded", "packed"),
        "cost_which": ("1", "2", "3"),
        "cost_part": ("parameters", "work"),
        "cost_model": tuple(MODELS),
        "cost_context": ("128", "1048576"),
    },
    claims={
        r"Three ways to the same output, in float32, timed in turns on the": ALWAYS,
        r"- Naive: scores, mask, softmax and product one after the other": ALWAYS,
        r"Matrices of T × T numbers a head are written out and read again": ALWAYS,
        r"- Fused:$|PyTorch's `scaled_dot_product_attention\(is_causal=True\)`": ALWAYS,
        r"It works block by block, keeps no such matrix, and skips blocks in whi": ALWAYS,
        r"- Fused, mask as a matrix: the same call with `attn_mask`\.$": ALWAYS,
        r"It skips nothing, so it does as many multiplications as the naive form": ALWAYS,
        r"(\d+) heads with (\d+) features, T from (\d+) to ([\d,]+); (\d+) s at": measured_with,
        r"A measurement ends (\d+) s after its page is left or its tab hidden": left_for,
        r"What it costs: where do work, memory and parameters go\?": ALWAYS,
        r"In attention every query meets every key, so its work grows with the sq": ALWAYS,
        r"All else grows with the text, or not at all": ALWAYS,
        rf"Work of one layer with {SYMBOL} = (\d+) features, drawn to scale$": to_scale,
        r"Share of scores and weighted sum in all work$": share_of_all,
        r"Try it\.$|Notice\.$": ALWAYS,
        r"Move T: the square grows both ways, the strip only down\.$": ALWAYS,
        r"From (\S+) to (\S+) tokens: scores and their work × (\d), projections, keys and values "
        r"× (\d), parameters × (\d)\.$": doubled,
        r"Work of one layer: multiplications$|Memory of one layer: numbers held$": ALWAYS,
        r"\| count \| sentence: (\S+) \| T: (\S+) \| 2T: (\S+) \| doubled \|$": heading,
        r"\| ((?:multiplications|numbers): [\w ]+) \| (\S+) \| (\S+) \| (\S+) \| × (\d) \|$": (
            quantity
        ),
        r"What to notice\.$": ALWAYS,
        r"Twice as many tokens take (\d) times the work in scores and weighted sum, and (\d) times "
        r"the work in projections\.$": twice,
        rf"So for long texts the pairs count, .* with {SYMBOL} = (\d+), both are equal at {SYMBOL} "
        rf"= (\d+), twice {SYMBOL}; beside a feed-forward net too, .* at six times\.$": even,
        rf"The table counts all {SYMBOL} pairs, hidden ones too\.$": whole_square,
        r"No hidden pair is computed: all (\S+) tokens make (\S+) scores, of the (\S+) that the "
        r"table counts\.$": pairs,
        r"The scores of (\S+) tokens take (\S+ \w+), their keys and values (\S+ \w+), at (\d)": (
            held
        ),
        rf"A fused kernel \(FlashAttention, Dao et al\. 2022\) .* memory grows as {SYMBOL}": ALWAYS,
        r"A price by token does not ask where in the text|The work does\.$": ALWAYS,
        r"Written with a cache, token 1 takes (\S+) multiplications .*, and token (\S+) takes "
        r"(\S+), because it meets every key so far\.$": written,
        rf"Drawn at random, with {SYMBOL} = (\d+), (\d+) heads and seed (\d+)": drawn_with,
        r"Models read several texts at once: a batch\.$|Padding fills each text u": ALWAYS,
        r"This batch is the sentence above, “A dog slept” and “Good morning”\.$": ALWAYS,
        r"Packed, “Text” says whose rows the last step keeps\.$": ALWAYS,
        r"\| batch \| rows of X \| of them PAD \|": ALWAYS,
        r"\| (padded|packed, one square|packed, a square for each text) \| (.*) \|$": layout,
        r"Padded, (\d+) of (\d+) rows are PAD\.$": padding,
        r"Nobody reads them, and yet each is multiplied by every weight matrix": ALWAYS,
        r"The texts have (\d+) tokens, and a price by token counts no more\.$": tokens_of_all,
        r"Packed, there is no such row\.$": ALWAYS,
        r"The rows that are kept (are the same, bit for bit|differ by (\S+) at most, for floats "
        r"are added in another order)\.$": rows_kept,
        r"In the last step, feature 1 of (\S+) is (\S+) either way\.$": feature,
        r"Scores are another matter\.$": ALWAYS,
        r"The packed texts make one long row, and its whole square has (\S+) scores, (\S+) "
        r"(more|fewer) than the padded ones have\.$": long_row,
        r"Those between two texts are hidden by the mask, but they are computed": ALWAYS,
        r"A kernel that is told where each text begins leaves them out: (\S+) are left": left,
        r"Padding stands at the end here, so the causal mask alone would keep it": ALWAYS,
        r"(.+) has (\S+ \w+) parameters: (\S+ \w+) in attention, (\S+ %); (\S+ \w+) in "
        r"feed-forward, (\S+ %); (\S+ \w+) in embeddings, (\S+ %)\.$": parameters,
        rf"Counted from the sizes of its (\d+) layers: {SYMBOL} = (\S+), (\d+) heads of (\d+) "
        r"features, (each with keys and values of its own|which share \d+ key/value heads), and "
        r"(\d) feed-forward matrices, (\S+) w": (sizes),
        r"Biases and norms are left out\.$": ALWAYS,
        r"A share of the parameters is no share of the work\.$": ALWAYS,
        r"Over the (\S+) tokens that (.+?)( \(.+\))? was trained on at once, attention takes "
        r"(\S+ %) of the multiplications in its layers, and (\S+ %) are scores and w": trained,
        r"The longer the text, the larger that share\.$": ALWAYS,
        r"In every second layer of (\S+) a token sees only its neighbourhood \(Brown": banded,
        r"Here all layers are counted as full ones; in the real model scores take": ALWAYS,
        r"(.+), (\S+) tokens: scores and weighted sum are (\S+ %) of the multiplications in its "
        r"layers, projections (\S+ %), feed-forward (\S+ %)\.$": shares,
        r"All layers take (\S+) billion FLOPs for each token: a multiplication a": operations,
        r"What makes scores for the vocabulary out of the last layer's rows is n": ALWAYS,
        rf"With {SYMBOL} features, keys of their own for all heads, and a feed": ALWAYS,
        r"\$\$\\frac": ALWAYS,
        rf"(.+) has these sizes: the formula gives (\S+ %), and a half at {SYMBOL} = (\S+) tok": (
            usual
        ),
        r"(.+) has other sizes\.$": unusual,
        rf"The formula would give (\S+ %) and a half at {SYMBOL} = (\S+) tokens; its own sizes "
        r"give (\S+ %) and (\S+)\.$": instead,
        r"Hidden pairs are counted; a kernel that leaves them out needs about ha": (
            half_of_the_pairs
        ),
        r"In short texts feed-forward has the most work; scores and weighted sum": feeding_first,
        r"And multiplications are not time: a fused kernel makes the same produc": ALWAYS,
        r"Where it is faster, that shows what moving numbers had cost, not that": ALWAYS,
        r"Sources:$|(?:GPT-2|GPT-3|Llama 2 70B|Llama 3 8B):$": ALWAYS,
        r"Radford et al|Brown et al|Touvron et al|Grattafiori et al": ALWAYS,
        r"To take away\.$": ALWAYS,
        r"Scores grow with the square of the text, projections and the cache with": (
            where_pairs_count_most
        ),
        r"What share of the parameters a part has says nothing of its share of": ALWAYS,
    },
    others=[
        {"cost_part": "work", "cost_model": "GPT-3"},
        {"cost_part": "work", "cost_model": "Llama 3 8B", "cost_context": "8192"},
        {"cost_model": "Llama 2 70B", "cost_layout": "packed", "cost_text": "red green"},
    ],
)


def test_its_controls_are_seen_at_their_ends() -> None:
    INVENTORY.check_ends()


def test_every_sentence_holds_at_the_ends_of_its_controls() -> None:
    INVENTORY.check()
