"""Attention without positions on tokens in another order, and on the same tokens as typed.

f(P·X) and P·f(X): f is one layer of attention or two, P a permutation matrix. Positions i and j
count the new order, t and z the order as typed.
"""

from dataclasses import replace
from functools import lru_cache

from core.attention.axes import AXES
from core.attention.inputs import SEED, toy_inputs
from core.attention.masks import Rule
from core.attention.phases import EMBED
from core.attention.phases import phases as all_phases
from core.attention.tokens import few_enough, tokenise
from core.chapters.word_order import shuffled_meanings as means
from core.chapters.word_order.encoding_meanings import weight_of
from core.chapters.word_order.orders import (
    BY_HAND,
    ORDERS,
    Order,
    order_of,
    permutation_matrix,
)
from core.operations.masking import mask_fill, visible
from core.operations.products import matmul, matmul_transposed
from core.operations.scores import divide_by_root
from core.operations.shapes import join_heads
from core.operations.softmax import softmax
from core.operations.sums import subtract
from core.program.axes import POSITION, Axis
from core.program.described import phase
from core.program.families import Built, Family, Options, Toggle
from core.program.inputs import Inputs
from core.program.labels import token_labels
from core.program.program import Program
from core.program.steps import Input, Phase, Step
from core.texts import core_texts

TEXTS = core_texts("word_order")
D_MODEL = 4
SECOND_SEED = SEED + 1
SHUFFLED_LIKE = "(X|W_Q|W_K|W_V|Q|K|V|scores|scaled|mask|masked|weights|context)_[12](_typed)?"
"""The names of the arrays of layers, as a regular expression."""
ORDER = Toggle(
    "order_tokens",
    TEXTS("order"),
    {
        "typed": TEXTS("as_typed"),
        "earlier": TEXTS("earlier_reversed"),
        "front": TEXTS("last_first"),
        "reversed": TEXTS("all_reversed"),
        BY_HAND: TEXTS("yours"),
    },
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
        Input("X", "t m", means.row_in_order("embedded", "t")),
        Input("P", "i t", means.placed),
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
    moved, difference = (means.feature_in_order(id, "i") for id in ("moved_row", "row_difference"))
    embedded = means.row_in_order("embedded", "i")
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
    pairs = (row, column)

    def named(name: str) -> str:
        return f"{name}_{layer}{way}"

    source = named("X") if layer > 1 else ("X" if way else "X_new")

    def projected(name: str, id: str, token: str, feature: str, role: str) -> Step:
        product = matmul(f"{token} m, h m {feature} -> h {token} {feature}")
        text = means.projected_feature(id, token, source)
        return Step(named(name), product, (source, f"W_{name}_{layer}"), text, role)

    across = f"h {row} {column}"
    q, k, v = map(named, "QKV")
    scores, scaled, mask = map(named, ("scores", "scaled", "mask"))
    masked, weights = named("masked"), named("weights")
    dot = matmul_transposed(f"h {row} k, h {column} k -> {across}")
    mix = matmul(f"{across}, h {column} v -> h {row} v")
    sees, kept = means.mask_in_order(*pairs, rule), means.masked_in_order(*pairs, masked)
    weighs = means.weight_in_order(*pairs, weights)
    steps = [
        projected("Q", "looks_for", row, "k", "query"),
        projected("K", "found_by", column, "k", "key"),
        projected("V", "gives", column, "v", "value"),
        Step(scores, dot, (q, k), means.pair_in_order("match", *pairs)),
        Step(scaled, divide_by_root(), (scores, k), means.scaled_score),
        Step(mask, visible(rule), (scaled,), sees, axes=f"{row} {column}"),
        Step(masked, mask_fill(), (scaled, mask), kept),
        Step(weights, softmax(), (masked,), weighs, "weights"),
        Step(named("context"), mix, (weights, v), means.feature_in_order("context", row)),
    ]
    if layer == 1:
        return steps
    before = (f"context_{layer - 1}{way}",)
    text = means.row_in_order("from_layer", row)
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
