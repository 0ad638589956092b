"""What a visitor sees of a finished run: the maps of all heads, the measures, one head."""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

import numpy as np

from core.models.head_places import Place
from core.models.head_search import ScoredHeads, scored_heads
from core.models.transformer.block_trace import (
    MOST_NUMBERS,
    attention_part_trace,
    block_trace,
    feed_forward_trace,
    fits_whole,
)
from core.models.transformer.head_trace import head_trace
from core.models.transformer.prompt_run import PromptRun
from core.program.labels import token_labels
from core.program.trace import Trace
from ui.components.head_maps.head_maps import HeadMaps
from ui.models.in_memory import HOLDER, KEPT_RUNS
from ui.models.work import ModelWork

MOST_TRACE_BYTES = 8 * MOST_NUMBERS


class SeenRun:
    """A run that is over, and what was made of it to be shown. It goes with the visitor's run."""

    def __init__(self, work: ModelWork) -> None:
        assert work.checkpoint is not None
        assert work.shown is not None
        self.work = work
        self.run, self.checkpoint = work.shown, work.checkpoint
        self._scored: dict[tuple[str, bool], ScoredHeads] = {}
        self._trace: tuple[Place, Trace] | None = None
        self._layer: tuple[tuple[int, str], Trace] | None = None

    def arrays(self) -> Iterator[np.ndarray]:
        """Return what the runs and the last traces have in memory."""
        for run in {self.run, self.work.before, self.work.after}:
            if run is not None:
                yield from run.arrays()
        for kept in (self._trace, self._layer):
            if kept is not None:
                yield from kept[1].values()

    @cached_property
    def tokens(self) -> Sequence[str]:
        """The texts that the tokens of the prompt stand for."""
        return list(map(self.checkpoint.tokeniser.readable, self.run.tokens))

    @cached_property
    def maps(self) -> HeadMaps:
        """The weights of all heads, with the changes if there are any."""
        return self._maps(self.run)

    @cached_property
    def maps_before(self) -> HeadMaps | None:
        """Those of the run without changes; None if nothing is changed."""
        before = self.work.before
        return None if before is None or before is self.run else self._maps(before)

    def scored(self, measure: str) -> ScoredHeads:
        """Return a measure of every head."""
        return self._scored_of(measure, self.run)

    def leader(self, measure: str) -> Place:
        """Return the head that leads by a measure before any change, so that no change moves it."""
        return self._scored_of(measure, self.work.before or self.run).leaders[0]

    def _scored_of(self, measure: str, run: PromptRun) -> ScoredHeads:
        asked = measure, run is self.run
        if asked not in self._scored:
            self._scored[asked] = scored_heads(run.weights, self.tokens, measure)
        return self._scored[asked]

    def trace(self, place: Place) -> Trace:
        """Return the run of one head from what its layer reads; the last one is kept."""
        if self._trace is None or self._trace[0] != place:
            layer, head = place
            model = HOLDER.reader(self.checkpoint)
            made = self.run.layer(model, layer)
            self._trace = place, head_trace(model, made, head, self.run.labels, self.run.changes)
        return self._trace[1]

    @property
    def has_whole_layers(self) -> bool:
        """Whether a whole layer fits on the stage; otherwise its parts do."""
        model = HOLDER.reader(self.checkpoint)
        return fits_whole(model, len(self.run.tokens), self.run.changes)

    def layer_trace(self, layer: int) -> Trace:
        """Return the run of a whole layer. Raises `InputError` if it is too large for the stage, or
        for the memory that all visitors' runs may take.
        """
        return self._of_layer(layer, "whole", block_trace, self.run.labels, self.run.changes)

    def attention_trace(self, place: Place) -> Trace:
        """Return the first half of a layer with one of its heads. Raises `InputError`."""
        layer, head = place
        labels, changes = self.run.labels, self.run.changes
        part = f"head {head}"
        return self._of_layer(layer, part, attention_part_trace, head, labels, changes)

    def net_trace(self, layer: int, token: int) -> Trace:
        """Return the feed-forward net of a layer for one token, from 0. Raises `InputError`."""
        part = f"token {token}"
        return self._of_layer(layer, part, feed_forward_trace, self.run.labels, token)

    def _of_layer(self, layer: int, part: str, made: Callable[..., Trace], *given: object) -> Trace:
        """The run of a layer or of a part, made of what is given; the last one is kept."""
        asked = layer, part
        if self._layer is None or self._layer[0] != asked:
            self._layer = None
            KEPT_RUNS.check_room(MOST_TRACE_BYTES)
            model = HOLDER.reader(self.checkpoint)
            self._layer = asked, made(model, self.run.layer(model, layer), *given)
        return self._layer[1]

    def _maps(self, run: PromptRun) -> HeadMaps:
        labels = tuple(token_labels(self.run.labels))
        causal = self.checkpoint.settings.is_causal and run.changes.mask
        return HeadMaps(run.weights, labels, labels, causal)
