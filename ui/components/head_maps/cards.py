"""Heads to choose from, each a card with the map of its weights: one components-v2 component."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Float

from core.models.captures import load_capture
from core.models.head_words import head_title, measured_texts
from ui.components.component import component
from ui.components.component_events import answer, read_event
from ui.components.head_maps.head_maps import PAINTED, map_legend, packed_weights
from ui.page_texts import chart_texts

_cards = component(Path(__file__).with_name("cards.js"), "head_cards", before=PAINTED)
NAMES = chart_texts("real_heads")


@dataclass(frozen=True, eq=False)
class HeadCard:
    """A head: its word, its name, the text it reads, its measures in percent, and its weights."""

    word: str
    name: str
    text: str
    measured: str
    weights: Float[np.ndarray, "T T"]
    causal: bool


def head_cards(
    key: str,
    groups: Mapping[str, Sequence[HeadCard]],
    chosen: str,
    on_choice: Callable[[str], None],
    *,
    title: str,
) -> None:
    """Draw groups of cards, each under its name. `on_choice` gets the word of a head.

    What the colours of the maps mean stands below.
    """
    words = {card.word for cards in groups.values() for card in cards}

    def pressed() -> None:
        word = read_event(key, "head").get("word")
        if word in words:
            on_choice(str(word))

    data = {
        "title": title,
        "legend": map_legend(),
        "groups": [[name, list(map(_card_data, cards))] for name, cards in groups.items()],
        "chosen": chosen,
        **answer(key),
    }
    _cards(key=key, data=[data], on_head_change=pressed)


def _card_data(card: HeadCard) -> dict[str, object]:
    about = {name: getattr(card, name) for name in ("word", "name", "text", "measured")}
    return about | packed_weights(card.weights, card.causal)


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
