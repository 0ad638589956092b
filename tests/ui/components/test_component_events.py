"""What a browser says of a choice: each that a component offers is heard, and no other."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pytest

from core.chapters.one_query.cached import cached_writing
from tests.ui.components.test_training_curve import STEPS, a_training
from ui.components import cache_rows, graph, layer_diagram, player, training_curve, weight_maps

TOKENS = ("The", "cat", "sat")
WRITING = cached_writing(" ".join(TOKENS), 0)
PLACES = [(0.0, 0.0)] * 3
MAPS = [weight_maps.WeightMap(word, word, [[1.0]], "stage") for word in ("one", "two")]
BEYOND = [-1, 3, "1", 1.0, None, [1]]
Draw = Callable[[Callable[[Any], None]], None]


def drawn_graph(on: str, heard: Callable[[Any], None]) -> None:
    more: dict[str, Any] = {on: heard}
    graph.graph("a", TOKENS, PLACES, [], "stage", title="T", drawn="1" * 9, **more)


CHOICES: list[tuple[str, str, str, Draw, Sequence[Any], Sequence[Any]]] = [
    ("cache_rows._rows", "token", "token", lambda heard: (
        cache_rows.cache_rows("a", TOKENS, WRITING, 2, again=False, on_token=heard)
    ), range(3), BEYOND),
    ("layer_diagram._layer", "token", "token", lambda heard: (
        layer_diagram.layer_diagram("a", TOKENS, [], 1, heard)
    ), range(3), BEYOND),
    ("graph._graph", "node", "node", partial(drawn_graph, "on_node"), range(3), BEYOND),
    ("graph._graph", "drawn", "bits", partial(drawn_graph, "on_drawn"),
     ["0" * 9, "1" * 9, "100110111"], ["1" * 8, "1" * 10, "10011011x", "", None, 111111111]),
    ("player._player", "value", "value", lambda heard: (
        player.player("a", "T", [2, 4, 8], 4, heard)
    ), [2, 4, 8], [3, 0, 16, "4", None]),
    ("weight_maps._maps", "map", "word", lambda heard: (
        weight_maps.weight_maps("a", ["a"], MAPS, heard, row=0)
    ), ["one", "two"], ["three", "", None, 1]),
    ("training_curve._curve", "step", "step", lambda heard: (
        training_curve.training_curve("a", [a_training()], STEPS, TOKENS, 0, heard, title="T")
    ), range(3), BEYOND),
]  # fmt: skip


@pytest.mark.parametrize(
    ("component", "event", "says", "draw", "offered", "refused"),
    CHOICES,
    ids=[f"{component}-{event}" for component, event, *_ in CHOICES],
)
def test_each_offered_choice_is_heard_and_no_other(
    monkeypatch: pytest.MonkeyPatch, component: str, event: str, says: str, draw: Draw,
    offered: Sequence[Any], refused: Sequence[Any],
) -> None:  # fmt: skip
    given: dict[str, Any] = {}
    monkeypatch.setattr(f"ui.components.{component}", lambda **options: given.update(options))
    heard: list[Any] = []
    for value in (*offered, *refused):
        said = {event: {"visit": "now", "number": 1, says: value}}
        monkeypatch.setattr("streamlit.session_state", {"visit": "now", "a": said})
        draw(heard.append)
        given[f"on_{event}_change"]()
    assert heard == list(offered)
