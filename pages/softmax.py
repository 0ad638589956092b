"""How do scores become weights?

e to each, over their sum: four scores on the stage, what softmax notices of them, a temperature,
and over which axis the sum has to run.
"""

import streamlit as st

from core.attention.setups import DEFAULT_TEXT
from core.attention.tokens import few_enough
from core.chapters.softmax import normalising
from core.chapters.softmax import shares as weighting
from core.chapters.softmax.normalising import COLDEST, HOTTEST, by_temperature, leaders, logits
from core.chapters.softmax.normalising import temperature_of_base as of_base
from core.operations.softmax import softmax
from core.program.families import Options
from core.program.trace import Trace
from ui.charts.framing import draw_chart
from ui.charts.softmax import (
    LOGIT_BARS,
    context_growth_figure,
    made_figure,
    temperature_figure,
    weights_figure,
)
from ui.links.links import SENTENCE_KEY, Key, Keys, among, short_sentence
from ui.links.session import PERSIST
from ui.page.chapter import begin_chapter, end_chapter
from ui.page.controls import slide_along
from ui.page.fold import fold, fold_for_later
from ui.page.last_valid import link_that_fits, of_one, what_works
from ui.page.prose import cell_number, decimals, say, say_drawn, typeset_count, typeset_decimal
from ui.page_texts import page_texts
from ui.server.fragments import fragment
from ui.stage.exhibit import draw_exhibit, exhibit_keys, stage_keys
from ui.stage.toggles import run_as_chosen, toggle_keys
from ui.text import markdown_table

TEXTS = page_texts("softmax")
LOGITS = {"softmax_1": 2, "softmax_2": 1, "softmax_3": 0, "softmax_4": -1}
RANGE = tuple(range(-5, 6))
PLUS = (-1000, -100, -5, 0, 5, 100, 1000)
FACTORS = (0, 0.125, 0.25, 0.5, 1, 2, 4, 8)
KEYS: Keys = {
    **{name: Key(logit, among(*RANGE)) for name, logit in LOGITS.items()},
    **toggle_keys(weighting.MADE, weighting.TEMPERATURE, weighting.ADDED),
    **exhibit_keys(
        weighting.shares_program(weighting.EXP, 1.0, adds=False), "weights", "softmax_", 1,
        "constant|moved|tempered|largest", renamed={"logits": "scores", "portions": "weights"},
    ),
    "softmax_add": Key(5, among(*PLUS)),
    "softmax_times": Key(2, among(*FACTORS)),
    "softmax_text": Key(DEFAULT_TEXT, short_sentence, SENTENCE_KEY),
    **toggle_keys(normalising.OVER),
    **exhibit_keys(normalising.program_over(normalising.KEYS), "weights", "softmax_over_", 1),
}  # fmt: skip
FITTING = {"softmax_text": "the sentence"}
fits = of_one(few_enough)
BASE = 2.0


@fragment
def four_scores() -> None:
    """Four logits on the stage, a chart of what softmax notices, and one of temperatures."""
    picture, beside = st.columns([3, 2], gap="large")
    row = [st.session_state[name] for name in LOGITS]
    family = weighting.shares_family(row)
    now, trace = run_as_chosen(family)
    with picture:
        draw_chart(made_figure(weighting.made_of(trace, now)), "softmax_bars")
        say(_notice(trace, now))
    with beside:
        say(TEXTS("logits"))
        say(f"${weighting.formula(now, len(row))}$")
        say(TEXTS("try"))
        first, *others = LOGITS
        score_of(first)
        with fold(TEXTS("other_scores"), "scores", KEYS, others):
            for name in others:
                score_of(name)
    draw_exhibit(trace, ("weights", (0, 0, 0)), KEYS, "softmax_", family=family)
    with fold(TEXTS("why_e_title"), "e", KEYS):
        e, at_base = typeset_decimal(weighting.e_of_the_stage()), typeset_decimal(of_base(BASE))
        say(TEXTS("why_e", e=e, base=f"{BASE:g}", temperature=at_base))
    with fold(TEXTS("moving_title"), "moved", KEYS, ("softmax_add", "softmax_times")):
        _moving(row)
    with fold(TEXTS("temperature_title"), "temperature", KEYS):
        temperatures(row, float(now[weighting.TEMPERATURE.key]))


def score_of(name: str) -> None:
    """The slider of a score."""
    slide_along(TEXTS("score", key=name[-1]), RANGE, name)


