"""Small programs of what no page shows yet, so that every operation and pattern is run in one."""

from core.attention.axes import AXES
from core.attention.masks import Rule
from core.operations.masking import mask_fill, visible
from core.operations.products import matmul, matmul_transposed, outer
from core.operations.scaling import divide_by_root
from core.operations.shapes import append_rows
from core.operations.softmax import softmax
from core.operations.sums import add, running_sum
from core.program.axes import HEAD, POSITION, Axis
from core.program.program import Program
from core.program.steps import Input, Phase, Step
from core.program.trace import Trace


def said(trace: Trace, cell: tuple[int, ...]) -> str:
    return "A number of a program that stands in the tests."


def cached_step(cached: int) -> Program:
    """A decoder's step: new tokens after so many whose keys and values are kept."""
    axes = {
        **AXES,
        "i": Axis("query position", POSITION, "query", "T", offset=cached),
        "p": Axis("kept position", POSITION, "key", "T"),
    }
    project, append = "i m, g m {0} -> g i {0}", "g j+0 {0}, g j-{{first}} {0} -> g j {0}"
    return Program(
        (
            Input("X", "i m", said),
            Input("W_Q", "h m k", said, role="query"),
            Input("W_K", "g m k", said, role="key"),
            Input("W_V", "g m v", said, role="value"),
            Input("K_kept", "g p k", said, role="key"),
            Input("V_kept", "g p v", said, role="value"),
        ),
        (
            Step("Q", matmul("i m, h m k -> h i k"), ("X", "W_Q"), said, "query"),
            Step("K_new", matmul(project.format("k")), ("X", "W_K"), said, "key"),
            Step("V_new", matmul(project.format("v")), ("X", "W_V"), said, "value"),
            Step("K", append_rows(append.format("k")), ("K_kept", "K_new"), said, "key"),
            Step("V", append_rows(append.format("v")), ("V_kept", "V_new"), said, "value"),
            Step("scores", matmul_transposed("h i k, h//{group} j k -> h i j"), ("Q", "K"), said),
            Step("scaled", divide_by_root(), ("scores", "K"), said),
            Step("mask", visible(Rule("causal", offset=cached)), ("scaled",), said),
            Step("masked", mask_fill(), ("scaled", "mask"), said),
            Step("weights", softmax(), ("masked",), said, "weights"),
            Step("context", matmul("h i j, h//{group} j v -> h i v"), ("weights", "V"), said),
        ),
        (
            Phase("New rows", ("X",), "Only the new tokens."),
            Phase("Project", ("Q", "K_new", "V_new"), "As ever.", defines=True),
            Phase("Keep the keys", ("K",), "Appended.", defines=True),
            Phase("Keep the values", ("V",), "Appended.", defines=True),
            Phase("Score", ("scores",), "The new queries meet all keys."),
            Phase("Scale", ("scaled",), "By the root."),
            Phase("Mask", ("mask", "masked"), "From an offset."),
            Phase("Softmax", ("weights",), "Shares."),
            Phase("Mix", ("context",), "Rows of V."),
        ),
        {"h": 2, "g": 1},
        axes,
    )


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
