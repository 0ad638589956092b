"""Other runs beside the one that is shown: those that its toggles lead to, told ahead, so that a
toggle waits for nobody; what mistakes would make of it; and how one differs from another.
"""

import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from core.errors import InputError
from core.program.families import Family, Options, Toggle
from core.program.mistakes import HandSlip, Mistake
from core.program.numbers.display import array_texts, cell_texts, shown_texts
from core.program.numbers.rounding import cell_text
from core.program.program import Program
from core.program.trace import Trace
from core.texts import core_texts
from stage.document.document import travels_whole

TEXTS = core_texts("stage_pages")
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


def mistaken(trace: Trace, mistakes: Iterable[Mistake | HandSlip]) -> list[Data]:
    """For each mistake that fits the program: its name, why it is wrong, and the texts of the
    arrays that come out otherwise, as in the document."""
    found = []
    for mistake in mistakes:
        made = (
            _slipped(trace, mistake) if isinstance(mistake, HandSlip) else _broken(trace, mistake)
        )
        if arrays := {name: " ".join(texts) for name, texts in made}:
            found.append({"name": mistake.name, "why": mistake.why, "arrays": arrays})
    return found


def _broken(trace: Trace, mistake: Mistake) -> Iterator[tuple[str, list[str]]]:
    program = trace.program
    assert isinstance(program, Program)
    try:
        wrong = mistake.made_of(trace, program)
    except InputError:
        return
    for name in trace.steps:
        if (
            name in wrong
            and wrong[name].shape == trace[name].shape
            and travels_whole(trace[name])
            and trace.differs(wrong, name).any()
        ):
            yield name, shown_texts(wrong, name)


def _slipped(trace: Trace, slip: HandSlip) -> Iterator[tuple[str, list[str]]]:
    for name, values in slip.made_of(trace).items():
        texts = array_texts(values, None, trace.noise[name])
        if travels_whole(values) and texts != shown_texts(trace, name):
            yield name, texts


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
            changes.append(f"{TEXTS('was')} {befores[n]}")
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
