"""Attention of one query, put together from pieces: the merge law along a tree of keys.

Of a set I of keys (or of one key) a query needs two things: its score s(I) = log Σ exp s_i, and
its value v(I), the values of its keys weighted by softmax over only them. Pieces are merged by
attention once more: softmax over their scores gives weights, and their values are added up with
these weights. Throughout, a piece is a key or a set of keys that was merged before.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from core.attention.axes import AXES
from core.attention.chosen_token import position_of, token_toggle
from core.attention.inputs import toy_inputs
from core.attention.masks import Rule
from core.attention.phases import EMBED, PROJECT, SCALE, SCORE
from core.attention.phases import phases as all_phases
from core.attention.program import attention_program
from core.attention.tokens import tokenise
from core.chapters.recursive_attention.texts import TEXTS, weight_percent
from core.chapters.recursive_attention.trees import (
    Forest,
    Tree,
    counted_often,
    leaves,
    nodes,
    set_text,
    tree_name,
    tree_text,
)
from core.operations.merging import log_sum_exp
from core.operations.products import matmul
from core.operations.shapes import append_columns, append_rows, columns, rows
from core.operations.softmax import softmax
from core.operations.sums import subtract
from core.program.axes import POSITION, Axis
from core.program.described import meaning, phase
from core.program.display import shown, shown_texts
from core.program.families import Built, Family, Options, Toggle
from core.program.inputs import Inputs
from core.program.labels import listed_names, told_label
from core.program.patterns import Cell
from core.program.program import Program
from core.program.rounding import cell_text, typeset
from core.program.steps import Input, Meaning, Phase, Step
from core.program.trace import Trace

D_MODEL = 4
"""Features of the sentence's tokens here, so that a value fits beside its set."""
ASKING = "pieces_query"
"""The key of the toggle that says which token asks."""
TREE_MASK = Toggle(
    "pieces_tree_mask", TEXTS("mask"), {"causal": TEXTS("causal"), "none": TEXTS("none")}, "causal"
)
GIVEN = np.log([1.0, 2.0, 3.0, 4.0])
"""The example's scores: e to them are 1, 2, 3 and 4."""
EXAMPLE_KEYS = len(GIVEN)
GIVEN_VALUES = np.array([10.0, 20.0, 30.0, 40.0])
LETTERS = "ABCDEFGHIJKMNOP"
"""The pieces of each node have a letter of their own; a node has at least two leaves."""
QUERY = Axis(TEXTS("query_position"), POSITION, "query", "1")


@lru_cache(maxsize=64)
def given_program(forest: Forest, keys: int) -> Program:
    """Scores and values of one query are given, and put together along a forest."""
    return Program(
        (
            Input("s_row", "h x j", meaning(TEXTS, "given_score", "h x j", key="j")),
            Input("V", "g j v", meaning(TEXTS, "given_value", "g j v", key="j"), role="value"),
        ),
        *_pieced(forest, keys, (_GIVEN_PHASE,)),
        {"h": 1, "g": 1},
        {**AXES, **_axes(forest, 0), "x": replace(QUERY, tokens="asking")},
    )


@lru_cache(maxsize=128)
def tree_program(forest: Forest, keys: int, position: int, mask: str) -> Program:
    """Attention of one token of a sentence, with a mask, put together along a forest of keys."""
    base = attention_program(heads=1, mask=mask)
    names = ("Q", "K", "V", "scores", "scaled", "mask")
    asked = Step("s_row", rows(f"h x+{position} j -> h x j", 1), ("masked",), _row)
    masking = all_phases(Rule(mask))[4]
    steps, phases = _pieced(forest, keys, (
        EMBED, PROJECT,
        phase(TEXTS, "pairs_scored", ("masked",), phases=(SCORE, SCALE, masking)),
        phase(TEXTS, "one_query", ("s_row",), defines=True),
    ))  # fmt: skip
    return Program(
        tuple(given for given in base.inputs if given.name != "W_O"),
        (
            *(base.step[name] for name in names),
            replace(base.step["masked"], meaning=_masked),
            asked,
            *steps,
        ),
        phases,
        base.sizes,
        {**AXES, **_axes(forest, position)},
    )


