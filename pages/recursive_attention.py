"""How can attention be split?

A score and a value summarise any set of keys, and sets are merged by them.
"""

import streamlit as st

from core.attention.chosen_token import LAST, any_token_toggle, settled_choice, token_toggle
from core.attention.costs import size_text
from core.attention.setups import DEFAULT_TEXT
from core.attention.tokens import few_enough, tokenise
from core.chapters.recursive_attention import schedules
from core.chapters.recursive_attention.counted import key_counts
from core.chapters.recursive_attention.pieces import pieces_of
from core.chapters.recursive_attention.shared_prefix import (
    CONTINUATIONS,
    PREFIX,
    keys_computed,
    prefix_error,
    shared_program,
    shared_run,
)
from core.chapters.recursive_attention.tile_schedule import Schedule
from core.chapters.recursive_attention.tiles import LIKE as TILE_NAMES
from core.chapters.recursive_attention.tiles import largest_gap, tiles_program
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
    TREE_MASK,
    example,
    tree_family,
    tree_program,
)
from core.chapters.recursive_attention.tree_verdict import tree_verdict
from core.chapters.recursive_attention.trees import (
    SHAPES,
    TREE_LIKE,
    Forest,
    all_at_once,
    check_tree,
    forest_text,
    read_forest,
    set_text,
    tree_name,
)
from core.errors import InputError
from core.operations.merging import log_sum_exp
from core.program.labels import axis_labels, listed_names
from core.program.rounding import cell_text, decimal_text, typeset
from core.program.trace import Trace
from ui.asking import ask_each
from ui.chart import draw_chart
from ui.charts.recursive_attention import ring_figure
from ui.code import in_code
from ui.exhibit import draw_exhibit, exhibit_keys
from ui.fold import fold
from ui.fragments import fragment
from ui.frame import frame
from ui.last_valid import link_that_fits, what_works
from ui.links import SENTENCE_KEY, Key, Keys, among, one_of, short_sentence
from ui.page_texts import page_texts
from ui.path_navigation import page_footer
from ui.prose import say, say_drawn
from ui.session import (
    PERSIST,
    open_link,
    place_of_messages,
    save_link,
    say_messages,
    set_if_changed,
)
from ui.stage_position import go_to_step
from ui.text import Markdown, markdown_table
from ui.toggles import chosen, toggle_keys
from ui.trees import trees
from ui.verdict import say_verdict

TEXTS = page_texts("recursive_attention")
SOURCES = {"example": TEXTS("from_example"), "sentence": TEXTS("from_sentence")}
PARTS = {
    "stream": TEXTS("one_after_another"),
    "tiles": TEXTS("tiles"),
    "split": TEXTS("several_workers"),
    "ring": TEXTS("ring"),
    "shared": TEXTS("shared"),
}
LENGTHS = (256, 1024, 4096, 16384)
BLOCKS = (16, 32, 64, 128, 256)
FEATURES = 64  # of a head, in the table of what travels
ANY_TREE = tree_program(all_at_once(2), 2, 0, "causal")
ANY_TILES = tiles_program(Schedule((2,), (2,), (((0, 0),),)))
FITTING = {
    ASKING: TEXTS("the_token"), schedules.ASKS: TEXTS("the_asking_token"),
    "pieces_text": TEXTS("the_sentence"),
}  # fmt: skip


