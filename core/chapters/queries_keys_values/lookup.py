"""A table that is searched softly: a search text meets every title, what comes back is content.

The program is attention without its projections: Q (search texts), K (titles) and V (contents) are
given, one row a token. β sharpens the choice. Throughout, i searches, j is found.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
from jaxtyping import Float

from core.attention.axes import AXES
from core.operations.products import matmul, matmul_transposed
from core.operations.scores import multiply_by
from core.operations.softmax import softmax
from core.program.described import meaning
from core.program.families import Built, Family, Toggle
from core.program.inputs import Inputs
from core.program.labels import told_label
from core.program.numbers.display import shown
from core.program.program import Program
from core.program.reading import percentages
from core.program.steps import Input, Meaning, Phase, Step
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("queries_keys_values")

SHARPNESS = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
"""β: at 0 all entries weigh the same, at the last one entry has nearly all the weight."""
TOPICS = (TEXTS("thing"), TEXTS("colour"), TEXTS("article"))
"""What the features of search texts and titles stand for."""

SEARCHING_WORDS = ("the", "red", "ball")
"""They search among themselves."""

PHASES = (
    Phase(TEXTS("searches_title"), ("Q",), TEXTS("searches_summary")),
    Phase(TEXTS("match_title"), ("scores",), TEXTS("match_summary")),
    Phase(TEXTS("sharpen_title"), ("scaled",), TEXTS("sharpen_summary")),
    Phase(TEXTS("weigh_title"), ("weights",), TEXTS("weigh_summary")),
    Phase(TEXTS("contents_title"), ("context",), TEXTS("contents_summary")),
)


def lookup_program(beta: float) -> Program:
    """softmax(β Q Kᵀ) V: soft key–value lookup (G); β = 1/√d_k is scaled dot-product attention.

    β ≥ 0. At 0 every search returns the mean of the contents; as β grows, the content whose title
    has the highest score (the mean of them, where several are highest).
    """

    sharpened = TEXTS("sharpened", beta=f"{beta:g}")
    inputs = (
        Input("Q", "h i k", _topic("search", "i"), role="query"),
        Input("K", "h j k", _topic("title", "j"), role="key"),
        Input("V", "h j v", _content, role="value"),
    )
    steps = (
        Step("scores", matmul_transposed("h i k, h j k -> h i j"), ("Q", "K"), _of_pair("fit")),
        Step("scaled", multiply_by(beta), ("scores",), lambda *_: sharpened),
        Step("weights", softmax(), ("scaled",), _of_pair("weight"), "weights"),
        Step("context", matmul("h i j, h j v -> h i v"), ("weights", "V"), _returned),
    )
    return Program(inputs, steps, PHASES, {"h": 1}, AXES)


BETA = Toggle("qkv_beta", TEXTS("sharpness"), {f"{b:g}": f"{b:g}" for b in SHARPNESS}, "2")


def lookup_family() -> Family:
    """The library searched at each sharpness."""
    return Family(
        (BETA,),
        lambda options: Built(lookup_program(float(options[BETA.key])), library()),
        "qkv_lookup_",
    )


def library() -> Inputs:
    """Three words that search among themselves; each search has one best title."""
    arrays = {
        "Q": np.array([[[1.0, 0.5, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.5]]]),
        "K": np.array([[[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]]),
        "V": np.array([[[2.0, 0.0], [0.0, 6.0], [4.0, 3.0]]]),
    }
    return Inputs(arrays, SEARCHING_WORDS)


def best_match(trace: Trace, i: int) -> int:
    """The entry whose title has the highest score for search i."""
    return int(trace["scores"][0, i].argmax())


def mean_content(trace: Trace) -> Float[np.ndarray, "d_v"]:
    """Return the mean of all contents."""
    mean: np.ndarray = trace["V"][0].mean(axis=0)
    return mean


def _row(texts: list[str]) -> str:
    return f"({', '.join(texts)})"


def _topic(id: str, letter: str) -> Meaning:
    return lambda trace, cell: TEXTS(
        id, token=told_label(trace, letter, cell[1]), topic=TOPICS[cell[2]]
    )


def _of_pair(id: str) -> Meaning:
    return meaning(TEXTS, id, "h i j", search="i", title="j")


_content = meaning(TEXTS, "content", "h j v", token="j", number="v")
_returned = meaning(TEXTS, "returned", "h i v", token="i", number="v")


@dataclass(frozen=True)
class Entry:
    """One book of the library: whose it is, what its title says, what it holds, how much it counts.

    `fit` is the search's dot product with the title, and `part` the percentage of what comes back
    that is its content.
    """

    token: str
    title: str
    content: str
    fit: str
    part: str


@dataclass(frozen=True)
class Search:
    """One search of the library: who asks for what, each entry, and what comes back."""

    token: str
    asks: str
    entries: tuple[Entry, ...]
    returned: str
    best: int


@cache
def searches() -> Mapping[str, Search]:
    """The search of each word, as the library opens."""
    trace = lookup_family().run()
    return {word: _searched(trace, i) for i, word in enumerate(SEARCHING_WORDS)}


def _searched(trace: Trace, i: int) -> Search:
    def numbers(array: str, row: int) -> str:
        return _row([shown(trace, array, (0, row, at)) for at in range(trace[array].shape[-1])])

    def topics(array: str, row: int) -> str:
        values = trace[array][0, row]
        text = {shown(trace, array, (0, row, at)): at for at in np.flatnonzero(values).tolist()}
        if len(text) == 1:
            return TOPICS[next(iter(text.values()))]
        return ", ".join(f"{TOPICS[at]} {number}" for number, at in text.items())

    parts = percentages(trace["weights"][0, i], None)
    entries = tuple(
        Entry(word, topics("K", j), numbers("V", j), shown(trace, "scores", (0, i, j)), parts[j])
        for j, word in enumerate(SEARCHING_WORDS)
    )
    returned, best = numbers("context", i), best_match(trace, i)
    return Search(SEARCHING_WORDS[i], topics("Q", i), entries, returned, best)
