"""The transformer block: attention and a feed-forward net, each with a residual and a layer norm.

Post-norm (Vaswani et al. 2017, section 3.1), with x the rows that come in:

    Z = LN(x + attention(x)),  H = LN(Z + unit(Z W_up) W_down)

Pre-norm (GPT-2, Radford et al. 2019), where the sum itself is never normalised:

    Z = x + attention(LN(x)),  H = Z + unit(LN(Z) W_up) W_down

Layers are numbered from 1, and so are the names of their arrays; of a layer's two norms the first
ends in a, the second in b. No projection has a bias; a norm has a gain and a bias. f is a unit of
the feed-forward net.
"""

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from core.attention.axes import AXES
from core.attention.inputs import SEED, toy_inputs
from core.attention.masks import Rule
from core.attention.meanings import feature, pair, row, weight
from core.attention.phases import EMBED, PROJECT, SCALE, SCORE, SOFTMAX, WEIGH
from core.attention.phases import phases as all_phases
from core.draws import Draw
from core.operations.activations import gelu, relu
from core.operations.masking import mask_fill, visible
from core.operations.norms import divide_by_spread, gain_and_bias, mean_square, row_mean
from core.operations.products import matmul, matmul_transposed
from core.operations.scaling import divide_by_root
from core.operations.shapes import join_heads
from core.operations.softmax import softmax
from core.operations.sums import add, subtract
from core.program.axes import Axis
from core.program.inputs import Inputs
from core.program.labels import told_label
from core.program.operation import number_text
from core.program.patterns import Cell
from core.program.program import Program
from core.program.rounding import typeset
from core.program.steps import Input, Meaning, Phase, Step
from core.program.trace import Trace

EPSILON = 1e-5
"""What PyTorch's and GPT-2's layer norms add to the variance."""
WIDER = 2
"""How many units the feed-forward net has here for each model feature."""
USUAL = 4
"""How many it has in the paper and in GPT-2."""
POST, PRE = "post", "pre"
UNITS = {"relu": relu, "gelu": gelu}
UNIT_WORDS = {"relu": "ReLU", "gelu": "GELU"}


@dataclass(frozen=True)
class Kind:
    """Where the norms stand (`post`, `pre`), what the units do (`relu`, `gelu`), and the mask."""

    norm: str
    unit: str
    mask: str = "causal"


@lru_cache(maxsize=64)
def block_program(kind: Kind, layers: int, heads: int = 2) -> Program:
    """So many blocks, one on the other."""
    inputs, steps, source = [Input("X", "i m", row("i", "{}, before any mixing"))], [], "X"
    for layer in range(1, layers + 1):
        inputs += _weights(layer)
        steps += _layer(kind, layer, source)
        source = f"H_{layer}"
    stops = [_phases(kind, layer) for layer in range(1, layers + 1)]
    return Program(
        tuple(inputs), tuple(steps),
        (EMBED, *(stops[0] if layers == 1 else map(_opening, range(1, layers + 1), stops))),
        {"h": heads, "o": 1},
        {
            **AXES,
            "f": Axis("unit", word="unit", size="d_ff"),
            "o": Axis("of the row", word="of the row"),
        },
        makes="the result",
    )  # fmt: skip


def block_inputs(text: str, layers: int, *, heads: int = 2, d_model: int = 4) -> Inputs:
    """Toy inputs for so many blocks: layer n's weights are drawn with seed n − 1.

    Gains are 1 and biases 0, as they are before training. Raises `InputError` past a limit.
    """
    first = toy_inputs(text, heads=heads, d_model=d_model)
    arrays = {"X": first["X"]}
    for layer in range(1, layers + 1):
        seed = SEED + layer - 1
        drawn = toy_inputs(text, heads=heads, d_model=d_model, seed=seed)
        arrays |= {f"{name}_{layer}": drawn[name] for name in ("W_Q", "W_K", "W_V", "W_O")}
        units = WIDER * d_model
        arrays[f"W_up_{layer}"] = _tenths(f"W_up:{seed}", d_model, units)
        arrays[f"W_down_{layer}"] = _tenths(f"W_down:{seed}", units, d_model)
        for norm in "ab":
            arrays[f"g_{layer}{norm}"] = np.ones(d_model)
            arrays[f"b_{layer}{norm}"] = np.zeros(d_model)
    return Inputs(arrays, first.tokens)


