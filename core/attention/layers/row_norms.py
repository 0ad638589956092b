"""Norms of rows as steps and as phases: layer norm, and RMSNorm.

A norm has a name, as 1a, and its arrays have it behind theirs: mean_1a, g_1a.
"""

from collections.abc import Callable

from core.attention.layers.layer import LayerPart, token_feature
from core.operations.norms import divide_by_spread, gain_and_bias, mean_square, row_mean
from core.operations.products import times_each
from core.operations.sums import subtract
from core.program.described import meaning, phase
from core.program.numbers.rounding import typeset
from core.program.operation import number_text
from core.program.steps import Input, Meaning, Step
from core.texts import core_texts

TEXTS = core_texts("layers")

EPSILON = 1e-5
"""What PyTorch's and GPT-2's layer norms add to the variance."""


def norm_inputs(norm: str) -> list[Input]:
    """The gain and the bias of a layer norm."""
    return [_gain(norm), Input(f"b_{norm}", "m", meaning(TEXTS, "bias", "m", feature="m"))]


def _gain(norm: str) -> Input:
    return Input(f"g_{norm}", "m", meaning(TEXTS, "gain", "m", feature="m"))


def layer_norm(
    norm: str, source: str, result: str, i: str = "i", epsilon: float = EPSILON
) -> LayerPart:
    """The layer norm of each row, in five steps; as one stop that opens."""
    mean, centred, variance, normed = (
        f"{name}_{norm}" for name in ("mean", "centred", "variance", "normed")
    )
    row, number = f"{i} m", f"{i} o"
    of_mean, of_variance = (meaning(TEXTS, id, number, token=i) for id in ("mean", "variance"))
    steps = [
        Step(mean, row_mean(), (source,), of_mean, axes=number),
        Step(centred, subtract("i m, i 0 -> i m"), (source, mean),
             token_feature("centred", row), axes=row),
        Step(variance, mean_square(), (centred,), of_variance, axes=number),
        Step(normed, divide_by_spread(epsilon), (centred, variance),
             token_feature("normed", row), axes=row),
        Step(result, gain_and_bias(), (normed, f"g_{norm}", f"b_{norm}"),
             token_feature("gained", row), axes=row),
    ]  # fmt: skip
    inner = (
        phase(TEXTS, "mean", (mean, centred), defines=True),
        phase(TEXTS, "spread", (variance, normed), {"epsilon": written_epsilon(epsilon)}),
        phase(TEXTS, "gain", (result,), defines=True),
    )
    opened = phase(TEXTS, "norm", (result,), defines=True, phases=inner)
    return LayerPart(steps, [opened], norm_inputs(norm))


def rms_norm(norm: str, source: str, result: str, epsilon: float) -> LayerPart:
    """The RMSNorm of each row, as one stop that opens."""
    size = (f"mean_square_{norm}", f"normed_{norm}")
    inner = (
        phase(TEXTS, "size", size, {"epsilon": written_epsilon(epsilon)}),
        phase(TEXTS, "only_gain", (result,), defines=True),
    )
    opened = phase(TEXTS, "rms", (result,), defines=True, phases=inner)
    return LayerPart(rms_steps(norm, source, result, epsilon), [opened], [_gain(norm)])


def rms_steps(
    norm: str,
    source: str,
    result: str,
    epsilon: float,
    axes: str = "i m",
    meant: Callable[[str, str], Meaning] | None = None,
) -> list[Step]:
    """Each row over the root of the mean of its squares, times the gain (Zhang and Sennrich 2019).

    In three steps. The last of the `axes` is the one of a row's features. `meant` gives the meaning
    of a text's id and axes: of `mean_square`, `sized` and `multiplied`.
    """
    rows, feature = axes.rsplit(" ", 1)
    square, normed = f"mean_square_{norm}", f"normed_{norm}"
    meant = meant or (
        lambda id, axes: (
            meaning(TEXTS, id, axes, token="i") if id == "mean_square" else token_feature(id, axes)
        )
    )
    return [
        Step(square, mean_square(f"{rows} * -> {rows} o"), (source,),
             meant("mean_square", axes), axes=f"{rows} o"),
        Step(normed, divide_by_spread(epsilon, f"{axes}, {rows} 0 -> {axes}"), (source, square),
             meant("sized", axes), axes=axes),
        Step(result, times_each(f"{axes}, {feature} -> {axes}"), (normed, f"g_{norm}"),
             meant("multiplied", axes), axes=axes),
    ]  # fmt: skip


def written_epsilon(epsilon: float) -> str:
    """Return the number that a norm adds, as sentences say it."""
    return typeset(number_text(epsilon))
