"""What can change and still be attention?

Another score, other brackets, weights by distance, a memory of patterns: each a sum with weights.
"""

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from core.attention.examples.river_bank import RIVER_BANK_TEXT, drawn_words
from core.attention.setups import DEFAULT_TEXT
from core.attention.tokens import few_enough, tokenise
from core.chapters.other_kinds import convolution, four, recall, scores
from core.chapters.other_kinds import linear as linear_attention
from core.chapters.other_kinds.hopfield import hopfield_program
from core.chapters.other_kinds.sentence import BY_HAND, DRAWN, MATRICES, first_look
from core.program.labels import token_labels
from core.program.trace import Trace
from ui.chapters.other_kinds.hopfield import HOPFIELD_KEYS, eight_entries, painted
from ui.components.weight_maps import WeightMap, weight_maps
from ui.links.links import SENTENCE_KEY, Key, Keys, one_of, short_sentence, whole_number_reader
from ui.links.session import PERSIST, save_link, set_if_changed
from ui.links.stage_position import go_to_step
from ui.page.chapter import begin_chapter, end_chapter
from ui.page.controls import choose_one
from ui.page.fold import fold
from ui.page.last_valid import link_that_fits, of_one, what_works
from ui.page.prose import cell_number, decimals, say, say_drawn, say_made, typeset_decimal
from ui.page_texts import page_texts
from ui.server.fragments import fragment
from ui.stage.exhibit import There, draw_exhibit, exhibit_keys
from ui.stage.toggles import run_as_chosen, toggle_keys
from ui.text import Markdown, markdown_table, token_text

TEXTS = page_texts("other_kinds")
TAB_TITLES = {
    "score": TEXTS("score_part"), "distance": TEXTS("distance_part"),
    "paint": TEXTS("paint_part"), "rest": TEXTS("rest_part"), "memory": TEXTS("memory_part"),
}  # fmt: skip
LINEAR = linear_attention.linear_program(linear_attention.STATE, linear_attention.ELU)
MIXED = convolution.mixing_program("convolution")
MIXED_LIKE = "Q|K|W_Q|W_K|scores|scaled|mask|masked|weights"
"""The names of the arrays that only attention has, as a regular expression."""
KEYS: Keys = {
    "kinds_text": Key(RIVER_BANK_TEXT, short_sentence, SENTENCE_KEY, legacy_default=DEFAULT_TEXT),
    **toggle_keys(MATRICES, legacy_default=DRAWN),
    **toggle_keys(linear_attention.BRACKETS, linear_attention.FEATURES, linear_attention.NUMBERS),
    **exhibit_keys(LINEAR, linear_attention.STATE, "kinds_", 1, linear_attention.LIKE),
    "kinds_part": Key("score", one_of(*TAB_TITLES)),
    **toggle_keys(scores.SCORES),
    **exhibit_keys(scores.scored_program(scores.ADDITIVE), "scores", "kinds_score_", 1, "scaled"),
    **toggle_keys(convolution.MIXER, convolution.TURN),
    **exhibit_keys(MIXED, "kernel", "kinds_mix_", 1, MIXED_LIKE),
    **toggle_keys(recall.BETA, recall.PROBE),
    **HOPFIELD_KEYS,
    "kinds_flips": Key(2, whole_number_reader(0, len(recall.FLIPPED))),
    **exhibit_keys(recall.recall_program(1.0), "new_state", "kinds_memory_", 1),
}
# Where each kind of weights is computed: the part of the page, if any, and its stage's prefix.
STAGES = {
    four.SOFTMAX: ("distance", "kinds_mix_"),
    four.LINEAR: ("", "kinds_"),
    four.ADDED: ("score", "kinds_score_"),
    four.DISTANCE: ("distance", "kinds_mix_"),
}
READ_BY_HAND = "context.0.2.0"  # what the last of the three keys' queries reads
FITTING = {"kinds_text": "the sentence"}
fits = of_one(few_enough)


