"""What else is in a layer?

Attention mixes rows; sums keep them, norms put them on one scale, units make something new of each.
"""

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from core.attention.examples.river_bank import RIVER_BANK_TEXT
from core.attention.layers.block import POST, BlockKind, block_program
from core.attention.layers.encoder_decoder import encoder_decoder_inputs, encoder_decoder_program
from core.attention.layers.language_model import model_program
from core.attention.layers.row_norms import EPSILON
from core.attention.setups import ASKING_TEXT, DEFAULT_TEXT
from core.attention.tokens import SHORT, few_enough, tokenise
from core.chapters.block import dropout, one_row, stack
from core.program.labels import cell_id, listed_names, token_labels
from core.program.numbers.rounding import typeset
from core.program.operation import number_text
from stage.document.places import carried
from ui.chapters.block.charts import depth_figure
from ui.chapters.block.tiny_model import MODEL_KEYS, tiny_model
from ui.charts.framing import draw_chart
from ui.components.layer_diagram import layer_diagram
from ui.components.maps import looked_at_row
from ui.links.links import SENTENCE_KEY, Key, Keys, one_of, short_sentence, whole_number_reader
from ui.links.session import PERSIST, save_link, set_if_changed
from ui.links.stage_position import View, go_to_step
from ui.page.chapter import begin_chapter, end_chapter
from ui.page.controls import choose_one
from ui.page.fold import fold
from ui.page.last_valid import link_that_fits, of_one, what_works
from ui.page.prose import decimals, say, say_drawn, say_made, typeset_decimal
from ui.page_texts import chart_texts, page_texts
from ui.server.fragments import fragment
from ui.stage.exhibit import draw_exhibit, exhibit_keys
from ui.stage.toggles import chosen, run_as_chosen, toggle_keys
from ui.text import markdown_table, token_text

TEXTS = page_texts("block")
NAMES = chart_texts("block")
HEADS = 2
KEPT = one_row.depth_program(True)
FIRST, OPENING = block_program(BlockKind(POST, "relu"), 1), "attn_1"
AS_ON_STAGE = 0
"""Instead of the number of the token whose row changes: the one that is looked at."""
DRAWS = 20  # from which one may choose
TAB_TITLES = {
    "deep": TEXTS("deep_part"),
    "norm": TEXTS("norm_part"),
    "dropout": TEXTS("dropout_part"),
    "translator": TEXTS("translator_part"),
    "model": TEXTS("model_part"),
}
ASKS = {"block_written": TEXTS("the_translation")}
KEYS: Keys = {
    "block_text": Key(RIVER_BANK_TEXT, short_sentence, SENTENCE_KEY, legacy_default=DEFAULT_TEXT),
    **toggle_keys(stack.NORM, stack.UNIT_TOGGLE, stack.LAYERS, stack.MASK),
    **toggle_keys(stack.ATTENTION_TOGGLE, legacy_default=stack.DRAWN),
    **exhibit_keys(FIRST, OPENING, "block_", HEADS, stack.LIKE, legacy_step="normed_1a"),
    "block_head": Key(HEADS, whole_number_reader(1, HEADS), legacy_default=1),
    "block_changed": Key(AS_ON_STAGE, whole_number_reader(0, SHORT), legacy_default=1),
    "block_part": Key("deep", one_of(*TAB_TITLES)),
    **MODEL_KEYS,
    "block_written": Key(ASKING_TEXT, short_sentence),
    **exhibit_keys(encoder_decoder_program(), "weights_3", "block_two_", HEADS),
    **toggle_keys(one_row.RESIDUAL, one_row.MATRIX),
    **exhibit_keys(KEPT, f"x_{one_row.DEEPEST}", "block_depth_", 1, r"(Jx|x)_\d+"),
    **exhibit_keys(one_row.norm_program(), "mean", "block_eight_", 1),
    **toggle_keys(dropout.RATE),
    "block_draw": Key(4, whole_number_reader(1, DRAWS)),
    **exhibit_keys(dropout.dropout_program(0.2), "dropped", "block_drop_", 1),
}
FITTING = {"block_changed": TEXTS("the_token"), "block_text": TEXTS("the_sentence")}


