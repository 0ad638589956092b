"""What a transformer layer is made of: attention, residuals, layer norms, a feed-forward net.

Each part as steps and as the phases in which it is taught; `core.attention.block` and
`core.attention.encoder_decoder` put them together. Parts are numbered, and so are the names of
their arrays: `1`, and `1a`, `1b` of norms. No projection has a bias; a norm has a gain and a bias.
"""

from collections.abc import Sequence
from dataclasses import replace

from core.attention.layer import Named
from core.attention.meanings import row
from core.attention.phases import PROJECT, SCALE, SCORE, SOFTMAX, WEIGH
from core.operations.activations import gelu, relu
from core.operations.norms import divide_by_spread, gain_and_bias, mean_square, row_mean
from core.operations.products import matmul
from core.operations.sums import add, subtract
from core.program.labels import told_label
from core.program.operation import number_text
from core.program.rounding import typeset
from core.program.steps import Input, Meaning, Phase, Step

EPSILON = 1e-5
"""What PyTorch's and GPT-2's layer norms add to the variance."""
WIDER = 2
"""How many units the feed-forward net has here for each model feature."""
USUAL = 4
"""How many it has in the paper and in GPT-2."""
UNITS = {"relu": relu, "gelu": gelu}
UNIT_WORDS = {"relu": "ReLU", "gelu": "GELU"}


def numbered(part: str) -> Named:
    """Names of the arrays of a part: Q of part 1 is Q_1."""
    return lambda name: f"{name}_{part}"


def norm_inputs(norm: str) -> list[Input]:
    """The gain and the bias of a layer norm."""
    return [
        Input(f"g_{norm}", "m", _learned("times")), Input(f"b_{norm}", "m", _learned("plus")),
    ]  # fmt: skip


def feed_forward_inputs(part: str) -> list[Input]:
    """The matrices of a feed-forward net."""
    return [
        Input(f"W_up_{part}", "m f", counts("feature {} of a token", "unit {}")),
        Input(f"W_down_{part}", "f m", counts("unit {}", "feature {} of the token")),
    ]


def residual(name: str, kept: str, more: str, what: str, i: str = "i") -> Step:
    """What came in, plus what a part makes of it. `i` is the letter of the rows' positions."""
    return Step(
        name, add("i m, i m -> i m"), (kept, more), row(i, f"the row of {{}}, plus {what}"),
        axes=f"{i} m",
    )  # fmt: skip


def layer_norm(norm: str, source: str, result: str, i: str = "i") -> list[Step]:
    """The layer norm of each row, in five steps."""
    mean, centred, variance, normed = (
        f"{name}_{norm}" for name in ("mean", "centred", "variance", "normed")
    )
    return [
        Step(mean, row_mean(), (source,), _of_row(i, "The mean of the row of {}"), axes=f"{i} o"),
        Step(centred, subtract("i m, i 0 -> i m"), (source, mean),
             row(i, "the row of {}, minus the mean of the row"), axes=f"{i} m"),
        Step(variance, mean_square(), (centred,),
             _of_row(i, "The variance of the row of {}: the mean of the squares"), axes=f"{i} o"),
        Step(normed, divide_by_spread(EPSILON), (centred, variance),
             row(i, "the row of {}, brought to mean 0 and variance 1"), axes=f"{i} m"),
        Step(result, gain_and_bias(), (normed, f"g_{norm}", f"b_{norm}"),
             row(i, "the normalised row of {}, times the gain, plus the bias"),
             axes=f"{i} m"),
    ]  # fmt: skip


def feed_forward(unit: str, part: str, source: str, i: str = "i") -> list[Step]:
    """Each row by itself: unit(row W_up) W_down."""
    up, units = f"up_{part}", f"units_{part}"
    return [
        Step(up, matmul("i m, m f -> i f"), (source, f"W_up_{part}"),
             _unit(i, "What comes to unit {} of {}: its row times a column of W_up."),
             axes=f"{i} f"),
        Step(units, UNITS[unit](), (up,),
             _unit(i, f"What unit {{}} of {{}} makes of it: {UNIT_WORDS[unit]}."), axes=f"{i} f"),
        Step(f"down_{part}", matmul("i f, f m -> i m"), (units, f"W_down_{part}"),
             row(i, "what the units of {} hand on together"), axes=f"{i} m"),
    ]  # fmt: skip


