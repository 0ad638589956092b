"""Attention of one query, put together from pieces: the merge law along a tree of keys.

Of a set I of keys (or of one) a query needs two things: its score s(I) = log Σ exp s_i, and its
value v(I), the values of its keys mixed by softmax over them alone. Pieces are put together by
attention once more: their scores stand in a row, softmax makes shares of them, and their values
are mixed by these. Throughout, a piece is a key or a set of keys that was put together before.
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
from core.chapters.recursive_attention.trees import (
    Forest,
    Tree,
    counted_often,
    leaves,
    name_of,
    nodes,
    set_text,
    tree_text,
)
from core.operations.merging import log_sum_exp
from core.operations.products import matmul
from core.operations.shapes import append_columns, append_rows, columns, rows
from core.operations.softmax import softmax
from core.operations.sums import subtract
from core.program.axes import POSITION, Axis
from core.program.display import shown, shown_texts
from core.program.families import Built, Family, Options, Toggle
from core.program.inputs import Inputs
from core.program.labels import listed, told_label
from core.program.patterns import Cell
from core.program.program import Program
from core.program.rounding import cell_text, typeset
from core.program.steps import Input, Meaning, Phase, Step
from core.program.trace import Trace

D_MODEL = 4
"""Features of the sentence's tokens here, so that a value fits beside its set."""
ASKING = "pieces_query"
"""The key of the toggle that says which token asks."""
MASK = Toggle("pieces_tree_mask", "Mask", {"causal": "causal", "none": "none"}, "causal")
GIVEN = np.log([1.0, 2.0, 3.0, 4.0])
"""The example's scores: e to them are 1, 2, 3 and 4."""
EXAMPLE_KEYS = len(GIVEN)
GIVEN_VALUES = np.array([10.0, 20.0, 30.0, 40.0])
LETTERS = "ABCDEFGHIJKMNOP"
"""The pieces of each node have a letter of their own; a node has at least two leaves."""
QUERY = Axis("the position of the query", POSITION, "query", "1")


@lru_cache(maxsize=64)
def given_program(forest: Forest, keys: int) -> Program:
    """Scores and values of one query are given, and put together along a forest."""
    return Program(
        (Input("s_row", "h x j", _given_score), Input("V", "g j v", _given_value, role="value")),
        *_pieced(forest, keys, (_GIVEN_PHASE,)),
        {"h": 1, "g": 1},
        {**AXES, **_axes(forest, 0), "x": replace(QUERY, tokens="asking")},
        makes=_makes(forest),
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
        Phase(
            "Score every pair", ("masked",), "As always: scored, scaled, masked.",
            phases=(SCORE, SCALE, masking),
            words="Every query meets every key, as on the walkthrough. Open it to see its steps.",
        ),
        Phase(
            "One query", ("s_row",), "Its row of the scores.", defines=True,
            words="From here on one token asks. Its row has a score for each key; a key that it "
            "may not read has −∞.",
        ),
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
        makes=_makes(forest),
    )


_GIVEN_PHASE = Phase(
    "Given", ("s_row", "V"), "One query's scores, and the keys' values.",
    words="One query, and its score with each of four keys: the logarithms of 1, 2, 3 and 4, so "
    "that e to them are these numbers. Each key has a value of one feature.",
)  # fmt: skip


@lru_cache(maxsize=16)
def example(forest: Forest) -> Trace:
    """Four keys with given scores and values (P8), put together along a forest."""
    arrays = {"s_row": GIVEN[None, None], "V": GIVEN_VALUES[None, :, None]}
    names = tuple(str(key + 1) for key in range(EXAMPLE_KEYS))
    program = given_program(forest, EXAMPLE_KEYS)
    lists = {**piece_names(forest), "asking": ("the query",)}
    return program.run(Inputs(arrays, names, lists))


