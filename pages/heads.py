"""Why use several heads?

Every head has its own weights, and all together have as many parameters as one wide head.
"""

import streamlit as st

from core.attention.examples import river_bank_story
from core.attention.examples.river_bank import RIVER_BANK_TEXT, drawn_words
from core.attention.program import attention_program
from core.attention.setups import DEFAULT_TEXT
from core.attention.tokens import neighbours, tokenise
from core.chapters.heads import heads as head_runs
from core.chapters.heads import real_model
from core.operations.shapes import join_heads, split_heads
from core.operations.wrong_operations import reshape_heads
from core.program.labels import axis_labels, off_stage
from core.program.numbers.rounding import decimal_text
from core.program.trace import Trace
from ui.chapters.heads.charts import cache_figure, needs_figure, parts_figure, sharing_figure
from ui.charts.framing import draw_chart
from ui.components.maps import looked_at_row, maps_of_view
from ui.links.links import SENTENCE_KEY, Key, Keys, among, one_of, sentence_of, whole_number_reader
from ui.links.session import PERSIST, save_link
from ui.page.chapter import begin_chapter, end_chapter
from ui.page.controls import choose_one, slide_along
from ui.page.fold import fold
from ui.page.last_valid import what_works
from ui.page.prose import (
    cell_number,
    say,
    say_drawn,
    say_made,
    set_off,
    typeset_count,
    typeset_symbols,
)
from ui.page_texts import page_texts
from ui.server.fragments import fragment
from ui.stage.exhibit import draw_exhibit, exhibit, exhibit_keys
from ui.stage.real_model import draw_numbered_heads, real_model_fold
from ui.stage.toggles import chosen, toggle_keys
from ui.text import escape_markdown, markdown_table
from ui.trained.training_picture import learned_fold, learned_keys, say_forming

TEXTS = page_texts("heads")
TAB_TITLES = {
    "share": TEXTS("part_share"),
    "split": TEXTS("part_split"),
    "join": typeset_symbols(TEXTS("part_join")),
    "order": TEXTS("part_order"),
}
WAYS = {
    head_runs.CONCAT: typeset_symbols(TEXTS("by_concat")),
    head_runs.AVERAGE: TEXTS("by_average"),
}
SPLITTING = head_runs.split_family()
HAND_ROWS = ("previous_head", "same_head")  # what the heads made by hand are called


OF_HAND: Keys = exhibit_keys(attention_program(heads=1), "weights", "heads_hand_", len(HAND_ROWS))
OF_PARTS: Keys = {
    "heads_part": Key("share", one_of(*TAB_TITLES)),
    "heads_groups": Key(2, among(*head_runs.GROUPS)),
    **toggle_keys(head_runs.SPLIT),
    **exhibit_keys(head_runs.split_program(), "Q", "heads_split_", 2),
    "heads_token": Key(3, whole_number_reader(1, 6)),
    "heads_join": Key(head_runs.CONCAT, one_of(*WAYS)),
    "heads_changed": Key(2, whole_number_reader(1, head_runs.JOINED_HEADS)),
}
OF_REAL: Keys = exhibit_keys(
    real_model.sharing_program(), "weights", "heads_real_", len(real_model.SHARING)
)
KEYS: Keys = {
    "heads_text": Key(RIVER_BANK_TEXT, sentence_of, SENTENCE_KEY, legacy_default=DEFAULT_TEXT),
    **toggle_keys(head_runs.COUNT, legacy_default=head_runs.DRAWN_COUNT),
    **exhibit_keys(attention_program(heads=1), "weights", "heads_", head_runs.HEADS[-1]),
    **OF_HAND,
    **OF_PARTS,
    **OF_REAL,
    **learned_keys("heads_"),
}


