"""A table that is searched softly: a search text meets every title, what comes back is content.

The program is attention without its projections: Q (search texts), K (titles) and V (contents) are
given, one row a token. β sharpens the choice. Throughout, i searches, j is found.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from core.attention.axes import AXES
from core.operations.products import matmul, matmul_transposed
from core.operations.scaling import multiply_by
from core.operations.softmax import softmax
from core.program.display import shown
from core.program.families import Built, Family, Toggle
from core.program.inputs import Inputs
from core.program.labels import told_label, told_number
from core.program.patterns import Cell
from core.program.program import Program
from core.program.reading import percentages
from core.program.rounding import decimal_text, typeset
from core.program.steps import Input, Phase, Step
from core.program.trace import Trace

SHARPNESS = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
"""β: 0 tells no entry from another, the last returns one entry alone."""
TOPICS = ("a thing", "a colour", "an article")
"""What the features of search texts and titles stand for."""

WORDS = ("the", "red", "ball")
"""They search among themselves."""

PHASES = (
    Phase("Search texts", ("Q",), "A row for each search: how much of what it asks for."),
    Phase("Match the titles", ("scores",), "Each search text meets each title: a dot product."),
    Phase("Sharpen", ("scaled",), "β times the scores: differences grow."),
    Phase("Softmax", ("weights",), "Each row of scores becomes shares of 1."),
    Phase("Mix the contents", ("context",), "Contents, each times its weight, added up."),
)


def lookup_program(beta: float) -> Program:
    """softmax(β Q Kᵀ) V: soft key–value lookup (G); β = 1/√d_k is scaled dot-product attention.

    β ≥ 0. At 0 every search returns the mean of the contents; as β grows, the content whose title
    has the highest score (the mean of them, where several are highest).
    """

    def scaled(trace: Trace, cell: Cell) -> str:
        return f"The score times the sharpness β = {beta:g}."

    return Program(
        (
            Input("Q", "h i k", _search, role="query"),
            Input("K", "h j k", _title, role="key"),
            Input("V", "h j v", _content, role="value"),
        ),
        (
            Step("scores", matmul_transposed("h i k, h j k -> h i j"), ("Q", "K"), _match),
            Step("scaled", multiply_by(beta), ("scores",), scaled),
            Step("weights", softmax(), ("scaled",), _share, "weights"),
            Step("context", matmul("h i j, h j v -> h i v"), ("weights", "V"), _returned),
        ),
        PHASES,
        {"h": 1},
        AXES,
    )  # fmt: skip


BETA = Toggle("qkv_beta", "Sharpness β", {f"{b:g}": f"{b:g}" for b in SHARPNESS}, "2")


def lookup_family() -> Family:
    """The library searched at each sharpness."""
    return Family(
        (BETA,), lambda options: Built(lookup_program(float(options[BETA.key])), library())
    )


def library() -> Inputs:
    """Three words that search among themselves; each search has one best title."""
    arrays = {
        "Q": np.array([[[1.0, 0.5, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.5]]]),
        "K": np.array([[[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]]),
        "V": np.array([[[2.0, 0.0], [0.0, 6.0], [4.0, 3.0]]]),
    }
    return Inputs(arrays, WORDS)


def best_match(trace: Trace, i: int) -> int:
    """The entry whose title has the highest score for search i."""
    return int(trace["scores"][0, i].argmax())


def what_comes_back(trace: Trace, i: int) -> str:
    """What search i returns, beside what is stored under its best title and the plain mean."""
    best = best_match(trace, i)
    searcher, found = (told_label(trace, "i", at) for at in (i, best))
    places = range(trace["V"].shape[-1])
    returned = _row([told_number(trace, "context", (0, i, v)) for v in places])
    stored = _row([told_number(trace, "V", (0, best, v)) for v in places])
    mean = _row([typeset(decimal_text(float(number))) for number in trace["V"][0].mean(axis=0)])
    return (
        f"{searcher} gets back {returned}. Stored with {found}, whose title fits best, is "
        f"{stored}; the mean of all contents is {mean}."
    )


def _row(texts: list[str]) -> str:
    return f"({', '.join(texts)})"


def _search(trace: Trace, cell: Cell) -> str:
    return f"How much {told_label(trace, 'i', cell[1])} searches for {TOPICS[cell[2]]}."


def _title(trace: Trace, cell: Cell) -> str:
    return f"How much the title of {told_label(trace, 'j', cell[1])} says {TOPICS[cell[2]]}."


def _content(trace: Trace, cell: Cell) -> str:
    token = told_label(trace, "j", cell[1])
    return f"Number {cell[2] + 1} of what is stored with {token}. No search reads it to decide."


def _match(trace: Trace, cell: Cell) -> str:
    search, title = _pair(trace, cell)
    return f"How well the search text of {search} matches the title of {title}: a dot product."


def _share(trace: Trace, cell: Cell) -> str:
    search, title = _pair(trace, cell)
    return f"The share of what {search} gets back that comes from {title}. A row adds up to 1."


def _returned(trace: Trace, cell: Cell) -> str:
    token = told_label(trace, "i", cell[1])
    return f"Number {cell[2] + 1} of what {token} gets back: every content times its weight."


def _pair(trace: Trace, cell: Cell) -> tuple[str, str]:
    return told_label(trace, "i", cell[1]), told_label(trace, "j", cell[2])


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
    return {word: _searched(trace, i) for i, word in enumerate(WORDS)}


def _searched(trace: Trace, i: int) -> Search:
    def numbers(array: str, row: int) -> str:
        return _row([shown(trace, array, (0, row, at)) for at in range(trace[array].shape[-1])])

    def topics(array: str, row: int) -> str:
        values = trace[array][0, row]
        said = {shown(trace, array, (0, row, at)): at for at in np.flatnonzero(values).tolist()}
        if len(said) == 1:
            return TOPICS[next(iter(said.values()))]
        return ", ".join(f"{TOPICS[at]} {number}" for number, at in said.items())

    parts = percentages(trace["weights"][0, i], None)
    entries = tuple(
        Entry(word, topics("K", j), numbers("V", j), shown(trace, "scores", (0, i, j)), parts[j])
        for j, word in enumerate(WORDS)
    )
    return Search(WORDS[i], topics("Q", i), entries, numbers("context", i), best_match(trace, i))
