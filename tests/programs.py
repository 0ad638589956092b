"""Small programs of what no page shows yet, so that every operation and pattern is run in one."""

from core.attention.axes import AXES
from core.operations.products import outer
from core.operations.sums import add, running_sum
from core.program.axes import HEAD, Axis
from core.program.program import Program
from core.program.steps import Input, Phase, Step
from core.program.trace import Trace


def said(trace: Trace, cell: tuple[int, ...]) -> str:
    return "A number of a program that stands in the tests."


def linear_attention(before: int = 0) -> Program:
    """Unnormalised linear attention as a running state: S_i = Σ_{j ≤ i} k_j v_jᵀ, read by a bias.

    Its state has four axes. Where `before` rows came first, the sums begin after them.
    """
    upto = f"j<=i+{before}" if before else "j<=i"
    return Program(
        (
            Input("K", "h j k", said, role="key"),
            Input("V", "h j v", said, role="value"),
            Input("bias", "v", said),
        ),
        (
            Step("pairs", outer("h j k, h j v -> h j k v"), ("K", "V"), said),
            Step("state", running_sum(f"h {upto} k v -> h i k v"), ("pairs",), said),
            Step("read", add("h i k v, v -> h i k v"), ("state", "bias"), said),
        ),
        (
            Phase("Pairs", ("pairs",), "A matrix a token."),
            Phase("State", ("state",), "Summed so far."),
            Phase("Read", ("read",), "With a bias."),
        ),
        {"h": 2},
        AXES,
    )


def stacked_layers() -> Program:
    """Two layers of heads at once: two letters of which one place is looked at at a time."""
    axes = {**AXES, "l": Axis("layer", HEAD, "layer")}
    return Program(
        (Input("A", "l h i k", said, role="query"), Input("B", "l h i k", said)),
        (Step("summed", add("l h i k, l h i k -> l h i k"), ("A", "B"), said),),
        (Phase("Both", ("A", "B"), "Given."), Phase("Sum", ("summed",), "Added.")),
        {"l": 2, "h": 3},
        axes,
    )


def nested_block() -> Program:
    """A block that is one stop and opens into two."""
    inner = (
        Phase("Once", ("once",), "The first half."),
        Phase("Twice", ("twice",), "The second half."),
    )
    return Program(
        (Input("X", "i m", said), Input("Y", "i m", said)),
        (
            Step("once", add("i m, i m -> i m"), ("X", "Y"), said),
            Step("twice", add("i m, i m -> i m"), ("once", "Y"), said),
            Step("after", add("i m, i m -> i m"), ("twice", "X"), said),
        ),
        (
            Phase("Given", ("X",), "Rows."),
            Phase("A block", ("twice",), "Two sums.", shows=("X", "twice"), phases=inner),
            Phase("After", ("after",), "What follows."),
        ),
        {},
        AXES,
    )
