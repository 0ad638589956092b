"""Ways to split attention that people use, each on the stage.

Keys one block after another, tiles and how much data they move, workers, machines in a ring, and a
beginning that texts share.
"""

from collections.abc import Sequence
from math import cos, pi, sin
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from core.attention.chosen_token import any_token_toggle
from core.attention.costs import size_text
from core.chapters.recursive_attention import schedules, shared_prefix, tile_schedule
from core.chapters.recursive_attention.tile_schedule import Schedule
from core.chapters.recursive_attention.tiles import LIKE as TILE_NAMES
from core.chapters.recursive_attention.tiles import largest_gap, tiles_program
from core.chapters.recursive_attention.tree_program import tree_program
from core.chapters.recursive_attention.trees import TREE_LIKE, all_at_once
from core.program.labels import listed_names
from core.program.numbers.rounding import decimal_text
from core.program.trace import Trace
from ui.charts.colours import BLUE, NEUTRAL, TEXT_COLOUR
from ui.charts.framing import Chart, draw_chart, framed, kept
from ui.links.links import Key, Keys, among, one_of
from ui.links.session import save_link
from ui.page.controls import choose_one, slide_along
from ui.page.fold import fold
from ui.page.prose import gap_text, say
from ui.page_texts import chart_texts, page_texts
from ui.server.fragments import fragment
from ui.stage.exhibit import draw_exhibit, exhibit_keys
from ui.stage.toggles import chosen, run_as_chosen, toggle_keys
from ui.text import Markdown, markdown_table

TEXTS = page_texts("recursive_attention")
TAB_TITLES = {
    "stream": TEXTS("one_after_another"),
    "tiles": TEXTS("tiles"),
    "split": TEXTS("several_workers"),
    "ring": TEXTS("ring"),
    "shared": TEXTS("shared"),
}
_ANY_TREE = tree_program(all_at_once(2), 2, 0, "causal")
_ANY_TILES = tiles_program(Schedule((2,), (2,), (((0, 0),),)))
_TEXTS = len(shared_prefix.CONTINUATIONS)
LENGTHS = (256, 1024, 4096, 16384)
BLOCKS = (16, 32, 64, 128, 256)
FEATURES = 64
"""Of a head."""
TRAFFIC_KEYS: Keys = {
    "pieces_length": Key(4096, among(*LENGTHS)),
    "pieces_block": Key(128, among(*BLOCKS)),
}
SCHEDULE_KEYS: Keys = {
    "pieces_part": Key("stream", one_of(*TAB_TITLES)),
    **toggle_keys(schedules.WIDTH, schedules.ORDER, schedules.HEIGHT, schedules.MACHINES),
    **toggle_keys(schedules.WORKERS, any_token_toggle(schedules.ASKS), schedules.TILES_MASK),
    **exhibit_keys(_ANY_TILES, "", "pieces_stream_", 1, TILE_NAMES),
    **exhibit_keys(_ANY_TILES, "", "pieces_tiles_", 1, TILE_NAMES),
    **exhibit_keys(_ANY_TREE, "", "pieces_split_", 1, TREE_LIKE),
    **exhibit_keys(_ANY_TILES, "", "pieces_ring_", 1, TILE_NAMES),
    **exhibit_keys(shared_prefix.shared_program(), "merged", "pieces_shared_", _TEXTS),
    **TRAFFIC_KEYS,
}


@fragment
def draw_schedules(text: str, keys: Keys) -> None:
    """Draw the schedule that is chosen."""
    choose_one(TEXTS("uses"), TAB_TITLES, "pieces_part")
    parts = {"stream": _stream, "tiles": _tiles, "split": _workers, "ring": _ring}
    if (part := st.session_state.pieces_part) == "shared":
        _shared_prefix(keys)
    else:
        parts[part](text, keys)
    save_link(keys)


