"""The loss curve of a training as a slider, and the maps of all heads at the chosen step.

One components-v2 component. All kept steps are in the browser, so that it answers by itself; it
reports the step that was chosen.
"""

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from core.models.head_places import Place
from core.program.numbers.rounding import operand_text
from ui.components.component import BARS, component
from ui.components.component_events import answer, read_event
from ui.components.data_channel import carry
from ui.components.head_maps.head_maps import PAINTED, PackedMap, packed_weights

_curve = component(Path(__file__).with_name("training_curve.js"), before=f"{BARS}\n{PAINTED}")

MOST_POINTS = 240
"""A line is drawn through so many points at most."""
NAME_ROOM = 0.14
"""How far apart the names of two lines are at least, in parts of the height of the plot."""
MOST_TICKS = 5

HeadLabel = tuple[str, int]
"""What a head does, and how much of its weight does it, in percent."""


@dataclass(frozen=True, eq=False)
class ShownTraining:
    """A training as it is drawn. `said`, `weights` and `heads` have an entry for each kept step."""

    name: str
    """Empty if there is only one training."""
    losses: Float[np.ndarray, "steps"]
    """In nats, of each step from 0."""
    said: tuple[str, ...]
    weights: Float[np.ndarray, "kept L H T T"]
    heads: Sequence[Sequence[Sequence[HeadLabel | None]]]
    """Of each kept step, layer and head."""
    causal: bool
    """Whether cells above the diagonal are drawn as hidden."""

    def __post_init__(self) -> None:
        said, weights, heads = len(self.said), len(self.weights), len(self.heads)
        if not said == weights == heads:
            raise ValueError(f"kept: {said}, {weights}, {heads}")

    @cached_property
    def packed(self) -> PackedMap:
        """The maps of all kept steps, packed."""
        return packed_weights(self.weights, self.causal)


def training_curve(
    key: str,
    trainings: Sequence[ShownTraining],
    steps: tuple[int, ...],
    tokens: tuple[str, ...],
    chosen: int,
    on_choice: Callable[[int], None],
    *,
    off: Collection[Place] = (),
    title: str,
) -> None:
    """Draw one or two trainings at the kept step `chosen`, an index into `steps`.

    `key` ends in `maps`. The `tokens` are those of the maps. `on_choice` gets another index. Heads
    that are `off` are struck. Raises `ValueError` if a training was kept at another number of
    steps.
    """

    def moved() -> None:
        step = read_event(key, "step").get("step")
        if isinstance(step, int) and 0 <= step < len(steps):
            on_choice(step)

    if any(len(one.said) != len(steps) for one in trainings):
        raise ValueError(f"{len(steps)} steps, {[len(one.said) for one in trainings]} kept")
    drawn = {"title": title, "tokens": tokens, **_drawn(trainings, steps)}
    about = sha256(json.dumps(drawn).encode()).hexdigest()[:16]
    state = {"about": about, "chosen": chosen, "off": [list(place) for place in off]}
    news = {"drawn": drawn | {"about": about}, "state": state | answer(key)}
    carry(key, {name: json.dumps(said) for name, said in news.items()})
    _curve(key=key, data=[{"key": key}], on_step_change=moved)


def _drawn(trainings: Sequence[ShownTraining], steps: tuple[int, ...]) -> dict[str, Any]:
    """Return the plot, whose places are parts of its width and height, and the maps."""
    last = max(len(one.losses) for one in trainings) - 1
    most = max(float(one.losses.max()) for one in trainings)
    lines = [curve_points(one.losses, last, most) for one in trainings]
    places = np.array(steps) / max(last, 1)
    return {
        "steps": steps,
        "places": _short(places),
        "ticks": {"step": axis_ticks(last), "loss": axis_ticks(most)},
        "trainings": [
            {
                "name": one.name,
                "line": [_short(axis) for axis in line],
                "dots": _short(np.interp(places, *line)),
                "at": at,
                "said": one.said,
                "heads": one.heads,
                "maps": one.packed,
            }
            for one, line, at in zip(trainings, lines, name_places(lines), strict=True)
        ],
    }


def curve_points(
    losses: Float[np.ndarray, "steps"], last: int, most: float
) -> Float[np.ndarray, "2 points"]:
    """Return places of steps and of losses, from 0 to 1; of many, the means of neighbours."""
    each = ceil(len(losses) / MOST_POINTS)
    starts = np.arange(0, len(losses), each)
    sizes = np.diff(np.append(starts, len(losses)))
    both = np.stack([np.arange(len(losses)) / max(last, 1), losses / (most or 1)])
    points: np.ndarray = np.add.reduceat(both, starts, axis=1) / sizes
    return points


def name_places(lines: Sequence[Float[np.ndarray, "2 points"]]) -> list[float]:
    """Return how high the names of lines are written: at their ends, but not over each other."""
    ends = np.array([line[1, -1] for line in lines])
    highest = np.arange(len(ends)) == ends.argmax()
    places = np.where(highest, np.maximum(ends, ends.min() + NAME_ROOM), ends)
    return _short(places if len(ends) > 1 else ends)


def axis_ticks(most: float) -> list[tuple[float, str]]:
    """Return the places, from 0 to 1, and the texts of round numbers from 0 to `most`."""
    if not most:
        return [(0.0, "0")]
    power = 10.0 ** np.floor(np.log10(most / MOST_TICKS))
    unit = next(power * size for size in (1, 2, 5, 10) if most / (power * size) <= MOST_TICKS)
    numbers = unit * np.arange(int(most / unit + 1e-9) + 1)
    return [(float(number / most), operand_text(float(number), 2)) for number in numbers]


def _short(numbers: np.ndarray) -> list[float]:
    """Numbers from 0 to 1 with as many digits as a screen needs."""
    return [round(float(number), 4) for number in numbers]