def kinds(text: str) -> None:
    """The weights of one sentence, of each kind."""
    found = four.four_kinds(text, st.session_state[MATRICES.key])
    reader = found[four.SOFTMAX].reader
    labels = token_labels(found[four.SOFTMAX].trace.tokens)

    def open_kind(kind: str) -> None:
        part, prefix = STAGES[kind]
        set_if_changed(**found[kind].options, **({"kinds_part": part} if part else {}))
        go_to_step(found[kind].array, prefix)

    maps = [
        WeightMap(kind, four.NAMES[kind], of.weights, f"{STAGES[kind][1]}stage")
        for kind, of in found.items()
    ]
    with st.container(key="beside_kinds"):
        weight_maps("kinds_board", labels, maps, open_kind, row=reader)
        most = {kind: most_read(of, labels) for kind, of in found.items()}
        say(TEXTS("notice", reader=token_text(labels[reader]), **most))
        say(TEXTS("try"))


def most_read(of: four.Weighted, labels: Sequence[str]) -> Markdown:
    """The token that is read most from, and its weight."""
    weight = typeset_decimal(of.weights[of.reader][of.most])
    return TEXTS("most", token=token_text(labels[of.most]), weight=weight)


@fragment
def linear(text: str) -> None:
    """The sentence with the brackets in either place, next to softmax."""
    family = linear_attention.linear_family(text)
    now, trace = run_as_chosen(family)
    by_hand()
    draw_exhibit(trace, partial(what_is_read, text), KEYS, "kinds_", family=family)
    pairs, state = linear_attention.costs(trace)
    say(TEXTS("sizes", pairs=pairs, state=state))
    with st.container(key="beside_shares"):
        features = now[linear_attention.FEATURES.key]
        both = linear_attention.beside(linear_attention.linear_inputs(text, now), features)
        labels = token_labels(trace.tokens)
        rows = [
            [TEXTS("softmax"), *map(typeset_decimal, both.softmax[-1])],
            [TEXTS("linear"), *map(typeset_decimal, both.linear[-1])],
        ]
        say(markdown_table([TEXTS("last_row"), *labels], rows))
        positive = features == linear_attention.ELU
        numbers = decimals(softmax=both.largest, longer=both.longer, limit=both.limit)
        times = linear_attention.LONGER
        say(TEXTS("linear_notice", times=times, positive=positive, **numbers))
        with fold(TEXTS("more"), "linear", KEYS):
            say(TEXTS("linear_more", positive=positive, below=both.below, empty=both.empty))


def what_is_read(text: str, trace: Trace) -> There:
    """Where an untouched stage looks: at what the reader of this sentence reads of its key."""
    if trace.tokens != tuple(tokenise(text)):  # the three keys
        return "context", (0, len(trace.tokens) - 1, 0)
    look = first_look(text, st.session_state[MATRICES.key])
    return "context", (0, look.reader, look.feature)


def by_hand() -> None:
    """Three keys that fit in a head, with either brackets; a press shows them on the stage."""
    with fold(TEXTS("by_hand_title"), "by_hand", KEYS):
        made = linear_attention.either_way(linear_attention.NONE)
        read = {
            name: {name: str(of.quotient), f"{name}_read": typeset_decimal(of.context)}
            for name, of in made.items()
        }
        say(TEXTS("by_hand", **read[linear_attention.PAIRS], **read[linear_attention.STATE]))
        st.button(TEXTS("show_by_hand"), key="kinds_by_hand", on_click=show_by_hand)


def show_by_hand() -> None:
    """Send the stage to what the last of the three keys reads."""
    set_if_changed(**{linear_attention.NUMBERS.key: linear_attention.HAND})
    set_if_changed(**{linear_attention.FEATURES.key: linear_attention.NONE})
    go_to_step("context", "kinds_")
    set_if_changed(kinds_cell=READ_BY_HAND)


@fragment
def part_tabs(text: str) -> None:
    """More that can change, one thing at a time."""
    part = choose_one(TEXTS("parts"), TAB_TITLES, "kinds_part", label_visibility="collapsed")
    draw: dict[str, Callable[[], None]] = {
        "score": partial(scoring, text),
        "distance": partial(mixing, text),
        "paint": partial(painted, KEYS),
        "rest": partial(eight_entries, KEYS),
        "memory": remembering,
    }
    draw[part]()
    save_link(KEYS)


