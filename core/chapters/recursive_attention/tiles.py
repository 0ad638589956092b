"""Attention tile by tile: blocks of queries meet blocks of keys, in any order.

For each query three things are kept while its keys arrive: m, the largest score so far; l, the sum
of e to the scores minus m; o, the values, each times e to its score minus m, added up. A larger
score makes a new m, and l and o are multiplied by e to the old m minus the new one. At the end
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
from core.attention.program import cached_program
from core.chapters.recursive_attention.texts import TEXTS
from core.operations.masking import mask_fill
from core.operations.merging import divide_rows, exp_below, rescale, row_max, total
from core.operations.products import matmul, matmul_transposed
from core.operations.scaling import divide_by_root
from core.operations.shapes import append_rows, block, rows
from core.operations.sums import add, subtract
from core.program.axes import POSITION, Axis
from core.program.described import meaning, phase
from core.program.labels import listed_names, told_label
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
    """When each tile is computed: the sizes of the blocks of queries and of keys, and ticks.

    The tiles of one tick are computed at the same time. `ticks` name each tile once.
    """

    queries: tuple[int, ...]
    keys: tuple[int, ...]
    ticks: tuple[tuple[Tile, ...], ...]
    word: str = TEXTS("tile")
    """The name of a tick that has one tile; any other is called a tick."""

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
    """Return attention by a schedule, and all at once for comparison; the mask is an input.

    Their difference is 0, up to float noise, for every schedule.
    """
    base = cached_program(heads, heads, Rule("custom"), True)
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
                 _feature("tiled_difference")),
        ),
        (
            EMBED, PROJECT, made.cutting, *made.phases, *made.ending,
            phase(TEXTS, "whole", ("context",), phases=(SCORE, SCALE, masking, SOFTMAX, WEIGH)),
            phase(TEXTS, "tiled_difference", ("difference",)),
        ),
        base.sizes,
        {**AXES, **made.axes},
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
        found = {"o": Axis(TEXTS("one_number"), word="number", size="1")}
        for b, width in enumerate(self.schedule.keys):
            offset = sum(self.schedule.keys[:b])
            found[KEY_LETTERS[b]] = Axis(
                TEXTS("key_of_block", number=b + 1), POSITION, "key", str(width), offset=offset
            )
        if not self.schedule.single:
            for a, height in enumerate(self.schedule.queries):
                offset = sum(self.schedule.queries[:a])
                found[QUERY_LETTERS[a]] = Axis(
                    TEXTS("query_of_block", number=a + 1),
                    POSITION,
                    "query",
                    str(height),
                    offset=offset,
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
                text = _own_row("Q_scaled", at)
                found.append(Step(f"Q_{a + 1}", cut, ("Q_scaled",), text, "query"))
        for name, letter, role in (("K", "k", "key"), ("V", "v", "value")):
            for b, width in enumerate(keys):
                at = KEY_LETTERS[b]
                cut = rows(f"g {at}+{sum(keys[:b])} {letter} -> g {at} {letter}", width)
                found.append(Step(f"{name}_{b + 1}", cut, (name,), _own_row(name, at), role))
        return found

    @property
    def cutting(self) -> Phase:
        names = tuple(step.name for step in self.slices)
        of: dict[str, object] = {"single": self.schedule.single}
        return phase(TEXTS, "cut", ("Q_scaled", *names), of, defines=True)

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
            Step("merged", append_rows(f"{stacked} -> h i v"), tuple(parts), _feature("divided")),
        ]

    def _end(self, name: str, a: int) -> Step:
        letter, tile = self._query(a), self.schedule.name(self.schedule.last(a))
        divided = divide_rows(f"h {letter} v, h {letter} 0 -> h {letter} v")
        return Step(name, divided, (f"o_{tile}", f"l_{tile}"), _feature("divided"))

    @property
    def ending(self) -> tuple[Phase, ...]:
        names = tuple(step.name for step in self.ends)
        divided = phase(TEXTS, "divide", names[:-1] or names, defines=True)
        if self.schedule.single:
            return (divided,)
        return (divided, phase(TEXTS, "stack", names[-1:], defines=True))

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
        text = _Said(t, letter, key, last)
        add_step = self.steps.append
        scored = matmul_transposed(f"h {letter} k, h {key} k -> h {letter} {key}")
        add_step(Step(f"products_{t}", scored, (query, f"K_{b + 1}"), text.says("product")))
        cut = block(f"{letter}+{top} {key}+{left} -> {letter} {key}", height, width)
        add_step(Step(f"mask_{t}", cut, ("mask",), text.mask))
        add_step(
            Step(f"S_{t}", mask_fill(), (f"products_{t}", f"mask_{t}"), text.says("tile_score"))
        )
        if not before:
            add_step(Step(f"m_{t}", row_max(own), (f"S_{t}",), text.says("largest")))
            add_step(Step(f"P_{t}", exp_below(below), (f"S_{t}", f"m_{t}"), text.says("power")))
            add_step(Step(f"l_{t}", total(own), (f"P_{t}",), text.says("sum")))
            weighed = matmul(f"h {letter} {key}, h {key} v -> h {letter} v")
            add_step(Step(f"o_{t}", weighed, (f"P_{t}", f"V_{b + 1}"), text.says("mixture")))
        else:
            add_step(Step(f"m_{t}", row_max(both), (f"m_{last}", f"S_{t}"), text.says("largest")))
            change = exp_below(f"h {letter} o, h {letter} 0 -> h {letter} o")
            add_step(Step(f"c_{t}", change, (f"m_{last}", f"m_{t}"), text.factor))
            add_step(Step(f"P_{t}", exp_below(below), (f"S_{t}", f"m_{t}"), text.says("power")))
            shrink = rescale(f"h {letter} 0, h {letter} o -> h {letter} o")
            add_step(Step(f"kept_l_{t}", shrink, (f"c_{t}", f"l_{last}"), text.says("kept_sum")))
            add_step(Step(f"l_{t}", total(both), (f"kept_l_{t}", f"P_{t}"), text.says("sum")))
            shrink = rescale(f"h {letter} 0, h {letter} v -> h {letter} v")
            add_step(
                Step(f"kept_o_{t}", shrink, (f"c_{t}", f"o_{last}"), text.says("kept_mixture"))
            )
            weighed = matmul(f"h {letter} {key}, h {key} v -> h {letter} v")
            add_step(Step(f"new_{t}", weighed, (f"P_{t}", f"V_{b + 1}"), text.says("new_mixture")))
            joined = add(f"h {letter} v, h {letter} v -> h {letter} v")
            add_step(Step(f"o_{t}", joined, (f"kept_o_{t}", f"new_{t}"), text.says("mixture")))
        return self._inner(t, before is not None)

    def _inner(self, t: str, later: bool) -> list[Phase]:
        """The stops inside a tile; the first tile of a block of queries has nothing to rescale."""
        whole = self.schedule.single and len(self.schedule.keys) == 1
        of: dict[str, object] = {"of": "" if whole else TEXTS("of_tile", name=t), "later": later}

        def stop(id: str, *names: str, defines: bool = True) -> Phase:
            return phase(TEXTS, id, names, of, defines=defines)

        def rescaling(id: str, *names: str) -> list[Phase]:
            return [stop(id, *names, defines=False)] * later

        return [
            stop("tile_score", f"products_{t}", defines=False),
            stop("tile_mask", f"mask_{t}", f"S_{t}"),
            stop("largest", *((f"m_{t}", f"c_{t}") if later else (f"m_{t}",))),
            stop("exponentials", f"P_{t}"),
            *rescaling("rescale_sum", f"kept_l_{t}"),
            stop("sum", f"l_{t}"),
            *rescaling("rescale_mixture", f"kept_o_{t}"),
            *rescaling("tile_values", f"new_{t}"),
            stop("mixture", f"o_{t}"),
        ]

    def _phase(self, number: int, tick: Sequence[Tile], inner: tuple[Phase, ...]) -> Phase:
        names = [self.schedule.name(tile) for tile in tick]
        several = len(tick) > 1
        made = [f"{letter}_{name}" for name in names for letter in ("S", "o")]
        pairs = [TEXTS("block_pair", row=a + 1, block=b + 1) for a, b in tick]
        a, b = tick[0]
        text: dict[str, object] = {
            "word": TEXTS("tick") if several else self.schedule.word,
            "number": number if several else names[0],
            "single": self.schedule.single, "several": several, "pairs": listed_names(pairs),
            "row": a + 1, "block": b + 1, "first": self.schedule.before((a, b)) is None,
        }  # fmt: skip
        return phase(TEXTS,
            "tick", tuple(f"o_{name}" for name in reversed(names)), text, shows=tuple(made),
            phases=inner,
        )  # fmt: skip


@dataclass(frozen=True)
class _Said:
    """What is said of the cells of the tile `name`, which comes after the tile `last`.

    The letters are those of its queries and keys.
    """

    name: str
    query_letter: str
    key_letter: str
    last: str

    def of(self, id: str, trace: Trace, cell: Cell, **more: object) -> str:
        """Return the text of an id: what of the cell it asks for, and `more`, is filled in."""
        text = {
            "query": told_label(trace, self.query_letter, cell[-2]),
            "key": told_label(trace, self.key_letter, cell[-1]), "feature": cell[-1] + 1, **more,
        }  # fmt: skip
        return TEXTS(id, **{name: text[name] for name in TEXTS.placeholders(id)})

    def says(self, id: str) -> Meaning:
        """Return what the cells of an array mean: the text of an id."""
        return lambda trace, cell: self.of(id, trace, cell)

    def mask(self, trace: Trace, cell: Cell) -> str:
        return self.of("tile_mask", trace, cell, seen=bool(trace[f"mask_{self.name}"][cell]))

    def factor(self, trace: Trace, cell: Cell) -> str:
        empty = trace.is_removed(f"m_{self.last}", cell)
        return self.of("nothing_before" if empty else "factor", trace, cell)


def _scaled_query(trace: Trace, cell: Cell) -> str:
    return TEXTS("scaled_query", feature=cell[2] + 1, width=trace["K"].shape[-1])


def _own_row(name: str, letter: str) -> Meaning:
    id, k = {
        "Q_scaled": ("scaled_row", "k"), "K": ("key_row", "k"), "V": ("value_row", "v"),
    }[name]  # fmt: skip
    return meaning(TEXTS, id, f"h {letter} {k}", feature=k, token=letter)


def _feature(id: str) -> Meaning:
    return meaning(TEXTS, id, "h i v", feature="v")
