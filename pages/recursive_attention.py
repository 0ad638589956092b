"""Why may attention be cut in pieces?

Of any set of keys a score and a value say all that is needed, and sets are merged by these.
"""

import streamlit as st

from core.attention.chosen_token import LAST, any_token_toggle, settled, token_toggle
from core.attention.costs import size_text
from core.attention.setups import DEFAULT_TEXT
from core.attention.tokens import few_enough, tokenise
from core.chapters.recursive_attention.counted import counted
from core.chapters.recursive_attention.questions import RECURSIVE_QUESTIONS
from core.chapters.recursive_attention.schedules import (
    ASKS,
    HEIGHT,
    MACHINES,
    ORDER,
    WIDTH,
    WORKERS,
    idle,
    kept_of,
    piece_of,
    ring_family,
    several_blocks,
    split_among,
    streaming_family,
    tiles_family,
    where,
    workers_family,
)
from core.chapters.recursive_attention.schedules import MASK as TILES_MASK
from core.chapters.recursive_attention.shared_prefix import (
    CONTINUATIONS,
    PREFIX,
    apart,
    keys_computed,
    shared_program,
    shared_run,
)
from core.chapters.recursive_attention.tiles import LIKE as TILE_NAMES
from core.chapters.recursive_attention.tiles import Schedule, largest_gap, tiles_program
from core.chapters.recursive_attention.traffic import (
    BYTES,
    compared,
    counted_tiles,
    fast_memory,
    row_by_row,
)
from core.chapters.recursive_attention.tree_program import (
    ASKING,
    EXAMPLE_KEYS,
    MASK,
    example,
    pieces_of,
    sentence_family,
    tree_program,
    verdict,
)
from core.chapters.recursive_attention.trees import (
    LIKE,
    SHAPES,
    Forest,
    all_at_once,
    check_tree,
    forest_text,
    name_of,
    read_forest,
    set_text,
)
from core.errors import InputError
from core.operations.merging import log_sum_exp
from core.program.labels import axis_labels, listed
from core.program.rounding import cell_text, decimal_text, typeset
from core.program.trace import Trace
from ui.asking import ask_each
from ui.chart import draw_chart
from ui.charts.recursive_attention import ring_figure
from ui.code import in_code
from ui.exhibit import draw_exhibit, exhibit_keys
from ui.fallback import link_that_fits, what_works
from ui.fold import fold
from ui.fragments import fragment
from ui.frame import frame
from ui.links import SENTENCE, Key, Keys, among, one_of, short_sentence
from ui.prose import say, say_drawn
from ui.selection import go
from ui.session import KEPT, open_link, place_of_messages, put, save_link, say_messages
from ui.text import escape_markdown, markdown_table
from ui.toggles import chosen, toggle_keys
from ui.trees import trees
from ui.verdict import say_verdict
from ui.walk import way_on

SOURCES = {"example": "Four keys with given scores", "sentence": "The sentence"}
PARTS = {
    "stream": "One block after another",
    "tiles": "Tiles",
    "split": "Several workers",
    "ring": "A ring of machines",
    "shared": "A shared beginning",
}
LENGTHS = (256, 1024, 4096, 16384)
BLOCKS = (16, 32, 64, 128, 256)
FEATURES = 64  # of a head, in the table of what travels
ANY_TREE = tree_program(all_at_once(2), 2, 0, "causal")
ANY_TILES = tiles_program(Schedule((2,), (2,), (((0, 0),),)))
FITTING = {ASKING: "the token", ASKS: "the token that asks", "pieces_text": "the sentence"}


