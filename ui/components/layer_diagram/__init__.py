"""A layer as a picture: its boxes in order, and the tokens' rows as lines through them.

One components-v2 component. A box is a link to its step on the stage. Which token's row is another,
and so which rows change, is seen at once; `layer_diagram` reports the token.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

from core.chapters.block.stack import Box
from ui.components.component import component
from ui.components.component_events import answer, read_event
from ui.page_texts import chart_texts

_layer = component(Path(__file__).with_name("layer_diagram.js"), texts=chart_texts("block"))


def layer_diagram(
    key: str,
    labels: Sequence[str],
    boxes: Sequence[Box],
    changed: int,
    on_changed: Callable[[int], None],
) -> None:
    """Draw the boxes and the rows of the tokens; the row of the token `changed` is another.

    `on_changed` gets another token, counted from 0.
    """

    def pressed() -> None:
        token = read_event(key, "token").get("token")
        if isinstance(token, int) and 0 <= token < len(labels):
            on_changed(token)

    data = {"labels": list(labels), "boxes": [vars(box) for box in boxes], "chosen": changed}
    _layer(key=key, data=[data | answer(key)], on_token_change=pressed)
