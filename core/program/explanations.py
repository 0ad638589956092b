"""The whole arithmetic of one cell: in words, as formulas, in LaTeX and as lines that evaluate.

The operands of a line take as many decimals as its result needs, from two up: the first number of
decimals with which every line, worked out as printed, ends in exactly what the cell shows.
"""

from collections import OrderedDict
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from core.program import formulas as f
from core.program.axes import HEAD
from core.program.formulas import Formula
from core.program.labels import cell_labels, cell_name, listed_names, sentence_parts
from core.program.numbers.arithmetic import (
    ArithmeticLine,
    Call,
    Expression,
    PrintedNumber,
    Product,
    Sum,
    arithmetic_line,
)
from core.program.numbers.display import shown
from core.program.numbers.rounding import CELL_DECIMALS, cell_text, power_text, rounded, typeset
from core.program.operation import Operand
from core.program.patterns import Cell
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("program")

MOST_DECIMALS = 17
LETTERS_ON_A_ROW = 34
"""What stands beside each other on the stage's card and on a phone."""
PLUS, COMMA, BRACKETS, POWER_OF_TEN = 3, 2, 2, 3
"""The letters that these signs take, with the room around them."""

MOST_KEPT = 16
"""Cells of a run whose lines are kept."""
_Lines = OrderedDict[tuple[str, Cell], tuple[ArithmeticLine, ...]]
_LINES: WeakKeyDictionary[Trace, _Lines] = WeakKeyDictionary()
"""Of each run for as long as somebody has it: a run of a real model is large."""


@dataclass(frozen=True)
class Explanation:
    """One cell explained. `plain` lines evaluate as printed; the last one ends in the cell.

    `rows` are the same lines as formulas, long ones broken.
    """

    title: str
    said: list[str]
    """What it means: what is said and a token by turns, for tokens to be set off."""
    feeds: str
    rows: list[Formula]
    plain: list[str]

    def __repr__(self) -> str:
        """Two lines: which cell it is, and the line that ends in its number."""
        return f"{self.title}\n{self.plain[-1]}"

    @property
    def latex(self) -> list[str]:
        """The rows in LaTeX, for an aligned block. The stage writes its own."""
        return [f"&{f.latex(row)}" for row in self.rows]

    @property
    def words(self) -> str:
        """What it means, as plain text."""
        return "".join(self.said)


def explain(trace: Trace, array: str, cell: Cell) -> Explanation:
    """The arithmetic of `trace[array][cell]`. Raises `InputError` for a cell that is not there."""
    cell = trace.checked(array, cell)
    lines = arithmetic(trace, array, cell)
    rows = [row for made in lines[:-1] for row in line_rows(made)]
    rows += line_rows(lines[-1], _symbol(trace, array, cell))
    title, plain = cell_name(trace, array, cell), [made.plain() for made in lines]
    return Explanation(title, *described(trace, array, cell), rows, plain)


def described(trace: Trace, array: str, cell: Cell) -> tuple[list[str], str]:
    """What a cell means, as `Explanation.said`, and what it feeds."""
    meaning = trace.program.meaning[array](trace, cell)
    meaning += _power_of_ten(trace, array, cell) + _not_a_number(trace, array, cell)
    return sentence_parts(meaning), _feeds(trace, array, cell)


def closed(trace: Trace, array: str, cell: Cell, words: str) -> Explanation:
    """A cell whose arithmetic is not told: its name, its number and these words instead."""
    cell = trace.checked(array, cell)
    number = PrintedNumber(shown(trace, array, cell))
    row = f.row(_symbol(trace, array, cell), f.word_formula("="), number.tree())
    title, plain = cell_name(trace, array, cell), ArithmeticLine(number, number).plain()
    return Explanation(title, [words], _feeds(trace, array, cell), [row], [plain])


def arithmetic(trace: Trace, array: str, cell: Cell) -> tuple[ArithmeticLine, ...]:
    """The lines that lead to a cell. Kept, because a table of workings asks for them too."""
    kept = _LINES.setdefault(trace, OrderedDict())
    if (found := kept.get((array, cell))) is None:
        found = kept[array, cell] = _arithmetic(trace, array, cell)
        while len(kept) > MOST_KEPT:
            kept.popitem(last=False)
    return found


def _arithmetic(trace: Trace, array: str, cell: Cell) -> tuple[ArithmeticLine, ...]:
    target = shown(trace, array, cell)
    noise = trace.noise[array]
    bound = trace.steps.get(array)
    if bound is None or bound.pattern.reads_nothing:
        return (ArithmeticLine(PrintedNumber(target), PrintedNumber(target)),)
    operands = _operands(trace, array, cell)
    for decimals in range(trace.on_paper or CELL_DECIMALS, MOST_DECIMALS + 1):
        printed = [Operand(values, decimals, small, as_is) for values, small, as_is in operands]
        before, left = bound.operation.lines(printed, decimals, noise)
        if target in ("0", _ending(trace, left, noise)):  # "0": removed by the mask
            break
    return (*before, ArithmeticLine(left, PrintedNumber(target)))


def _ending(trace: Trace, left: Expression, noise: float) -> str:
    """What an expression comes to, as a cell shows it; on paper a small number is 0.00."""
    text = arithmetic_line(left, CELL_DECIMALS, noise, trim=False).right.text
    return cell_text(rounded(float(text), CELL_DECIMALS)) if trace.on_paper else text


