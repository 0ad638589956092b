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
from core.chapters.word_order.encoding_parts import weight_of
from core.chapters.word_order.orders import BY_HAND, ORDERS, Order, order_of, permutation_matrix
from core.operations.masking import mask_fill, visible
from core.operations.products import matmul, matmul_transposed
from core.operations.scores import divide_by_root
from core.operations.shapes import join_heads
from core.operations.softmax import softmax
from core.operations.sums import subtract
from core.program.axes import POSITION, Axis
from core.program.described import meaning, phase
from core.program.families import Built, Family, Options, Toggle
from core.program.inputs import Inputs
from core.program.labels import token_labels, told_label
from core.program.numbers.rounding import cell_text, typeset
from core.program.patterns import Cell
from core.program.program import Program
from core.program.reading import weight_percent
from core.program.steps import Input, Meaning, Phase, Step
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("word_order")
D_MODEL = 4
SECOND_SEED = SEED + 1
SHUFFLED_LIKE = "(X|W_Q|W_K|W_V|Q|K|V|scores|scaled|mask|masked|weights|context)_[12](_typed)?"
"""The names of the arrays of layers, as a regular expression."""
_ORDERS = ("as_typed", "earlier_reversed", "last_first", "all_reversed", "yours")
ORDER = Toggle(
    "order_tokens",
    TEXTS("order"),
    dict(zip((*ORDERS, BY_HAND), map(TEXTS, _ORDERS), strict=True)),
    "reversed",
)
MASK = Toggle(
    "order_mask", TEXTS("mask"), {"none": TEXTS("none"), "causal": TEXTS("causal")}, "none"
)
LAYERS = Toggle("order_layers", TEXTS("layers"), {"1": "1", "2": "2"}, "1", resizes=True)


def shuffled_family(text: str, yours: str = "") -> Family:
    """Return the runs of a sentence in several orders, masked or not. Raises `InputError`.

    One of the orders is that of `yours`: the same tokens, typed in another order.
    """

    def build(options: Options) -> Built:
        program = shuffled_program(options[MASK.key], int(options[LAYERS.key]))
        kind, T = options[ORDER.key], len(tokenise(text))
        order = order_of(text, yours) if kind == BY_HAND else ORDERS[kind](T)
        return Built(program, shuffled_inputs(text, order, int(options[LAYERS.key])))

    return Family((ORDER, MASK, LAYERS), build)


def shuffled_inputs(text: str, order: Order, layers: int) -> Inputs:
    """Return X, the matrix of an order, and each layer's weights. Raises `InputError`."""
    first = toy_inputs(few_enough(text), heads=1, d_model=D_MODEL)
    arrays = {"X": first["X"], "P": permutation_matrix(order)}
    for layer in range(1, layers + 1):
        drawn = toy_inputs(text, heads=1, d_model=D_MODEL, seed=(SEED, SECOND_SEED)[layer - 1])
        arrays |= {f"{name}_{layer}": drawn[name] for name in ("W_Q", "W_K", "W_V")}
    labels = token_labels(first.tokens)
    return Inputs(arrays, first.tokens, {"placed": tuple(labels[at] for at in order)})


@lru_cache(maxsize=8)
def shuffled_program(mask: str, layers: int) -> Program:
    """Return the program of f(P·X), P·f(X) and their difference."""
    rule = Rule(mask)
    numbers = range(1, layers + 1)
    roles = (("W_Q", "k", "query"), ("W_K", "k", "key"), ("W_V", "v", "value"))
    inputs = [
        Input("X", "t m", _row_in_order("embedded", "t")),
        Input("P", "i t", _placed),
        *(
            Input(f"{name}_{layer}", f"h m {letter}", weight_of(role, layer), role=role)
            for layer in numbers
            for name, letter, role in roles
        ),
    ]
    new = [step for layer in numbers for step in _layer(layer, "", rule, "i", "j")]
    typed = [step for layer in numbers for step in _layer(layer, "_typed", rule, "t", "z")]
    read, read_typed = f"context_{layers}", f"context_{layers}_typed"
    reorder, apart = matmul("i t, h t v -> h i v"), subtract("h i v, h i v -> h i v")
    moved, difference = (_feature_in_order(id, "i") for id in ("moved_row", "row_difference"))
    embedded = _row_in_order("embedded", "i")
    steps = (
        Step("X_new", matmul("i t, t m -> i m"), ("P", "X"), embedded),
        *new,
        *typed,
        Step("moved", reorder, ("P", read_typed), moved),
        Step("difference", apart, (read, "moved"), difference),
    )
    axes = {
        "i": Axis(TEXTS("new_position"), POSITION, "query", "T", tokens="placed"),
        "j": Axis(TEXTS("new_key_position"), POSITION, "key", "T", tokens="placed"),
        "t": Axis(TEXTS("typed_position"), POSITION, "query", "T"),
        "z": Axis(TEXTS("typed_key_position"), POSITION, "key", "T"),
    }
    return Program(tuple(inputs), steps, _phases(rule, layers), {"h": 1}, {**AXES, **axes})


