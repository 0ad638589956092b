"""The captured heads of the chapter on real heads, as cards."""

from core.models.captures import load_capture
from core.models.head_words import head_title, measured_texts
from ui.components.head_maps.cards import HeadCard
from ui.page_texts import chart_texts

NAMES = chart_texts("real_heads")


def gallery_card(name: str) -> HeadCard:
    """Return a captured head as a card of the gallery."""
    capture = load_capture(name)
    (chosen, *others), causal = measured_texts(capture), capture.run.mask == "causal"
    measured = NAMES("measured", own=chosen.percent, others=[one.percent for one in others])
    return HeadCard(name, head_title(capture), chosen.text, measured, capture.weights, causal)


def gallery_group(model: str, *, causal: bool) -> str:
    """Return what stands above the cards of a model."""
    return NAMES("group", model=short_name(model), causal=causal)


def short_name(model: str) -> str:
    """Return a model's name without the kind of its stored numbers."""
    return model.partition(" (")[0]
