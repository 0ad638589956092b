"""A run written out: a script and a notebook that compute it again, and check themselves.

Both are the same blocks of code. They hold what was given as literals, compute each step with the
line of numpy of its operation, and stop where an input is not the one it was or a step differs
from the numbers of the run.
"""

import json
import math
import textwrap
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from core.program import formulas as f
from core.program.numbers.display import shape_text
from core.program.numbers.literals import (
    Writer,
    column_comment,
    expected,
    flag,
    float_literal,
    nested,
    row_labels,
)
from core.program.steps import Step
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("program")

TITLE = TEXTS("title")
Written = Callable[[Trace, str], str]
"""Writes an array of a run."""

WIDTH = 96
"""Characters of a line of comment."""
GIVEN_HELPERS = '''
def given(name, array, total, by_place):
    """Stop if an input was changed: the expected numbers belong to the old one."""
    entries = [(n, x) for n, x in enumerate(array.ravel().tolist(), 1) if math.isfinite(x)]
    found = round(math.fsum(x for n, x in entries), 9)
    if found != total:
        how = f"its entries add up to {found}, not {total}"
    elif round(math.fsum(n * x for n, x in entries), 9) != by_place:
        how = "its entries are in other places"
    else:
        return
    raise AssertionError(f"{name} was changed: {how}. The expected numbers belong to the old one.")
'''
CHECK = '''
def check(name, array):
    """Compare a step with its expected numbers: within 1e-11 of the largest of them (or of 1)."""
    numbers, array = np.array(expected[name], dtype=float), np.asarray(array, dtype=float)
    fault = f"{name} differs from the run, so its line was changed"
    if array.shape != numbers.shape:
        raise AssertionError(f"{fault}: its shape is {array.shape}, not {numbers.shape}")
    largest = np.abs(numbers[np.isfinite(numbers)]).max(initial=1.0)
    off = ~np.isclose(array, numbers, rtol=0, atol=1e-11 * largest, equal_nan=True)
    if off.any():
        at = tuple(np.argwhere(off)[0].tolist())
        first = f"{name}{list(at)} is {array[at]}, not {numbers[at]}"
        raise AssertionError(f"{fault}: {off.sum()} of {off.size} numbers differ; {first}")
'''


@dataclass(frozen=True)
class Block:
    """Some lines of code and what they are: `text` (Markdown, no token in it) in a notebook.

    One that is `folded` need not be read; a notebook shows it folded.
    """

    comment: str
    text: str
    code: str
    folded: bool = False


def numpy_script(trace: Trace) -> str:
    """Return the run as a Python script that needs only numpy and asserts every step."""
    return as_script(TITLE, TEXTS("about_checked"), _blocks(trace))


def plain_script(trace: Trace) -> str:
    """The same without its checks: what is given, a line for each step, and the last one printed.

    For somebody who wants to change it.
    """
    return as_script(TITLE, TEXTS("about_plain"), _plain_blocks(trace))


def notebook(trace: Trace) -> str:
    """The same as a Jupyter notebook (JSON, nbformat 4.5): each step with its formula."""
    return as_notebook(TITLE, TEXTS("about_checked"), _blocks(trace))


def as_script(title: str, about: str, blocks: Iterable[Block]) -> str:
    """Return blocks as a Python script."""
    parts = ["\n".join(f"# {line}" for line in (f"{title}.", *textwrap.wrap(about, WIDTH)))]
    parts += [f"# {b.comment}\n{b.code}" if b.comment else b.code for b in blocks]
    return "\n\n".join(parts) + "\n"


def as_notebook(title: str, about: str, blocks: Iterable[Block]) -> str:
    """Blocks as a Jupyter notebook (JSON, nbformat 4.5)."""
    cells = [_cell("markdown", f"# {title}\n\n{about}", 0)]
    for block in blocks:
        if block.text:
            cells.append(_cell("markdown", block.text, len(cells)))
        cells.append(_cell("code", block.code, len(cells), block.folded))
    return json.dumps(
        {
            "cells": cells,
            "metadata": {
                "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
                "language_info": {"name": "python"},
            },
            "nbformat": 4,
            "nbformat_minor": 5,
        },
        indent=1,
    )


def _blocks(trace: Trace) -> Iterator[Block]:
    yield _opening(trace, "import math\n\nimport numpy as np", GIVEN_HELPERS, CHECK)
    yield input_blocks(trace, guarded_literal)
    numbers = "".join(
        f'    "{name}": {nested(trace[name], _writer(trace, name, expected), depth=1)},\n'
        for name in trace.steps
    )
    about = TEXTS("expected")
    heading = f"## {TEXTS('expected_title')}"
    yield Block(about, f"{heading}\n\n{about}", f"expected = {{\n{numbers}}}")
    yield from steps(trace, lambda name: f"{_line(trace, name)}\n{checked(name)}", guarded_literal)
    text = TEXTS("agree", steps=len(trace.steps), names=", ".join(trace.steps))
    yield Block("", "", f'print("{text}")')


