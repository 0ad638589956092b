"""What can change and still be attention?

Another score, other brackets, weights by distance, a memory of patterns: each a sum with weights.
"""

from collections.abc import Sequence

import streamlit as st

from core.attention.setups import DEFAULT_TEXT
from core.attention.tokens import few_enough
from core.chapters.other_kinds import linear as linear_attention
from core.chapters.other_kinds.convolution import (
    FIRST,
    MIXER,
    mixing_family,
    mixing_program,
    moved,
)
from core.chapters.other_kinds.four import (
    ADDED,
    DISTANCE,
    LINEAR,
    NAMES,
    SOFTMAX,
    Weighted,
    four_kinds,
)
from core.chapters.other_kinds.hopfield import hopfield_program
from core.chapters.other_kinds.recall import (
    BETA,
    FLIPPED,
    PROBE,
    recall_family,
    recall_program,
    wrong_entries,
)
from core.chapters.other_kinds.scores import (
    ADDITIVE,
    SCORES,
    bound,
    scored_family,
    scored_program,
)
from core.program.labels import token_labels
from core.program.rounding import cell_text, typeset
from ui.asking import ask_each
from ui.code import in_code
from ui.exhibit import draw_exhibit, exhibit_keys
from ui.fold import fold
from ui.fragments import fragment
from ui.frame import frame
from ui.hopfield import HOPFIELD_KEYS, eight_entries, painted
from ui.last_valid import link_that_fits, what_works
from ui.links import SENTENCE_KEY, Key, Keys, one_of, short_sentence, whole_number_reader
from ui.page_texts import page_texts
from ui.path_navigation import page_footer
from ui.prose import say, say_drawn
from ui.session import PERSIST, open_link, save_link, say_messages, set_if_changed
from ui.stage_position import go_to_step
from ui.text import Markdown, markdown_table, token_text
from ui.toggles import chosen, toggle_keys
from ui.weight_maps import WeightMap, weight_maps

TEXTS = page_texts("other_kinds")
PARTS = {
    "score": TEXTS("score_part"), "distance": TEXTS("distance_part"),
    "paint": TEXTS("paint_part"), "rest": TEXTS("rest_part"), "memory": TEXTS("memory_part"),
}  # fmt: skip
KEYS: Keys = {
    "kinds_text": Key(DEFAULT_TEXT, short_sentence, SENTENCE_KEY),
    **toggle_keys(linear_attention.BRACKETS, linear_attention.FEATURES, linear_attention.NUMBERS),
    **exhibit_keys(
        linear_attention.linear_program(linear_attention.STATE, linear_attention.ELU),
        "state",
        "kinds_",
        1,
        linear_attention.LIKE,
    ),
    "kinds_part": Key("score", one_of(*PARTS)),
    **toggle_keys(SCORES),
    **exhibit_keys(scored_program(ADDITIVE), "scores", "kinds_score_", 1, "scaled"),
    **toggle_keys(MIXER, FIRST),
    **exhibit_keys(
        mixing_program("convolution"),
        "kernel",
        "kinds_mix_",
        1,
        "Q|K|W_Q|W_K|scores|scaled|mask|masked|weights",
    ),
    **toggle_keys(BETA, PROBE),
    **HOPFIELD_KEYS,
    "kinds_flips": Key(2, whole_number_reader(0, len(FLIPPED))),
    **exhibit_keys(recall_program(1.0), "new_state", "kinds_memory_", 1),
}
# Where each kind of weights is computed: the part of the page, if any, and its stage's prefix.
STAGES = {
    SOFTMAX: ("distance", "kinds_mix_"), LINEAR: ("", "kinds_"), ADDED: ("score", "kinds_score_"),
    DISTANCE: ("distance", "kinds_mix_"),
}  # fmt: skip
READ_BY_HAND = "context.0.2.0"  # what the last of the three keys' queries reads
FITTING = {"kinds_text": "the sentence"}


def number(value: float) -> str:
    return typeset(cell_text(value))