def _tenths(key: str, rows: int, columns: int) -> np.ndarray:
    """Whole tenths from −0.6 to 0.6."""
    return np.round(Draw(key).around_zero(6, rows * columns).reshape(rows, columns) / 10, 1)


def _weights(layer: int) -> list[Input]:
    more = f", in layer {layer}"
    return [
        Input(f"W_Q_{layer}", "h m k", weight("query", more), role="query"),
        Input(f"W_K_{layer}", "h m k", weight("key", more), role="key"),
        Input(f"W_V_{layer}", "h m v", weight("value", more), role="value"),
        Input(f"W_O_{layer}", "c m", _counts("feature {} of the joined heads", "feature {}")),
        Input(f"g_{layer}a", "m", _learned("times")),
        Input(f"b_{layer}a", "m", _learned("plus")),
        Input(f"W_up_{layer}", "m f", _counts("feature {} of a token", "unit {}")),
        Input(f"W_down_{layer}", "f m", _counts("unit {}", "feature {} of the token")),
        Input(f"g_{layer}b", "m", _learned("times")),
        Input(f"b_{layer}b", "m", _learned("plus")),
    ]


def _layer(kind: Kind, layer: int, source: str) -> list[Step]:
    """One block on the rows of `source`, in the order in which it is computed."""
    read, added = f"attn_{layer}", f"added_{layer}"
    below, result = f"Z_{layer}", f"H_{layer}"
    down = f"down_{layer}"
    if kind.norm == POST:
        return [
            *_attention(kind, layer, source),
            _residual(added, source, read, "what attention hands on"),
            *_norm(f"{layer}a", added, below),
            *_feed_forward(kind, layer, below),
            _residual(f"raised_{layer}", below, down, "what the feed-forward net makes of it"),
            *_norm(f"{layer}b", f"raised_{layer}", result),
        ]
    return [
        *_norm(f"{layer}a", source, f"N_{layer}a"),
        *_attention(kind, layer, f"N_{layer}a"),
        _residual(below, source, read, "what attention hands on"),
        *_norm(f"{layer}b", below, f"N_{layer}b"),
        *_feed_forward(kind, layer, f"N_{layer}b"),
        _residual(result, below, down, "what the feed-forward net makes of it"),
    ]


def _attention(kind: Kind, layer: int, source: str) -> list[Step]:
    def named(name: str) -> str:
        return f"{name}_{layer}"

    return [
        Step(named("Q"), matmul("i m, h m k -> h i k"), (source, named("W_Q")),
             feature("i", "what {} looks for"), "query"),
        Step(named("K"), matmul("j m, h m k -> h j k"), (source, named("W_K")),
             feature("j", "what {} can be found by"), "key", axes="h j k"),
        Step(named("V"), matmul("j m, h m v -> h j v"), (source, named("W_V")),
             feature("j", "what {} hands over"), "value", axes="h j v"),
        Step(named("scores"), matmul_transposed("h i k, h j k -> h i j"), (named("Q"), named("K")),
             pair("i", "j", "The dot product of the query of {} and the key of {}.")),
        Step(named("scaled"), divide_by_root(), (named("scores"), named("K")),
             pair("i", "j", "The score of {} and {}, divided by √d_k.")),
        Step(named("mask"), visible(Rule(kind.mask)), (named("scaled"),), _sees(named("mask")),
             axes="i j"),
        Step(named("masked"), mask_fill(), (named("scaled"), named("mask")),
             pair("i", "j", "The score of {} and {}, or −∞ where it is hidden.")),
        Step(named("weights"), softmax(), (named("masked"),),
             pair("i", "j", "The share that {} reads of {}."), "weights"),
        Step(named("context"), matmul("h i j, h j v -> h i v"), (named("weights"), named("V")),
             feature("i", "what {} reads")),
        Step(named("concat"), join_heads(), (named("context"),),
             row("i", "what {} has read, its heads side by side")),
        Step(named("attn"), matmul("i c, c m -> i m"), (named("concat"), named("W_O")),
             row("i", "what attention hands on for {}")),
    ]  # fmt: skip


