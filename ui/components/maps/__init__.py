"""Matrices as pictures in a row, each a link to its place on a stage: one components-v2 component.

A press goes there at once, in the browser: a stage takes links to its cells.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from core.program.labels import cell_id, head_name, position_labels
from stage.document.colour_levels import miniature
from stage.document.places import carried
from stage.document.ribbon import ribbons
from stage.hosts.component import palette
from ui.components.component import THEME, component
from ui.links.stage_position import View
from ui.page_texts import plain_ui_texts

_maps = component(
    Path(__file__).with_name("maps.js"), "small_maps", before=f"{palette('fill')}\n{THEME}"
)

TEXTS = plain_ui_texts("maps")
MOST_LABELS, MOST_SAID = 8, 8
HIGH = ((4, 132), (8, 96), (64, 66))
"""How high the pictures are, in pixels, for at most so many."""


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
    data = {"title": title, "high": high, "chosen": chosen, "row": row, "labels": list(labels)}
    data |= {"pictures": [vars(picture) for picture in pictures], "stage": stage}
    _maps(key=key, data=[data], width="content")


def step_maps(
    key: str, view: View, stage: str, *, title: str, high: int,
    beside: Mapping[str, Sequence[Sequence[str]]],
) -> None:  # fmt: skip
    """Draw the phases of the run that is looked at; the one on show is framed.

    `beside` says for an array what stands beside the rows of each of its matrices.
    """
    trace = view.trace
    program = trace.program
    pictures = [
        Picture(
            f"{number} {phase.title}",
            cell_id(phase.main, carried(trace, phase.main, view.name, view.cell, view.slices)),
            [
                {**miniature(trace, name, outer), "beside": texts}
                for name in phase.miniatures
                for outer, texts in zip(
                    np.ndindex(trace[name].shape[:-2]),
                    beside.get(name, [()] * trace[name][..., 0, 0].size),
                    strict=True,
                )
            ],
        )
        for number, phase in enumerate(program.phases, 1)
    ]
    draw_maps(key, pictures, stage, title=title, high=high, chosen=program.phase(view.array))


def maps_of_view(key: str, view: View, stage: str) -> None:
    """Draw the weights of every head of the run that is looked at; the head on show is framed."""
    trace = view.trace
    ribbon = ribbons(trace)[0]
    name = ribbon["array"]
    weights, (head, query) = trace[name], trace.program.letters[name][:2]
    row = looked_at_row(view, name)
    heads, rows = weights.shape[:2]
    pictures = [
        Picture(
            head_name(trace, head, h).capitalize(),
            cell_id(name, (h, row, int(weights[h, row].argmax()))),
            [miniature(trace, name, (h,))],
            ribbon["said"][h * rows + row] if heads <= MOST_SAID else (),
        )
        for h in range(heads)
    ]
    draw_maps(
        key, pictures, stage,
        title=TEXTS("heads"),
        high=next(high for most, high in HIGH if heads <= most),
        chosen=view.head, row=row,
        labels=position_labels(trace, query) if rows <= MOST_LABELS else (),
    )  # fmt: skip


def looked_at_row(view: View, weights: str) -> int:
    """Return the query (from 0) that is looked at, as a row of these weights."""
    return carried(view.trace, weights, view.name, view.cell, view.slices)[-2]