KEYS: Keys = {
    "pieces_text": Key(DEFAULT_TEXT, short_sentence, SENTENCE_KEY),
    "pieces_from": Key("example", one_of(*SOURCES)),
    "pieces_tree": Key("", check_tree),
    **toggle_keys(any_token_toggle(ASKING), TREE_MASK),
    **exhibit_keys(ANY_TREE, "", "pieces_", 1, TREE_LIKE),
    "pieces_part": Key("stream", one_of(*PARTS)),
    **toggle_keys(
        schedules.WIDTH,
        schedules.ORDER,
        schedules.HEIGHT,
        schedules.MACHINES,
        schedules.WORKERS,
        any_token_toggle(schedules.ASKS),
        schedules.TILES_MASK,
    ),
    **exhibit_keys(ANY_TILES, "", "pieces_stream_", 1, TILE_NAMES),
    **exhibit_keys(ANY_TILES, "", "pieces_tiles_", 1, TILE_NAMES),
    **exhibit_keys(ANY_TREE, "", "pieces_split_", 1, TREE_LIKE),
    **exhibit_keys(ANY_TILES, "", "pieces_ring_", 1, TILE_NAMES),
    **exhibit_keys(shared_program(), "merged", "pieces_shared_", len(CONTINUATIONS)),
    "pieces_length": Key(4096, among(*LENGTHS)),
    "pieces_block": Key(128, among(*BLOCKS)),
}


def anew() -> None:
    """Begin with the default tree: another sentence has other keys."""
    set_if_changed(**{"pieces_tree": "", ASKING: LAST, schedules.ASKS: LAST})


def another_source() -> None:
    set_if_changed(pieces_tree="")


def default_forest(keys: int) -> Forest:
    return next(iter(SHAPES.values()))(keys)


def forest_now(keys: int) -> Forest:
    """Return the forest that is asked for, if it fits this number of keys."""
    state = st.session_state
    forest = default_forest(keys)
    try:
        forest = read_forest(state.pieces_tree, keys) if state.pieces_tree else forest
    except InputError as refused:
        with place_of_messages():
            st.warning(TEXTS("refused", refused=str(refused), shape=next(iter(SHAPES))))
    keep_forest(forest, keys)
    return forest


def keep_forest(forest: Forest, keys: int) -> None:
    """Put a forest into the link; the forest of an untouched page is left out."""
    untouched = forest == default_forest(keys)
    st.session_state.pieces_tree = "" if untouched else forest_text(forest)


@fragment
def pieces(text: str, given: bool) -> None:
    """Draw a tree over keys that is merged by hand, and the run of its program."""
    keys = EXAMPLE_KEYS if given else len(tokenise(text))
    forest = forest_now(keys)
    family = None if given else tree_family(text, forest)
    trace = family.run(**chosen(family)) if family else example(forest)
    labels = tuple(axis_labels(trace, "s_row")[2])
    judged = tree_verdict(trace, forest)
    trees(
        "pieces_board", forest, labels, pieces_of(trace, forest), key_counts(trace, judged),
        lambda made: keep_forest(made, keys), lambda array: go_to_step(array, "pieces_"),
    )  # fmt: skip
    say(TEXTS("try"))
    if judged:
        with st.container(key="beside_verdict"):
            say_verdict(trace, judged)
    else:
        sets = Markdown(listed_names([set_text(tree) for tree in forest]))
        say(TEXTS("left_over", pieces=len(forest), sets=sets))
    say(TEXTS("boxes", keys=EXAMPLE_KEYS if given else 0))
    whole = len(forest) == 1
    opening = f"v_{tree_name(forest[0])}" if whole else "y_row"
    draw_exhibit(trace, (opening, (0, 0, 0)), KEYS, "pieces_", family=family)


@fragment
def part_tabs(text: str) -> None:
    """Draw what the law is good for, one schedule at a time."""
    st.segmented_control(
        TEXTS("uses"), PARTS, key="pieces_part", required=True, format_func=PARTS.__getitem__,
        **PERSIST,
    )  # fmt: skip
    part = st.session_state.pieces_part
    if part == "shared":
        shared()
    else:
        {"stream": stream, "tiles": tiles, "split": split, "ring": machines}[part](text)
    save_link(KEYS)


def result(trace: Trace) -> Markdown:
    """Return how far a schedule's result is from all scores at once."""
    return TEXTS("result", gap=gap_text(largest_gap(trace)))