@fragment
def side_by_side() -> None:
    """The weights of every head of a sentence, and one head on the stage."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(TEXTS("sentence"), key="heads_text", width=360, **PERSIST)
        about = st.container()
    shown = what_works({"heads_text": "the sentence"}, KEYS, with_heads)
    trace = shown.made
    is_made = st.session_state[head_runs.COUNT.key] == head_runs.MADE
    with about:
        say_made(trace) if is_made else say_drawn(trace)
    above = st.container(horizontal=True)
    asking = river_bank_story.opening(trace) if is_made else None
    opening = "weights", (0, *(asking or neighbours(len(trace.tokens))))
    family = head_runs.heads_family(shown.values["heads_text"])
    view = draw_exhibit(trace, opening, KEYS, "heads_", family=family)
    with above:
        maps_of_view("beside_heads_maps", view, "heads_stage")
        with st.container(width=400):
            token, read = head_runs.read_most(trace, looked_at_row(view, "weights"))
            ways = len(set(read))
            say(TEXTS("notice", token=token, read=read, heads=len(read), ways=ways))
            say(TEXTS("try"))
    with fold(TEXTS("hold_title"), "heads_hold", KEYS):
        what_they_hold(trace)


def what_they_hold(trace: Trace) -> None:
    """The heads' matrices and their sizes, for any number of heads."""
    say(TEXTS("own_matrices"))
    say(TEXTS("sizes", d_model=trace.sizes["m"], heads=len(trace["Q"]), d_k=trace["Q"].shape[-1]))
    wide = head_runs.PAPER_WIDTH
    (count,) = {head_runs.count_parameters(head_runs.maps_of(wide, n)) for n in head_runs.HEADS}
    paper = {"paper": wide, "paper_held": typeset_count(count)}
    say(TEXTS("parameters", held=typeset_count(head_runs.count_parameters(trace)), **paper))


def with_heads(heads_text: str) -> Trace:
    """The sentence with as many heads as are chosen. Raises `InputError`."""
    family = head_runs.heads_family(heads_text)
    return family.run(**chosen(family))


@fragment
def hand_made() -> None:
    """Two heads that anybody can check, in one run."""
    trace = head_runs.two_heads_by_hand()
    say(TEXTS("hand"))
    exhibit(trace, ("weights", (0, 3, 2)), KEYS, "heads_hand_")
    places = range(len(trace.tokens))
    rows = [[TEXTS("value"), *(cell_number(trace, "V", (0, i, 0)) for i in places)]]
    rows += [
        [TEXTS(id), *(cell_number(trace, "context", (h, i, 0)) for i in places)]
        for h, id in enumerate(HAND_ROWS)
    ]
    labels = axis_labels(trace, "weights")[1]
    # An apostrophe alone is not read aloud: each is numbered.
    tokens = (f"{at} {escape_markdown(token)}" for at, token in enumerate(labels, start=1))
    say(markdown_table([TEXTS("position"), *tokens], rows, write=str))
    say(TEXTS("hand_notice"))
    say(TEXTS("first_token", read=cell_number(trace, "context", (0, 0, 0))))


@fragment
def part_tabs() -> None:
    """The rest of the chapter, one part at a time."""
    choose_one(TEXTS("parts"), TAB_TITLES, "heads_part")
    {"share": share, "split": split, "join": join, "order": order}[st.session_state.heads_part]()
    save_link(KEYS)


@fragment
def share() -> None:
    """Fewer key/value heads than heads, and what a decoder keeps."""
    label = TEXTS("groups", heads=head_runs.SHARED_HEADS)
    groups = slide_along(label, head_runs.GROUPS, "heads_groups", width=360)
    runs = {g: head_runs.shared_keys(g) for g in head_runs.GROUPS}
    trace = runs[groups]
    say_drawn(trace, DEFAULT_TEXT)
    left, right = st.columns(2)
    with left:
        draw_chart(sharing_figure(head_runs.served_by(trace)), "heads_sharing")
    with right:
        sizes = [head_runs.cache_size(run) for run in runs.values()]
        draw_chart(cache_figure(head_runs.GROUPS, sizes, groups), "heads_cache")
    say(TEXTS("shared", groups=groups, heads=head_runs.SHARED_HEADS))
    _, T, d_k = trace["K"].shape
    kept = typeset_count(head_runs.cache_size(trace))
    say(TEXTS("kept", groups=groups, d_k=d_k, tokens=T, kept=kept))
    counts = [(g, typeset_count(head_runs.count_parameters(run))) for g, run in runs.items()]
    say(TEXTS("fewer", counts=counts))
    save_link(KEYS)


