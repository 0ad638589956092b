"""What a model is to the captures: where it is from, its tokens, and a run of it layer by layer."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path

from tools.captures.layer import LayerAttention


@dataclass(frozen=True)
class Encoded:
    """A prompt as a model reads it: numbers in its vocabulary, and the tokens as strings."""

    ids: list[int]
    tokens: list[str]


@dataclass(frozen=True)
class Model:
    """A published model in an installed package; `source` says which revision of it that is."""

    name: str
    package: str
    file: str
    source: str
    licence: str
    causal: bool
    encode: Callable[[Path, str], Encoded]
    layers: Callable[[Path, list[int]], Iterator[LayerAttention]]

    @property
    def path(self) -> Path:
        """The file with the weights."""
        return Path(str(distribution(self.package).locate_file(self.file)))

    @property
    def version(self) -> str:
        """The package and its version, as a requirement."""
        return f"{self.package}=={distribution(self.package).version}"
