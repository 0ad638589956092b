"""Every sentence of 'recursive attention', at the ends of its controls."""

import json
import re
from collections import Counter

import numpy as np
from streamlit.testing.v1 import AppTest

from core import attention_program, toy_inputs
from core.attention.tokens import tokenise
from tests.quotes import proves
from tests.ui.claims import (
    ALWAYS,
    RANDOM_WEIGHTS,
    Inventory,
    Values,
    about,
    drawn_with,
    number,
    printed,
)
from tests.ui.support import prose, stages
from ui.trees import WORDS

Match = re.Match[str]
EIGHT = "a b c d e f g h"
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


def board(page: AppTest) -> str:
    """The forest on the board, as it is written."""
    for made in page.get("bidi_component"):
        found = re.search(r'"forest":\s*"([^"]*)"', made.proto.json)
        if found:
            return found[1]
    raise AssertionError("no board")


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
    return {key for key, count in Counter(keys_of(board(page))).items() if count > 1}


def linked(text: str) -> str:
    """The number of a link to a cell."""
    return re.sub(r"\\|\[|\]\(.*\)", "", text)


@proves("""
    Notice. Merged from pieces, the keys give {merged}. All keys at once give {whole} [feature]
    (feature {feature}) [gap] : off by {gap}. [same] : the same, whichever pieces are merged first.
    [else]
""")
def compared(said: Values, page: AppTest) -> None:
    (tree,) = roots(board(page))
    merged, whole = mixed(keys_of(tree), page), mixed(list(range(1, len(asked(page)[0]) + 1)), page)
    at = max(said["feature"] - 1, 0)
    printed(linked(said["merged"]), float(merged[at]))
    printed(linked(said["whole"]), float(whole[at]))
    assert bool(said["feature"]) == (len(whole) > 1)
    off = float(np.abs(merged - whole).max())
    assert bool(said["gap"]) == (off > 1e-9)
    assert said["same"] == (not often(page))
    if said["gap"]:
        assert np.abs(merged - whole).argmax() == at
        printed(said["gap"], off)


def plain_mean(said: Values, page: AppTest) -> None:
    """It is another number, as it is printed, than what the pieces come to."""
    (tree,) = roots(board(page))
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
    (tree,) = roots(board(page))
    gap = mixed(keys_of(tree), page) - mixed(list(range(1, len(asked(page)[0]) + 1)), page)
    assert said["off"] == (float(np.abs(gap).max()) > 1e-9)
    assert said["unread"] == (not named & seen(page))
    if not said["off"] and not said["unread"]:
        assert len(times_read(page)) > 1  # counted alike, they would come to the same always


def times_read(page: AppTest) -> set[int]:
    """How often the keys that may be read were counted."""
    times = Counter(keys_of(board(page)))
    return {times[key] for key in seen(page)}


def counted_alike(said: Values, page: AppTest) -> None:
    """The score of the whole tree, in the board's own box."""
    assert times_read(page) == {said["times"]}
    assert said["times"] > 1
    scores, _ = asked(page)
    every = np.log(sum(np.exp(scores[key - 1]) for key in keys_of(board(page))))
    once = np.log(sum(np.exp(score) for score in scores))
    np.testing.assert_allclose(every - once, np.log(said["times"]), atol=1e-12)
    (tree,) = roots(board(page))
    name = "".join(str(key) for key in sorted(keys_of(tree)))
    ((shown,),) = stages(page)[0].texts(f"s_{name}")
    printed(shown, float(every))


@proves("Then count a key twice")
def try_(said: Values, page: AppTest) -> None:
    """The board offers several orders, and each key again."""
    (told,) = (
        json.loads(made.proto.json)[0]
        for made in page.get("bidi_component") if '"shapes"' in made.proto.json
    )  # fmt: skip
    assert told["words"] == WORDS
    assert "again" in WORDS["again"]
    assert len(told["shapes"]) > (len(told["labels"]) > 1)


