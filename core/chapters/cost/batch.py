"""Three texts at once: each filled up to the longest (padded), or all in one row (packed).

The first text is the page's sentence. A padded batch is an array with the same number of rows for
each text, and the texts do not meet: each is a run of its own here, with its PAD tokens. A packed
batch is one run of all texts, and the mask keeps them apart.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate

import numpy as np
from jaxtyping import Bool

from core.attention.axes import AXES
from core.attention.inputs import embedding, toy_inputs
from core.attention.masks import Rule
from core.attention.phases import JOIN, phases
from core.attention.program import cached_program
from core.attention.tokens import tokenise
from core.chapters.cost.growth import D_MODEL, HEADS
from core.operations.shapes import rows
from core.program.axes import POSITION, Axis
from core.program.described import meaning, phase
from core.program.families import Built, Family, Options, Toggle
from core.program.inputs import Inputs
from core.program.program import Program
from core.program.steps import Step
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("cost")
OTHERS = ("A dog slept", "Good morning")
"""Texts 2 and 3."""
PAD = "PAD"
"""The token that fills up. It has an embedding like any other."""
COUNT = 1 + len(OTHERS)
"""Texts of a batch."""
PADDED, PACKED = "padded", "packed"
_LAYOUTS = {PADDED: TEXTS("padded"), PACKED: TEXTS("packed")}
LAYOUT = Toggle("cost_layout", TEXTS("layout"), _LAYOUTS, PADDED, resizes=True)
_TEXTS = {str(n): str(n) for n in range(1, COUNT + 1)}
TEXT = Toggle("cost_which", TEXTS("which_text"), _TEXTS, str(COUNT), resizes=True)


@dataclass(frozen=True)
class Padded(Rule):
    """Causal, and after the first `real` tokens comes padding, which no token reads."""

    real: int = 1

    def mask(self, T: int, S: int) -> Bool[np.ndarray, "T S"]:
        mask: np.ndarray = np.tri(T, S, dtype=bool) & (np.arange(S) < self.real)
        return mask

    def code(self, T: int, S: int) -> str:
        return f"np.tri({T}, {S}, dtype=bool) & (np.arange({S}) < {self.real})"

    def torch_code(self, T: int, S: int) -> str:
        triangle = f"torch.ones({T}, {S}, dtype=torch.bool).tril()"
        return f"{triangle} & (torch.arange({S}) < {self.real})"

    @property
    def summary(self) -> str:
        return TEXTS("padded_rule")

    def reason(self, i: int, j: int) -> str:
        if j >= self.real:
            return TEXTS("is_padding", key=j + 1)
        return super().reason(i, j)


@dataclass(frozen=True)
class Packed(Rule):
    """Causal within each text, for texts of these lengths one after another."""

    lengths: tuple[int, ...] = (1,)

    @property
    def text_of(self) -> np.ndarray:
        """For each position its text, counted from 0."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)

    def mask(self, T: int, S: int) -> Bool[np.ndarray, "T S"]:
        text = self.text_of
        mask: np.ndarray = np.tri(T, S, dtype=bool) & (text[:T, None] == text[:S])
        return mask

    def code(self, T: int, S: int) -> str:
        text = f"np.repeat({[*range(len(self.lengths))]}, {[*self.lengths]})"
        return f"np.tri({T}, {S}, dtype=bool) & ((text := {text}) == text[:, None])"

    def torch_code(self, T: int, S: int) -> str:
        lengths = f"torch.tensor({[*self.lengths]})"
        text = f"torch.arange({len(self.lengths)}).repeat_interleave({lengths})"
        triangle = f"torch.ones({T}, {S}, dtype=torch.bool).tril()"
        return f"{triangle} & ((text := {text}) == text[:, None])"

    @property
    def summary(self) -> str:
        return TEXTS("packed_rule")

    def reason(self, i: int, j: int) -> str:
        query, key = (int(self.text_of[at]) + 1 for at in (i, j))
        if query != key:
            return TEXTS("other_text", query=query, key=key)
        return super().reason(i, j)


@lru_cache(maxsize=64)
def batch_program(rule: Padded | Packed, first: int, count: int) -> Program:
    """Causal attention under this rule, and of its output the `count` rows of one text."""
    base = cached_program(HEADS, HEADS, rule, True)
    padded = isinstance(rule, Padded)
    says = meaning(TEXTS, "kept", "x m", token="x", feature="m")
    taken = Step("kept", rows(f"x+{first} m -> x m", count), ("output",), says)
    _, *others, _ = phases(rule, True, HEADS)
    return replace(
        base,
        steps=(*base.steps, taken),
        phases=(_FILLED if padded else _IN_A_ROW, *others, JOIN, _DROP if padded else _TAKE),
        axes={**AXES, "x": Axis(TEXTS("position"), POSITION, "token", "n", offset=first)},
    )