@fragment
def scoring(text: str) -> None:
    """The additive score of 2015, and a dot product in its place."""
    say(TEXTS("score"))
    family = scores.scored_family(text)
    now, trace = run_as_chosen(family)
    additive = now[scores.SCORES.key] == scores.ADDITIVE
    look = first_look(text, now[MATRICES.key])
    opening = "scores", (0, look.reader, look.key)
    draw_exhibit(trace, opening, KEYS, "kinds_score_", family=family)
    limit = typeset_decimal(scores.bound(trace)) if additive else ""
    say(TEXTS("score_notice", additive=additive, bound=limit))
    if additive and now[MATRICES.key] == BY_HAND:
        flat = typeset_decimal(scores.flattest_query())
        reader = token_text(token_labels(trace.tokens)[look.reader])
        query = cell_number(trace, "Q", (0, look.reader, 0))
        say(TEXTS("score_by_hand", open=look.is_open, flat=flat, reader=reader, query=query))
    with fold(TEXTS("more"), "score", KEYS):
        say(TEXTS("score_more"))


@fragment
def mixing(text: str) -> None:
    """A convolution or attention, and what another row of one token changes in both."""
    say(TEXTS("distance"))
    family = convolution.mixing_family(text)
    now, trace = run_as_chosen(family)
    matrices = now[MATRICES.key]
    turned = first_look(text, matrices).key
    say(TEXTS("distance_try", token=token_text(token_labels(trace.tokens)[turned])))
    draw_exhibit(trace, partial(what_is_read, text), KEYS, "kinds_mix_", family=family)
    rows = []
    for kind, name in convolution.MIXER.options.items():
        moved = convolution.moved(text, kind, turned, matrices)
        weights, results = (moved.weights, moved.of_weights), (moved.rows, moved.of_rows)
        rows.append([name, changed(*weights), changed(*results)])
    header = [TEXTS("weights"), TEXTS("changed_weights"), TEXTS("changed_rows")]
    say(markdown_table(header, rows))
    say(TEXTS("distance_notice"))
    with fold(TEXTS("more"), "distance", KEYS):
        say(TEXTS("distance_more"))


def changed(number: int, of: int) -> Markdown:
    return TEXTS("changed", changed=number, all=of)


@fragment
def remembering() -> None:
    """Patterns that are recalled from a part: attention with β."""
    say(TEXTS("memory"))
    st.slider(TEXTS("flips"), 0, len(recall.FLIPPED), key="kinds_flips", width=260, **PERSIST)
    family = recall.recall_family(st.session_state.kinds_flips)
    now, trace = run_as_chosen(family)
    draw_exhibit(trace, ("new_state", (0, 0, 0)), KEYS, "kinds_memory_", family=family)
    pattern = int(now[recall.PROBE.key])
    before, after = recall.wrong_entries(trace, pattern - 1)
    with st.container(key="beside_recall"):
        counts = {"before": before, "after": after, "entries": trace.sizes["q"]}
        say(TEXTS("memory_notice", pattern=pattern, **counts))
    with fold(TEXTS("more"), "memory", KEYS):
        say(TEXTS("memory_more"))


if __name__ == "__main__":
    came = begin_chapter("other_kinds", KEYS, link_that_fits(FITTING, KEYS, fits))
    if came and drawn_words(tokenise(st.session_state.kinds_text)):
        st.session_state[MATRICES.key] = DRAWN
    picture = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(TEXTS("sentence"), key="kinds_text", width=360, **PERSIST)
        choose_one(MATRICES.word, MATRICES.options, MATRICES.key, width="content")
    SHOWN = what_works(FITTING, KEYS, fits).made
    with picture:
        kinds(SHOWN)
    SHOWN_RUN = four.four_kinds(SHOWN, st.session_state[MATRICES.key])[four.SOFTMAX].trace
    if st.session_state[MATRICES.key] == BY_HAND:
        say_made(SHOWN_RUN, TEXTS("made"))
    else:
        say_drawn(SHOWN_RUN)
    st.header(TEXTS("linear_title"), anchor=False)
    say(TEXTS("two_forms"))
    linear(SHOWN)
    st.header(TEXTS("parts_title"), anchor=False)
    part_tabs(SHOWN)
    shown = (linear_attention.linear_program, scores.scored_program, convolution.mixing_program)
    end_chapter("other_kinds", KEYS, [*shown, recall.recall_program, hopfield_program], "context")