def fits(block_changed: int, block_text: str) -> str:
    """The sentence, where it is short and has the token to change. Raises `InputError`."""
    count = len(tokenise(few_enough(block_text)))
    if block_changed != AS_ON_STAGE:
        stack.check_token(block_changed, count)
    return block_text


def anew() -> None:
    """Another sentence may not have that many tokens."""
    set_if_changed(block_changed=AS_ON_STAGE)


@fragment
def layer(text: str) -> None:
    """The boxes of a layer, the rows that one token moves in each, and every step of it."""
    family = stack.block_family(text)
    now, trace = run_as_chosen(family)
    kind = stack.kind_of(now)
    labels, weights = token_labels(trace.tokens), now[stack.ATTENTION_TOGGLE.key]
    above = st.container()
    opening = OPENING, stack.opening_cell(trace, weights)
    view = draw_exhibit(trace, opening, KEYS, "block_", family=family)
    number = st.session_state.block_changed
    at = looked_at_row(view, OPENING) if number == AS_ON_STAGE else number - 1
    parts = stack.boxes(kind, text, weights)
    with above:
        layer_diagram("block_board", labels, parts, at, partial(choose, view))
        say_moved(labels, at, kind.mask == "causal", parts)
        say(TEXTS("try"))
    layers = int(now[stack.LAYERS.key])
    if layers > 1:
        st.caption(TEXTS("seeds", last=layers - 1))
    with fold(TEXTS("parts_title"), "moved", KEYS):
        say_parts(stack.moved_rows(kind, text, at, weights), labels)
    with fold(TEXTS("stacked_title"), "stacked", KEYS):
        rows, numbers = trace["X"].shape
        say(TEXTS("stacked", post=kind.norm == POST, rows=rows, numbers=numbers))
    if weights == stack.BY_HAND:
        say_made(trace, TEXTS("made"))
    else:
        say_drawn(trace)


def choose(view: View, token: int) -> None:
    """Look at another token, above and on the stage."""
    cell = carried(view.trace, view.array, OPENING, (token, 0), view.slices)
    go_to_step(view.array, "block_")
    set_if_changed(block_changed=AS_ON_STAGE, block_cell=cell_id(view.array, cell))


def say_moved(labels: list[str], at: int, causal: bool, parts: Sequence[stack.Box]) -> None:
    """Where rows move that are not the token's own."""
    moved, all_that_may = stack.moved_by_attention(parts, OPENING, at, causal)
    told = {"all": all_that_may, "moved": moved, "count": len(labels)}
    say(TEXTS("changed", token=token_text(labels[at]), causal=causal, **told))


def say_parts(found: Sequence[stack.MovedPart], labels: list[str]) -> None:
    """Part by part: which rows change."""

    def which(moved: Sequence[bool]) -> str:
        if all(moved) and len(moved) > 1:
            return NAMES("every_row")
        return ", ".join(labels[n] for n, row in enumerate(moved) if row)

    head = [NAMES("part"), NAMES("by_this_part"), NAMES("in_the_block")]
    rows = [[part.name, which(part.alone), which(part.inside)] for part in found]
    say(markdown_table(head, rows))


@fragment
def part_tabs(text: str) -> None:
    """What else there is to a layer, one thing at a time."""
    draw: dict[str, Callable[[], None]] = {
        "deep": deep,
        "norm": norm_by_hand,
        "dropout": partial(dropping, text),
        "translator": partial(translating, text),
        "model": partial(tiny_model, KEYS),
    }
    draw[choose_one(TEXTS("what"), TAB_TITLES, "block_part", label_visibility="collapsed")]()
    save_link(KEYS)


@fragment
def translating(read: str) -> None:
    """Two sentences through an encoder and a decoder of one layer each."""
    say(TEXTS("translator"))
    st.text_input(TEXTS("so_far"), key="block_written", width=360, **PERSIST)
    write = what_works(ASKS, KEYS, of_one(few_enough)).made
    trace = encoder_decoder_program().run(encoder_decoder_inputs(write, read))
    queries, keys = trace["weights_3"].shape[1:]
    draw_exhibit(trace, ("weights_3", (0, queries - 1, 0)), KEYS, "block_two_")
    say(TEXTS("twice", queries=queries, keys=keys))
    with fold(TEXTS("more"), "translator", KEYS):
        say(TEXTS("translator_more"))


