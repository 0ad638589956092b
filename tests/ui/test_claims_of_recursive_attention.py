"""Every sentence of 'recursive attention', at the ends of its controls."""

import re
from collections import Counter

import numpy as np
from streamlit.testing.v1 import AppTest

from core import attention_program, toy_inputs
from core.attention.tokens import tokenise
from tests.ui.claims import ALWAYS, Inventory, number, printed
from tests.ui.support import prose, stages

Match = re.Match[str]
SYMBOL = r"\$[^$]*\$"
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


def feature(text: str | None) -> int:
    return int(text) - 1 if text else 0


def verdict(match: Match, page: AppTest) -> None:
    (tree,) = roots(board(page))
    at = feature(match[3])
    merged, whole = mixed(keys_of(tree), page), mixed(list(range(1, len(asked(page)[0]) + 1)), page)
    printed(match[1], float(merged[at]))
    printed(match[2], float(whole[at]))
    assert bool(match[3]) == (len(whole) > 1)
    off, hidden = float(np.abs(merged - whole).max()), often(page) - seen(page)
    if match[4].startswith(": off by"):
        assert off > 1e-9
        assert np.abs(merged - whole).argmax() == at
        printed(match[4].removeprefix(": off by ").rstrip("."), off)
    else:
        assert off < 1e-9
        assert (match[4] == ".") == bool(often(page))
        assert (match[4] == ".") or not hidden


def mean(match: Match, page: AppTest) -> None:
    (tree,) = roots(board(page))
    parts = roots(tree[1:-1]) if tree.startswith("(") else [tree]
    values = np.mean([mixed(keys_of(part), page) for part in parts], axis=0)
    printed(match[2], float(values[0]))
    merged = mixed(keys_of(tree), page)
    assert (match[1] == "is") == (match[3] == " here as well.")
    assert (match[1] == "is") == (abs(values[0] - merged[0]) < 0.005)


def counted(match: Match, page: AppTest) -> None:
    named = {int(n) for n in re.findall(r"\d+", match[1])}
    assert named == often(page)
    assert (match[2] == "was") == (len(named) == 1)
    if "may not read" in match[3]:
        assert not named & seen(page)
        assert ("read it," in match[3]) == (len(named) == 1)
    else:
        assert named & seen(page)
        assert ("happens" in match[3]) == (match[3] != "and the merge cannot know.")
        assert len(times_read(page)) > 1  # counted alike, they would come to the same always


def times_read(page: AppTest) -> set[int]:
    """How often the keys that may be read were counted."""
    times = Counter(keys_of(board(page)))
    return {times[key] for key in seen(page)}


def counted_alike(match: Match, page: AppTest) -> None:
    assert times_read(page) == {int(match[1])}
    assert int(match[1]) > 1


def larger_by(match: Match, page: AppTest) -> None:
    """The score of the whole tree, in the board's own box."""
    scores, _ = asked(page)
    every = np.log(sum(np.exp(scores[key - 1]) for key in keys_of(board(page))))
    once = np.log(sum(np.exp(score) for score in scores))
    np.testing.assert_allclose(every - once, np.log(int(match[1])), atol=1e-12)
    (tree,) = roots(board(page))
    name = "".join(str(key) for key in sorted(keys_of(tree)))
    ((shown,),) = stages(page)[0].texts(f"s_{name}")
    printed(shown, float(every))


def given(match: Match, page: AppTest) -> None:
    counts = np.exp(asked(page)[0])
    np.testing.assert_allclose(counts, np.arange(1, int(match[1]) + 1), atol=1e-12)
    assert match[1] == match[2]


def without(match: Match, page: AppTest) -> None:
    key = f"pieces_{match[3]}"
    assert int(match[2]) == int(page.session_state[key])
    assert int(match[1]) == int(match[2]) - len(tokens(page)) > 0


def beside(match: Match, page: AppTest) -> None:
    found = roots(board(page))
    assert int(match[1]) == len(found) > 1
    said = [keys_of(text) for text in re.findall(r"\{[^}]*\}", match[2])]
    assert said == [sorted(keys_of(tree)) for tree in found]