def _plain_blocks(trace: Trace) -> Iterator[Block]:
    yield _opening(trace, "import numpy as np")
    yield input_blocks(trace, literal)
    yield from steps(trace, partial(_line, trace), literal)
    last = trace.program.last
    yield Block("", "", f'print("{last}:", {last}, sep="\\n")')


def _opening(trace: Trace, imports: str, *functions: str) -> Block:
    """What is imported, and the functions that are called."""
    helpers = {bound.operation.helper: None for bound in trace.steps.values()}
    sources = [source.strip() for source in (*helpers, *functions) if source]
    return Block("", "", "\n\n\n".join([imports, *sources]) + "\n")


def _line(trace: Trace, name: str) -> str:
    return f"{name} = {trace.steps[name].code}  # {{}}"


def checked(name: str) -> str:
    """The line that checks a step."""
    return f'check("{name}", {name})'


def input_blocks(trace: Trace, written: Written) -> Block:
    """Return what the steps are given, each array as `written` writes it."""
    names = [i.name for i in trace.program.inputs]
    used = {operand for bound in trace.steps.values() for operand in bound.step.operands}
    asked = {operand for step in trace.program.steps for operand in step.operands}
    unused = [name for name in names if name in asked - used]
    code = "\n".join(written(trace, name) for name in names if name not in unused)
    if unused:
        pins = ", ".join(step.name for step in trace.program.steps if step.name in trace.pinned)
        text = TEXTS("unused", names=", ".join(unused), pins=pins, one=len(unused) == 1)
        code += f"\n# {text}"
    return Block(f"{TEXTS('inputs')}.", f"## {TEXTS('inputs')}", code.strip())


def steps(trace: Trace, line: Callable[[str], str], written: Written) -> Iterator[Block]:
    """A block for each step: what it is, and its `line`; one that is given is `written`.

    `{}` in the line stands for the step's formula and shape.
    """
    phase = -1
    for step in trace.program.steps:
        opens, phase = trace.program.phase(step.name) != phase, trace.program.phase(step.name)
        yield _step(trace, step, opens, line, written)


def _step(
    trace: Trace, step: Step, opens: bool, line: Callable[[str], str], written: Written
) -> Block:
    """One step; the first of a phase opens with what the phase is about."""
    phase = trace.program.phases[trace.program.phase(step.name)]
    comment = f"{phase.title}: {phase.summary}" if opens else ""
    heading = f"## {phase.title}\n\n{phase.summary}\n\n" if opens else ""
    if step.name not in trace.steps:
        sentence, marked = (
            TEXTS("given_step", name=name) for name in (step.name, f"`{step.name}`")
        )
        text = f"{heading}{marked}"
        return Block(f"{comment} {sentence}".strip(), text, written(trace, step.name))
    formula = step.operation.formula(*map(f.name, step.operands))
    shape = shape_text(trace[step.name].shape)
    return Block(
        comment,
        f"{heading}$${f.latex(f.name(step.name))} = {f.latex(formula)}$$\n\n"
        f"{TEXTS('shape', shape=shape)}",
        line(step.name).replace("{}", f"{f.plain_formula(formula)}; {shape}"),
    )


def literal(trace: Trace, name: str) -> str:
    """An array that was given, as a literal."""
    array = trace[name]
    dtype = ", dtype=bool" if array.dtype == bool else ""
    written = nested(array, _writer(trace, name, float_literal), row_labels(trace, name))
    return f"{column_comment(trace, name)}{name} = np.array({written}{dtype})"


def guard(trace: Trace, name: str) -> str:
    """The line that notices a change in an array that was given."""
    flat = trace[name].ravel().tolist()
    entries = [(n, x) for n, x in enumerate(flat, 1) if math.isfinite(x)]
    total = round(math.fsum(x for _, x in entries), 9)
    by_place = round(math.fsum(n * x for n, x in entries), 9)
    return f'given("{name}", {name}, {total!r}, {by_place!r})'


def guarded_literal(trace: Trace, name: str) -> str:
    return f"{literal(trace, name)}\n{guard(trace, name)}"


def _writer(trace: Trace, name: str, number: Writer) -> Writer:
    return flag if trace[name].dtype == bool else number


def _cell(kind: str, source: str, number: int, folded: bool = False) -> dict[str, object]:
    code: dict[str, object] = {"execution_count": None, "outputs": []} if kind == "code" else {}
    looks: dict[str, object] = {"jupyter": {"source_hidden": True}} if folded else {}
    return {
        "cell_type": kind,
        "id": f"cell-{number}",
        "metadata": looks,
        **code,
        "source": source.splitlines(keepends=True),
    }