MIXES = (
    "The only place of a block where rows are mixed. All of it is as on the walkthrough. Open it "
    "to see its steps."
)


def attention_phase(
    part: str, masking: Phase, *before: Phase, title: str = "Attention", words: str = MIXES
) -> Phase:
    """Attention as one stop that opens; `before` are phases in place of that of projecting."""
    joining = Phase(
        "Join the heads", ("concat",), "Heads side by side.",
        words="The heads' results stand side by side, head 1's features first.",
    )  # fmt: skip
    mixing = Phase(
        "Mix them", ("attn",), "Joined heads times W_O.", defines=True,
        words="W_O mixes the features of each row into one as wide as the row that came in.",
    )  # fmt: skip
    stops = (*(before or (PROJECT,)), SCORE, SCALE, masking, SOFTMAX, WEIGH, joining, mixing)
    inner = tuple(
        replace(phase, names=tuple(f"{name}_{part}" for name in phase.names)) for phase in stops
    )
    return Phase(
        title, (f"attn_{part}",), "Tokens read from each other.", defines=True,
        shows=(f"weights_{part}", f"attn_{part}"), phases=inner, words=words,
    )  # fmt: skip


def norm_phase(norm: str, result: str) -> Phase:
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


def feed_forward_phases(unit: str, part: str) -> Sequence[Phase]:
    """Widen, bend, narrow."""
    widen = Phase(
        "Widen", (f"up_{part}",), "Each token's row meets every unit.", defines=True,
        words="The feed-forward net looks at one row at a time: no token sees another here. A unit "
        "takes the dot product of the row and its column of W_up. There are "
        f"{WIDER} units for each feature of a row here, {USUAL} in the paper.",
    )  # fmt: skip
    narrow = Phase(
        "Narrow again", (f"down_{part}",), "What the units say, added up.", defines=True,
        words="Each unit has a row of W_down. These rows, each times what its unit says, add up to "
        "a row as wide as the one that came in.",
    )  # fmt: skip
    return widen, _units_phase(unit, part), narrow


def residual_phase(result: str, title: str, summary: str) -> Phase:
    return Phase(
        title, (result,), summary, defines=True,
        words="What came in is kept, and what was made of it is added: a residual connection. So a "
        "layer only has to learn what to change, and what it does not change passes through.",
    )  # fmt: skip


def _units_phase(unit: str, part: str) -> Phase:
    words = {
        "relu": "ReLU lets what is above 0 pass, and makes 0 of all else. Without such a bend in "
        "between, widening and narrowing would be one product of matrices.",
        "gelu": "GELU lets what is far above 0 pass nearly as it is, and makes nearly 0 of what is "
        "far below; between them it bends smoothly. Without such a bend, widening and narrowing "
        "would be one product of matrices.",
    }
    return Phase(UNIT_WORDS[unit], (f"units_{part}",), "Each unit by itself.", words=words[unit])


def _of_row(i: str, said: str) -> Meaning:
    return lambda trace, cell: f"{said.format(told_label(trace, i, cell[0]))}."


def _unit(i: str, said: str) -> Meaning:
    return lambda trace, cell: said.format(cell[1] + 1, told_label(trace, i, cell[0]))


def counts(source: str, result: str) -> Meaning:
    return lambda trace, cell: (
        f"How much {source.format(cell[0] + 1)} counts in {result.format(cell[1] + 1)}. The same "
        "for every token; training sets it."
    )


def _learned(does: str) -> Meaning:
    return lambda trace, cell: (
        f"Feature {cell[0] + 1} of each normalised row, {does} this number: training sets it."
    )
