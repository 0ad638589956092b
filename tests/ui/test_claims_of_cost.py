"""Every sentence of 'what it costs', at the ends of its controls."""

import re
from functools import cache
from itertools import pairwise

import numpy as np
from safetensors.numpy import load_file
from streamlit.testing.v1 import AppTest

from core import attention_program, toy_inputs
from core.attention.tokens import tokenise
from core.models.captures import captured_runs
from core.pytorch import speed
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
from tests.ui.support import prose, stage
from ui.charts import cost_growth

Match = re.Match[str]
SYMBOL = r"\$[^$]*\$"
LONG = "My dog ate my homework and then it slept well and ran"
OTHERS = ("A dog slept", "Good morning")
MODELS = {
    "GPT-2": (12, 768, 12, 12, 64, 3072, 2, 50257 + 1024, 1024),
    "GPT-3": (96, 12288, 96, 96, 128, 49152, 2, 50257 + 2048, 2048),
    "Llama 2 70B": (80, 8192, 64, 8, 128, 28672, 3, 2 * 32000, 4096),
    "Llama 3 8B": (32, 4096, 32, 8, 128, 14336, 3, 2 * 128256, 8192),
}
"""Layers, d_model, heads, key/value heads, d_k, d_ff, its matrices, rows of embeddings, tokens."""
LEARNED = {"GPT-2": 1024, "GPT-3": 2048}
"""How many positions each of them has a learned row for: it reads no further."""


def lengths(page: AppTest) -> list[int]:
    return [len(tokenise(text)) for text in (page.session_state.cost_text, *OTHERS)]


def model(page: AppTest) -> tuple[int, ...]:
    return MODELS[page.session_state.cost_model]


def chosen_tokens(page: AppTest) -> int:
    """T as the slider has it."""
    return int(page.session_state.cost_tokens)


def work_of(name: str, T: int) -> tuple[int, int, int]:
    """Multiplications of one layer: projections, feed-forward, scores and weighted sum."""
    _, d, heads, groups, d_k, d_ff, matrices, *_ = MODELS[name]
    return 2 * T * d * (heads + groups) * d_k, T * matrices * d * d_ff, 2 * heads * T * T * d_k


def percent(text: str, part: float, total: float) -> None:
    assert text.endswith(" %")
    printed(text.removesuffix(" %"), 100 * part / total)


def amount(text: str, value: float) -> None:
    said, unit = text.split(" ")
    printed(said, value / {"billion": 1e9, "million": 1e6}[unit])


def counted_at(T: int) -> dict[str, int]:
    """By formulas of their own; d_model 8, 2 heads of 4."""
    return {
        "multiplications: scores and weighted sum": sum(2 * T * 4 for _ in range(T)) * 2,
        "multiplications: projections": 4 * T * 8 * 8,
        "numbers: scores": 2 * T**2,
        "numbers: keys and values": T * 8 + T * 8,
        "numbers: parameters": 4 * 8 * 8,
    }


@proves("""
    every query meets every key: twice the tokens make four times the pairs. Everything else grows
    linearly or not at all | From {tokens} to {doubled} tokens: scores and their work × {quadratic};
    projections, keys and values × {linear}; parameters × {fixed}
""")
def notice(said: Values, page: AppTest) -> None:
    """Of all five counts: scores, their work, projections, keys and values, parameters."""
    T = chosen_tokens(page)
    assert [number(said[name]) for name in ("tokens", "doubled")] == [T, 2 * T]
    grows = {"scores": "quadratic", "scores and weighted sum": "quadratic", "parameters": "fixed"}
    for name, count in counted_at(T).items():
        times = int(said[grows.get(name.partition(": ")[2], "linear")])
        assert times * count == counted_at(2 * T)[name]


@proves("Move $T$ up. Only the square grows in both directions")
def try_(said: Values, page: AppTest) -> None:
    """The strip keeps its width, whatever the slider says."""
    made = [cost_growth.areas_figure(T, 16) for T in (8, 16)]
    sizes = [[(np.ptp(part.x), np.ptp(part.y)) for part in figure.data] for figure in made]
    (square, strip), (larger, longer) = sizes
    assert (larger[0], larger[1]) == (2 * square[0], 2 * square[1])
    assert (longer[0], longer[1]) == (strip[0], 2 * strip[1])