@proves("""
    Softmax seems to need all scores at once. It does not: a group of keys can be replaced by a
    single key, with one score and one value | A score and a value summarise a set of keys, and sets
    without a common key are merged by attention over them. So softmax never needs a whole row at
    once
""")
def law(said: Values, page: AppTest) -> None:
    """The two formulas, on every cut of the query's keys into two, are softmax over all."""
    scores, values = asked(page)
    keys = [key for key in range(len(scores)) if np.isfinite(scores[key])]
    whole = mixed([key + 1 for key in keys], page)

    def score(of: list[int]) -> float:
        return float(np.log(sum(np.exp(scores[key]) for key in of)))

    def value(of: list[int]) -> np.ndarray:
        total: np.ndarray = sum(np.exp(scores[key] - score(of)) * values[key] for key in of)
        return total

    for chosen in range(1, 2 ** len(keys) - 1):
        one = [key for at, key in enumerate(keys) if chosen >> at & 1]
        other = [key for key in keys if key not in one]
        merged = sum(np.exp(score(of) - score(keys)) * value(of) for of in (one, other))
        np.testing.assert_allclose(merged, whole, rtol=1e-9, atol=1e-12)


def empty_set(said: Values, page: AppTest) -> None:
    """Of no key: the sum is 0, and next to any other score its weight is 0."""
    with np.errstate(divide="ignore"):
        empty = np.log(sum([]))
    assert np.isneginf(empty)
    finite = asked(page)[0][np.isfinite(asked(page)[0])]
    powers = np.exp([empty, *finite])
    assert (powers / powers.sum())[0] == 0


def left_over(said: Values, page: AppTest) -> None:
    found = roots(board(page))
    assert said["pieces"] == len(found) > 1
    sets = [keys_of(text) for text in re.findall(r"\{[^}]*\}", said["sets"])]
    assert sets == [sorted(keys_of(tree)) for tree in found]


def boxes(said: Values, page: AppTest) -> None:
    assert bool(said["keys"]) == (page.session_state.pieces_from == "example")
    if said["keys"]:
        counts = np.exp(asked(page)[0])
        np.testing.assert_allclose(counts, np.arange(1, said["keys"] + 1), atol=1e-12)


def refused(said: Values, page: AppTest) -> None:
    """The tree of the link has a key that is not there; two halves are shown."""
    found = re.fullmatch(
        r"Key (\d) is in the tree; there are (\d): take 1 to (\d)", said["refused"]
    )
    assert found
    key, keys, last = map(int, found.groups())
    assert key > keys == last == len(asked(page)[0])
    assert said["shape"] == "two halves"
    assert board(page) == "((1 2) (3 4))"


def idle(kind: str):
    def check(said: Values, page: AppTest) -> None:
        assert said["among"] == int(page.session_state[f"pieces_{kind}"])
        assert said["idle"] == said["among"] - len(tokens(page)) > 0

    return check


@proves("""
    Notice. The result is that of all scores at once, [gap] up to {gap} (rounding) [else] bit for
    bit
""")
def result(said: Values, page: AppTest) -> None:
    """What the stage shows is full attention; and what is said to be rounding is no more."""
    assert not said["gap"] or 0 < small(said["gap"]) < 1e-12
    texts = stages(page)[1].texts("difference")
    assert all(number(text) == 0 for text in np.ravel(texts))


def small(text: str) -> float:
    return number(text.replace("\\", ""))


def stream_kept(said: Values, page: AppTest) -> None:
    """A row of o, and m and l, whatever the length of the text."""
    assert said["kept"] == len(stages(page)[1].texts("V")[0]) + 2


def stream_more(said: Values, page: AppTest) -> None:
    stream_kept(said, page)
    assert said["features"] == said["kept"] - 2


@proves("""
    {done} of {every} tiles are computed: [done < every] the mask hides the others entirely, so they
    are skipped. [else] none is entirely hidden
""")
def tiles_done(said: Values, page: AppTest) -> None:
    state, T = page.session_state, len(tokens(page))
    tall, wide = int(state.pieces_height), int(state.pieces_width)
    visible = np.tri(T, dtype=bool) if state.pieces_mask == "causal" else np.ones((T, T), bool)
    every = [(a, b) for a in range(0, T, tall) for b in range(0, T, wide)]
    done = [visible[a : a + tall, b : b + wide].any() for a, b in every]
    assert (said["done"], said["every"]) == (sum(done), len(done))


