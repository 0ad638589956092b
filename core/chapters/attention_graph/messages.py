"""Attention on a graph: tokens are nodes, what may be read an edge, a weighted value a message.

For one node the program goes from message to message; beside it stands the matrix form of the same
run, in which all nodes are computed at once. An edge leads from key j to query i, the way in which
a message runs: the other way round than "i reads j".
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from jaxtyping import Bool

from core.attention.axes import AXES
from core.attention.chosen_token import position_of, token_toggle
from core.attention.inputs import toy_inputs
from core.attention.masks import GALLERY_WORDS, KINDS, Rule
from core.attention.phases import EMBED, PROJECT, SCALE, SCORE, SOFTMAX
from core.attention.phases import phases as all_phases
from core.attention.program import attention_program, cached_program
from core.operations.products import scale_rows
from core.operations.shapes import rows
from core.operations.sums import running_sum, subtract
from core.program.axes import POSITION, Axis
from core.program.described import meaning, phase
from core.program.families import Built, Family, Options, Toggle
from core.program.inputs import Inputs
from core.program.labels import axis_labels, told_label
from core.program.numbers.display import shown
from core.program.patterns import Cell
from core.program.program import Program
from core.program.reading import weight_percent
from core.program.steps import Meaning, Step
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("attention_graph")
D_MODEL = 4
"""Features of a token here: one head takes them all."""
DRAWN = "draw"
"""The mask whose edges a person has drawn."""
_WORDS = {**GALLERY_WORDS, "none": TEXTS("all"), DRAWN: TEXTS("drawn")}
MASK = Toggle("graph_mask", TEXTS("edges"), _WORDS, "causal")
NODE = "graph_node"
"""The key of the toggle that says whose messages are followed."""
EDGES = "weights"
"""The array whose cells are the edges."""
MESSAGES = "message"


@lru_cache(maxsize=128)
def message_program(rule: Rule | None, position: int, T: int) -> Program:
    """Attention under a rule, or under a given mask, and the messages of one node of T, one by one.

    message_j = w_ij v_j for the node i, counted from 0; what they add up to is row i of context,
    Σ_j w_ij v_j. One head.
    """
    base = cached_program(1, 1, rule) if rule else attention_program(heads=1, mask="custom")
    matrix = ("Q", "K", "V", "scores", "scaled", "mask", "masked", "weights")
    node = (
        Step("w_i", rows(f"h x+{position} j -> h x j", 1), ("weights",), _weight, "weights"),
        Step(MESSAGES, scale_rows("h 0 j, h j v -> h j v"), ("w_i", "V"), _message, "value"),
        Step("so_far", running_sum("h i<=j v -> h j v"), ("message",), _so_far),
        Step("y_i", rows(f"h j+{T - 1} v -> h x v", 1), ("so_far",), _of_node("sum")),
    )
    says = meaning(TEXTS, "difference", "h x v", feature="v")
    same = (
        Step("row_i", rows(f"h x+{position} v -> h x v", 1), ("context",), _of_node("row")),
        Step("difference", subtract("h x v, h x v -> h x v"), ("y_i", "row_i"), says),
    )
    made = [base.step[name] for name in matrix if name in base.step]
    score = phase(TEXTS, "score", ("scaled",), phases=(SCORE, SCALE))
    masking = all_phases(rule or Rule("custom"))[4]
    return replace(
        base,
        inputs=tuple(given for given in base.inputs if given.name != "W_O"),
        steps=(*made, *node, base.step["context"], *same),
        phases=(EMBED, PROJECT, score, masking, SOFTMAX, *_PHASES),
        axes={**AXES, "x": Axis("the node", POSITION, "query", "1", offset=position)},
    )


_PHASES = (
    phase(TEXTS, "node", ("w_i",), defines=True),
    phase(TEXTS, "messages", (MESSAGES,), defines=True),
    phase(TEXTS, "sum", ("so_far",)),
    phase(TEXTS, "read", ("y_i",)),
    phase(TEXTS, "matrix", ("context",), defines=True),
    phase(TEXTS, "same", ("row_i", "difference")),
)


def graph_family(text: str, sizes: Sequence[int], drawn: Bool[np.ndarray, "T T"]) -> Family:
    """A sentence under each mask of the gallery, or under one drawn as edges. Raises `InputError`.

    Toggles choose the mask and the node whose messages are followed.
    """

    def build(options: Options) -> Built:
        kind, position = options[MASK.key], position_of(options, NODE, text)
        inputs = toy_inputs(text, heads=1, d_model=D_MODEL)
        given = {name: inputs[name] for name in ("X", "W_Q", "W_K", "W_V")}
        rule = None if kind == DRAWN else KINDS[kind].rule(*sizes)
        if rule is None:
            given["mask"] = drawn
        program = message_program(rule, position, len(inputs.tokens))
        return Built(program, Inputs(given, inputs.tokens))

    return Family((MASK, token_toggle(NODE, text)), build)


@dataclass(frozen=True)
class Edge:
    """An edge of the graph, from key j to query i, counted from 0.

    `cell` is its cell of the weights, `text` the number as it is shown there.
    """

    source: int
    target: int
    cell: Cell
    text: str

    @property
    def weight(self) -> float:
        """The number as it is shown, from 0 to 1: what is printed 0.05 counts as 0.05."""
        return float(self.text)


def edges(trace: Trace, array: str = EDGES) -> list[Edge]:
    """An edge for each weight that the mask leaves, of one head."""
    weights = trace[array][0]
    cells = [(0, i, j) for i, j in np.ndindex(weights.shape)]
    return [
        Edge(j, i, (h, i, j), shown(trace, array, (h, i, j)))
        for h, i, j in cells
        if not trace.is_removed(array, (h, i, j))
    ]


def bits_of(trace: Trace) -> str:
    """The mask as the link and the graph write it: row by row, 1 where key j may be read."""
    return "".join("01"[bool(bit)] for bit in trace["mask"].ravel())


@dataclass(frozen=True)
class Node:
    """What is said of one node: its label, from which nodes it reads, and of which most.

    `most` is the edge that weighs most; None where no edge leads to the node.
    """

    label: str
    reads: tuple[str, ...]
    most: Edge | None


def node(trace: Trace, position: int) -> Node:
    """What leads to a node, counted from 0."""
    labels = axis_labels(trace, EDGES)[2]
    incoming = [edge for edge in edges(trace) if edge.target == position]
    return Node(
        labels[position],
        tuple(labels[edge.source] for edge in incoming),
        max(incoming, key=lambda edge: edge.weight, default=None),
    )


def message_error(trace: Trace) -> float:
    """The largest difference between a node's sum of messages and its row of the matrix form."""
    return float(np.abs(trace["difference"]).max())


def _of_node(id: str) -> Meaning:
    return meaning(TEXTS, id, "h x v", node="x", feature="v")


def _node(trace: Trace) -> str:
    return told_label(trace, "x", 0)


def _weight(trace: Trace, cell: Cell) -> str:
    key, percent = told_label(trace, "j", cell[2]), weight_percent(trace["w_i"][cell])
    removed = trace.is_removed("w_i", cell)
    return TEXTS("weight", removed=removed, key=key, node=_node(trace), percent=percent)


def _message(trace: Trace, cell: Cell) -> str:
    key, removed = told_label(trace, "j", cell[1]), trace.is_removed("message", cell)
    return TEXTS("message", removed=removed, key=key, node=_node(trace), feature=cell[2] + 1)


def _so_far(trace: Trace, cell: Cell) -> str:
    key = told_label(trace, "j", cell[1])
    return TEXTS("so_far", feature=cell[2] + 1, node=_node(trace), key=key)
