"""The parts of a layer, for programs that have several of them: attention here, and residuals.

Attention's steps are those of `core.attention.program`, with as many key/value heads as heads, on
rows that may be of two texts, and with keys and values that may have been kept from before.
`row_norms` and `feed_forward` have the other parts; `block` and `encoder_decoder` stack them. Parts
are numbered, and so are the names of their arrays: `1`, and `1a`, `1b` of norms.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from core.attention.masks import Rule
from core.attention.phases import PROJECT, SCALE, SCORE, SOFTMAX, WEIGH
from core.operations.masking import mask_fill, visible
from core.operations.products import matmul, matmul_transposed
from core.operations.scores import divide_by_root
from core.operations.shapes import append_rows, join_heads
from core.operations.softmax import softmax
from core.operations.sums import add
from core.program.described import meaning, phase
from core.program.labels import told_label
from core.program.patterns import Cell
from core.program.steps import Input, Meaning, Phase, Step
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("layers")


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


def numbered(part: str) -> Named:
    """Names of the arrays of a part: Q of part 1 is Q_1."""
    return lambda name: f"{name}_{part}"


class LayerPart(NamedTuple):
    """A part of a layer: its steps, the phases in which they are taught, and what it is given."""

    steps: Sequence[Step]
    phases: Sequence[Phase]
    inputs: Sequence[Input] = ()


def token_feature(id: str, axes: str) -> Meaning:
    """Of a token's row: the last two of the axes count tokens and features. `id` is the text."""
    token, feature = axes.split()[-2:]
    return meaning(TEXTS, id, axes, token=token, feature=feature)


def projection_weight(role: str, where: str = "") -> Meaning:
    """Of a matrix that makes queries, keys or values; `where` says which layer has it."""
    return lambda trace, cell: TEXTS(
        "weight", feature=cell[1] + 1, result=cell[2] + 1, role=role, where=where
    )


def joined_parts(*parts: LayerPart) -> LayerPart:
    """Return parts, one after the other, as one."""
    return LayerPart(
        [step for part in parts for step in part.steps],
        [one for part in parts for one in part.phases],
        [one for part in parts for one in part.inputs],
    )


def layer_weights(named: Named, where: str) -> list[Input]:
    """The matrices that a layer's attention learns. `where` says of which layer."""
    joining = meaning(TEXTS, "joining_weight", "c m", feature="c", result="m")
    return [
        Input(named("W_Q"), "h m k", projection_weight("query", where), role="query"),
        Input(named("W_K"), "h m k", projection_weight("key", where), role="key"),
        Input(named("W_V"), "h m v", projection_weight("value", where), role="value"),
        Input(named("W_O"), "c m", joining),
    ]


ROLES = {"K": ("k", "key"), "V": ("v", "value")}
"""The letter of a vector's features, and its role."""
_KEPT = {"K": "kept_key", "V": "kept_value"}
_APPENDED = {"K": "appended_key", "V": "appended_value"}
"""What is said of the rows that a cache holds, and of all rows."""


def kept_rows(named: Named, heads: str = "h") -> list[Input]:
    """What a cache holds for a layer: the keys and values of the tokens before."""
    return [
        Input(
            named(f"{name}_kept"), axes := f"{heads} p {letter}",
            token_feature(_KEPT[name], axes), role=role,
        )
        for name, (letter, role) in ROLES.items()
    ]  # fmt: skip


def appended_rows(named: Named, name: str, heads: str, key: str, kept: int) -> Step:
    """The keys or values of all tokens: those that a cache holds, and below them the new ones."""
    letter, role = ROLES[name]

    def says(trace: Trace, cell: Cell) -> str:
        _, at, feature = cell
        token = told_label(trace, key, at)
        return TEXTS(_APPENDED[name], feature=feature + 1, token=token, new=at >= kept)

    append = append_rows(
        f"{heads} j+0 {letter}, {heads} j-{{first}} {letter} -> {heads} j {letter}"
    )
    operands = (named(f"{name}_kept"), named(f"{name}_new"))
    return Step(named(name), append, operands, says, role, axes=f"{heads} {key} {letter}")


def attention_part(
    reading: Reading,
    part: str,
    masking: Phase,
    projecting: Sequence[Phase] = (PROJECT,),
    id: str = "attention",
) -> LayerPart:
    """Attention as a part, with its phases of masking and of projecting; `id` is its text."""
    named = numbered(part)
    stops = (*projecting, SCORE, SCALE, masking, SOFTMAX, WEIGH)
    return LayerPart(_attention_steps(reading, named), [opened_attention(named, stops, id)])