@fragment
def _stream(text: str, keys: Keys) -> None:
    """Draw online softmax: keys arrive in blocks, and three things are kept."""
    say(TEXTS("stream"))
    family = schedules.streaming_family(text)
    trace = family.run(**chosen(family))
    draw_exhibit(trace, ("merged", (0, 0, 0)), keys, "pieces_stream_", family=family)
    features = trace["V"].shape[-1]
    kept = schedules.kept_of(features)
    say(f"{_result(trace)} {TEXTS('stream_kept', kept=kept)}")
    with fold(TEXTS("more"), "stream", keys):
        say(TEXTS("stream_more", kept=kept, features=features))


@fragment
def _tiles(text: str, keys: Keys) -> None:
    """Draw FlashAttention-2: blocks of queries meet blocks of keys in fast memory."""
    say(TEXTS("tiles_intro"))
    family = schedules.tiles_family(text)
    now, trace = run_as_chosen(family)
    draw_exhibit(trace, ("merged", (0, 0, 0)), keys, "pieces_tiles_", family=family)
    height, width = int(now[schedules.HEIGHT.key]), int(now[schedules.WIDTH.key])
    mask = now[schedules.TILES_MASK.key]
    sizes = (len(trace.tokens), height, width, mask)
    done, every = tile_schedule.counted_tiles(*sizes)
    say(f"{_result(trace)} {TEXTS('tiles_done', done=done, every=every)}")
    with fold(TEXTS("memory_title"), "memory", keys):
        say(TEXTS("memory_order"))
        ids = ("head_tile", "head_queries", "head_keys", "head_read", "head_written")
        tiles = tile_schedule.fast_memory(tile_schedule.row_by_row(*sizes))
        say(markdown_table([*map(TEXTS, ids)], tiles))
    with fold(TEXTS("traffic_title"), "traffic", keys, TRAFFIC_KEYS):
        draw_traffic(mask)
    save_link(keys)


@fragment
def _workers(text: str, keys: Keys) -> None:
    """Draw flash decoding: the keys of one query are split among workers."""
    say(TEXTS("split"))
    family = schedules.workers_family(text)
    now, trace = run_as_chosen(family)
    draw_exhibit(trace, ("difference", (0, 0, 0)), keys, "pieces_split_", family=family)
    features, workers = trace["V"].shape[-1], int(now[schedules.WORKERS.key])
    returned = schedules.piece_of(features)
    say(f"{_result(trace)} {TEXTS('split_returns', returned=returned)}")
    with fold(TEXTS("more"), "split", keys):
        named = listed_names(schedules.split_among(len(trace.tokens), workers))
        say(TEXTS("split_who", workers=Markdown(named)))
        _say_idle("idle_workers", len(trace.tokens), workers)


@fragment
def _ring(text: str, keys: Keys) -> None:
    """Draw ring attention: queries stay, and keys and values move on."""
    say(TEXTS("ring_intro"))
    family = schedules.ring_family(text)
    now, trace = run_as_chosen(family)
    machines, mask = int(now[schedules.MACHINES.key]), now[schedules.TILES_MASK.key]
    blocks = schedules.where(len(trace.tokens), machines, mask)
    with st.container(key="beside_ring"):
        draw_chart(ring_figure(tuple(map(tuple, blocks))), "pieces_ring_figure")
    draw_exhibit(trace, ("merged", (0, 0, 0)), keys, "pieces_ring_", family=family)
    say(_result(trace))
    with fold(TEXTS("ring_where"), "ring", keys):
        heads = [TEXTS("tick_head", number=number) for number in range(1, len(blocks) + 1)]
        rows = [[str(number), *row] for number, row in enumerate(blocks, 1)]
        say(markdown_table([TEXTS("machine_head"), *heads], rows))
        if mask == "causal":
            say(TEXTS("ring_idle"))
        _say_idle("idle_machines", len(trace.tokens), machines)


@fragment
def _shared_prefix(keys: Keys) -> None:
    """Draw a beginning that several texts have in common: its keys are computed once."""
    ends = listed_names([f"“{more}”" for more in shared_prefix.CONTINUATIONS])
    say(TEXTS("shared_intro", prefix=shared_prefix.PREFIX, ends=ends))
    trace = shared_prefix.shared_run()
    draw_exhibit(trace, ("merged", (0, 0, 0)), keys, "pieces_shared_")
    texts, own, *_ = trace["K_own"].shape
    once, again = shared_prefix.keys_computed(len(trace.tokens), own, texts)
    gap = gap_text(shared_prefix.prefix_error(trace))
    say(TEXTS("shared_rows", once=once, again=again, gap=gap))


