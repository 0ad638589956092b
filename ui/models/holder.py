"""The one model that a server has in memory, for all who run it.

The work in the queue borrows it, and another model takes its place. It is dropped when nobody has
looked at what it computed for `IDLE` seconds. Whoever only needs one layer gets a reader: the model
that is held, or else one that reads its numbers from the files again.
"""

from collections.abc import Callable
from threading import Condition, Thread
from time import monotonic
from weakref import WeakValueDictionary

from core.models.checkpoints.checkpoint import Checkpoint
from core.models.memory import return_memory
from core.models.offers import Offer
from core.models.transformer.model import TransformerModel

IDLE = 20.0
"""Seconds after which a model that nobody looks at is dropped."""


class ModelHolder:
    """At most one model with its numbers in memory, by the name of its offer."""

    def __init__(self, clock: Callable[[], float] = monotonic, idle: float = IDLE) -> None:
        self._clock, self._idle = clock, idle
        self._changed = Condition()
        self._open: WeakValueDictionary[str, Checkpoint] = WeakValueDictionary()
        self._models: WeakValueDictionary[str, TransformerModel] = WeakValueDictionary()
        self._name = ""
        self._model: TransformerModel | None = None
        self._touched = 0.0
        self._loads = 0

    @property
    def held(self) -> str:
        """The name of the model that is in memory; "" for none."""
        return self._name

    def borrow(self, offer: Offer) -> TransformerModel:
        """Return the model of an offer, which is then the one in memory. Only the queue may ask.

        Raises `InputError` for what cannot be opened, and for a model that is too large.
        """
        with self._changed:
            if self._model is not None and self._has(offer):
                self._touched = self._clock()
                return self._model
        self.drop()
        model = self._models.get(offer.name)  # a run that waits in its middle still has it
        if model is not None and model.checkpoint.is_current:
            model.check_room()  # it reads again what it gave up
        else:
            model = self._models[offer.name] = TransformerModel(self._checkpoint(offer))
        with self._changed:
            self._name, self._model, self._touched = offer.name, model, self._clock()
            self._loads += 1
            watch = Thread(target=self._drop_when_idle, args=(self._loads,), daemon=True)
            watch.start()
        return model

    def has(self, offer: Offer) -> bool:
        """Return whether the model of an offer is in memory, and its files still are the same."""
        with self._changed:
            return self._has(offer)

    def _has(self, offer: Offer) -> bool:
        model = self._model
        return model is not None and self._name == offer.name and model.checkpoint.is_current

    def reader(self, checkpoint: Checkpoint) -> TransformerModel:
        """Return a model to compute single layers with. Raises `InputError` if that has no room."""
        with self._changed:
            if self._model is not None and self._model.checkpoint is checkpoint:
                return self._model
        model = TransformerModel(checkpoint)
        model.check_room_of_layer()
        return model

    def touch(self, name: str) -> None:
        """Keep a model in memory, because somebody looks at what it computed."""
        with self._changed:
            if name == self._name:
                self._touched = self._clock()

    def drop(self) -> None:
        """Give the memory of the model back."""
        with self._changed:
            self._forget()
        return_memory()

    def _forget(self) -> None:
        if self._model is not None:  # a run that was left in its middle keeps the model itself
            self._model.forget_parts()
        self._name, self._model = "", None
        self._loads += 1
        self._changed.notify_all()

    def _checkpoint(self, offer: Offer) -> Checkpoint:
        """The checkpoint of an offer, opened once for all whose runs still need it.

        It is opened anew if its files are others now. Runs of those before keep their own.
        """
        found = self._open.get(offer.name)
        if found is None or not found.is_current:
            opened = offer.open()
            assert isinstance(opened, Checkpoint)  # nobody borrows a recording
            found = self._open[offer.name] = opened
        return found

    def _drop_when_idle(self, load: int) -> None:
        """Drop what was loaded as number `load`, unless something else happens to it before."""
        with self._changed:
            while self._loads == load and (left := self._touched + self._idle - self._clock()) > 0:
                self._changed.wait(left)
            if self._loads != load:
                return
            self._forget()
        return_memory()


HOLDER = ModelHolder()
"""The server's."""
