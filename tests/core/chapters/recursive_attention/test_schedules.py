"""Tiles in any order, machines in a ring, shared beginnings: each equal to full attention."""

import itertools
import re

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.chapters.recursive_attention import schedules, shared_prefix, tile_schedule, tiles, trees
from core.chapters.recursive_attention.tile_schedule import Schedule, blocks, needed
from core.program.trace import Trace
from tests.core.support import refuses, toy_run
from tests.quotes import proves
from tests.sampling import examples, paired

TEXT = "The cat sat on the mat"


def tolerance(scores: np.ndarray, values: np.ndarray) -> float:
    """1e-12 of the values' size; a score of more than a thousand is itself rounded by more."""
    finite = scores[np.isfinite(scores)]
    rounded = max(1.0, float(np.abs(finite).max(initial=0.0)) / 1e3)
    return 1e-12 * rounded * max(1.0, float(np.abs(values).max()))


def reference(trace: Trace) -> np.ndarray:
    """PyTorch's own attention on the run's Q, K and V; zeros where no key may be read."""
    Q, K, V = (torch.from_numpy(trace[name].copy()) for name in "QKV")
    mask = torch.from_numpy(trace["mask"].copy())
    found = torch.nn.functional.scaled_dot_product_attention(Q, K, V, attn_mask=mask)
    return np.asarray(found.nan_to_num(0.0).numpy())


Drawn = tuple[int, int, int, list[list[tuple[int, int]]], list[bool], float, int]


