"""How does attention know position?

By itself it does not: rows follow their tokens into any order. Four encodings add positions.
"""

import streamlit as st

from core.attention.setups import DEFAULT_TEXT
from core.attention.tokens import few_enough
from core.chapters.word_order import encodings, real_model
from core.chapters.word_order import shuffled as shuffling
from core.chapters.word_order.encoding_parts import HEADS, TABLE_SEED, slope_powers, waves
from core.chapters.word_order.orders import BY_HAND, order_of
from core.chapters.word_order.pairings import DISTANCE, KEY, QUERY, pairings, rotation_paths
from core.models.captures import load_capture
from core.models.head_words import whole_percent
from core.models.model_facts import ROTATION_BASES
from core.operations.rotary import rotate
from core.program.labels import axis_labels, listed_names, told_label
from core.program.numbers.rounding import operand_text, typeset
from core.program.trace import Trace
from ui.chapters.word_order.charts import counting_figure, distance_figure, turning_figure
from ui.charts.framing import draw_chart
from ui.components.two_orders import PAIR_KEYS, paired
from ui.links.links import SENTENCE_KEY, Key, Keys, one_of, short_sentence, text_of
from ui.links.session import PERSIST, save_link, set_if_changed
from ui.page.chapter import begin_chapter, end_chapter
from ui.page.controls import choose_one
from ui.page.fold import fold
from ui.page.last_valid import link_that_fits, what_works
from ui.page.prose import cell_number, gap_text, say, say_drawn, set_off, typeset_decimal
from ui.page_texts import page_texts
from ui.server.fragments import fragment
from ui.stage.exhibit import draw_exhibit, exhibit_keys
from ui.stage.real_model import draw_head_name, real_model_fold
from ui.stage.toggles import chosen, run_as_chosen, toggle_keys
from ui.text import Markdown, markdown_table, token_text
from ui.trained.training_picture import learned_fold, learned_keys, say_period

TEXTS = page_texts("word_order")
ARROWS = {"Q": TEXTS("queries"), "K": TEXTS("keys")}
OF_REAL_HEAD: Keys = {
    **toggle_keys(real_model.ROTATION),
    **exhibit_keys(real_model.rotated_program(), "weights", "order_real_", 1),
}
UNMASKED, UNTOLD = shuffling.shuffled_program("none", 1), encodings.encoding_program("none")
KEYS: Keys = {
    **PAIR_KEYS,
    "order_text": Key(DEFAULT_TEXT, short_sentence, SENTENCE_KEY),
    "order_yours": Key("", text_of),
    **toggle_keys(shuffling.ORDER, shuffling.MASK, shuffling.LAYERS),
    **exhibit_keys(UNMASKED, "difference", "order_", 1, shuffling.SHUFFLED_LIKE),
    **toggle_keys(encodings.ENCODING),
    **exhibit_keys(UNTOLD, "", "order_told_", HEADS, encodings.ADDED_LIKE),
    "order_arrows": Key("Q", one_of(*ARROWS)),
    **OF_REAL_HEAD,
    **learned_keys("order_"),
}


_TOLD = [key for key in KEYS if key.startswith("order_told_")]
OF_PLACES = [*_TOLD, encodings.ENCODING.key, "order_arrows"]
FITTING = {"order_yours": TEXTS("the_order"), "order_text": TEXTS("the_sentence")}


def fits(order_yours: str, order_text: str) -> tuple[str, str]:
    """Return the sentence, if it is short, and an order of its tokens. Raises `InputError`."""
    order_of(few_enough(order_text), order_yours)
    return order_text, order_yours


def anew() -> None:
    """Forget the typed order: another sentence has other tokens."""
    set_if_changed(order_yours="")
    if st.session_state[shuffling.ORDER.key] == BY_HAND:
        st.session_state[shuffling.ORDER.key] = shuffling.ORDER.default


def choose_yours() -> None:
    """Show the order that somebody has just typed."""
    st.session_state[shuffling.ORDER.key] = BY_HAND


def named(trace: Trace, places: list[int]) -> Markdown:
    """Return the tokens at some positions of the new order, in a list."""
    return set_off(listed_names([told_label(trace, "i", at) for at in places]))


