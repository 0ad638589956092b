"""Attention without positions on tokens in another order, and on the same tokens as typed.

f(P·X) and P·f(X): f is one layer of attention or two, P a permutation matrix. Positions i and j
count the new order, t and z the order as typed.
"""

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from core.attention.axes import AXES
from core.attention.inputs import SEED, toy_inputs
from core.attention.masks import Rule
from core.attention.phases import EMBED
from core.attention.phases import phases as all_phases
from core.attention.tokens import few_enough, tokenise
from core.chapters.word_order.encodings import weight_of
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
from core.program.described import meaning, phase
from core.program.families import Built, Family, Options, Toggle
from core.program.inputs import Inputs
from core.program.labels import token_labels, told_label
from core.program.patterns import Cell
from core.program.program import Program
from core.program.rounding import cell_text, typeset
from core.program.steps import Input, Meaning, Phase, Step
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("word_order")
D_MODEL = 4
SECOND_SEED = SEED + 1
SHUFFLED_LIKE = "(X|W_Q|W_K|W_V|Q|K|V|scores|scaled|mask|masked|weights|context)_[12](_typed)?"
"""How the arrays of layers are called, as a regular expression."""
ORDER = Toggle(
    "order_tokens", TEXTS("order"),
    {"typed": TEXTS("as_typed"), "earlier": TEXTS("earlier_reversed"),
     "front": TEXTS("last_first"), "reversed": TEXTS("all_reversed"), BY_HAND: TEXTS("yours")},
    "reversed",
)  # fmt: skip
MASK = Toggle(
    "order_mask", TEXTS("mask"), {"none": TEXTS("none"), "causal": TEXTS("causal")}, "none"
)
LAYERS = Toggle("order_layers", TEXTS("layers"), {"1": "1", "2": "2"}, "1", resizes=True)


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
    rule = Rule(mask)
    numbers = range(1, layers + 1)
    inputs = [
        Input("X", "t m", _row("embedded", "t")),
        Input("P", "i t", _placed),
        *(
            Input(f"{name}_{layer}", f"h m {letter}", weight_of(role, layer), role=role)
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
        Step("X_new", matmul("i t, t m -> i m"), ("P", "X"), _row("embedded", "i")),
        *new,
        *typed,
        Step("moved", matmul("i t, h t v -> h i v"), ("P", read_typed), _feature("moved_row", "i")),
        Step(
            "difference",
            subtract("h i v, h i v -> h i v"),
            (read, "moved"),
            _feature("row_difference", "i"),
        ),
    ]
    return Program(
        tuple(inputs), tuple(steps), _phases(rule, layers), {"h": 1},
        {
            **AXES,
            "i": Axis(TEXTS("new_position"), POSITION, "query", "T", tokens="placed"),
            "j": Axis(TEXTS("new_key_position"), POSITION, "key", "T", tokens="placed"),
            "t": Axis(TEXTS("typed_position"), POSITION, "query", "T"),
            "z": Axis(TEXTS("typed_key_position"), POSITION, "key", "T"),
        },
    )  # fmt: skip


def _layer(layer: int, way: str, rule: Rule, row: str, column: str) -> list[Step]:
    """One layer of attention with one head; what follows in its names says which one."""

    def named(name: str) -> str:
        return f"{name}_{layer}{way}"

    source = named("X") if layer > 1 else ("X" if way else "X_new")
    passed_on = Step(
        source, join_heads(), (f"context_{layer - 1}{way}",), _row("from_layer", row),
        axes=f"{row} m",
    )  # fmt: skip
    across, pairs = f"h {row} {column}", (row, column)
    return [
        *([passed_on] if layer > 1 else []),
        Step(named("Q"), matmul(f"{row} m, h m k -> h {row} k"), (source, f"W_Q_{layer}"),
             _projected("looks_for", row, source), "query"),
        Step(named("K"), matmul(f"{column} m, h m k -> h {column} k"), (source, f"W_K_{layer}"),
             _projected("found_by", column, source), "key"),
        Step(named("V"), matmul(f"{column} m, h m v -> h {column} v"), (source, f"W_V_{layer}"),
             _projected("gives", column, source), "value"),
        Step(named("scores"), matmul_transposed(f"h {row} k, h {column} k -> {across}"),
             (named("Q"), named("K")), _pair("match", *pairs)),
        Step(named("scaled"), divide_by_root(), (named("scores"), named("K")), _scaled),
        Step(named("mask"), visible(rule), (named("scaled"),), _sees(*pairs, rule),
             axes=f"{row} {column}"),
        Step(named("masked"), mask_fill(), (named("scaled"), named("mask")),
             _kept(*pairs, named("masked"))),
        Step(named("weights"), softmax(), (named("masked"),), _weight(*pairs, named("weights")),
             "weights"),
        Step(named("context"), matmul(f"{across}, h {column} v -> h {row} v"),
             (named("weights"), named("V")), _feature("context", row)),
    ]  # fmt: skip


def _phases(rule: Rule, layers: int) -> tuple[Phase, ...]:
    def layer_phases(layer: int, way: str) -> tuple[Phase, ...]:
        inner = [
            replace(phase, names=tuple(f"{name}_{layer}{way}" for name in phase.names))
            for phase in all_phases(rule)[1:7]
        ]
        inner[-1] = replace(inner[-1], defines=True)
        if layer > 1:
            return (phase(TEXTS, "passed_on", (f"X_{layer}{way}",)), *inner)
        return tuple(inner)

    second = [
        phase(
            TEXTS, "second", ("context_2",), defines=True, shows=("weights_2", "context_2"),
            phases=layer_phases(2, ""),
        )
    ]  # fmt: skip
    typed = tuple(
        phase for layer in range(1, layers + 1) for phase in layer_phases(layer, "_typed")
    )
    return (
        replace(EMBED, title=TEXTS("typed_title")),
        phase(TEXTS, "moved_rows", ("P", "X_new")),
        *layer_phases(1, ""),
        *(second if layers > 1 else []),
        phase(
            TEXTS, "unmoved", (f"context_{layers}_typed",), defines=True,
            shows=(f"context_{layers}_typed",), phases=typed,
        ),
        phase(TEXTS, "moved", ("moved",)),
        phase(TEXTS, "compared", ("difference",)),
    )  # fmt: skip


def is_as_typed(trace: Trace) -> bool:
    """Whether the new order is the one that was typed."""
    return bool(np.array_equal(trace["P"], np.eye(len(trace["P"]))))


@dataclass(frozen=True)
class ShuffledRows:
    """Positions of the new order, counted from 0, by whether what their tokens read has changed.

    `changed`; `kept`: the same, and it sees the tokens that it saw as typed; `alike`: the same,
    though it sees others; `noticed`: changed, though it sees the same tokens. `noisy` says whether
    rows that are the same differ by float noise.
    """

    changed: list[int]
    kept: list[int]
    alike: list[int]
    noticed: list[int]
    noisy: bool


def kinds_of_rows(trace: Trace) -> ShuffledRows:
    """Return which rows have changed in the new order, and which have not."""
    order = trace["P"].argmax(axis=1)
    gaps = np.abs(trace["difference"][0]).max(axis=-1)
    same = gaps <= trace.noise["difference"]
    seen = [set(order[row]) for row in trace["mask_1"]]
    typed = [set(np.flatnonzero(row)) for row in trace["mask_1_typed"]]
    alike = [seen[at] == typed[place] for at, place in enumerate(order)]

    def places(wanted: np.ndarray) -> list[int]:
        return [int(at) for at in np.flatnonzero(wanted)]

    return ShuffledRows(
        places(~same), places(same & alike), places(same & ~np.array(alike)), places(~same & alike),
        noisy=bool(gaps[same].any()),
    )  # fmt: skip


def shuffling_error(trace: Trace) -> str:
    """Return by how much the two differ at most."""
    return typeset(cell_text(float(np.abs(trace["difference"]).max())))


def _row(id: str, letter: str) -> Meaning:
    return meaning(TEXTS, id, f"{letter} m", feature="m", token=letter)


def _feature(id: str, letter: str) -> Meaning:
    return meaning(TEXTS, id, f"h {letter} v", feature="v", token=letter)


def _pair(id: str, row: str, column: str) -> Meaning:
    return meaning(TEXTS, id, f"h {row} {column}", query=row, key=column)


def _placed(trace: Trace, cell: Cell) -> str:
    entry, token = float(trace["P"][cell]), told_label(trace, "t", cell[1])
    return TEXTS(
        "placed", whole=entry in (0, 1), here=entry == 1, token=token, typed=cell[1] + 1,
        place=cell[0] + 1,
    )  # fmt: skip


def _projected(id: str, letter: str, source: str) -> Meaning:
    return lambda trace, cell: TEXTS(
        id, feature=cell[2] + 1, token=told_label(trace, letter, cell[1]), source=source
    )


def _scaled(trace: Trace, cell: Cell) -> str:
    return TEXTS("scaled_score", width=trace["K_1"].shape[-1])


def _sees(row: str, column: str, rule: Rule) -> Meaning:
    def words(trace: Trace, cell: Cell) -> str:
        place, other = cell
        query, key = told_label(trace, row, place), told_label(trace, column, other)
        unmasked = rule.name == "none"
        return TEXTS("sees", query=query, key=key, unmasked=unmasked, place=place, other=other)

    return words


def _kept(row: str, column: str, name: str) -> Meaning:
    def words(trace: Trace, cell: Cell) -> str:
        _, i, j = cell
        query, key = told_label(trace, row, i), told_label(trace, column, j)
        hidden = trace.is_removed(name, cell)
        return TEXTS("hidden_score" if hidden else "seen_score", query=query, key=key)

    return words


def _weight(row: str, column: str, name: str) -> Meaning:
    def words(trace: Trace, cell: Cell) -> str:
        _, i, j = cell
        query, key = told_label(trace, row, i), told_label(trace, column, j)
        if trace.is_removed(name, cell):
            return TEXTS("no_weight", query=query, key=key)
        percent = typeset(cell_text(100 * float(trace[name][cell])))
        return TEXTS("part_read", query=query, key=key, percent=percent)

    return words
