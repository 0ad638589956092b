"""Attention tile by tile: blocks of queries meet blocks of keys, in any order.

For each query three things are kept while its keys arrive: m, the largest score so far; l, the sum
of e to the scores minus m; o, the values, each times e to its score minus m, added up. A larger
score makes a new m, and l and o are multiplied by e to the old m minus the new one. At the end
o / l is what softmax over all keys at once reads (online softmax: Milakov and Gimelshein 2018;
tiles: Dao et al. 2022).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from core.attention.axes import AXES
from core.attention.masks import Rule
from core.attention.phases import EMBED, PROJECT, SCALE, SCORE, SOFTMAX, WEIGH
from core.attention.phases import phases as all_phases
from core.attention.program import cached_program
from core.chapters.recursive_attention.texts import TEXTS
from core.chapters.recursive_attention.tile_schedule import (
    KEY_LETTERS,
    QUERY_LETTERS,
    Schedule,
    Tile,
)
from core.operations.masking import mask_fill
from core.operations.merging import divide_rows, exp_below, rescale, row_max, total
from core.operations.products import matmul, matmul_transposed
from core.operations.scores import divide_by_root
from core.operations.shapes import append_rows, block, rows
from core.operations.sums import add, subtract
from core.program.axes import POSITION, Axis
from core.program.described import meaning, phase
from core.program.labels import listed_names, told_label
from core.program.patterns import Cell
from core.program.program import Program
from core.program.steps import Meaning, Phase, Step
from core.program.trace import Trace

LIKE = "(products|mask|S|m|c|P|kept_l|l|kept_o|new|o|Q|K|V|read)_[1-8]{1,2}"
"""How the arrays of blocks and tiles are called, as a regular expression."""


@lru_cache(maxsize=64)
def tiles_program(schedule: Schedule, heads: int = 1) -> Program:
    """Return attention by a schedule, and all at once for comparison; the mask is an input.

    Their difference is 0, up to float noise, for every schedule.
    """
    base = cached_program(heads, heads, Rule("custom"), True)
    whole = ("scores", "scaled", "masked", "weights", "context")
    shared = Step("Q_scaled", divide_by_root(), ("Q", "K"), _scaled_query, "query")
    apart = subtract("h i v, h i v -> h i v")
    masking = all_phases(Rule("custom"))[4]
    cuts, results = _cuts(schedule), _results(schedule)
    inputs = tuple(given for given in base.inputs if given.name != "W_O")
    tiles = (step for tile in schedule.tiles for step in tile_steps(schedule, tile))
    steps = (
        *(base.step[name] for name in "QKV"),
        *(shared, *cuts, *tiles, *results),
        *(base.step[name] for name in whole),
        Step("difference", apart, ("merged", "context"), _feature("tiled_difference")),
    )
    made = ("Q_scaled", *(step.name for step in cuts))
    ticks = (_tick_phase(schedule, *tick) for tick in enumerate(schedule.ticks, 1))
    phases = (
        *(EMBED, PROJECT, phase(TEXTS, "cut", made, {"single": schedule.single}, defines=True)),
        *(*ticks, *_result_phases(schedule, results)),
        phase(TEXTS, "whole", ("context",), phases=(SCORE, SCALE, masking, SOFTMAX, WEIGH)),
        phase(TEXTS, "tiled_difference", ("difference",)),
    )
    return Program(inputs, steps, phases, base.sizes, {**AXES, **_axes(schedule)})


def largest_gap(trace: Trace) -> float:
    """Return how far a run's result is, at most, from all at once."""
    return float(np.abs(trace["difference"]).max())


def _axes(schedule: Schedule) -> dict[str, Axis]:
    """The axes of the blocks, and that of one number a query."""
    found = {"o": Axis(TEXTS("one_number"), word="number", size="1")}
    for b, width in enumerate(schedule.keys):
        of = TEXTS("key_of_block", number=b + 1)
        offset = schedule.first_key(b)
        found[KEY_LETTERS[b]] = Axis(of, POSITION, "key", str(width), offset=offset)
    if not schedule.single:
        for a, height in enumerate(schedule.queries):
            of = TEXTS("query_of_block", number=a + 1)
            offset = schedule.first_query(a)
            found[QUERY_LETTERS[a]] = Axis(of, POSITION, "query", str(height), offset=offset)
    return found