_FILLED = phase(TEXTS, "filled", ("X",))
_IN_A_ROW = phase(TEXTS, "one_row", ("X",))
_DROP = phase(TEXTS, "dropped", ("kept",), defines=True)
_TAKE = phase(TEXTS, "taken", ("kept",), defines=True)


def batch_texts(text: str) -> tuple[tuple[str, ...], ...]:
    """The tokens of each text of the batch. Raises `InputError`."""
    return tuple(tuple(tokenise(each)) for each in (text, *OTHERS))


def batch_family(text: str) -> Family:
    """Each text of the batch, padded or packed. Raises `InputError`."""
    texts = batch_texts(text)
    lengths = tuple(map(len, texts))

    def build(options: Options) -> Built:
        which = int(options[TEXT.key]) - 1
        count = lengths[which]
        if options[LAYOUT.key] == PADDED:
            filled = (*texts[which], *[PAD] * (max(lengths) - count))
            return Built(batch_program(Padded(PADDED, real=count), 0, count), _inputs(filled))
        first = sum(lengths[:which])
        program = batch_program(Packed(PACKED, lengths=lengths), first, count)
        return Built(program, _inputs([token for each in texts for token in each]))

    return Family((LAYOUT, TEXT), build, "cost_", batch_family)


def _inputs(tokens: Sequence[str]) -> Inputs:
    """Rows for these tokens, and the weights of an untouched walkthrough."""
    weights = toy_inputs(PAD, heads=HEADS, d_model=D_MODEL)
    X = np.stack([embedding(token, D_MODEL) for token in tokens])
    return Inputs({**weights, "X": X}, tuple(tokens))


@dataclass(frozen=True)
class BatchCount:
    """What one layout computes of a batch: rows of X, and scores of all heads.

    `padding` of the rows are PAD tokens. `used` scores lead a token to one that it may read;
    `within` are all those between tokens of one text, later ones too.
    """

    rows: int
    padding: int
    scores: int
    used: int
    within: int


@dataclass(frozen=True)
class Batch:
    """A batch, run in both layouts: what each computes, and the largest difference of results."""

    lengths: tuple[int, ...]
    padded: BatchCount
    packed: BatchCount
    apart: float

    @property
    def table(self) -> Mapping[str, tuple[int, ...]]:
        """For each layout rows of X, those of PAD, and scores: computed, used, thrown away."""
        found: dict[str, tuple[int, ...]] = {}
        for name, of in ((TEXTS("padded"), self.padded), (TEXTS("one_square"), self.packed)):
            found[name] = (of.rows, of.padding, of.scores, of.used, of.scores - of.used)
        own = (of.rows, of.padding, of.within, of.used, of.within - of.used)
        return {**found, TEXTS("own_squares"): own}


@lru_cache(maxsize=16)
def batch(text: str) -> Batch:
    """Counted on its runs. Raises `InputError`."""
    family, lengths = batch_family(text), tuple(map(len, batch_texts(text)))
    runs = {
        layout: [family.run(**{LAYOUT.key: layout, TEXT.key: n}) for n in TEXT.options]
        for layout in LAYOUT.options
    }
    apart = max(
        float(np.abs(a["kept"] - b["kept"]).max()) for a, b in zip(*runs.values(), strict=True)
    )
    one_row = runs[PACKED][0]
    starts = [end - length for end, length in zip(accumulate(lengths), lengths, strict=True)]
    texts = [(one_row, start, n) for start, n in zip(starts, lengths, strict=True)]
    each = [(run, 0, n) for run, n in zip(runs[PADDED], lengths, strict=True)]
    return Batch(lengths, _counted(runs[PADDED], each), _counted([one_row], texts), apart)


def _counted(runs: Sequence[Trace], texts: Sequence[tuple[Trace, int, int]]) -> BatchCount:
    """Return what these runs compute; `texts` has the run of each text, its start and length."""
    computed = sum(len(run["X"]) for run in runs)
    squares = [
        (run["scores"][:, a : a + n, a : a + n], run["mask"][a : a + n]) for run, a, n in texts
    ]
    return BatchCount(
        rows=computed,
        padding=computed - sum(n for _, _, n in texts),
        scores=sum(run["scores"].size for run in runs),
        used=sum(len(scores) * int(mask.sum()) for scores, mask in squares),
        within=sum(scores.size for scores, _ in squares),
    )