def _result(trace: Trace) -> Markdown:
    """Return how far a schedule's result is from all scores at once."""
    return TEXTS("result", gap=gap_text(largest_gap(trace)))


def _say_idle(id: str, tokens: int, among: int) -> None:
    """Say how many have no token, if there are fewer tokens than workers or machines."""
    if none := schedules.idle(tokens, among):
        say(TEXTS(id, idle=none, among=among))


def draw_traffic(mask: str) -> None:
    """Draw both ways in a table, for a text and tiles that a person chooses."""
    with st.container(horizontal=True):
        T = slide_along(TEXTS("tokens"), LENGTHS, "pieces_length", width=260)
        block = slide_along(TEXTS("rows_in_a_block"), BLOCKS, "pieces_block", width=260)
    found = tile_schedule.compared(T, FEATURES, block, mask)
    rows = []
    for id, way in (("plainly", found.plain), ("tiled", found.tiled)):
        counts = (tile_schedule.BYTES * count for count in (way.read, way.written, way.moved))
        rows.append([TEXTS(id), *map(size_text, counts)])
    say(markdown_table([*map(TEXTS, ("way", "read", "written", "together"))], rows))
    more = found.times >= 1
    numbers = {
        "times": decimal_text(found.times if more else 1 / found.times, 1),
        "tiles": f"{found.tiles:,}",
        "every": f"{found.all_tiles:,}",
        "held": size_text(tile_schedule.BYTES * found.held),
    }
    say(TEXTS("traffic", more=more, **numbers))
    say(TEXTS("traffic_counted", features=FEATURES, bytes=tile_schedule.BYTES))
    say(TEXTS("same_work"))


CHARTS = chart_texts("recursive_attention")
GAP = 0.24
"""Distance from a machine to its arrows' ends, as a fraction of the way to the next machine."""


@kept
def ring_figure(ticks: Sequence[Sequence[str]]) -> Chart:
    """Return machines in a circle, the block of keys that each has first, and where it goes next.

    `ticks` has for each machine its block at each tick.
    """
    count, alt = len(ticks), CHARTS("ring_alt", machines=len(ticks))
    places = [(sin(2 * pi * n / count), cos(2 * pi * n / count)) for n in range(count)]
    if count == 1:
        places = [(0.0, 0.0)]
    sentence = [CHARTS("machine", number=n, keys=blocks[0]) for n, blocks in enumerate(ticks, 1)]
    drawn = go.Scatter(
        x=[x for x, _ in places], y=[y for _, y in places], mode="markers+text", text=sentence,
        marker={"size": 74, "symbol": "circle", "color": "rgba(0,0,0,0)",
                "line": {"color": BLUE, "width": 2}},
        textfont={"color": TEXT_COLOUR, "size": 12}, cliponaxis=False, hoverinfo="skip",
    )  # fmt: skip
    arrows = [_arrow(places[n], places[(n + 1) % count]) for n in range(count) if count > 1]
    axis = {"visible": False, "range": [-1.5, 1.5]}
    return framed(
        [drawn], alt, height=330, annotations=arrows, xaxis=axis, yaxis=axis | {"scaleanchor": "x"}
    )


def _arrow(one: tuple[float, float], other: tuple[float, float]) -> dict[str, Any]:
    def between(part: float) -> tuple[float, float]:
        (a, b), (c, d) = one, other
        return a + part * (c - a), b + part * (d - b)

    (ax, ay), (x, y) = between(GAP), between(1 - GAP)
    return {
        "x": x, "y": y, "ax": ax, "ay": ay, "xref": "x", "yref": "y", "axref": "x", "ayref": "y",
        "text": "", "showarrow": True, "arrowhead": 2, "arrowwidth": 2, "arrowcolor": NEUTRAL,
    }  # fmt: skip
