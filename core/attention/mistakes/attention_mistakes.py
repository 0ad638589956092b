"""The usual mistakes, each a change to any program that it fits.

A mistake replaces one step of a program, found by its operation and not by its name; where a
program has no such step, it says that it does not apply.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

from core.attention.layers.fused import in_memory, memory_phase
from core.errors import InputError
from core.operations.masking import mask_fill
from core.operations.products import matmul
from core.operations.scores import divide_by_root
from core.operations.shapes import lay_out, split_columns, split_heads
from core.operations.softmax import softmax
from core.operations.wrong_operations import (
    divide_and_fill,
    divide_by_root_of_width,
    fill_with,
    plain_softmax,
    reshape_heads,
    softmax_over_queries,
    softmax_then_mask,
    subtract_where_hidden,
)
from core.program.mistakes import Lines, Mistake
from core.program.operation import Operation
from core.program.patterns import Cell
from core.program.program import Program
from core.program.steps import Step
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("mistakes")
TOO_SMALL = 5.0
"""What the additive mask that leaks subtracts."""


def _misfit(needs: str) -> InputError:
    """Return what is raised for a program in which a mistake cannot be made: what that needs."""
    return InputError(TEXTS("misfit"), TEXTS("misfit_limit"), needs)


def _made_by(program: Program, kind: type[Operation], needs: str) -> Step:
    """Return the first step of a program whose operation is of that kind. Raises `InputError`."""
    for step in program.steps:
        if type(step.operation) is kind:
            return step
    raise _misfit(needs)


def _otherwise(trace: Trace, cell: Cell) -> str:
    return TEXTS("otherwise")


def _put(program: Program, step: Step, operation: Operation, *operands: str) -> Program:
    """A program with another operation in a step's place, which no longer means what it did."""
    made = replace(step, operation=operation, meaning=_otherwise)
    return program.replaced(step.name, replace(made, operands=operands or step.operands))


def _softmax_of_masked(program: Program) -> tuple[Step, Step]:
    """The step of softmax, and that of the mask before it."""
    shares = _made_by(program, softmax, TEXTS("needs_softmax"))
    masked = program.step.get(shares.operands[0])
    if masked is None or type(masked.operation) is not mask_fill:
        raise _misfit(TEXTS("needs_mask_before_softmax"))
    return shares, masked


def _mask_after_softmax(program: Program) -> Program:
    shares, masked = _softmax_of_masked(program)
    return _put(program, shares, softmax_then_mask(), *masked.operands)


def _plain_softmax(program: Program) -> Program:
    shares = _made_by(program, softmax, TEXTS("needs_softmax"))
    return program.replaced(shares.name, replace(shares, operation=plain_softmax()))


def _wrong_axis(program: Program) -> Program:
    shares = _made_by(program, softmax, TEXTS("needs_softmax"))
    return _put(program, shares, softmax_over_queries())


def _filled_with(number: float) -> Callable[[Program], Program]:
    return lambda program: _masked_by(program, fill_with(number))


def _too_small(program: Program) -> Program:
    return _masked_by(program, subtract_where_hidden(TOO_SMALL))


def _masked_by(program: Program, operation: Operation) -> Program:
    masked = _made_by(program, mask_fill, TEXTS("needs_fill"))
    return program.replaced(masked.name, replace(masked, operation=operation))


def _wrong_divisor(program: Program) -> Program:
    scaled = _made_by(program, divide_by_root, TEXTS("needs_root"))
    scores, keys = scaled.operands
    made_of = program.step[keys].operands[:1] if keys in program.step else ()
    if not any(len(program.letters[name]) == 2 for name in made_of):  # a position and a feature
        raise _misfit(TEXTS("needs_embeddings"))
    return _put(program, scaled, divide_by_root_of_width(), scores, *made_of)


def _swapped(program: Program) -> Program:
    for step in program.steps:
        if isinstance(step.operation, matmul) and step.operation.transposed:
            a, b = step.operands
            heads, groups = (program.sizes.get(program.letters[name][0]) for name in (a, b))
            if heads != groups:
                raise _misfit(TEXTS("needs_equal_heads", a=a, b=b, of_a=heads, of_b=groups))
            return _put(program, step, step.operation, b, a)
    raise _misfit(TEXTS("needs_transpose"))


