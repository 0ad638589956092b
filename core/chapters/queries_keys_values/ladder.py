"""Attention rung by rung, from (X Xᵀ) X to causal self-attention.

Each rung is a program that changes or adds a few steps of the one below. The steps are those of
`core.attention` with one head; rung 4 is its first nine steps as they stand there. What a token
reads in the end is called context on every rung.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from core.attention.axes import AXES
from core.attention.inputs import toy_inputs
from core.attention.phases import EMBED, PHASES, PROJECT, SCORE
from core.attention.presets import PRESETS
from core.attention.program import attention_program
from core.operations.shapes import one_head
from core.program.display import shown
from core.program.families import Built, Family, Options, Toggle
from core.program.inputs import Inputs
from core.program.labels import told_label, told_number
from core.program.patterns import Cell
from core.program.program import Program
from core.program.steps import Meaning, Phase, Step
from core.program.trace import Trace

ATTENTION = attention_program(heads=1)


@dataclass(frozen=True)
class Rung:
    """One rung: its name, in a sentence what it adds, and the array that shows it.

    Its program takes `inputs` and runs through `steps` in this order.
    """

    title: str
    adds: str
    shows: str
    inputs: tuple[str, ...]
    steps: tuple[str, ...]


_MAPS = ("X", "W_Q", "W_K", "W_V")
RUNGS = (
    Rung(
        "X alone",
        "Query, key and value are all the row of X itself: (X Xᵀ) X. There is no map to learn, and "
        "a pair has the same score in both directions.",
        "scores", ("X",), ("Q", "K", "V", "scores", "context"),
    ),
    Rung(
        "Learned maps",
        "W_Q, W_K and W_V give each token three rows of its own: what it looks for, what it can be "
        "found by, and what it hands over. Now asking and being asked are two things.",
        "scores", _MAPS, ("Q", "K", "V", "scores", "context"),
    ),
    Rung(
        "Softmax",
        "The scores, divided by √d_k, become weights: shares that are positive and add up to 1 in "
        "each row. So a token reads a weighted mean of value rows, however large its scores are.",
        "weights", _MAPS, ("Q", "K", "V", "scores", "scaled", "weights", "context"),
    ),
    Rung(
        "Causal mask",
        "The score of a key that comes after the query becomes −∞ before softmax, so no token "
        "reads from a later one.",
        "masked", _MAPS,
        ("Q", "K", "V", "scores", "scaled", "mask", "masked", "weights", "context"),
    ),
)  # fmt: skip
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


RUNG = Toggle(
    "qkv_rung", "Version", {str(n): f"{n} · {rung.title}" for n, rung in enumerate(RUNGS, 1)}, "2",
    shows={str(n): rung.shows for n, rung in enumerate(RUNGS, 1)},
)  # fmt: skip
NUMBERS = Toggle(
    "qkv_numbers", "Numbers", {"hand": "the red ball, by hand", "drawn": "your sentence, drawn"},
    "hand",
)  # fmt: skip


def ladder_family(text: str) -> Family:
    """Each rung on the sentence made by hand, or on another. Building raises `InputError`."""

    def build(options: Options) -> Built:
        rung = int(options[RUNG.key])
        inputs = by_hand() if options[NUMBERS.key] == "hand" else drawn(text)
        return Built(ladder_program(rung), inputs_of(rung, inputs))

    return Family((RUNG, NUMBERS), build)


def by_hand() -> Inputs:
    """The red ball, one-hot: only ball asks (W_Q), only red answers (W_K). The preset P11b."""
    return PRESETS["P11b"].inputs()


def drawn(text: str) -> Inputs:
    """A sentence with the walkthrough's embeddings and drawn weights: d_k = 2, d_v = 3.

    Raises `InputError`.
    """
    return toy_inputs(text, heads=1, d_model=4, d_k=2, d_v=3)


def both_ways(trace: Trace, i: int, j: int) -> str:
    """What the rung makes of the pair (i, j) and of the pair (j, i), in a sentence."""
    array = "weights" if "weights" in trace else "scores"
    there, back = (0, i, j), (0, j, i)
    first, second = (told_number(trace, array, cell) for cell in (there, back))
    asks, asked = (told_label(trace, "i", at) for at in (i, j))
    if array == "scores":
        end = ": the same" if shown(trace, array, there) == shown(trace, array, back) else ""
        return f"{asks} scores {asked} with {first}, {asked} scores {asks} with {second}{end}."
    hidden = trace.is_removed(array, back)
    end = f", which comes later and is hidden from {asked}" if hidden else ""
    return f"{asks} gives {asked} a weight of {first}, {asked} gives {second} to {asks}{end}."


def _row_as(role: str) -> Meaning:
    def meaning(trace: Trace, cell: Cell) -> str:
        token = told_label(trace, "i", cell[1])
        return f"Feature {cell[2] + 1} of {token}: its row of X, used as its {role} as it is."

    return meaning


def _mixture(trace: Trace, cell: Cell) -> str:
    token = told_label(trace, "i", cell[1])
    return (
        f"Feature {cell[2] + 1} of the mixture that {token} reads: each row of V times its score, "
        "added up. The scores are no shares: they can be negative and add up to anything."
    )


_MIXED = replace(ATTENTION.step["context"], operands=("scores", "V"), meaning=_mixture)
_OWN_STEPS: Mapping[int, tuple[Step, ...]] = {
    1: (
        Step("Q", one_head(), ("X",), _row_as("query"), "query"),
        Step("K", one_head(), ("X",), _row_as("key"), "key"),
        Step("V", one_head(), ("X",), _row_as("value"), "value"),
        _MIXED,
    ),
    2: (_MIXED,),
    3: (replace(ATTENTION.step["weights"], operands=("scaled",)),),
}
"""By rung: the steps that differ from attention's, because what those read is still to come."""

_MIX = Phase("Mix the values", ("context",), "Value rows, each times its score, added up.")
_OWN_PHASES: Mapping[int, tuple[Phase, ...]] = {
    1: (
        EMBED,
        Phase("The query", ("Q",), "It is the row of X.", defines=True),
        Phase("The key", ("K",), "It is the row of X.", defines=True),
        Phase("The value", ("V",), "It is the row of X.", defines=True),
        SCORE,
        _MIX,
    ),
    2: (EMBED, PROJECT, SCORE, _MIX),
}
