"""A run to implement by oneself: its steps as blanks, each with a check that knows the mistakes."""

import inspect
import re
from collections.abc import Iterable, Iterator
from typing import Any

from core.errors import InputError
from core.program import checking
from core.program.display import shape_text
from core.program.mistakes import Mistake
from core.program.program import Program
from core.program.script import GIVEN, TITLE, Block, as_notebook, as_script, inputs, steps
from core.program.trace import Trace

MOST_NUMBERS = 40_000
"""So many numbers of steps an exercise compares with, in half a megabyte."""
ABOUT = """Implement it yourself: each step is a blank, `...`. Put your line in its place, and run
all of it again. It needs numpy alone, and stops at the first step that is not right."""


def exercise_script(trace: Trace, mistakes: Iterable[Mistake]) -> str:
    """The run as a Python script with a blank for each step.

    The check of a step says whether it is right; where its numbers are those that one of the
    `mistakes` makes, it names that. Raises `InputError` for a run that is too large.
    """
    return as_script(TITLE, ABOUT, _blocks(trace, mistakes))


def exercise_notebook(trace: Trace, mistakes: Iterable[Mistake]) -> str:
    """The same as a Jupyter notebook. Raises `InputError`."""
    return as_notebook(TITLE, ABOUT, _blocks(trace, mistakes))


def check_size(trace: Trace) -> None:
    """Raise `InputError` where the exercise of a run would be too large, or have no blank."""
    size = sum(trace[name].size for name in trace.steps)
    if size > MOST_NUMBERS:
        raise InputError(
            f"This view has {size:,} numbers to compute", f"an exercise compares {MOST_NUMBERS:,}",
            "choose fewer tokens or heads",
        )  # fmt: skip
    if not size:
        raise InputError("Every step is given here", "nothing is left to compute", "reset an edit")


def _blocks(trace: Trace, mistakes: Iterable[Mistake]) -> Iterator[Block]:
    check_size(trace)
    about = "What checks your lines; there is nothing to do here."
    source = inspect.getsource(checking).partition('"""\n\n')[2]
    code = f"import math\n{source}\n\n{GIVEN.strip()}\n"
    yield Block(about, f"## Checks\n\n{about}", code, folded=True)
    yield inputs(trace)
    packed = checking.pack(_expected(trace, mistakes))
    about = "What is expected, packed so that nobody reads it by accident."
    code = f'check = Checks("""\n{packed}\n""")\nlisten(check)'
    yield Block(about, f"## What is expected\n\n{about}", code, folded=True)
    yield from steps(trace, lambda name: f"{_said(trace, name)}{name} = ...  # your line: {{}}")


def _said(trace: Trace, name: str) -> str:
    """What the function that the step calls has to do, where numpy has none of its name."""
    if trace[name].dtype == bool:
        return "# True means visible.\n"
    found = re.search(r'"""(.*?)"""', trace.steps[name].operation.helper, re.DOTALL)
    return f"# {found[1]}\n" if found else ""


def _expected(trace: Trace, mistakes: Iterable[Mistake]) -> dict[str, Any]:
    """What `checking.Checks` compares the steps with."""
    found: dict[str, dict[str, Any]] = {
        name: {
            "shape": trace[name].shape,
            "numbers": [float(number) for number in trace[name].ravel()],
            "boolean": trace[name].dtype == bool,
            "reads": {part: shape_text(trace[part].shape) for part in bound.step.operands},
            "known": [],
        }
        for name, bound in trace.steps.items()
    }
    program = trace.program
    assert isinstance(program, Program)
    for mistake in mistakes:
        try:
            wrong = mistake.made_of(trace, program)
        except InputError:
            continue
        name = next((name for name in trace.steps if _apart(trace, wrong, name)), "")
        if name:
            marks = checking.marks(wrong[name])
            found[name]["known"].append([mistake.name, mistake.why, wrong[name].shape, marks])
    return found


def _apart(trace: Trace, wrong: Trace, name: str) -> bool:
    """Whether a step of a run is otherwise in another one."""
    if name not in wrong or trace[name].shape != wrong[name].shape:
        return name in wrong
    return bool(trace.differs(wrong, name).any())