def areas_alt(said: Values, page: AppTest) -> None:
    """The two areas are to each other as the two works."""
    T, width = number(said["tokens"]), number(said["width"])
    assert chosen_tokens(page) == T
    pairs, projections, *_ = counted_at(int(T)).values()
    assert T * T * projections == T * width * pairs


def heading_of_areas(match: Match, page: AppTest) -> None:
    assert int(match[1]) == toy_inputs("a")["W_Q"].shape[1]


def crossing_alt(said: Values, page: AppTest) -> None:
    T, d = chosen_tokens(page), 8
    assert number(said["tokens"]) == T
    (one, part, half), (other, part_of_block, half_of_block) = said["lines"]
    assert (one, other) == ("attention only", "a whole block")
    for text, at, others in (
        (part, half, 4 * d * d), (part_of_block, half_of_block, 4 * d * d + 8 * d * d),
    ):  # fmt: skip
        percent(text, 2 * T * T * d, 2 * T * T * d + others * T)
        assert 2 * number(at) * d == others


def growth_alt(said: Values, page: AppTest) -> None:
    marks = [lengths(page)[0], chosen_tokens(page), 2 * chosen_tokens(page)]
    assert [number(text) for text in said["marks"].split(", ")] == marks
    for name, grows, counts in said["lines"]:
        told = [number(text) for text in counts.split(", ")]
        assert told == [counted_at(T)[f"{said['unit']}: {name}"] for T in marks]
        times = {"as T²": 4, "as T": 2, "not at all": 1}[grows]
        assert told[2] == times * told[1]


def heading(match: Match, page: AppTest) -> None:
    T = chosen_tokens(page)
    assert [number(n) for n in match.groups()] == [lengths(page)[0], T, 2 * T]


def quantity(match: Match, page: AppTest) -> None:
    T = chosen_tokens(page)
    counts = [counted_at(n)[match[1]] for n in (lengths(page)[0], T, 2 * T)]
    assert [number(match[n]) for n in (2, 3, 4)] == counts
    assert int(match[5]) * counts[1] == counts[2]


def even(said: Values, page: AppTest) -> None:
    """Equal at 2d; and the table has whole squares."""
    d = 8
    assert said["even"] == 2 * d
    work = list(counted_at(2 * d).values())
    assert work[0] == work[1]
    (row,) = [line for line in prose(page).splitlines() if line.startswith("| numbers: scores")]
    assert number(row.split(" | ")[2]) == 2 * chosen_tokens(page) ** 2


def held(said: Values, page: AppTest) -> None:
    T = chosen_tokens(page)
    each = np.dtype(float).itemsize
    assert (number(said["tokens"]), said["bytes"]) == (T, each)
    about(said["scores"], counted_at(T)["numbers: scores"] * each)
    about(said["cache"], counted_at(T)["numbers: keys and values"] * each)
    (memory, work) = re.findall(
        r"its memory grows as \$(.+?)\$, its work still as \$(.+?)\$\.", prose(page)
    )[0]
    for counted, power in ((memory, 0), (work, 1)):
        one, two, four = (fused_kernel(n)[power] for n in (4, 8, 16))
        assert (four - two) == {"T": 2, "T^2": 4}[counted] * (two - one), counted


def fused_kernel(T: int) -> tuple[int, int]:
    """Numbers that it holds and products that it makes, query by query and key by key."""
    held = made = 0
    for _ in range(T):
        held += 8 + 2  # a row of the output, the largest score so far and the sum so far
        for _ in range(T):
            made += 2 * 8
    return held + 1, made  # one score at a time


def price(said: Values, page: AppTest) -> None:
    """Token t meets t keys; a flat price is the same for each."""
    T = chosen_tokens(page)
    step = [4 * 8 * 8 + 2 * 2 * 4 * t for t in (1, T)]
    assert [number(said[name]) for name in ("first", "tokens", "last")] == [step[0], T, step[1]]


@proves("""
    Pairs of tokens grow with the square of the text. From about $6d$ tokens on, they take most of a
    block's work
""")
def takeaway(said: Values, page: AppTest) -> None:
    """Half of a block's work is at 6d for the usual sizes, and at about that for each model."""
    d, T = 8, np.arange(1, 200)
    others = 4 * d * d * T + 2 * T * d * 4 * d
    assert T[2 * T**2 * d >= others][0] == 6 * d
    for name, (_, d, *_) in MODELS.items():
        at = 7 * d
        assert work_of(name, at)[2] > sum(work_of(name, at)[:2])
        assert work_of(name, 5 * d)[2] < sum(work_of(name, 5 * d)[:2])


