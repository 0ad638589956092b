"""What a server has in memory for all visitors: one model, and the runs that somebody looks at.

The work in the queue borrows the model, and another model takes its place. It is dropped when
nobody has looked at what it computed for `IDLE` seconds. Whoever only needs one layer gets a
reader: the model that is held, or else one that reads its numbers from the files again.

A page that is in front says now and then that it is there. A page that is left says nothing, and
neither does a tab that is closed: Streamlit keeps such a visitor's session for minutes. So a run
that nobody looks at is released after `LEFT` seconds.
"""

import gc
from collections.abc import Callable, Iterable
from threading import Condition, Thread
from time import monotonic
from typing import Protocol
from weakref import WeakValueDictionary

import numpy as np

from core.errors import input_error
from core.models.checkpoints.opening import Checkpoint
from core.models.memory import return_memory
from core.models.offers import Offer
from core.models.transformer.model import TransformerModel
from ui.page_texts import plain_ui_texts

IDLE = 20.0
"""Seconds after which a model that nobody looks at is dropped."""
TEXTS = plain_ui_texts("models")
LEFT = 40.0
"""Seconds after which a run that nobody looks at is released."""
MOST_BYTES = 1_000_000_000
"""Of all visitors' runs together."""


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


class Releasable(Protocol):
    """A run with its results in memory."""

    is_released: bool
    bytes_under_way: int
    """Of arrays that are being computed."""

    def arrays(self) -> Iterable[np.ndarray]:
        """Return what it has in memory; several runs may have the same."""

    def release(self) -> None:
        """Give all of it up."""


class KeptRuns:
    """The runs that are in memory, and when somebody last looked at each of them."""

    def __init__(
        self,
        clock: Callable[[], float] = monotonic,
        left: float = LEFT,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self._clock, self._left, self._most_bytes = clock, left, most_bytes
        self._changed = Condition()
        self._looked_at: dict[Releasable, float] = {}
        self._watched = False

    @property
    def byte_count(self) -> int:
        """The bytes of all runs; what several have is counted once."""
        with self._changed:
            runs = list(self._looked_at)
        made = {id(one): one.nbytes for run in runs for one in run.arrays()}
        return sum(made.values()) + sum(run.bytes_under_way for run in runs)

    def look_at(self, run: Releasable) -> bool:
        """Keep a run in memory, because somebody looks at it. Return whether it still is there."""
        with self._changed:
            if run.is_released:
                return False
            self._looked_at[run] = self._clock()
            if not self._watched:
                self._watched = True
                Thread(target=self._release_left_runs, daemon=True).start()
            return True

    def forget(self, run: Releasable) -> None:
        """Leave a run to its visitor's next one, which counts what it takes over."""
        with self._changed:
            self._looked_at.pop(run, None)
            self._changed.notify_all()

    def check_room(self, needed: int) -> None:
        """Raise `InputError` if so many bytes more are too many for all runs together."""
        taken = self.byte_count
        if taken + needed > self._most_bytes:
            given, others, most = (
                f"{count / 1e6:,.0f} MB" for count in (needed, taken, self._most_bytes)
            )
            raise input_error(TEXTS, "no_run_room", needed=given, taken=others, most=most)

    def _release_left_runs(self) -> None:
        """Release each run once it is left, for as long as there are runs."""
        while self._released_some():
            gc.collect()  # drawing may have left cycles
            return_memory()

    def _released_some(self) -> bool:
        """Wait until some runs are left, and release them; False once there is no run."""
        with self._changed:
            while self._looked_at:
                since = self._clock() - self._left
                if left := [run for run, time in self._looked_at.items() if time <= since]:
                    for run in left:
                        del self._looked_at[run]
                        run.release()
                    return True
                self._changed.wait(min(self._looked_at.values()) - since)
            self._watched = False
            self._changed.notify_all()
            return False


KEPT_RUNS = KeptRuns()
"""The server's."""
