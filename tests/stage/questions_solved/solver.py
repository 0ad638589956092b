"""Solvers by the names of the questions they solve: each has but what is printed."""

from collections.abc import Callable

from tests.stage.questions_solved.printed import Number, PrintedQuestion

Solver = Callable[[PrintedQuestion], Number | str]
"""Of a printed question: its number, or the option to tick."""


class Solvers(dict[str, Solver]):
    """What some room solves."""

    def of(self, name: str) -> Callable[[Solver], Solver]:
        def noted(solver: Solver) -> Solver:
            assert name not in self, name
            self[name] = solver
            return solver

        return noted


def counted(pattern: str, work: Callable[..., Number]) -> Solver:
    """It is worked out of the whole numbers that the groups of a pattern match."""
    return lambda printed: work(*printed.wholes(pattern))


def worked(pattern: str, work: Callable[..., Number]) -> Solver:
    """The same with any numbers."""
    return lambda printed: work(*printed.find_numbers(pattern))


def ticked(printed: PrintedQuestion, words: str) -> str:
    """The one option that has these words."""
    (option,) = (each for each in printed.options if words in each)
    return option
