"""What published models cost: their parameters, and the work of one pass over a text."""

import streamlit as st

from core.attention.configurations import CONFIGURATIONS, Configuration
from core.chapters.cost import growth
from core.program.numbers.rounding import decimal_text
from ui.chapters.cost.cost_of_models import billions, parameters_figure, shares_figure
from ui.charts.framing import draw_chart
from ui.links.links import Key, Keys, among, one_of
from ui.links.session import save_link
from ui.page.controls import choose_one, slide_along
from ui.page.prose import say
from ui.page_texts import page_texts
from ui.server.fragments import fragment

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
