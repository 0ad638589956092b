"""Runs of a model that are computed beside the page: in a queue, layer by layer."""

import logging
from collections import OrderedDict
from collections.abc import Generator, Iterator
from typing import Protocol
from weakref import WeakKeyDictionary

import numpy as np

from core.errors import InputError, input_error
from core.models.checkpoints.opening import Checkpoint
from core.models.checkpoints.tokeniser import Encoded
from core.models.offers import Offer
from core.models.transformer.changes import UNCHANGED, ModelChanges
from core.models.transformer.model import TransformerModel
from core.models.transformer.prompt_run import PromptRun, run_bytes, run_prompt
from ui.models.in_memory import HOLDER, KEPT_RUNS
from ui.models.offered_models import PAUSE, Progress
from ui.page_texts import plain_ui_texts
from ui.server.queue import Queue

TEXTS = plain_ui_texts("models")
MODEL_RUNS = Queue()
"""Everybody's runs, one at a time."""
MOST_KEPT = 8
SMALL = 4_000_000
"""Bytes of a run that is kept for others who ask for the same: a class opens one link."""
Asked = tuple[str, ModelChanges]
_SMALL_RUNS: WeakKeyDictionary[Checkpoint, OrderedDict[Asked, PromptRun]] = WeakKeyDictionary()
"""Of each checkpoint that somebody still looks at, by the prompt and the changes."""


class MadeOfRun(Protocol):
    """What was made of a run to be shown."""

    def arrays(self) -> Iterator[np.ndarray]:
        """Return what it has in memory, the runs that it shows included."""


class ModelWork:
    """One visitor's run of a model on a prompt, and the run with changes next to it.

    `earlier` is the visitor's last one of the same model. What is seen of it is taken over until
    there is more to see. So is its run without changes, if it is of the same prompt and the files
    of the model are still the same.
    """

    def __init__(
        self,
        offer: Offer,
        prompt: str,
        changes: ModelChanges = UNCHANGED,
        earlier: "ModelWork | None" = None,
    ) -> None:
        self.offer, self.prompt, self.changes = offer, prompt, changes
        same = earlier if earlier is not None and earlier.is_of(offer, prompt) else None
        self.before: PromptRun | None = same.before if same else None
        self.after: PromptRun | None = None
        self.checkpoint: Checkpoint | None = same.checkpoint if same else None
        """That of the runs."""
        self.error: InputError | None = None
        self.done = 0.0
        """The part of the layers that is computed."""
        self.seen: MadeOfRun | None = None
        if earlier:
            self.seen, earlier.seen = earlier.seen, None
        self.fetched: Progress = (0, 0)
        """Of a model that has to be fetched first."""
        self.bytes_under_way = 0
        """Of the run that is being computed."""
        self.is_released = False
        """Whether results were given up, because nobody looked at them."""
        KEPT_RUNS.look_at(self)
        self.work = MODEL_RUNS.enter(self._parts())

    @property
    def shown(self) -> PromptRun | None:
        """The run with the changes once there is one, else the one without."""
        return self.after or self.before

    def is_of(self, offer: Offer, prompt: str) -> bool:
        """Whether it is a run of this model on this prompt."""
        return (self.offer, self.prompt) == (offer, prompt)

    def look_at(self) -> bool:
        """Keep its results and its model in memory, because somebody looks at them.

        Return whether the results still are there.
        """
        HOLDER.touch(self.offer.name)
        return KEPT_RUNS.look_at(self)

    def arrays(self) -> Iterator[np.ndarray]:
        """Return what the run and all that is seen of it have in memory."""
        for run in (self.before, self.after):
            if run is not None:
                yield from run.arrays()
        if (seen := self.seen) is not None:
            yield from seen.arrays()

    def release(self) -> None:
        """Give up the run and its results: whoever comes back runs the model again."""
        self.is_released = self.shown is not None or not self.work.over
        self.work.stop()
        self._forget()

    def _forget(self) -> None:
        self.before = self.after = self.checkpoint = self.seen = None

    def _parts(self) -> Generator[float, None, None]:
        yield 0.0  # so that the page can say that it is its turn
        try:
            yield from self._runs()
        except InputError as error:
            self.error = error
        except MemoryError:
            self.error = input_error(TEXTS, "no_memory", name=self.offer.title)
            logging.getLogger(__name__).exception("%s", self.error)
        finally:
            self.bytes_under_way = 0
            if self.is_released:  # in the middle of its last part
                self._forget()

    def _runs(self) -> Generator[float, None, None]:
        if not HOLDER.has(self.offer):
            for progress in self.offer.fetch():
                self.fetched = progress
                yield PAUSE
            self.fetched = 0, 0
        model = HOLDER.borrow(self.offer)
        if self.checkpoint is not model.checkpoint:
            self.checkpoint, self.before = model.checkpoint, None
        self.changes = self.changes.fitting(model.settings)
        encoded = model.checkpoint.tokeniser.encode(self.prompt)
        changed = self.changes != UNCHANGED
        runs = (self.before is None) + changed
        if self.before is None:
            self.before = yield from self._run(model, encoded, UNCHANGED, 0, runs)
        if changed:
            self.after = yield from self._run(model, encoded, self.changes, runs - 1, runs)
        HOLDER.touch(self.offer.name)

    def _make_room(self, needed: int) -> None:
        """Give up what is seen of the last run if it takes the room. Raises `InputError`."""
        try:
            KEPT_RUNS.check_room(needed)
        except InputError:
            if self.seen is None:
                raise
            self.seen = None
            KEPT_RUNS.check_room(needed)

    def _run(
        self, model: TransformerModel, encoded: Encoded, changes: ModelChanges, at: int, runs: int
    ) -> Generator[float, None, PromptRun]:
        asked = self.prompt, changes
        others = _SMALL_RUNS.setdefault(model.checkpoint, OrderedDict())
        if (kept := others.get(asked)) is not None:
            return kept
        needed = run_bytes(model, len(encoded.ids))
        self._make_room(needed)
        self.bytes_under_way = needed
        layers = run_prompt(model, encoded, changes)
        while True:
            HOLDER.borrow(self.offer)  # another model may have taken its place meanwhile
            try:
                done = next(layers)
            except StopIteration as ended:
                made: PromptRun = ended.value
                self.bytes_under_way = 0
                if made.rows.nbytes + made.weights.nbytes <= SMALL:
                    others[asked] = made
                    while len(others) > MOST_KEPT:
                        others.popitem(last=False)
                return made
            self.done = (at + done / model.settings.n_layers) / runs
            HOLDER.touch(self.offer.name)
            yield 0.0
