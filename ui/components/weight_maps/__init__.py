"""Small weight matrices beside each other: one components-v2 component.

A map that is pressed is opened on a stage, to which the window then goes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.program.numbers.rounding import cell_text
from ui.components.component import component
from ui.components.component_events import answer, read_event
from ui.page_texts import plain_ui_texts

_maps = component(Path(__file__).with_name("weight_maps.js"), texts=plain_ui_texts("maps"))


@dataclass(frozen=True)
class WeightMap:
    """A matrix of weights from 0 to 1: its own word, its name, and the key of its stage."""

    word: str
    name: str
    weights: Sequence[Sequence[float]]
    stage: str


def weight_maps(
    key: str,
    labels: Sequence[str],
    maps: Sequence[WeightMap],
    on_press: Callable[[str], None],
    *,
    row: int,
) -> None:
    """Draw the maps, whose rows and columns have these labels; a row of each is framed.

    `on_press` gets a map's word.
    """

    def pressed() -> None:
        word = read_event(key, "map").get("word")
        if word in {one.word for one in maps}:
            on_press(str(word))

    told = [
        vars(one) | {"texts": [[cell_text(weight) for weight in row] for row in one.weights]}
        for one in maps
    ]
    data = {"labels": list(labels), "row": row, "maps": told, **answer(key)}
    _maps(key=key, data=[data], on_map_change=pressed)
