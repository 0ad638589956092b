"""What holds for every program, checked on every program of the registry."""

import importlib
import itertools
import pkgutil
import re
from collections.abc import Iterator

import numpy as np
import pytest

from core import InputError, explain, operations
from core.operations.activations import gelu, relu, silu
from core.operations.merging import divide_rows
from core.operations.norms import divide_by_spread, normalise_rows, row_mean
from core.operations.scores import additive_score
from core.operations.sums import recurrence
from core.program.inputs import Inputs
from core.program.numbers.arithmetic import PrintedNumber
from core.program.numbers.display import shown
from core.program.operation import Operation
from core.program.patterns import Cell
from core.program.running import run_program
from core.program.trace import Trace
from tests.alone import RunAlone
from tests.by_torch import torch_steps
from tests.core.formula_values import value_of
from tests.core.program.test_explanations import check, check_lines
from tests.core.properties import check_export, check_inverse, check_moved
from tests.registry import FAMILIES, REGISTRY, SIGNATURES, signature
from tests.sampling import DEEP, paired, some

READ_ELSEWHERE = (
    normalise_rows, additive_score, recurrence, row_mean, divide_by_spread, relu, gelu, silu,
)  # fmt: skip
"""Operations whose operands are read out of their lines in tests of their own."""
CELL = re.compile(r"\w+\[[^\]]*\]")
"""A cell by its name, whose tokens stand in brackets."""
IN_TURN = [pytest.mark.parametrize("name", some(list(REGISTRY), 8, first)) for first in range(8)]
"""In the short run every program is in one of these; in the long run each has all of them."""


def cells(trace: Trace, most: int = 12) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Some cells of every array, the same ones each time; all of them where they are few."""
    draw = np.random.default_rng(3)
    for array, values in trace.items():
        for flat in draw.permutation(values.size)[:most]:
            yield array, tuple(int(n) for n in np.unravel_index(flat, values.shape))


@IN_TURN[0]
def test_sources_followed_back_are_what_a_finite_change_moves(name: str) -> None:
    entry = REGISTRY[name]
    check_moved(entry.program.run(unpadded(name)), *entry.moves)


def unpadded(name: str) -> dict[str, np.ndarray]:
    """With causal masks: no finite change moves an empty row's zeros, or its NaN."""
    arrays = REGISTRY[name].inputs()
    for n, a in arrays.items():
        if a.dtype == bool:
            T, S = a.shape[-2:]
            arrays[n] = np.broadcast_to(np.tri(T, S, dtype=bool), a.shape)
    return arrays


@IN_TURN[1]
def test_uses_is_the_exact_inverse_of_sources(name: str) -> None:
    check_inverse(REGISTRY[name].run())


@IN_TURN[2]
def test_script_and_notebook_run_alone_and_notice_a_change(name: str, run_alone: RunAlone) -> None:
    check_export(REGISTRY[name].run(), run_alone)


@pytest.mark.parametrize(("name", "size"), paired(some(list(REGISTRY), 8, 3), [0.9, 1e-3, 30.0]))
def test_every_line_of_arithmetic_evaluates_as_printed(name: str, size: float) -> None:
    trace = REGISTRY[name].run(size)
    for array, cell in cells(trace, most=12 if DEEP else 1):
        bound = trace.steps.get(array)
        elsewhere = bound and isinstance(bound.operation, READ_ELSEWHERE)
        if elsewhere or over_nothing(trace, array, cell):
            check_lines(trace, array, cell)
        else:
            check(trace, array, cell)


def over_nothing(trace: Trace, array: str, cell: Cell) -> bool:
    """Whether a cell is 0 because its row's sum is 0 (numbers so large drown in φ): no quotient."""
    bound = trace.steps.get(array)
    if not (bound and isinstance(bound.operation, divide_rows)):
        return False
    sums = [trace[bound.reads[1]][at] for _, at in trace.live_terms(array, cell) if at is not None]
    return bool(sums) and not any(sums)


@IN_TURN[4]
def test_pytorch_computes_the_same_step_by_step(name: str) -> None:
    trace = REGISTRY[name].run()
    for array, theirs in torch_steps(trace).items():
        np.testing.assert_allclose(trace[array], theirs, rtol=0, atol=1e-12, err_msg=array)


@IN_TURN[5]
def test_the_formula_of_a_step_says_what_it_computes(name: str) -> None:
    trace = REGISTRY[name].run()
    for array, bound in trace.steps.items():
        own = trace.program.step[array]
        names = [["name", operand, "", operand] for operand in own.operands]
        found = value_of(bound.operation.formula(*names), trace)
        expected = trace[array]
        np.testing.assert_allclose(
            np.broadcast_to(found, expected.shape), expected, rtol=0, atol=1e-12, err_msg=array
        )


