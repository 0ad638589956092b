"""Attention tile by tile: blocks of queries meet blocks of keys, in any order.

For each query three numbers or rows are kept while its keys pass by: m, the largest score so far;
l, the sum of e to the scores minus m; o, the values times these, added up. A larger score makes a
new m, and what was summed before is multiplied by e to the old m minus the new one. At the end
o / l is what softmax over all keys at once reads (online softmax: Milakov and Gimelshein 2018;
tiles: Dao et al. 2022).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np

from core.attention.axes import AXES
from core.attention.masks import Rule
from core.attention.phases import EMBED, PROJECT, SCALE, SCORE, SOFTMAX, WEIGH
from core.attention.phases import phases as all_phases
from core.attention.program import program_of
from core.operations.masking import mask_fill
from core.operations.merging import divide_rows, exp_below, rescale, row_max, total
from core.operations.products import matmul, matmul_transposed
from core.operations.scaling import divide_by_root
from core.operations.shapes import append_rows, block, rows
from core.operations.sums import add, subtract
from core.program.axes import POSITION, Axis
from core.program.labels import listed, told_label
from core.program.patterns import Cell
from core.program.program import Program
from core.program.steps import Meaning, Phase, Step
from core.program.trace import Trace

KEY_LETTERS = "ABCDEFGH"
QUERY_LETTERS = "IJMNOPQR"
LIKE = "(products|mask|S|m|c|P|kept_l|l|kept_o|new|o|Q|K|V|read)_[1-8]{1,2}"
"""How the arrays of blocks and tiles are called, as a regular expression."""
Tile = tuple[int, int]
"""A block of queries and a block of keys, counted from 0."""


@dataclass(frozen=True)
class Schedule:
    """Which tiles are computed when: blocks of so many queries and of so many keys, and ticks.

    The tiles of one tick are computed side by side. `ticks` name each tile once.
    """

    queries: tuple[int, ...]
    keys: tuple[int, ...]
    ticks: tuple[tuple[Tile, ...], ...]
    word: str = "Tile"
    """What a tick is called where it has one tile, or else "Tick"."""

    @cached_property
    def single(self) -> bool:
        """Whether all queries are one block."""
        return len(self.queries) == 1

    def name(self, tile: Tile) -> str:
        """What a tile's arrays are called by: "12", or "2" where all queries are one block."""
        a, b = tile
        return f"{b + 1}" if self.single else f"{a + 1}{b + 1}"

    def before(self, tile: Tile) -> Tile | None:
        """The tile of the same queries that was computed last before this one."""
        done = [t for tick in self.ticks for t in tick if t[0] == tile[0]]
        at = done.index(tile)
        return done[at - 1] if at else None

    def last(self, a: int) -> Tile:
        """The last tile of a block of queries."""
        return [t for tick in self.ticks for t in tick if t[0] == a][-1]


def needed(schedule: Schedule, rule: str) -> Schedule:
    """The schedule without the tiles of which a causal mask hides every cell."""
    if rule != "causal":
        return schedule

    def seen(tile: Tile) -> bool:
        a, b = tile
        return sum(schedule.keys[:b]) < sum(schedule.queries[: a + 1])

    ticks = tuple(tuple(filter(seen, tick)) for tick in schedule.ticks)
    return replace(schedule, ticks=tuple(tick for tick in ticks if tick))


