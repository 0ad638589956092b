"""A checkpoint that is open: what the model is, where its numbers are, and its tokeniser.

Opening reads headers and settings, which takes milliseconds; numbers are read when a run needs
them. Nothing in a checkpoint is executed: pickles are never opened, and settings are data.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from core.errors import input_error
from core.models.checkpoints.config import printable, read_json_object
from core.models.checkpoints.gguf_headers import read_gguf_header
from core.models.checkpoints.gguf_tokeniser import tokeniser_of_gguf
from core.models.checkpoints.model_settings import CONFIG, settings_of_config, settings_of_gguf
from core.models.checkpoints.part_sources import PartSource, part_sources
from core.models.checkpoints.safetensors_headers import INDEX, tensors_of_folder
from core.models.checkpoints.stored_tensor import StoredTensor
from core.models.checkpoints.tokeniser import (
    Tokeniser,
    tokeniser_next_to,
    tokeniser_of_folder,
)
from core.models.checkpoints.tokeniser_parts import TOKENIZER
from core.models.opened_files import FileStates, are_unchanged, file_states
from core.models.transformer.settings import ModelSettings
from core.texts import core_texts

TEXTS = core_texts("checkpoints")


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """A model in files: its name, its settings, and where each of its parts is."""

    name: str
    settings: ModelSettings
    parts: Mapping[str, PartSource]
    has_head: bool
    """Whether it can give probabilities of tokens."""
    _tokeniser: Callable[[], Tokeniser | None]
    _files: FileStates

    @property
    def is_current(self) -> bool:
        """Whether its files are still those that were opened."""
        return are_unchanged(self._files)

    @property
    def size(self) -> int:
        """How many numbers the model has."""
        return sum(part.size for part in self.parts.values())

    @cached_property
    def tokeniser(self) -> Tokeniser:
        """The model's tokeniser, read once. Raises `InputError` if none can be read."""
        if (found := self._tokeniser()) is None:
            raise input_error(TEXTS, "no_tokeniser", name=printable(self.name))
        return found

    @property
    def hidden_token(self) -> str | None:
        """The token in whose place the model predicts one; None for a model that does not do so.

        Raises `InputError` if no tokeniser can be read.
        """
        return self.tokeniser.mask_token if self.has_head and not self.settings.is_causal else None


def open_folder(folder: Path) -> Checkpoint:
    """Open a folder with config.json and model.safetensors, in one file or several.

    Raises `InputError` for what is not built here, is missing, damaged, or has another shape.
    """
    if not os.path.isfile(folder / CONFIG):
        raise input_error(TEXTS, "no_config", folder=printable(folder.name))
    files = file_states(folder / name for name in (CONFIG, INDEX, TOKENIZER))
    settings = settings_of_config(read_json_object(folder / CONFIG))
    tensors = tensors_of_folder(folder)
    return _checkpoint(
        folder.name, settings, tensors, False, lambda: tokeniser_of_folder(folder), files
    )


def open_gguf(path: Path) -> Checkpoint:
    """Open a GGUF file. Raises `InputError`.

    If it has no tokeniser that is known here, a tokenizer.json next to it is its tokeniser.
    """
    files = file_states([path.parent / TOKENIZER])
    header = read_gguf_header(path)
    settings = settings_of_gguf(header, printable(path.name))

    def tokeniser() -> Tokeniser | None:
        own = tokeniser_of_gguf(header.settings)
        return own or tokeniser_next_to(path, settings.n_vocabulary)

    return _checkpoint(path.stem, settings, header.tensors, True, tokeniser, files)


def _checkpoint(
    name: str,
    settings: ModelSettings,
    tensors: Mapping[str, StoredTensor],
    is_gguf: bool,
    tokeniser: Callable[[], Tokeniser | None],
    files: FileStates,
) -> Checkpoint:
    parts, has_head = part_sources(tensors, settings, is_gguf)
    files = {**files, **{tensor.path: tensor.state for tensor in tensors.values()}}
    return Checkpoint(name, settings, parts, has_head, tokeniser, files)