def gap_text(gap: float) -> str:
    """Return a difference as it is said; "" if there is none."""
    return typeset(cell_text(gap)) if gap else ""


def say_idle(id: str, tokens: int, among: int) -> None:
    """Say how many have no token, if there are fewer tokens than workers or machines."""
    if none := schedules.idle(tokens, among):
        say(TEXTS(id, idle=none, among=among))


@fragment
def stream(text: str) -> None:
    """Draw online softmax: keys arrive in blocks, and three things are kept."""
    say(TEXTS("stream"))
    family = schedules.streaming_family(text)
    trace = family.run(**chosen(family))
    draw_exhibit(trace, ("merged", (0, 0, 0)), KEYS, "pieces_stream_", family=family)
    features = trace["V"].shape[-1]
    kept = schedules.kept_of(features)
    say(f"{result(trace)} {TEXTS('stream_kept', kept=kept)}")
    with fold(TEXTS("more"), "stream", KEYS):
        say(TEXTS("stream_more", kept=kept, features=features))


@fragment
def tiles(text: str) -> None:
    """Draw FlashAttention-2: blocks of queries meet blocks of keys in fast memory."""
    say(TEXTS("tiles_intro"))
    family = schedules.tiles_family(text)
    now = chosen(family)
    trace = family.run(**now)
    draw_exhibit(trace, ("merged", (0, 0, 0)), KEYS, "pieces_tiles_", family=family)
    cut = (
        len(trace.tokens),
        int(now[schedules.HEIGHT.key]),
        int(now[schedules.WIDTH.key]),
        now[schedules.TILES_MASK.key],
    )
    done, every = counted_tiles(*cut)
    say(f"{result(trace)} {TEXTS('tiles_done', done=done, every=every)}")
    with fold(TEXTS("memory_title"), "memory", KEYS):
        say(TEXTS("memory_order"))
        ids = ("head_tile", "head_queries", "head_keys", "head_read", "head_written")
        say(markdown_table([*map(TEXTS, ids)], fast_memory(row_by_row(*cut))))
    with fold(TEXTS("traffic_title"), "traffic", KEYS, ("pieces_length", "pieces_block")):
        traffic(now[schedules.TILES_MASK.key])
    save_link(KEYS)


def traffic(mask: str) -> None:
    """Draw how much data moves for a longer text: all scores at once, and tile by tile."""
    with st.container(horizontal=True):
        T = st.select_slider(
            TEXTS("tokens"), LENGTHS, key="pieces_length", format_func="{:,}".format, width=260,
            **PERSIST,
        )  # fmt: skip
        block = st.select_slider(
            TEXTS("rows_in_a_block"), BLOCKS, key="pieces_block", width=260, **PERSIST
        )
    found = compared(T, FEATURES, block, mask)
    rows = [
        [TEXTS(id), *(size_text(BYTES * count) for count in (way.read, way.written, way.moved))]
        for id, way in (("plainly", found.plain), ("tiled", found.tiled))
    ]
    say(markdown_table([*map(TEXTS, ("way", "read", "written", "together"))], rows))
    more = found.times >= 1
    counted_out = {
        "times": decimal_text(found.times if more else 1 / found.times, 1),
        "tiles": f"{found.tiles:,}", "every": f"{found.all_tiles:,}",
        "held": size_text(BYTES * found.held),
    }  # fmt: skip
    say(TEXTS("traffic", more=more, **counted_out))
    say(TEXTS("traffic_counted", features=FEATURES, bytes=BYTES))
    say(TEXTS("same_work"))