@lru_cache(maxsize=64)
def tiles_program(schedule: Schedule, heads: int = 1) -> Program:
    """Attention by a schedule, and beside it all at once; the mask is an input.

    Their difference is 0, up to float noise, for every schedule.
    """
    base = program_of(heads, heads, Rule("custom"), True)
    made = _Tiles(schedule)
    whole = ("scores", "scaled", "masked", "weights", "context")
    shared = Step("Q_scaled", divide_by_root(), ("Q", "K"), _scaled_query, "query")
    masking = all_phases(Rule("custom"))[4]
    return Program(
        tuple(given for given in base.inputs if given.name != "W_O"),
        (
            *(base.step[n] for n in "QKV"), shared, *made.slices, *made.steps, *made.ends,
            *(base.step[n] for n in whole),
            Step("difference", subtract("h i v, h i v -> h i v"), ("merged", "context"),
                 _difference),
        ),
        (
            EMBED, PROJECT, made.cutting, *made.phases, *made.ending,
            Phase(
                "All at once", ("context",), "The plain form, with all its scores.",
                phases=(SCORE, SCALE, masking, SOFTMAX, WEIGH),
                words="The same from all scores at once: a matrix with a row for each query and a "
                "column for each key. Open it to see its steps.",
            ),
            Phase(
                "Beside all at once", ("difference",), "Tile by tile, minus all at once.",
                words="What came out tile by tile, minus what all scores at once give. It is 0, "
                "up to float noise.",
            ),
        ),
        base.sizes,
        {**AXES, **made.axes},
        makes="the difference",
    )  # fmt: skip


def largest_gap(trace: Trace) -> float:
    """How far a run's result is, at most, from all at once."""
    return float(np.abs(trace["difference"]).max())


