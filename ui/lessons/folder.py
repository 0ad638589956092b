"""Lessons in a folder of the server: whoever runs the server gives them to everybody.

The folder is `lessons/` of the product, or the one that the operator names. It is looked at
whenever it is asked for, so that a file is found at once.
"""

import errno
import os
import re
from itertools import islice
from pathlib import Path

from core.errors import input_error
from core.files.lesson import MAX_LESSON_BYTES
from core.files.matrices import shorten
from core.models.opened_files import decoded, open_regular
from ui.page_texts import plain_ui_texts

FOLDER = Path(__file__).parents[2] / "lessons"
VARIABLE = "ATTENTION_LESSONS"
"""The variable of the environment that names another folder."""
MOST_ENTRIES = 2_000
"""Entries of the folder that are looked at."""
MOST_FILES = 60
"""Lessons that are listed."""
SUFFIX = ".toml"
TEXTS = plain_ui_texts("lesson_folder")
_NO_FILE = (errno.EINVAL, errno.EISDIR, errno.ELOOP, errno.ENOENT, errno.ENXIO)
"""What opening a folder, a pipe, a device, or a link to nothing ends in."""
LONGEST_NAME = 60
_NAME = re.compile(rf"[\w-]{{1,{LONGEST_NAME}}}")


def lessons_folder() -> Path:
    """Return the folder in which lessons are looked for."""
    return Path(os.environ.get(VARIABLE) or FOLDER)


def names_in_folder() -> list[str]:
    """Return the names of the lesson files, good or bad, in order; none of a folder that is not."""
    try:
        with os.scandir(lessons_folder()) as entries:
            names = [decoded(entry.name) for entry in islice(entries, MOST_ENTRIES)]
    except OSError:
        return []
    files = [n for n in names if n.lower().endswith(SUFFIX) and not n.startswith(".")]
    return [name.removesuffix(SUFFIX) for name in sorted(files)[:MOST_FILES]]


def file_named(name: str) -> str:
    """Return the file of a lesson by the name that the folder's list has."""
    return name if _ends_otherwise(name) else f"{name}{SUFFIX}"


def _ends_otherwise(name: str) -> bool:
    """Whether a file ends in .TOML or the like: it is listed, and refused by its name."""
    return name.lower().endswith(SUFFIX) and not name.endswith(SUFFIX)


def is_in_folder(name: str) -> bool:
    """Return whether the folder has a lesson file, good or bad, of this name. A link may say it."""
    return bool(_NAME.fullmatch(name)) and os.path.lexists(lessons_folder() / f"{name}{SUFFIX}")


def bytes_in_folder(name: str) -> bytes:
    """Return what the lesson file of this name has, a byte more than the limit at most.

    Raises `InputError` for a name that no link can have, for what is no file, for a link that leads
    out of the folder, and for what cannot be read.
    """
    if _ends_otherwise(name):
        raise input_error(TEXTS, "bad_ending", name=shorten(repr(name)), suffix=SUFFIX)
    if not _NAME.fullmatch(name):
        raise input_error(TEXTS, "bad_name", name=shorten(repr(name)), most=LONGEST_NAME)
    folder = lessons_folder()
    path = folder / f"{name}{SUFFIX}"
    if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder)):
        raise input_error(TEXTS, "leads_out")
    try:
        with open_regular(path) as file:
            return file.read(MAX_LESSON_BYTES + 1)
    except OSError as error:
        if error.errno in _NO_FILE:
            raise input_error(TEXTS, "no_file") from None
        raise input_error(TEXTS, "unreadable", fault=error.strerror or "") from None