def _residual(name: str, kept: str, more: str, what: str) -> Step:
    return Step(
        name, add("i m, i m -> i m"), (kept, more), row("i", f"the row of {{}}, plus {what}")
    )


def _norm(norm: str, source: str, result: str) -> list[Step]:
    """The layer norm of each row, in five steps."""
    mean, centred, variance, normed = (
        f"{name}_{norm}" for name in ("mean", "centred", "variance", "normed")
    )
    return [
        Step(mean, row_mean(), (source,), _of_row("The mean of the row of {}"), axes="i o"),
        Step(centred, subtract("i m, i 0 -> i m"), (source, mean),
             row("i", "the row of {}, minus the mean of the row")),
        Step(variance, mean_square(), (centred,),
             _of_row("The variance of the row of {}: the mean of the squares"), axes="i o"),
        Step(normed, divide_by_spread(EPSILON), (centred, variance),
             row("i", "the row of {}, brought to mean 0 and variance 1")),
        Step(result, gain_and_bias(), (normed, f"g_{norm}", f"b_{norm}"),
             row("i", "the normalised row of {}, times the gain, plus the bias")),
    ]  # fmt: skip


def _feed_forward(kind: Kind, layer: int, source: str) -> list[Step]:
    up, units = f"up_{layer}", f"units_{layer}"
    return [
        Step(up, matmul("i m, m f -> i f"), (source, f"W_up_{layer}"),
             _unit("What comes to unit {} of {}: its row times a column of W_up.")),
        Step(units, UNITS[kind.unit](), (up,),
             _unit(f"What unit {{}} of {{}} makes of it: {UNIT_WORDS[kind.unit]}.")),
        Step(f"down_{layer}", matmul("i f, f m -> i m"), (units, f"W_down_{layer}"),
             row("i", "what the units of {} hand on together")),
    ]  # fmt: skip


def _opening(layer: int, phases: tuple[Phase, ...]) -> Phase:
    """A layer as one stop that opens into its own."""
    return Phase(
        f"Layer {layer}", (f"H_{layer}",), "Rows in, rows of the same size out.",
        shows=(f"Z_{layer}", f"H_{layer}"), phases=phases,
        words="The rows go through a block with weights of its own, and come out with the same "
        "number of rows and features: so the next block can take them. Open it to see its steps.",
    )  # fmt: skip


def _phases(kind: Kind, layer: int) -> tuple[Phase, ...]:
    """The stops of one block."""
    units = _units_phase(kind, layer)
    attention = _attention_phase(kind, layer)
    widen = Phase(
        "Widen", (f"up_{layer}",), "Each token's row meets every unit.", defines=True,
        words="The feed-forward net looks at one row at a time: no token sees another here. A unit "
        "takes the dot product of the row and its column of W_up. There are "
        f"{WIDER} units for each feature of a row here, {USUAL} in the paper.",
    )  # fmt: skip
    narrow = Phase(
        "Narrow again", (f"down_{layer}",), "What the units say, added up.", defines=True,
        words="Each unit has a row of W_down. These rows, each times what its unit says, add up to "
        "a row as wide as the one that came in.",
    )  # fmt: skip
    keep = (
        "What came in is kept, and what was made of it is added: a residual connection. So a layer "
        "only has to learn what to change, and what it does not change passes through."
    )
    if kind.norm == POST:
        return (
            attention,
            Phase("Add what came in", (f"added_{layer}",), "A residual connection.", defines=True,
                  words=keep),
            _norm_phase(f"{layer}a", f"Z_{layer}"),
            widen, units, narrow,
            Phase("Add it again", (f"raised_{layer}",), "A second residual.", defines=True,
                  words=keep),
            _norm_phase(f"{layer}b", f"H_{layer}"),
        )  # fmt: skip
    return (
        _norm_phase(f"{layer}a", f"N_{layer}a"),
        attention,
        Phase("Add what came in", (f"Z_{layer}",), "A residual connection.", defines=True,
              words=keep),
        _norm_phase(f"{layer}b", f"N_{layer}b"),
        widen, units, narrow,
        Phase("Add it again", (f"H_{layer}",), "A second residual.", defines=True, words=keep),
    )  # fmt: skip


