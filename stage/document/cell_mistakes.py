"""What mistakes would make of a run: the texts that a covered cell's answer is compared with."""

from collections.abc import Iterable, Iterator
from typing import Any

from core.errors import InputError
from core.program.mistakes import HandSlip, Mistake
from core.program.numbers.display import array_texts, shown_texts
from core.program.program import Program
from core.program.trace import Trace
from stage.document.document import travels_whole

Data = dict[str, Any]


def mistaken(trace: Trace, mistakes: Iterable[Mistake | HandSlip]) -> list[Data]:
    """For each mistake that fits the program: its name, why it is wrong, and the texts of the
    arrays that come out otherwise, as in the document."""
    found = []
    for mistake in mistakes:
        made = (
            _slipped(trace, mistake) if isinstance(mistake, HandSlip) else _broken(trace, mistake)
        )
        if arrays := {name: " ".join(texts) for name, texts in made}:
            found.append({"name": mistake.name, "why": mistake.why, "arrays": arrays})
    return found


def _broken(trace: Trace, mistake: Mistake) -> Iterator[tuple[str, list[str]]]:
    program = trace.program
    assert isinstance(program, Program)
    try:
        wrong = mistake.made_of(trace, program)
    except InputError:
        return
    for name in trace.steps:
        if (
            name in wrong
            and wrong[name].shape == trace[name].shape
            and travels_whole(trace[name])
            and trace.differs(wrong, name).any()
        ):
            yield name, shown_texts(wrong, name)


def _slipped(trace: Trace, slip: HandSlip) -> Iterator[tuple[str, list[str]]]:
    for name, values in slip.made_of(trace).items():
        texts = array_texts(values, None, trace.noise[name])
        if travels_whole(values) and texts != shown_texts(trace, name):
            yield name, texts
