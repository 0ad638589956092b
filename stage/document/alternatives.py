"""The other runs that a run's toggles lead to: told ahead, so that a toggle waits for nobody."""

import itertools
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from core.errors import InputError
from core.program.families import Family, Options, Toggle

Data = dict[str, Any]
MOST_BYTES = 1_000_000
"""So much is told ahead; for the rest the host is asked."""


def alternatives(
    whole: Data, family: Family, options: Options, document: Callable[[Options], Data]
) -> Data:
    """What of other documents differs from the one that is shown (`whole`).

    Every combination of toggles that leave shapes as they are, and each option by itself of those
    that do not; `document` makes one. Options that do not fit are left out.
    """
    found: list[Data] = []
    size = 0
    for chosen in _reachable(family, options):
        try:
            told = _beside(whole, document(chosen))
        except InputError:
            continue
        size += len(json.dumps(told))
        if size > MOST_BYTES:
            break
        found.append(told)
    return {"of": whole["id"], "documents": found}


def _reachable(family: Family, options: Options) -> Iterator[Options]:
    """Other choices, those first that change the fewest toggles."""
    plain = [toggle for toggle in family.on_stage if not toggle.resizes]
    together = [
        dict(zip([toggle.key for toggle in plain], values, strict=True))
        for values in itertools.product(*(_values(toggle, options) for toggle in plain))
    ]
    alone = [
        {toggle.key: value}
        for toggle in family.on_stage
        if toggle.resizes
        for value in toggle.options
    ]
    every: list[Mapping[str, str]] = [{**options, **some} for some in (*together, *alone)]
    apart = [sum(choice[key] != options[key] for key in options) for choice in every]
    order = sorted(range(len(every)), key=apart.__getitem__)
    return (every[n] for n in order if apart[n])


def _values(toggle: Toggle, options: Options) -> list[str]:
    """What a toggle may be; a value that was typed is one of them."""
    return list(dict.fromkeys([options[toggle.key], *toggle.options]))


def _beside(whole: Data, other: Data) -> Data:
    """A document as what differs of it."""
    arrays = whole["arrays"]
    return {
        "names": list(other["arrays"]),
        "arrays": {n: a for n, a in other["arrays"].items() if arrays.get(n) != a},
        "rest": {key: v for key, v in other.items() if key != "arrays" and whole[key] != v},
    }
