"""What do several heads buy?

Several ways of looking for the price of one: every head has its own weights, all together have as
many parameters as one wide head.
"""

import streamlit as st

from core.attention.setups import DEFAULT_TEXT
from core.attention.tokens import neighbours
from core.chapters.heads.heads import (
    AVERAGE,
    CONCAT,
    COUNT,
    GROUPS,
    HEADS,
    JOINED_HEADS,
    JOINED_WIDTH,
    LAYER_SEEDS,
    PAPER_WIDTH,
    SHARED_HEADS,
    SPLIT,
    WIDTH,
    by_hand,
    cache_size,
    contributions,
    heads_family,
    joined,
    maps_of,
    moves,
    parameters,
    program_of,
    read_most,
    rows_of_heads,
    served_by,
    shared,
    split_family,
    split_program,
    to_join,
)
from core.chapters.heads.questions import HEAD_QUESTIONS
from core.operations.mistaken import reshape_heads
from core.operations.shapes import join_heads, split_heads
from core.program.labels import axis_labels, off_stage
from core.program.rounding import decimal_text
from core.program.trace import Trace
from ui.asking import ask_each
from ui.chart import draw_chart
from ui.charts.heads import cache_figure, needs_figure, parts_figure, sharing_figure
from ui.code import in_code
from ui.exhibit import draw_exhibit, exhibit, exhibit_keys
from ui.fallback import what_works
from ui.fold import fold
from ui.fragments import fragment
from ui.frame import frame
from ui.links import SENTENCE, Key, Keys, among, one_of, sentence_of, whole
from ui.maps.weights import row_of, weight_maps
from ui.prose import cell_number, say, say_drawn, set_off, typeset_symbols
from ui.session import KEPT, open_link, save_link, say_messages
from ui.text import escape_markdown, markdown_table, token_text
from ui.toggles import chosen, toggle_keys
from ui.walk import way_on

PARTS = {
    "share": "Share keys and values",
    "split": "Split one projection",
    "join": typeset_symbols("Join with W_O"),
    "order": "Parallel and in series",
}
WAYS = {CONCAT: typeset_symbols("concat, then W_O"), AVERAGE: "average, one matrix"}
SPLITTING = split_family()
HAND_NAMES = ("previous token", "same token")


OF_HAND: Keys = exhibit_keys(program_of(1, 1), "weights", "heads_hand_", len(HAND_NAMES))
OF_PARTS: Keys = {
    "heads_part": Key("share", one_of(*PARTS)),
    "heads_groups": Key(2, among(*GROUPS)),
    **toggle_keys(SPLIT),
    **exhibit_keys(split_program(), "Q", "heads_split_", 2),
    "heads_token": Key(3, whole(1, 6)),
    "heads_join": Key(CONCAT, one_of(*WAYS)),
    "heads_changed": Key(2, whole(1, JOINED_HEADS)),
}
KEYS: Keys = {
    "heads_text": Key(DEFAULT_TEXT, sentence_of, SENTENCE),
    **toggle_keys(COUNT),
    **exhibit_keys(program_of(1, 1), "weights", "heads_", HEADS[-1]),
    **OF_HAND,
    **OF_PARTS,
}


@fragment
def side_by_side() -> None:
    """The weights of every head of a sentence, and one head on the stage."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input("Sentence", key="heads_text", width=360, **KEPT)
        about = st.container()
    shown = what_works({"heads_text": "the sentence"}, KEYS, with_heads)
    trace = shown.made
    with about:
        say_drawn(trace)
    above = st.container(horizontal=True)
    opening = "weights", (0, *neighbours(len(trace.tokens)))
    family = heads_family(shown.values["heads_text"])
    view = draw_exhibit(trace, opening, KEYS, "heads_", family=family)
    with above:
        weight_maps("beside_heads_maps", view, "heads_stage")
        with st.container(width=400):
            say(
                "**Try it.** Press a head: it opens on the stage below. Choose another token "
                "there, and its row is framed in every head."
            )
            ways, token = read_most(trace, row_of(view, "weights"))
            say(
                f"**Notice.** {len(trace['Q'])} head{'s' * (len(trace['Q']) > 1)}, {ways} "
                f"way{'s' * (ways > 1)} of looking: {token_text(token)} reads most from {ways} "
                f"token{'s' * (ways > 1)}."
            )
    with fold("What the heads hold", "heads_hold", KEYS):
        what_they_hold(trace)


def what_they_hold(trace: Trace) -> None:
    """The heads' matrices and their sizes, however many heads there are."""
    say(
        "Every head reads the same X. It has a W_Q, a W_K and a W_V of its own, so "
        "it has [queries](#term-query), [keys](#term-key) and weights of its own. Whatever H is, "
        "these matrices are cut from the same drawn ones: with more heads each is narrower. The "
        "joined heads are as wide as one wide head would be, and W_O mixes them."
    )
    d_k = trace["Q"].shape[-1]
    (count,) = {parameters(maps_of(PAPER_WIDTH, n)) for n in HEADS}
    say(
        f"Here d_model = {WIDTH} and H = {len(trace['Q'])}, so each head works with d_k = "
        f"d_model / H = **{d_k}** feature{'s' * (d_k > 1)}. W_Q, W_K, W_V and W_O together "
        f"hold **{parameters(trace):,}** numbers, 4·d_model², whatever H is. Counted for "
        f"d_model = {PAPER_WIDTH} and H = {', '.join(map(str, HEADS))}: {count:,} each time."
    )


