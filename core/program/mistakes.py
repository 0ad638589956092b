"""Mistakes: changes to any program that they fit, and the runs that they make."""

from collections.abc import Callable
from dataclasses import dataclass

from core.errors import InputError
from core.program.inputs import Inputs
from core.program.program import Program
from core.program.trace import Trace


@dataclass(frozen=True)
class Mistake:
    """A mistake: its name, why it is wrong, the line that mends it in PyTorch, and its change.

    `change` takes a program and returns the broken one. Raises `InputError` where it does not
    apply.
    """

    name: str
    why: str
    mended_torch: str
    change: Callable[[Program], Program]

    def unfit(self, program: Program) -> str:
        """Why the mistake cannot be made in a program; "" where it can."""
        try:
            self.change(program)
        except InputError as error:
            return str(error)
        return ""

    def made_of(self, trace: Trace, program: Program) -> Trace:
        """The run that the mistake makes of a program's inputs, `trace` being the right one.

        Raises `InputError` where it does not apply.
        """
        wrong = self.change(program)
        for name in (i.name for i in wrong.inputs if i.name not in trace):
            raise InputError(f"{name} is missing", "the broken program needs it", "choose another")
        given = {i.name: trace[i.name] for i in wrong.inputs}
        noise = {name: trace.noise[name] for name in given}
        inputs = Inputs(given, trace.tokens, trace.more_tokens, noise)
        return wrong.run(inputs, {name: trace[name] for name in trace.pinned})


def changed_step(right: Program, wrong: Program) -> str:
    """The step that a mistake makes otherwise: with another operation, or else other operands."""
    changed = [s for s in wrong.steps if s != right.step[s.name]]
    anew = (s for s in changed if s.operation is not right.step[s.name].operation)
    return next(anew, changed[0]).name