@pytest.mark.parametrize(("name", "size"), paired(some(list(REGISTRY), 8, 6), [0.9, 1e-5, 1e3]))
def test_no_cell_that_shows_0_is_larger_than_rounding_explains(name: str, size: float) -> None:
    """Against the same run with 64-bit mantissas: what is shown as 0 is lost among its terms."""
    trace = REGISTRY[name].run(size)
    for array, bound in trace.steps.items():
        operands = [trace[operand] for operand in bound.step.operands]
        if trace[array].dtype == bool:
            continue
        wide = [o if o.dtype == bool else o.astype(np.longdouble) for o in operands]
        with np.errstate(invalid="ignore"):
            exact = np.asarray(bound.operation.forward(*wide), dtype=np.longdouble)
        finite = [np.abs(np.where(np.isfinite(o), o, 0)).max(initial=0) for o in wide]
        terms = np.prod([m for m in finite if m] or [1.0]) if len(finite) > 1 else max(finite)
        carried = max(trace.noise[operand] for operand in bound.step.operands)
        for cell in np.ndindex(trace[array].shape):
            if trace.is_removed(array, cell) or float(shown(trace, array, cell)) != 0:
                continue
            # The 9th decimal, or of small terms as much; and what the operands had lost before.
            most = 1.01e-9 * min(1.0, float(terms)) + 100 * carried
            assert abs(float(exact[cell])) <= most, (array, cell, exact[cell])


@IN_TURN[7]
def test_tokens_are_set_off_from_what_is_said_of_a_cell(name: str) -> None:
    entry = REGISTRY[name]
    tokens = tuple(f"Zq{n}" for n in range(len(entry.run().tokens)))
    trace = entry.program.run(Inputs(entry.inputs(), tokens))
    for array, values in trace.items():
        for cell in ((0,) * values.ndim, tuple(size - 1 for size in values.shape)):
            explained = explain(trace, array, cell)
            prose = CELL.sub("", "".join(explained.said[::2]))
            assert "Zq" not in prose, (array, cell)
            assert set(explained.said[1::2]) <= set(tokens)
            assert "".join(explained.said) == explained.words


@IN_TURN[3]
def test_every_array_has_its_stop_on_the_walk(name: str) -> None:
    """A formula names every step that it is made of, and each of them leads somewhere."""
    program = REGISTRY[name].program
    shown = {n for phase in program.phases for inner in phase.innermost() for n in inner.names}
    assert set(program.step) <= shown
    users = {operand for step in program.steps for operand in step.operands}
    assert {i.name for i in program.inputs} <= shown | users


def test_every_operation_is_in_a_program_of_the_registry() -> None:
    public: set[type[Operation]] = set()
    for module in pkgutil.iter_modules(operations.__path__):
        made = vars(importlib.import_module(f"core.operations.{module.name}")).values()
        public |= {m for m in made if isinstance(m, type) and issubclass(m, Operation)}
    used = {type(s.operation) for entry in REGISTRY.values() for s in entry.program.steps}
    assert public - used == {Operation}


def test_noise_comes_along_where_one_run_feeds_the_next() -> None:
    below = REGISTRY["attention"].run()
    inputs = Inputs(REGISTRY["attention"].inputs(), below.tokens).fed(below, X="output")
    above = run_program(below.program, inputs)
    assert above.noise["X"] == below.noise["output"] > 0
    np.testing.assert_array_equal(above["X"], below["output"])
    assert PrintedNumber(shown(above, "X", (0, 0))).text == shown(below, "output", (0, 0))


@pytest.mark.parametrize("name", list(FAMILIES))
def test_every_option_of_a_family_runs_a_program_of_the_registry(name: str) -> None:
    family = FAMILIES[name]
    chosen = itertools.product(*(toggle.options for toggle in family.toggles))
    for values in chosen:
        options = dict(zip(family.toggle, values, strict=True))
        try:
            built = family.built(**options)
        except InputError:
            assert name == "walkthrough"  # 3 heads cannot share d_model = 8
            continue
        assert signature(built.program) in SIGNATURES, options
    assert family.run().tokens


@pytest.mark.parametrize("name", list(FAMILIES))
def test_a_family_refuses_what_it_does_not_offer(name: str) -> None:
    family = FAMILIES[name]
    for toggle in family.toggles:
        with pytest.raises(InputError):
            family.built(**{toggle.key: "diagonal"})
    with pytest.raises(InputError, match="not a toggle"):
        family.built(nonsense="on")
