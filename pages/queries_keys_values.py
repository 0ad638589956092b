"""Why three projections?

Because asking, being found and being read are three things, and X has only one row for them all.
"""

from dataclasses import asdict

import streamlit as st

from core.attention.setups import DEFAULT_TEXT
from core.attention.tokens import neighbours
from core.chapters.queries_keys_values import ladder as rungs
from core.chapters.queries_keys_values import lookup as soft_lookup
from core.chapters.queries_keys_values.parameters import (
    LENGTHS,
    MOST_TOKENS,
    PAPER,
    RANK_LENGTHS,
    WIDTHS,
    Budget,
    Sizes,
    in_basis,
    moved_by_basis,
    score_ranks,
    shapes,
    turn_and_stretch,
)
from core.limits import MAX_HEADS
from core.program.labels import told_label
from core.program.numbers.display import shown
from core.program.numbers.rounding import typeset
from core.program.trace import Trace
from ui.chapters.queries_keys_values.charts import budget_figure
from ui.charts.framing import draw_chart
from ui.components.library import draw_library
from ui.links.links import SENTENCE_KEY, Key, Keys, one_of, sentence_of, whole_number_reader
from ui.links.session import PERSIST, save_link
from ui.page.chapter import begin_chapter, end_chapter
from ui.page.controls import choose_one, slide_along
from ui.page.fold import fold
from ui.page.last_valid import link_that_fits, of_one, what_works
from ui.page.prose import (
    cell_number,
    gap_text,
    say,
    say_drawn,
    set_off,
    typeset_decimal,
    typeset_symbols,
)
from ui.page_texts import page_texts
from ui.server.fragments import fragment
from ui.stage.exhibit import draw_exhibit, exhibit, exhibit_keys, stage_keys
from ui.stage.toggles import chosen, toggle_keys
from ui.text import Markdown, token_text

LOOKUP, LAST_RUNG = soft_lookup.lookup_family(), rungs.ladder_program(len(rungs.RUNGS))
TEXTS = page_texts("queries_keys_values")
TAB_TITLES = {
    "lookup": TEXTS("lookup_title"),
    "basis": typeset_symbols(TEXTS("basis_title")),
    "sizes": TEXTS("sizes_title"),
    "budget": TEXTS("budget_title"),
}
STRETCHES = ("0.25", "0.5", "1", "2", "4")
FITTING = Sizes()
MOST = {"T": MOST_TOKENS, "d_model": 64, "heads": MAX_HEADS, "d_q": 16, "d_k": 16, "d_v": 16}
SIZES = {f"qkv_{name}": name for name in MOST}
KEYS: Keys = {
    "qkv_search": Key(soft_lookup.SEARCHING_WORDS[-1], one_of(*soft_lookup.SEARCHING_WORDS)),
    "qkv_text": Key(DEFAULT_TEXT, sentence_of, SENTENCE_KEY),
    **toggle_keys(rungs.RUNG, rungs.NUMBERS, soft_lookup.BETA),
    **exhibit_keys(LAST_RUNG, "X", "qkv_ladder_", legacy_step="scores"),
    "qkv_part": Key("lookup", one_of(*TAB_TITLES)),
    **exhibit_keys(soft_lookup.lookup_program(1.0), "context", "qkv_lookup_"),
    "qkv_angle": Key(30, whole_number_reader(0, 355)),
    "qkv_stretch": Key("2", one_of(*STRETCHES)),
    **exhibit_keys(LAST_RUNG, "scores", "qkv_basis_"),
    **{
        key: Key(getattr(FITTING, name), whole_number_reader(1, MOST[name]))
        for key, name in SIZES.items()
    },
    "qkv_n": Key(str(PAPER.n), one_of(*map(str, LENGTHS))),
    "qkv_d_qk": Key(str(PAPER.d_k), one_of(*map(str, WIDTHS))),
}
IN_PARTS = [
    "qkv_part", soft_lookup.BETA.key, *stage_keys("qkv_lookup_"), "qkv_angle", "qkv_stretch",
    *stage_keys("qkv_basis_"), *SIZES, "qkv_n", "qkv_d_qk",
]  # fmt: skip


def token(trace: Trace, at: int) -> Markdown:
    """A token of a run, set off from the sentence around it."""
    return set_off(told_label(trace, "i", at))


