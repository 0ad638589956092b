"""The usual mistakes, each a change to any program that it fits.

A mistake replaces one step of a program, found by its operation and not by its name; where a
program has no such step, it says that it does not apply.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

from core.attention.fused import in_memory
from core.errors import InputError
from core.operations.masking import mask_fill
from core.operations.mistaken import (
    divide_and_fill,
    divide_by_root_of_width,
    fill_with,
    plain_softmax,
    reshape_heads,
    softmax_over_queries,
    softmax_then_mask,
    subtract_where_hidden,
)
from core.operations.products import matmul
from core.operations.scaling import divide_by_root
from core.operations.shapes import lay_out, split_columns, split_heads
from core.operations.softmax import softmax
from core.program.mistakes import Lines, Mistake
from core.program.operation import Operation
from core.program.patterns import Cell
from core.program.program import Program
from core.program.steps import Phase, Step
from core.program.trace import Trace

TOO_SMALL = 5.0
"""What the additive mask that leaks subtracts."""


def _made_by(program: Program, kind: type[Operation], does: str) -> Step:
    """The first step of a program that an operation of that kind makes."""
    for step in program.steps:
        if type(step.operation) is kind:
            return step
    raise InputError("This mistake", "cannot be made here", f"it takes a program that {does}")


def _otherwise(trace: Trace, cell: Cell) -> str:
    return (
        "Here this program does not do what the right one does. Its arithmetic says what it does."
    )


def _put(program: Program, step: Step, operation: Operation, *operands: str) -> Program:
    """A program with another operation in a step's place, which no longer means what it did."""
    made = replace(step, operation=operation, meaning=_otherwise)
    return program.replaced(step.name, replace(made, operands=operands or step.operands))


def _softmax_of_masked(program: Program) -> tuple[Step, Step]:
    """The step of softmax, and that of the mask before it."""
    shares = _made_by(program, softmax, "takes softmax")
    masked = program.step.get(shares.operands[0])
    if masked is None or type(masked.operation) is not mask_fill:
        raise InputError(
            "This mistake", "cannot be made here", "it takes a mask right before softmax"
        )
    return shares, masked


def _mask_after_softmax(program: Program) -> Program:
    shares, masked = _softmax_of_masked(program)
    return _put(program, shares, softmax_then_mask(), *masked.operands)


def _plain_softmax(program: Program) -> Program:
    shares = _made_by(program, softmax, "takes softmax")
    return program.replaced(shares.name, replace(shares, operation=plain_softmax()))


def _wrong_axis(program: Program) -> Program:
    shares = _made_by(program, softmax, "takes softmax")
    return _put(program, shares, softmax_over_queries())


def _filled_with(number: float) -> Callable[[Program], Program]:
    return lambda program: _masked_by(program, fill_with(number))


def _too_small(program: Program) -> Program:
    return _masked_by(program, subtract_where_hidden(TOO_SMALL))


def _masked_by(program: Program, operation: Operation) -> Program:
    masked = _made_by(program, mask_fill, "fills in −∞ where its mask hides a key")
    return program.replaced(masked.name, replace(masked, operation=operation))


def _wrong_divisor(program: Program) -> Program:
    scaled = _made_by(program, divide_by_root, "divides by the root of a size")
    scores, keys = scaled.operands
    made_of = program.step[keys].operands[:1] if keys in program.step else ()
    if not any(len(program.letters[name]) == 2 for name in made_of):  # a position and a feature
        raise InputError(
            "This mistake", "cannot be made here", "it takes keys made from embeddings"
        )
    return _put(program, scaled, divide_by_root_of_width(), scores, *made_of)


def _swapped(program: Program) -> Program:
    for step in program.steps:
        if isinstance(step.operation, matmul) and step.operation.transposed:
            a, b = step.operands
            heads, groups = (program.sizes.get(program.letters[name][0]) for name in (a, b))
            if heads != groups:
                raise InputError(
                    "This mistake", "cannot be made here",
                    f"it takes as many heads of {b} as of {a}, not {groups} and {heads}",
                )  # fmt: skip
            return _put(program, step, step.operation, b, a)
    raise InputError("This mistake", "cannot be made here", "it takes a product with a transpose")


def _reshaped(program: Program) -> Program:
    """Where heads are columns of a matrix, what it is in memory becomes a step of its own."""
    kinds = (step for step in program.steps if type(step.operation) is split_columns)
    split = next(kinds, None) or _made_by(program, split_heads, "splits one projection into heads")
    assert isinstance(split.operation, split_columns | split_heads)
    cut = reshape_heads(split.operation.n_heads, split.operation.d_k)
    if isinstance(split.operation, split_heads):
        return _put(program, split, cut)
    name, before = f"{split.name}_memory", "Its rows one after another, in one long line."
    memory = replace(split, name=name, operation=lay_out(), meaning=in_memory)
    wrong = program.replaced(
        split.name, memory, replace(split, operation=cut, operands=(name,), meaning=_otherwise)
    )
    phases = (
        (Phase("In memory", (name,), before), phase) if split.name in phase.names else (phase,)
        for phase in program.phases
    )
    return replace(wrong, phases=tuple(one for two in phases for one in two))


