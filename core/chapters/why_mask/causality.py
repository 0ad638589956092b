"""What a causal mask keeps: which rows an edit moves, tokens to predict, and a head that cheats.

And a head of a real model that gives its weight to the first token: an attention sink. Under a
causal mask every token sees the first one, which itself sees nothing else. Weights of a row add up
to 1, so a head that needs no other token still has to put its weight somewhere (Xiao et al. 2023).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from jaxtyping import Bool, Float

from core.attention.examples.presets import preset
from core.attention.given.given_program import vectors_program
from core.attention.inputs import toy_inputs
from core.attention.masks import GALLERY_WORDS, KINDS, Rule
from core.attention.program import attention_program, cached_program
from core.attention.tokens import tokenise
from core.errors import input_error
from core.models.captures import Capture
from core.models.head_scores import HEAD_SCORES
from core.operations.wrong_operations import subtract_where_hidden
from core.program.families import Built, Family, Options, Toggle
from core.program.inputs import Inputs
from core.program.program import Program
from core.program.steps import Step
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("why_mask")
GALLERY_TEXT = TEXTS("gallery_sentence")
N_HEADS, D_MODEL = 2, 8
CAUSAL = attention_program(heads=N_HEADS)
GIVEN = attention_program(heads=1, mask="custom")
FREE = attention_program(heads=N_HEADS, mask="none")
TEXT = "Let's hea"
IDS = (24, 43, 58, 5, 57, 1, 46, 43, 39)
"""The ids of those characters in the source's vocabulary (B)."""
LARGE = 1e9
"""What an additive mask usually subtracts."""


@dataclass(frozen=True)
class Edit:
    """A sentence before and after one token is another."""

    before: Trace
    after: Trace
    position: int

    def moved(self, array: str = "output") -> Float[np.ndarray, "T"]:
        """Return the largest change in each position's row of an array; 0 if bit-identical."""
        change = np.abs(self.after[array] - self.before[array])
        rows = np.moveaxis(change, self.before.program.letters[array].index("i"), 0)
        largest: np.ndarray = rows.reshape(len(rows), -1).max(axis=1)
        return largest

    @property
    def row_before(self) -> int:
        """The row above the edited one, or the first row if there is none."""
        return max(self.position - 1, 0)

    @property
    def moved_above(self) -> float:
        """The largest change of the output above the edited token; 0: bit-identical."""
        return float(self.moved()[: self.position].max(initial=0.0))

    @property
    def same_above(self) -> bool:
        """Whether every row of the output above the edited token is bit-identical."""
        return self.moved_above == 0

    @property
    def rows_moved(self) -> int:
        """How many rows of the output are not bit-identical."""
        return int(np.count_nonzero(self.moved()))


@lru_cache(maxsize=16)
def edit_token(text: str, place: int, word: str, causal: bool = True) -> Edit:
    """Put another word at a place, counted from 1. Raises `InputError`."""
    options = {EDITED.key: "causal" if causal else "none"}
    before = edit_family(" ".join(tokenise(text))).run(**options)
    return Edit(before, edit_family(with_word(text, place, word)).run(**options), place - 1)


def place_in(text: str, place: int) -> int:
    """A place counted from 1 if the sentence has it, else its last. Raises `InputError`."""
    return min(place, len(tokenise(text)))


def with_word(text: str, place: int, word: str) -> str:
    """The sentence with another word at a place, counted from 1. Raises `InputError`."""
    tokens, position = tokenise(text), place - 1
    if not 0 <= position < len(tokens):
        raise input_error(TEXTS, "no_token", place=place, tokens=len(tokens))
    if len(tokenise(word)) != 1:
        raise input_error(TEXTS, "not_one", word=repr(word[:20]))
    return " ".join(word if at == position else token for at, token in enumerate(tokens))


EDITED = Toggle(
    "mask_edit_mask", TEXTS("mask"), {"causal": TEXTS("causal"), "none": TEXTS("none")}, "causal"
)


def edit_family(text: str) -> Family:
    """A sentence with the causal mask and without. Building raises `InputError`."""

    def build(options: Options) -> Built:
        program = CAUSAL if options[EDITED.key] == "causal" else FREE
        return Built(program, toy_inputs(text, heads=N_HEADS, d_model=D_MODEL))

    return Family((EDITED,), build)


def with_additive_mask(program: Program, amount: float = np.inf) -> Program:
    """The same program, its mask added as 0 and −amount instead of filled in."""
    step: Step = program.step["masked"]
    return program.replaced("masked", replace(step, operation=subtract_where_hidden(amount)))