def drawn_with(match: Match, page: AppTest) -> None:
    made = toy_inputs("a", heads=1, d_model=int(match[1]), seed=int(match[2]))["W_Q"]
    shown = np.squeeze(np.array(stages(page)[1].texts("W_Q"), dtype=float))
    np.testing.assert_allclose(shown, made[0], atol=1e-9)


def gap(match: Match, page: AppTest) -> None:
    """What the stage shows is full attention; and what is said to be rounding is no more."""
    assert match[1] == "is the same, bit for bit" or 0 < number(match[2]) < 1e-12
    texts = stages(page)[1].texts("difference")
    assert all(number(text) == 0 for text in np.ravel(texts))


def kept(match: Match, page: AppTest) -> None:
    width = len(stages(page)[1].texts("V")[0])
    assert [int(n) for n in match.groups()] == [width + 2, width]


def several(match: Match, page: AppTest) -> None:
    T, width = len(tokens(page)), int(page.session_state.pieces_width)
    assert (match[1] == "In another order") == (width < T)


def tiles(match: Match, page: AppTest) -> None:
    state, T = page.session_state, len(tokens(page))
    tall, wide = int(state.pieces_height), int(state.pieces_width)
    visible = np.tri(T, dtype=bool) if state.pieces_mask == "causal" else np.ones((T, T), bool)
    every = [(a, b) for a in range(0, T, tall) for b in range(0, T, wide)]
    done = [visible[a : a + tall, b : b + wide].any() for a, b in every]
    assert [int(n) for n in match.groups()] == [sum(done), len(done)]


def the_others(match: Match, page: AppTest) -> None:
    state, T = page.session_state, len(tokens(page))
    tall, wide = int(state.pieces_height), int(state.pieces_width)
    last_of_first = min(tall, T) - 1
    hidden = state.pieces_mask == "causal" and any(
        left > last_of_first for left in range(0, T, wide)
    )
    assert match[1].startswith("The others") == hidden


def each_result_once(match: Match, page: AppTest) -> None:
    """By a loop over each order: with the keys outside a block's result is written every time."""
    state, T = page.session_state, len(tokens(page))
    tall, wide = int(state.pieces_height), int(state.pieces_width)
    rows = [line.split(" | ")[-1].strip(" |") for line in prose(page).splitlines()
            if re.match(r"\| tile \d", line)]  # fmt: skip
    written = [row for row in rows if row != "–"]
    assert len(written) == len(set(written)) == len(range(0, T, tall))
    assert written[-1].split(" ")[-1] == str(T)
    outside = [a for b in range(0, T, wide) for a in range(0, T, tall)]
    assert len(outside) == len(range(0, T, wide)) * len(written)


UNITS = {"byte": 1, "bytes": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}


def about(text: str, value: float) -> None:
    said, unit = text.split(" ")
    assert abs(number(said) * UNITS[unit] - value) <= 0.0501 * UNITS[unit] * (UNITS[unit] > 1)


def moved(page: AppTest) -> tuple[tuple[int, int], tuple[int, int], int, int]:
    """Numbers read and written, at once and by tiles, by a loop; tiles done, and all of them."""
    state, d = page.session_state, 64
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
        about(text, 2 * count)


def times(match: Match, page: AppTest) -> None:
    plain, tiled, done, every = moved(page)
    ratio = sum(plain) / sum(tiled)
    assert match[1].startswith("All at once") == (ratio >= 1)
    assert abs(number(match[2]) - (ratio if ratio >= 1 else 1 / ratio)) <= 0.0501
    assert [number(match[n]) for n in (3, 4)] == [done, every]
    block = page.session_state.pieces_block
    about(match[5], 2 * (4 * block * 64 + block * block + 2 * block))


def who(match: Match, page: AppTest) -> None:
    T, workers = len(tokens(page)), int(page.session_state.pieces_workers)
    said = re.findall(r"worker (\d) \{([^}]*)\}", match[1])
    assert [int(n) for n, _ in said] == list(range(1, len(said) + 1))
    found = [[int(key) for key in keys.split(", ")] for _, keys in said]
    every = [list(part) for part in np.array_split(range(1, T + 1), workers)]
    assert found == [part for part in every if part]


