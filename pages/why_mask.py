"""What would leak without a mask?

A causal mask keeps every row from what comes after it: edit a token and see which rows move.
"""

import streamlit as st

from core.attention.masks import Rule
from core.attention.setups import DEFAULT_TEXT
from core.attention.tokens import tokenise
from core.chapters.why_mask import causality as mask_runs
from core.chapters.why_mask.causality import FROM_VECTORS, REAL_HEAD, first_if_equal, sink_of
from core.models.captures import load_capture, load_maps, vectors_of
from core.models.head_scores import first_token_by_layer
from core.program.labels import axis_labels
from core.program.numbers.rounding import cell_text, decimal_text
from ui.chapters.why_mask.charts import rows_figure, sink_figure
from ui.charts.framing import draw_chart
from ui.links.links import SENTENCE_KEY, Key, Keys, sentence_of, text_of, whole_number_reader
from ui.links.session import PERSIST, set_if_changed
from ui.page.chapter import begin_chapter, end_chapter
from ui.page.fold import fold
from ui.page.last_valid import link_that_fits, what_works
from ui.page.prose import cell_number, say, say_drawn
from ui.page_texts import page_texts
from ui.server.fragments import fragment
from ui.stage.exhibit import draw_exhibit, exhibit_keys
from ui.stage.painting import chosen_sizes, mask_bits, mask_sizes, paint, painted_mask, size_keys
from ui.stage.real_model import draw_head_name, real_model_fold
from ui.stage.toggles import chosen, toggle_keys
from ui.text import Markdown, markdown_table
from ui.trained.training_picture import MASKS, learned_fold, learned_keys, say_cheat

TEXTS = page_texts("why_mask")
GALLERY_TOKENS = len(tokenise(mask_runs.GALLERY_TEXT))
CHEATING = mask_runs.cheat_family()
OF_GALLERY: Keys = {
    **toggle_keys(mask_runs.MASK),
    **size_keys("mask_size", 8),
    "mask_drawn": Key("", mask_bits(GALLERY_TOKENS)),
    **exhibit_keys(mask_runs.GIVEN, "masked", "mask_gallery_"),
}
OF_TARGETS: Keys = {
    **toggle_keys(mask_runs.CHEAT),
    "mask_block": Key(8, whole_number_reader(1, 8)),
    **exhibit_keys(mask_runs.GIVEN, "weights", "mask_cheat_"),
}
OF_REAL_HEAD: Keys = exhibit_keys(FROM_VECTORS, "weights", "mask_real_", heads=1)
KEYS: Keys = {
    "mask_text": Key(DEFAULT_TEXT, sentence_of, SENTENCE_KEY),
    "mask_at": Key(4, whole_number_reader(1, 64)),
    "mask_word": Key("under", text_of),
    **toggle_keys(mask_runs.EDITED),
    **exhibit_keys(mask_runs.GIVEN, "output", "mask_edit_"),
    **OF_GALLERY,
    **OF_TARGETS,
    **OF_REAL_HEAD,
    **learned_keys("mask_"),
}
EDIT = {
    "mask_at": TEXTS("the_token"),
    "mask_word": TEXTS("the_word"),
    "mask_text": TEXTS("the_sentence"),
}


def edited(mask_at: int, mask_word: str, mask_text: str) -> tuple[mask_runs.Edit, mask_runs.Edit]:
    """Return the edit of a token with the causal mask and without. Raises `InputError`."""
    asked = mask_text, mask_at, mask_word
    return mask_runs.edit_token(*asked, True), mask_runs.edit_token(*asked, False)


@fragment
def causality() -> None:
    """Draw the experiment: one token becomes another."""
    picture = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(TEXTS("sentence"), key="mask_text", width=360, **PERSIST)
        st.number_input(TEXTS("replace"), 1, 64, key="mask_at", step=1, width=130, **PERSIST)
        st.text_input(TEXTS("by"), key="mask_word", width=160, **PERSIST)
        about = st.container()
    working = what_works(EDIT, KEYS, edited)
    causal, free = working.made
    with about:
        say_drawn(causal.after)
    labels = axis_labels(causal.after, "output")[0]
    with picture:
        left, right = st.columns([3, 2])
    with left:
        say(TEXTS("rows_title"))
        figure = rows_figure(labels, causal.moved(), free.moved(), causal.position)
        draw_chart(figure, "mask_rows")
    with right:
        which_rows(causal, free, len(labels))
        say(TEXTS("try"))
    place, word, text = (working.values[key] for key in EDIT)
    family = mask_runs.edit_family(mask_runs.with_word(text, place, word))
    shown = causal if chosen(family)[mask_runs.EDITED.key] == "causal" else free
    draw_exhibit(
        shown.after, ("output", (shown.row_before, 0)), KEYS, "mask_edit_", other=shown.before,
        family=family,
    )  # fmt: skip


