"""What mistakes would make of a run: the texts that a covered cell's answer is compared with."""

from collections.abc import Iterable
from typing import Any

from core.errors import InputError
from core.program.display import shown_texts
from core.program.mistakes import Mistake
from core.program.program import Program
from core.program.trace import Trace
from stage.document import MAX_NUMBERS

Data = dict[str, Any]


def mistaken(trace: Trace, mistakes: Iterable[Mistake]) -> list[Data]:
    """For each mistake that fits the program: its name, why it is wrong, and the texts of the
    arrays that come out otherwise, as in the document."""
    program = trace.program
    assert isinstance(program, Program)
    found = []
    for mistake in mistakes:
        try:
            wrong = mistake.made_of(trace, program)
        except InputError:
            continue
        arrays = {
            name: " ".join(shown_texts(wrong, name))
            for name in trace.steps
            if name in wrong
            and wrong[name].shape == trace[name].shape
            and max(trace[name].shape[-2:]) <= MAX_NUMBERS
            and trace.differs(wrong, name).any()
        }
        if arrays:
            found.append({"name": mistake.name, "why": mistake.why, "arrays": arrays})
    return found
