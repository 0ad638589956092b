"""A published model by its name on Hugging Face's hub, if the network and the library allow it.

Only settings, safetensors and the tokeniser are fetched, and their sizes are asked for before.
"""

import os
import re
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from core.errors import InputError, input_error
from core.models.checkpoints.config import printable
from core.models.checkpoints.model_settings import CONFIG
from core.models.checkpoints.stored_tensor import INDEX, WHOLE
from core.models.checkpoints.tokeniser_parts import TOKENIZER
from core.models.memory import check_model_size
from core.texts import core_texts

TEXTS = core_texts("checkpoints")

_NAME = re.compile(r"(?!.*\.\.)[A-Za-z0-9][\w.-]{0,95}(?:/[A-Za-z0-9][\w.-]{0,95})?", re.ASCII)
_FETCHED = (CONFIG, TOKENIZER, WHOLE, INDEX)
_SHARD = re.compile(r"model-\d{5}-of-\d{5}\.safetensors")


class FetchStoppedError(Exception):
    """What `on_bytes` raises to stop a fetch."""


def fetch_published(
    name: str, on_bytes: Callable[[int, int], None] = lambda done, total: None
) -> Path:
    """Fetch a model and return its folder. Raises `InputError`, also if there is no network.

    `on_bytes` gets the bytes that are there and those of all files, now and then and in any thread.
    If it raises `FetchStoppedError`, so does this function, soon.
    """
    if not _NAME.fullmatch(name):
        raise input_error(TEXTS, "no_name", name=printable(name))
    if find_spec("huggingface_hub") is None:
        raise input_error(TEXTS, "no_hub")
    # Its other way of transfer reports from threads that nothing can stop.
    os.environ.setdefault("HF_HUB_DISABLE_XET", "1")
    hub: Any = import_module("huggingface_hub")
    try:
        info = hub.HfApi().model_info(name, files_metadata=True)
        files = {f.rfilename: f.size or 0 for f in info.siblings or []}
        sizes = {n: size for n, size in files.items() if n in _FETCHED or _SHARD.fullmatch(n)}
        total = sum(sizes.values())
        check_model_size(name, total)
        on_bytes(0, total)
        bar = _byte_bar(lambda done: on_bytes(done, total))
        wanted = {"revision": info.sha, "allow_patterns": sorted(sizes)}
        return Path(hub.snapshot_download(name, **wanted, tqdm_class=bar))
    except (InputError, FetchStoppedError):
        raise
    except Exception as error:  # whatever the library and the network raise
        raise input_error(TEXTS, "not_fetched", name=printable(name)) from error


def _byte_bar(on_bytes: Callable[[int], None]) -> type:
    """A progress bar for the hub's library that draws nothing and reports the bytes that it has.

    The library has bars of files and of bytes; of these, one counts what is on the disk.
    """
    tqdm: Any = import_module("tqdm").tqdm

    class ByteBar(tqdm):  # type: ignore[misc]
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options | {"disable": True})
            self.is_of_bytes = options.get("unit") == "B"

        def update(self, n: float | None = 1) -> None:
            self.n += n or 0
            if self.is_of_bytes:
                on_bytes(int(self.n))

    return ByteBar