class _Tiles:
    """The steps and phases of a schedule."""

    def __init__(self, schedule: Schedule) -> None:
        self.schedule = schedule
        self.steps: list[Step] = []
        self.phases: list[Phase] = []
        self.axes = self._axes()
        for number, tick in enumerate(schedule.ticks, 1):
            inner = [phase for tile in tick for phase in self._tile(tile)]
            self.phases.append(self._phase(number, tick, tuple(inner)))

    def _axes(self) -> dict[str, Axis]:
        found = {"o": Axis("one number a row", word="number", size="1")}
        for b, width in enumerate(self.schedule.keys):
            offset = sum(self.schedule.keys[:b])
            found[KEY_LETTERS[b]] = Axis(
                f"key of block {b + 1}", POSITION, "key", str(width), offset=offset
            )
        if not self.schedule.single:
            for a, height in enumerate(self.schedule.queries):
                offset = sum(self.schedule.queries[:a])
                found[QUERY_LETTERS[a]] = Axis(
                    f"query of block {a + 1}", POSITION, "query", str(height), offset=offset
                )
        return found

    def _query(self, a: int) -> str:
        """The letter of a block's queries."""
        return "i" if self.schedule.single else QUERY_LETTERS[a]

    @property
    def slices(self) -> list[Step]:
        """Blocks of queries, keys and values."""
        queries, keys = self.schedule.queries, self.schedule.keys
        found = []
        if not self.schedule.single:
            for a, height in enumerate(queries):
                at = QUERY_LETTERS[a]
                cut = rows(f"h {at}+{sum(queries[:a])} k -> h {at} k", height)
                said = _own_row("Q_scaled", at)
                found.append(Step(f"Q_{a + 1}", cut, ("Q_scaled",), said, "query"))
        for name, letter, role in (("K", "k", "key"), ("V", "v", "value")):
            for b, width in enumerate(keys):
                at = KEY_LETTERS[b]
                cut = rows(f"g {at}+{sum(keys[:b])} {letter} -> g {at} {letter}", width)
                found.append(Step(f"{name}_{b + 1}", cut, (name,), _own_row(name, at), role))
        return found

    @property
    def cutting(self) -> Phase:
        names = tuple(step.name for step in self.slices)
        return Phase(
            "Cut into blocks", ("Q_scaled", *names), "Rows that are read together.", defines=True,
            words="Queries are divided by √d_k once, and the rows of keys and values are cut into "
            "blocks. A tile is one block of queries and one of keys: only it has to be in fast "
            "memory at a time.",
        )  # fmt: skip

    @property
    def ends(self) -> list[Step]:
        """What each block of queries has read, and all of them."""
        if self.schedule.single:
            return [self._end("merged", 0)]
        parts = [f"read_{a + 1}" for a in range(len(self.schedule.queries))]
        later = range(1, len(parts))
        shifts = ["+0", *(f"-{sum(self.schedule.queries[:a])}" for a in later)]
        stacked = ", ".join(f"h i{shift} v" for shift in shifts)
        return [
            *(self._end(name, a) for a, name in enumerate(parts)),
            Step("merged", append_rows(f"{stacked} -> h i v"), tuple(parts), _read),
        ]

    def _end(self, name: str, a: int) -> Step:
        letter, tile = self._query(a), self.schedule.name(self.schedule.last(a))
        divided = divide_rows(f"h {letter} v, h {letter} 0 -> h {letter} v")
        return Step(name, divided, (f"o_{tile}", f"l_{tile}"), _read)

    @property
    def ending(self) -> tuple[Phase, ...]:
        names = tuple(step.name for step in self.ends)
        divided = Phase(
            "Divide by the sums", names[:-1] or names, "Once, at the end.", defines=True,
            words="Only now is anything divided: the values summed with e to their scores, by the "
            "sum of these. A query that may read no key has 0 in both, and reads nothing.",
        )  # fmt: skip
        if self.schedule.single:
            return (divided,)
        return (
            divided,
            Phase(
                "All rows again", names[-1:], "The blocks of queries below each other.",
                defines=True,
                words="The rows of each block of queries, in the order of the text.",
            ),
        )  # fmt: skip

    def _tile(self, tile: Tile) -> list[Phase]:
        """Make the steps of a tile; its phases."""
        a, b = tile
        t, letter, key = self.schedule.name(tile), self._query(a), KEY_LETTERS[b]
        before = self.schedule.before(tile)
        last = self.schedule.name(before) if before else ""
        query = "Q_scaled" if self.schedule.single else f"Q_{a + 1}"
        top, left = sum(self.schedule.queries[:a]), sum(self.schedule.keys[:b])
        height, width = self.schedule.queries[a], self.schedule.keys[b]
        both = f"h {letter} z+0, h {letter} z-1 -> h {letter} o"
        own = f"h {letter} {key} -> h {letter} o"
        below = f"h {letter} {key}, h {letter} 0 -> h {letter} {key}"
        said = _Said(t, letter, key, last)
        add_step = self.steps.append
        scored = matmul_transposed(f"h {letter} k, h {key} k -> h {letter} {key}")
        add_step(Step(f"products_{t}", scored, (query, f"K_{b + 1}"), said.product))
        cut = block(f"{letter}+{top} {key}+{left} -> {letter} {key}", height, width)
        add_step(Step(f"mask_{t}", cut, ("mask",), said.mask))
        add_step(Step(f"S_{t}", mask_fill(), (f"products_{t}", f"mask_{t}"), said.score))
        if not before:
            add_step(Step(f"m_{t}", row_max(own), (f"S_{t}",), said.largest))
            add_step(Step(f"P_{t}", exp_below(below), (f"S_{t}", f"m_{t}"), said.power))
            add_step(Step(f"l_{t}", total(own), (f"P_{t}",), said.sum))
            weighed = matmul(f"h {letter} {key}, h {key} v -> h {letter} v")
            add_step(Step(f"o_{t}", weighed, (f"P_{t}", f"V_{b + 1}"), said.mixture))
        else:
            add_step(Step(f"m_{t}", row_max(both), (f"m_{last}", f"S_{t}"), said.largest))
            change = exp_below(f"h {letter} o, h {letter} 0 -> h {letter} o")
            add_step(Step(f"c_{t}", change, (f"m_{last}", f"m_{t}"), said.factor))
            add_step(Step(f"P_{t}", exp_below(below), (f"S_{t}", f"m_{t}"), said.power))
            shrink = rescale(f"h {letter} 0, h {letter} o -> h {letter} o")
            add_step(Step(f"kept_l_{t}", shrink, (f"c_{t}", f"l_{last}"), said.kept_sum))
            add_step(Step(f"l_{t}", total(both), (f"kept_l_{t}", f"P_{t}"), said.sum))
            shrink = rescale(f"h {letter} 0, h {letter} v -> h {letter} v")
            add_step(Step(f"kept_o_{t}", shrink, (f"c_{t}", f"o_{last}"), said.kept_mixture))
            weighed = matmul(f"h {letter} {key}, h {key} v -> h {letter} v")
            add_step(Step(f"new_{t}", weighed, (f"P_{t}", f"V_{b + 1}"), said.new_mixture))
            joined = add(f"h {letter} v, h {letter} v -> h {letter} v")
            add_step(Step(f"o_{t}", joined, (f"kept_o_{t}", f"new_{t}"), said.mixture))
        return self._inner(t, before is not None)

    def _inner(self, t: str, later: bool) -> list[Phase]:
        """The stops inside a tile; the first tile of a block of queries has nothing to rescale."""
        of = "" if self.schedule.single and len(self.schedule.keys) == 1 else f" of tile {t}"
        rescaled = "Where it grew, what was summed before is too large: c puts that right."
        return [
            Phase(f"Score{of}", (f"products_{t}",), "Queries meet the keys of this block.",
                  words="Dot products of the block's queries, which are scaled already, and its "
                  "keys."),
            Phase(f"Mask{of}", (f"mask_{t}", f"S_{t}"), "This block's part of the mask.",
                  defines=True,
                  words="The same rows and columns of the mask. A hidden score becomes −∞."),
            Phase(f"Largest so far{of}", (f"m_{t}", f"c_{t}") if later else (f"m_{t}",),
                  "Of every query.", defines=True,
                  words="The largest score that each query has met so far. "
                  + (rescaled if later else "It makes sure that no exponential overflows.")),
            Phase(f"Exponentials{of}", (f"P_{t}",), "e to score minus largest.", defines=True,
                  words="e to each score minus the largest so far: at most 1, so nothing "
                  "overflows. They are no shares yet, for their sum is not known."),
            *([Phase(f"Rescale the sum{of}", (f"kept_l_{t}",), "The old sum times c.",
                     words="The sum before this block, as the new largest score has it.")]
              * later),
            Phase(f"Sum so far{of}", (f"l_{t}",), "Exponentials added up.", defines=True,
                  words="The exponentials of all keys so far, added up."),
            *([Phase(f"Rescale the mixture{of}", (f"kept_o_{t}",), "The old mixture times c.",
                     words="The mixture before this block, as the new largest score has it."),
               Phase(f"Values{of}", (f"new_{t}",), "Exponentials times values.",
                     words="The values of this block, each times its exponential, added up.")]
              * later),
            Phase(f"Mixture so far{of}", (f"o_{t}",), "Values times exponentials, added up.",
                  defines=True,
                  words="The values of all keys so far, each times its exponential, added up. They "
                  "are not divided by anything yet."),
        ]  # fmt: skip

    def _phase(self, number: int, tick: Sequence[Tile], inner: tuple[Phase, ...]) -> Phase:
        names = [self.schedule.name(tile) for tile in tick]
        alone = len(tick) == 1
        title = f"{self.schedule.word} {names[0]}" if alone else f"Tick {number}"
        made = [f"{letter}_{name}" for name in names for letter in ("S", "o")]
        return Phase(
            title, tuple(f"o_{name}" for name in reversed(names)), self._summary(tick),
            shows=tuple(made), phases=inner, words=self._words(tick),
        )  # fmt: skip

    def _summary(self, tick: Sequence[Tile]) -> str:
        if self.schedule.single:
            return f"Block {tick[0][1] + 1} of the keys passes by."
        said = [f"queries {a + 1} with keys {b + 1}" for a, b in tick]
        return f"Blocks: {listed(said)}."

    def _words(self, tick: Sequence[Tile]) -> str:
        if len(tick) > 1:
            return (
                "Each machine has its own block of queries, and at this tick one block of keys "
                "and values. Open it to see the steps."
            )
        ((a, b),) = tick
        first = self.schedule.before((a, b)) is None
        queries = "all queries" if self.schedule.single else f"query block {a + 1}"
        begins = "Sums begin here" if first else "Sums go on from the tile before"
        return (
            f"In fast memory: {queries}, keys and values of block {b + 1}, this tile of scores, "
            f"and m, l and o of these queries. {begins}. Open it to see the steps."
        )