def memory_order(said: Values, page: AppTest) -> None:
    """By a loop over each order: with the keys outside a block's result is written every time."""
    state, T = page.session_state, len(tokens(page))
    tall, wide = int(state.pieces_height), int(state.pieces_width)
    rows = [line.split(" | ")[-1].strip(" |") for line in prose(page).splitlines()
            if re.match(r"\| tile \d", line)]  # fmt: skip
    written = [row for row in rows if row != "–"]
    assert len(written) == len(set(written)) == len(range(0, T, tall))
    assert written[-1].split("–")[-1] == str(T)
    outside = [a for b in range(0, T, wide) for a in range(0, T, tall)]
    assert len(outside) == len(range(0, T, wide)) * len(written)


FEATURES, BYTES = 64, 2


def moved(page: AppTest) -> tuple[tuple[int, int], tuple[int, int], int, int]:
    """Numbers read and written, at once and by tiles, by a loop; tiles done, and all of them."""
    state, d = page.session_state, FEATURES
    T, block = state.pieces_length, state.pieces_block
    n, read, done = T // block, T * d, 0
    for a in range(n):
        needed = a + 1 if state.pieces_mask == "causal" else n
        read += 2 * needed * block * d
        done += needed
    return (3 * T * d + 2 * T * T, 2 * T * T + T * d), (read, T * d), done, n * n


def travels(match: Match, page: AppTest) -> None:
    plain, tiled, *_ = moved(page)
    read, written = plain if match[1] == "all scores at once" else tiled
    cells = match[2].split(" | ")
    for text, count in zip(cells, (read, written, read + written), strict=True):
        about(text, BYTES * count)


@proves("""
    [more] All at once, {times} times as much data moves. [else] With blocks this small, tiles move
    {times} times as much data: keys and values are fetched again for each block of queries. {tiles}
    of {every} tiles are computed, and fast memory holds {held} at a time
""")
def traffic(said: Values, page: AppTest) -> None:
    plain, tiled, done, every = moved(page)
    ratio = sum(plain) / sum(tiled)
    assert said["more"] == (ratio >= 1)
    assert abs(number(said["times"]) - (ratio if ratio >= 1 else 1 / ratio)) <= 0.0501
    assert [number(said[name]) for name in ("tiles", "every")] == [done, every]
    block = page.session_state.pieces_block
    about(said["held"], BYTES * (4 * block * FEATURES + block * block + 2 * block))


def traffic_counted(said: Values, page: AppTest) -> None:
    assert (said["features"], said["bytes"]) == (FEATURES, BYTES)


def same_work(said: Values, page: AppTest) -> None:
    """Tile by tile, q·k and weight·v of every cell of a tile: as many as at once, but for skipped
    tiles.
    """
    state, d = page.session_state, FEATURES
    *_, done, every = moved(page)
    T, block = state.pieces_length, state.pieces_block
    at_once, by_tiles = 2 * T * T * d, done * 2 * block * block * d
    assert at_once - by_tiles == (every - done) * 2 * block * block * d


def split_who(said: Values, page: AppTest) -> None:
    T, workers = len(tokens(page)), int(page.session_state.pieces_workers)
    split = re.findall(r"worker (\d) \{([^}]*)\}", said["workers"])
    assert [int(n) for n, _ in split] == list(range(1, len(split) + 1))
    found = [[int(key) for key in keys.split(", ")] for _, keys in split]
    every = [list(part) for part in np.array_split(range(1, T + 1), workers)]
    assert found == [part for part in every if part]


def split_returns(said: Values, page: AppTest) -> None:
    """A row of the value, and a score."""
    assert said["returned"] == len(stages(page)[1].texts("V")[0]) + 1


def fast(match: Match, page: AppTest) -> None:
    """A plain loop over blocks of queries and, within, of keys."""
    state, T = page.session_state, len(tokens(page))
    height, width = int(state.pieces_height), int(state.pieces_width)
    rows = [
        (range(a, min(a + height, T)), range(b, min(b + width, T)))
        for a in range(0, T, height)
        for b in range(0, T, width)
        if state.pieces_mask == "none" or b < min(a + height, T)
    ]
    queries, keys = rows[int(match[1]) - 1]
    same = [other for other in rows if other[0] == queries]

    def written(part: range) -> str:
        return f"{part[0] + 1}–{part[-1] + 1}" if len(part) > 1 else str(part[0] + 1)

    assert (match[2], match[3]) == (written(queries), written(keys))
    assert bool(match[4]) == (same[0][1] == keys)
    assert match[5] == (written(queries) if same[-1][1] == keys else "–")


