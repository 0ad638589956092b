"""The weights of every head as pictures, each a link to what the chosen query reads most."""

from core.program.labels import cell_id, head_name, position_labels
from stage.document.colour_levels import miniature
from stage.document.places import carried
from stage.document.ribbon import ribbons
from ui.components.maps import Picture, draw_maps
from ui.links.stage_position import View
from ui.page_texts import plain_ui_texts

TEXTS = plain_ui_texts("maps")
MOST_LABELS, MOST_SAID = 8, 8
HIGH = ((4, 132), (8, 96), (64, 66))
"""How high the pictures are, in pixels, for at most so many."""


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
