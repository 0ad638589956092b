"""Every sentence of 'recursive attention', at the ends of its controls."""

import re
from collections import Counter
from collections.abc import Mapping

import numpy as np
from streamlit.testing.v1 import AppTest

from core import attention_program, toy_inputs
from core.attention.tokens import tokenise
from core.chapters.recursive_attention import tile_schedule as moved
from core.chapters.recursive_attention.schedules import split_among, where
from core.program.labels import listed_names
from tests.core.chapters.recursive_attention import test_trees
from tests.pages.test_recursive_attention import board
from tests.quotes import proves
from tests.ui.agreement import Filled, Values, number, only, plain, printed, rounding, row_of
from tests.ui.claims import RANDOM_WEIGHTS, Inventory, drawn_with
from tests.ui.support import stages
from ui.page_texts import chart_texts

SHOWN = {"ln": np.log([1.0, 2.0, 3.0, 4.0]), "values": np.array([[10.0], [20.0], [30.0], [40.0]])}


def tokens(page: AppTest) -> list[str]:
    return tokenise(page.session_state.pieces_text)


def asked(page: AppTest) -> tuple[np.ndarray, np.ndarray]:
    """The query's row of scores, −∞ where it may not read, and the values of all keys."""
    if page.session_state.pieces_from == "example":
        return SHOWN["ln"], SHOWN["values"]
    T, chosen = len(tokens(page)), page.session_state.pieces_query
    run = attention_program(heads=1, mask=page.session_state.pieces_tree_mask).run(
        toy_inputs(page.session_state.pieces_text, heads=1, d_model=4)
    )
    at = (T if chosen == "last" else int(chosen)) - 1
    return np.asarray(run["masked"][0, at]), np.asarray(run["V"][0])


def keys_of(text: str) -> list[int]:
    return [int(n) for n in re.findall(r"\d+", text)]


def roots(text: str) -> list[str]:
    """The trees of a forest, by counting brackets."""
    found, depth, start = [], 0, 0
    for at, letter in enumerate(text + " "):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == " " and not depth:
            found.append(text[start:at])
            start = at + 1
    return [tree for tree in found if tree]


def mixed(keys: list[int], page: AppTest) -> np.ndarray:
    """Softmax over these keys, each as often as it is there, by a plain loop."""
    scores, values = asked(page)
    total, mix = 0.0, np.zeros(values.shape[1])
    for key in keys:
        weight = float(np.exp(scores[key - 1]))
        total, mix = total + weight, mix + weight * values[key - 1]
    return mix / total if total else mix


def seen(page: AppTest) -> set[int]:
    return {int(at) + 1 for at in np.flatnonzero(np.isfinite(asked(page)[0]))}


def often(page: AppTest) -> set[int]:
    return {key for key, count in Counter(keys_of(board(page)["forest"])).items() if count > 1}


@proves("""
    Notice. Merged from pieces, the keys give {merged}. All keys at once give {whole} [feature]
    (feature {feature}) [gap] : off by {gap}. [same] : the same, whichever pieces are merged first.
    [else]
""")
def compared(said: Values, page: AppTest) -> None:
    (tree,) = roots(board(page)["forest"])
    merged, whole = mixed(keys_of(tree), page), mixed(list(range(1, len(asked(page)[0]) + 1)), page)
    at = max(said["feature"] - 1, 0)
    printed(plain(said["merged"]), float(merged[at]))
    printed(plain(said["whole"]), float(whole[at]))
    assert bool(said["feature"]) == (len(whole) > 1)
    off = float(np.abs(merged - whole).max())
    assert bool(said["gap"]) == (off > 1e-9)
    assert said["same"] == (not often(page))
    if said["gap"]:
        assert np.abs(merged - whole).argmax() == at
        printed(said["gap"], off)


@proves("A plain mean of the last pieces would be {mean}")
def plain_mean(said: Values, page: AppTest) -> None:
    """It is another number, as it is printed, than what the pieces come to."""
    (tree,) = roots(board(page)["forest"])
    parts = roots(tree[1:-1]) if tree.startswith("(") else [tree]
    mean = np.mean([mixed(keys_of(part), page) for part in parts], axis=0)[0]
    printed(said["mean"], float(mean))
    assert said["mean"] != f"{mixed(keys_of(tree), page)[0]:.2f}".replace("-", "−")
    assert not often(page)