def _cuts(schedule: Schedule) -> list[Step]:
    """The steps that cut blocks of queries, keys and values."""
    found = []
    if not schedule.single:
        for a, height in enumerate(schedule.queries):
            at = QUERY_LETTERS[a]
            cut = rows(f"h {at}+{schedule.first_query(a)} k -> h {at} k", height)
            text = _row("scaled_row", at, "k")
            found.append(Step(f"Q_{a + 1}", cut, ("Q_scaled",), text, "query"))
    of_keys = (("K", "k", "key", "key_row"), ("V", "v", "value", "value_row"))
    for name, letter, role, id in of_keys:
        for b, width in enumerate(schedule.keys):
            at = KEY_LETTERS[b]
            cut = rows(f"g {at}+{schedule.first_key(b)} {letter} -> g {at} {letter}", width)
            found.append(Step(f"{name}_{b + 1}", cut, (name,), _row(id, at, letter), role))
    return found


def _results(schedule: Schedule) -> list[Step]:
    """The steps that divide what each block of queries has read, and put the blocks together."""
    if schedule.single:
        return [_divided(schedule, "merged", 0)]
    names = tuple(f"read_{a + 1}" for a in range(len(schedule.queries)))
    later = range(1, len(names))
    shifts = ["+0", *(f"-{schedule.first_query(a)}" for a in later)]
    stacked = append_rows(", ".join(f"h i{shift} v" for shift in shifts) + " -> h i v")
    return [
        *(_divided(schedule, name, a) for a, name in enumerate(names)),
        Step("merged", stacked, names, _feature("divided")),
    ]


def _divided(schedule: Schedule, name: str, a: int) -> Step:
    """The step that divides o by l, for a block of queries after its last tile."""
    letter, tile = schedule.query_letter(a), schedule.name(schedule.last(a))
    divided = divide_rows(f"h {letter} v, h {letter} 0 -> h {letter} v")
    return Step(name, divided, (f"o_{tile}", f"l_{tile}"), _feature("divided"))


def _tick_phase(schedule: Schedule, number: int, tick: Sequence[Tile]) -> Phase:
    """The phase of the tiles of one tick, which opens into the phases of each tile."""
    names = [schedule.name(tile) for tile in tick]
    several = len(tick) > 1
    pairs = [TEXTS("block_pair", row=a + 1, block=b + 1) for a, b in tick]
    a, b = tick[0]
    of: dict[str, object] = {
        "word": TEXTS("tick") if several else schedule.word,
        "number": number if several else names[0],
        "single": schedule.single,
        "several": several,
        "pairs": listed_names(pairs),
        "row": a + 1,
        "block": b + 1,
        "first": schedule.before((a, b)) is None,
    }
    return phase(
        TEXTS,
        "tick",
        tuple(f"o_{name}" for name in reversed(names)),
        of,
        shows=tuple(f"{letter}_{name}" for name in names for letter in ("S", "o")),
        phases=tuple(inner for tile in tick for inner in tile_phases(schedule, tile)),
    )


def _result_phases(schedule: Schedule, results: Sequence[Step]) -> list[Phase]:
    names = tuple(step.name for step in results)
    if schedule.single:
        return [phase(TEXTS, "divide", names, defines=True)]
    return [
        phase(TEXTS, "divide", names[:-1], defines=True),
        phase(TEXTS, "stack", names[-1:], defines=True),
    ]


def _scaled_query(trace: Trace, cell: Cell) -> str:
    return TEXTS("scaled_query", feature=cell[2] + 1, width=trace["K"].shape[-1])


def _row(id: str, token: str, feature: str) -> Meaning:
    return meaning(TEXTS, id, f"h {token} {feature}", feature=feature, token=token)


def _feature(id: str) -> Meaning:
    return meaning(TEXTS, id, "h i v", feature="v")


