"""What a transformer layer is made of: attention, residuals, layer norms, a feed-forward net.

Each part as steps and as the phases in which it is taught; `core.attention.block` and
`core.attention.encoder_decoder` put them together. Parts are numbered, and so are the names of
their arrays: `1`, and `1a`, `1b` of norms. No projection has a bias; a norm has a gain and a bias.
"""

from collections.abc import Sequence
from dataclasses import replace

from core.attention.description_helpers import token_feature
from core.attention.layer import Named
from core.attention.phases import PROJECT, SCALE, SCORE, SOFTMAX, WEIGH
from core.operations.activations import gelu, relu
from core.operations.norms import divide_by_spread, gain_and_bias, mean_square, row_mean
from core.operations.products import matmul
from core.operations.sums import add, subtract
from core.program.described import meaning, phase
from core.program.labels import told_label
from core.program.operation import number_text
from core.program.patterns import Cell
from core.program.rounding import typeset
from core.program.steps import Input, Phase, Step
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("layers")

EPSILON = 1e-5
"""What PyTorch's and GPT-2's layer norms add to the variance."""
WIDER = 2
"""How many units the feed-forward net has here for each model feature."""
USUAL = 4
"""How many it has in the paper and in GPT-2."""
UNITS = {"relu": relu, "gelu": gelu}
UNIT_WORDS = {"relu": TEXTS("relu"), "gelu": TEXTS("gelu")}


def numbered(part: str) -> Named:
    """Names of the arrays of a part: Q of part 1 is Q_1."""
    return lambda name: f"{name}_{part}"


def norm_inputs(norm: str) -> list[Input]:
    """The gain and the bias of a layer norm."""
    gain, bias = (meaning(TEXTS, id, "m", feature="m") for id in ("gain", "bias"))
    return [Input(f"g_{norm}", "m", gain), Input(f"b_{norm}", "m", bias)]


def feed_forward_inputs(part: str) -> list[Input]:
    """The matrices of a feed-forward net."""
    up = meaning(TEXTS, "up_weight", "m f", feature="m", unit="f")
    down = meaning(TEXTS, "down_weight", "f m", unit="f", feature="m")
    return [Input(f"W_up_{part}", "m f", up), Input(f"W_down_{part}", "f m", down)]


def residual(name: str, kept: str, more: str, id: str, i: str = "i") -> Step:
    """The input of a part plus its result; the text `id` says which part.

    `i` is the letter of the rows' positions.
    """
    axes = f"{i} m"
    return Step(name, add("i m, i m -> i m"), (kept, more), token_feature(id, axes), axes=axes)


def layer_norm(norm: str, source: str, result: str, i: str = "i") -> list[Step]:
    """The layer norm of each row, in five steps."""
    mean, centred, variance, normed = (
        f"{name}_{norm}" for name in ("mean", "centred", "variance", "normed")
    )
    row, number = f"{i} m", f"{i} o"
    of_mean, of_variance = (meaning(TEXTS, id, number, token=i) for id in ("mean", "variance"))
    return [
        Step(mean, row_mean(), (source,), of_mean, axes=number),
        Step(centred, subtract("i m, i 0 -> i m"), (source, mean),
             token_feature("centred", row), axes=row),
        Step(variance, mean_square(), (centred,), of_variance, axes=number),
        Step(normed, divide_by_spread(EPSILON), (centred, variance),
             token_feature("normed", row), axes=row),
        Step(result, gain_and_bias(), (normed, f"g_{norm}", f"b_{norm}"),
             token_feature("gained", row), axes=row),
    ]  # fmt: skip


def feed_forward(unit: str, part: str, source: str, i: str = "i") -> list[Step]:
    """Each row by itself: unit(row W_up) W_down."""
    up, units = f"up_{part}", f"units_{part}"

    def says(trace: Trace, cell: Cell) -> str:
        token = told_label(trace, i, cell[0])
        return TEXTS("unit", unit=cell[1] + 1, token=token, activation=UNIT_WORDS[unit])

    return [
        Step(up, matmul("i m, m f -> i f"), (source, f"W_up_{part}"),
             meaning(TEXTS, "up", f"{i} f", token=i, unit="f"), axes=f"{i} f"),
        Step(units, UNITS[unit](), (up,), says, axes=f"{i} f"),
        Step(f"down_{part}", matmul("i f, f m -> i m"), (units, f"W_down_{part}"),
             token_feature("down", f"{i} m"), axes=f"{i} m"),
    ]  # fmt: skip


def attention_phase(
    part: str, masking: Phase, *before: Phase, title: str = "", words: str = ""
) -> Phase:
    """Attention as one stop that opens; `before` are phases in place of that of projecting."""
    joining = phase(TEXTS, "join", ("concat",))
    mixing = phase(TEXTS, "mix", ("attn",), defines=True)
    stops = (*(before or (PROJECT,)), SCORE, SCALE, masking, SOFTMAX, WEIGH, joining, mixing)
    inner = tuple(
        replace(stop, names=tuple(f"{name}_{part}" for name in stop.names)) for stop in stops
    )
    return Phase(
        title or TEXTS("attention"), (f"attn_{part}",), TEXTS("attention_summary"), defines=True,
        shows=(f"weights_{part}", f"attn_{part}"), phases=inner,
        words=words or TEXTS("attention_words"),
    )  # fmt: skip


def norm_phase(norm: str, result: str) -> Phase:
    """A layer norm as one stop that opens."""
    epsilon = typeset(number_text(EPSILON))
    inner = (
        phase(TEXTS, "mean", (f"mean_{norm}", f"centred_{norm}"), defines=True),
        Phase(
            TEXTS("spread"), (f"variance_{norm}", f"normed_{norm}"), TEXTS("spread_summary"),
            words=TEXTS("spread_words", epsilon=epsilon),
        ),
        phase(TEXTS, "gain", (result,), defines=True),
    )  # fmt: skip
    return Phase(
        TEXTS("norm"), (result,), TEXTS("norm_summary"), defines=True,
        phases=inner, words=TEXTS("norm_words"),
    )  # fmt: skip


def feed_forward_phases(unit: str, part: str) -> Sequence[Phase]:
    """Widen, the unit's function, narrow."""
    widen = Phase(
        TEXTS("widen"), (f"up_{part}",), TEXTS("widen_summary"), defines=True,
        words=TEXTS("widen_words", here=WIDER, usual=USUAL),
    )  # fmt: skip
    words = {"relu": TEXTS("relu_words"), "gelu": TEXTS("gelu_words")}[unit]
    units = Phase(UNIT_WORDS[unit], (f"units_{part}",), TEXTS("each_unit"), words=words)
    return widen, units, phase(TEXTS, "narrow", (f"down_{part}",), defines=True)


def residual_phase(result: str, id: str) -> Phase:
    """A residual connection, the first, second or third: `add`, `add_again` or `add_third`."""
    return Phase(
        TEXTS(id), (result,), TEXTS(f"{id}_summary"), defines=True, words=TEXTS("residual_words")
    )