def cells(trace: Trace, array: str, row: int) -> Markdown:
    """The numbers of a row with commas between them, each a link to its cell."""
    columns = range(trace[array].shape[-1])
    return Markdown(", ".join(cell_number(trace, array, (0, row, at)) for at in columns))


@fragment
def library() -> None:
    """Ask, be found, pass on, as a picture."""
    picture, beside = st.columns([3, 2], gap="large")
    with beside:
        choose_one(TEXTS("who_searches"), soft_lookup.SEARCHING_WORDS, "qkv_search")
        search = soft_lookup.searches()[st.session_state.qkv_search]
        best = search.entries[search.best]
        say(TEXTS("library"))
        asks, found = token_text(search.token), token_text(best.token)
        say(TEXTS("found", asks=asks, found=found, percent=best.part))
        say(TEXTS("try"))
    with picture:
        draw_library("qkv_library", search)
    save_link(KEYS)


@fragment
def ladder(text: str) -> None:
    """From (X Xᵀ) X to causal attention, a rung at a time, and what each makes of a pair."""
    say(TEXTS("versions"))
    family = rungs.ladder_family(text)
    now = chosen(family)
    chosen_rung = now[rungs.RUNG.key]
    lowest, *_ = rungs.RUNG.options
    trace, rung = family.run(**now), rungs.RUNGS[int(chosen_rung) - 1]
    pair = neighbours(len(trace.tokens))
    draw_exhibit(trace, ("scores", (0, *pair)), KEYS, "qkv_ladder_", family=family)
    say(TEXTS("rung", rung=rungs.RUNG.options[chosen_rung], adds=set_off(rung.adds)))
    says = pair_in(trace, *pair)
    if chosen_rung != lowest and pair[0] != pair[1]:
        without = family.run(**now | {rungs.RUNG.key: lowest})
        says += " " + TEXTS("only_x", score=typeset(shown(without, "scores", (0, *pair))))
    say(says)
    if now[rungs.NUMBERS.key] == "drawn" and chosen_rung != lowest:
        say_drawn(trace)


def pair_in(trace: Trace, i: int, j: int) -> str:
    """What a version makes of a pair of tokens, in both directions."""
    made = rungs.both_ways(trace, i, j)
    there, back = (cell_number(trace, made.array, cell) for cell in (made.there, made.back))
    return TEXTS(
        "both_ways", asks=token(trace, i), asked=token(trace, j), there=there, back=back,
        one=i == j, weights=made.array == "weights", same=made.same, hidden=made.hidden,
    )  # fmt: skip


def symmetric(text: str) -> None:
    """The eigenvalues of X Xᵀ, and two scores of a pair that differ."""
    found = rungs.symmetry(text)
    say(TEXTS("symmetric"))
    say(TEXTS("not_symmetric"))
    above = ", ".join(typeset_decimal(value) for value in found.above)
    say(TEXTS("eigenvalues", count=len(found.eigenvalues), above=above, zeros=found.zeros))
    if len(found.eigenvalues) > 1:
        say(TEXTS("differ", most=gap_text(found.apart)))


@fragment
def part_tabs(text: str) -> None:
    """The rest of the chapter, one part at a time."""
    choose_one(TEXTS("more_title"), TAB_TITLES, "qkv_part")
    if (part := st.session_state.qkv_part) == "basis":
        basis(text)
    else:
        {"lookup": lookup, "sizes": sizes, "budget": budget}[part]()
    save_link(KEYS)


@fragment
def lookup() -> None:
    """A table searched softly, with its sharpness."""
    say(TEXTS("lookup", beta=soft_lookup.BETA.default))
    trace = LOOKUP.run(**chosen(LOOKUP))
    i, j = neighbours(len(trace.tokens))
    draw_exhibit(trace, ("context", (0, i, j)), KEYS, "qkv_lookup_", family=LOOKUP)
    best = soft_lookup.best_match(trace, i)
    rows = {"returned": cells(trace, "context", i), "stored": cells(trace, "V", best)}
    mean = ", ".join(map(typeset_decimal, soft_lookup.mean_content(trace)))
    say(TEXTS("lookup_result", asks=token(trace, i), found=token(trace, best), mean=mean, **rows))
    say(TEXTS("from_tokens"))