def fits(kinds_text: str) -> str:
    """The sentence, if it is short. Raises `InputError`."""
    return few_enough(kinds_text)


def kinds(text: str) -> None:
    """The weights of one sentence, of each kind."""
    found = four_kinds(text)
    labels = token_labels(found[SOFTMAX].trace.tokens)

    def open_kind(kind: str) -> None:
        part, prefix = STAGES[kind]
        set_if_changed(**found[kind].options, **({"kinds_part": part} if part else {}))
        go_to_step(found[kind].array, prefix)

    maps = [
        WeightMap(kind, NAMES[kind], of.weights, f"{STAGES[kind][1]}stage")
        for kind, of in found.items()
    ]
    with st.container(key="beside_kinds"):
        weight_maps("kinds_board", labels, maps, open_kind)
        say(TEXTS("try"))
        most = {kind: most_read(of, labels) for kind, of in found.items()}
        say(TEXTS("notice", reader=token_text(labels[-1]), **most))


def most_read(of: Weighted, labels: Sequence[str]) -> Markdown:
    """The token that the last one reads most from, and its weight."""
    weight = number(of.weights[-1][of.most])
    return TEXTS("most", token=token_text(labels[of.most]), weight=weight)


@fragment
def linear(text: str) -> None:
    """The sentence with the brackets in either place, next to softmax."""
    family = linear_attention.linear_family(text)
    now = chosen(family)
    trace = family.run(**now)
    T = len(trace.tokens)
    by_hand()
    draw_exhibit(trace, ("context", (0, T - 1, 0)), KEYS, "kinds_", family=family)
    pairs, state = linear_attention.costs(trace)
    say(TEXTS("sizes", pairs=pairs, state=state))
    with st.container(key="beside_shares"):
        both = linear_attention.beside(
            linear_attention.linear_inputs(text, now[linear_attention.NUMBERS.key]),
            now[linear_attention.FEATURES.key],
        )
        labels = token_labels(trace.tokens)
        rows = [
            [TEXTS("softmax"), *map(number, both.softmax[-1])],
            [TEXTS("linear"), *map(number, both.linear[-1])],
        ]
        say(markdown_table([TEXTS("last_row"), *labels], rows))
        positive = now[linear_attention.FEATURES.key] == linear_attention.ELU
        say(
            TEXTS(
                "linear_notice", softmax=number(both.largest), times=linear_attention.LONGER,
                longer=number(both.longer), positive=positive, limit=number(both.limit),
            )
        )  # fmt: skip
        with fold(TEXTS("more"), "linear", KEYS):
            say(TEXTS("linear_more", positive=positive, below=both.below))
    save_link(KEYS)


def by_hand() -> None:
    """Three keys that fit in a head, with either brackets; a press shows them on the stage."""
    with fold(TEXTS("by_hand_title"), "by_hand", KEYS):
        made = linear_attention.either_way(linear_attention.NONE)
        read = {
            name: {name: str(of.quotient), f"{name}_read": number(of.context)}
            for name, of in made.items()
        }
        say(TEXTS("by_hand", **read[linear_attention.PAIRS], **read[linear_attention.STATE]))
        st.button(TEXTS("show_by_hand"), key="kinds_by_hand", on_click=show_by_hand)


def show_by_hand() -> None:
    """Send the stage to what the last of the three keys reads."""
    set_if_changed(
        **{
            linear_attention.NUMBERS.key: linear_attention.HAND,
            linear_attention.FEATURES.key: linear_attention.NONE,
        }
    )
    go_to_step("context", "kinds_")
    set_if_changed(kinds_cell=READ_BY_HAND)


@fragment
def part_tabs(text: str) -> None:
    """More that can change, one thing at a time."""
    st.segmented_control(
        TEXTS("parts"), PARTS, key="kinds_part", required=True,
        format_func=PARTS.__getitem__, label_visibility="collapsed", **PERSIST,
    )  # fmt: skip
    part = st.session_state.kinds_part
    if part == "score":
        scoring(text)
    elif part == "distance":
        mixing(text)
    elif part == "rest":
        eight_entries(KEYS)
    elif part == "paint":
        painted(KEYS)
    else:
        remembering()
    save_link(KEYS)


