"""Attention of one query, merged from pieces along a tree of keys.

A query needs two things of a set I of keys: its score s(I) = log Σ exp s_i, and its value v(I),
the values of its keys weighted by softmax over only these keys. Pieces are merged by attention
once more: softmax over their scores gives weights, and the weighted values are added up.
Throughout, a piece is a key or a set of keys that was merged before.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
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
from core.chapters.recursive_attention.texts import TEXTS
from core.chapters.recursive_attention.trees import Forest, Node, nodes, set_text, tree_name
from core.operations.merging import log_sum_exp
from core.operations.products import matmul
from core.operations.shapes import append_columns, append_rows, columns, rows
from core.operations.softmax import softmax
from core.operations.sums import subtract
from core.program.axes import POSITION, Axis
from core.program.described import meaning, phase
from core.program.families import Built, Family, Options, Toggle
from core.program.inputs import Inputs
from core.program.labels import listed_names, told_label
from core.program.patterns import Cell
from core.program.program import Program
from core.program.reading import weight_percent
from core.program.steps import Input, Meaning, Phase, Step
from core.program.trace import Trace

D_MODEL = 4
"""Features of the sentence's tokens here, few enough that a value fits next to its set."""
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
    """Return the program that merges given scores and values of one query along a forest."""
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
    """Return attention of one token of a sentence, with a mask, merged along a forest of keys."""
    base = attention_program(heads=1, mask=mask)
    names = ("Q", "K", "V", "scores", "scaled", "mask")
    asked = Step("s_row", rows(f"h x+{position} j -> h x j", 1), ("masked",), _row_score)
    masked = replace(base.step["masked"], meaning=_masked_pair)
    masking = all_phases(Rule(mask))[4]
    scored = phase(TEXTS, "pairs_scored", ("masked",), phases=(SCORE, SCALE, masking))
    asks = phase(TEXTS, "one_query", ("s_row",), defines=True)
    steps, phases = _pieced(forest, keys, (EMBED, PROJECT, scored, asks))
    return Program(
        tuple(given for given in base.inputs if given.name != "W_O"),
        (*(base.step[name] for name in names), masked, asked, *steps),
        phases,
        base.sizes,
        {**AXES, **_axes(forest, position)},
    )


_GIVEN_PHASE = phase(TEXTS, "given", ("s_row", "V"))


@lru_cache(maxsize=16)
def example(forest: Forest) -> Trace:
    """Return the run of four keys with given scores and values (P8), merged along a forest."""
    arrays = {"s_row": GIVEN[None, None], "V": GIVEN_VALUES[None, :, None]}
    names = tuple(str(key + 1) for key in range(EXAMPLE_KEYS))
    program = given_program(forest, EXAMPLE_KEYS)
    lists = {**piece_names(forest), "asking": (TEXTS("the_query"),)}
    return program.run(Inputs(arrays, names, lists))


def tree_family(text: str, forest: Forest) -> Family:
    """Return the runs of a sentence: any token may ask, masked or not. Raises `InputError`."""
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
    """The steps and phases after the query's row of scores; the phases `before` come first."""
    mix, text = matmul("h x j, h j v -> h x v"), _feature_of_row("row_read")
    weights = Step("a_row", softmax(), ("s_row",), _row_weight, "weights")
    steps = [weights, Step("y_row", mix, ("a_row", "V"), text), *_steps_of_keys(keys)]
    singles = tuple(f"{letter}_{key}" for letter in "sv" for key in range(1, keys + 1))
    at_once = phase(TEXTS, "all_keys", ("a_row", "y_row"))
    phases = [*before, at_once, phase(TEXTS, "singles", singles, defines=True)]
    for letter, node in zip(LETTERS, merged(forest), strict=False):
        steps += _node_steps(node, letter)
        phases.append(_node_phase(node))
    if len(forest) == 1:
        whole = f"v_{tree_name(forest[0])}"
        apart = subtract("h x v, h x v -> h x v")
        text = _feature_of_row("merged_difference")
        steps.append(Step("difference", apart, (whole, "y_row"), text))
        phases.append(phase(TEXTS, "merged_difference", ("difference",)))
    return tuple(steps), tuple(phases)


def _steps_of_keys(keys: int) -> Iterator[Step]:
    """The steps that cut out the score and the value of each key."""
    for key in range(1, keys + 1):
        column = columns(f"h x p+{key - 1} -> h x p", 1)
        yield Step(f"s_{key}", column, ("s_row",), _key_score(key))
        row = rows(f"g p+{key - 1} v -> g p v", 1)
        yield Step(f"v_{key}", row, ("V",), _key_value(key), "value")


def merged(forest: Forest) -> tuple[Node, ...]:
    """Return the nodes of a forest, each after those below it; the same keys only once."""
    found: dict[str, Node] = {}
    for tree in forest:
        for node in nodes(tree):
            found.setdefault(tree_name(node), node)
    return tuple(found.values())