def sentence_family(text: str, forest: Forest) -> Family:
    """Each token of a sentence as the one that asks, masked or not. Raises `InputError`."""
    tokens = tokenise(text)

    def build(options: Options) -> Built:
        inputs = toy_inputs(text, heads=1, d_model=D_MODEL)
        arrays = {name: inputs[name] for name in ("X", "W_Q", "W_K", "W_V")}
        position = position_of(options, ASKING, text)
        program = tree_program(forest, len(tokens), position, options[MASK.key])
        return Built(program, Inputs(arrays, inputs.tokens, piece_names(forest)))

    return Family((token_toggle(ASKING, text), MASK), build)


def _pieced(
    forest: Forest, keys: int, before: tuple[Phase, ...]
) -> tuple[tuple[Step, ...], tuple[Phase, ...]]:
    """The steps and phases from the query's row of scores on."""
    steps = [
        Step("a_row", softmax(), ("s_row",), _weight, "weights"),
        Step("y_row", matmul("h x j, h j v -> h x v"), ("a_row", "V"), _read),
    ]
    phases = [*before, _AT_ONCE]
    for key in range(1, keys + 1):
        steps += [
            Step(f"s_{key}", columns(f"h x p+{key - 1} -> h x p", 1), ("s_row",), _key_score(key)),
            Step(f"v_{key}", rows(f"g p+{key - 1} v -> g p v", 1), ("V",), _key_value(key),
                 "value"),
        ]  # fmt: skip
    singles = [f"{letter}_{key}" for letter in "sv" for key in range(1, keys + 1)]
    phases.append(replace(_SINGLES, names=tuple(singles)))
    for letter, node in zip(LETTERS, merged(forest), strict=False):
        steps += _node_steps(node, letter)
        phases.append(_node_phase(node))
    if len(forest) == 1:
        whole = f"v_{name_of(forest[0])}"
        apart = subtract("h x v, h x v -> h x v")
        steps.append(Step("difference", apart, (whole, "y_row"), _difference))
        phases.append(_BESIDE)
    return tuple(steps), tuple(phases)


def merged(forest: Forest) -> tuple[tuple[Tree, ...], ...]:
    """The nodes of a forest, each after those below it; the same keys are put together once."""
    found: dict[str, tuple[Tree, ...]] = {}
    for tree in forest:
        for node in nodes(tree):
            found.setdefault(name_of(node), node)
    return tuple(found.values())


def _node_steps(node: tuple[Tree, ...], letter: str) -> list[Step]:
    """Pieces side by side, their shares, and the score and the value of all of them."""
    name, pieces = name_of(node), [name_of(child) for child in node]
    beside = ", ".join(f"h x {letter}{_shift(at)}" for at in range(len(pieces)))
    stacked = ", ".join(f"h {letter}{_shift(at)} v" for at in range(len(pieces)))
    row, values = f"pieces_{name}", f"values_{name}"
    return [
        Step(row, append_columns(f"{beside} -> h x {letter}"), _each("s", pieces), _beside(node)),
        Step(values, append_rows(f"{stacked} -> h {letter} v"), _each("v", pieces), _stacked(node),
             "value"),
        Step(f"w_{name}", softmax(), (row,), _share(node), "weights"),
        Step(f"s_{name}", log_sum_exp(f"h x {letter} -> h x p"), (row,), _set_score(node)),
        Step(f"v_{name}", matmul(f"h x {letter}, h {letter} v -> h x v"), (f"w_{name}", values),
             _set_value(node), "value"),
    ]  # fmt: skip


def _shift(at: int) -> str:
    return f"-{at}" if at else "+0"


def _each(letter: str, pieces: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"{letter}_{piece}" for piece in pieces)


