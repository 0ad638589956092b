"""Attention without positions on tokens in another order, beside the same on them as typed.

f(P·X) and P·f(X): f is one layer of attention or two, P a permutation matrix. Positions i and j
count the new order, t and z the order as typed.
"""

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from core.attention.axes import AXES
from core.attention.inputs import SEED, toy_inputs
from core.attention.masks import Rule
from core.attention.meanings import feature, pair, weight
from core.attention.meanings import row as told
from core.attention.phases import EMBED
from core.attention.phases import phases as all_phases
from core.attention.tokens import few_enough, tokenise
from core.chapters.word_order.orders import (
    BY_HAND,
    ORDERS,
    Order,
    order_of,
    permutation_matrix,
)
from core.operations.masking import mask_fill, visible
from core.operations.products import matmul, matmul_transposed
from core.operations.scaling import divide_by_root
from core.operations.shapes import join_heads
from core.operations.softmax import softmax
from core.operations.sums import subtract
from core.program.axes import POSITION, Axis
from core.program.families import Built, Family, Options, Toggle
from core.program.inputs import Inputs
from core.program.labels import token_labels, told_label
from core.program.patterns import Cell
from core.program.program import Program
from core.program.rounding import cell_text, typeset
from core.program.steps import Input, Meaning, Phase, Step
from core.program.trace import Trace

D_MODEL = 4
SECOND_SEED = SEED + 1
_MATCH = (
    "The dot product of the query of {} and the key of {}. Nothing in it depends on where the two "
    "stand."
)
LIKE = "(X|W_Q|W_K|W_V|Q|K|V|scores|scaled|mask|masked|weights|context)_[12](_typed)?"
"""How the arrays of layers are called, as a regular expression."""
ORDER = Toggle(
    "order_tokens", "Order",
    {"typed": "as typed", "earlier": "earlier ones reversed", "front": "last one first",
     "reversed": "all reversed", BY_HAND: "yours"},
    "reversed",
)  # fmt: skip
MASK = Toggle("order_mask", "Mask", {"none": "none", "causal": "causal"}, "none")
LAYERS = Toggle("order_layers", "Layers", {"1": "1", "2": "2"}, "1", resizes=True)


def shuffled_family(text: str, yours: str = "") -> Family:
    """A sentence in several orders, masked or not, one layer or two. Raises `InputError`.

    One of the orders is yours: the same tokens, typed in another order.
    """

    def build(options: Options) -> Built:
        program = shuffled_program(options[MASK.key], int(options[LAYERS.key]))
        kind, T = options[ORDER.key], len(tokenise(text))
        order = order_of(text, yours) if kind == BY_HAND else ORDERS[kind](T)
        return Built(program, shuffled_inputs(text, order, int(options[LAYERS.key])))

    return Family((ORDER, MASK, LAYERS), build)


def shuffled_inputs(text: str, order: Order, layers: int) -> Inputs:
    """A sentence, the matrix of an order, and the weights of each layer. Raises `InputError`."""
    first = toy_inputs(few_enough(text), heads=1, d_model=D_MODEL)
    arrays = {"X": first["X"], "P": permutation_matrix(order)}
    for layer in range(1, layers + 1):
        drawn = toy_inputs(text, heads=1, d_model=D_MODEL, seed=(SEED, SECOND_SEED)[layer - 1])
        arrays |= {f"{name}_{layer}": drawn[name] for name in ("W_Q", "W_K", "W_V")}
    labels = token_labels(first.tokens)
    return Inputs(arrays, first.tokens, {"placed": tuple(labels[at] for at in order)})


@lru_cache(maxsize=8)
def shuffled_program(mask: str, layers: int) -> Program:
    """f(P·X), then P·f(X), then their difference."""
    rule = Rule(mask, 0)
    numbers = range(1, layers + 1)
    inputs = [
        Input("X", "t m", told("t", "{}, before any mixing")),
        Input("P", "i t", _placed),
        *(
            Input(
                f"{name}_{layer}", f"h m {letter}", weight(role, f", in layer {layer}"), role=role
            )
            for layer in numbers
            for name, letter, role in (
                ("W_Q", "k", "query"), ("W_K", "k", "key"), ("W_V", "v", "value"),
            )
        ),
    ]  # fmt: skip
    new = [step for layer in numbers for step in _layer(layer, "", rule, "i", "j")]
    typed = [step for layer in numbers for step in _layer(layer, "_typed", rule, "t", "z")]
    read, read_typed = f"context_{layers}", f"context_{layers}_typed"
    steps = [
        Step("X_new", matmul("i t, t m -> i m"), ("P", "X"), told("i", "{}, before any mixing")),
        *new,
        *typed,
        Step("moved", matmul("i t, h t v -> h i v"), ("P", read_typed), _moved),
        Step("difference", subtract("h i v, h i v -> h i v"), (read, "moved"), _difference),
    ]
    return Program(
        tuple(inputs), tuple(steps), _phases(rule, layers), {"h": 1},
        {
            **AXES,
            "i": Axis("new place", POSITION, "query", "T", tokens="placed"),
            "j": Axis("new place of a key", POSITION, "key", "T", tokens="placed"),
            "t": Axis("place as typed", POSITION, "query", "T"),
            "z": Axis("place of a key as typed", POSITION, "key", "T"),
        },
        makes="the difference",
    )  # fmt: skip


