"""The steps of a run as pictures, each a link to its step on the stage."""

from collections.abc import Mapping, Sequence

import numpy as np

from core.program.labels import cell_id
from stage.document.colour_levels import miniature
from stage.document.places import carried
from ui.components.maps import Picture, draw_maps
from ui.links.stage_position import View


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
    ]  # fmt: skip
    draw_maps(key, pictures, stage, title=title, high=high, chosen=program.phase(view.array))
