"""The steps of one attention layer, for programs that have several of them.

They are those of `core.attention.program`, with as many key/value heads as heads, on rows that may
be of two texts, and with keys and values that may have been kept from before.
"""

from collections.abc import Callable
from dataclasses import dataclass

from core.attention.masks import Rule
from core.attention.meanings import feature, pair, row, weight
from core.operations.masking import mask_fill, visible
from core.operations.products import matmul, matmul_transposed
from core.operations.scaling import divide_by_root
from core.operations.shapes import append_rows, join_heads
from core.operations.softmax import softmax
from core.program.labels import told_label
from core.program.patterns import Cell
from core.program.steps import Input, Meaning, Step
from core.program.trace import Trace


@dataclass(frozen=True)
class Reading:
    """Which rows read which: the arrays of both, and the letters of their positions.

    `kept`: keys and values of so many earlier tokens come from a cache, `K_kept` and `V_kept`.
    """

    rule: Rule
    queries: str
    keys: str
    query: str = "i"
    key: str = "j"
    kept: int = 0


Named = Callable[[str], str]
"""What an array of a layer is called, as Q of layer 1: Q_1."""


def layer_weights(named: Named, more: str) -> list[Input]:
    """The matrices that a layer's attention learns. `more` says in words which layer's."""
    return [
        Input(named("W_Q"), "h m k", weight("query", more), role="query"),
        Input(named("W_K"), "h m k", weight("key", more), role="key"),
        Input(named("W_V"), "h m v", weight("value", more), role="value"),
        Input(named("W_O"), "c m", _joined),
    ]


def kept_rows(named: Named) -> list[Input]:
    """What a cache holds for a layer: the keys and values of the tokens before."""
    return [
        Input(named("K_kept"), "h p k", feature("p", "the key of {}, kept"), role="key"),
        Input(named("V_kept"), "h p v", feature("p", "the value of {}, kept"), role="value"),
    ]


def attention_steps(reading: Reading, named: Named) -> list[Step]:
    """From the rows to what attention hands on: attn = concat(softmax(mask(QKᵀ/√d_k)) V) W_O."""
    i, j = reading.query, reading.key
    return [
        Step(named("Q"), matmul("i m, h m k -> h i k"), (reading.queries, named("W_Q")),
             feature(i, "what {} looks for"), "query", axes=f"h {i} k"),
        *_keys(reading, named, "K", "k", "key", "what {} can be found by"),
        *_keys(reading, named, "V", "v", "value", "what {} hands over"),
        Step(named("scores"), matmul_transposed("h i k, h j k -> h i j"), (named("Q"), named("K")),
             pair(i, j, "The dot product of the query of {} and the key of {}."),
             axes=f"h {i} {j}"),
        Step(named("scaled"), divide_by_root(), (named("scores"), named("K")),
             pair(i, j, "The score of {} and {}, divided by √d_k."), axes=f"h {i} {j}"),
        Step(named("mask"), visible(reading.rule), (named("scaled"),),
             _sees(named("mask"), i, j), axes=f"{i} {j}"),
        Step(named("masked"), mask_fill(), (named("scaled"), named("mask")),
             pair(i, j, "The score of {} and {}, or −∞ where it is hidden."), axes=f"h {i} {j}"),
        Step(named("weights"), softmax(), (named("masked"),),
             pair(i, j, "The share that {} reads of {}."), "weights", axes=f"h {i} {j}"),
        Step(named("context"), matmul("h i j, h j v -> h i v"), (named("weights"), named("V")),
             feature(i, "what {} reads"), axes=f"h {i} v"),
        Step(named("concat"), join_heads(), (named("context"),),
             row(i, "what {} has read, its heads side by side"), axes=f"{i} c"),
        Step(named("attn"), matmul("i c, c m -> i m"), (named("concat"), named("W_O")),
             row(i, "what attention hands on for {}"), axes=f"{i} m"),
    ]  # fmt: skip


def _keys(
    reading: Reading, named: Named, name: str, letter: str, role: str, what: str
) -> list[Step]:
    """K or V: of all rows; or of the new ones, below those that were kept."""
    i, j = reading.query, reading.key
    project = matmul(f"j m, h m {letter} -> h j {letter}")
    made = named(name) if not reading.kept else named(f"{name}_new")
    letters = j if not reading.kept else i
    new = Step(made, project, (reading.keys, named(f"W_{name}")), feature(letters, what), role,
               axes=f"h {letters} {letter}")  # fmt: skip
    if not reading.kept:
        return [new]
    append = append_rows(f"h j+0 {letter}, h j-{{first}} {letter} -> h j {letter}")
    return [
        new,
        Step(named(name), append, (named(f"{name}_kept"), made),
             feature(j, f"{what}, kept or new"), role, axes=f"h {j} {letter}"),
    ]  # fmt: skip


def _sees(mask: str, query: str, key: str) -> Meaning:
    def meaning(trace: Trace, cell: Cell) -> str:
        reader, read = told_label(trace, query, cell[0]), told_label(trace, key, cell[1])
        return f"{reader} {'may' if trace[mask][cell] else 'may not'} see {read}."

    return meaning


def _joined(trace: Trace, cell: Cell) -> str:
    return (
        f"How much feature {cell[0] + 1} of the joined heads counts in feature {cell[1] + 1}. The "
        "same for every token; training sets it."
    )