KEYS: Keys = {
    "pieces_text": Key(DEFAULT_TEXT, short_sentence, SENTENCE),
    "pieces_from": Key("example", one_of(*SOURCES)),
    "pieces_tree": Key("", check_tree),
    **toggle_keys(any_token_toggle(ASKING), MASK),
    **exhibit_keys(ANY_TREE, "", "pieces_", 1, LIKE),
    "pieces_part": Key("stream", one_of(*PARTS)),
    **toggle_keys(WIDTH, ORDER, HEIGHT, MACHINES, WORKERS, any_token_toggle(ASKS), TILES_MASK),
    **exhibit_keys(ANY_TILES, "", "pieces_stream_", 1, TILE_NAMES),
    **exhibit_keys(ANY_TILES, "", "pieces_tiles_", 1, TILE_NAMES),
    **exhibit_keys(ANY_TREE, "", "pieces_split_", 1, LIKE),
    **exhibit_keys(ANY_TILES, "", "pieces_ring_", 1, TILE_NAMES),
    **exhibit_keys(shared_program(), "merged", "pieces_shared_", len(CONTINUATIONS)),
    "pieces_length": Key(4096, among(*LENGTHS)),
    "pieces_block": Key(128, among(*BLOCKS)),
}


def anew() -> None:
    """Another sentence has other keys."""
    put(**{"pieces_tree": "", ASKING: LAST, ASKS: LAST})


def another_source() -> None:
    put(pieces_tree="")


def default_forest(keys: int) -> Forest:
    return next(iter(SHAPES.values()))(keys)


def forest_now(keys: int) -> Forest:
    """The forest that is asked for, where it fits so many keys."""
    state = st.session_state
    forest = default_forest(keys)
    try:
        forest = read_forest(state.pieces_tree, keys) if state.pieces_tree else forest
    except InputError as refused:
        with place_of_messages():
            st.warning(escape_markdown(f"{refused}. Shown: {next(iter(SHAPES))}."))
    keep_forest(forest, keys)
    return forest


def keep_forest(forest: Forest, keys: int) -> None:
    """Put a forest into the link, as it is written there; the one of an untouched page is not."""
    untouched = forest == default_forest(keys)
    st.session_state.pieces_tree = "" if untouched else forest_text(forest)


@fragment
def pieces(text: str, given: bool) -> None:
    """A tree over keys, put together by hand, and the run of its program."""
    keys = EXAMPLE_KEYS if given else len(tokenise(text))
    forest = forest_now(keys)
    family = None if given else sentence_family(text, forest)
    trace = family.run(**chosen(family)) if family else example(forest)
    labels = tuple(axis_labels(trace, "s_row")[2])
    judged = verdict(trace, forest)
    trees(
        "pieces_board", forest, labels, pieces_of(trace, forest), counted(trace, judged),
        lambda made: keep_forest(made, keys), lambda array: go(array, "pieces_"),
    )  # fmt: skip
    say(
        "**Try it.** Put the sets together in another order, or count a key twice, and see what "
        "comes out."
    )
    if judged:
        with st.container(key="beside_verdict"):
            say_verdict(trace, judged)
    else:
        say(
            f"**{len(forest)} pieces stand beside each other:** "
            f"{listed([set_text(tree) for tree in forest])}. Merge them to one, and it can be "
            "compared with all keys at once."
        )
    say(
        "Each box is a set of keys. Its score $s=\\ln\\sum e^{s_i}$ says how much the set counts, "
        "its value $v$ what the query would read of it alone. "
        + (
            f"The given scores are $\\ln 1$ to $\\ln {EXAMPLE_KEYS}$, so the keys count as 1 to "
            f"{EXAMPLE_KEYS}. "
            if given
            else ""
        )
    )
    whole = len(forest) == 1
    opening = f"v_{name_of(forest[0])}" if whole else "y_row"
    draw_exhibit(trace, (opening, (0, 0, 0)), KEYS, "pieces_", family=family)


@fragment
def parts(text: str) -> None:
    """What the law is good for, one schedule at a time."""
    st.segmented_control(
        "What it is good for", PARTS, key="pieces_part", required=True,
        format_func=PARTS.__getitem__, **KEPT,
    )  # fmt: skip
    part = st.session_state.pieces_part
    if part == "shared":
        shared()
    else:
        {"stream": stream, "tiles": tiles, "split": split, "ring": machines}[part](text)
    save_link(KEYS)


