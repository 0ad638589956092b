"""A run as a sheet to print: some of its numbers left out, and a key.

Every empty cell follows from what is printed: the matrices that it is made of are on the sheet, and
the key is worked out from the printed numbers, by the rounding rule that the sheet states.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.errors import input_error
from core.hash_random import Draw
from core.program import formulas as f
from core.program.explanations import arithmetic
from core.program.formulas import Formula
from core.program.labels import axis_labels, cell_name, listed_names
from core.program.numbers.display import shape_text
from core.program.numbers.rounding import SCIENTIFIC_FROM, full_text, handwritten, typeset
from core.program.paper import GIVEN_DECIMALS, copied_from, worked_on_paper
from core.program.patterns import Cell
from core.program.trace import Trace
from core.texts import core_texts
from stage.paper import paper
from stage.paper.paper import BLANK, MARKED, REMOVED, PrintedMatrix

TEXTS = core_texts("stage_pages")
ALL, HALF, ROW = TEXTS("all"), TEXTS("half"), TEXTS("row")
WIDEST = 16
"""No matrix of a sheet has more rows or columns: they would not fit the paper."""
Place = tuple[str, Cell]
"""A matrix of an array: of one with more than two axes that at these first indices."""
Blanks = frozenset[tuple[int, int]]


@dataclass(frozen=True)
class _Chosen:
    """Which cells are left out."""

    amount: str
    version: int


def worksheet(
    trace: Trace,
    arrays: Sequence[str],
    *,
    slices: Cell | None = (),
    amount: str = ALL,
    version: int = 0,
    sums: bool = False,
    title: str = TEXTS("by_hand"),
) -> str:
    """Return a page to print: the steps that make `arrays`, with empty cells, and on a page of its
    own the key.

    `slices` are the first indices of what is worked out of an array with more than two axes; None:
    all of them. `amount` is `ALL`, `HALF` or `ROW`; which cells these are is drawn from `version`.
    `sums` adds the arithmetic of each cell to the key. A mask is never asked for: it is given.
    Raises `InputError` for what does not fit the paper.
    """
    wanted = [n for n in arrays if n in trace.steps and trace[n].dtype != bool]
    _check_sizes(trace, wanted)
    run = worked_on_paper(trace, wanted)
    asked = _asked(run, wanted, slices, _Chosen(amount, version))
    count = sum(map(len, asked.values()))
    if not count:
        raise input_error(TEXTS, "nothing")
    given = _given(run, asked)
    for place in (*given, *asked):
        _check_numbers(run, place)
    sheet = [paper.paragraph(TEXTS("work_out", count=count))]
    sheet += [paper.comma_list(_told(trace, run, asked, given))]
    tokens = " ".join(trace.tokens)
    sheet += [paper.paragraph(TEXTS("tokens", tokens=tokens, version=version))]
    sheet += [paper.matrices(TEXTS("given_matrices"), [_printed(run, place) for place in given])]
    empty = [_printed(run, place, blanks, BLANK) for place, blanks in asked.items()]
    sheet += [paper.matrices(TEXTS("to_work_out"), empty, asked=True)]
    full = [_printed(run, place, blanks, MARKED) for place, blanks in asked.items()]
    key = [paper.matrices(TEXTS("worked_out"), full)]
    if sums:
        key += [paper.heading(TEXTS("cell_by_cell")), paper.workings(_workings(run, asked))]
    return paper.page(title, "\n".join(sheet), "\n".join(key))


def _check_sizes(trace: Trace, wanted: Sequence[str]) -> None:
    for name in dict.fromkeys(n for step in wanted for n in (*_read(trace, step), step)):
        shape = trace[name].shape[-2:]
        if max(shape) > WIDEST:
            size = shape_text(shape)
            raise input_error(TEXTS, "large_matrix", name=name, size=size, most=WIDEST)


def _check_numbers(run: Trace, place: Place) -> None:
    name, prefix = place
    numbers = np.abs(run[name][prefix].astype(float))
    largest = numbers.max(where=np.isfinite(numbers), initial=0.0)
    if largest >= SCIENTIFIC_FROM:
        text, most = f"{largest:,.0f}", f"{SCIENTIFIC_FROM:,.0f}"
        raise input_error(TEXTS, "large_number", name=name, largest=text, most=most)


def _read(trace: Trace, step: str) -> list[str]:
    """The arrays of which a step reads numbers; of others it reads only a size."""
    bound = trace.steps[step]
    parts = zip(bound.reads, bound.pattern.operands, strict=True)
    return [read for read, axes in parts if not any(axis.unread for axis in axes)]


def _asked(
    run: Trace, wanted: Sequence[str], slices: Cell | None, chosen: _Chosen
) -> Mapping[Place, Blanks]:
    """The matrices that are worked out, in the order of the program, with their empty cells."""
    found: dict[Place, Blanks] = {}
    for name in (name for name in run if name in wanted):
        everywhere = list(np.ndindex(run[name].shape[:-2]))
        for prefix in everywhere if slices is None else [_prefix(run, name, slices)]:
            place = name, prefix
            moved = _moved(run, place)
            if any(source in found for source, _ in moved.values()):
                found[place] = frozenset(
                    cell for cell, (source, at) in moved.items() if at in found.get(source, ())
                )
            else:
                found[place] = _drawn(run, place, chosen)
    return {place: blanks for place, blanks in found.items() if blanks}


def _prefix(run: Trace, name: str, slices: Cell) -> Cell:
    """Where a matrix lies in its array; fewer key/value heads serve several heads each."""
    letters, shape = run.program.letters[name][:-2], run[name].shape
    found = []
    for letter, size, at in zip(letters, shape, (*slices, *(0 for _ in letters)), strict=False):
        whole = run.program.axis(letter).of
        found.append(at * size // run.sizes[whole] if whole else at)
    return tuple(found)


def _live(run: Trace, place: Place) -> list[tuple[int, int]]:
    """The cells of a matrix. What the mask took out is nothing to be worked out."""
    name, prefix = place
    rows, columns = run[name].shape[-2:]
    cells = ((i, j) for i in range(rows) for j in range(columns))
    return [cell for cell in cells if not run.is_removed(name, (*prefix, *cell))]


def _drawn(run: Trace, place: Place, chosen: _Chosen) -> Blanks:
    """The empty cells of a matrix. One row is the same row in every matrix with as many."""
    live = _live(run, place)
    if chosen.amount == ROW and live:
        rows = sorted({i for i, _ in live})
        row = Draw(f"worksheet:{chosen.version}:{len(rows)}").one_of(rows)
        return frozenset(cell for cell in live if cell[0] == row)
    if chosen.amount == HALF:
        draw = Draw(f"worksheet:{chosen.version}:{place}")
        return frozenset(draw.some_of(live, (len(live) + 1) // 2))
    return frozenset(live)


def _moved(run: Trace, place: Place) -> dict[tuple[int, int], tuple[Place, tuple[int, int]]]:
    """Of a step that only moves numbers: from where each cell comes; nothing of another step.

    A cell next to an empty one that it was copied from would give that away.
    """
    name, prefix = place
    found = {}
    for cell in _live(run, place):
        if (copied := copied_from(run, name, (*prefix, *cell))) is None:
            return {}
        source, at = copied
        found[cell] = (source, at[:-2]), (at[-2], at[-1])
    return found


def _given(run: Trace, asked: Mapping[Place, Blanks]) -> list[Place]:
    """The matrices that the empty cells are made of and that are not worked out themselves.

    Of every term, a removed one too: that a query sees no key is read from its row of weights.
    """
    needed = {
        (read, at[:-2])
        for (name, prefix), blanks in asked.items()
        for cell in blanks
        for term in run.steps[name].pattern.terms((*prefix, *cell))
        for read, at in zip(run.steps[name].reads, term, strict=True)
        if at is not None
    }
    order = {name: number for number, name in enumerate(run)}
    return sorted(needed - set(asked), key=lambda place: (order[place[0]], place[1]))


def _told(
    trace: Trace, run: Trace, asked: Mapping[Place, Blanks], given: Sequence[Place]
) -> list[str]:
    """Return what a person has to know besides the matrices, a sentence or two each."""
    steps = dict.fromkeys(name for name, _ in asked)
    text = dict.fromkeys(run.steps[name].operation.by_hand for name in steps)
    sizes = {
        f"{axis.size} = {run.sizes[letter]}.": None
        for name in steps
        for letter, axis in run.program.axes.items()
        if axis.size in _names(_formula(run, name))
    }
    exact = [name for name, _ in given if name not in run.steps and trace[name].dtype != bool]
    if any(~np.isclose(run[name], trace[name], rtol=0, atol=1e-9).all() for name in exact):
        sizes[TEXTS("rounded", decimals=GIVEN_DECIMALS)] = None
    return [*filter(None, text), *sizes, *_of_heads(run, asked)]


def _of_heads(run: Trace, asked: Mapping[Place, Blanks]) -> list[str]:
    """Return which of several heads the sheet is about, and that heads are not mixed."""
    letter, *_ = (*run.program.sliced, "")
    if not letter or run.sizes[letter] == 1:
        return []
    word = run.program.axis(letter).word
    shown = {prefix[0] for name, prefix in asked if run.program.letters[name][:1] == (letter,)}
    if len(shown) > 1:
        return [TEXTS("same_head", word=word)]
    heads = run.sizes[letter]
    return [TEXTS("this_head", heads=heads, word=word, number=at + 1) for at in shown]


def _formula(run: Trace, name: str) -> Formula:
    step = run.steps[name].step
    return step.operation.formula(*(f.name(operand) for operand in step.operands))


def _names(formula: Formula) -> set[str]:
    """The names in a formula, such as d_k."""
    if formula[0] == "name":
        return {formula[3]}
    return {n for node in formula[1:] if isinstance(node, list) for n in _names(node)}


def _where(run: Trace, place: Place) -> str:
    """Which matrix of an array it is: head 2, or key/value head 1, for heads 1 and 2."""
    name, prefix = place
    found: list[str] = []
    for letter, at in zip(run.program.letters[name], prefix, strict=False):
        axis, size = run.program.axis(letter), run.sizes[letter]
        whole = run.sizes[axis.of] if axis.of else size
        if whole > size:
            word, each = run.program.axis(axis.of).word, whole // size
            served = listed_names([str(n + 1) for n in range(at * each, (at + 1) * each)])
            found.append(TEXTS(
                "serves", name=axis.name, number=at + 1, word=word, several=each > 1, heads=served
            ))  # fmt: skip
        elif size > 1:
            found.append(f"{axis.word} {at + 1}")
    return "; ".join(found)


def _printed(
    run: Trace, place: Place, chosen: Blanks = frozenset(), looks: str = BLANK
) -> PrintedMatrix:
    """A matrix with its formula, if it is worked out; the `chosen` cells are empty, or marked."""
    name, _ = place
    *outer, columns = axis_labels(run, name)
    rows = outer[-1] if outer else [""]
    title = f.plain_formula(f.name(name))
    if chosen:
        title = f"{title} = {handwritten(f.plain_formula(_formula(run, name)))}"
    size = shape_text(run[name].shape[-2:])
    cells = [[_cell(run, place, (i, j)) for j in range(len(columns))] for i in range(len(rows))]
    for i, j in chosen:
        cells[i][j] = ("" if looks == BLANK else cells[i][j][0], looks)
    small = ", ".join(filter(None, (_where(run, place), size)))
    return PrintedMatrix(title, small, rows, columns, cells)


def _cell(run: Trace, place: Place, at: tuple[int, int]) -> tuple[str, str]:
    """A cell's text and looks."""
    name, prefix = place
    cell = (*prefix, *at)[-run[name].ndim :]  # a list is shown as one row
    value = run[name][cell].item()
    removed = run.is_removed(name, cell)
    is_whole = isinstance(value, bool) or (removed and value == 0)
    text = str(int(value)) if is_whole else typeset(full_text(value))
    return text, REMOVED if removed else ""


def _workings(run: Trace, asked: Mapping[Place, Blanks]) -> list[tuple[str, list[str]]]:
    """The arithmetic of each cell that is worked out."""
    told = []
    for (name, prefix), blanks in asked.items():
        for at in sorted(blanks):
            cell = (*prefix, *at)
            lines = [handwritten(made.plain()) for made in arithmetic(run, name, cell)]
            told.append((cell_name(run, name, cell), lines))
    return told