@fragment
def shuffled(text: str, yours: str) -> None:
    """Draw the sentence in another order, and say which rows followed."""
    family = shuffling.shuffled_family(text, yours)
    now, trace = run_as_chosen(family)
    draw_exhibit(trace, ("difference", (0, 0, 0)), KEYS, "order_", family=family)
    deep = now[shuffling.LAYERS.key] == "2"
    if deep:
        st.caption(TEXTS("second_seed", seed=shuffling.SECOND_SEED))
    with st.container(key="beside_rows"):
        say(" ".join(rows_said(trace, now[shuffling.MASK.key] == "causal", deep)))


def rows_said(trace: Trace, causal: bool, deep: bool) -> list[Markdown]:
    """Return which rows followed their tokens, and which have changed."""
    if len(trace["P"]) == 1:
        return [TEXTS("one_token")]
    if shuffling.is_as_typed(trace):
        return [TEXTS("unmoved")]
    rows = shuffling.kinds_of_rows(trace)
    if not rows.changed:
        gap = shuffling.shuffling_error(trace) if rows.noisy else ""
        return [TEXTS("followed", gap=gap, unmasked=not causal)]
    gap, counts = shuffling.shuffling_error(trace), {"changed": len(rows.changed)}
    text = [TEXTS("changed", rows=len(trace["P"]), gap=gap, **counts)]
    if others := [at for at in rows.changed if at not in rows.noticed]:
        text += [TEXTS("others", tokens=named(trace, others))]
    if kept := rows.kept:
        text += [TEXTS("kept", tokens=named(trace, kept), count=len(kept), shallow=not deep)]
    if alike := rows.alike:
        text += [TEXTS("alike", tokens=named(trace, alike), count=len(alike))]
    if deep and (noticed := rows.noticed):
        text += [TEXTS("noticed", tokens=named(trace, noticed), count=len(noticed))]
    return text


@fragment
def encoded(text: str) -> None:
    """Draw the same tokens under each position encoding."""
    say(TEXTS("encodings"))
    family = encodings.encoding_family(text)
    kind = chosen(family)[encodings.ENCODING.key]
    trace = family.run(**chosen(family))
    last = len(trace.tokens) - 1
    view = draw_exhibit(trace, ("weights", (0, last, 0)), KEYS, "order_told_", family=family)
    if kind == "rope":
        say_rotation(trace, view.slices["h"])
    elif kind == "none":
        say(TEXTS("none"))
    else:
        NOTICED[kind](trace)
    if kind == "alibi" and last:
        say_farthest(trace, family.run(**{encodings.ENCODING.key: "none"}))
    say_distances(trace, kind, view.slices["h"])
    save_link(KEYS)


@fragment
def real_head() -> None:
    """Draw a real model's head with the rotation that it learned with, and without."""
    capture = load_capture(real_model.REAL_HEAD)
    family = real_model.rotation_family(capture)
    now = chosen(family)
    last = len(capture.run.tokens) - 1
    draw_head_name(capture)
    opening = ("weights", (0, last, last - 1))
    draw_exhibit(family.run(**now), opening, KEYS, "order_real_", family=family)
    say(TEXTS("real_try"))
    scores = real_model.rotation_scores(family)
    previous = scores.previous_rotated, scores.previous_unrotated
    before, after, first = map(whole_percent, (*previous, scores.first_unrotated))
    say(TEXTS("real_notice", before=before, after=after, first=first))
    say(TEXTS("real_rope", base=f"{ROTATION_BASES[capture.run.model]:,}"))


def say_sinusoids(trace: Trace) -> None:
    """Draw binary counting above sinusoids, and say what the distance map shows."""
    say(TEXTS("counting", waves=len(waves())))
    draw_chart(counting_figure(), "order_counting")
    turns = [cell_number(trace, "frequency", (0, wave)) for wave in range(trace["sines"].shape[1])]
    say(TEXTS("sinusoids", turns=Markdown(listed_names(turns))))


def say_table(trace: Trace) -> None:
    say(TEXTS("table", seed=TABLE_SEED, rows=len(trace["PE"])))