def _layer(layer: int, way: str, rule: Rule, row: str, column: str) -> list[Step]:
    """One layer of attention with one head; what follows in its names says which one."""

    def named(name: str) -> str:
        return f"{name}_{layer}{way}"

    source = named("X") if layer > 1 else ("X" if way else "X_new")
    of = f"its row of {source}"
    handed = [
        Step(
            source,
            join_heads(),
            (f"context_{layer - 1}{way}",),
            told(row, "what {} has read in layer 1"),
            axes=f"{row} m",
        )
    ]
    across, pairs = f"h {row} {column}", (row, column)
    return [
        *(handed if layer > 1 else []),
        Step(named("Q"), matmul(f"{row} m, h m k -> h {row} k"), (source, f"W_Q_{layer}"),
             _projected("looks for", row, f"{of} times a column of W_Q"), "query"),
        Step(named("K"), matmul(f"{column} m, h m k -> h {column} k"), (source, f"W_K_{layer}"),
             _projected("can be found by", column, f"{of} times a column of W_K"), "key"),
        Step(named("V"), matmul(f"{column} m, h m v -> h {column} v"), (source, f"W_V_{layer}"),
             _projected("hands over", column, f"{of} times a column of W_V"), "value"),
        Step(named("scores"), matmul_transposed(f"h {row} k, h {column} k -> {across}"),
             (named("Q"), named("K")), pair(*pairs, _MATCH)),
        Step(named("scaled"), divide_by_root(), (named("scores"), named("K")), _scaled),
        Step(named("mask"), visible(rule), (named("scaled"),), _sees(*pairs, rule),
             axes=f"{row} {column}"),
        Step(named("masked"), mask_fill(), (named("scaled"), named("mask")),
             _kept(*pairs, named("masked"))),
        Step(named("weights"), softmax(), (named("masked"),), _share(*pairs, named("weights")),
             "weights"),
        Step(named("context"), matmul(f"{across}, h {column} v -> h {row} v"),
             (named("weights"), named("V")), feature(row, "what {} reads")),
    ]  # fmt: skip


def _phases(rule: Rule, layers: int) -> tuple[Phase, ...]:
    def layer_phases(layer: int, way: str) -> tuple[Phase, ...]:
        inner = [
            replace(phase, names=tuple(f"{name}_{layer}{way}" for name in phase.names))
            for phase in all_phases(rule)[1:7]
        ]
        inner[-1] = replace(inner[-1], defines=True)
        if layer > 1:
            handed = Phase(
                "Handed on", (f"X_{layer}{way}",), "What the layer below has read.",
                words="The next layer takes what this one has read, a row for each token. Its rows "
                "already are mixtures.",
            )  # fmt: skip
            return (handed, *inner)
        return tuple(inner)

    second = [
        Phase(
            "A second layer", ("context_2",), "Attention over what was read.", defines=True,
            shows=("weights_2", "context_2"), phases=layer_phases(2, ""),
            words="The same steps once more, with weights of their own, on what the first layer "
            "has read. Open it to see them.",
        )
    ]  # fmt: skip
    typed = tuple(
        phase for layer in range(1, layers + 1) for phase in layer_phases(layer, "_typed")
    )
    return (
        replace(EMBED, title="As typed"),
        Phase(
            "In another order", ("P", "X_new"), "Each row of P has one 1: it takes one row of X.",
            words="P is a permutation matrix: a 1 in row i, column t puts the token of place t, as "
            "typed, to the new place i. No number of X changes, only its row.",
        ),
        *layer_phases(1, ""),
        *(second if layers > 1 else []),
        Phase(
            "The same as typed", (f"context_{layers}_typed",), "Attention on X, before any move.",
            defines=True,
            shows=(f"context_{layers}_typed",), phases=typed,
            words="The same weights on the tokens as they were typed. Open it to see its steps.",
        ),
        Phase(
            "Put in the new order", ("moved",), "P times what was read.",
            words="What was read as typed, its rows put where their tokens stand in the new order.",
        ),
        Phase(
            "Beside each other", ("difference",), "f(P·X) − P·f(X).",
            words="What attention reads in the new order, minus what it reads as typed, moved "
            "along. A row of zeros, up to float noise: that token reads the same in both orders.",
        ),
    )  # fmt: skip