def temperatures(row: list[int], at: float) -> None:
    """Each key's weight at every temperature, and where the stage stands."""
    draw_chart(temperature_figure(by_temperature(row), at), "softmax_temperatures")
    ends = {"coldest": f"{COLDEST:g}", "hottest": f"{HOTTEST:g}"}
    say(TEXTS("temperature", best=leaders(row), keys=len(row), **ends))


def _notice(trace: Trace, now: Options) -> str:
    """Return what the stage shows, in numbers."""
    first, last = (cell_number(trace, "weights", (0, 0, at)) for at in (0, 3))
    made, divides = now[weighting.MADE.key], not weighting.cannot_be_divided(trace)
    numbers = {"total": cell_number(trace, "totals", (0, 0, 0)), "first": first, "last": last}
    found = [TEXTS("sum", divides=divides, made=made, **numbers)]
    if not divides:
        return found[0]
    if made == weighting.SQUARE:
        found += [TEXTS("squares", pairs=weighting.twins(trace))]
    elif made == normalising.NOTHING:
        found += [TEXTS("unchanged", negative=weighting.below_zero(trace))]
    else:
        found += [TEXTS("exponentials"), *([TEXTS("stable")] if made == weighting.STABLE else [])]
    return " ".join(found)


def _moving(row: list[int]) -> None:
    """The weights of the row as it is, with a number added, and times a number."""
    left, right = st.columns(2)
    with left:
        add = slide_along(TEXTS("add"), PLUS, "softmax_add")
    with right:
        times = slide_along(TEXTS("multiply"), FACTORS, "softmax_times")
    found = logits(row, add, times)
    constant, factor = typeset_count(add), typeset_count(times)
    bars = [
        (TEXTS("moving_bars"), found.plain),
        (TEXTS("added_bars", constant=constant), found.added),
        (TEXTS("multiplied_bars", factor=factor), found.multiplied),
    ]
    draw_chart(weights_figure([name[-1] for name in LOGITS], bars, LOGIT_BARS), "softmax_logits")
    moved = {"adding": found.moved_by_adding, "multiplying": found.moved_by_multiplying}
    changes = decimals(**{f"moved_by_{what}": by for what, by in moved.items()})
    say(TEXTS("moving", constant=constant, factor=factor, **changes))
    say(TEXTS("only_differences"))
    say(TEXTS("overflow", most=typeset_count(PLUS[-1])))


def which_sums() -> None:
    """Draw over which axis the weights add up, and what a sum that is missing does."""
    over_which()
    longer_text()


@fragment
def over_which() -> None:
    """A sentence whose weights add up over the keys, over the queries, or not at all."""
    st.text_input(TEXTS("sentence"), key="softmax_text", width=360, **PERSIST)
    text = what_works(FITTING, KEYS, fits).made
    family = normalising.over_family(text)
    now, trace = run_as_chosen(family)
    last = len(trace.tokens) - 1
    say(TEXTS("which_sum"))
    say_drawn(trace)
    draw_exhibit(trace, ("weights", (0, last, 0)), KEYS, "softmax_over_", family=family)
    sums = {"row_sums": normalising.row_sums(trace), "column_sums": normalising.column_sums(trace)}
    with st.container(key="beside_sums"):
        header = [TEXTS("sum_of"), *(str(n + 1) for n in range(len(trace.tokens)))]
        rows = [[TEXTS(id), *map(typeset_decimal, row)] for id, row in sums.items()]
        say(markdown_table(header, rows))
    said = {normalising.KEYS: "over_keys", normalising.QUERIES: "over_queries"}
    say(TEXTS(said.get(now[normalising.OVER.key], "over_nothing")))


@fragment
def longer_text() -> None:
    """One query over more and more keys, divided by the sum and not."""
    grown = normalising.growth()
    draw_chart(context_growth_figure(grown), "softmax_growth")
    ends = {"plain": grown.plain[-1], "normalised": grown.normalised[-1]}
    say(TEXTS("longer", many=normalising.MANY, **decimals(longest=grown.longest, **ends)))


if __name__ == "__main__":
    begin_chapter("softmax", KEYS, link_that_fits(FITTING, KEYS, fits))
    four_scores()
    of_sums = ["softmax_text", normalising.OVER.key, *stage_keys("softmax_over_")]
    fold_for_later(TEXTS("later_title"), "over", KEYS, of_sums, which_sums, after="walkthrough")
    end_chapter("softmax", KEYS, [softmax.forward, logits], "weights")
