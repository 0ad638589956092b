"""Attention rung by rung, from (X Xᵀ) X to causal self-attention.

Each rung is a program that changes or adds a few steps of the one below. The steps are those of
`core.attention` with one head; rung 4 is its first nine steps as they stand there. What a token
reads in the end is called context on every rung.

X Xᵀ of the lowest rung is symmetric and has no eigenvalue below 0, since for any row a, a X Xᵀ aᵀ
is the dot product of a X with itself. Q Kᵀ of learned projections need be neither.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from core.attention.axes import AXES
from core.attention.examples.presets import PRESETS
from core.attention.inputs import toy_inputs
from core.attention.phases import EMBED, PHASES, PROJECT, SCORE
from core.attention.program import attention_program
from core.operations.shapes import one_head
from core.program.described import meaning
from core.program.families import Built, Family, Options, Toggle
from core.program.inputs import Inputs
from core.program.patterns import Cell
from core.program.program import Program
from core.program.steps import Meaning, Phase, Step
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("queries_keys_values")
ATTENTION = attention_program(heads=1)


@dataclass(frozen=True)
class Rung:
    """One rung: its name, what it adds in two sentences, and the array that shows it.

    Its program takes `inputs` and runs through `steps` in this order.
    """

    title: str
    adds: str
    shows: str
    inputs: tuple[str, ...]
    steps: tuple[str, ...]


_MAPS = ("X", "W_Q", "W_K", "W_V")
_SCORED, _READ = ("Q", "K", "V", "scores"), ("weights", "context")
_PLAIN, _SOFT = (*_SCORED, "context"), (*_SCORED, "scaled", *_READ)
_CAUSAL = (*_SCORED, "scaled", "mask", "masked", *_READ)
RUNGS = (
    Rung(TEXTS("only_x"), TEXTS("only_x_adds"), "scores", ("X",), _PLAIN),
    Rung(TEXTS("projections"), TEXTS("projections_adds"), "scores", _MAPS, _PLAIN),
    Rung(TEXTS("softmax"), TEXTS("softmax_adds"), "weights", _MAPS, _SOFT),
    Rung(TEXTS("causal"), TEXTS("causal_adds"), "masked", _MAPS, _CAUSAL),
)
"""The ladder from the lowest rung up; rungs count from 1."""


def ladder_program(rung: int) -> Program:
    """Rung 1 to 4: (X Xᵀ) X, (Q Kᵀ) V, softmax(Q Kᵀ / √d_k) V, and the last with a causal mask.

    Rung 4 is Vaswani et al. (2017), equation 1 with the mask of section 3.2.3, for one head and
    without W_O. The way up is G's.
    """
    made = RUNGS[rung - 1]
    step = {s.name: s for s in (*ATTENTION.steps, *_OWN_STEPS.get(rung, ()))}
    return Program(
        tuple(given for given in ATTENTION.inputs if given.name in made.inputs),
        tuple(step[name] for name in made.steps),
        _OWN_PHASES.get(rung) or tuple(p for p in PHASES if p.names[-1] in ("X", *made.steps)),
        {"h": 1, "g": 1},
        AXES,
    )


def climb(rung: int, inputs: Inputs) -> Trace:
    """A rung's run on those of the inputs that it takes."""
    return ladder_program(rung).run(inputs_of(rung, inputs))


def inputs_of(rung: int, inputs: Inputs) -> Inputs:
    """Those of the inputs that a rung takes."""
    return Inputs({name: inputs[name] for name in RUNGS[rung - 1].inputs}, inputs.tokens)


_TITLES = {str(n): f"{n} · {rung.title}" for n, rung in enumerate(RUNGS, 1)}
_SHOWN = {str(n): rung.shows for n, rung in enumerate(RUNGS, 1)}
RUNG = Toggle("qkv_rung", TEXTS("version"), _TITLES, "2", shows=_SHOWN)
NUMBERS = Toggle(
    "qkv_numbers", TEXTS("numbers"), {"hand": TEXTS("by_hand"), "drawn": TEXTS("random")}, "hand"
)


def ladder_family(text: str) -> Family:
    """Each rung on the sentence made by hand, or on another. Building raises `InputError`."""

    def build(options: Options) -> Built:
        rung = int(options[RUNG.key])
        inputs = red_ball() if options[NUMBERS.key] == "hand" else drawn_ladder(text)
        return Built(ladder_program(rung), inputs_of(rung, inputs))

    return Family((RUNG, NUMBERS), build, "qkv_ladder_", ladder_family)