@st.composite
def drawn_schedules(draw: st.DrawFn) -> Drawn:
    """Any tile sizes, tiles in any order on any ticks, any mask, scores up to ±1e4."""
    T = draw(st.integers(1, 6))
    height, width = draw(st.integers(1, T)), draw(st.integers(1, T))
    every = [(a, b) for a in range(-(-T // height)) for b in range(-(-T // width))]
    rest, ticks = list(draw(st.permutations(every))), []
    while rest:
        first, *others = rest
        beside = [tile for tile in others if tile[0] != first[0] and draw(st.booleans())][:1]
        ticks.append([first, *beside])
        rest = [tile for tile in others if tile not in beside]
    bits = draw(st.lists(st.booleans(), min_size=T * T, max_size=T * T))
    size = draw(st.sampled_from([1.0, 1e-3, 30.0, 1e2]))
    return T, height, width, ticks, bits, size, draw(st.integers(0, 2**16))


@given(drawn_schedules())
@examples(25)
def test_every_schedule_is_full_attention(case: Drawn) -> None:
    T, height, width, ticks, bits, size, seed = case
    schedule = Schedule(blocks(T, height), blocks(T, width), tuple(map(tuple, ticks)))
    draw = np.random.default_rng(seed)
    given_arrays = {
        "X": size * draw.normal(size=(T, 3)),
        **{name: draw.normal(size=(1, 3, 2)) for name in ("W_Q", "W_K", "W_V")},
        "mask": np.array(bits, dtype=bool).reshape(T, T),
    }
    trace = tiles.tiles_program(schedule).run(given_arrays)
    most = tolerance(trace["scaled"], trace["V"])
    np.testing.assert_allclose(trace["merged"], reference(trace), rtol=0, atol=most)
    np.testing.assert_allclose(trace["context"], reference(trace), rtol=0, atol=most)
    for name in trace:
        assert not np.isnan(trace[name].astype(float)).any(), name
        if name.startswith(("P_", "c_")):
            assert trace[name].max(initial=0.0) <= 1.0
            assert trace[name].min(initial=0.0) >= 0.0


@proves("""
    Keys and values arrive in blocks, and each block is forgotten after use | Workers can split the
    keys and read them at the same time | Each returns the score and the value of its piece, and the
    pieces are merged
""")
@pytest.mark.parametrize(
    ("text", "mask"), paired(["a", "a b", "a b c d e", TEXT, "a b c d e f g h"], ["causal", "none"])
)
def test_the_pages_schedules_are_the_walkthroughs_program(text: str, mask: str) -> None:
    whole = toy_run(text, 1, d_model=4, mask=mask)
    kinds = schedules.streaming_family, schedules.tiles_family, schedules.ring_family
    for family in (kind(text) for kind in kinds):
        for values in itertools.product(*(toggle.options for toggle in family.toggles)):
            options = dict(zip(family.toggle, values, strict=True))
            if options.get("pieces_mask") != mask:
                continue
            trace = family.run(**options)
            np.testing.assert_allclose(trace["merged"], whole["context"], rtol=0, atol=1e-12)
            assert tiles.largest_gap(trace) == np.abs(trace["merged"] - trace["context"]).max()
    workers = schedules.workers_family(text)
    keys = len(whole.tokens)
    for at in range(keys):
        chosen = "last" if at == keys - 1 else str(at + 1)
        for count in ("2", "3"):
            trace = workers.run(pieces_asks=chosen, pieces_mask=mask, pieces_workers=count)
            np.testing.assert_allclose(trace["y_row"][0, 0], whole["context"][0, at], atol=1e-12)
            np.testing.assert_allclose(trace["difference"], 0, atol=1e-12)


@proves("""
    Each machine keeps its block of queries. Blocks of keys and values go round in a ring, one
    machine further at every tick
""")
def test_in_a_ring_every_machine_meets_every_block_once() -> None:
    for T, machines in ((6, 3), (6, 2), (5, 3), (4, 3), (7, 3), (2, 3), (1, 2)):
        made = schedules.ring(T, machines)
        n = len(made.queries)
        assert sum(made.queries) == T
        assert n == min(T, machines)
        assert max(made.queries) - min(made.queries) <= 1
        for tick in made.ticks:
            assert [a for a, _ in tick] == list(range(n))
            assert sorted(b for _, b in tick) == list(range(n))  # no block is in two places
        for a in range(n):
            held_by = [b for tick in made.ticks for at, b in tick if at == a]
            assert sorted(held_by) == list(range(n))
            assert held_by[0] == a
            later = [(held_by[at] - 1) % n for at in range(n - 1)]
            assert held_by[1:] == later  # the block comes from the neighbour
        for rule in ("causal", "none"):
            told = schedules.where(T, machines, rule)
            blocks = [[int(re.findall(r"\d+", cell)[0]) for cell in row] for row in told]
            assert blocks == [[b + 1 for _, b in row] for row in zip(*made.ticks, strict=True)]
            hidden = sum("hidden" in cell for row in told for cell in row)
            assert hidden == (n * (n - 1) // 2 if rule == "causal" else 0)


def test_keys_are_shared_out_among_workers() -> None:
    for keys in range(1, 9):
        for workers in (2, 3):
            (tree,) = schedules.shared_out(keys, workers)
            assert sorted(trees.leaves(tree)) == list(range(1, keys + 1))
            parts = (tree,) if keys == 1 or isinstance(tree, int) else tree
            sizes = [len(list(trees.leaves(part))) for part in parts]
            assert len(sizes) == min(keys, workers) == workers - schedules.idle(keys, workers)
            assert max(sizes) - min(sizes) <= 1


@proves("""
    A tile is one block of queries with one block of keys | one block of queries after another, so
    each row of the result is written once
""")
@pytest.mark.parametrize("rule", ["causal", "none"])
@pytest.mark.parametrize(("T", "height", "width"), [(6, 2, 2), (6, 3, 1), (5, 2, 3), (1, 2, 2)])
def test_fast_memory_holds_what_was_counted(T: int, height: int, width: int, rule: str) -> None:
    def rows_of(text: str) -> int:
        first, *last = map(int, text.split("–"))
        return (last[0] if last else first) - first + 1

    turns = tile_schedule.fast_memory(tile_schedule.row_by_row(T, height, width, rule))
    counted = tile_schedule.tiled_traffic(T, 1, height, width, rule)
    key_rows = sum(2 * rows_of(keys) for _, _, keys, _, _ in turns)
    query_rows = sum(rows_of(queries) for _, queries, _, read, _ in turns if "Q" in read)
    assert key_rows + query_rows == counted.read
    assert sum(rows_of(done) for *_, done in turns if done != "–") == counted.written
    assert query_rows == T
    last = {queries: number for number, queries, *_ in turns}
    assert all((done != "–") == (last[queries] == number) for number, queries, *_, done in turns)


@proves("The beginning is one piece, so its keys and values are computed once")
def test_a_shared_beginning_gives_each_whole_text() -> None:
    trace = shared_prefix.shared_run()
    for at, more in enumerate(shared_prefix.CONTINUATIONS):
        whole = toy_run(f"{shared_prefix.PREFIX} {more}", 1, d_model=4)
        own = trace["merged"][at, 0]
        np.testing.assert_allclose(own, whole["context"][0, -1], rtol=0, atol=1e-12)
    assert 0 <= shared_prefix.prefix_error(trace) < 1e-12
    assert trace["K_prefix"].shape == (1, 5, 4)
    assert trace["K_own"].shape == (3, 2, 4)
    assert shared_prefix.keys_computed(5, 2, 3) == (11, 21)


def traffic_by_loop(T: int, d: int, queries: int, keys: int, causal: bool) -> tuple[int, int]:
    read = written = 0
    for top in range(0, T, queries):
        rows = min(queries, T - top)
        read += rows * d
        for left in range(0, T, keys):
            if causal and left > top + rows - 1:
                continue
            read += 2 * min(keys, T - left) * d
        written += rows * d
    return read, written


@proves("FlashAttention computes tile after tile, so the matrix of scores is never in slow memory")
@given(st.integers(1, 300), *[st.integers(1, 64)] * 3, st.booleans())
@examples(12)
def test_a_loop_counts_what_travels(T: int, d: int, queries: int, keys: int, causal: bool) -> None:
    found = tile_schedule.tiled_traffic(T, d, queries, keys, "causal" if causal else "none")
    assert (found.read, found.written) == traffic_by_loop(T, d, queries, keys, causal)
    assert found.moved == found.read + found.written
    plain = tile_schedule.plain_traffic(T, d)
    assert (plain.read, plain.written) == (3 * T * d + 2 * T * T, 2 * T * T + T * d)


def test_what_was_not_offered_is_refused() -> None:
    refuses("", schedules.streaming_family(TEXT).run, pieces_width="7")
    refuses("", schedules.ring_family, "")


def test_tiles_are_counted() -> None:
    assert tile_schedule.counted_tiles(6, 2, 2, "causal") == (6, 9)
    assert tile_schedule.counted_tiles(6, 2, 2, "none") == (9, 9)
    assert tile_schedule.counted_tiles(5, 2, 3, "causal") == (5, 6)
    found = tile_schedule.compared(1024, 64, 128, "causal")
    assert (found.tiles, found.all_tiles) == (36, 64)
    assert found.times == found.plain.moved / found.tiled.moved
    assert tile_schedule.held(64, 128, 128) == 2 * 128 * 64 + 2 * 128 * 64 + 128 * 128 + 2 * 128
    schedule = tile_schedule.row_by_row(6, 2, 2, "causal")
    assert needed(schedule, "none") == schedule
    assert (schedules.kept_of(4), schedules.piece_of(4)) == (6, 5)
