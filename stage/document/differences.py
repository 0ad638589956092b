"""How one run differs from another, cell by cell: the texts under the numbers."""

from functools import lru_cache
from typing import Any

import numpy as np

from core.program.numbers.display import cell_texts, shown_texts
from core.program.numbers.rounding import cell_text
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("stage_pages")
_WAS = TEXTS("was")
Data = dict[str, Any]


@lru_cache(maxsize=16)
def differences(trace: Trace, other: Trace) -> Data:
    """Return, for each array that differs beyond rounding, what is here less what is there.

    `changes` holds a text for each cell: "" where it does not differ, "was …" where a difference
    is no number. `said` says how many cells of each matrix differ, and by how much at most.
    `first` is the first array of the run that differs; "" where none does.
    """
    found: Data = {}
    text: dict[str, list[str]] = {}
    for name in trace:
        if name not in other:
            text[name] = [TEXTS("not_there", array=name)]
        elif other[name].shape != trace[name].shape:
            text[name] = [TEXTS("other_size", array=name)]
        elif trace[name].dtype != bool:
            apart = trace.differs(other, name)
            text[name] = _said(trace, other, name, apart)
            if apart.any():
                found[name] = _changes(trace, other, name, apart)
    first = next((name for name in trace.steps if name in found), next(iter(found), ""))
    return {"changes": found, "said": text, "first": first}


def _changes(trace: Trace, other: Trace, name: str, apart: np.ndarray) -> list[str]:
    here, there, differ = (a.ravel() for a in (trace[name], other[name], apart))
    with np.errstate(invalid="ignore"):
        gaps = here - there
    finite = np.isfinite(here) & np.isfinite(there)
    befores = shown_texts(other, name)
    texts = iter(cell_texts(gaps[differ & finite], trace.noise[name]))
    changes = []
    for n, (differs, number) in enumerate(zip(differ.tolist(), finite.tolist(), strict=True)):
        if not differs:
            changes.append("")
        elif number:
            text = next(texts)
            changes.append(text if text.startswith("-") else f"+{text}")
        else:
            changes.append(f"{_WAS} {befores[n]}")
    return changes


def _said(trace: Trace, other: Trace, name: str, apart: np.ndarray) -> list[str]:
    """Return, for each matrix of an array, how many numbers differ and by how much at most."""
    matrix = trace[name].shape[-2:]
    here, there, differ = (
        a.reshape(-1, int(np.prod(matrix))) for a in (trace[name], other[name], apart)
    )
    with np.errstate(invalid="ignore"):
        gaps = np.abs(here - there)
    largest = np.where(np.isfinite(gaps), gaps, 0).max(axis=1)
    counts = zip(differ.sum(axis=1).tolist(), largest.tolist(), strict=True)
    return [
        TEXTS(
            "differ", count=count, size=here.shape[1], array=name,
            most=cell_text(most, trace.noise[name]) if count and most else "",
        )
        for count, most in counts
    ]  # fmt: skip