def hands_over(match: Match, page: AppTest) -> None:
    width = len(stages(page)[1].texts("V")[0])
    assert [int(n) for n in match.groups()] == [width + 1, width]


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
        return f"{part[0] + 1} to {part[-1] + 1}" if len(part) > 1 else str(part[0] + 1)

    assert (match[2], match[3]) == (written(queries), written(keys))
    assert bool(match[4]) == (same[0][1] == keys)
    assert match[5] == (written(queries) if same[-1][1] == keys else "–")


def several_machines(match: Match, page: AppTest) -> None:
    assert len(tokens(page)) > 1


def machine(match: Match, page: AppTest) -> None:
    T, machines = len(tokens(page)), int(page.session_state.pieces_machines)
    n = min(T, machines)
    own = int(match[1])
    for tick, cell in enumerate(match[2].split(" | ")):
        block = (own - 1 - tick) % n + 1
        hidden = page.session_state.pieces_mask == "causal" and block > own
        assert cell == f"{block}{' (hidden)' if hidden else ''}"


def masked(match: Match, page: AppTest) -> None:
    assert match[1].startswith("Where") == (page.session_state.pieces_mask == "causal")


def computed_once(match: Match, page: AppTest) -> None:
    prefix, (texts, own) = len(["The", "cat", "sat", "on", "the"]), (3, 2)
    assert [int(n) for n in match.groups()] == [prefix + texts * own, texts * (prefix + own)]


def each_text(match: Match, page: AppTest) -> None:
    assert match[1] == "gives the same" or 0 < number(match[2]) < 1e-12