@fragment
def dropping(text: str) -> None:
    """The weights of a sentence in one draw of dropout, and on average."""
    say(TEXTS("dropout"))
    draw = st.slider(TEXTS("draw"), 1, DRAWS, key="block_draw", width=260, **PERSIST)
    family = dropout.dropout_family(text, draw)
    now, trace = run_as_chosen(family)
    rate = float(now[dropout.RATE.key])
    opening = "dropped", (0, len(trace.tokens) - 1, 0)
    draw_exhibit(trace, opening, KEYS, "block_drop_", family=family)
    row, labels = dropout.last_row(trace, rate), token_labels(trace.tokens)
    numbers = zip(labels, row.weights, row.dropped, row.mean, strict=True)
    table = [[label, *(typeset_decimal(x) for x in three)] for label, *three in numbers]
    draws = f"{dropout.MOST_DRAWS:,}"
    head = [TEXTS("token"), TEXTS("weight"), TEXTS("this_draw"), TEXTS("mean_of", draws=draws)]
    with st.container(key="beside_dropped"):
        say(markdown_table(head, table))
        counts = {"draw": draw, "out": row.left_out, "weights": len(labels)}
        total = typeset_decimal(row.total)
        say(TEXTS("dropped", token=token_text(labels[-1]), total=total, **counts))
    with fold(TEXTS("more"), "expected", KEYS):
        say(TEXTS("expected"))


@fragment
def deep() -> None:
    """A row through many layers, with the input of each kept or dropped."""
    say(TEXTS("deep"))
    family = one_row.depth_family()
    now = chosen(family)
    found = one_row.depths(one_row.MATRICES[now[one_row.MATRIX.key]])
    draw_chart(depth_figure(found.dropped, found.kept), "block_sizes")
    opening = f"x_{one_row.DEEPEST}", (0, 0)
    draw_exhibit(family.run(**now), opening, KEYS, "block_depth_", family=family)
    sizes = decimals(dropped=found.dropped[-1], kept=found.kept[-1], first=found.kept[0])
    say(TEXTS("sizes", deepest=one_row.DEEPEST, lost=found.lost, gentle=found.gentle, **sizes))
    with fold(TEXTS("more"), "deep", KEYS):
        say(TEXTS("deep_more"))
    with fold(TEXTS("powers_title"), "powers", KEYS):
        start, *rows = one_row.power_rows(one_row.DROPPED)
        _, *kept_rows = one_row.power_rows(one_row.KEPT)
        listed = {"rows": listed_names(rows), "kept": listed_names(kept_rows)}
        say(TEXTS("powers", start=start, matrix=one_row.MATRIX.options[one_row.BY_HAND], **listed))
        st.button(TEXTS("show_rows"), key="block_by_hand", on_click=show_by_hand)


def show_by_hand() -> None:
    """Send the stage to the first row of the power method by hand."""
    set_if_changed(**{one_row.MATRIX.key: one_row.BY_HAND, one_row.RESIDUAL.key: one_row.DROPPED})
    go_to_step("x_1", "block_depth_")
    set_if_changed(block_depth_cell="x_1.0.0")


@fragment
def norm_by_hand() -> None:
    """Eight numbers through a layer norm."""
    trace = one_row.eight_numbers()
    say(TEXTS("norm", numbers=listed_names([f"{number:g}" for number in one_row.NUMBERS])))
    draw_exhibit(trace, ("mean", (0, 0)), KEYS, "block_eight_")
    found = decimals(mean=trace["mean"][0, 0], variance=trace["variance"][0, 0])
    normed = listed_names([typeset_decimal(number) for number in trace["normed"][0]])
    say(TEXTS("normed", numbers=normed, **found))
    with fold(TEXTS("more"), "epsilon", KEYS):
        say(TEXTS("epsilon", epsilon=typeset(number_text(EPSILON))))


if __name__ == "__main__":
    begin_chapter("block", KEYS, link_that_fits(FITTING, KEYS, fits))
    st.text_input(TEXTS("sentence"), key="block_text", width=360, on_change=anew, **PERSIST)
    SHOWN = what_works(FITTING, KEYS, fits).made
    layer(SHOWN)
    st.header(TEXTS("more_title"), anchor=False)
    part_tabs(SHOWN)
    shown = (block_program, model_program, encoder_decoder_program, one_row.depth_program)
    end_chapter("block", KEYS, shown, "output")
