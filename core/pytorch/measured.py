"""What a measurement of `core.pytorch.speed` found: its lines read, summed up and put into words.

Everything is in seconds. A spread is the quartiles of its rounds; a ratio is taken round by round,
for the ways of one round met the same moment of the machine. torch is not needed here.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.program.numbers.rounding import decimal_text
from core.texts import core_texts

TEXTS = core_texts("measured")
ENOUGH = 3
"""Rounds that a spread needs."""
TO = "\u2060–\u2060"
"""A dash at which no line is broken: word joiners hold it."""


@dataclass(frozen=True)
class Quartiles:
    """The quartiles of some numbers: half of them lie from `low` to `high`."""

    low: float
    middle: float
    high: float


@dataclass(frozen=True)
class Length:
    """What was found for T tokens: seconds of the three ways, and how many times naive took them.

    `gain` is naive / fused, `gain_full` naive / full.
    """

    T: int
    rounds: int
    naive: Quartiles
    fused: Quartiles
    full: Quartiles
    gain: Quartiles
    gain_full: Quartiles


@dataclass(frozen=True)
class Conditions:
    """With what it was measured, as the measuring process says it."""

    lengths: tuple[int, ...]
    rounds: int
    heads: int
    d_k: int
    seed: int
    threads: int
    processors: int
    torch: str


@dataclass(frozen=True)
class Measured:
    """All that has been found so far. `all` says that every round was done."""

    setup: Conditions | None
    lengths: tuple[Length, ...]
    done: float
    now: str
    equal: bool
    largest: float
    all: bool
    ended: bool


def read_measured(lines: Iterable[str | bytes], running: bool = False) -> Measured:
    """What these lines say.

    While it is `running` a T is told once all its rounds are done; afterwards those of `ENOUGH`
    rounds are. A line that was cut off where the process ended is left out.
    """
    found = [record for line in lines if (record := _record(line))]
    of = {kind: [r for r in found if r["kind"] == kind] for kind in ("compared", "round", "end")}
    setup = next((_setup(r) for r in found if r["kind"] == "setup"), None)
    by_length: dict[int, list[Mapping[str, Any]]] = {r["T"]: [] for r in of["compared"]}
    for record in of["round"]:
        by_length[record["T"]].append(record)
    enough = setup.rounds if setup and running else ENOUGH
    return Measured(
        setup,
        tuple(_length(T, rounds) for T, rounds in by_length.items() if len(rounds) >= enough),
        _done(setup, by_length),
        _now(setup, by_length),
        all(record["equal"] for record in of["compared"]),
        max((record["largest"] for record in of["compared"]), default=0.0),
        any(record["all"] for record in of["end"]),
        bool(of["end"]),
    )


def duration_text(seconds: float) -> str:
    """A time as people say it, three digits of it: 141 µs, 2.31 ms, 1.20 s."""
    value, unit = seconds * 1e6, "µs"
    for larger in ("ms", "s"):
        if value >= 999.5:
            value, unit = value / 1000, larger
    decimals = 2 if value < 9.995 else 1 if value < 99.95 else 0
    return f"{decimal_text(value, decimals)} {unit}"


def spread_text(spread: Quartiles) -> str:
    """The middle of a ratio and its quartiles: 6.0 (5.8–6.1)."""
    low, middle, high = (decimal_text(x, 1) for x in (spread.low, spread.middle, spread.high))
    return f"{middle} ({low}{TO}{high})" if low != high else middle


def gain_words(gain: Quartiles) -> str:
    """Return how another way did compared with the naive one, whichever was faster."""
    if gain.low <= 1 <= gain.high:
        return TEXTS("about_even")
    faster = gain.low > 1
    times = gain if faster else Quartiles(1 / gain.high, 1 / gain.middle, 1 / gain.low)
    middle, low, high = (decimal_text(x, 1) for x in (times.middle, times.low, times.high))
    if middle == "1.0":
        return TEXTS("a_little", faster=faster)
    id = "faster" if faster else "slower"
    return TEXTS(id, times=middle, spread=low != high, low=low, high=high)


def measured_words(measured: Measured) -> str:
    """Return the measured ratios of the longest T in words, if there is one."""
    if not measured.lengths:
        return ""
    longest = measured.lengths[-1]
    gains = {"gain": gain_words(longest.gain), "gain_full": gain_words(longest.gain_full)}
    return TEXTS("longest", T=f"{longest.T:,}", **gains)


def _record(line: str | bytes) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError:
        return {}
    return found if isinstance(found, dict) and "kind" in found else {}


def _setup(record: Mapping[str, Any]) -> Conditions:
    given = {name: value for name, value in record.items() if name not in ("kind", "lengths")}
    return Conditions(lengths=tuple(record["lengths"]), **given)


def _length(T: int, rounds: Sequence[Mapping[str, Any]]) -> Length:
    times = {way: np.array([r[way] for r in rounds]) for way in ("naive", "fused", "full")}
    return Length(
        T, len(rounds), **{way: _spread(found) for way, found in times.items()},
        gain=_spread(times["naive"] / times["fused"]),
        gain_full=_spread(times["naive"] / times["full"]),
    )  # fmt: skip


def _spread(values: np.ndarray) -> Quartiles:
    return Quartiles(*(float(q) for q in np.quantile(values, (0.25, 0.5, 0.75))))


def _done(setup: Conditions | None, by_length: Mapping[int, Sequence[object]]) -> float:
    """Return the fraction of the work that is done; a round of more tokens takes longer."""
    if setup is None:
        return 0.0
    done = sum(T * len(rounds) for T, rounds in by_length.items())
    return min(1.0, done / (setup.rounds * sum(setup.lengths)))


def _now(setup: Conditions | None, by_length: Mapping[int, Sequence[object]]) -> str:
    """Return what it is doing, or what it was doing when it ended."""
    if setup is None:
        return TEXTS("loading")
    if not by_length:
        return TEXTS("preparing")
    T = list(by_length)[-1]
    return TEXTS("rounds_done", T=f"{T:,}", done=len(by_length[T]), rounds=setup.rounds)