def additive_difference(built: Built, amount: float = np.inf) -> float:
    """The largest difference between the weights under the additive and the boolean mask."""
    added = replace(built, program=with_additive_mask(built.program, amount))
    return float(np.abs(built.run()["weights"] - added.run()["weights"]).max())


def on_text(rule: Rule | None, text: str, mask: np.ndarray | None = None) -> tuple[Program, Inputs]:
    """The program of one head under a rule, or under a given mask, and its inputs."""
    inputs = toy_inputs(text, heads=1)
    if rule is not None:
        return cached_program(1, 1, rule), inputs
    given = Rule("causal").mask(len(inputs.tokens), len(inputs.tokens)) if mask is None else mask
    return GIVEN, Inputs({**inputs, "mask": given}, inputs.tokens)


DRAWN = "draw"
MASK = Toggle("mask_kind", TEXTS("gallery_mask"), {**GALLERY_WORDS, DRAWN: TEXTS("draw")}, "window")
CHEAT = Toggle(
    "mask_cheat", TEXTS("cheat_mask"), {"none": TEXTS("none"), "causal": TEXTS("causal")}, "none"
)


def gallery_family(text: str, sizes: Sequence[int], painted: np.ndarray) -> Family:
    """One head under each mask of the gallery, or under a painted one."""

    def build(options: Options) -> Built:
        kind = options[MASK.key]
        return Built(*on_text(None if kind == DRAWN else KINDS[kind].rule(*sizes), text, painted))

    return Family((MASK,), build)


@dataclass(frozen=True)
class CellCount:
    """How many cells of a T × T matrix of scores a mask needs."""

    computed: int
    skipped: int

    @property
    def percent(self) -> float:
        """Cells that are computed, in percent."""
        return 100 * self.computed / (self.computed + self.skipped)


def sees_nothing(mask: Bool[np.ndarray, "T S"]) -> int:
    """How many queries see no key at all."""
    return int((~mask.any(axis=1)).sum())


def count_cells(mask: Bool[np.ndarray, "T S"]) -> CellCount:
    """Visible cells must be computed, hidden ones may be skipped. Causal: T(T+1)/2 are computed."""
    computed = int(mask.sum())
    return CellCount(computed, mask.size - computed)


@dataclass(frozen=True)
class Example:
    """One training example: what may be seen, and what is to be predicted."""

    context: tuple[int, ...]
    text: str
    target: int
    character: str

    @property
    def ids(self) -> str:
        return " ".join(map(str, self.context))


def examples(block: int) -> list[Example]:
    """The examples in one window of `block` tokens: each prefix predicts the token after it."""
    return [Example(IDS[:n], TEXT[:n], IDS[n], TEXT[n]) for n in range(1, block + 1)]


@dataclass(frozen=True)
class Cheat:
    """What a head reads that looks for the next token, and how often it is that token."""

    read: tuple[float, ...]
    wanted: tuple[int, ...]
    hits: int


def cheat_family() -> Family:
    """The copy-the-next-token head (P5), with the causal mask or without."""
    head = preset("P5-next")
    return Family((CHEAT,), lambda options: head.built(mask=options[CHEAT.key]), "mask_cheat_")


def cheat(trace: Trace) -> Cheat:
    """How often that head reads the very token that is to be predicted."""
    values, read = trace["V"][0, :, 0], trace["context"][0, :, 0]
    wanted = values[1:]
    hits = int((np.abs(read[:-1] - wanted) < 0.005).sum())
    return Cheat(tuple(map(float, read)), tuple(map(int, wanted)), hits)


REAL_HEAD = "smollm2-first-token"
FROM_VECTORS = vectors_program(1, 1, Rule("causal"))


def first_if_equal(T: int) -> float:
    """Return (1/(T−1)) Σ 1/(i+1) over i from 1 to T−1: the first token's weight if equal weights
    go to all tokens that a row sees. The first row is left out: its weight is 1 in any case.
    """
    return float(np.mean(1 / np.arange(2, T + 1)))


@dataclass(frozen=True)
class Sink:
    """What a captured head gives its first token, and what it gets from there."""

    percent: float
    """Mean weight on the first token in the rows i ≥ 1, in percent."""
    length: float
    """√(Σ v²) of the first token's value."""
    other_length: float
    """The mean of this over the other tokens."""


def sink_of(capture: Capture) -> Sink:
    """Return the mean weight on the first token and the lengths of values."""
    first, *others = np.linalg.norm(capture.V, axis=1)
    percent = 100 * HEAD_SCORES["first_token"](capture.weights, capture.run.tokens)
    return Sink(percent, float(first), float(np.mean(others)))
