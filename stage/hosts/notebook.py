"""The stage in a notebook cell, also in a saved notebook that has become a page."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from core.program.families import Family, Options
from core.program.mistakes import Mistake
from core.program.patterns import Cell
from core.program.trace import Trace
from core.texts import core_texts
from stage.hosts.standalone import standalone

if TYPE_CHECKING:
    from core.models import Recording

TEXTS = core_texts("stage_pages")
MOST_NUMBERS = 10_000
"""A run of more is not put on the stage unasked: each number's explanation takes a millisecond."""


@dataclass(frozen=True)
class Shown:
    """A run on its stage, as the text of a page of its own (`html`)."""

    html: str = field(repr=False)
    height: int

    def _repr_html_(self) -> str:
        """What a notebook shows: the page in a frame that can do nothing to the notebook."""
        return (
            f'<iframe srcdoc="{html.escape(self.html)}" sandbox="allow-scripts allow-downloads" '
            f'title="Attention, step by step" style="width: 100%; height: {self.height}px; '
            'border: 0"></iframe>'
        )

    def save(self, path: str | Path) -> None:
        """Write the page to a file, which any browser opens without a network."""
        Path(path).write_text(self.html, encoding="utf-8")


def show(
    source: Trace | Recording | str | Path,
    opening: tuple[str, Cell] | None = None,
    *,
    call: int | str = 0,
    head: int = 0,
    first: int = 0,
    family: Family | None = None,
    options: Options | None = None,
    keep: Mapping[str, Sequence[str]] | None = None,
    mistakes: Iterable[Mistake] = (),
    cover: str = "",
    height: int = 900,
) -> Shown:
    """A run on its stage: `show(trace)` as the last line of a notebook's cell.

    Or one head of a recording, or of a recording's file: `call`, `head` and `first` say which, as
    in `Recording.trace`; a run needs none of them.

    It opens at the first step, or at the array and cell of `opening`. `family`, `options` and
    `keep` say what can be switched, `mistakes` what is recognised, and `cover` what is covered, as
    for `standalone`; `height` is in pixels.
    """
    trace = source if isinstance(source, Trace) else _recorded_head(source, call, head, first)
    begins = trace.program.phases[0].main
    there = opening or (begins, (0,) * trace[begins].ndim)
    page = standalone(
        trace, there, family=family, options=options, keep=keep, mistakes=mistakes, cover=cover
    )
    return Shown(page, height)


def _recorded_head(source: Recording | str | Path, call: int | str, head: int, first: int) -> Trace:
    """One head of a recording, or of its file."""
    from core.models import open_recording  # a page that shows runs needs none of it

    recording = open_recording(source) if isinstance(source, str | Path) else source
    return recording.trace(call, head, first)


def in_a_cell(trace: Trace) -> str:
    """What a notebook shows of a run that is a cell's result: its stage, if it is small enough."""
    numbers = sum(values.size for values in trace.values())
    if numbers <= MOST_NUMBERS:
        return show(trace)._repr_html_()
    said = TEXTS("too_long_for_a_cell", numbers=f"{numbers:,}", most=f"{MOST_NUMBERS:,}")
    return f"<p>{html.escape(said)}</p>"
