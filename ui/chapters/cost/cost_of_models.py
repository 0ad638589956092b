"""What published models cost: their parameters, and the work of one pass over a text."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from core.attention.configurations import CONFIGURATIONS, Configuration, Parameters
from core.chapters.cost import growth
from core.chapters.cost.growth import percent_text
from core.program.numbers.rounding import decimal_text
from ui.chapters.cost.cost_growth import names_above
from ui.charts.colours import BLUE, INK, NEUTRAL, TEXT_COLOUR, WITH, WITHOUT
from ui.charts.framing import (
    LETTERS,
    NO_NAME,
    Chart,
    draw_chart,
    framed,
    kept,
    log_axis,
    note,
    titled_axis,
    upright_line,
)
from ui.links.links import Key, Keys, among, one_of
from ui.links.session import save_link
from ui.page.controls import choose_one, slide_along
from ui.page.prose import say
from ui.page_texts import chart_texts, page_texts
from ui.server.fragments import fragment

CHARTS = chart_texts("cost")
PROJECTIONS, PAIRS = (CHARTS("projections"), WITH, ""), (CHARTS("pairs"), WITHOUT, "/")
PARTS_OF_WORK = (PROJECTIONS, (CHARTS("feeding"), BLUE, "."), PAIRS)
"""Name, colour and pattern of each part of the work."""
BILLION = 10**9
FAINT = 0.45
"""How strong a pattern is, so that a number on it is legible."""


@kept
def parameters_figure(counted: Mapping[str, Parameters], chosen: str) -> Chart:
    """For each model a bar of 100 %: attention, feed-forward and embeddings; one is `chosen`."""
    names = [
        f"{f'<b>{name}</b>' if name == chosen else name}<br>{billions(of.all)}"
        for name, of in counted.items()
    ]
    bars, spoken = [], []
    series = (
        (CHARTS("attention"), [p.attention for p in counted.values()], WITH, ""),
        (CHARTS("feeding"), [p.feeding for p in counted.values()], BLUE, "."),
        (CHARTS("embeddings"), [p.embedding for p in counted.values()], NEUTRAL, "x"),
    )
    totals = [of.all for of in counted.values()]
    for name, counts, colour, pattern in series:
        parts = [100 * count / total for count, total in zip(counts, totals, strict=True)]
        bars.append(
            go.Bar(
                y=names, x=parts, name=name, orientation="h",
                text=[f"<b>{decimal_text(part, 1)}</b>" if part >= 10 else "" for part in parts],
                textposition="inside", insidetextanchor="middle", textangle=0,
                textfont={"color": INK, "size": LETTERS}, constraintext="none",
                customdata=[billions(count) for count in counts],
                marker={
                    "color": colour,
                    "pattern": _pattern(pattern, fillmode="overlay"),
                    "line": {"color": INK, "width": [2 if m == chosen else 0 for m in counted]},
                },
                hovertemplate=CHARTS("parameters_hover", name=name) + NO_NAME,
            )
        )  # fmt: skip
    for model, of in counted.items():
        shares = (of.attention / of.all, of.feeding / of.all, of.embedding / of.all)
        spoken.append((model, billions(of.all), *map(percent_text, shares)))
    return framed(
        bars,
        CHARTS("parameters_alt", models=len(counted), chosen=chosen, bars=spoken),
        height=90 + 62 * len(counted),
        barmode="stack",
        bargap=0.28,
        annotations=_names_of_parts(bars),
        xaxis=titled_axis(CHARTS("parameters_axis"), range=[0, 100]),
        yaxis={"autorange": "reversed", "ticksuffix": " "},
    )


@kept
def shares_figure(
    model: str, lengths: Sequence[int], shares: Sequence[Sequence[float]], half: float, now: int
) -> Chart:
    """Each part in % of the multiplications, stacked, against T on a logarithmic axis.

    Two lines are drawn across: where scores and weighted sum take a `half`, and the chosen T.
    """
    drawn, parts, at = [], [], list(lengths).index(now)
    for (name, colour, pattern), part in zip(PARTS_OF_WORK, shares, strict=True):
        fill = _pattern(pattern, bgcolor=colour, fillmode="replace") if pattern else None
        look = {"line": {"color": colour, "width": 1}, "fillcolor": colour, "fillpattern": fill}
        percents, hover = [100 * share for share in part], CHARTS("part_hover", name=name) + NO_NAME
        area = go.Scatter(x=list(lengths), y=percents, name=name, mode="lines", stackgroup="work")
        drawn.append(area.update(hovertemplate=hover, **look))
        parts.append((name, percent_text(part[at])))
    ends = {"first": lengths[0], "last": lengths[-1], "tokens": now}
    counts = {name: f"{count:,}" for name, count in ends.items()}
    marks = CHARTS("mark", name="T", tokens=f"{now:,}"), CHARTS("half", tokens=f"{half:,.0f}")
    return framed(
        drawn,
        CHARTS("shares_alt", model=model, parts=parts, half=f"{half:,.0f}", **counts),
        height=340,
        xaxis=log_axis(CHARTS("tokens_axis"), (128, 1024, 8192, 65536, 524288))
        | {"range": [math.log10(lengths[0]), math.log10(lengths[-1])]},
        yaxis=titled_axis(CHARTS("work_axis"), range=[0, 100]),
        shapes=[
            upright_line(now, TEXT_COLOUR, 1.5, dash="dot"),
            upright_line(half, TEXT_COLOUR, 1.5, dash="solid"),
        ],
        annotations=[*names_above((now, half), marks), *_names_of_areas(lengths, shares)],
    )


def _names_of_parts(bars: Sequence[go.Bar]) -> list[dict[str, Any]]:
    """Return the name of each part, above that part of the first bar."""
    notes, begun = [], 0.0
    for bar in bars:
        above = {"yref": "paper", "y": 1, "yanchor": "bottom", "xanchor": "center"}
        notes.append(note(bar.name, x=begun + bar.x[0] / 2, **above))
        begun += bar.x[0]
    return notes


def _names_of_areas(
    lengths: Sequence[int], shares: Sequence[Sequence[float]]
) -> list[dict[str, Any]]:
    """Return the name of each part, where its area is highest and has room on both sides."""
    notes = []
    inside = range(len(lengths) // 4, len(lengths) - len(lengths) // 4)
    for n, ((name, colour, _), part) in enumerate(zip(PARTS_OF_WORK, shares, strict=True)):
        at = max(inside, key=lambda place: part[place])
        below = sum(other[at] for other in shares[:n])
        place = {"x": math.log10(lengths[at]), "y": 100 * (below + part[at] / 2)}
        look = {"font": {"color": INK, "size": LETTERS}, "bgcolor": colour}
        notes.append(note(name, **place, **look))
    return notes


def _pattern(shape: str, **more: str) -> dict[str, Any]:
    """The pattern of an area, faint enough for the number on it."""
    return {"shape": shape, "size": 9, "solidity": 0.1, "fgcolor": INK, "fgopacity": FAINT} | more


def billions(count: int) -> str:
    """Return a number of parameters in words: 174.59 billion, 124.32 million."""
    if count >= BILLION:
        return CHARTS("billions", number=decimal_text(count / BILLION))
    return CHARTS("millions", number=decimal_text(count / 10**6))


TEXTS = page_texts("cost")
COUNTED = ("attention", "feeding", "embedding")
TAB_TITLES = {"parameters": TEXTS("parameters_part"), "work": TEXTS("work_part")}
MODEL_COST_KEYS: Keys = {
    "cost_part": Key("parameters", one_of(*TAB_TITLES)),
    "cost_model": Key("GPT-3", one_of(*growth.NAMES)),
    "cost_context": Key(2048, among(*growth.PARTS_LENGTHS)),
}


@fragment
def draw_model_costs(keys: Keys) -> None:
    """Draw the parameters of published models, or the work of one of them."""
    choose_one(TEXTS("what_is_counted"), TAB_TITLES, "cost_part")
    choose_one(TEXTS("model"), growth.NAMES, "cost_model")
    {"parameters": _parameters, "work": _work}[st.session_state.cost_part]()
    sources = "; ".join(f"{model.name}: {model.source}" for model in CONFIGURATIONS)
    say(TEXTS("sources", sources=sources))
    save_link(keys)


def _parameters() -> None:
    """Draw what training sets: attention, feed-forward and embeddings of each model."""
    model = growth.model_named(st.session_state.cost_model)
    held = model.parameters
    figure = parameters_figure({m.name: m.parameters for m in CONFIGURATIONS}, model.name)
    draw_chart(figure, "cost_parameters")
    counts = {name: billions(getattr(held, name)) for name in ("all", *COUNTED)}
    shares = zip(COUNTED, growth.parameter_shares(model), strict=True)
    counts |= {f"{name}_part": growth.percent_text(share) for name, share in shares}
    say(TEXTS("model_parameters", model=model.name, **counts))
    compute = growth.work_shares(model, model.context)
    work = {
        name: growth.percent_text(getattr(compute, name)) for name in ("attention", "quadratic")
    }
    say(TEXTS("parameters_notice", context=f"{model.context:,}", model=model.name, **work))
    sizes = {name: getattr(model, name) for name in ("layers", "heads", "d_head", "kv_heads")}
    widths = {name: f"{getattr(model, name):,}" for name in ("d_model", "d_ff")}
    say(TEXTS("model_sizes", matrices=model.matrices, **sizes, **widths))
    _say_banded(model)


def _say_banded(model: Configuration) -> None:
    """Say that a model's layers are counted as more than they are, if they are."""
    if model.banded:
        say(TEXTS("banded", model=model.name))


