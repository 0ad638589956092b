"""A button that plays: one value of a control after another, as fast as the page can show them.

One components-v2 component. The browser keeps the time; each value is told to the page, and the
next one only when that has been shown.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

from ui.components.component import component
from ui.components.component_events import answer, read_event

_player = component(Path(__file__).with_name("player.js"))


def player(
    key: str, title: str, values: Sequence[int], now: int, on_value: Callable[[int], None]
) -> None:
    """Draw the button. It plays the `values` after the one shown `now`; from the first, where that
    is the last. `on_value` gets each.
    """

    def played() -> None:
        value = read_event(key, "value").get("value")
        if isinstance(value, int) and value in values:
            on_value(value)

    data = {"title": title, "values": list(values), "now": now, "stop": "Stop", **answer(key)}
    _player(key=key, data=[data], on_value_change=played)