def batch(said: Values, page: AppTest) -> None:
    """The stage has the chosen text, filled up to the longest, or all three in one row."""
    assert (said["second"], said["third"]) == OTHERS
    packed = page.session_state.cost_layout == "packed"
    assert len(stage(page).texts("X")) == (sum if packed else max)(lengths(page))


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


@proves("""
    With padding, {padding} of {rows} rows are PAD | A per-token price counts only the {tokens} rows
    of the texts
""")
def layouts_notice(said: Values, page: AppTest) -> None:
    rows, pad, *_ = scores_of(page)["padded"]
    assert (said["padding"], said["rows"]) == (pad, rows)
    assert pad > 0
    assert said["tokens"] == sum(lengths(page)) == rows - pad


def same_rows(said: Values, page: AppTest) -> None:
    """The stage has the row that the text alone leads to; the core tests the differences."""
    assert said["apart"] == "" or 0 < number(said["apart"]) < 1e-12
    texts = (page.session_state.cost_text, *OTHERS)
    text = texts[int(page.session_state.cost_which) - 1]
    alone = attention_program(heads=2).run(toy_inputs(text))["output"][0]
    for shown, value in zip(stage(page).texts("kept")[0], alone, strict=True):
        printed(shown, float(value))


def packed_scores(said: Values, page: AppTest) -> None:
    told = scores_of(page)
    assert told["packed, a square for each text"][2] < told["packed, one square"][2]


def model_parameters(said: Values, page: AppTest) -> None:
    assert said["model"] == page.session_state.cost_model
    layers, d, heads, groups, d_k, d_ff, matrices, rows, _ = model(page)
    parts = {
        "attention": layers * 2 * d * (heads + groups) * d_k,
        "feeding": layers * matrices * d * d_ff,
        "embedding": rows * d,
    }
    amount(said["all"], sum(parts.values()))
    for name, part in parts.items():
        amount(said[name], part)
        percent(said[f"{name}_part"], part, sum(parts.values()))


def parameters_alt(said: Values, page: AppTest) -> None:
    assert said["models"] == len(MODELS) == len(said["bars"])
    assert said["chosen"] == page.session_state.cost_model
    for (name, held, *percents), (mine, sizes) in zip(said["bars"], MODELS.items(), strict=True):
        layers, d, heads, groups, d_k, d_ff, matrices, rows, _ = sizes
        parts = [layers * 2 * d * (heads + groups) * d_k, layers * matrices * d * d_ff, rows * d]
        assert name == mine
        amount(held, sum(parts))
        for text, part in zip(percents, parts, strict=True):
            percent(text, part, sum(parts))


def model_sizes(said: Values, page: AppTest) -> None:
    layers, d, heads, groups, d_k, d_ff, matrices, *_ = model(page)
    assert (said["layers"], number(said["d_model"])) == (layers, d)
    assert (said["heads"], said["kv_heads"], said["d_head"]) == (heads, groups, d_k)
    assert (said["matrices"], number(said["d_ff"])) == (matrices, d_ff)


def banded(said: Values, page: AppTest) -> None:
    assert said["model"] == page.session_state.cost_model == "GPT-3"


@proves("""
    Over {context} tokens, attention takes {attention} of the multiplications in {model}'s layers.
    Scores and weighted sum take {quadratic}
""")
def parameters_notice(said: Values, page: AppTest) -> None:
    name = page.session_state.cost_model
    T = model(page)[-1]
    assert (number(said["context"]), said["model"]) == (T, name)
    projections, feeding, quadratic = work_of(name, T)
    total = projections + feeding + quadratic
    percent(said["attention"], projections + quadratic, total)
    percent(said["quadratic"], quadratic, total)


def sources(said: Values, page: AppTest) -> None:
    assert [name for name in MODELS if f"{name}: " in said["sources"]] == list(MODELS)
    assert said["sources"].count("(20") == len(MODELS)


