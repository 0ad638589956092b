"""Settings of a stranger's checkpoint: JSON that is data, each value of the type that it must be.

`Config` is asked for values by name. It knows nothing of any model.
"""

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import InputError, check_most, input_error
from core.files.matrices import shorten
from core.models.opened_files import open_regular
from core.texts import core_texts

TEXTS = core_texts("checkpoints")

MOST_CONFIG_BYTES = 1_000_000
_SHOWN = 40
"""Characters of a stranger's value in a message."""


def printable(value: object, most: int = _SHOWN) -> str:
    """Return a stranger's value as a message can show it: short, and nothing that cannot print."""
    return shorten(str(value), most)


def read_json_object(path: Path, most_bytes: int = MOST_CONFIG_BYTES) -> dict[str, Any]:
    """Return the JSON object of a file. Raises `InputError` if it is too large or is none."""
    try:
        with open_regular(path) as file:
            size = os.fstat(file.fileno()).st_size
            check_most(TEXTS, "long_json", "bytes", size, most_bytes, file=path.name)
            found = json.loads(file.read(most_bytes))
    except (OSError, ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise input_error(TEXTS, "no_json", file=printable(path.name)) from error
    if not isinstance(found, dict):
        raise input_error(TEXTS, "no_json", file=printable(path.name))
    return found


def not_run_here(id: str, **values: object) -> InputError:
    """Return the error for a model of another kind. It ends in how to record such a model."""
    return input_error(TEXTS, id, **values, record=TEXTS("record"))


@dataclass(frozen=True)
class Config:
    """Values by their names, and the file that they are from.

    Each method raises `InputError` for a value of another type or out of range, and for one that is
    missing without a default.
    """

    file: str
    values: Mapping[str, Any]

    def count(self, name: str, most: int, default: int | None = None, least: int = 1) -> int:
        """Return a whole number from `least` to `most`."""
        value = self._value(name, default)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            self._refuse(name, value, TEXTS("count_range", least=least, most=f"{most:,}"))
        return int(value)

    def number(self, name: str, default: float | None = None, above: float = 0.0) -> float:
        """Return a number above another, which is at least 0."""
        value = self._value(name, default)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not above < value <= sys.float_info.max:
            self._refuse(name, value, TEXTS("number_above", least=f"{above:g}"))
        return float(value)

    def flag(self, name: str, default: bool) -> bool:
        """Return True or False."""
        value = self._value(name, default)
        if not isinstance(value, bool):
            self._refuse(name, value, TEXTS("true_or_false"))
        return bool(value)

    def one_of(self, name: str, options: Mapping[str, str], default: str) -> str:
        """Return what a value among the options stands for."""
        value = self._value(name, default)
        if not isinstance(value, str) or value not in options:
            self._refuse(name, value, ", ".join(options), "other_setting")
        return options[value]

    def must_be(self, **usual: Any) -> None:
        """Refuse values that change what a model computes in a way that is not built here."""
        for name, wanted in usual.items():
            value = self.values.get(name)
            if value is not None and value != wanted:
                self._refuse(name, value, str(wanted), "other_setting")

    def _value(self, name: str, default: Any) -> Any:
        value = self.values.get(name)
        if value is None:
            value = default
        if value is None:
            raise input_error(TEXTS, "no_setting", file=self.file, name=name)
        return value

    def _refuse(self, name: str, value: Any, allowed: str, id: str = "setting") -> None:
        said = {"file": self.file, "name": name, "value": printable(value), "allowed": allowed}
        raise input_error(TEXTS, id, **said) if id == "setting" else not_run_here(id, **said)
