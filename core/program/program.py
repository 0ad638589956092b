"""Programs: ordered lists of named steps, each one operation applied to earlier names.

Running a program on inputs gives a trace. A program knows no sizes; they are bound when it runs.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from numpy.typing import ArrayLike

from core.program.code.script import notebook, numpy_script
from core.program.running import run_program
from core.program.steps import Listing
from core.program.trace import Trace


@dataclass(frozen=True, eq=False)
class Program(Listing):
    """A listing that can be run, and written out."""

    def run(
        self, inputs: Mapping[str, ArrayLike], pinned: Mapping[str, ArrayLike] | None = None
    ) -> Trace:
        """Compute every step. A pinned array is taken as given, and its step is not computed.

        Raises `InputError` for a name, shape or value that does not fit.
        """
        return run_program(self, inputs, pinned)

    def to_script(self, trace: Trace) -> str:
        """The run as a Python script that needs numpy alone and asserts the same numbers."""
        return numpy_script(trace)

    def to_notebook(self, trace: Trace) -> str:
        """The same as a Jupyter notebook (JSON, nbformat 4), a cell a step."""
        return notebook(trace)
