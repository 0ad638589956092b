"""A published model that is fetched while its visitor watches: in a thread, not in the queue's.

The queue's part only looks how far the fetch is and pauses, so everybody else's runs go on.
"""

from collections.abc import Callable, Generator
from pathlib import Path
from threading import BoundedSemaphore, Event, Thread

from core.models.checkpoints.published import FetchStoppedError

PAUSE = 0.2
"""Seconds from one look at a fetch to the next."""
AT_ONCE = 2
"""Fetches at a time; further ones wait."""
_places = BoundedSemaphore(AT_ONCE)
Progress = tuple[int, int]
"""The bytes that are there, and those of all files; 0 of them until they are known."""
Fetch = Callable[[Callable[[int, int], None]], Path]


def watch_fetch(fetch: Fetch) -> Generator[Progress, None, Path]:
    """Fetch a model, give how far that is, and return its folder.

    Each part is short. If the generator is closed, the fetch stops. Raises what `fetch` raises.
    """
    while not _places.acquire(blocking=False):
        yield 0, 0
    running = _FetchThread(fetch)
    try:
        running.start()
        while running.is_alive():
            yield running.progress
    finally:
        running.stopped.set()
    if running.error is not None:
        raise running.error
    assert running.folder is not None
    return running.folder


class _FetchThread(Thread):
    def __init__(self, fetch: Fetch) -> None:
        super().__init__(name="fetch", daemon=True)
        self.fetch = fetch
        self.stopped = Event()
        self.progress: Progress = (0, 0)
        self.folder: Path | None = None
        self.error: Exception | None = None

    def run(self) -> None:
        try:
            self.folder = self.fetch(self._report)
        except FetchStoppedError:
            pass
        except Exception as error:  # for the queue's thread to raise
            self.error = error
        finally:
            _places.release()

    def _report(self, done: int, total: int) -> None:
        if self.stopped.is_set():
            raise FetchStoppedError
        self.progress = max(done, self.progress[0]), total