def _written_into_a_view(program: Program) -> Program:
    """The mask, made before it is written; where a rule makes it, it reads the scores' size."""
    masked = _made_by(program, mask_fill, "fills in −∞ where its mask hides a key")
    divided, mask = masked.operands
    scaled = program.step.get(divided)
    if scaled is None or type(scaled.operation) is not divide_by_root:
        raise InputError(
            "This mistake", "cannot be made here",
            "it takes a program that divides by the root of a size right before the mask",
        )  # fmt: skip
    put = replace(
        scaled, operation=divide_and_fill(), operands=(*scaled.operands, mask), meaning=_otherwise
    )
    if mask not in program.step:
        return program.replaced(scaled.name, put)
    rule = program.step[mask]
    before = replace(rule, operands=tuple(
        scaled.operands[0] if name == scaled.name else name for name in rule.operands
    ))  # fmt: skip
    return program.replaced(mask).replaced(scaled.name, before, put)


TORCH_SOFTMAX = """
def softmax(scores, dim=-1):
    \"\"\"Shares along dim; zeros where all of it is -inf, which alone would give NaN.\"\"\"
    empty = scores.isneginf().all(dim, keepdim=True)
    return scores.softmax(dim).masked_fill(empty, 0.0)
"""
"""PyTorch's softmax with the case for a row without any visible key."""
_SIZES = "n_heads, _, d_k = W_K.shape\n"
_FILLED = "masked = scaled.masked_fill(~mask, float('-inf'))"

MISTAKES: Mapping[str, Mistake] = MappingProxyType({
    "after": Mistake(
        "the mask comes after softmax",
        "Softmax has already given hidden keys their share; setting it to 0 afterwards leaves rows "
        "that no longer add up to 1.",
        _mask_after_softmax,
        Lines("weights = softmax(scaled) * mask", "weights = softmax(masked)", TORCH_SOFTMAX),
    ),
    "zero": Mistake(
        "hidden scores are set to 0",
        "A score of 0 is no refusal: e⁰ = 1, so a hidden key keeps a share.",
        _filled_with(0.0),
        Lines("masked = scaled.masked_fill(~mask, 0.0)", _FILLED),
    ),
    "empty": Mistake(
        "a large negative number stands for −∞",
        "Where some key is visible the weights are right: e to such a score underflows to 0. A row "
        "without any visible key, as of a padded first token, becomes equal shares of what is "
        "hidden. With −∞ such a row is 0/0 and needs a case of its own: zeros.",
        _filled_with(-1e9),
        Lines("masked = scaled.masked_fill(~mask, -1e9)", _FILLED),
    ),
    "plain": Mistake(
        "softmax has no case for an empty row",
        "Where every score of a row is −∞, as of a padded first token, so is the largest, and "
        "−∞ − (−∞) is not a number. NaN then fills the row's weights, its context and its output: "
        "any sum with NaN in it is NaN, and 0 × NaN is too. An empty row needs a case of its own: "
        "zeros.",
        _plain_softmax,
        Lines(
            "weights = masked.softmax(-1)",
            "weights = masked.softmax(-1).masked_fill(~mask.any(-1, keepdim=True), 0.0)",
        ),
    ),
    "additive": Mistake(
        "the additive mask is too small",
        f"Subtracting {TOO_SMALL:g} makes e to a hidden score about {math.exp(TOO_SMALL):.0f} "
        "times smaller, and not 0: the key keeps a share. With −∞ it is exactly 0; with "
        "a large negative number only where it underflows.",
        _too_small,
        Lines(
            f"masked = scaled + torch.where(mask, 0.0, {-TOO_SMALL})",
            "masked = scaled + torch.where(mask, 0.0, float('-inf'))",
        ),
    ),
    "axis": Mistake(
        "softmax runs along the wrong axis",
        "Each column is divided by its sum instead of each row, so a later query changes what an "
        "earlier one reads: no longer causal.",
        _wrong_axis,
        Lines(
            "weights = softmax(masked, dim=-2)", "weights = softmax(masked, dim=-1)", TORCH_SOFTMAX
        ),
    ),
    "divisor": Mistake(
        "the divisor is √d_model",
        "The scores are sums of d_k products, one head's, and not of d_model: divided by √d_model "
        "they come out too near to 0, and the weights too even.",
        _wrong_divisor,
        Lines("scaled = scores / X.shape[-1] ** 0.5", "scaled = scores / K.shape[-1] ** 0.5"),
    ),
    "swapped": Mistake(
        "Q and K are swapped",
        "The scores are transposed: entry i, j says how well token j asks for token i.",
        _swapped,
        Lines("scores = K @ Q.mT", "scores = Q @ K.mT"),
    ),
    "reshape": Mistake(
        "the heads are reshaped without a transpose",
        "Memory holds one token after another. Cut straight into heads, the first head gets all "
        "features of the first tokens, and the last head those of the last.",
        _reshaped,
        Lines(
            f"{_SIZES}Q = Q_all.view(n_heads, -1, d_k)",
            f"{_SIZES}Q = Q_all.view(-1, n_heads, d_k).transpose(0, 1)",
        ),
        Lines(
            f"{_SIZES}Q = Q_all.reshape(n_heads, -1, d_k)",
            f"{_SIZES}Q = Q_all.reshape(-1, n_heads, d_k).swapaxes(0, 1)",
        ),
    ),
    "view": Mistake(
        "the mask is written into a view",
        "`masked = scaled[:]` makes no copy: masking it overwrites the scores that were to be "
        "kept. The output is right, and what is shown as unmasked is not.",
        _written_into_a_view,
        Lines(*(f"masked = {made}\nmasked[:, ~mask] = float('-inf')"
                for made in ("scaled[:]", "scaled.clone()"))),
        Lines(*(f"masked = {made}\nmasked[:, ~mask] = -np.inf"
                for made in ("scaled[:]", "scaled.copy()"))),
    ),
})  # fmt: skip
