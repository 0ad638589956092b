"""What goes wrong without √d_k?

The more features two vectors have, the wider their dot products spread; softmax of a wide row gives
nearly all weight to one key and passes almost no gradient back. Dividing by √d_k undoes the spread.
"""

import streamlit as st

from core.attention.setups import DEFAULT_TEXT
from core.attention.tokens import neighbours
from core.chapters.why_scale import real_model
from core.chapters.why_scale import variance as spreading
from core.limits import MAX_SEED
from core.models.captures import load_capture
from core.operations.scores import divide_by_root
from core.program.labels import axis_label
from core.program.numbers.display import shown
from core.program.numbers.rounding import typeset
from core.program.trace import Trace
from ui.chapters.why_scale.charts import (
    SCALING_BARS,
    grid_figure,
    saturation_figure,
    spread_figure,
    variance_figure,
)
from ui.charts.framing import draw_chart
from ui.charts.softmax import weights_figure
from ui.links.links import SENTENCE_KEY, Key, Keys, among, sentence_of, whole_number_reader
from ui.links.session import PERSIST, save_link
from ui.page.chapter import begin_chapter, end_chapter
from ui.page.controls import slide_along
from ui.page.fold import fold
from ui.page.last_valid import what_works
from ui.page.prose import (
    cell_number,
    decimals,
    say,
    say_drawn,
    typeset_count,
    typeset_decimal,
    typeset_symbols,
)
from ui.page_texts import page_texts
from ui.server.fragments import fragment
from ui.stage.exhibit import draw_exhibit, exhibit_keys
from ui.stage.real_model import draw_head_name, real_model_fold
from ui.stage.toggles import chosen, toggle_keys
from ui.text import markdown_table, token_text

TEXTS = page_texts("why_scale")
DIVISORS = (1, 2, 4, 8, 16, 32, 64)

OF_SENTENCE: Keys = {
    **toggle_keys(real_model.SCALED, real_model.D_K),
    **exhibit_keys(real_model.PROGRAMS["on"], "weights", "scale_"),
}
OF_REAL_HEAD: Keys = {
    **toggle_keys(real_model.REAL_SCALED),
    **exhibit_keys(real_model.REAL_PROGRAMS["on"], "weights", "scale_real_", heads=1),
}
KEYS: Keys = {
    "scale_d": Key(64, among(*spreading.DIMENSIONS)),
    "scale_draws": Key(5000, among(*spreading.DRAWS)),
    "scale_seed": Key(0, whole_number_reader(0, MAX_SEED)),
    "scale_divisor": Key(spreading.ROW_ROOT, among(*DIVISORS)),
    "scale_row": Key(2, whole_number_reader(0, MAX_SEED)),
    "scale_text": Key(DEFAULT_TEXT, sentence_of, SENTENCE_KEY),
    **OF_SENTENCE,
    **OF_REAL_HEAD,
}


@fragment
def wide_rows() -> None:
    """Draw how scores spread with d and what softmax makes of a wide row; then the proofs."""
    left, right = st.columns(2)
    with left:
        d, drawn = spread()
    with right:
        divisor, rows = one_row()
    with fold(TEXTS("proof_title"), "scale_proof", KEYS):
        proof(d, drawn)
    with fold(TEXTS("wide_title"), "scale_many", KEYS):
        many_rows(divisor, rows)
    save_link(KEYS)


def spread() -> tuple[int, spreading.DotProductSample]:
    """Draw the histograms of q·k and of q·k / √d; return d and the draws."""
    picture = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        features = typeset_symbols(TEXTS("features"))
        d = slide_along(features, spreading.DIMENSIONS, "scale_d", width=270)
        draws = slide_along(TEXTS("draws"), spreading.DRAWS, "scale_draws", width=130)
        seed = st.number_input(TEXTS("seed"), 0, MAX_SEED, key="scale_seed", width=130, **PERSIST)
    drawn = spreading.sample(draws, seed)
    here = drawn.at(d)
    variances = decimals(variance=here.variance, scaled=here.scaled_variance)
    with picture:
        draw_chart(spread_figure(here.plain, here.scaled, d), "scale_spread")
        say(TEXTS("spread", d=d, **variances))
        say(TEXTS("try"))
    return d, drawn


def one_row() -> tuple[int, spreading.Saturation]:
    """Draw the weights of one row of scores, undivided and divided; return the divisor and rows."""
    picture = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        label = TEXTS("divisor", d=spreading.ROW_D, root=spreading.ROW_ROOT)
        divisor = slide_along(label, DIVISORS, "scale_divisor", width=300)
        label = TEXTS("row_seed")
        seed = st.number_input(label, 0, MAX_SEED, key="scale_row", width=150, **PERSIST)
    rows = spreading.saturation(seed)
    bars = [
        (TEXTS("undivided"), rows.divided(1).weights),
        (TEXTS("divided", divisor=divisor), rows.divided(divisor).weights),
    ]
    figure = weights_figure([f"k{n + 1}" for n in range(spreading.N_KEYS)], bars, SCALING_BARS)
    without, with_root = (typeset_decimal(largest, 3) for largest in rows.at(spreading.ROW_D))
    with picture:
        draw_chart(figure, "scale_row_weights")
        say(TEXTS("largest", without=without, with_root=with_root))
    return divisor, rows