@dataclass(frozen=True)
class _Said:
    """What is said of the cells of the tile `name`, which comes after the tile `last`.

    The letters are those of its queries and keys.
    """

    name: str
    query_letter: str
    key_letter: str
    last: str

    def query(self, trace: Trace, cell: Cell) -> str:
        return told_label(trace, self.query_letter, cell[-2])

    def key(self, trace: Trace, cell: Cell) -> str:
        return told_label(trace, self.key_letter, cell[-1])

    def product(self, trace: Trace, cell: Cell) -> str:
        query, key = self.query(trace, cell), self.key(trace, cell)
        return f"The dot product of the scaled query of {query} and the key of {key}."

    def mask(self, trace: Trace, cell: Cell) -> str:
        query, key = self.query(trace, cell), self.key(trace, cell)
        may = "may" if trace[f"mask_{self.name}"][cell] else "may not"
        return f"{query} {may} read {key}."

    def score(self, trace: Trace, cell: Cell) -> str:
        query, key = self.query(trace, cell), self.key(trace, cell)
        return f"The scaled score of {query} and {key}, or −∞ where it is hidden."

    def largest(self, trace: Trace, cell: Cell) -> str:
        return f"The largest score of {self.query(trace, cell)} among the keys so far."

    def factor(self, trace: Trace, cell: Cell) -> str:
        query = self.query(trace, cell)
        if trace.is_removed(f"m_{self.last}", cell):
            return f"Nothing was summed for {query} before this block, so nothing is kept."
        return (
            f"What was summed for {query} before is multiplied by this: e to the old largest "
            "score minus the new one."
        )

    def power(self, trace: Trace, cell: Cell) -> str:
        query, key = self.query(trace, cell), self.key(trace, cell)
        return f"e to the score of {query} and {key}, minus the largest of {query} so far."

    def sum(self, trace: Trace, cell: Cell) -> str:
        return f"The exponentials of {self.query(trace, cell)} over the keys so far, added up."

    def kept_sum(self, trace: Trace, cell: Cell) -> str:
        return f"The sum of {self.query(trace, cell)} before this block, as the new largest has it."

    def kept_mixture(self, trace: Trace, cell: Cell) -> str:
        return (
            f"Feature {cell[-1] + 1} of what {self.query(trace, cell)} had summed before this "
            "block, as the new largest has it."
        )

    def new_mixture(self, trace: Trace, cell: Cell) -> str:
        query = self.query(trace, cell)
        return f"Feature {cell[-1] + 1} of what this block adds for {query}, not yet divided."

    def mixture(self, trace: Trace, cell: Cell) -> str:
        query = self.query(trace, cell)
        return f"Feature {cell[-1] + 1} of what {query} has summed so far, not yet divided."


def _scaled_query(trace: Trace, cell: Cell) -> str:
    width = trace["K"].shape[-1]
    return f"The query's feature {cell[2] + 1} divided by √d_k = √{width}."


def _own_row(name: str, letter: str) -> Meaning:
    what = {"Q_scaled": "scaled query", "K": "key", "V": "value"}[name]

    def meaning(trace: Trace, cell: Cell) -> str:
        return f"Feature {cell[2] + 1} of the {what} of {told_label(trace, letter, cell[1])}."

    return meaning


def _read(trace: Trace, cell: Cell) -> str:
    return f"Feature {cell[2] + 1} of what the query reads: its mixture divided by its sum."


def _difference(trace: Trace, cell: Cell) -> str:
    return f"Feature {cell[2] + 1} as it came out tile by tile, minus the same all at once."
