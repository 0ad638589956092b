"""Capture what attention computes while a person's own PyTorch model runs."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from core.attention.given.given_arrays import read_tokens
from core.errors import input_error
from core.models.recorded.recording import Recording
from core.models.recorded.recording_file import save_recording
from core.pytorch.reference import available
from core.texts import core_texts

TEXTS = core_texts("recordings")
ENDING = ".safetensors"


@contextmanager
def capture(
    path: str | Path | None = None, *, tokens: Any = None, key_tokens: Any = None, item: int = 0
) -> Iterator[Recording]:
    """Record every call of attention in the block: `with capture("run.safetensors") as recorded`.

    These calls are recorded: `nn.MultiheadAttention`, `scaled_dot_product_attention`, and
    attention that Hugging Face's transformers choose as `eager` or `sdpa`. A module that computes
    its own softmax is not recorded, and `notes` names it. The model computes what it computes
    without. The block's end writes the file, if there is a `path`; if the block raises, there is
    none.

    `tokens` name the queries, and the keys if they are as many; `key_tokens` name the keys.
    `item` says which item of a batch is recorded, from 0. Calls in other threads and in compiled
    functions are not recorded. Raises `InputError` if PyTorch is missing, if the file cannot be
    written, and at the end if there was no call.
    """
    file = None if path is None else _writable(Path(path))
    queries, keys = _read_names("tokens", tokens), _read_names("key_tokens", key_tokens)
    if isinstance(item, bool) or not isinstance(item, int) or item < 0:
        raise input_error(TEXTS, "no_item_number", item=repr(item)[:40])
    if not available():
        raise input_error(TEXTS, "no_torch")
    from core.pytorch.recorder import recording_thread

    with recording_thread(item) as recorder:
        recorded = Recording(recorder.calls, queries, keys, recorder.notes)
        yield recorded
    if not recorded.calls:
        reason = recorded.notes[0] if recorded.notes else TEXTS("nothing_seen")
        is_own = recorder.has_passed_over
        raise input_error(TEXTS, "only_own" if is_own else "no_calls", reason=reason)
    sizes = {n for call in recorded.calls for n in (call.n_queries, call.n_keys)}
    for name, given in (("tokens", queries), ("key_tokens", keys)):
        if given and len(given) not in sizes:
            recorder.notes.append(TEXTS("unused_names", name=name, n=len(given)))
    if file is not None:
        save_recording(recorded, file)


def _read_names(name: str, tokens: Any) -> tuple[str, ...] | None:
    """Return tokens as they are. Raises `InputError` for what is no list of texts."""
    count = len(tokens) if hasattr(tokens, "__len__") else 0
    return None if tokens is None else read_tokens(name, tokens, count)


def _writable(path: Path) -> Path:
    """Return where to write. Raises `InputError` before the model runs, not after."""
    if path.suffix != ENDING:
        raise input_error(TEXTS, "other_ending", file=path.name[:40], ending=ENDING)
    if not path.parent.is_dir() or path.is_dir():
        raise input_error(TEXTS, "no_folder", file=path.name[:40], folder=str(path.parent)[-80:])
    return path
