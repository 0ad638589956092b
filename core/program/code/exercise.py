"""A run to implement by oneself: its steps as blanks, each with a check that knows the mistakes."""

import inspect
import re
import textwrap
from collections.abc import Iterable, Iterator
from typing import Any

from core.errors import InputError, check_most, input_error
from core.program.axes import HEAD
from core.program.code import exercise_checker, script
from core.program.mistakes import Mistake, WrongLines
from core.program.numbers.display import shape_text
from core.program.program import Program
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("program")

MOST_NUMBERS = 40_000
"""No exercise compares with more numbers than these, which take half a megabyte."""


def exercise_script(
    trace: Trace, mistakes: Iterable[Mistake], wrong_lines: Iterable[WrongLines] = ()
) -> str:
    """Return the run as a Python script with a blank for each step; the checks come last.

    The check of a step says whether it is right. If its numbers are those of one of the `mistakes`
    or `wrong_lines`, it names the mistake. Raises `InputError` for a run that is too large.
    """
    packed = _packed_checks(trace, mistakes, wrong_lines)
    return script.as_script(script.TITLE, TEXTS("about_exercise"), _script_blocks(trace, packed))


def exercise_notebook(
    trace: Trace, mistakes: Iterable[Mistake], wrong_lines: Iterable[WrongLines] = ()
) -> str:
    """The same as a Jupyter notebook, whose checks are folded. Raises `InputError`."""
    packed = _packed_checks(trace, mistakes, wrong_lines)
    return script.as_notebook(
        script.TITLE, TEXTS("about_exercise"), _notebook_blocks(trace, packed)
    )


def check_size(trace: Trace) -> None:
    """Raise `InputError` if the exercise of a run would be too large, or have no blank."""
    size = sum(trace[name].size for name in trace.steps)
    check_most(TEXTS, "long_exercise", "size", size, MOST_NUMBERS)
    if not size:
        raise input_error(TEXTS, "no_blank")


def _script_blocks(trace: Trace, packed: str) -> Iterator[script.Block]:
    """The blanks as a function, so that they come first; then what it is given and what checks."""
    yield script.Block("", "", "import numpy as np\n")
    yield _function(trace)
    yield script.input_blocks(trace, script.literal)
    taken = _taken(trace)
    pinned = [name for name in taken if name in trace.pinned]
    if pinned:
        given = _lines(script.literal(trace, name) for name in pinned)
        yield script.Block(f"{TEXTS('given_results')}.", "", given)
    yield _checks(_SOURCE)
    yield _packed(packed, _lines(script.guard(trace, name) for name in taken))
    yield script.Block("", "", f"yourself({', '.join(taken)})")


def _notebook_blocks(trace: Trace, packed: str) -> Iterator[script.Block]:
    yield _checks(f"import numpy as np\n{_SOURCE}")
    yield script.input_blocks(trace, script.guarded_literal)
    yield _packed(packed)
    yield from script.steps(trace, lambda name: _blank(trace, name), script.guarded_literal)


_SOURCE = (
    inspect.getsource(exercise_checker)
    .partition('"""\n\n')[2]
    .replace("import numpy as np\n\n", "")
)


def _checks(source: str) -> script.Block:
    about = TEXTS("checks")
    code = f"import math\n{source}\n\n{script.GIVEN_HELPERS.strip()}\n"
    return script.Block(about, f"## {TEXTS('checks_title')}\n\n{about}", code, folded=True)


def _packed(packed: str, guards: str = "") -> script.Block:
    about = TEXTS("packed")
    code = f'{guards}check = Checks("""\n{packed}\n""")\nlisten(check)'
    return script.Block(about, f"## {TEXTS('packed_title')}\n\n{about}", code, folded=True)