def _reshaped(program: Program) -> Program:
    """Where heads are columns of a matrix, what it is in memory becomes a step of its own."""
    kinds = (step for step in program.steps if type(step.operation) is split_columns)
    split = next(kinds, None) or _made_by(program, split_heads, TEXTS("needs_split"))
    assert isinstance(split.operation, split_columns | split_heads)
    cut = reshape_heads(split.operation.n_heads, split.operation.d_k)
    if isinstance(split.operation, split_heads):
        return _put(program, split, cut)
    name = f"{split.name}_memory"
    memory = replace(split, name=name, operation=lay_out(), meaning=in_memory)
    wrong = program.replaced(
        split.name, memory, replace(split, operation=cut, operands=(name,), meaning=_otherwise)
    )
    return wrong.with_phases(split.name, before=[memory_phase(name)])


def _written_into_a_view(program: Program) -> Program:
    """The mask, made before it is written; where a rule makes it, it reads the scores' size."""
    masked = _made_by(program, mask_fill, TEXTS("needs_fill"))
    divided, mask = masked.operands
    scaled = program.step.get(divided)
    if scaled is None or type(scaled.operation) is not divide_by_root:
        raise _misfit(TEXTS("needs_root_before_mask"))
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


TORCH_SOFTMAX = f"""
def softmax(scores, dim=-1):
    \"\"\"{TEXTS("torch_softmax")}\"\"\"
    empty = scores.isneginf().all(dim, keepdim=True)
    return scores.softmax(dim).masked_fill(empty, 0.0)
"""
"""PyTorch's softmax with the case for a row without any visible key."""
_SIZES = "n_heads, _, d_k = W_K.shape\n"
_FILLED = "masked = scaled.masked_fill(~mask, float('-inf'))"


def _mistake(
    id: str,
    put: Callable[[Program], Program],
    torch: Lines,
    numpy: Lines | None = None,
    values: Mapping[str, str] = MappingProxyType({}),
) -> tuple[str, Mistake]:
    """A mistake by its id, which its texts have too; `values` are filled into its reason."""
    return id, Mistake(TEXTS(id), TEXTS(f"{id}_why", **values), put, torch, numpy)


def _written_mask(made: str, infinity: str) -> str:
    return f"masked = {made}\nmasked[:, ~mask] = {infinity}"


LEAKING = {"subtracted": f"{TOO_SMALL:g}", "times": f"{math.exp(TOO_SMALL):.0f}"}
"""What is said of the additive mask that leaks: what it subtracts, and what that divides by."""
MISTAKES: Mapping[str, Mistake] = dict((
    _mistake(
        "after", _mask_after_softmax,
        Lines("weights = softmax(scaled) * mask", "weights = softmax(masked)", TORCH_SOFTMAX),
    ),
    _mistake("zero", _filled_with(0.0), Lines("masked = scaled.masked_fill(~mask, 0.0)", _FILLED)),
    _mistake(
        "empty", _filled_with(-1e9), Lines("masked = scaled.masked_fill(~mask, -1e9)", _FILLED)
    ),
    _mistake(
        "plain", _plain_softmax,
        Lines("weights = masked.softmax(-1)",
              "weights = masked.softmax(-1).masked_fill(~mask.any(-1, keepdim=True), 0.0)"),
    ),
    _mistake(
        "additive", _too_small,
        Lines(f"masked = scaled + torch.where(mask, 0.0, {-TOO_SMALL})",
              "masked = scaled + torch.where(mask, 0.0, float('-inf'))"),
        values=LEAKING,
    ),
    _mistake(
        "axis", _wrong_axis,
        Lines("weights = softmax(masked, dim=-2)", "weights = softmax(masked, dim=-1)",
              TORCH_SOFTMAX),
    ),
    _mistake(
        "divisor", _wrong_divisor,
        Lines("scaled = scores / X.shape[-1] ** 0.5", "scaled = scores / K.shape[-1] ** 0.5"),
    ),
    _mistake("swapped", _swapped, Lines("scores = K @ Q.mT", "scores = Q @ K.mT")),
    _mistake(
        "reshape", _reshaped,
        Lines(f"{_SIZES}Q = Q_all.view(n_heads, -1, d_k)",
              f"{_SIZES}Q = Q_all.view(-1, n_heads, d_k).transpose(0, 1)"),
        Lines(f"{_SIZES}Q = Q_all.reshape(n_heads, -1, d_k)",
              f"{_SIZES}Q = Q_all.reshape(-1, n_heads, d_k).swapaxes(0, 1)"),
    ),
    _mistake(
        "view", _written_into_a_view,
        Lines(*(_written_mask(to, "float('-inf')") for to in ("scaled[:]", "scaled.clone()"))),
        Lines(*(_written_mask(to, "-np.inf") for to in ("scaled[:]", "scaled.copy()"))),
    ),
))  # fmt: skip