def _attention_steps(reading: Reading, named: Named) -> list[Step]:
    """From the rows to attention's result: attn = concat(softmax(mask(QKᵀ/√d_k)) V) W_O."""
    i, j = reading.query, reading.key
    return [
        Step(named("Q"), matmul("i m, h m k -> h i k"), (reading.queries, named("W_Q")),
             token_feature("query", f"h {i} k"), "query", axes=f"h {i} k"),
        *_keys(reading, named, "K"),
        *_keys(reading, named, "V"),
        Step(named("scores"), matmul_transposed("h i k, h j k -> h i j"), (named("Q"), named("K")),
             _pair("score", i, j), axes=f"h {i} {j}"),
        Step(named("scaled"), divide_by_root(), (named("scores"), named("K")),
             _pair("scaled", i, j), axes=f"h {i} {j}"),
        Step(named("mask"), visible(reading.rule), (named("scaled"),),
             _sees(named("mask"), i, j), axes=f"{i} {j}"),
        Step(named("masked"), mask_fill(), (named("scaled"), named("mask")),
             _pair("masked", i, j), axes=f"h {i} {j}"),
        Step(named("weights"), softmax(), (named("masked"),),
             _pair("given_weight", i, j), "weights", axes=f"h {i} {j}"),
        Step(named("context"), matmul("h i j, h j v -> h i v"), (named("weights"), named("V")),
             token_feature("context", f"h {i} v"), axes=f"h {i} v"),
        Step(named("concat"), join_heads(), (named("context"),), token_feature("concat", f"{i} c"),
             axes=f"{i} c"),
        Step(named("attn"), matmul("i c, c m -> i m"), (named("concat"), named("W_O")),
             token_feature("attention_result", f"{i} m"), axes=f"{i} m"),
    ]  # fmt: skip


def _keys(reading: Reading, named: Named, name: str) -> list[Step]:
    """K or V: of all rows; or of the new ones, below those that were kept."""
    letter, role = ROLES[name]
    project = matmul(f"j m, h m {letter} -> h j {letter}")
    axes = f"h {reading.query if reading.kept else reading.key} {letter}"
    made = named(f"{name}_new" if reading.kept else name)
    operands = (reading.keys, named(f"W_{name}"))
    new = Step(made, project, operands, token_feature(role, axes), role, axes=axes)
    if not reading.kept:
        return [new]
    return [new, appended_rows(named, name, "h", reading.key, reading.kept)]


def _pair(id: str, query: str, key: str) -> Meaning:
    return meaning(TEXTS, id, f"h {query} {key}", query=query, key=key)


def _sees(mask: str, query: str, key: str) -> Meaning:
    def says(trace: Trace, cell: Cell) -> str:
        asks, gives = told_label(trace, query, cell[0]), told_label(trace, key, cell[1])
        return TEXTS("sees", query=asks, key=gives, visible=bool(trace[mask][cell]))

    return says


def opened_attention(named: Named, stops: Sequence[Phase], id: str = "attention") -> Phase:
    """Attention as one stop that opens into these, and into joining and mixing the heads."""
    joining = phase(TEXTS, "join", ("concat",))
    mixing = phase(TEXTS, "mix", ("attn",), defines=True)
    inner = tuple(
        replace(stop, names=tuple(map(named, stop.names))) for stop in (*stops, joining, mixing)
    )
    return Phase(
        TEXTS(id), (named("attn"),), TEXTS("attention_summary"), defines=True,
        shows=(named("weights"), named("attn")), phases=inner, words=TEXTS(f"{id}_words"),
    )  # fmt: skip


def residual(made: str, kept: str, more: str, id: str, count: str, i: str = "i") -> LayerPart:
    """The input of a part plus its result; the text `id` says which part.

    `count` says which residual of its layer it is: `add`, `add_again` or `add_third`. `i` is the
    letter of the rows' positions.
    """
    axes, words = f"{i} m", TEXTS("residual_words")
    step = Step(made, add("i m, i m -> i m"), (kept, more), token_feature(id, axes), axes=axes)
    stop = Phase(TEXTS(count), (made,), TEXTS(f"{count}_summary"), defines=True, words=words)
    return LayerPart([step], [stop])
