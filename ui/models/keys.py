"""What a link of the page of models says: the model, the prompt, the changes, the head."""

from core.errors import input_error
from core.limits import MOST_MAPPED, MOST_POSITIONS, MOST_REAL_HEADS
from core.models.head_places import Place, place_text, read_place
from core.models.transformer.model_programs import HALVES, head_program
from core.models.transformer.settings import QKV_BIASES
from core.pytorch.recorded_call import MOST_CALLS
from ui.components.head_maps.measured import MEASURES
from ui.links.links import Key, Keys, one_of, text_of, whole_number_reader
from ui.page_texts import plain_ui_texts
from ui.stage.exhibit import exhibit_keys

TEXTS = plain_ui_texts("models")
PROMPT = TEXTS("prompt")
ON, OFF = "on", "off"
LAYER_PARTS = ATTENTION, NET = "attention", "net"
"""Of a layer that is too large for one stage."""
MOST_OFF = 64
"""Heads that are switched off at a time."""
LONGEST_NAME = 200
_WIDEST = head_program(biases=QKV_BIASES, rope=HALVES)
"""Its names are those of every model's heads."""


def offer_name(key: str, text: str) -> str:
    """A reader of a model's name. Whether there is such a model, the page finds out."""
    if len(text) > LONGEST_NAME:
        raise input_error(TEXTS, "long_name", key=key, count=len(text), most=LONGEST_NAME)
    return text


def place_key(key: str, text: str) -> str:
    """A reader of a layer and a head."""
    read_place(key, text)
    return text


def places_key(key: str, text: str) -> str:
    """A reader of layers and heads with commas between, each once and in order."""
    found = read_places(key, text)
    if len(found) > MOST_OFF:
        raise input_error(TEXTS, "many_off", count=len(found), most=MOST_OFF)
    return places_text(found)


def read_places(key: str, text: str) -> frozenset[Place]:
    """Return the layers and heads that a link names, from 0. Raises `InputError`."""
    each = (read_place(key, one) for one in text.split(",") if one)
    return frozenset(place for place in each if place)


def places_text(places: frozenset[Place]) -> str:
    """Return layers and heads as a link has them."""
    return ",".join(map(place_text, sorted(places)))


STAGE_PREFIX, LAYER_PREFIX = "model_", "layer_"
OF_LAYER: Keys = {
    "model_part": Key(LAYER_PARTS[0], one_of(*LAYER_PARTS)),
    "model_token": Key(1, whole_number_reader(1, MOST_POSITIONS)),
    **exhibit_keys(_WIDEST, "", LAYER_PREFIX, MOST_REAL_HEADS, like=r"\w+"),
}
"""The stage of a whole layer: its arrays depend on the kind of model."""
MODELS_PAGE_KEYS: Keys = {
    "model": Key("", offer_name),
    "model_text": Key(PROMPT, text_of),
    "model_off": Key("", places_key),
    "model_mask": Key(ON, one_of(ON, OFF)),
    "model_scale": Key(ON, one_of(ON, OFF)),
    "model_measure": Key(MEASURES[0], one_of(*MEASURES)),
    "model_place": Key("", place_key),
    "model_shape": Key(1, whole_number_reader(1, MOST_CALLS)),
    "model_first": Key(1, whole_number_reader(1, MOST_MAPPED)),
    **exhibit_keys(_WIDEST, "weights", STAGE_PREFIX, 1),
    **OF_LAYER,
}