def _node_steps(node: Node, letter: str) -> list[Step]:
    """Return the steps that merge a node's pieces into one score and one value."""
    name, pieces = tree_name(node), [tree_name(child) for child in node]
    across = ", ".join(f"h x {letter}{_shift(at)}" for at in range(len(pieces)))
    stacked = ", ".join(f"h {letter}{_shift(at)} v" for at in range(len(pieces)))
    row, values, weights = f"pieces_{name}", f"values_{name}", f"w_{name}"
    side_by_side = append_columns(f"{across} -> h x {letter}")
    stack = append_rows(f"{stacked} -> h {letter} v")
    score = log_sum_exp(f"h x {letter} -> h x p")
    mix = matmul(f"h x {letter}, h {letter} v -> h x v")
    return [
        Step(row, side_by_side, _each("s", pieces), _piece_score(node)),
        Step(values, stack, _each("v", pieces), _piece_value(node), "value"),
        Step(weights, softmax(), (row,), _piece_weight(node), "weights"),
        Step(f"s_{name}", score, (row,), _set_score(node)),
        Step(f"v_{name}", mix, (weights, values), _set_value(node), "value"),
    ]


def _shift(at: int) -> str:
    return f"-{at}" if at else "+0"


def _each(letter: str, pieces: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"{letter}_{piece}" for piece in pieces)


def _node_phase(node: Node) -> Phase:
    name, pieces = tree_name(node), listed_names([set_text(child) for child in node])
    of: dict[str, object] = {"whole": set_text(node), "pieces": pieces}
    steps = (
        phase(TEXTS, "pieces", (f"pieces_{name}",)),
        phase(TEXTS, "piece_weights", (f"w_{name}",)),
        phase(TEXTS, "whole_score", (f"s_{name}",), of, defines=True),
        phase(TEXTS, "values", (f"values_{name}",)),
        phase(TEXTS, "whole_value", (f"v_{name}",), of, defines=True),
    )
    score, value = f"s_{name}", f"v_{name}"
    return phase(TEXTS, "merge", (value,), of, shows=(score, value), phases=steps)


def _axes(forest: Forest, position: int) -> dict[str, Axis]:
    """The axes of the query, of a single piece, and of the pieces of each node."""
    found = {"x": replace(QUERY, offset=position), "p": Axis("piece", word="piece", size="1")}
    for letter, node in zip(LETTERS, merged(forest), strict=False):
        word = TEXTS("piece_of", whole=set_text(node))
        found[letter] = Axis(word, POSITION, "piece", tokens=tree_name(node))
    return found


def piece_names(forest: Forest) -> Mapping[str, tuple[str, ...]]:
    """Return the labels of the pieces of each node: their sets."""
    return {tree_name(node): tuple(map(set_text, node)) for node in merged(forest)}


def _feature_of_row(id: str) -> Meaning:
    return meaning(TEXTS, id, "h x v", feature="v")


def _key(trace: Trace, key: int) -> str:
    return told_label(trace, "j", key - 1)


def _masked_pair(trace: Trace, cell: Cell) -> str:
    query, key = (told_label(trace, letter, at) for letter, at in zip("ij", cell[1:], strict=True))
    hidden = trace.is_removed("masked", cell)
    return TEXTS("may_not" if hidden else "not_hidden", query=query, key=key)


def _row_score(trace: Trace, cell: Cell) -> str:
    hidden = trace.is_removed("s_row", cell)
    query, key = told_label(trace, "x", 0), _key(trace, cell[2] + 1)
    return TEXTS("may_not" if hidden else "row_score", query=query, key=key)


def _row_weight(trace: Trace, cell: Cell) -> str:
    percent = weight_percent(float(trace["a_row"][cell]))
    return TEXTS("row_weight", percent=percent, key=_key(trace, cell[2] + 1))


def _key_score(key: int) -> Meaning:
    return lambda trace, cell: TEXTS("key_score", key=_key(trace, key))


def _key_value(key: int) -> Meaning:
    return lambda trace, cell: TEXTS("key_value", feature=cell[2] + 1, key=_key(trace, key))


def _piece_score(node: Node) -> Meaning:
    return lambda trace, cell: TEXTS("piece_score", piece=set_text(node[cell[2]]))


def _piece_value(node: Node) -> Meaning:
    return lambda trace, cell: TEXTS(
        "piece_value", feature=cell[2] + 1, piece=set_text(node[cell[1]])
    )


def _piece_weight(node: Node) -> Meaning:
    def of_cell(trace: Trace, cell: Cell) -> str:
        percent = weight_percent(float(trace[f"w_{tree_name(node)}"][cell]))
        piece, whole = set_text(node[cell[2]]), set_text(node)
        return TEXTS("piece_weight", piece=piece, whole=whole, percent=percent)

    return of_cell


def _set_score(node: Node) -> Meaning:
    def of_cell(trace: Trace, cell: Cell) -> str:
        empty = np.isneginf(trace[f"s_{tree_name(node)}"][cell])
        return TEXTS("no_visible_key" if empty else "set_score", whole=set_text(node))

    return of_cell


def _set_value(node: Node) -> Meaning:
    return lambda trace, cell: TEXTS("set_value", feature=cell[2] + 1, whole=set_text(node))
