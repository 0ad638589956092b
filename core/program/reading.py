"""How tokens read each other: the weights that say it, as percentages and as sentences.

A query reads from keys. Percentages follow the one rounding rule
(`core/program/numbers/rounding.py`), so that 74 % and the cell's 0.74 are one number.
"""

from collections.abc import Sequence

import numpy as np

from core.limits import MOST_POSITIONS
from core.program.axes import POSITION
from core.program.labels import axis_label, listed_names, marked_token, place_names
from core.program.numbers.rounding import NOISE_DECIMALS, cell_text, typeset
from core.program.operation import SHARES
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("program")

LITTLE = "<1"
"""A percentage below a half that is not 0."""
NEARLY_ALL = ">99"
"""A percentage that rounds to 100 and is less: softmax leaves every visible key something."""
REMOVED = ""
"""In the place of a percentage, where the mask took the key out."""
PERCENT = "\u00a0%"
NEAR = 1e-9
"""A row of weights whose sum is this near to 1 adds up to 1."""
MOST_NAMES = 3
"""More keys of the same weight are counted, not named."""


def weights_between_tokens(trace: Trace) -> list[str]:
    """The arrays that say how much each query reads from each key, in the program's order.

    Shares of 1 that have a role in the program, queries down and keys across, and with which a
    later step reads. They are made by a step, or the program begins with them. None with a number
    outside [0, 1], or of more tokens than numbers of a real model may have.
    """
    begins = trace.program.names[0]
    return [n for n in dict.fromkeys((begins, *trace.program.step)) if _is_between_tokens(trace, n)]


def _is_between_tokens(trace: Trace, name: str) -> bool:
    program, values = trace.program, trace[name]
    pair = program.letters[name][-2:]
    return bool(
        name in program.roles
        and program.palettes[name] == SHARES
        and len(pair) == 2
        and all(program.axis(letter).kind == POSITION for letter in pair)
        and (not program.steps or any(name in step.operands for step in program.steps))
        and max(values.shape[-2:]) <= MOST_POSITIONS
        and np.all((values >= -NEAR) & (values <= 1 + NEAR))
    )


def made_between(trace: Trace, name: str) -> list[str]:
    """An array between tokens, and those between the same tokens that it is made of: its scores."""
    letters = trace.program.letters
    found = [name]
    for array in found:
        operands = trace.steps[array].step.operands if array in trace.steps else ()
        found += [
            operand
            for operand in operands
            if letters[operand][-2:] == letters[name][-2:] and operand not in found
        ]
    return found


def percentages(weights: np.ndarray, removed: np.ndarray | None) -> list[str]:
    """The text of each weight, the last index running fastest: "74", `LITTLE`, `NEARLY_ALL` or
    `REMOVED`.
    """
    values = weights.ravel()
    percent = _percent(values)
    texts = [str(whole) for whole in percent.tolist()]
    for at in np.flatnonzero((values > 0) & (percent == 0)).tolist():
        texts[at] = LITTLE
    for at in np.flatnonzero((values < 1 - NEAR) & (percent == 100)).tolist():
        texts[at] = NEARLY_ALL
    for at in [] if removed is None else np.flatnonzero(removed).tolist():
        texts[at] = REMOVED
    return texts


def weight_percent(weight: float) -> str:
    """Return a weight in percent, as a cell shows it; what rounds to 100 and is less is >99.99."""
    text = typeset(cell_text(100 * float(weight)))
    return ">99.99" if text == "100.00" and weight < 1 - NEAR else text


def _percent(values: np.ndarray) -> np.ndarray:
    """Whole percent, halves away from zero after float noise has been rounded off."""
    units: int = 10 ** (NOISE_DECIMALS - 2)
    percent: np.ndarray = (
        np.rint(values * 10**NOISE_DECIMALS).astype(np.int64) + units // 2
    ) // units
    return percent


def told_sum(row: Sequence[str], total: float) -> str:
    """Return the note next to a row of percentages that do not add up to 100; "" if they do.

    `total` is the sum of the row's weights: either it is not 1, or rounding is the reason. A row
    that reads nothing has nothing to add up.
    """
    if not total:
        return ""
    if abs(total - 1) > NEAR:
        percent = percentages(np.array([total]), None)[0] + PERCENT
        return TEXTS("part_sum", percent=percent)
    rounded = sum(int(text) if text.isdigit() else 100 * (text == NEARLY_ALL) for text in row)
    return "" if rounded == 100 else TEXTS("rounded", percent=f"{rounded}{PERCENT}")


def told_reading(query: str, keys: Sequence[str], row: Sequence[str], counted: str) -> str:
    """Return a sentence on what a query reads most, from the percentages of its row.

    `query` and `keys` are named as in a sentence; `counted` is the noun for many keys ("tokens").
    """
    query = query[0].upper() + query[1:]
    seen = [at for at, text in enumerate(row) if text != REMOVED]
    most = max((_size(row[at]) for at in seen), default=0)
    if not most:
        return TEXTS("reads_nothing", query=query)
    top = [at for at in seen if _size(row[at]) == most]
    names = listed_names([keys[at] for at in top])
    percent = row[top[0]] + PERCENT
    if len(seen) == 1 and most == 100:
        return TEXTS("reads_only", query=query, keys=names)
    if len(top) > MOST_NAMES:
        many = len(top)
        return TEXTS("reads_from_many", query=query, percent=percent, many=many, counted=counted)
    if len(top) > 1:
        return TEXTS("reads_from_several", query=query, percent=percent, keys=names)
    id = "reads_more_than_half" if most > 50 else "reads_most"
    return TEXTS(id, query=query, percent=percent, keys=names)


def _size(text: str) -> float:
    """How a percentage compares with others."""
    return {LITTLE: 0.5, NEARLY_ALL: 99.5}.get(text) or float(text)


def spoken_places(trace: Trace, letter: str) -> list[str]:
    """Each place of an axis as a sentence calls it: its token in quotation marks, or query 2."""
    names, word = place_names(trace, letter), place_counts(trace, letter)
    return [
        f"“{marked_token(names[at])}”" if at < len(names) else f"{word} {at + 1}"
        for at in range(trace.sizes[letter])
    ]


def place_counts(trace: Trace, letter: str) -> str:
    """What the places of an axis are in a sentence: tokens, or what the program calls them."""
    return "token" if place_names(trace, letter) else trace.program.axis(letter).word or "row"


def own_keys(trace: Trace, query: str, key: str) -> list[int | None]:
    """For each query the place of its own token among the keys, where it is one of them."""
    asks, asked = trace.program.axis(query), trace.program.axis(key)
    if asks.tokens != asked.tokens:
        return [None] * trace.sizes[query]
    queries, keys = ([axis_label(trace, a, n) for n in range(trace.sizes[a])] for a in (query, key))
    shift = asks.offset - asked.offset
    return [
        at + shift if 0 <= at + shift < len(keys) and label == keys[at + shift] else None
        for at, label in enumerate(queries)
    ]