def say_same(trace: Trace) -> None:
    """How far a schedule's result is from all scores at once."""
    gap = largest_gap(trace)
    say(
        "**Beside all scores at once** the result "
        + (
            f"differs by {typeset(cell_text(gap))} at most, for floats are added in another order."
            if gap
            else "is the same, bit for bit."
        )
    )


def say_idle(tokens: int, among: int, who: str) -> str:
    """Where there are fewer tokens than there is to share them."""
    none = idle(tokens, among)
    return (
        f"\n\n{none} of the {among} {who} {'has' if none == 1 else 'have'} no token."
        if none
        else ""
    )


@fragment
def stream(text: str) -> None:
    """Online softmax: keys pass by, and three things are kept."""
    say(
        "Keys and values come in blocks, and each block is forgotten once it was used. For every "
        "query three things are kept: the largest score so far, called $m$, the sum $l$ of "
        "$e^{s-m}$, and the mixture $o$, the values times these. When a larger score comes, $l$ "
        "and $o$ are multiplied by $e$ to the old $m$ minus the new one. This is called online "
        "softmax."
    )
    family = streaming_family(text)
    trace = family.run(**chosen(family))
    draw_exhibit(trace, ("merged", (0, 0, 0)), KEYS, "pieces_stream_", family=family)
    features = trace["V"].shape[-1]
    say_same(trace)
    say(
        f"**What to notice.** For each query {kept_of(features)} numbers are kept: {features} of "
        "$o$, one $m$ and one $l$, however many keys pass by. All at once, a query has a score for "
        "every key."
        + (
            " In another order the numbers on the way are others, and the end is the same."
            if several_blocks(trace)
            else " Here all keys fit into one block."
        )
    )


@fragment
def tiles(text: str) -> None:
    """FlashAttention-2: blocks of queries meet blocks of keys in fast memory."""
    say(
        "A processor computes in a small [fast memory](#term-fast-memory) and must fetch all it "
        "needs from a large slow one. So queries are cut into blocks too, and a *tile* is what one "
        "block of queries makes of one block of keys. FlashAttention computes tile after tile, and "
        "the matrix of scores is never in the slow memory. The order of the tiles here is that of "
        "FlashAttention-2 (Dao 2023): block of queries after block of queries, so each row of the "
        "result is written once. The first FlashAttention (Dao et al. 2022) goes block of keys "
        "after block of keys, so it reads and writes each block of results again for every block "
        "of keys."
    )
    family = tiles_family(text)
    now = chosen(family)
    trace = family.run(**now)
    draw_exhibit(trace, ("merged", (0, 0, 0)), KEYS, "pieces_tiles_", family=family)
    say_same(trace)
    cut = (len(trace.tokens), int(now[HEIGHT.key]), int(now[WIDTH.key]), now[TILES_MASK.key])
    done, every = counted_tiles(*cut)
    hidden = (
        "The others are hidden by the mask as a whole, so FlashAttention-2 leaves them out."
        if done < every
        else "None of them is hidden as a whole."
    )
    say(f"**{done} of {every} tiles** are computed. {hidden}")
    say("**What is in fast memory**, tile by tile, and what travels for it:")
    head = ["tile", "rows of Q, with o, m and l", "rows of K and V", "read for it", "rows written"]
    say(markdown_table(head, fast_memory(row_by_row(*cut))))
    say(f"**What travels**, for one head of {FEATURES} features and numbers of {BYTES} bytes:")
    with st.container(horizontal=True):
        T = st.select_slider(
            "Tokens", LENGTHS, key="pieces_length", format_func="{:,}".format, width=260, **KEPT
        )
        block = st.select_slider("Rows in a block", BLOCKS, key="pieces_block", width=260, **KEPT)
    found = compared(T, FEATURES, block, now[TILES_MASK.key])
    rows = [
        [name, *(size_text(BYTES * count) for count in (way.read, way.written, way.moved))]
        for name, way in (("all scores at once", found.plain), ("tile by tile", found.tiled))
    ]
    say(markdown_table(["way", "read", "written", "together"], rows))
    more = (
        f"All at once, **{decimal_text(found.times, 1)} times** as much travels."
        if found.times >= 1
        else f"With blocks this small, tiles move **{decimal_text(1 / found.times, 1)} times** as "
        "much: keys and values are fetched again for each block of queries."
    )
    say(
        f"{more} {found.tiles:,} of {found.all_tiles:,} tiles are computed, and fast memory holds "
        f"{size_text(BYTES * found.held)} at a time. The multiplications are the same, but for "
        "hidden tiles that are left out and for the rescaling: what is saved is travel."
    )
    save_link(KEYS)


