"""A program as one plain function: the lines of its steps, without the numbers of a run.

Sizes that a program gives a symbol are read off the arguments, so the function takes any text.
"""

import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

from core.program.numbers.display import shape_text
from core.program.patterns import Shape
from core.program.trace import BoundStep, Trace

Spelling = Callable[[BoundStep, Sequence[Shape]], str]
"""The line of a step, for operands of these shapes."""
WIDTH = 92
"""Characters of a line of the docstring."""


class NamedSize(int):
    """A size that is written as its symbol."""

    symbol: str

    def __new__(cls, size: int, symbol: str) -> "NamedSize":
        made = super().__new__(cls, size)
        made.symbol = symbol
        return made

    def __str__(self) -> str:
        return self.symbol

    def __format__(self, _: str) -> str:
        return self.symbol


def numpy_function(trace: Trace, name: str) -> str:
    """The program as a function of numpy, after the functions that it calls."""
    body, used = function(trace, name, numpy_line)
    return "\n".join(["import numpy as np\n\n", *helpers(trace, used), body])


def numpy_line(bound: BoundStep, shapes: Sequence[Shape]) -> str:
    return bound.operation.code(bound.step.operands, shapes)


def torch_line(bound: BoundStep, shapes: Sequence[Shape]) -> str:
    return bound.operation.torch_code(bound.step.operands, shapes)


def helpers(trace: Trace, names: Sequence[str]) -> list[str]:
    """The functions that the lines of numpy of these steps call, each with its two blank lines."""
    sources = dict.fromkeys(trace.steps[name].operation.helper.strip() for name in names)
    return [f"{source}\n\n" for source in sources if source]


def function(trace: Trace, name: str, spell: Spelling) -> tuple[str, list[str]]:
    """A function `name` of what the run was given, and the steps that it takes.

    Steps that the last one does not need are left out. What was pinned is an argument.
    """
    symbols = _symbols(trace)
    shapes = {array: _shape(trace, array, symbols, code=True) for array in trace}
    sentence = {array: shape_text(_shape(trace, array, symbols)) for array in trace}

    def line(array: str) -> str:
        bound = trace.steps[array]
        return spell(bound, [shapes[operand] for operand in bound.step.operands])

    lines, given = lines_to(trace, line)
    named = {word for text in lines.values() for word in words(text)}
    sizes = {
        symbol: f"{array}.shape[{axis}]"
        for array in reversed(given)
        for axis, size in enumerate(shapes[array])
        if (symbol := str(size)) in named
    }
    last = trace.program.last
    about = "; ".join(f"{array} is {sentence[array]}" for array in given)
    taken = textwrap.wrap(f'"""{about}. Returns {last}, {sentence[last]}."""', WIDTH)
    made = [f"{array} = {text}  # {sentence[array]}" for array, text in lines.items()]
    body = [*taken, *(f"{symbol} = {sizes[symbol]}" for symbol in sizes), *made, f"return {last}"]
    head = f"def {name}({', '.join(given)}):"
    return "\n".join([head, *(f"    {text}" for text in body)]), list(lines)


def lines_to(trace: Trace, line: Callable[[str], str]) -> tuple[dict[str, str], list[str]]:
    """The lines of the steps that the last one needs, by their names, and what these are given."""
    found: dict[str, str] = {}
    needed = {trace.program.last}
    for array in reversed(list(trace.steps)):
        if array in needed:
            found[array] = line(array)
            needed |= words(found[array])
    given = [array for array in trace if array in needed and array not in trace.steps]
    return dict(reversed(found.items())), given


def words(text: str) -> set[str]:
    """The names in a line of code."""
    return set(re.findall(r"[A-Za-z_]\w*", text))


def _symbols(trace: Trace) -> Mapping[str, str]:
    """The symbol of each letter's size; none where one symbol stands for two sizes."""
    axes = {letter: trace.program.axis(letter) for letter in trace.sizes}
    # One of fewer places than another, and so of another size, goes without.
    own = [letter for letter, axis in axes.items() if trace.sizes.get(axis.of) is None]
    several = {
        axes[a].size
        for a, b in combinations(own, 2)
        if axes[a].size == axes[b].size and trace.sizes[a] != trace.sizes[b]
    }
    return {
        letter: axis.size
        for letter, axis in axes.items()
        if axis.size not in several and trace.sizes[letter] == trace.sizes[axis.of or letter]
    }


def _shape(trace: Trace, array: str, symbols: Mapping[str, str], code: bool = False) -> Shape:
    """The shape of an array in symbols; in `code` only those that are names there."""
    sizes = zip(trace.program.letters[array], trace[array].shape, strict=True)
    found = [(size, symbols.get(letter, "")) for letter, size in sizes]
    return tuple(
        NamedSize(size, symbol) if symbol and not (code and words(symbol) != {symbol}) else size
        for size, symbol in found
    )