_GIVEN_PHASE = phase(TEXTS, "given", ("s_row", "V"))


@lru_cache(maxsize=16)
def example(forest: Forest) -> Trace:
    """Four keys with given scores and values (P8), put together along a forest."""
    arrays = {"s_row": GIVEN[None, None], "V": GIVEN_VALUES[None, :, None]}
    names = tuple(str(key + 1) for key in range(EXAMPLE_KEYS))
    program = given_program(forest, EXAMPLE_KEYS)
    lists = {**piece_names(forest), "asking": (TEXTS("the_query"),)}
    return program.run(Inputs(arrays, names, lists))


def tree_family(text: str, forest: Forest) -> Family:
    """Each token of a sentence as the one that asks, masked or not. Raises `InputError`."""
    tokens = tokenise(text)

    def build(options: Options) -> Built:
        inputs = toy_inputs(text, heads=1, d_model=D_MODEL)
        arrays = {name: inputs[name] for name in ("X", "W_Q", "W_K", "W_V")}
        position = position_of(options, ASKING, text)
        program = tree_program(forest, len(tokens), position, options[TREE_MASK.key])
        return Built(program, Inputs(arrays, inputs.tokens, piece_names(forest)))

    return Family((token_toggle(ASKING, text), TREE_MASK), build)


def _pieced(
    forest: Forest, keys: int, before: tuple[Phase, ...]
) -> tuple[tuple[Step, ...], tuple[Phase, ...]]:
    """The steps and phases from the query's row of scores on."""
    steps = [
        Step("a_row", softmax(), ("s_row",), _weight, "weights"),
        Step("y_row", matmul("h x j, h j v -> h x v"), ("a_row", "V"), _feature("row_read")),
    ]
    phases = [*before, _AT_ONCE]
    for key in range(1, keys + 1):
        steps += [
            Step(f"s_{key}", columns(f"h x p+{key - 1} -> h x p", 1), ("s_row",), _key_score(key)),
            Step(f"v_{key}", rows(f"g p+{key - 1} v -> g p v", 1), ("V",), _key_value(key),
                 "value"),
        ]  # fmt: skip
    singles = [f"{letter}_{key}" for letter in "sv" for key in range(1, keys + 1)]
    phases.append(phase(TEXTS, "singles", tuple(singles), defines=True))
    for letter, node in zip(LETTERS, merged(forest), strict=False):
        steps += _node_steps(node, letter)
        phases.append(_node_phase(node))
    if len(forest) == 1:
        whole = f"v_{tree_name(forest[0])}"
        apart = subtract("h x v, h x v -> h x v")
        steps.append(Step("difference", apart, (whole, "y_row"), _feature("merged_difference")))
        phases.append(_BESIDE)
    return tuple(steps), tuple(phases)


def merged(forest: Forest) -> tuple[tuple[Tree, ...], ...]:
    """The nodes of a forest, each after those below it; the same keys are put together once."""
    found: dict[str, tuple[Tree, ...]] = {}
    for tree in forest:
        for node in nodes(tree):
            found.setdefault(tree_name(node), node)
    return tuple(found.values())


def _node_steps(node: tuple[Tree, ...], letter: str) -> list[Step]:
    """Return the steps that merge a node's pieces: their weights, and the score and the value of
    all of them.
    """
    name, pieces = tree_name(node), [tree_name(child) for child in node]
    across = ", ".join(f"h x {letter}{_shift(at)}" for at in range(len(pieces)))
    stacked = ", ".join(f"h {letter}{_shift(at)} v" for at in range(len(pieces)))
    row, values = f"pieces_{name}", f"values_{name}"
    return [
        Step(row, append_columns(f"{across} -> h x {letter}"), _each("s", pieces),
             _piece_score(node)),
        Step(values, append_rows(f"{stacked} -> h {letter} v"), _each("v", pieces),
             _piece_value(node), "value"),
        Step(f"w_{name}", softmax(), (row,), _piece_weight(node), "weights"),
        Step(f"s_{name}", log_sum_exp(f"h x {letter} -> h x p"), (row,), _set_score(node)),
        Step(f"v_{name}", matmul(f"h x {letter}, h {letter} v -> h x v"), (f"w_{name}", values),
             _set_value(node), "value"),
    ]  # fmt: skip