@proves("""
    {?} {keys} {?} counted more than once, [off] and the merge cannot know. Pieces must have no key
    in common. [unread] but the query may not read {?}, so nothing changes. [else] and here it
    happens not to change the value. With other values it would
""")
def counted_often(said: Values, page: AppTest) -> None:
    named = {int(n) for n in re.findall(r"\d+", said["keys"])}
    assert named == often(page)
    assert said["count"] == len(named)
    (tree,) = roots(board(page)["forest"])
    gap = mixed(keys_of(tree), page) - mixed(list(range(1, len(asked(page)[0]) + 1)), page)
    assert said["off"] == (float(np.abs(gap).max()) > 1e-9)
    assert said["unread"] == (not named & seen(page))
    if not said["off"] and not said["unread"]:
        assert len(times_read(page)) > 1  # counted alike, they would come to the same always


def times_read(page: AppTest) -> set[int]:
    """How often the keys that may be read were counted."""
    times = Counter(keys_of(board(page)["forest"]))
    return {times[key] for key in seen(page)}


@proves(r"""
    Each key that the query may read was counted {times} times, so no weight changes. Only the set's
    score is too large, by $\ln {times}$: in a merge with another piece, it would count too much
""")
def counted_alike(said: Values, page: AppTest) -> None:
    """The score of the whole tree, in the board's own box."""
    assert times_read(page) == {said["times"]}
    assert said["times"] > 1
    scores, _ = asked(page)
    every = np.log(sum(np.exp(scores[key - 1]) for key in keys_of(board(page)["forest"])))
    once = np.log(sum(np.exp(score) for score in scores))
    np.testing.assert_allclose(every - once, np.log(said["times"]), atol=1e-12)
    (tree,) = roots(board(page)["forest"])
    name = "".join(str(key) for key in sorted(keys_of(tree)))
    ((shown,),) = stages(page)[0].texts(f"s_{name}")
    printed(shown, float(every))


@proves("Then count a key twice")
def try_(said: Values, page: AppTest) -> None:
    """The board offers several orders, and each key again."""
    told = board(page)
    assert "again" in chart_texts("recursive_attention")("board_again")
    assert len(told["shapes"]) > (len(told["labels"]) > 1)


@proves("{refused}. Shown: {shape}")
def refused(said: Values, page: AppTest) -> None:
    """The tree of the link has a key that is not there; two halves are shown."""
    found = re.fullmatch(
        r"Key (\d) is in the tree; there are (\d): take 1 to (\d)", said["refused"]
    )
    assert found
    key, keys, last = map(int, found.groups())
    assert key > keys == last == len(asked(page)[0])
    assert said["shape"] == "two halves"
    assert board(page)["forest"] == "((1 2) (3 4))"