INVENTORY = Inventory(
    "recursive_attention",
    ends={
        "pieces_text": ("cat", EIGHT),
        "pieces_from": ("example", "sentence"),
        "pieces_tree": ("", "(((1 2) 3) 4)"),
        "pieces_query": ("1", "last"),
        "pieces_tree_mask": ("causal", "none"),
        "pieces_part": ("stream", "tiles", "split", "ring", "shared"),
        "pieces_width": ("1", "3"),
        "pieces_order": ("forward", "back"),
        "pieces_height": ("2", "3"),
        "pieces_machines": ("2", "3"),
        "pieces_workers": ("2", "3"),
        "pieces_asks": ("1", "last"),
        "pieces_mask": ("causal", "none"),
        "pieces_length": ("256", "16384"),
        "pieces_block": ("16", "256"),
    },
    claims={
        r"Recursive attention: why may it be cut in pieces\?|What it is good for$": ALWAYS,
        r"Softmax seems to need all scores at once|It does not\.$": ALWAYS,
        r"Of any set of keys two things say all that is needed": ALWAYS,
        r"Attention over these gives what the query reads\.$": ALWAYS,
        rf"Each box is a set of keys\.|Its score {SYMBOL} says how much the set": ALWAYS,
        rf"The given scores are {SYMBOL} to \$\\ln (\d+)\$, so the keys count as 1 to (\d+)\.$": (
            given
        ),
        r"Try it\.$|Put the sets together in another order, or count a key twice": ALWAYS,
        r"(\S+) as merged, (\S+) with all keys at once(?: \(feature (\d)\))?(: off by \S+|: the "
        r"same, whichever keys are put together first\.|\.)$": verdict,
        r"The plain mean of the last pieces' values (would be|is) ([−\d.e]+)(: each piece counts "
        r"by e to its score\.| here as well\.)$": mean,
        r"(Keys? [\d, and]+) (was|were) counted more than once, (.+)$": counted,
        r"Each key that the query may read was counted (\d+) times, so every share": counted_alike,
        r"The score is not: it is larger by \$\\ln (\d+)\$, and merged with another": larger_by,
        r"(\d) of the (\d) (workers|machines) (?:has|have) no token\.$": without,
        r"Pieces must not share a key|With other values it would: pieces must not": ALWAYS,
        r"(\d) pieces stand beside each other: (.+)\.$": beside,
        r"Merge them to one, and it can be compared with all keys at once": ALWAYS,
        rf"The law\.|For a set {SYMBOL} of keys, its score and its value are|\$\$": ALWAYS,
        r"and two sets that share no key are merged as if they were two keys:": ALWAYS,
        r"What to notice\.$|A set of no key that may be read has the score −∞: the log": ALWAYS,
        r"Its share is 0, so it changes nothing|The score of a set is never below": ALWAYS,
        rf"Random weights \({SYMBOL} = (\d+), one head, seed (\d+)\)": drawn_with,
        r"Keys and values come in blocks, and each block is forgotten once it was": ALWAYS,
        r"For every query three things are kept: the largest score so far, called": ALWAYS,
        rf"When a larger score comes, {SYMBOL} and {SYMBOL} are multiplied by": ALWAYS,
        r"This is called (online softmax|flash decoding|ring attention)\.$": ALWAYS,
        r"Beside all scores at once the result (is the same, bit for bit|differs by (\S+) at most, "
        r"for floats are added in another order)\.$": gap,
        rf"For each query (\d+) numbers are kept: (\d+) of {SYMBOL}, one {SYMBOL} and": kept,
        r"All at once, a query has a score for every key": ALWAYS,
        r"(In another order) the numbers on the way are others|(Here all keys) fit into one": (
            several
        ),
        r"A processor computes in a small fast memory and must fetch all it needs": ALWAYS,
        r"So queries are cut into blocks too, and a tile is what one block": ALWAYS,
        r"FlashAttention computes tile after tile, and the matrix of scores is": ALWAYS,
        r"The order of the tiles here is that of FlashAttention-2 \(Dao 2023\): ": each_result_once,
        r"The first FlashAttention \(Dao et al\. 2022\) goes block of keys after": each_result_once,
        r"(\d+) of (\d+) tiles are computed\.$": tiles,
        r"(The others are hidden by the mask as a whole|None of them is hidden as a w)": the_others,
        r"What is in fast memory, tile by tile, and what travels for it:$": ALWAYS,
        r"\| tile \| rows of Q, with o, m and l \| rows of K and V \| read for it \| rows": ALWAYS,
        r"\| tile (\d+) \| (.+) \| (.+) \| (Q, )?K, V \| (.+) \|$": fast,
        r"What travels, for one head of 64 features and numbers of 2 bytes:$": ALWAYS,
        r"\| way \| read \| written \| together \|$": ALWAYS,
        r"\| (all scores at once|tile by tile) \| (.*) \|$": travels,
        r"(All at once, |With blocks this small, tiles move )([\d.]+) times as much(?: travels\.|: "
        r"keys .*queries\.) ([\d,]+) of ([\d,]+) tiles are computed, and fast memory holds (\S+ "
        r"\S+) at a time\.$": times,
        r"The multiplications are the same, but for hidden tiles that are left": ALWAYS,
        r"A model that writes asks one query at a time, and its many keys would": ALWAYS,
        r"Split among workers they are read side by side: each hands over": ALWAYS,
        r"Who has which keys: (.+)\.$": who,
        r"A worker hands over (\d+) numbers: (\d+) of the value and one score": hands_over,
        r"A worker whose keys are all hidden has the score −∞, and its share is 0": ALWAYS,
        r"A text too long for one machine is cut up|Each machine keeps its block of": ALWAYS,
        r"Which block of keys and values is where:$|\| machine, and its block of q": ALWAYS,
        r"\| (\d) \| (.*) \|$": machine,
        r"Every machine meets every block, each in an order of its own": several_machines,
        r"(Where the mask hides a tile as a whole, its|Without a mask every machine has)": masked,
        r"Several texts begin alike:$|“The cat sat on the”, and go on with “old mat”": ALWAYS,
        r"The beginning is one piece, and what it gives is computed once for all": ALWAYS,
        r"What to notice\. (\d+) rows of K are computed and kept, in place of (\d+)\.$": (
            computed_once
        ),
        r"Each text run by itself, as a whole, (differs from this by (\S+) at most|gives the same)"
        r"\.$": each_text,
        r"Services that answer many people keep the beginning that all of them": ALWAYS,
        r"To take away\.$|A set of keys is summed up by its score and its value": ALWAYS,
        r"So softmax needs no whole row: tiles, workers and machines each bring": ALWAYS,
        r"Key (\d) is in the tree; there are (\d): take 1 to (\d)\.$|Shown: two halves": ALWAYS,
    },
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


def test_its_controls_are_seen_at_their_ends() -> None:
    INVENTORY.check_ends()


def test_every_sentence_holds_at_the_ends_of_its_controls() -> None:
    INVENTORY.check()