@fragment
def split(text: str) -> None:
    """Draw flash decoding: the keys of one query are split among workers."""
    say(TEXTS("split"))
    family = schedules.workers_family(text)
    now = chosen(family)
    trace = family.run(**now)
    draw_exhibit(trace, ("difference", (0, 0, 0)), KEYS, "pieces_split_", family=family)
    features, workers = trace["V"].shape[-1], int(now[schedules.WORKERS.key])
    returned = schedules.piece_of(features)
    say(f"{result(trace)} {TEXTS('split_returns', returned=returned)}")
    with fold(TEXTS("more"), "split", KEYS):
        say(
            TEXTS(
                "split_who",
                workers=Markdown(listed_names(schedules.split_among(len(trace.tokens), workers))),
            )
        )
        say_idle("idle_workers", len(trace.tokens), workers)


@fragment
def machines(text: str) -> None:
    """Draw ring attention: queries stay, keys and values go round."""
    say(TEXTS("ring_intro"))
    family = schedules.ring_family(text)
    now = chosen(family)
    trace = family.run(**now)
    among, mask = int(now[schedules.MACHINES.key]), now[schedules.TILES_MASK.key]
    blocks = schedules.where(len(trace.tokens), among, mask)
    with st.container(key="beside_ring"):
        draw_chart(ring_figure(tuple(map(tuple, blocks))), "pieces_ring_figure")
    draw_exhibit(trace, ("merged", (0, 0, 0)), KEYS, "pieces_ring_", family=family)
    say(result(trace))
    with fold(TEXTS("ring_where"), "ring", KEYS):
        heads = [TEXTS("tick_head", number=number) for number in range(1, len(blocks) + 1)]
        rows = [[str(number), *row] for number, row in enumerate(blocks, 1)]
        say(markdown_table([TEXTS("machine_head"), *heads], rows))
        if mask == "causal":
            say(TEXTS("ring_idle"))
        say_idle("idle_machines", len(trace.tokens), among)


@fragment
def shared() -> None:
    """Draw a beginning that several texts have in common: its keys are computed once."""
    ends = listed_names([f"“{more}”" for more in CONTINUATIONS])
    say(TEXTS("shared_intro", prefix=PREFIX, ends=ends))
    trace = shared_run()
    draw_exhibit(trace, ("merged", (0, 0, 0)), KEYS, "pieces_shared_")
    once, again = keys_computed(len(trace.tokens), trace["K_own"].shape[1], trace["K_own"].shape[0])
    say(TEXTS("shared_rows", once=once, again=again, gap=gap_text(prefix_error(trace))))


def fits(pieces_text: str, **tokens: str) -> str:
    """Return the sentence, if it is short and has the tokens that ask. Raises `InputError`."""
    few_enough(pieces_text)
    for key, token in tokens.items():
        token_toggle(key, pieces_text).check(settled_choice(token, pieces_text))
    return pieces_text


frame("recursive_attention", TEXTS("lede"))
open_link("recursive_attention", KEYS, link_that_fits(FITTING, KEYS, fits))
say_messages()
with st.container(horizontal=True, vertical_alignment="bottom"):
    st.segmented_control(
        TEXTS("keys_label"), SOURCES, key="pieces_from", required=True, on_change=another_source,
        format_func=SOURCES.__getitem__, width="content", **PERSIST,
    )  # fmt: skip
    st.text_input(TEXTS("sentence"), key="pieces_text", width=360, on_change=anew, **PERSIST)
SHOWN = what_works(FITTING, KEYS, fits).made
for name in (ASKING, schedules.ASKS):
    st.session_state[name] = settled_choice(st.session_state[name], SHOWN)
pieces(SHOWN, st.session_state.pieces_from == "example")
with fold(TEXTS("law_title"), "law", KEYS):
    say(TEXTS("law"))
    say(TEXTS("empty_set"))
st.header(TEXTS("uses"), anchor=False)
say_drawn(schedules.streaming_family(SHOWN).run())
part_tabs(SHOWN)
ask_each("recursive_attention")
in_code(
    tree_program, log_sum_exp, tiles_program, origin=TEXTS("origin"), step="weights",
    exhibit="pieces_",
)  # fmt: skip
page_footer("recursive_attention", TEXTS("takeaway"))
save_link(KEYS)