def is_as_typed(trace: Trace) -> bool:
    """Whether the new order is the one that was typed."""
    return bool(np.array_equal(trace["P"], np.eye(len(trace["P"]))))


@dataclass(frozen=True)
class Rows:
    """Places of the new order, counted from 0, by what became of what their tokens read.

    `changed`; `kept`: the same, and it sees the tokens that it saw as typed; `alike`: the same,
    though it sees others; `noticed`: changed, though it sees the same tokens. `noisy` says whether
    what is the same differs by float noise.
    """

    changed: list[int]
    kept: list[int]
    alike: list[int]
    noticed: list[int]
    noisy: bool


def kinds_of_rows(trace: Trace) -> Rows:
    """What became of each token's row in the new order."""
    order = trace["P"].argmax(axis=1)
    gaps = np.abs(trace["difference"][0]).max(axis=-1)
    same = gaps <= trace.noise["difference"]
    seen = [set(order[row]) for row in trace["mask_1"]]
    typed = [set(np.flatnonzero(row)) for row in trace["mask_1_typed"]]
    told = [seen[at] == typed[place] for at, place in enumerate(order)]

    def places(wanted: np.ndarray) -> list[int]:
        return [int(at) for at in np.flatnonzero(wanted)]

    return Rows(
        places(~same), places(same & told), places(same & ~np.array(told)), places(~same & told),
        noisy=bool(gaps[same].any()),
    )  # fmt: skip


def apart(trace: Trace) -> str:
    """How far the two are at most apart."""
    return typeset(cell_text(float(np.abs(trace["difference"]).max())))


def _token(trace: Trace, letter: str, at: int) -> str:
    return told_label(trace, letter, at)


def _placed(trace: Trace, cell: Cell) -> str:
    token, share = _token(trace, "t", cell[1]), float(trace["P"][cell])
    if share not in (0, 1):
        return f"How much of the row of {token} goes into the row of place {cell[0] + 1}."
    stands = "stands" if share else "does not stand"
    return f"{token}, place {cell[1] + 1} as typed, {stands} at place {cell[0] + 1} now."


def _projected(does: str, letter: str, made: str) -> Meaning:
    return lambda trace, cell: (
        f"Feature {cell[2] + 1} of what {_token(trace, letter, cell[1])} {does}: {made}."
    )


def _scaled(trace: Trace, cell: Cell) -> str:
    return f"The score divided by √d_k = √{trace['K_1'].shape[-1]}."


def _sees(row: str, column: str, rule: Rule) -> Meaning:
    def meaning(trace: Trace, cell: Cell) -> str:
        asking, asked = _token(trace, row, cell[0]), _token(trace, column, cell[1])
        if rule.name == "none":
            return f"{asking} sees {asked}: nothing is hidden."
        may = "sees" if cell[1] <= cell[0] else "does not see"
        return f"{asking} {may} {asked}: {_where(*cell)}."

    return meaning


def _where(place: int, other: int) -> str:
    if place == other:
        return "it is the token itself"
    return "it stands before it" if other < place else "it stands after it"


def _kept(row: str, column: str, name: str) -> Meaning:
    def meaning(trace: Trace, cell: Cell) -> str:
        _, i, j = cell
        asking, asked = _token(trace, row, i), _token(trace, column, j)
        if trace.is_removed(name, cell):
            return f"{asked} stands after {asking}: hidden, so the score becomes −∞."
        return f"{asking} sees {asked}, so the score passes unchanged."

    return meaning


def _share(row: str, column: str, name: str) -> Meaning:
    def meaning(trace: Trace, cell: Cell) -> str:
        _, i, j = cell
        asking, asked = _token(trace, row, i), _token(trace, column, j)
        if trace.is_removed(name, cell):
            return f"Exactly 0: {asked} is hidden from {asking}."
        share = typeset(cell_text(100 * float(trace[name][cell])))
        return f"Of what {asking} reads, {share} % comes from {asked}."

    return meaning


def _moved(trace: Trace, cell: Cell) -> str:
    return (
        f"Feature {cell[2] + 1} of what {_token(trace, 'i', cell[1])} reads as typed, put at its "
        "new place."
    )


def _difference(trace: Trace, cell: Cell) -> str:
    return (
        f"Feature {cell[2] + 1} of what {_token(trace, 'i', cell[1])} reads in the new order, "
        "minus what it reads as typed."
    )