def with_heads(heads_text: str) -> Trace:
    """The sentence with as many heads as are chosen. Raises `InputError`."""
    family = heads_family(heads_text)
    return family.run(**chosen(family))


@fragment
def hand_made() -> None:
    """Two heads that anybody can check, in one run."""
    trace = by_hand()
    say(
        "Each token hands over one number, its [value](#term-value). Head 1 looks for the token "
        "before, head 2 for the token itself. Below the stage stands what each of them reads."
    )
    exhibit(trace, ("weights", (0, 3, 2)), KEYS, "heads_hand_")
    places = range(len(trace.tokens))
    rows = [["value", *(cell_number(trace, "V", (0, i, 0)) for i in places)]]
    rows += [
        [f"head {n + 1}, {name}", *(cell_number(trace, "context", (n, i, 0)) for i in places)]
        for n, name in enumerate(HAND_NAMES)
    ]
    tokens = map(escape_markdown, axis_labels(trace, "weights")[1])
    say(markdown_table(["position", *tokens], rows, write=str))
    say(
        "**What to notice.** One head could not keep both apart: [softmax](#term-softmax) gives "
        "each row one set of shares, and a head that looked in both places would read a mean of "
        "the two. Two heads keep them apart, side by side in [concat](#stage-concat). The first "
        "token has none before it, so head 1 reads "
        f"{cell_number(trace, 'context', (0, 0, 0))} there, the token's own value."
    )


@fragment
def parts() -> None:
    """The rest of the chapter, one part at a time."""
    st.segmented_control(
        "More about heads", PARTS, key="heads_part", required=True,
        format_func=PARTS.__getitem__, **KEPT,
    )  # fmt: skip
    {"share": share, "split": split, "join": join, "order": order}[st.session_state.heads_part]()
    save_link(KEYS)


@fragment
def share() -> None:
    """Fewer key/value heads than heads, and what a decoder keeps."""
    groups = st.select_slider(
        f"Key/value heads G, for {SHARED_HEADS} heads",
        GROUPS,
        key="heads_groups",
        width=360,
        **KEPT,
    )
    runs = {g: shared(g) for g in GROUPS}
    trace = runs[groups]
    say_drawn(trace, DEFAULT_TEXT)
    sizes = [cache_size(run) for run in runs.values()]
    counts = ", ".join(f"{parameters(run):,} for G = {g}" for g, run in runs.items())
    left, right = st.columns(2)
    with left:
        figure = sharing_figure(served_by(trace))
        draw_chart(figure, "heads_sharing")
    with right:
        figure = cache_figure(GROUPS, sizes, groups)
        draw_chart(figure, "heads_cache")
    _, T, d_k = trace["K"].shape
    say(
        f"K and V hold 2·G·d_k·T = 2·{groups}·{d_k}·{T} = **{cache_size(trace)}** numbers after "
        f"{T} tokens, in this layer. A model that writes text keeps them for every token so far, "
        "in a [cache](#term-cache). Queries are not kept: each is used only once."
    )
    say(
        "**What to notice.** With G = H every head has keys and values of its own: multi-head "
        "[attention](#term-attention). With G = 1 all heads share one K and one V: multi-query "
        "attention. In between, each group of heads shares its own: grouped-query attention. Heads "
        "that share keys still differ here, because their queries do. A smaller G makes W_K and "
        f"W_V smaller, so here the count of parameters does change: {counts}."
    )
    save_link(KEYS)


