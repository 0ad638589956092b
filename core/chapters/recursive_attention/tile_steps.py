"""The steps of one tile: its scores, and m, l and o once its keys are taken in.

The first tile of a block of queries makes m, l and o; each later one rescales those before it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from core.chapters.recursive_attention.texts import TEXTS
from core.chapters.recursive_attention.tile_schedule import KEY_LETTERS, Schedule, Tile
from core.operations.masking import mask_fill
from core.operations.merging import exp_below, rescale, row_max, total
from core.operations.products import matmul, matmul_transposed
from core.operations.shapes import block
from core.operations.sums import add
from core.program.described import phase
from core.program.labels import told_label
from core.program.patterns import Cell
from core.program.steps import Meaning, Phase, Step
from core.program.trace import Trace


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
        return TEXTS(id, **{name: known[name] for name in TEXTS.placeholders(id)})

    def text(self, id: str) -> Meaning:
        """Return what the cells of an array mean: the text of an id."""
        return lambda trace, cell: self._fill(id, trace, cell)

    def mask(self, trace: Trace, cell: Cell) -> str:
        return self._fill("tile_mask", trace, cell, seen=bool(trace[f"mask_{self.name}"][cell]))

    def factor(self, trace: Trace, cell: Cell) -> str:
        empty = trace.is_removed(f"m_{self.last}", cell)
        return self._fill("nothing_before" if empty else "factor", trace, cell)