@fragment
def split() -> None:
    """One matrix for all heads, its result split right and wrong."""
    say(TEXTS("split"))
    way = chosen(SPLITTING)[head_runs.SPLIT.key]
    runs = {name: SPLITTING.run(**{head_runs.SPLIT.key: name}) for name in head_runs.SPLIT.options}
    other = runs["right"] if way == "wrong" else runs["wrong"]
    draw_exhibit(runs[way], ("Q", (0, 1, 0)), KEYS, "heads_split_", other=other, family=SPLITTING)
    by_way = {name: head_runs.rows_of_heads(run) for name, run in runs.items()}
    by_way |= {name: list(map(off_stage, heads)) for name, heads in by_way.items() if name != way}
    rows = [[head_runs.SPLIT.options[name], *map(set_off, heads)] for name, heads in by_way.items()]
    heads = [TEXTS("split_head", head=h + 1) for h in range(len(by_way[way]))]
    say(markdown_table([TEXTS("split_column"), *heads], rows, write=str))
    say(TEXTS("split_notice"))
    say(TEXTS("split_silent"))


@fragment
def join() -> None:
    """What each head adds to one token's output."""
    trace = head_runs.to_join()
    say_drawn(trace, DEFAULT_TEXT)
    tokens = axis_labels(trace, "output")[0]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        named = dict(enumerate(tokens, 1))
        number = choose_one(TEXTS("token"), named, "heads_token", width="content")
        way = choose_one(TEXTS("join_by"), WAYS, "heads_join", width="content")
    made = head_runs.joined_heads(trace, way)
    token = number - 1
    figure = parts_figure(made.parts[:, token], made.output[token], tokens[token])
    draw_chart(figure, "heads_parts")
    swaps = {name: decimal_text(head_runs.joined_heads(trace, name).swap) for name in WAYS}
    say(TEXTS("join_notice", concat=swaps[head_runs.CONCAT], average=swaps[head_runs.AVERAGE]))
    say(TEXTS("join"))
    save_link(KEYS)


@fragment
def order() -> None:
    """What needs what: heads of a layer, and layers."""
    label, heads = typeset_symbols(TEXTS("change")), head_runs.JOINED_HEADS
    changed = choose_one(label, list(range(1, heads + 1)), "heads_changed", width="content")
    measured = head_runs.moves(changed - 1)
    sizes = {"heads": heads, "d_model": head_runs.JOINED_WIDTH, "text": DEFAULT_TEXT}
    first, second = head_runs.LAYER_SEEDS
    say(TEXTS("layers", first=first, second=second, **sizes))
    draw_chart(needs_figure(measured, changed - 1), "heads_needs")
    say(TEXTS("order_notice", changed=changed))
    say(TEXTS("order"))
    save_link(KEYS)


@fragment
def in_a_real_model() -> None:
    """Two heads of a real model that share their keys and values, in one run."""
    trace = real_model.sharing_run()
    draw_numbered_heads(real_model.sharing_heads())
    above = st.container(horizontal=True)
    opening = "weights", real_model.most_read_last(trace)
    view = draw_exhibit(trace, opening, KEYS, "heads_real_")
    with above:
        maps_of_view("beside_heads_real_maps", view, "heads_real_stage")
        with st.container(width=400, key="beside_heads_real_words"):
            say(TEXTS("real_try"))
            next_token, first_token = real_model.percents_in_run(trace)
            say(TEXTS("real_notice", next=next_token, first=first_token))


if __name__ == "__main__":
    if begin_chapter("heads", KEYS) and drawn_words(tokenise(st.session_state.heads_text)):
        st.session_state[head_runs.COUNT.key] = head_runs.DRAWN_COUNT  # a sentence that was brought
    side_by_side()
    with fold(TEXTS("hand_title"), "heads_hand", KEYS, OF_HAND):
        hand_made()
    with fold(TEXTS("parts_title"), "heads_parts", KEYS, OF_PARTS):
        part_tabs()
    learned_fold(TEXTS("learned_title"), "heads_", KEYS, {"repeats": ""}, say_forming)
    real_model_fold("heads_real", KEYS, OF_REAL, in_a_real_model)
    code = (join_heads, split_heads, reshape_heads, head_runs.contributions)
    end_chapter("heads", KEYS, code, "concat")