def _node_phase(node: tuple[Tree, ...]) -> Phase:
    name, whole = name_of(node), set_text(node)
    return Phase(
        f"Merge into {whole}", (f"v_{name}",), f"From {listed([set_text(c) for c in node])}.",
        shows=(f"s_{name}", f"v_{name}"),
        phases=(
            Phase(
                "Scores side by side", (f"pieces_{name}",), "They stand where keys stood.",
                words="Each piece brings one score, as a key does. So they stand in a row, as the "
                "scores of keys do.",
            ),
            Phase(
                "Shares", (f"w_{name}",), "Softmax over the pieces.",
                words="Softmax over the pieces' scores says what share each of them has. e to a "
                "piece's score is the sum over its keys, so no key is needed again.",
            ),
            Phase(
                f"Score of {whole}", (f"s_{name}",), "How much all of them weigh together.",
                defines=True,
                words="The logarithm of the sum of e to each score. With it the set can be merged "
                "into a larger one, as one piece.",
            ),
            Phase(
                "Values side by side", (f"values_{name}",), "One row for each piece.",
                words="Each piece brings one row of values, as a key does: they stand below each "
                "other.",
            ),
            Phase(
                f"Value of {whole}", (f"v_{name}",), "The pieces' values, mixed.", defines=True,
                words="Each piece's values times its share, added up: what the query reads of "
                "this set, as if there were no other keys.",
            ),
        ),
        words="Pieces are merged by attention over them. Open it to see its steps.",
    )  # fmt: skip


_AT_ONCE = Phase(
    "All keys at once", ("a_row", "y_row"), "Softmax over the whole row, as always.",
    words="This is what the pieces must come to: softmax over all scores at once, and the values "
    "mixed by it.",
)  # fmt: skip
_SINGLES = Phase(
    "Each key alone", (), "The smallest pieces: a score and a value.", defines=True,
    words="Every key is a piece by itself. Softmax over one number gives 1, so its value is the "
    "key's own, and its score is the key's own.",
)  # fmt: skip
_BESIDE = Phase(
    "Beside all at once", ("difference",), "Merged, minus all at once.",
    words="What was merged minus what all keys at once come to. It is 0, up to float noise, "
    "wherever each key was counted once.",
)  # fmt: skip


def _axes(forest: Forest, position: int) -> dict[str, Axis]:
    """The query's place, a single piece, and the pieces of each node."""
    return {
        "x": replace(QUERY, offset=position),
        "p": Axis("piece", word="piece", size="1"),
    } | {
        letter: Axis(f"piece of {set_text(node)}", POSITION, "piece", tokens=name_of(node))
        for letter, node in zip(LETTERS, merged(forest), strict=False)
    }


def piece_names(forest: Forest) -> Mapping[str, tuple[str, ...]]:
    """What the pieces of each node are called: their sets."""
    return {name_of(node): tuple(map(set_text, node)) for node in merged(forest)}