def _layer(layer: int, way: str, rule: Rule, row: str, column: str) -> list[Step]:
    """The steps of a layer of attention with one head; its arrays end in the layer and the way."""
    pairs = _Pairs(row, column)

    def named(name: str) -> str:
        return f"{name}_{layer}{way}"

    source = named("X") if layer > 1 else ("X" if way else "X_new")

    def projected(name: str, id: str, token: str, feature: str, role: str) -> Step:
        product = matmul(f"{token} m, h m {feature} -> h {token} {feature}")
        text = _projected_feature(id, token, source)
        return Step(named(name), product, (source, f"W_{name}_{layer}"), text, role)

    across = f"h {row} {column}"
    q, k, v = map(named, "QKV")
    scores, scaled, mask = map(named, ("scores", "scaled", "mask"))
    masked, weights = named("masked"), named("weights")
    dot = matmul_transposed(f"h {row} k, h {column} k -> {across}")
    mix = matmul(f"{across}, h {column} v -> h {row} v")
    steps = [
        projected("Q", "looks_for", row, "k", "query"),
        projected("K", "found_by", column, "k", "key"),
        projected("V", "gives", column, "v", "value"),
        Step(scores, dot, (q, k), pairs.match),
        Step(scaled, divide_by_root(), (scores, k), _scaled_score),
        Step(mask, visible(rule), (scaled,), pairs.sees(rule), axes=f"{row} {column}"),
        Step(masked, mask_fill(), (scaled, mask), pairs.masked(masked)),
        Step(weights, softmax(), (masked,), pairs.weight(weights), "weights"),
        Step(named("context"), mix, (weights, v), _feature_in_order("context", row)),
    ]
    if layer == 1:
        return steps
    before = (f"context_{layer - 1}{way}",)
    text = _row_in_order("from_layer", row)
    return [Step(source, join_heads(), before, text, axes=f"{row} m"), *steps]


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

    shown = ("weights_2", "context_2")
    second = phase(
        TEXTS, "second", ("context_2",), defines=True, shows=shown, phases=layer_phases(2, "")
    )
    typed = tuple(
        phase for layer in range(1, layers + 1) for phase in layer_phases(layer, "_typed")
    )
    last = (f"context_{layers}_typed",)
    return (
        replace(EMBED, title=TEXTS("typed_title")),
        phase(TEXTS, "moved_rows", ("P", "X_new")),
        *layer_phases(1, ""),
        *([second] if layers > 1 else []),
        phase(TEXTS, "unmoved", last, defines=True, shows=last, phases=typed),
        phase(TEXTS, "moved", ("moved",)),
        phase(TEXTS, "compared", ("difference",)),
    )


def _row_in_order(id: str, letter: str) -> Meaning:
    return meaning(TEXTS, id, f"{letter} m", feature="m", token=letter)


def _feature_in_order(id: str, letter: str) -> Meaning:
    return meaning(TEXTS, id, f"h {letter} v", feature="v", token=letter)


def _placed(trace: Trace, cell: Cell) -> str:
    entry, token = float(trace["P"][cell]), told_label(trace, "t", cell[1])
    new, typed = cell[0] + 1, cell[1] + 1
    entries = {"whole": entry in (0, 1), "here": entry == 1}
    return TEXTS("placed", **entries, token=token, typed=typed, place=new)


def _projected_feature(id: str, letter: str, source: str) -> Meaning:
    return lambda trace, cell: TEXTS(
        id, feature=cell[2] + 1, token=told_label(trace, letter, cell[1]), source=source
    )


def _scaled_score(trace: Trace, cell: Cell) -> str:
    return TEXTS("scaled_score", width=trace["K_1"].shape[-1])


@dataclass(frozen=True)
class _Pairs:
    """What the cells of queries and keys mean; the letters are those of their axes."""

    row: str
    column: str

    def _labels(self, trace: Trace, cell: Cell) -> dict[str, str]:
        *_, i, j = cell
        return {"query": told_label(trace, self.row, i), "key": told_label(trace, self.column, j)}

    def match(self, trace: Trace, cell: Cell) -> str:
        return TEXTS("match", **self._labels(trace, cell))

    def sees(self, rule: Rule) -> Meaning:
        def of_cell(trace: Trace, cell: Cell) -> str:
            places = {"unmasked": rule.name == "none", "place": cell[0], "other": cell[1]}
            return TEXTS("sees", **self._labels(trace, cell), **places)

        return of_cell

    def masked(self, name: str) -> Meaning:
        return lambda trace, cell: TEXTS(
            "hidden_score" if trace.is_removed(name, cell) else "seen_score",
            **self._labels(trace, cell),
        )

    def weight(self, name: str) -> Meaning:
        def of_cell(trace: Trace, cell: Cell) -> str:
            labels = self._labels(trace, cell)
            if trace.is_removed(name, cell):
                return TEXTS("no_weight", **labels)
            return TEXTS("part_read", **labels, percent=weight_percent(trace[name][cell]))

        return of_cell


def is_as_typed(trace: Trace) -> bool:
    """Return whether the new order is the one that was typed."""
    return bool(np.array_equal(trace["P"], np.eye(len(trace["P"]))))


@dataclass(frozen=True)
class ShuffledRows:
    """Positions of the new order, counted from 0, by whether the rows of their tokens differ.

    `changed`: another row than as typed. `kept`: the same row, made from the same tokens. `alike`:
    the same row, made from other tokens. `noticed`: another row, though made from the same tokens.
    `noisy` says whether rows that are the same differ by float noise.
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
    alike = np.array([seen[at] == typed[place] for at, place in enumerate(order)])

    def places(wanted: np.ndarray) -> list[int]:
        return [int(at) for at in np.flatnonzero(wanted)]

    return ShuffledRows(
        changed=places(~same),
        kept=places(same & alike),
        alike=places(same & ~alike),
        noticed=places(~same & alike),
        noisy=bool(gaps[same].any()),
    )


def shuffling_error(trace: Trace) -> str:
    """Return the largest difference of the two runs, as a text."""
    return typeset(cell_text(float(np.abs(trace["difference"]).max())))