def _shift(at: int) -> str:
    return f"-{at}" if at else "+0"


def _each(letter: str, pieces: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"{letter}_{piece}" for piece in pieces)


def _node_phase(node: tuple[Tree, ...]) -> Phase:
    name = tree_name(node)
    of: dict[str, object] = {
        "whole": set_text(node), "pieces": listed_names([set_text(child) for child in node]),
    }  # fmt: skip
    return phase(TEXTS,
        "merge", (f"v_{name}",), of,
        shows=(f"s_{name}", f"v_{name}"),
        phases=(
            phase(TEXTS, "pieces", (f"pieces_{name}",)),
            phase(TEXTS, "piece_weights", (f"w_{name}",)),
            phase(TEXTS, "whole_score", (f"s_{name}",), of, defines=True),
            phase(TEXTS, "values", (f"values_{name}",)),
            phase(TEXTS, "whole_value", (f"v_{name}",), of, defines=True),
        ),
    )  # fmt: skip


_AT_ONCE = phase(TEXTS, "all_keys", ("a_row", "y_row"))
_BESIDE = phase(TEXTS, "merged_difference", ("difference",))


def _axes(forest: Forest, position: int) -> dict[str, Axis]:
    """The query's place, a single piece, and the pieces of each node."""
    return {
        "x": replace(QUERY, offset=position),
        "p": Axis("piece", word="piece", size="1"),
    } | {
        letter: Axis(
            TEXTS("piece_of", whole=set_text(node)), POSITION, "piece", tokens=tree_name(node)
        )
        for letter, node in zip(LETTERS, merged(forest), strict=False)
    }


def piece_names(forest: Forest) -> Mapping[str, tuple[str, ...]]:
    """What the pieces of each node are called: their sets."""
    return {tree_name(node): tuple(map(set_text, node)) for node in merged(forest)}


@dataclass(frozen=True)
class TreeVerdict:
    """A merged tree compared with all keys at once, where the two are furthest apart.

    `merged` and `whole` name the two arrays and `cell` says where in them; `mean` is the plain mean
    of the last pieces' values there. `off` says whether the two differ beyond float noise, `apart`
    by how much; `often` are the keys that were counted more than once, `unread` those of them that
    the query may not read. `alike` says how often each key that it may read was counted, if all
    were counted equally often; else 0.
    """

    cell: Cell
    merged: str
    whole: str
    mean: str
    apart: str
    off: bool
    mean_differs: bool
    often: tuple[int, ...]
    unread: tuple[int, ...]
    alike: int


def tree_verdict(trace: Trace, forest: Forest) -> TreeVerdict | None:
    """The verdict on a forest that is one tree; None where pieces are left."""
    if len(forest) > 1:
        return None
    (tree,) = forest
    name = f"v_{tree_name(tree)}"
    gap = np.abs(trace["difference"])
    off = bool(gap.max() > trace.noise["difference"])
    place = np.unravel_index(int(gap.argmax()) if off else 0, gap.shape)
    cell = tuple(int(at) for at in place)
    pieces = (tree,) if isinstance(tree, int) else tree
    values = [float(trace[f"v_{tree_name(piece)}"][0, 0, cell[-1]]) for piece in pieces]
    often = tuple(counted_often(forest))
    unread = tuple(key for key in often if trace.is_removed("s_row", (0, 0, key - 1)))
    read = Counter(key for key in leaves(tree) if not trace.is_removed("s_row", (0, 0, key - 1)))
    mean = cell_text(sum(values) / len(values))
    return TreeVerdict(
        cell, name, "y_row", mean, cell_text(float(gap[cell])), off,
        mean != shown(trace, name, cell), often, unread,
        alike=max(read.values()) if len(set(read.values())) == 1 else 0,
    )  # fmt: skip