@fragment
def split(text: str) -> None:
    """Flash decoding: the keys of one query are split among workers."""
    say(
        "A model that writes asks one query at a time, and its many keys would be read one after "
        "another. Split among workers they are read side by side: each hands over the score and "
        "the value of its piece, and the pieces are merged. This is called flash decoding."
    )
    family = workers_family(text)
    now = chosen(family)
    trace = family.run(**now)
    draw_exhibit(trace, ("difference", (0, 0, 0)), KEYS, "pieces_split_", family=family)
    say_same(trace)
    features = trace["V"].shape[-1]
    workers = int(now[WORKERS.key])
    say(
        f"**Who has which keys:** {listed(split_among(len(trace.tokens), workers))}."
        + say_idle(len(trace.tokens), workers, "workers")
    )
    say(
        f"**What to notice.** A worker hands over {piece_of(features)} numbers: {features} of the "
        "value and one score, however many keys it has. A worker whose keys are all hidden has "
        "the score −∞, and its share is 0."
    )


@fragment
def machines(text: str) -> None:
    """Ring attention: queries stay, keys and values go round."""
    say(
        "A text too long for one machine is cut up. Each machine keeps its block of queries, and "
        "the blocks of keys and values go round in a ring: at every tick each machine computes "
        "one tile and passes the block on. This is called ring attention."
    )
    family = ring_family(text)
    now = chosen(family)
    trace = family.run(**now)
    blocks = where(len(trace.tokens), int(now[MACHINES.key]), now[TILES_MASK.key])
    with st.container(key="beside_ring"):
        draw_chart(ring_figure(tuple(map(tuple, blocks))), "pieces_ring_figure")
    draw_exhibit(trace, ("merged", (0, 0, 0)), KEYS, "pieces_ring_", family=family)
    say_same(trace)
    ticks = [f"tick {number}" for number in range(1, len(blocks) + 1)]
    say("**Which block of keys and values is where:**")
    say(
        markdown_table(
            ["machine, and its block of queries", *ticks],
            [[str(number), *row] for number, row in enumerate(blocks, 1)],
        )
        + say_idle(len(trace.tokens), int(now[MACHINES.key]), "machines")
    )
    say(
        "**What to notice.** "
        + (
            "Every machine meets every block, each in an order of its own, and all come to the "
            "same as all scores at once. "
            if len(blocks) > 1
            else ""
        )
        + (
            "Where the mask hides a tile as a whole, its machine has nothing to do at that tick."
            if now[TILES_MASK.key] == "causal"
            else "Without a mask every machine has a tile to compute at every tick."
        )
    )


