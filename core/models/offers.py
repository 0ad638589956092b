"""Models and recordings below folders that the operator of a server names: all that visitors open.

Listing looks at names, and at the headers of safetensors files. Whatever is wrong is said when one
is opened. Links that lead out of a named folder are not followed.
"""

import logging
import os
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Literal

from core.errors import input_error
from core.models.checkpoints.config import printable
from core.models.checkpoints.model_settings import CONFIG
from core.models.checkpoints.opening import Checkpoint, open_folder, open_gguf
from core.models.checkpoints.stored_tensor import INDEX
from core.models.checkpoints.tokeniser_parts import TOKENIZER
from core.models.opened_files import decoded
from core.models.recorded.recording import Recording
from core.models.recorded.recording_file import may_be_recording, open_recording
from core.texts import core_texts

TEXTS = core_texts("checkpoints")

DEPTH = 2
"""Folders so far below a named one are looked into."""
MOST_ENTRIES = 20_000
"""Entries of folders that are looked at, all folders together."""
MOST_OFFERS = 500
_LONGEST_TITLE = 80
ARRAYS = ".safetensors"
_READ = (CONFIG, INDEX, TOKENIZER)
"""What is read of a checkpoint's folder beside its safetensors."""
_log = logging.getLogger(__name__)

Opened = Checkpoint | Recording
Opener = Callable[[Path], Opened]


@dataclass(frozen=True)
class Offer:
    """Something that a visitor may open. `name` is for links; `title` is what a person reads."""

    name: str
    title: str
    kind: Literal["model", "recording"]
    _open: Callable[[], Opened] = field(repr=False, compare=False)
    fetch: Callable[[], Iterator[tuple[int, int]]] = field(
        default=lambda: iter(()), repr=False, compare=False
    )
    """Gives how many bytes of how many are fetched, until it can be opened."""

    def open(self) -> Opened:
        """Open the model or the recording. Raises `InputError` for whatever is wrong with it."""
        return self._open()


def offers_in(folders: Iterable[Path], taken: Collection[str] = ()) -> list[Offer]:
    """Return what can be opened in some folders, by folder and then by name.

    Each is a checkpoint's folder, a file, or a folder with these in it, up to two folders down.
    Names start below the named folder. One that is taken already gets the number of its folder.
    """
    found: dict[str, Offer] = {}
    scan = _Scan()
    for number, folder in enumerate(folders, 1):
        root = Path(os.path.realpath(folder))
        for path, opener in islice(scan.places(root), MOST_OFFERS - len(found)):
            name = decoded((path.relative_to(root) if path != root else Path(root.name)).as_posix())
            name = f"{name}~{number}" if name in found or name in taken else name
            top = root if os.path.isdir(root) else root.parent
            kind: Literal["model", "recording"] = (
                "recording" if opener is open_recording else "model"
            )
            title = printable(name, _LONGEST_TITLE)
            found[name] = Offer(name, title, kind, partial(_opened, opener, path, top))
    if len(found) == MOST_OFFERS or not scan.left:
        _log.warning("%d models and recordings are offered; there may be more.", len(found))
    return list(found.values())


@dataclass
class _Scan:
    """A search through folders, and how many more entries it may look at."""

    left: int = MOST_ENTRIES

    def places(self, root: Path) -> Iterator[tuple[Path, Opener]]:
        """What can be opened in a folder, or the file itself, and how it is opened."""
        if os.path.isdir(root):
            yield from self._inside(root, root, 0)
        elif os.path.isfile(root) and (opener := _opener(root)):
            yield root, opener

    def _inside(self, folder: Path, root: Path, depth: int) -> Iterator[tuple[Path, Opener]]:
        files, folders = self._entries(folder, root)
        is_model = any(file.name == CONFIG for file in files)
        if is_model:
            yield folder, open_folder
        for file in files:
            is_part = is_model and file.suffix != ".gguf"
            if not is_part and (opener := _opener(file)):
                yield file, opener
        if depth < DEPTH:
            for inner in folders:
                yield from self._inside(inner, root, depth + 1)

    def _entries(self, folder: Path, root: Path) -> tuple[list[Path], list[Path]]:
        """The files and the folders of a folder, in order: no pipes, no links out or up."""
        files, folders = [], []
        try:
            with os.scandir(folder) as entries:
                for entry in islice(entries, self.left):
                    self.left -= 1
                    path = Path(entry.path)
                    is_out = entry.is_symlink() and not _is_inside(path, root)
                    is_above = entry.is_symlink() and _is_inside(path.parent, path)
                    if entry.name.startswith(".") or is_out or is_above:
                        continue
                    if os.path.isdir(path):
                        folders.append(path)
                    elif os.path.isfile(path):
                        files.append(path)
        except OSError as error:
            _log.warning("%s cannot be listed: %s", printable(folder), error.strerror)
        return sorted(files), sorted(folders)


def _opener(file: Path) -> Opener | None:
    """How a file is opened; None if it is neither a model nor a recording."""
    if file.suffix == ".gguf":
        return open_gguf
    return open_recording if file.suffix == ARRAYS and may_be_recording(file) else None


def _opened(opener: Opener, path: Path, root: Path) -> Opened:
    """Open what was found. Raises `InputError`, also if a file of it leads out of its root now."""
    for file in (path, *_links_beside(path if opener is open_folder else path.parent)):
        if not _is_inside(file, root):
            raise input_error(TEXTS, "leads_out", file=printable(file.name))
    return opener(path)


def _links_beside(folder: Path) -> list[Path]:
    """The links in a folder that may be read with a checkpoint."""
    found: list[Path] = []
    with suppress(OSError), os.scandir(folder) as entries:
        found += [
            Path(entry.path)
            for entry in entries
            if entry.is_symlink() and (entry.name in _READ or entry.name.endswith(ARRAYS))
        ]
    return found


def _is_inside(path: Path, root: Path) -> bool:
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root))