@dataclass(frozen=True)
class Piece:
    """What a tree shows of a piece: its arrays' name, its score and its value, and both aloud."""

    name: str
    s: str
    v: str
    spoken: str


def pieces_of(trace: Trace, forest: Forest) -> dict[str, Piece]:
    """Every piece of a forest, by how its tree is written."""
    every = {tree_text(tree): tree for root in forest for tree in _every(root)}
    return {text: _piece(trace, tree) for text, tree in every.items()}


def _every(tree: Tree) -> list[Tree]:
    return [tree] if isinstance(tree, int) else [tree, *(t for c in tree for t in _every(c))]


def _piece(trace: Trace, tree: Tree) -> Piece:
    name = tree_name(tree)
    score, values = shown_texts(trace, f"s_{name}"), shown_texts(trace, f"v_{name}")
    value = values[0] if len(values) == 1 else f"({', '.join(values)})"
    spoken = TEXTS("spoken", score=typeset(score[0]), value=typeset(", ".join(values)))
    return Piece(name, score[0], value, spoken)


def _feature(id: str) -> Meaning:
    return meaning(TEXTS, id, "h x v", feature="v")


def _key(trace: Trace, key: int) -> str:
    return told_label(trace, "j", key - 1)


def _masked(trace: Trace, cell: Cell) -> str:
    query, key = (told_label(trace, letter, at) for letter, at in zip("ij", cell[1:], strict=True))
    hidden = trace.is_removed("masked", cell)
    return TEXTS("may_not" if hidden else "not_hidden", query=query, key=key)


def _row(trace: Trace, cell: Cell) -> str:
    hidden = trace.is_removed("s_row", cell)
    query, key = told_label(trace, "x", 0), _key(trace, cell[2] + 1)
    return TEXTS("may_not" if hidden else "row_score", query=query, key=key)


def _weight(trace: Trace, cell: Cell) -> str:
    part = weight_percent(float(trace["a_row"][cell]))
    return TEXTS("row_weight", percent=part, key=_key(trace, cell[2] + 1))


def _key_score(key: int) -> Meaning:
    return lambda trace, cell: TEXTS("key_score", key=_key(trace, key))


def _key_value(key: int) -> Meaning:
    return lambda trace, cell: TEXTS("key_value", feature=cell[2] + 1, key=_key(trace, key))


def _piece_score(node: tuple[Tree, ...]) -> Meaning:
    return lambda trace, cell: TEXTS("piece_score", piece=set_text(node[cell[2]]))


def _piece_value(node: tuple[Tree, ...]) -> Meaning:
    return lambda trace, cell: TEXTS(
        "piece_value", feature=cell[2] + 1, piece=set_text(node[cell[1]])
    )


def _piece_weight(node: tuple[Tree, ...]) -> Meaning:
    def words(trace: Trace, cell: Cell) -> str:
        part = weight_percent(float(trace[f"w_{tree_name(node)}"][cell]))
        piece, whole = set_text(node[cell[2]]), set_text(node)
        return TEXTS("piece_weight", piece=piece, whole=whole, percent=part)

    return words


def _set_score(node: tuple[Tree, ...]) -> Meaning:
    def words(trace: Trace, cell: Cell) -> str:
        empty = np.isneginf(trace[f"s_{tree_name(node)}"][cell])
        return TEXTS("no_visible_key" if empty else "set_score", whole=set_text(node))

    return words


def _set_value(node: tuple[Tree, ...]) -> Meaning:
    return lambda trace, cell: TEXTS("set_value", feature=cell[2] + 1, whole=set_text(node))