@proves(r"""
    {done} of {every} tiles are computed: [done < every] the mask hides the others entirely, so they
    are skipped. [else] none is entirely hidden | [more] All at once, {times} times as much data
    moves. [else] With blocks this small, tiles move {times} times as much data: keys and values are
    fetched again for each block of queries. {tiles} of {every} tiles are computed, and fast memory
    holds {held} at a time | Notice. {once} rows of $K$ are computed and kept, instead of {again}.
    Each text run as a whole gives the same, [gap] up to {gap} (rounding) [else] bit for bit |
    {pieces} pieces are left: {sets}. Merge them into one to compare it with all keys at once | Each
    query keeps {kept} numbers, however many keys arrive | The {kept} numbers are {features} of $o$,
    one $m$ and one $l$ | Counted for one head of {features} features, {bytes} bytes per number |
    {idle} of the {among} workers {?} no token | {idle} of the {among} machines {?} no token | A
    worker returns {returned} numbers, however many keys it has | Several texts begin with
    “{prefix}” and continue with {ends} | The keys count 1 to {keys} (scores $\ln 1$ to $\ln
    {keys}$)
""")
def filled(page: AppTest) -> Mapping[str, Filled]:
    state, T = page.session_state, len(tokens(page))
    trees = roots(board(page)["forest"])
    named = [f"{{{', '.join(map(str, sorted(keys_of(tree))))}}}" for tree in trees]
    tall, wide, rule = int(state.pieces_height), int(state.pieces_width), state.pieces_mask
    done, every = moved.counted_tiles(T, tall, wide, rule)
    found = moved.compared(state.pieces_length, 64, state.pieces_block, rule)
    more = found.times >= 1
    workers, machines = int(state.pieces_workers), int(state.pieces_machines)
    kept = {"kept": 4 + 2}
    return {
        "left_over": only(
            len(trees) > 1, pieces=len(trees),
            sets=lambda said: re.findall(r"\{[^}]*\}", said) == named,
        ),
        "boxes": {"keys": 4 if state.pieces_from == "example" else 0},
        "result": {"gap": rounding},
        "stream_kept": kept, "stream_more": kept | {"features": 4},
        "tiles_done": {"done": done, "every": every},
        "traffic": {
            "more": more, "times": found.times if more else 1 / found.times, "tiles": found.tiles,
            "every": found.all_tiles, "held": 2 * found.held,
        },
        "traffic_counted": {"features": 64, "bytes": 2},
        "split_who": {"workers": lambda said: plain(said) == listed_names(split_among(T, workers))},
        "split_returns": {"returned": 4 + 1},
        "idle_workers": only(workers > T, among=workers, idle=workers - T),
        "idle_machines": only(machines > T, among=machines, idle=machines - T),
        "ring_idle": only(rule == "causal"),
        "ring_alt": {"machines": min(T, machines)},
        "shared_intro": {
            "prefix": "The cat sat on the", "ends": ["“old mat”", "“warm roof”", "“red sofa”"],
        },
        "shared_rows": {"once": 5 + 3 * 2, "again": 3 * (5 + 2), "gap": rounding},
    }  # fmt: skip


proves("""
    Softmax seems to need all scores at once. It does not: a group of keys can be replaced by a
    single key, with one score and one value | A score and a value summarise a set of keys, and sets
    without a common key are merged by attention over them. So softmax never needs a whole row at
    once
""")(test_trees.test_any_partition_merged_in_any_order_is_full_attention)


@proves("""
    Notice. The result is that of all scores at once, [gap] up to {gap} (rounding) [else] bit for
    bit
""")
def result(said: Values, page: AppTest) -> None:
    """What the stage shows is full attention."""
    texts = stages(page)[1].texts("difference")
    assert all(number(text) == 0 for text in np.ravel(texts))


def fast(page: AppTest, tile: str) -> list[str]:
    state = page.session_state
    sizes = int(state.pieces_height), int(state.pieces_width), state.pieces_mask
    return moved.fast_memory(moved.row_by_row(len(tokens(page)), *sizes))[int(tile) - 1][1:]


def travels(page: AppTest, way: str) -> list[int]:
    state = page.session_state
    found = moved.compared(state.pieces_length, 64, state.pieces_block, state.pieces_mask)
    made = found.plain if way == "all scores at once" else found.tiled
    return [2 * made.read, 2 * made.written, 2 * made.moved]


def machine(page: AppTest, number: str) -> list[str]:
    state = page.session_state
    return where(len(tokens(page)), int(state.pieces_machines), state.pieces_mask)[int(number) - 1]


INVENTORY = Inventory(
    "recursive_attention",
    claims={
        RANDOM_WEIGHTS: drawn_with,
        r"\| tile (\d+) \| (.+ \| .+ \| .+ \| .+) \|$": row_of(fast),
        r"\| (all scores at once|tile by tile) \| (.*) \|$": row_of(travels),
        r"\| (\d) \| (.*) \|$": row_of(machine),
    },
    module=globals(),
    texts={
        "law": test_trees.test_any_partition_merged_in_any_order_is_full_attention,
        "empty_set": test_trees.test_hidden_keys_make_an_empty_piece,
    },
)