@proves("""
    {model}, {tokens} tokens: scores and weighted sum are {quadratic} of the multiplications in its
    layers; projections {projections}, feed-forward {feeding}. [beyond] {model} reads at most {most}
    tokens, so this counts layers of its sizes
""")
def model_work(said: Values, page: AppTest) -> None:
    name, T = page.session_state.cost_model, page.session_state.cost_context
    assert (said["model"], number(said["tokens"])) == (name, T)
    work = work_of(name, T)
    for text, part in zip(("projections", "feeding", "quadratic"), work, strict=True):
        percent(said[text], part, sum(work))
    assert said["beyond"] == (LEARNED.get(name, T) < T)
    if said["beyond"]:
        assert number(said["most"]) == LEARNED[name]


def shares_alt(said: Values, page: AppTest) -> None:
    name, T = page.session_state.cost_model, page.session_state.cost_context
    assert [said[part] for part in ("model", "first", "last")] == [name, "128", "1,048,576"]
    assert number(said["tokens"]) == T
    names = ["projections", "feed-forward", "scores and weighted sum"]
    assert [part for part, _ in said["parts"]] == names
    work = work_of(name, T)
    for (_, text), part in zip(said["parts"], work, strict=True):
        percent(text, part, sum(work))
    half = int(number(said["half"]))
    assert 2 * work_of(name, half)[2] == sum(work_of(name, half))


def flops(said: Values, page: AppTest) -> None:
    name, T = page.session_state.cost_model, page.session_state.cost_context
    printed(said["flops"], 2 * MODELS[name][0] * sum(work_of(name, T)) / T / 1e9)


@proves("""
    With $d$ features, keys of their own for all heads, and two feed-forward matrices | the fraction
    of scores and weighted sum | [exact] {model} has these sizes, so they take half at $6d$ =
    {supposed_half} tokens. [else] {model} has other sizes. The formula would give {supposed} and a
    half at $6d$ = {supposed_half} tokens; its own sizes give {quadratic} and {half}
""")
def formula(said: Values, page: AppTest) -> None:
    """It is exact for a model whose projections and feed-forward have 12·d² a layer."""
    name, T = page.session_state.cost_model, page.session_state.cost_context
    d = MODELS[name][1]
    projections, feeding, quadratic = work_of(name, T)
    assert said["model"] == name
    assert said["exact"] == (projections + feeding == 12 * d * d * T)
    percent(said["supposed"], T, 6 * d + T)
    percent(said["quadratic"], quadratic, projections + feeding + quadratic)
    assert number(said["supposed_half"]) == 6 * d
    half = int(number(said["half"]))
    assert 2 * work_of(name, half)[2] == sum(work_of(name, half))
    assert (said["supposed"] == said["quadratic"] and half == 6 * d) or not said["exact"]


@proves("""
    In short texts feed-forward takes the most work; scores and weighted sum take over as the text
    grows
""")
def work_notice(said: Values, page: AppTest) -> None:
    for name in MODELS:
        projections, feeding, quadratic = work_of(name, 128)
        assert feeding > projections + quadratic
        projections, feeding, quadratic = work_of(name, 2**20)
        assert quadratic > feeding + projections


def measuring_limits(said: Values, page: AppTest) -> None:
    """As the measuring process begins where nobody says otherwise."""
    assert (said["heads"], said["d_k"]) == (speed.HEADS, speed.D_K)
    numbers = (number(said[name]) for name in ("first", "last", "limit", "silence"))
    assert [*numbers] == [
        min(speed.MEASURED_LENGTHS),
        max(speed.MEASURED_LENGTHS),
        speed.TIME_LIMIT,
        speed.SILENCE,
    ]


REAL = {run.name: run for run in captured_runs()}
REAL_TEXTS = {13: "smollm2-keys", 21: "smollm2-code", 64: "smollm2-ship"}
"""By their numbers of tokens."""


def real_name(page: AppTest) -> str:
    return str(page.session_state.cost_run)


@cache
def needed_weights(name: str) -> tuple[float, ...]:
    """For each layer the mean number of weights that surely hold 90 % of a row, in whole steps.

    A weight of q steps is from (2q − 1) / 510 to (2q + 1) / 510, and 90 % are 459 / 510.
    """
    maps = load_file(REAL[name].path)["maps"].astype(int)
    means = []
    for layer in maps:
        counts = []
        for head in layer:
            for i, row in enumerate(head):
                steps = sorted((int(q) for q in row[: i + 1]), reverse=True)
                least, rest, n = 0, sum(2 * q + 1 for q in steps), 0
                while least < 459 and 510 - rest < 459:
                    least += max(2 * steps[n] - 1, 0)
                    rest -= 2 * steps[n] + 1
                    n += 1
                counts.append(n)
        means.append(sum(counts) / len(counts))
    return tuple(means)