def _attention_phase(kind: Kind, layer: int) -> Phase:
    masking = all_phases(Rule(kind.mask))[4]
    joining = Phase(
        "Join the heads", ("concat",), "Heads side by side.",
        words="The heads' results stand side by side, head 1's features first.",
    )  # fmt: skip
    mixing = Phase(
        "Mix them", ("attn",), "Joined heads times W_O.", defines=True,
        words="W_O mixes the features of each row into one as wide as the row that came in.",
    )  # fmt: skip
    inner = tuple(
        replace(phase, names=tuple(f"{name}_{layer}" for name in phase.names))
        for phase in (PROJECT, SCORE, SCALE, masking, SOFTMAX, WEIGH, joining, mixing)
    )
    return Phase(
        "Attention", (f"attn_{layer}",), "Tokens read from each other.", defines=True,
        shows=(f"weights_{layer}", f"attn_{layer}"), phases=inner,
        words="The only place of a block where rows are mixed. All of it is as on the walkthrough. "
        "Open it to see its steps.",
    )  # fmt: skip


def _norm_phase(norm: str, result: str) -> Phase:
    inner = (
        Phase(
            "Take off the mean", (f"mean_{norm}", f"centred_{norm}"), "Each row's own mean.",
            defines=True,
            words="Each row's numbers are added up and divided by how many there are; this mean is "
            "taken off each of them. Then the row adds up to 0.",
        ),
        Phase(
            "Divide by the spread", (f"variance_{norm}", f"normed_{norm}"),
            "By the root of the row's variance.",
            words="The variance is the mean of the squares. Divided by its root, the row has "
            f"variance 1, or nearly so: {typeset(number_text(EPSILON))} is added to the variance "
            "first, so that a row without any spread is not divided by 0.",
        ),
        Phase(
            "Gain and bias", (result,), "What a norm may learn.", defines=True,
            words="Each feature is multiplied by its gain, and its bias is added. Before training "
            "gains are 1 and biases 0, and change nothing. Both are the same for every token.",
        ),
    )  # fmt: skip
    return Phase(
        "Layer norm", (result,), "Each row to mean 0 and variance 1.", defines=True,
        phases=inner,
        words="Each token's row, by itself: its mean is taken off, it is divided by its spread, "
        "and a learned gain and bias follow. No token sees another here. Open it to see its steps.",
    )  # fmt: skip


def _units_phase(kind: Kind, layer: int) -> Phase:
    words = {
        "relu": "ReLU lets what is above 0 pass, and makes 0 of all else. Without such a bend in "
        "between, widening and narrowing would be one product of matrices.",
        "gelu": "GELU lets what is far above 0 pass nearly as it is, and makes nearly 0 of what is "
        "far below; between them it bends smoothly. Without such a bend, widening and narrowing "
        "would be one product of matrices.",
    }
    return Phase(
        UNIT_WORDS[kind.unit], (f"units_{layer}",), "Each unit by itself.", words=words[kind.unit]
    )


def _sees(mask: str) -> Meaning:
    def meaning(trace: Trace, cell: Cell) -> str:
        query, key = told_label(trace, "i", cell[0]), told_label(trace, "j", cell[1])
        return f"{query} {'may' if trace[mask][cell] else 'may not'} see {key}."

    return meaning


def _of_row(said: str) -> Meaning:
    return lambda trace, cell: f"{said.format(told_label(trace, 'i', cell[0]))}."


def _unit(said: str) -> Meaning:
    return lambda trace, cell: said.format(cell[1] + 1, told_label(trace, "i", cell[0]))


def _counts(source: str, result: str) -> Meaning:
    return lambda trace, cell: (
        f"How much {source.format(cell[0] + 1)} counts in {result.format(cell[1] + 1)}. The same "
        "for every token; training sets it."
    )


def _learned(does: str) -> Meaning:
    return lambda trace, cell: (
        f"Feature {cell[0] + 1} of each normalised row, {does} this number: training sets it."
    )
