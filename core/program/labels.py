"""How the axes and cells of a trace are named: tokens along positions, numbers from 1 elsewhere."""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from core.program.patterns import Cell
from core.program.trace import Trace

POSITIONS = "ij"


def axis_labels(trace: Trace, array: str) -> list[list[str]]:
    """One list of labels for each axis of an array."""
    tokens = _positions(trace.tokens)
    return [
        tokens if letter in POSITIONS else [str(n + 1) for n in range(size)]
        for letter, size in zip(trace.program.axes[array], trace[array].shape, strict=True)
    ]


def repeated(trace: Trace) -> str:
    """A note on tokens that stand for the same word at several positions; "" where none does."""
    labels = _positions(trace.tokens)
    places = {t: [n for n, u in enumerate(trace.tokens) if u == t] for t in trace.tokens}
    alike = [
        " and ".join(labels[n] for n in at)
        for at in places.values()
        if len(at) > 1 and (trace["X"][at] == trace["X"][at[0]]).all()
    ]
    if not alike:
        return ""
    return (
        f"{'; '.join(alike)}: the same word, and nothing here says where it stands, so these rows "
        "of X are equal."
    )


def axis_label(trace: Trace, letter: str, at: int) -> str:
    return _positions(trace.tokens)[at] if letter in POSITIONS else str(at + 1)


@lru_cache(maxsize=64)
def _positions(tokens: tuple[str, ...]) -> list[str]:
    return token_labels(tokens)


def cell_name(trace: Trace, array: str, cell: Cell) -> str:
    """A cell as people say it: scores[sat, cat]; the head is said only where there are several."""
    inside, head = [], ""
    letters = trace.program.axes[array]
    for letter, at, size in zip(letters, cell, trace[array].shape, strict=True):
        if letter in "hg":
            head = f" of head {at + 1}" if size > 1 else ""
        else:
            inside.append(axis_label(trace, letter, at))
    return f"{array}[{', '.join(inside)}]{head}"


LABEL_LENGTH = 14
"""Longer tokens are shortened in labels; the token itself stays whole."""
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def token_labels(tokens: Sequence[str]) -> list[str]:
    """A label for each position: the token, shortened, with a subscript where it occurs twice."""
    short = [t if len(t) <= LABEL_LENGTH else t[: LABEL_LENGTH - 1] + "…" for t in tokens]
    total, seen, labels = Counter(short), Counter[str](), []
    for label in short:
        seen[label] += 1
        number = str(seen[label]).translate(_SUBSCRIPTS)
        labels.append(label + number if total[label] > 1 else label)
    return labels
