"""What published models cost: their parameters, and the work of one pass over a text."""

import streamlit as st

from core.attention.configurations import CONFIGURATIONS, Configuration
from core.chapters.cost import parts
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
PARTS = {"parameters": TEXTS("parameters_part"), "work": TEXTS("work_part")}
MODEL_COST_KEYS: Keys = {
    "cost_part": Key("parameters", one_of(*PARTS)),
    "cost_model": Key("GPT-3", one_of(*parts.NAMES)),
    "cost_context": Key(2048, among(*parts.PARTS_LENGTHS)),
}


@fragment
def draw_model_costs(keys: Keys) -> None:
    """Draw the parameters of published models, or the work of one of them."""
    choose_one(TEXTS("what_is_counted"), PARTS, "cost_part")
    choose_one(TEXTS("model"), parts.NAMES, "cost_model")
    {"parameters": _parameters, "work": _work}[st.session_state.cost_part]()
    sources = "; ".join(f"{model.name}: {model.source}" for model in CONFIGURATIONS)
    say(TEXTS("sources", sources=sources))
    save_link(keys)


def _parameters() -> None:
    """Draw what training sets: attention, feed-forward and embeddings of each model."""
    model = parts.model_named(st.session_state.cost_model)
    held = model.parameters
    figure = parameters_figure({m.name: m.parameters for m in CONFIGURATIONS}, model.name)
    draw_chart(figure, "cost_parameters")
    attention, feeding, embedding = map(parts.percent_text, parts.parameter_shares(model))
    say(
        TEXTS(
            "model_parameters",
            model=model.name,
            all=billions(held.all),
            attention=billions(held.attention),
            attention_part=attention,
            feeding=billions(held.feeding),
            feeding_part=feeding,
            embedding=billions(held.embedding),
            embedding_part=embedding,
        )
    )
    compute = parts.work_shares(model, model.context)
    say(
        TEXTS(
            "parameters_notice",
            context=f"{model.context:,}",
            model=model.name,
            attention=parts.percent_text(compute.attention),
            quadratic=parts.percent_text(compute.quadratic),
        )
    )
    say(
        TEXTS(
            "model_sizes",
            layers=model.layers,
            d_model=f"{model.d_model:,}",
            heads=model.heads,
            d_head=model.d_head,
            kv_heads=model.kv_heads,
            matrices=model.matrices,
            d_ff=f"{model.d_ff:,}",
        )
    )
    _say_banded(model)


def _say_banded(model: Configuration) -> None:
    """Say that a model's layers are counted as more than they are, if they are."""
    if model.banded:
        say(TEXTS("banded", model=model.name))


def _work() -> None:
    """Draw what one pass over a text multiplies, part by part."""
    model = parts.model_named(st.session_state.cost_model)
    tokens = slide_along(TEXTS("tokens_of_a_text"), parts.PARTS_LENGTHS, "cost_context", width=420)
    half = float(model.block.half)
    shares = parts.shares_over(model, parts.PARTS_PLACES)
    draw_chart(shares_figure(model.name, parts.PARTS_PLACES, shares, half, tokens), "cost_shares")
    now = parts.work_shares(model, tokens)
    quadratic = parts.percent_text(now.quadratic)
    say(
        TEXTS(
            "model_work",
            model=model.name,
            tokens=f"{tokens:,}",
            quadratic=quadratic,
            projections=parts.percent_text(now.projections),
            feeding=parts.percent_text(now.feeding),
            beyond=not model.reads(tokens),
            most=f"{model.positions:,}",
        )
    )
    say(TEXTS("work_notice"))
    say(TEXTS("flops", flops=decimal_text(parts.per_token(model, tokens), 2)))
    say(
        TEXTS(
            "formula",
            exact=parts.is_plain(model),
            model=model.name,
            supposed=parts.percent_text(parts.estimated_share(model, tokens)),
            supposed_half=f"{parts.plain_half(model):,}",
            quadratic=quadratic,
            half=f"{half:,.0f}",
        )
    )
    say(TEXTS("not_time"))
    _say_banded(model)