def _operands(trace: Trace, array: str, cell: Cell) -> list[tuple[list[float], float, bool]]:
    """For each part of the step's pattern its live values, once each, its noise, and whether they
    are printed as fractions."""
    bound = trace.steps[array]
    terms = trace.live_terms(array, cell)
    found: list[tuple[list[float], float, bool]] = []
    for part, read in enumerate(bound.reads):
        axes = bound.pattern.operands[part]
        if any(axis.unread for axis in axes):
            found.append(([float(trace[read].shape[-1])], 0.0, False))
            continue
        cells = [term[part] for term in terms]
        once = dict.fromkeys(at for at in cells if at is not None)
        numbers = [float(trace[read][at]) for at in once]
        found.append((numbers, trace.noise[read], read in trace.fractions))
    return found


def _power_of_ten(trace: Trace, array: str, cell: Cell) -> str:
    """Return a sentence that says what 2e-9 means; "" for a number that is written out."""
    number = shown(trace, array, cell)
    if "e" not in number:
        return ""
    power, is_small = power_text(number), "e-" in number
    return f" {TEXTS('power_of_ten', number=typeset(number), power=power, is_small=is_small)}"


def _not_a_number(trace: Trace, array: str, cell: Cell) -> str:
    """Return a sentence on which NaN a NaN comes from; "" for every other number."""
    if not np.isnan(trace[array][cell]):
        return ""
    sources = [(name, at) for name, cells in trace.sources(array, cell).items() for at in cells]
    origin = next((source for source in sources if np.isnan(trace[source[0]][source[1]])), None)
    if origin is None:
        return ""
    return f" {TEXTS('nan_source', cell=cell_name(trace, *origin))}"


def _feeds(trace: Trace, array: str, cell: Cell) -> str:
    uses = trace.uses(array, cell)
    if not uses:
        if array == trace.program.last and array in trace.program.step:
            return TEXTS("final")
        return TEXTS("feeds_nothing")
    several = {user: len(cells) for user, cells in uses.items() if len(cells) > 1}
    if len(several) == len(uses) > 1 and len({*several.values()}) == 1:
        count = next(iter(several.values()))
        return TEXTS(
            "feeds_each", count=count, arrays=listed_names([f.symbol_text(user) for user in uses])
        )
    parts = [
        TEXTS("cells_of", count=several[user], array=f.symbol_text(user))
        if user in several
        else cell_name(trace, user, cells[0])
        for user, cells in uses.items()
    ]
    return TEXTS("feeds", cells=listed_names(parts))


def _symbol(trace: Trace, array: str, cell: Cell) -> Formula:
    """The cell as a formula: scores[sat, cat]; of which head is said in the title."""
    inside = [
        f.text(label)
        for name, label in zip(
            trace.program.letters[array], cell_labels(trace, array, cell), strict=True
        )
        if trace.program.axis(name).kind != HEAD
    ]
    return f.row(
        f.name(array), f.word_formula("["), *f.comma_list_formula(*inside), f.word_formula("]")
    )


def line_rows(made: ArithmeticLine, head: Formula | None = None) -> list[Formula]:
    """One line as rows, long sums broken; a `head` has the first row to itself."""
    *pieces, right = line_pieces(made)
    if head is None and len(pieces) == 1:
        return [f.row(*pieces, *right[1:])]
    rows = pieces if head is None else [head, f.row(f.word_formula("="), pieces[0]), *pieces[1:]]
    if made.exact and isinstance(made.left, PrintedNumber):
        return [*rows[:-1], right]
    return rows if made.left == made.right else [*rows, right]


def line_pieces(made: ArithmeticLine) -> list[Formula]:
    """What rows are made of: the left side, broken if it is long, and the sign with the right."""
    return [*broken(made.left), f.row(f.word_formula(made.sign), made.right.tree())]


def broken(left: Expression) -> list[Formula]:
    """What is left of the sign of equality, in rows of as many terms as there is room for."""
    if not isinstance(left, Sum | Call):
        return [left.tree()]
    if isinstance(left, Sum):
        chunks = _rows_of(left.terms, 0, PLUS)
    else:
        chunks = _rows_of(left.arguments, len(left.function) + 1, COMMA)
    if len(chunks) < 2:
        return [left.tree()]
    if isinstance(left, Sum):
        first, *others = (Sum(chunk).tree() for chunk in chunks)
        rows = [first, *(f.row(*f.added(more)) for more in others)]
    else:
        ends = [*"," * (len(chunks) - 1), ")"]
        inside = (f.comma_list_formula(*(part.tree() for part in chunk)) for chunk in chunks)
        rows = [f.row(*nodes, f.word_formula(end)) for nodes, end in zip(inside, ends, strict=True)]
        rows[0] = f.row(f.word(left.function), f.word_formula("("), *rows[0][1:])
    return [rows[0], *map(f.indented, rows[1:])]


def _rows_of(
    parts: tuple[Expression, ...], used: int, between: int
) -> list[tuple[Expression, ...]]:
    """The parts row by row, of which the first has `used` letters already."""
    rows: list[list[Expression]] = [[]]
    for part in parts:
        letters = _letters(part)
        if rows[-1] and used + between + letters > LETTERS_ON_A_ROW:
            rows.append([])
            used = 0
        used += letters + between * bool(rows[-1])
        rows[-1].append(part)
    return [*map(tuple, rows)]


def _letters(part: Expression) -> int:
    """How many letters a term takes, about."""
    if isinstance(part, PrintedNumber):
        return len(part.text) + POWER_OF_TEN * ("e" in part.text)
    if isinstance(part, Product):
        return sum(_letters(factor) + BRACKETS for factor in part.factors)
    return len(part.plain())
