"""Open a checkpoint, wherever it is."""

import os
from pathlib import Path

from core.errors import input_error
from core.models.checkpoints.checkpoint import Checkpoint, open_folder, open_gguf
from core.models.checkpoints.config import printable
from core.models.checkpoints.model_packages import MODEL_PACKAGES
from core.models.checkpoints.published import fetch_published
from core.texts import core_texts

TEXTS = core_texts("checkpoints")


def open_checkpoint(place: str | Path) -> Checkpoint:
    """Open a folder, a .gguf file, one of the two packages, or a published model by its name.

    Raises `InputError` for what cannot be opened.
    """
    path = Path(place)
    if str(place) in MODEL_PACKAGES:
        return MODEL_PACKAGES[str(place)].open()
    if os.path.isdir(path):
        return open_folder(path)
    if path.suffix == ".gguf":
        return open_gguf(path)
    if os.path.exists(path):
        raise input_error(TEXTS, "no_checkpoint", file=printable(path.name))
    return open_folder(fetch_published(str(place)))