@dataclass(frozen=True)
class Verdict:
    """What a merged tree comes to beside all keys at once, where they are furthest apart.

    `merged` and `whole` name the two arrays and `cell` says where in them; `mean` is the plain mean
    of the last pieces' values there. `off` says whether the two differ beyond float noise, `apart`
    by how much; `often` are the keys that were counted more than once, `unread` those of them that
    the query may not read. `alike` says how often all keys that it may read were counted, where
    that is equally often; else 0.
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


def verdict(trace: Trace, forest: Forest) -> Verdict | None:
    """The verdict on a forest that is one tree; None where pieces are left."""
    if len(forest) > 1:
        return None
    (tree,) = forest
    name = f"v_{name_of(tree)}"
    gap = np.abs(trace["difference"])
    off = bool(gap.max() > trace.noise["difference"])
    place = np.unravel_index(int(gap.argmax()) if off else 0, gap.shape)
    cell = tuple(int(at) for at in place)
    pieces = (tree,) if isinstance(tree, int) else tree
    values = [float(trace[f"v_{name_of(piece)}"][0, 0, cell[-1]]) for piece in pieces]
    often = tuple(counted_often(forest))
    unread = tuple(key for key in often if trace.is_removed("s_row", (0, 0, key - 1)))
    read = Counter(key for key in leaves(tree) if not trace.is_removed("s_row", (0, 0, key - 1)))
    mean = cell_text(sum(values) / len(values))
    return Verdict(
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
    name = name_of(tree)
    score, values = shown_texts(trace, f"s_{name}"), shown_texts(trace, f"v_{name}")
    value = values[0] if len(values) == 1 else f"({', '.join(values)})"
    spoken = f"score {typeset(score[0])}, value {typeset(', '.join(values))}"
    return Piece(name, score[0], value, spoken)


def _makes(forest: Forest) -> str:
    return "the difference" if len(forest) == 1 else "the last step"


def _query(trace: Trace) -> str:
    return told_label(trace, "x", 0)


def _key(trace: Trace, key: int) -> str:
    return told_label(trace, "j", key - 1)


def _given_score(trace: Trace, cell: Cell) -> str:
    return f"The query's score with key {_key(trace, cell[2] + 1)}: given."


def _given_value(trace: Trace, cell: Cell) -> str:
    return f"What key {_key(trace, cell[1] + 1)} hands over: given."


def _masked(trace: Trace, cell: Cell) -> str:
    query, key = (told_label(trace, letter, at) for letter, at in zip("ij", cell[1:], strict=True))
    if trace.is_removed("masked", cell):
        return f"{query} may not read {key}: −∞."
    return f"The scaled score of {query} and {key}, which the mask lets pass."


def _row(trace: Trace, cell: Cell) -> str:
    key = _key(trace, cell[2] + 1)
    if trace.is_removed("s_row", cell):
        return f"{_query(trace)} may not read {key}: −∞."
    return f"The scaled score of {_query(trace)} with {key}."


def _weight(trace: Trace, cell: Cell) -> str:
    share = typeset(cell_text(100 * float(trace["a_row"][cell])))
    return f"Of what the query reads, {share} % comes from {_key(trace, cell[2] + 1)}."


def _read(trace: Trace, cell: Cell) -> str:
    return f"Feature {cell[2] + 1} of what the query reads, all keys at once."


def _key_score(key: int) -> Meaning:
    return lambda trace, cell: f"The score of the piece that holds {_key(trace, key)} alone."


def _key_value(key: int) -> Meaning:
    return lambda trace, cell: (
        f"Feature {cell[2] + 1} of the value of the piece that holds {_key(trace, key)} alone."
    )


def _beside(node: tuple[Tree, ...]) -> Meaning:
    return lambda trace, cell: f"The score of the piece {set_text(node[cell[2]])}."


def _stacked(node: tuple[Tree, ...]) -> Meaning:
    return lambda trace, cell: (
        f"Feature {cell[2] + 1} of the value of the piece {set_text(node[cell[1]])}."
    )


def _share(node: tuple[Tree, ...]) -> Meaning:
    def meaning(trace: Trace, cell: Cell) -> str:
        share = typeset(cell_text(100 * float(trace[f"w_{name_of(node)}"][cell])))
        return f"Of {set_text(node)}, the piece {set_text(node[cell[2]])} makes {share} %."

    return meaning


def _set_score(node: tuple[Tree, ...]) -> Meaning:
    def meaning(trace: Trace, cell: Cell) -> str:
        if np.isneginf(trace[f"s_{name_of(node)}"][cell]):
            return f"The query may read no key of {set_text(node)}: the set weighs nothing."
        return (
            f"How much {set_text(node)} weighs: the logarithm of the sum of e to its keys' scores."
        )

    return meaning


def _set_value(node: tuple[Tree, ...]) -> Meaning:
    return lambda trace, cell: (
        f"Feature {cell[2] + 1} of what the query would read if {set_text(node)} were all there is."
    )


def _difference(trace: Trace, cell: Cell) -> str:
    return f"Feature {cell[2] + 1} as merged, minus the same with all keys at once."
