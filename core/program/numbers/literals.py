"""Arrays and words as Python source: exact, easy to read, and inert whatever a token holds."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from core.program.axes import HEAD, POSITION
from core.program.labels import place_names
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("program")

Writer = Callable[[Any], str]
"""Writes one entry of an array."""
EXPECTED_DECIMALS = 13
"""Decimals of expected numbers, which rounds off float noise (0.30000000000000004)."""


def float_literal(value: float) -> str:
    """A float that Python reads back as the same one; infinities and NaN as numpy names them."""
    text = repr(float(value))
    return text if np.isfinite(value) else text.replace("inf", "np.inf").replace("nan", "np.nan")


def expected(value: float) -> str:
    """A float to compare with, without float noise about the decimals that are meant."""
    return float_literal(round(float(value), EXPECTED_DECIMALS) + 0.0)


def flag(value: bool) -> str:
    return "1" if value else "0"


def nested(
    array: np.ndarray,
    text: Writer = float_literal,
    labels: Sequence[Sequence[str]] = (),
    depth: int = 0,
) -> str:
    """Nested lists, a row a line; `labels` name the rows (and blocks of rows) in comments."""
    if array.ndim == 1:
        return f"[{', '.join(map(text, array.tolist()))}]"
    names, indent = (labels[0] if labels else ()), "    " * (depth + 1)
    lines = ["["]
    for place, part in enumerate(array):
        comment = f"  # {names[place]}" if names else ""
        inside = nested(part, text, labels[1:], depth + 1)
        if part.ndim > 1:
            lines.append(f"{indent}[{comment}{inside[1:]},")
        else:
            lines.append(f"{indent}{inside},{comment}")
    return "\n".join([*lines, "    " * depth + "]"])


def row_labels(trace: Trace, array: str) -> list[list[str]]:
    """For each axis of an array what its places are called: heads, tokens, names; else nothing."""
    return [
        _places(trace, letter, size)
        for letter, size in zip(trace.program.letters[array], trace[array].shape, strict=True)
    ]


JOINERS = "\u200c\u200d"
"""What joins letters, as in Persian, or emoji to one, or keeps them apart: part of a word."""


def prints(text: str) -> list[bool]:
    """Whether each character is seen; joiners are, in a word of which something else is."""
    joined = any(c.isprintable() and not c.isspace() for c in text)
    return [c.isprintable() or (joined and c in JOINERS) for c in text]


def inert(text: str) -> str:
    """A token that can stand in a comment: what does not print is written as its escape."""
    seen = zip(text, prints(text), strict=True)
    return "".join(c if is_seen else ascii(c)[1:-1] for c, is_seen in seen)


def _places(trace: Trace, letter: str, size: int) -> list[str]:
    axis, names = trace.program.axis(letter), place_names(trace, letter)[:size]
    called = [inert(name) for name in names] if len(names) == size else []
    if axis.kind == HEAD:
        ends = [f": {name}" for name in called] or [""] * size
        return [f"{axis.name} {n + 1}{end}" for n, end in enumerate(ends)]
    return called


def column_comment(trace: Trace, array: str) -> str:
    """Return a line of comment with the names of an array's columns; "" if they have none."""
    letter = trace.program.letters[array][-1]
    names = _places(trace, letter, trace[array].shape[-1])
    if not names or trace.program.axis(letter).kind == POSITION:
        return ""
    return f"# {TEXTS('columns', array=array, names=', '.join(names))}\n"
