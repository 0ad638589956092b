"""What tokens in another order read, compared with the same tokens as typed."""

from dataclasses import dataclass

import numpy as np

from core.program.numbers.rounding import cell_text, typeset
from core.program.trace import Trace


def is_as_typed(trace: Trace) -> bool:
    """Return whether the new order is the one that was typed."""
    return bool(np.array_equal(trace["P"], np.eye(len(trace["P"]))))


@dataclass(frozen=True)
class ShuffledRows:
    """Positions of the new order, counted from 0, by whether the rows of their tokens differ.

    `changed`: another row than as typed. `kept`: the same row, made from the same tokens. `alike`:
    the same row, made from other tokens. `noticed`: another row, though made from the same tokens.
    `noisy` says whether rows that are the same differ by float noise.
    """

    changed: list[int]
    kept: list[int]
    alike: list[int]
    noticed: list[int]
    noisy: bool


def kinds_of_rows(trace: Trace) -> ShuffledRows:
    """Return which rows have changed in the new order, and which have not."""
    order = trace["P"].argmax(axis=1)
    gaps = np.abs(trace["difference"][0]).max(axis=-1)
    same = gaps <= trace.noise["difference"]
    seen = [set(order[row]) for row in trace["mask_1"]]
    typed = [set(np.flatnonzero(row)) for row in trace["mask_1_typed"]]
    alike = np.array([seen[at] == typed[place] for at, place in enumerate(order)])

    def places(wanted: np.ndarray) -> list[int]:
        return [int(at) for at in np.flatnonzero(wanted)]

    return ShuffledRows(
        changed=places(~same),
        kept=places(same & alike),
        alike=places(same & ~alike),
        noticed=places(~same & alike),
        noisy=bool(gaps[same].any()),
    )


def shuffling_error(trace: Trace) -> str:
    """Return the largest difference of the two runs, as a text."""
    return typeset(cell_text(float(np.abs(trace["difference"]).max())))