def _work() -> None:
    """Draw what one pass over a text multiplies, part by part."""
    model = growth.model_named(st.session_state.cost_model)
    tokens = slide_along(TEXTS("tokens_of_a_text"), growth.PARTS_LENGTHS, "cost_context", width=420)
    half = float(model.block.half)
    shares = growth.shares_over(model, growth.PARTS_PLACES)
    draw_chart(shares_figure(model.name, growth.PARTS_PLACES, shares, half, tokens), "cost_shares")
    now = growth.work_shares(model, tokens)
    names = ("quadratic", "projections", "feeding")
    percents = {name: growth.percent_text(getattr(now, name)) for name in names}
    beyond = {"beyond": not model.reads(tokens), "most": f"{model.positions:,}"}
    say(TEXTS("model_work", model=model.name, tokens=f"{tokens:,}", **percents, **beyond))
    say(TEXTS("work_notice"))
    say(TEXTS("flops", flops=decimal_text(growth.per_token(model, tokens), 2)))
    found = {"quadratic": percents["quadratic"], "half": f"{half:,.0f}"}
    supposed = growth.percent_text(growth.estimated_share(model, tokens))
    found |= {"supposed": supposed, "supposed_half": f"{growth.plain_half(model):,}"}
    say(TEXTS("formula", exact=growth.is_plain(model), model=model.name, **found))
    say(TEXTS("not_time"))
    _say_banded(model)