def proof(d: int, drawn: spreading.DotProductSample) -> None:
    """Draw the variance against d, and the terms that it is the sum of."""
    left, right = st.columns(2, vertical_alignment="center")
    with left:
        found = decimals(mean=drawn.at(d).mean, grid_sum=drawn.grid_sum)
        draws = typeset_count(st.session_state.scale_draws)
        say(TEXTS("proof", d=d, grid_d=spreading.GRID_D, draws=draws, **found))
        figure = variance_figure(spreading.DIMENSIONS, drawn.variances, drawn.scaled_variances, d)
        draw_chart(figure, "scale_variance")
    with right:
        draw_chart(grid_figure(drawn.grid), "scale_grid")


def many_rows(divisor: int, rows: spreading.Saturation) -> None:
    """Draw measures of the one row, and their means over many rows against d."""
    both = rows.divided(1), rows.divided(divisor)
    left, right = st.columns(2)
    with left:
        scores = ", ".join(typeset_decimal(score, 1) for score in rows.row)
        say(TEXTS("row_scores", scores=scores))
        say(TEXTS("entropy", keys=spreading.N_KEYS, most=typeset_decimal(both[0].most_bits)))
        table = [
            (TEXTS("largest_weight"), *(typeset_decimal(row.largest, 3) for row in both)),
            (TEXTS("bits"), *(typeset_decimal(row.bits) for row in both)),
            (TEXTS("norm"), *(typeset_decimal(row.jacobian_norm) for row in both)),
        ]
        header = [TEXTS("measure"), TEXTS("undivided"), TEXTS("divided", divisor=divisor)]
        say(markdown_table(header, table))
        say(TEXTS("jacobian"))
    with right:
        say(TEXTS("many", rows=typeset_count(spreading.ROWS)))
        figure = saturation_figure(spreading.DIMENSIONS, rows.unscaled, rows.scaled)
        draw_chart(figure, "scale_saturation")


@fragment
def sentence_exhibit() -> None:
    """Draw the walkthrough's stage: the weights of one sentence, without the scale and with it."""
    st.text_input(TEXTS("sentence"), key="scale_text", width=360, **PERSIST)
    working = what_works({"scale_text": TEXTS("the_sentence")}, KEYS, with_and_without)
    runs, family = working.made, real_model.sentence_family(working.values["scale_text"])
    scaled = chosen(family)[real_model.SCALED.key] == "on"
    here, there = (runs["on"], runs["off"]) if scaled else (runs["off"], runs["on"])
    say_drawn(here)
    pair = (0, *neighbours(len(here.tokens)))
    draw_exhibit(here, ("weights", pair), KEYS, "scale_", other=there, family=family)
    query, key = (token_text(axis_label(here, "i", at)) for at in pair[1:])
    ours, theirs = cell_number(here, "weights", pair), typeset(shown(there, "weights", pair))
    say(TEXTS("weight", scaled=scaled, query=query, key=key, ours=ours, theirs=theirs))
    say(TEXTS("difference", scaled=scaled))


@fragment
def real_head() -> None:
    """Draw a real model's head, with the division that it learned with and without."""
    capture = load_capture(real_model.REAL_HEAD)
    family = real_model.real_head_family(capture)
    toggle = real_model.REAL_SCALED
    runs = {name: family.run(**{toggle.key: name}) for name in toggle.options}
    last = len(capture.run.tokens) - 1
    draw_head_name(capture)
    trace = runs[chosen(family)[toggle.key]]
    draw_exhibit(trace, ("weights", (0, last, 0)), KEYS, "scale_real_", family=family)
    arrays = ("scores", "scaled")
    variance, scaled = (real_model.variance_of_scores(runs["on"], array) for array in arrays)
    largest, undivided = (real_model.largest_weight(run["weights"][0]) for run in runs.values())
    say(TEXTS("real_try"))
    found = decimals(variance=variance, scaled=scaled, largest=largest, undivided=undivided)
    say(TEXTS("real_notice", rows=last + 1, **found))
    every = real_model.trained_variances(capture.run)
    quartiles = ("quarter", "median", "three_quarters", "most")
    found = decimals(**{name: getattr(every, name) for name in quartiles})
    say(TEXTS("real_trained", heads=every.heads, above=every.above_1, **found))
    say(TEXTS("real_without"))


def with_and_without(scale_text: str) -> dict[str, Trace]:
    """Return the runs of the sentence with the scale and without. Raises `InputError`."""
    family = real_model.sentence_family(scale_text)
    toggle, now = real_model.SCALED, chosen(family)
    return {name: family.run(**now | {toggle.key: name}) for name in toggle.options}


if __name__ == "__main__":
    begin_chapter("why_scale", KEYS)
    wide_rows()
    with fold(typeset_symbols(TEXTS("sentence_title")), "scale_sentence", KEYS, OF_SENTENCE):
        sentence_exhibit()
    real_model_fold("scale_real", KEYS, OF_REAL_HEAD, real_head)
    with fold(TEXTS("limits_title"), "scale_more", KEYS):
        say(TEXTS("limits"))
    code = (divide_by_root, spreading.dot_products, spreading.softmax_jacobian)
    end_chapter("why_scale", KEYS, code, "scaled")
