"""Runs of a model that are computed beside the page: in a queue, layer by layer."""

import logging
from collections import OrderedDict
from collections.abc import Generator
from weakref import WeakKeyDictionary

from core.errors import InputError, input_error
from core.models.checkpoints.checkpoint import Checkpoint
from core.models.checkpoints.tokeniser import Encoded
from core.models.offers import Offer
from core.models.transformer.changes import UNCHANGED, ModelChanges
from core.models.transformer.model import TransformerModel
from core.models.transformer.prompt_run import PromptRun, run_prompt
from ui.models.holder import HOLDER
from ui.page_texts import plain_ui_texts
from ui.queue import Queue

TEXTS = plain_ui_texts("models")
MODEL_RUNS = Queue()
"""Everybody's runs, one at a time."""
MOST_KEPT = 8
SMALL = 4_000_000
"""Bytes of a run that is kept for others who ask for the same: a class opens one link."""
Asked = tuple[str, ModelChanges]
_SMALL_RUNS: WeakKeyDictionary[Checkpoint, OrderedDict[Asked, PromptRun]] = WeakKeyDictionary()
"""Of each checkpoint that somebody still looks at, by the prompt and the changes."""


class ModelWork:
    """One visitor's run of a model on a prompt, and the run with changes next to it.

    `earlier` is one of the same model and prompt, whose run without changes is taken over if the
    files of the model are still the same.
    """

    def __init__(
        self,
        offer: Offer,
        prompt: str,
        changes: ModelChanges = UNCHANGED,
        earlier: "ModelWork | None" = None,
    ) -> None:
        self.offer, self.prompt, self.changes = offer, prompt, changes
        self.before: PromptRun | None = earlier.before if earlier else None
        self.after: PromptRun | None = None
        self.checkpoint: Checkpoint | None = earlier.checkpoint if earlier else None
        """That of the runs."""
        self.error: InputError | None = None
        self.done = 0.0
        """The part of the layers that is computed."""
        self.work = MODEL_RUNS.enter(self._parts())

    @property
    def shown(self) -> PromptRun | None:
        """The run with the changes once there is one, else the one without."""
        return self.after or self.before

    def is_of(self, offer: Offer, prompt: str) -> bool:
        """Whether it is a run of this model on this prompt."""
        return (self.offer, self.prompt) == (offer, prompt)

    def _parts(self) -> Generator[float, None, None]:
        yield 0.0  # so that the page can say that it is its turn
        try:
            yield from self._runs()
        except InputError as error:
            self.error = error
        except MemoryError:
            self.error = input_error(TEXTS, "no_memory", name=self.offer.title)
            logging.getLogger(__name__).exception("%s", self.error)

    def _runs(self) -> Generator[float, None, None]:
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

    def _run(
        self, model: TransformerModel, encoded: Encoded, changes: ModelChanges, at: int, runs: int
    ) -> Generator[float, None, PromptRun]:
        asked = self.prompt, changes
        others = _SMALL_RUNS.setdefault(model.checkpoint, OrderedDict())
        if (kept := others.get(asked)) is not None:
            return kept
        layers = run_prompt(model, encoded, changes)
        while True:
            HOLDER.borrow(self.offer)  # another model may have taken its place meanwhile
            try:
                done = next(layers)
            except StopIteration as ended:
                made: PromptRun = ended.value
                if made.rows.nbytes + made.weights.nbytes <= SMALL:
                    others[asked] = made
                    while len(others) > MOST_KEPT:
                        others.popitem(last=False)
                return made
            self.done = (at + done / model.settings.n_layers) / runs
            HOLDER.touch(self.offer.name)
            yield 0.0