@fragment
def basis(text: str) -> None:
    """Q and K in another basis."""
    say(TEXTS("basis"))
    with st.container(horizontal=True):
        st.slider(TEXTS("turn"), 0, 355, step=5, key="qkv_angle", width=300, **PERSIST)
        slide_along(TEXTS("stretch"), STRETCHES, "qkv_stretch", width=300, format_func=str)
    state = st.session_state
    A = turn_and_stretch(float(state.qkv_angle), float(state.qkv_stretch))
    sentence = rungs.drawn_ladder(text)
    both, last = (sentence, in_basis(sentence, A)), len(rungs.RUNGS)
    before, after = (rungs.climb(last, inputs) for inputs in both)
    say_drawn(before)
    pair = neighbours(len(before.tokens))
    exhibit(after, ("scores", (0, *pair)), KEYS, prefix="qkv_basis_", other=before)
    moved = moved_by_basis(before, after)
    say(TEXTS("moved", **asdict(moved)))
    say(TEXTS("product"))


def run_of_sizes(**sizes: int) -> Trace:
    """A run with the sizes of these keys. Raises `InputError`."""
    return Sizes(**{key.removeprefix("qkv_"): size for key, size in sizes.items()}).run()


@fragment
def sizes() -> None:
    """Which sizes may be chosen, and which must agree."""
    say(TEXTS("sizes"))
    left, right = st.columns([2, 3], gap="large")
    with left:
        for name, most in MOST.items():
            st.slider(typeset_symbols(name), 1, most, key=f"qkv_{name}", **PERSIST)
    with right:
        rows = shapes(what_works(SIZES, KEYS, run_of_sizes).made)
        names = {"column_array": "array", "column_made": "made", "column_axes": "axes"}
        columns = {
            TEXTS(id): [typeset_symbols(getattr(row, name)) for row in rows]
            for id, name in names.items()
        }
        columns[TEXTS("column_sizes")] = [row.sizes for row in rows]
        st.table(columns, border="horizontal", hide_index=True)
    say(TEXTS("must_agree"))
    say(TEXTS("paper", heads=PAPER.heads, d_k=PAPER.d_k, d_model=PAPER.d_model))
    save_link(KEYS)


@fragment
def budget() -> None:
    """Parameters of the projections against the scores that they make."""
    say(TEXTS("budget", d_model=PAPER.d_model))
    with st.container(horizontal=True):
        tokens = TEXTS("tokens")
        slide_along(tokens, list(map(str, LENGTHS)), "qkv_n", width=300, format_func=str)
        slide_along("$d_k$", list(map(str, WIDTHS)), "qkv_d_qk", width=300, format_func=str)
    n, d_k = int(st.session_state.qkv_n), int(st.session_state.qkv_d_qk)
    made, ranks = Budget(n, PAPER.d_model, d_k), score_ranks(PAPER.d_model, d_k)
    draw_chart(budget_figure(made, ranks), "qkv_budget_chart")
    counts = {"parameters": f"{made.parameters:,}", "scores": f"{made.scores:,}"}
    each, equal = typeset_decimal(made.scores_per_parameter), typeset_decimal(made.equal_at, 0)
    say(TEXTS("counts", each=each, equal=equal, **counts))
    say(TEXTS("rank", d_k=d_k, n=f"{n:,}", any_scores=made.any_scores))
    say(TEXTS("measured", tokens=RANK_LENGTHS[-1], rank=ranks[-1]))
    save_link(KEYS)


if __name__ == "__main__":
    begin_chapter("queries_keys_values", KEYS, link_that_fits(SIZES, KEYS, run_of_sizes))
    library()
    st.text_input(TEXTS("sentence"), key="qkv_text", width=360, **PERSIST)
    works = what_works({"qkv_text": "the sentence"}, KEYS, of_one(rungs.drawn_ladder))
    SHOWN = works.values["qkv_text"]
    ladder(SHOWN)
    with fold(TEXTS("symmetric_title"), "symmetric", KEYS):
        symmetric(SHOWN)
    with fold(TEXTS("more_title"), "parts", KEYS, IN_PARTS):
        part_tabs(SHOWN)
    code = (rungs.ladder_program, soft_lookup.lookup_program, in_basis)
    end_chapter("queries_keys_values", KEYS, code, "scores", exhibit="qkv_ladder_")