def real_model(match: Match, page: AppTest) -> None:
    assert REAL[real_name(page)].model == match[1]


def real_text(match: Match, page: AppTest) -> None:
    """It is part of the prompt, and the link leads to one of the run's heads."""
    run = REAL[real_name(page)]
    assert match[1] in re.sub(r"\s+", " ", run.prompt)
    assert match[2] in (None, *(head.name for head in run.heads))


@proves("""
    a token sees {seen} keys, and {needed} weights or fewer hold {percent} %. Attention computes all
    of them
""")
def real_notice(said: Values, page: AppTest) -> None:
    """A token sees itself and all before it, so that it has as many weights."""
    T = len(REAL[real_name(page)].tokens)
    assert said["percent"] == 90
    printed(said["seen"], (1 + T) / 2)
    printed(said["needed"], float(np.mean(needed_weights(real_name(page)))))


def real_alt(said: Values, page: AppTest) -> None:
    T, needed = len(REAL[real_name(page)].tokens), needed_weights(real_name(page))
    assert (said["tokens"], said["percent"]) == (T, 90)
    printed(said["seen"], (1 + T) / 2)
    for text, mean in zip(said["needed"], needed, strict=True):
        printed(text, mean)
    assert float(said["seen"]) > max(needed)


def real_try(said: Values, page: AppTest) -> None:
    """Of every two texts, most layers need a larger part of the keys in the shorter one."""
    parts = [[2 * n / (1 + T) for n in needed_weights(name)] for T, name in REAL_TEXTS.items()]
    for short, long in pairwise(parts):
        assert sum(a > b for a, b in zip(short, long, strict=True)) > len(short) / 2


def real_cache(said: Values, page: AppTest) -> None:
    """SmolLM2-135M: 30 layers, 9 heads on 3 key/value heads of 64 features."""
    T = len(REAL[real_name(page)].tokens)
    sizes = [said[name] for name in ("layers", "heads", "kv_heads", "d_k", "tokens")]
    assert sizes == [30, 9, 3, 64, T]
    assert number(said["kept"]) == sum(2 * 64 * T for _ in range(30) for _ in range(3))
    assert number(said["unshared"]) == sum(2 * 64 * T for _ in range(30) for _ in range(9))


INVENTORY = Inventory(
    "cost",
    typed={
        "cost_text": ("cat", LONG),
        "cost_tokens": ("8", "131072"),
        "cost_context": ("128", "1048576"),
    },
    claims={
        rf"Work of one layer, to scale \({SYMBOL} = (\d+) features\)$": heading_of_areas,
        r"Scores and weighted sum$": ALWAYS,
        r"Work of one layer: multiplications$|Memory of one layer: numbers held$": ALWAYS,
        r"\| count \| sentence: (\S+) \| T: (\S+) \| 2T: (\S+) \| doubled \|$": heading,
        r"\| ((?:multiplications|numbers): [\w ]+) \| (\S+) \| (\S+) \| (\S+) \| × (\d) \|$": (
            quantity
        ),
        RANDOM_WEIGHTS: drawn_with,
        r"\| batch \| rows of X \| rows of PAD \|": ALWAYS,
        r"(SmolLM2-135M-Instruct \(Q4_1\)):$": real_model,
        r"“?([^“”]*?)(?: …)?(?:” \[Open a head\]\(real-heads\?real_capture=([\w-]+)\)"
        r"|(?<=sunrise\.))$": real_text,
        r"\| (padded|packed, one square|packed, a square for each text) \| (.*) \|$": layout,
    },
    module=globals(),
    always="lede padding_in_front not_time measuring_ways origin",
    texts={"memory": held},
    panels=["fold_cost_real"],
    others=[
        {"cost_part": "work", "cost_model": "GPT-3"},
        {"cost_part": "work", "cost_model": "Llama 3 8B", "cost_context": "8192"},
        {"cost_model": "Llama 2 70B", "cost_layout": "packed", "cost_text": "red green"},
    ],
)
