"""The sentence ribbon as plain data: for each token what it reads from, in percent and in words."""

from functools import lru_cache
from typing import Any

import numpy as np

from core.program.labels import LABEL_LENGTH, place_names, sentence_parts
from core.program.reading import (
    made_between,
    own_keys,
    percentages,
    place_counts,
    spoken_places,
    told_reading,
    told_sum,
    weights_between_tokens,
)
from core.program.trace import Trace

Data = dict[str, Any]


def ribbons(trace: Trace) -> list[Data]:
    """A ribbon for each array of weights between tokens; most programs have one or none.

    `shares` are the percentages of all its cells, between spaces. `said` is what each of its rows
    reads, the last index running fastest, and `notes` is why a row does not add up to 100. `hides`
    names the arrays that give it away, and `whole` the tokens that are longer than their labels, by
    the places of queries and of keys.
    """
    return [_ribbon(trace, name) for name in weights_between_tokens(trace)]


def _ribbon(trace: Trace, name: str) -> Data:
    query, key = trace.program.letters[name][-2:]
    weights, removed = trace[name], trace.removed[name]
    shares, text, notes = _read(
        weights.tobytes(), weights.dtype.str, weights.shape,
        b"" if removed is None else removed.tobytes(),
        tuple(spoken_places(trace, query)), tuple(spoken_places(trace, key)),
        tuple(own_keys(trace, query, key)), f"{place_counts(trace, key)}s",
    )  # fmt: skip
    return {
        "array": name,
        "hides": made_between(trace, name),
        "shares": shares,
        "said": text,
        "notes": notes,
        "whole": [_cut(trace, query), _cut(trace, key)],
    }


@lru_cache(maxsize=64)
def _read(
    content: bytes, dtype: str, shape: tuple[int, ...], gone: bytes,
    queries: tuple[str, ...], keys: tuple[str, ...], own: tuple[int | None, ...], counted: str,
) -> tuple[str, list[list[str]], list[str]]:  # fmt: skip
    """Percentages, sentences and notes, kept for the runs that have the same weights."""
    weights = np.frombuffer(content, dtype)
    texts = percentages(weights, np.frombuffer(gone, bool) if gone else None)
    size = shape[-1]
    rows = [texts[start : start + size] for start in range(0, len(texts), size)]
    totals = weights.reshape(-1, size).sum(axis=1).tolist()
    text = []
    for at, row in enumerate(rows):
        query = at % len(queries)
        names: list[str] = list(keys)
        if (itself := own[query]) is not None:
            names[itself] = "itself"
        text.append(sentence_parts(told_reading(queries[query], names, row, counted)))
    return " ".join(texts), text, list(map(told_sum, rows, totals))


def _cut(trace: Trace, letter: str) -> dict[str, str]:
    """The tokens of an axis that its labels shorten, by their places."""
    axis = trace.program.axis(letter)
    tokens = trace.more_tokens.get(axis.tokens, ()) if axis.tokens else trace.tokens
    named = len(place_names(trace, letter))
    own = tokens[axis.offset :][:named]
    return {str(at): token for at, token in enumerate(own) if len(token) > LABEL_LENGTH}