def _function(trace: Trace) -> script.Block:
    """The blanks of all steps as the lines of one function."""
    parts = script.steps(trace, lambda name: _blank(trace, name), lambda *_: "")
    body = (f"# {part.comment}\n{part.code}" if part.comment else part.code for part in parts)
    sizes = "; ".join(f"{name} is {shape_text(trace[name].shape)}" for name in _taken(trace))
    wrapped = textwrap.wrap(f"{sizes}.", 92, initial_indent="# ", subsequent_indent="# ")
    lines = "\n\n".join(["\n".join(wrapped), *(part.rstrip() for part in body)])
    code = f"def yourself({', '.join(_taken(trace))}):\n{textwrap.indent(lines, '    ')}\n"
    return script.Block(f"{TEXTS('your_part')}.", "", code)


def _taken(trace: Trace) -> list[str]:
    """The arrays that the steps are given, in order."""
    read = {operand for bound in trace.steps.values() for operand in bound.step.operands}
    return [name for name in trace if name in read and name not in trace.steps]


def _blank(trace: Trace, name: str) -> str:
    blank = f"{name} = ...  # {TEXTS('your_line')}: {{}}"
    return f"{_task_comments(trace, name)}{blank}\n{script.checked(name)}"


def _task_comments(trace: Trace, name: str) -> str:
    """Return as comments what the formula of a step leaves open."""
    bound = trace.steps[name]
    found = re.search(r'"""(.*?)"""', bound.operation.helper, re.DOTALL)
    sentence = [bound.operation.task, found[1] if found else "", *_sharing(trace, name)]
    return _lines(f"# {line}" for text in sentence if text for line in textwrap.wrap(text, 96))


def _sharing(trace: Trace, name: str) -> Iterator[str]:
    """Which head of an operand a head is made of, where several are made of one."""
    bound = trace.steps[name]
    letters = dict(zip(bound.pattern.output, trace.program.letters[name], strict=True))
    heads = {own for own, letter in letters.items() if trace.program.axis(letter).kind == HEAD}
    for axes, operand in zip(bound.pattern.operands, bound.reads, strict=True):
        for part in (part for axis in axes for part in axis.parts):
            if part.how == "//" and part.letter in heads:
                yield TEXTS("head_read", name=name, n=part.n, operand=operand)


def _lines(lines: Iterable[str]) -> str:
    """Lines of code, each with its end."""
    return "".join(f"{line}\n" for line in lines)


def _packed_checks(
    trace: Trace, mistakes: Iterable[Mistake], wrong_lines: Iterable[WrongLines]
) -> str:
    """What `exercise_checker.Checks` reads. Raises `InputError`."""
    check_size(trace)
    texts = core_texts("exercise_checks").sources.items()
    # for `str.format`: an exercise has no Jinja
    messages = {id: re.sub(r"\{\{ (\w+) \}\}", r"{\1}", text) for id, text in texts}
    return exercise_checker.packed_checks(messages, _expected(trace, mistakes, wrong_lines))


def _expected(
    trace: Trace, mistakes: Iterable[Mistake], wrong_lines: Iterable[WrongLines]
) -> dict[str, Any]:
    """What `exercise_checker.Checks` compares the steps with."""
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
            marks = exercise_checker.marks(wrong[name])
            found[name]["known"].append([mistake.name, mistake.why, wrong[name].shape, marks])
    kinds = list(wrong_lines)
    for name, bound in trace.steps.items():
        known = found[name]["known"]
        for slip in (slip for kind in kinds for slip in kind(trace, bound)):
            made = slip.made
            is_right = exercise_checker.agrees(made, trace[name])
            if not is_right and not exercise_checker.named(made, known):
                known.append([slip.name, slip.why, made.shape, exercise_checker.marks(made)])
    return found


def _apart(trace: Trace, wrong: Trace, name: str) -> bool:
    """Whether a step of a run is otherwise in another one."""
    if name not in wrong or trace[name].shape != wrong[name].shape:
        return name in wrong
    return bool(trace.differs(wrong, name).any())