@fragment
def split() -> None:
    """One matrix for all heads, its result split right and wrong."""
    say(
        "Many programs put the W_Q of all heads side by side in one matrix, and split the product "
        "afterwards. In memory the rows of the product stand one after another; the order of the "
        "axes decides which head gets which numbers."
    )
    way = chosen(SPLITTING)[SPLIT.key]
    runs = {name: SPLITTING.run(**{SPLIT.key: name}) for name in SPLIT.options}
    other = runs["right"] if way == "wrong" else runs["wrong"]
    draw_exhibit(runs[way], ("Q", (0, 1, 0)), KEYS, "heads_split_", other=other, family=SPLITTING)
    told = {name: rows_of_heads(run) for name, run in runs.items()}
    told |= {name: list(map(off_stage, heads)) for name, heads in told.items() if name != way}
    rows = [[SPLIT.options[name], *map(set_off, heads)] for name, heads in told.items()]
    say(markdown_table(["split", "head 1", "head 2"], rows, write=str))
    say(
        "**What to notice.** A head should get its own features of every token. Cut without the "
        "transpose, head 1 gets all of the first token here and head 2 all of the second. The "
        "shapes agree and no error is raised, but the rows of a head are now two halves of one "
        "token, and a [causal](#term-causal) [mask](#term-mask) would hide one from the other."
    )


@fragment
def join() -> None:
    """What each head adds to one token's output."""
    trace = to_join()
    say_drawn(trace, DEFAULT_TEXT)
    tokens = axis_labels(trace, "output")[0]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        number = st.segmented_control(
            "Token", list(range(1, len(tokens) + 1)), key="heads_token", required=True,
            format_func=lambda n: tokens[n - 1], width="content", **KEPT,
        )  # fmt: skip
        way = st.segmented_control(
            "Join by", list(WAYS), key="heads_join", format_func=WAYS.__getitem__, required=True,
            width="content", **KEPT,
        )  # fmt: skip
    made = joined(trace, way)
    token = number - 1
    figure = parts_figure(made.parts[:, token], made.output[token], tokens[token])
    draw_chart(figure, "heads_parts")
    swaps = [decimal_text(joined(trace, name).swap) for name in WAYS]
    say(
        "**What to notice.** W_O has a block of rows for each head, and [concat](#term-concat) · "
        "W_O is a sum: what each head has read, times its block. An average under one matrix is "
        "the same sum with one block for all, divided by H. It no longer tells which head read "
        "what: let heads 1 and 2 swap what they have read, and the largest change of the output is "
        f"**{swaps[0]}** with concat and **{swaps[1]}** with the average."
    )
    save_link(KEYS)


@fragment
def order() -> None:
    """What needs what: heads of a layer, and layers."""
    changed = st.segmented_control(
        typeset_symbols("Change W_Q of head … of layer 1"),
        list(range(1, JOINED_HEADS + 1)),
        key="heads_changed",
        required=True,
        width="content",
        **KEPT,
    )
    measured = moves(changed - 1)
    first, second = LAYER_SEEDS
    say(
        f"Two layers of {JOINED_HEADS} heads, d_model = {JOINED_WIDTH}, run on “{DEFAULT_TEXT}”. "
        f"The weights of the first are drawn with seed {first}, of the second with seed {second}."
    )
    figure = needs_figure(measured, changed - 1)
    draw_chart(figure, "heads_needs")
    say(
        "**What to notice.** The numbers say by how much each head's weights move at most. The "
        "heads of a layer need only what comes in, so they can be computed at the same time, and "
        "the weights of the others stay bit for bit what they were. Layer 2 needs the output of "
        "all heads of layer 1, so it has to wait, and here all of its heads move."
    )
    save_link(KEYS)


frame(
    "heads",
    "Heads: what do several heads buy?",
    "One [head](#term-head) has one set of [weights](#term-weight) for each [token](#term-token), "
    "so all that it finds becomes one mean. Several narrow heads can look for different things and "
    "keep them apart, with no more [parameters](#term-parameter) than one wide head.",
)
open_link("heads", KEYS)
say_messages()
side_by_side()
with fold("Two heads made by hand", "heads_hand", KEYS, OF_HAND):
    hand_made()
with fold("How heads share, split and join", "heads_parts", KEYS, OF_PARTS):
    parts()
ask_each(HEAD_QUESTIONS, "heads")
in_code(
    join_heads,
    split_heads,
    reshape_heads,
    contributions,
    origin="Several heads, d_k = d_model / H and W_O: Vaswani et al., *Attention Is All You Need* "
    "(2017), section 3.2.2. One key/value head for all: Shazeer (2019). One for each group: "
    "Ainslie et al. (2023).",
    step="concat",
    exhibit="heads_",
)
way_on(
    "heads",
    "Each head looks in its own way, with queries, keys and values that are narrower the more "
    "heads there are, so all together have no more parameters than one wide head. Their results "
    "stand side by side, and W_O mixes them.",
)
save_link(KEYS)