def red_ball() -> Inputs:
    """The red ball, one-hot: only ball asks (W_Q), only red answers (W_K). The preset P11b."""
    return PRESETS["P11b"].inputs()


def drawn_ladder(text: str) -> Inputs:
    """A sentence, drawn weights as on the walkthrough: d_k = 2, d_v = 3. Raises `InputError`."""
    return toy_inputs(text, heads=1, d_model=4, d_k=2, d_v=3)


@dataclass(frozen=True)
class BothWays:
    """The cells of the pair (i, j) and of the pair (j, i), in the array that a rung ends with.

    `same`: their numbers are equal. `hidden`: the mask removed the second.
    """

    array: str
    there: Cell
    back: Cell
    same: bool
    hidden: bool


def both_ways(trace: Trace, i: int, j: int) -> BothWays:
    """Return the weights of a pair in both directions, or its scores on a rung without weights."""
    array = "weights" if "weights" in trace else "scores"
    there, back = (0, i, j), (0, j, i)
    same = abs(float(trace[array][there] - trace[array][back])) <= trace.noise[array]
    return BothWays(array, there, back, same, trace.is_removed(array, back))


def _of_row(id: str) -> Meaning:
    return meaning(TEXTS, id, "h i m", feature="m", token="i")


_MIXED = replace(
    ATTENTION.step["context"],
    operands=("scores", "V"),
    meaning=meaning(TEXTS, "mixed", "h i v", feature="v", token="i"),
)
_OWN_STEPS: Mapping[int, tuple[Step, ...]] = {
    1: (
        Step("Q", one_head(), ("X",), _of_row("query_is_row"), "query"),
        Step("K", one_head(), ("X",), _of_row("key_is_row"), "key"),
        Step("V", one_head(), ("X",), _of_row("value_is_row"), "value"),
        _MIXED,
    ),
    2: (_MIXED,),
    3: (replace(ATTENTION.step["weights"], operands=("scaled",)),),
}
"""By rung: the steps that differ from attention's, because what those read is still to come."""

_MIX = Phase(TEXTS("mix_title"), ("context",), TEXTS("mix_summary"))
_OWN_ROWS = (
    Phase(TEXTS("query_title"), ("Q",), TEXTS("query_summary"), defines=True),
    Phase(TEXTS("key_title"), ("K",), TEXTS("key_summary"), defines=True),
    Phase(TEXTS("value_title"), ("V",), TEXTS("value_summary"), defines=True),
)
_OWN_PHASES: Mapping[int, tuple[Phase, ...]] = {
    1: (EMBED, *_OWN_ROWS, SCORE, _MIX),
    2: (EMBED, PROJECT, SCORE, _MIX),
}


ALONE, MAPPED = 1, 2
"""The rungs of the ladder whose scores are X Xᵀ, and Q Kᵀ."""


def eigenvalues_of_scores(trace: Trace) -> tuple[float, ...]:
    """Return the eigenvalues of symmetric scores, the smallest first; float noise is 0."""
    scores = trace["scores"][0]
    found = np.linalg.eigvalsh(scores)
    lost = np.abs(scores).max(initial=0.0) * len(scores) * np.finfo(float).eps
    return tuple(float(value) for value in np.where(np.abs(found) <= 4 * lost, 0.0, found))


def asymmetry(trace: Trace) -> float:
    """Return by how much the two scores of a pair differ at most: 0 if they are symmetric."""
    scores = trace["scores"][0]
    found = float(np.abs(scores - scores.T).max(initial=0.0))
    return found if found > trace.noise["scores"] else 0.0


@dataclass(frozen=True)
class Symmetry:
    """The eigenvalues of X Xᵀ, and by how much two mirrored entries of Q Kᵀ differ at most."""

    eigenvalues: tuple[float, ...]
    apart: float

    @property
    def above(self) -> tuple[float, ...]:
        """The eigenvalues above 0."""
        return tuple(value for value in self.eigenvalues if value)

    @property
    def zeros(self) -> int:
        return len(self.eigenvalues) - len(self.above)


def symmetry(text: str) -> Symmetry:
    """Return both for a sentence with random numbers. Raises `InputError`."""
    inputs = drawn_ladder(text)
    return Symmetry(eigenvalues_of_scores(climb(ALONE, inputs)), asymmetry(climb(MAPPED, inputs)))