def which_rows(causal: mask_runs.Edit, free: mask_runs.Edit, rows: int) -> None:
    """Say which rows the edit changes, with the mask and without."""
    largest = cell_text(causal.moved_above)
    kept = {"above": causal.position, "same": causal.same_above, "largest": largest}
    say(TEXTS("rows", rows=rows, moved=free.rows_moved, **kept))


@fragment
def gallery() -> None:
    """Draw which cells a mask leaves, by rule or painted."""
    state, T = st.session_state, GALLERY_TOKENS
    mask_sizes("mask_size", T, state[mask_runs.MASK.key])
    sizes, drawn = chosen_sizes("mask_size"), painted_mask("mask_drawn", T)
    family = mask_runs.gallery_family(mask_runs.GALLERY_TEXT, sizes, drawn)
    now = chosen(family)
    built = family.built(**now)
    trace = built.run()
    counted = mask_runs.count_cells(trace["mask"])
    amounts = float("inf"), mask_runs.LARGE
    gaps = (mask_runs.additive_difference(built, amount) for amount in amounts)
    infinite, finite = map(cell_text, gaps)
    counts = {"computed": counted.computed, "skipped": counted.skipped}
    percent, large = decimal_text(counted.percent, 0), f"{mask_runs.LARGE:,.0f}"
    found, kind = [], now[mask_runs.MASK.key]
    if kind in ("window", "blocks"):
        found += [TEXTS(kind, size=state.mask_size)]
    found += [
        TEXTS("cells", cells=trace["mask"].size, percent=percent, **counts),
        TEXTS("added", infinite=infinite, finite=finite, large=large),
    ]
    if mask_runs.sees_nothing(trace["mask"]):
        found += [TEXTS("blind", large=large)]
    say(" ".join(found))
    draw_exhibit(
        trace, ("masked", (0, 3, 1)), KEYS, "mask_gallery_", family=family,
        on_paint=lambda stroke: paint("mask_drawn", T, stroke),
    )  # fmt: skip


@fragment
def targets() -> None:
    """Draw next-token targets, and the head that would cheat."""
    state = st.session_state
    left, right = st.columns(2)
    with left:
        st.slider(TEXTS("window_tokens"), 1, 8, key="mask_block", **PERSIST)
        shown = mask_runs.examples(state.mask_block)
        say(TEXTS("examples", ids=shown[-1].ids, examples=len(shown)))
        header = [TEXTS("sees"), TEXTS("predicts"), TEXTS("id")]
        rows = [[f"“{e.text}”", f"“{e.character}”", str(e.target)] for e in shown]
        say(markdown_table(header, rows))
    with right:
        say(TEXTS("cheat"))
    trace = CHEATING.run(**chosen(CHEATING))
    draw_exhibit(trace, ("weights", (0, 1, 2)), KEYS, "mask_cheat_", family=CHEATING)
    found = mask_runs.cheat(trace)
    cells = (cell_number(trace, "context", (0, i, 0)) for i in range(len(trace.tokens)))
    wanted = ", ".join(map(str, found.wanted))
    hits = {"hits": found.hits, "targets": len(found.wanted)}
    say(TEXTS("read", read=Markdown(", ".join(cells)), wanted=wanted, **hits))


@fragment
def real_head() -> None:
    """Draw how much weight a real model gives the first token, and one head that gives it most."""
    capture = load_capture(REAL_HEAD)
    T, layer = len(capture.run.tokens), capture.head.layer
    by_layer, equal = first_token_by_layer(load_maps(capture.run)), first_if_equal(T)
    sink = sink_of(capture)
    own, others = decimal_text(sink.length), decimal_text(sink.other_length)
    draw_head_name(capture)
    left, right = st.columns([3, 2])
    with left:
        say(TEXTS("real_chart"))
        draw_chart(sink_figure(by_layer, equal, layer), "mask_real_layers")
    with right:
        say(TEXTS("real_try"))
        percent = decimal_text(sink.percent, 3)
        say(TEXTS("real_notice", percent=percent, own=own, others=others))
        say(TEXTS("real_sink"))
    trace = FROM_VECTORS.run(vectors_of(capture))
    draw_exhibit(trace, ("weights", (0, T - 1, 0)), KEYS, "mask_real_")


if __name__ == "__main__":
    if "mask_text" in begin_chapter("why_mask", KEYS, link_that_fits(EDIT, KEYS, edited)):
        state = st.session_state
        set_if_changed(mask_at=mask_runs.place_in(state.mask_text, state.mask_at))
    causality()
    with fold(TEXTS("more_title"), "mask_more", KEYS):
        say(TEXTS("more"))
    with fold(TEXTS("gallery_title"), "mask_gallery", KEYS, OF_GALLERY):
        gallery()
    with fold(TEXTS("targets_title"), "mask_targets", KEYS, OF_TARGETS):
        targets()
    learned_fold(TEXTS("learned_title"), "mask_", KEYS, MASKS, say_cheat)
    real_model_fold("mask_real", KEYS, OF_REAL_HEAD, real_head)
    code = (Rule.mask, mask_runs.edit_token)
    end_chapter("why_mask", KEYS, code, "masked", exhibit="mask_gallery_")