@fragment
def scoring(text: str) -> None:
    """The additive score of 2015, and a dot product in its place."""
    say(TEXTS("score"))
    family = scored_family(text)
    now = chosen(family)
    trace = family.run(**now)
    additive = now[SCORES.key] == ADDITIVE
    last = len(trace.tokens) - 1
    draw_exhibit(trace, ("scores", (0, last, 0)), KEYS, "kinds_score_", family=family)
    limit = number(bound(trace)) if additive else ""
    say(TEXTS("score_notice", additive=additive, bound=limit))
    with fold(TEXTS("more"), "score", KEYS):
        say(TEXTS("score_more"))
    save_link(KEYS)


@fragment
def mixing(text: str) -> None:
    """A convolution or attention, and what another row of the first token changes in both."""
    say(TEXTS("distance"))
    say(TEXTS("distance_try"))
    family = mixing_family(text)
    now = chosen(family)
    trace = family.run(**now)
    last = len(trace.tokens) - 1
    draw_exhibit(trace, ("context", (0, last, 0)), KEYS, "kinds_mix_", family=family)
    found = {kind: moved(text, kind, 0) for kind in MIXER.options}
    rows = [
        [MIXER.options[kind], changed(m.weights, m.of_weights), changed(m.rows, m.of_rows)]
        for kind, m in found.items()
    ]
    header = [TEXTS("weights"), TEXTS("changed_weights"), TEXTS("changed_rows")]
    say(markdown_table(header, rows))
    say(TEXTS("distance_notice"))
    with fold(TEXTS("more"), "distance", KEYS):
        say(TEXTS("distance_more"))
    save_link(KEYS)


def changed(number: int, of: int) -> Markdown:
    return TEXTS("changed", changed=number, all=of)


@fragment
def remembering() -> None:
    """Patterns that are recalled from a part: attention with β."""
    say(TEXTS("memory"))
    st.slider(TEXTS("flips"), 0, len(FLIPPED), key="kinds_flips", width=260, **PERSIST)
    family = recall_family(st.session_state.kinds_flips)
    now = chosen(family)
    trace = family.run(**now)
    draw_exhibit(trace, ("new_state", (0, 0, 0)), KEYS, "kinds_memory_", family=family)
    pattern = int(now[PROBE.key])
    before, after = wrong_entries(trace, pattern - 1)
    with st.container(key="beside_recall"):
        entries = trace.sizes["q"]
        counts = {"before": before, "after": after, "entries": entries}
        say(TEXTS("memory_notice", pattern=pattern, **counts))
    with fold(TEXTS("more"), "memory", KEYS):
        say(TEXTS("memory_more"))
    save_link(KEYS)


frame("other_kinds", TEXTS("lede"))
open_link("other_kinds", KEYS, link_that_fits(FITTING, KEYS, fits))
say_messages()
picture = st.container()
st.text_input(TEXTS("sentence"), key="kinds_text", width=360, **PERSIST)
SHOWN = what_works(FITTING, KEYS, fits).made
with picture:
    kinds(SHOWN)
say_drawn(linear_attention.linear_family(SHOWN).run())
st.header(TEXTS("linear_title"), anchor=False)
say(TEXTS("two_forms"))
linear(SHOWN)
st.header(TEXTS("parts_title"), anchor=False)
part_tabs(SHOWN)
ask_each("other_kinds")
in_code(
    linear_attention.linear_program,
    scored_program,
    mixing_program,
    recall_program,
    hopfield_program,
    origin=TEXTS("origin"),
    step="context",
    exhibit="kinds_",
)
page_footer("other_kinds", TEXTS("takeaway"))
save_link(KEYS)