def tile_steps(schedule: Schedule, tile: Tile) -> Iterator[Step]:
    """Make the steps of a tile, in the order in which they are computed."""
    a, b = tile
    t, i, j = schedule.name(tile), schedule.query_letter(a), KEY_LETTERS[b]
    before = schedule.before(tile)
    last = schedule.name(before) if before else ""
    means = _TileMeanings(t, i, j, last)

    query = "Q_scaled" if schedule.single else f"Q_{a + 1}"
    dot = matmul_transposed(f"h {i} k, h {j} k -> h {i} {j}")
    yield Step(f"products_{t}", dot, (query, f"K_{b + 1}"), means.text("product"))
    top, left = schedule.first_query(a), schedule.first_key(b)
    cut = block(f"{i}+{top} {j}+{left} -> {i} {j}", schedule.queries[a], schedule.keys[b])
    yield Step(f"mask_{t}", cut, ("mask",), means.mask)
    operands = (f"products_{t}", f"mask_{t}")
    yield Step(f"S_{t}", mask_fill(), operands, means.text("tile_score"))

    powers = exp_below(f"h {i} {j}, h {i} 0 -> h {i} {j}")
    power = Step(f"P_{t}", powers, (f"S_{t}", f"m_{t}"), means.text("power"))
    mix = matmul(f"h {i} {j}, h {j} v -> h {i} v")
    values = (f"P_{t}", f"V_{b + 1}")
    if not before:
        own = f"h {i} {j} -> h {i} o"
        yield Step(f"m_{t}", row_max(own), (f"S_{t}",), means.text("largest"))
        yield power
        yield Step(f"l_{t}", total(own), (f"P_{t}",), means.text("sum"))
        yield Step(f"o_{t}", mix, values, means.text("mixture"))
        return
    both = f"h {i} z+0, h {i} z-1 -> h {i} o"
    yield Step(f"m_{t}", row_max(both), (f"m_{last}", f"S_{t}"), means.text("largest"))
    change = exp_below(f"h {i} o, h {i} 0 -> h {i} o")
    yield Step(f"c_{t}", change, (f"m_{last}", f"m_{t}"), means.factor)
    yield power
    shrink = rescale(f"h {i} 0, h {i} o -> h {i} o")
    yield Step(f"kept_l_{t}", shrink, (f"c_{t}", f"l_{last}"), means.text("kept_sum"))
    yield Step(f"l_{t}", total(both), (f"kept_l_{t}", f"P_{t}"), means.text("sum"))
    shrink = rescale(f"h {i} 0, h {i} v -> h {i} v")
    yield Step(f"kept_o_{t}", shrink, (f"c_{t}", f"o_{last}"), means.text("kept_mixture"))
    yield Step(f"new_{t}", mix, values, means.text("new_mixture"))
    joined = add(f"h {i} v, h {i} v -> h {i} v")
    yield Step(f"o_{t}", joined, (f"kept_o_{t}", f"new_{t}"), means.text("mixture"))


def tile_phases(schedule: Schedule, tile: Tile) -> list[Phase]:
    """Return the stops inside a tile; the first tile of a block has nothing to rescale."""
    t, later = schedule.name(tile), schedule.before(tile) is not None
    whole = schedule.single and len(schedule.keys) == 1
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


@dataclass(frozen=True)
class _TileMeanings:
    """What the cells of the tile `name` mean, which comes after the tile `last`.

    The letters are those of its queries and keys.
    """

    name: str
    query_letter: str
    key_letter: str
    last: str

    def _fill(self, id: str, trace: Trace, cell: Cell, **more: object) -> str:
        """Return the text of an id, filled in with what it asks for: of the cell, or `more`."""
        known = {
            "query": told_label(trace, self.query_letter, cell[-2]),
            "key": told_label(trace, self.key_letter, cell[-1]),
            "feature": cell[-1] + 1,
            **more,
        }
        return TEXTS.filled(id, known)

    def text(self, id: str) -> Meaning:
        """Return what the cells of an array mean: the text of an id."""
        return lambda trace, cell: self._fill(id, trace, cell)

    def mask(self, trace: Trace, cell: Cell) -> str:
        return self._fill("tile_mask", trace, cell, seen=bool(trace[f"mask_{self.name}"][cell]))

    def factor(self, trace: Trace, cell: Cell) -> str:
        empty = trace.is_removed(f"m_{self.last}", cell)
        return self._fill("nothing_before" if empty else "factor", trace, cell)