def say_rotation(trace: Trace, head: int) -> None:
    """Draw each pair of features of a head as an arrow."""
    turns = [operand_text(float(turn), 2) for turn in trace["frequency"][0][::2]]
    array = choose_one(TEXTS("arrows"), ARROWS, "order_arrows", label_visibility="collapsed")
    rows = TEXTS("of_head", rows=ARROWS[array], head=head + 1)
    say(TEXTS("turning", rows=rows))
    paths, labels = rotation_paths(trace, array, head), axis_labels(trace, array)[1]
    draw_chart(turning_figure(paths, labels, turns, rows), "order_turning")
    say(TEXTS("rotation"))
    say_pairings()


def say_pairings() -> None:
    """Say which features are a pair in published code, and what each choice does to a score."""
    query, key = (typeset(", ".join(map(str, row))) for row in (QUERY, KEY))
    say(TEXTS("pairings", query=query, key=key, distance=DISTANCE))
    rows = [[one.words, typeset_decimal(one.score, 3)] for one in pairings()]
    say(markdown_table([TEXTS("head_pairs"), TEXTS("head_score")], rows))


def say_distances(trace: Trace, kind: str, head: int) -> None:
    """Draw one token at many positions: its scores with itself, by distance."""
    token = trace.tokens[-1]
    scores = encodings.scores_by_distance(kind, token, head)
    apart = gap_text(encodings.spread(scores))
    found = {"flat": encodings.is_flat(scores), "apart": apart}
    last = token_text(token)
    say(TEXTS("distances", token=last, count=encodings.PLACES, head=head + 1, **found))
    draw_chart(distance_figure(scores, token), "order_distances")


def say_slopes(trace: Trace) -> None:
    near, far = (cell_number(trace, "slope", (head, 0, 0)) for head in range(HEADS))
    near_power, far_power = slope_powers(HEADS)
    say(TEXTS("slopes", near=near, far=far, near_power=near_power, far_power=far_power))


def say_farthest(trace: Trace, plain: Trace) -> None:
    """Say what the slopes take from the token that is farthest from the last one."""
    first, *_, last = (token_text(label) for label in axis_labels(trace, "weights")[1])
    weights = {
        f"{head}_{when}": weight
        for when, run in (("before", plain), ("after", trace))
        for head, weight in zip(("near", "far"), encodings.farthest_weights(run), strict=True)
    }
    with st.container(key="beside_farthest"):
        say(TEXTS("farthest", last=last, first=first, **weights))


NOTICED = {
    "none": lambda trace: say(TEXTS("none")),
    "sinusoidal": say_sinusoids,
    "learned": say_table,
    "alibi": say_slopes,
}

if __name__ == "__main__":
    begin_chapter("word_order", KEYS, link_that_fits(FITTING, KEYS, fits))
    paired(KEYS)
    st.header(TEXTS("yours_title"), anchor=False)
    with st.container(horizontal=True):
        st.text_input(TEXTS("sentence"), key="order_text", width=360, on_change=anew, **PERSIST)
        st.text_input(
            TEXTS("your_order"),
            key="order_yours",
            width=360,
            on_change=choose_yours,
            placeholder=TEXTS("any_order"),
            **PERSIST,
        )
    SHOWN, YOURS = what_works(FITTING, KEYS, fits).made
    say(TEXTS("twice"))
    say_drawn(shuffling.shuffled_family(SHOWN).run())
    shuffled(SHOWN, YOURS)
    with fold(TEXTS("why_title"), "why", KEYS):
        say(TEXTS("why"))
    with fold(TEXTS("encodings_title"), "told", KEYS, OF_PLACES):
        say_drawn(encodings.encoding_family(SHOWN).run())
        encoded(SHOWN)
    learned_fold(TEXTS("learned_title"), "order_", KEYS, {"period": ""}, say_period)
    real_model_fold("order_real", KEYS, OF_REAL_HEAD, real_head)
    code = (shuffling.shuffled_program, encodings.encoding_program, rotate)
    end_chapter("word_order", KEYS, code, "context")
