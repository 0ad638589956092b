"""Matrices as pictures in a row, each a link to its place on a stage: one components-v2 component.

A press goes there at once, in the browser: a stage takes links to its cells.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stage.hosts.component import palette
from ui.components.component import THEME, component

_maps = component(
    Path(__file__).with_name("maps.js"), "small_maps", before=f"{palette('fill')}\n{THEME}"
)


@dataclass(frozen=True)
class Picture:
    """What is drawn of a place on the stage, and what is said of it."""

    name: str
    place: str
    """An array or a cell: `weights`, `weights.0.2.1`."""
    matrices: Sequence[Mapping[str, Any]]
    """As of `stage.document.document.miniature`; `beside` may have a text for each row."""
    said: Sequence[str] = ()
    """A sentence cut up as of `core.program.labels.sentence_parts`."""


def draw_maps(
    key: str,
    pictures: Sequence[Picture],
    stage: str,
    *,
    title: str,
    high: int,
    chosen: int | None = None,
    row: int | None = None,
    labels: Sequence[str] = (),
) -> None:
    """Draw the pictures, so many pixels high; the chosen one (from 0) is framed.

    `stage` is the key of the stage they lead to. `row` is framed in every matrix; `labels` name the
    rows. What is drawn hides while anything is covered on a stage if the key begins with `beside_`.
    """
    data = {
        "pictures": [vars(picture) for picture in pictures],
        "stage": stage,
        "title": title,
        "high": high,
        "chosen": chosen,
        "row": row,
        "labels": list(labels),
    }
    _maps(key=key, data=[data], width="content")