def machine(match: Match, page: AppTest) -> None:
    T, machines = len(tokens(page)), int(page.session_state.pieces_machines)
    n = min(T, machines)
    own = int(match[1])
    for tick, cell in enumerate(match[2].split(" | ")):
        block = (own - 1 - tick) % n + 1
        hidden = page.session_state.pieces_mask == "causal" and block > own
        assert cell == f"{block}{' (hidden)' if hidden else ''}"


def ring_idle(said: Values, page: AppTest) -> None:
    """Said only under a mask; what is hidden is checked row by row, with or without one."""
    assert page.session_state.pieces_mask == "causal"


def ring_alt(said: Values, page: AppTest) -> None:
    assert said["machines"] == min(len(tokens(page)), int(page.session_state.pieces_machines))


PREFIX, ENDS = "The cat sat on the", ("old mat", "warm roof", "red sofa")


def shared_intro(said: Values, page: AppTest) -> None:
    assert said["prefix"] == PREFIX
    assert re.findall(r"“([^”]*)”", said["ends"]) == list(ENDS)


@proves("""
    Notice. {once} rows of $K$ are computed and kept, instead of {again}. Each text run as a whole
    gives the same, [gap] up to {gap} (rounding) [else] bit for bit
""")
def shared_rows(said: Values, page: AppTest) -> None:
    prefix, texts, own = len(PREFIX.split()), len(ENDS), len(ENDS[0].split())
    assert (said["once"], said["again"]) == (prefix + texts * own, texts * (prefix + own))
    assert not said["gap"] or 0 < small(said["gap"]) < 1e-12


INVENTORY = Inventory(
    "recursive_attention",
    typed={
        "pieces_text": ("cat", EIGHT),
        "pieces_tree": ("", "(((1 2) 3) 4)"),
        "pieces_query": ("1", "last"),
        "pieces_asks": ("1", "last"),
    },
    claims={
        RANDOM_WEIGHTS: drawn_with,
        r"What it is good for$|\| (?:tile|way|machine) \|": ALWAYS,
        r"\| tile (\d+) \| (.+) \| (.+) \| (Q, )?K, V \| (.+) \|$": fast,
        r"\| (all scores at once|tile by tile) \| (.*) \|$": travels,
        r"\| (\d) \| (.*) \|$": machine,
    },
    module=globals(),
    always="lede stream tiles_intro split ring_intro takeaway origin",
    texts={"idle_workers": idle("workers"), "idle_machines": idle("machines")},
    others=[
        {"pieces_from": "sentence"},
        {"pieces_tree": "((1 2) (2 3 4))"},
        {"pieces_tree": "((1 2 3) (3 4))"},
        {"pieces_tree": "((1 2) (1 2 3 3) 4)"},
        {"pieces_tree": "((1 2 3 4) (1 2 3 4))"},
        {"pieces_from": "sentence", "pieces_query": "2", "pieces_tree": "((1 2 5) (1 2) (3 4 6))"},
        {"pieces_tree": "(1 2)"},
        {"pieces_tree": "(1 7)"},
        {"pieces_from": "sentence", "pieces_query": "2", "pieces_tree": "((1 2 5) (3 4 5 6))"},
        {"pieces_from": "sentence", "pieces_query": "3", "pieces_tree": "((1 2 5 6) (3 4 5 6))"},
        *({"pieces_part": part} for part in ("tiles", "split", "ring")),
        {"pieces_part": "tiles", "pieces_block": "16", "pieces_mask": "none"},
        {"pieces_part": "tiles", "pieces_block": "16", "pieces_length": "256"},
        {"pieces_part": "split", "pieces_text": "red green", "pieces_asks": "1"},
        {"pieces_part": "ring", "pieces_text": "red"},
        {"pieces_part": "split", "pieces_text": "a b c d"},
        {"pieces_part": "ring", "pieces_mask": "none", "pieces_machines": "2"},
    ],
)  # fmt: skip
