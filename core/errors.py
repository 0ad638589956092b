"""The one kind of error a person can put right: what was given, what is allowed, what to do."""

from typing import Any

import numpy as np

from core.texts.text_file import Plain, TextFile


class InputError(ValueError):
    """A value from outside that cannot be used.

    Raised in `core`, shown in `ui` beside the control that caused it, always as
    value → limit → remedy: "7 heads cannot share d_model = 8 evenly: choose 1, 2, 4 or 8".
    All three parts are plain text; whoever shows them escapes them.
    """

    def __init__(self, value: str, limit: str, remedy: str) -> None:
        self.value, self.limit, self.remedy = value, limit, remedy
        joint = " " if limit.startswith(("cannot", "must")) else "; "
        super().__init__(f"{value}{joint}{limit}: {remedy}")


def input_error(texts: TextFile[Plain], id: str, **values: object) -> InputError:
    """Return the error that the texts `<id>`, `<id>_limit` and `<id>_remedy` describe, each filled
    in with those of the values that it asks for.
    """
    parts = (id, f"{id}_limit", f"{id}_remedy")
    if unknown := values.keys() - set().union(*map(texts.placeholders, parts)):
        raise TypeError(f"{texts.file.name}, {id}: unknown: {', '.join(sorted(unknown))}")
    return InputError(*(texts.filled(part, values) for part in parts))


def check_most(
    texts: TextFile[Plain], id: str, name: str, count: int, most: int, **values: object
) -> None:
    """Raise the error of these texts if a count, which they call by that name, is above `most`."""
    if count > most:
        raise input_error(texts, id, **{name: f"{count:,}"}, most=f"{most:,}", **values)


def must_hold(*facts: bool) -> None:
    """Raise `ValueError` unless all of it is so: for who says in one sentence what is damaged."""
    if not all(facts):
        raise ValueError


def printed_value(value: Any) -> str:
    """Return a value as an error says it: itself if it is short, or else its type."""
    short = isinstance(value, str | bool | int | float | np.generic) or value is None
    return repr(value)[:40] if short else type(value).__name__