@fragment
def shared() -> None:
    """Keys and values of a beginning that several texts share."""
    say(
        f"Several texts begin alike: “{PREFIX}”, and go on with "
        f"{listed([f'“{more}”' for more in CONTINUATIONS])}. The beginning is one piece, and what "
        "it gives is computed once for all of them."
    )
    trace = shared_run()
    draw_exhibit(trace, ("merged", (0, 0, 0)), KEYS, "pieces_shared_")
    once, again = keys_computed(len(trace.tokens), trace["K_own"].shape[1], trace["K_own"].shape[0])
    gap = apart(trace)
    same = f"differs from this by {typeset(cell_text(gap))} at most" if gap else "gives the same"
    say(
        f"**What to notice.** {once} rows of K are computed and kept, in place of {again}. Each "
        f"text run by itself, as a whole, {same}. Services that answer many people keep the "
        "beginning that all of them share."
    )


def fits(pieces_text: str, **tokens: str) -> str:
    """The sentence, where it is short and has the tokens that ask. Raises `InputError`."""
    few_enough(pieces_text)
    for key, token in tokens.items():
        token_toggle(key, pieces_text).check(settled(token, pieces_text))
    return pieces_text


frame(
    "recursive_attention",
    "Recursive attention: why may it be cut in pieces?",
    "[Softmax](#term-softmax) seems to need all [scores](#term-score) at once. It does not. Of any "
    "set of [keys](#term-key) two things say all that is needed: a score and a "
    "[value](#term-value) of the set. [Attention](#term-attention) over these gives what the "
    "[query](#term-query) reads.",
)
open_link("recursive_attention", KEYS, link_that_fits(FITTING, KEYS, fits))
say_messages()
with st.container(horizontal=True, vertical_alignment="bottom"):
    st.segmented_control(
        "Keys", SOURCES, key="pieces_from", required=True, on_change=another_source,
        format_func=SOURCES.__getitem__, width="content", **KEPT,
    )  # fmt: skip
    st.text_input("Sentence", key="pieces_text", width=360, on_change=anew, **KEPT)
SHOWN = what_works(FITTING, KEYS, fits).made
for name in (ASKING, ASKS):
    st.session_state[name] = settled(st.session_state[name], SHOWN)
pieces(SHOWN, st.session_state.pieces_from == "example")
with fold("The law", "law", KEYS):
    say(
        "For a set $I$ of keys, its score and its value are\n\n"
        r"$$s(I)=\ln\sum_{i\in I}e^{s_i}\qquad v(I)=\sum_{i\in I}e^{s_i-s(I)}\,v_i$$"
        "\n\nand two sets that share no key are merged as if they were two keys:\n\n"
        r"$$v(I\cup J)=e^{s(I)-s(I\cup J)}\,v(I)+e^{s(J)-s(I\cup J)}\,v(J)$$"
    )
    say(
        "A set of no key that may be read has the score −∞: the logarithm of an empty sum. Its "
        "share is 0, so it changes nothing. The score of a set is never below that of its best "
        "key, and it grows with every key that is added and may be read: it says how much the set "
        "counts."
    )
st.header("What it is good for", anchor=False)
say_drawn(streaming_family(SHOWN).run())
parts(SHOWN)
ask_each(RECURSIVE_QUESTIONS, "pieces")
in_code(
    tree_program,
    log_sum_exp,
    tiles_program,
    origin="Online softmax: Milakov and Gimelshein (2018). Tiles: Dao et al., *FlashAttention* "
    "(2022); the order of the tiles: Dao, *FlashAttention-2* (2023). "
    "Keys split among workers: flash decoding (Dao et al. 2023). Rings: Liu et al. (2023). "
    "Shared beginnings: Juravsky et al., *Hydragen* (2024). Merging sets by score and value: Ye et "
    "al., *FlashInfer* (2025).",
    step="weights",
    exhibit="pieces_",
)
way_on(
    "recursive_attention",
    "A set of keys is summed up by its score and its value, and sets that share no key are merged "
    "by attention over them. So softmax needs no whole row: tiles, workers and machines each bring "
    "a piece.",
)
save_link(KEYS)
