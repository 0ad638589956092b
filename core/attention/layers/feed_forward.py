"""The feed-forward net of a layer, as steps and as the phases in which it is taught.

down = unit(X W_up) W_down, each row by itself, with or without biases. With a gate, as in Llama
(Shazeer 2020), the unit's function is that of another product, and a factor:
down = (unit(X W_gate) × X W_up) W_down.
"""

from collections.abc import Collection, Mapping

from core.attention.layers.biases import biased_phase
from core.attention.layers.layer import LayerPart, Named, token_feature
from core.operations.activations import gelu, gelu_tanh, relu, silu
from core.operations.products import affine, matmul, times_each
from core.program.described import meaning, phase
from core.program.labels import told_label
from core.program.operation import Operation
from core.program.patterns import Cell
from core.program.steps import Input, Meaning, Phase, Step
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("layers")

WIDER = 2
"""How many units the feed-forward net has in an exhibit for each model feature."""
USUAL = 4
"""How many it has in the paper and in GPT-2."""
UNITS: Mapping[str, Operation] = {"relu": relu(), "gelu": gelu()}
"""What a unit does with its number, where a person chooses."""
UNIT_WORDS = {name: TEXTS(name) for name in UNITS}
MODEL_UNITS: Mapping[str, Operation] = {"gelu": gelu(), "gelu_tanh": gelu_tanh(), "silu": silu()}
"""The same of real models."""
_GIVEN = {
    "W_gate": ("gate_weight", "m f"),
    "W_up": ("up_weight", "m f"),
    "W_down": ("down_weight", "f m"),
    "b_gate": ("gate_bias", "f"),
    "b_up": ("up_bias", "f"),
    "b_down": ("down_bias", "m"),
}
"""What a net may be given: the text of each matrix and bias, and its axes."""


def feed_forward_inputs(
    named: Named, biases: Collection[str] = (), gated: bool = False
) -> list[Input]:
    """The matrices of a feed-forward net, and those of `b_up` and `b_down` that it has."""
    names = {"m": "feature", "f": "unit"}
    return [
        Input(named(name), axes, meaning(TEXTS, id, axes, **{names[a]: a for a in axes.split()}))
        for name, (id, axes) in _GIVEN.items()
        if name in biases or name in ("W_up", "W_down") or (gated and name == "W_gate")
    ]


def feed_forward(
    unit: Operation,
    named: Named,
    source: str,
    i: str = "i",
    *,
    drawn: bool = True,
    biases: Collection[str] = (),
    gated: bool = False,
) -> LayerPart:
    """Each row by itself: unit(row W_up) W_down, or with a gate.

    `drawn`: of an exhibit's size, not a real model's.
    """
    biased = [named(made) for made in ("gate", "up", "down") if f"b_{made}" in biases]
    name = type(unit).__name__
    activation, wide = TEXTS(name), f"{i} f"
    up, down, units = (named(made) for made in ("up", "down", "units"))

    def product(made: str, left: str, operands: str, says: Meaning, axes: str) -> Step:
        names = (left, named(f"W_{made}"))
        if f"b_{made}" not in biases:
            return Step(named(made), matmul(operands), names, says, axes=axes)
        factors, result = operands.split(" -> ")
        biased = affine(f"{factors}, {result[-1]} -> {result}")
        return Step(named(made), biased, (*names, named(f"b_{made}")), says, axes=axes)

    def widened(made: str) -> Step:
        says = meaning(TEXTS, made, wide, token=i, unit="f")
        return product(made, source, "i m, m f -> i f", says, wide)

    narrowed = product("down", units, "i f, f m -> i m", token_feature("down", f"{i} m"), f"{i} m")
    if gated:
        gate, opened = named("gate"), named("opened")
        passed = meaning(TEXTS, "passed", wide, token=i, unit="f")
        steps = [
            widened("gate"),
            widened("up"),
            Step(opened, unit, (gate,), _unit(i, activation, "opens"), axes=wide),
            Step(units, times_each("i f, i f -> i f"), (opened, up), passed, axes=wide),
        ]
        stops = [
            phase(TEXTS, "widen_twice", (gate, up), defines=True),
            phase(TEXTS, "open", (opened,), {"activation": activation}),
            phase(TEXTS, "pass", (units,), defines=True),
        ]
    else:
        sizes = {"here": WIDER, "usual": USUAL}
        steps = [widened("up"), Step(units, unit, (up,), _unit(i, activation), axes=wide)]
        stops = [
            phase(TEXTS, "widen" if drawn else "widen_model", (up,), sizes, defines=True),
            Phase(activation, (units,), TEXTS("each_unit"), words=TEXTS(f"{name}_words")),
        ]
    stops.append(phase(TEXTS, "narrow", (down,), defines=True))
    return LayerPart(
        [*steps, narrowed],
        [biased_phase(stop, biased) for stop in stops],
        feed_forward_inputs(named, biases, gated),
    )


def _unit(i: str, activation: str, id: str = "unit") -> Meaning:
    def says(trace: Trace, cell: Cell) -> str:
        unit, token = told_label(trace, "f", cell[1]), told_label(trace, i, cell[0])
        return TEXTS(id, unit=unit, token=token, activation=activation)

    return says
