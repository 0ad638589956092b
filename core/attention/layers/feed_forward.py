"""The feed-forward net of a layer, as steps and as the phases in which it is taught.

down = unit(X W_up) W_down, each row by itself, with or without biases. With a gate, as in Llama
(Shazeer 2020), the unit's function is that of another product, and a factor:
down = (unit(X W_gate) × X W_up) W_down.
"""

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

from core.attention.description_helpers import token_feature
from core.attention.layers.biases import biased_phase
from core.attention.layers.layer import Named
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
UNITS: Mapping[str, Operation] = MappingProxyType({"relu": relu(), "gelu": gelu()})
"""What a unit does with its number, where a person chooses."""
UNIT_WORDS = {name: TEXTS(name) for name in UNITS}
MODEL_UNITS: Mapping[str, Operation] = MappingProxyType(
    {"gelu": gelu(), "gelu_tanh": gelu_tanh(), "silu": silu()}
)
"""The same of real models."""


def feed_forward_inputs(
    named: Named, biases: Collection[str] = (), gated: bool = False
) -> list[Input]:
    """The matrices of a feed-forward net, and those of `b_up` and `b_down` that it has."""
    up = meaning(TEXTS, "up_weight", "m f", feature="m", unit="f")
    gate = meaning(TEXTS, "gate_weight", "m f", feature="m", unit="f")
    down = meaning(TEXTS, "down_weight", "f m", unit="f", feature="m")
    up_bias = meaning(TEXTS, "up_bias", "f", unit="f")
    gate_bias = meaning(TEXTS, "gate_bias", "f", unit="f")
    down_bias = meaning(TEXTS, "down_bias", "m", feature="m")
    given = [
        *([Input(named("W_gate"), "m f", gate)] if gated else []),
        Input(named("W_up"), "m f", up),
        Input(named("W_down"), "f m", down),
    ]
    added = {"b_gate": ("f", gate_bias), "b_up": ("f", up_bias), "b_down": ("m", down_bias)}
    return [*given, *(Input(named(n), *added[n]) for n in added if n in biases)]


def feed_forward(
    unit: Operation,
    named: Named,
    source: str,
    i: str = "i",
    *,
    biases: Collection[str] = (),
    gated: bool = False,
) -> list[Step]:
    """Each row by itself: unit(row W_up) W_down, or with a gate."""

    def product(made: str, left: str, operands: str, says: Meaning, axes: str) -> Step:
        names = (left, named(f"W_{made}"))
        if f"b_{made}" not in biases:
            return Step(named(made), matmul(operands), names, says, axes=axes)
        (a, b), result = operands.split(" -> ")[0].split(", "), operands.split(" -> ")[1]
        biased = affine(f"{a}, {b}, {result[-1]} -> {result}")
        return Step(named(made), biased, (*names, named(f"b_{made}")), says, axes=axes)

    wide = f"{i} f"

    def widened(made: str) -> Step:
        says = meaning(TEXTS, made, wide, token=i, unit="f")
        return product(made, source, "i m, m f -> i f", says, wide)

    units, result = named("units"), token_feature("down", f"{i} m")
    down = product("down", units, "i f, f m -> i m", result, f"{i} m")
    if not gated:
        says = _unit(i, TEXTS(_name(unit)))
        return [widened("up"), Step(units, unit, (named("up"),), says, axes=wide), down]
    opened = named("opened")
    opens = _unit(i, TEXTS(_name(unit)), "opens")
    passed = meaning(TEXTS, "passed", wide, token=i, unit="f")
    return [
        widened("gate"),
        widened("up"),
        Step(opened, unit, (named("gate"),), opens, axes=wide),
        Step(units, times_each("i f, i f -> i f"), (opened, named("up")), passed, axes=wide),
        down,
    ]


def _unit(i: str, activation: str, id: str = "unit") -> Meaning:
    def says(trace: Trace, cell: Cell) -> str:
        unit, token = told_label(trace, "f", cell[1]), told_label(trace, i, cell[0])
        return TEXTS(id, unit=unit, token=token, activation=activation)

    return says


def feed_forward_phases(
    unit: Operation,
    named: Named,
    *,
    drawn: bool = True,
    biases: Collection[str] = (),
    gated: bool = False,
) -> Sequence[Phase]:
    """Widen, the unit's function, narrow. `drawn`: of an exhibit's size, not a real model's."""
    name = _name(unit)
    biased = [named(made) for made in ("gate", "up", "down") if f"b_{made}" in biases]
    narrow = biased_phase(phase(TEXTS, "narrow", (named("down"),), defines=True), biased)
    if gated:
        widened = phase(TEXTS, "widen_twice", (named("gate"), named("up")), defines=True)
        return (
            biased_phase(widened, biased),
            phase(TEXTS, "open", (named("opened"),), {"activation": TEXTS(name)}),
            phase(TEXTS, "pass", (named("units"),), defines=True),
            narrow,
        )
    widen = phase(
        TEXTS, "widen" if drawn else "widen_model", (named("up"),),
        {"here": WIDER, "usual": USUAL}, defines=True,
    )  # fmt: skip
    units = Phase(TEXTS(name), (named("units"),), TEXTS("each_unit"), words=TEXTS(f"{name}_words"))
    return biased_phase(widen, biased), units, narrow


def _name(unit: Operation) -> str:
    return type(unit).__name__
