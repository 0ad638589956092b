"""How do scores become shares?

e to each, over their sum: four scores on the stage, what softmax notices of them, a temperature,
and over which axis the sum has to run.
"""

import streamlit as st

from core.attention.setups import DEFAULT_TEXT
from core.attention.tokens import few_enough
from core.chapters.softmax.normalising import (
    KEYS as OVER_KEYS,
)
from core.chapters.softmax.normalising import (
    MANY,
    NOTHING,
    OVER,
    QUERIES,
    column_sums,
    growth,
    over_family,
    program_over,
    row_sums,
)
from core.chapters.softmax.noticed import COLDEST, HOTTEST, by_temperature, leaders, logits
from core.chapters.softmax.noticed import temperature_of_base as of_base
from core.chapters.softmax.questions import SOFTMAX_QUESTIONS
from core.chapters.softmax.shares import (
    ADDED,
    EXP,
    MADE,
    SQUARE,
    STABLE,
    TEMPERATURE,
    below_zero,
    cannot_be_divided,
    e_of_the_stage,
    formula,
    shares_family,
    shares_of,
    shares_program,
    twins,
)
from core.operations.softmax import softmax
from core.program.families import Options
from core.program.rounding import cell_text, decimal_text, typeset
from core.program.trace import Trace
from ui.asking import ask_each
from ui.chart import draw_chart
from ui.charts.softmax import (
    LOGIT_BARS,
    bars_figure,
    growth_figure,
    temperature_figure,
    weights_figure,
)
from ui.code import in_code
from ui.exhibit import draw_exhibit, exhibit_keys, stage_keys
from ui.fallback import link_that_fits, what_works
from ui.fold import fold, fold_for_later
from ui.fragments import fragment
from ui.frame import frame
from ui.links import SENTENCE, Key, Keys, among, short_sentence
from ui.prose import cell_number, say, say_drawn
from ui.session import KEPT, open_link, save_link, say_messages
from ui.text import markdown_table
from ui.toggles import chosen, toggle_keys
from ui.walk import way_on

LOGITS = {"softmax_1": 2, "softmax_2": 1, "softmax_3": 0, "softmax_4": -1}
RANGE = tuple(range(-5, 6))
PLUS = (-1000, -100, -5, 0, 5, 100, 1000)
FACTORS = (0, 0.125, 0.25, 0.5, 1, 2, 4, 8)
KEYS: Keys = {
    **{name: Key(logit, among(*RANGE)) for name, logit in LOGITS.items()},
    **toggle_keys(MADE, TEMPERATURE, ADDED),
    **exhibit_keys(
        shares_program(EXP, 1.0, adds=False), "portions", "softmax_", 1,
        "constant|moved|tempered|largest",
    ),
    "softmax_add": Key(5, among(*PLUS)),
    "softmax_times": Key(2, among(*FACTORS)),
    "softmax_text": Key(DEFAULT_TEXT, short_sentence, SENTENCE),
    **toggle_keys(OVER),
    **exhibit_keys(program_over(OVER_KEYS), "weights", "softmax_over_", 1),
}  # fmt: skip
FITTING = {"softmax_text": "the sentence"}
BASE = 2.0


def plainly(value: float) -> str:
    """A number of a control: −1,000."""
    return typeset(f"{value:,}")


def number(value: float, decimals: int = 2) -> str:
    return typeset(decimal_text(float(value), decimals))


def fits(softmax_text: str) -> str:
    """The sentence, where it is short. Raises `InputError`."""
    return few_enough(softmax_text)


@fragment
def four_scores() -> None:
    """Four logits on the stage, a chart of what softmax notices, and one of temperatures."""
    picture, beside = st.columns([3, 2], gap="large")
    with beside:
        first, *others = LOGITS
        score_of(first)
        with fold("The other three scores", "scores", KEYS, others):
            for name in others:
                score_of(name)
    row = [st.session_state[name] for name in LOGITS]
    family = shares_family(row)
    now = chosen(family)
    trace = family.run(**now)
    with picture:
        figure = bars_figure([plainly(score) for score in row], shares_of(trace))
        draw_chart(figure, "softmax_bars")
    with beside:
        say(
            "Each [key](#term-key) has a score. One that enters softmax is called a "
            "[logit](#term-logit)."
        )
        say(f"${formula(now, len(row))}$")
        say(_what_came_of_it(trace, now))
        say(
            "**Try it.** Move the score of key 1 up to 5, then down to −5. Which bars change, "
            "and which scores?"
        )
    draw_exhibit(trace, ("portions", (0, 0, 0)), KEYS, "softmax_", family=family)
    with fold("Why e?", "e", KEYS):
        why_e()
    with fold("Adding and multiplying", "moved", KEYS, ("softmax_add", "softmax_times")):
        _noticed(row)
    with fold("Temperature", "temperature", KEYS):
        temperatures(row, float(now[TEMPERATURE.key]))


def score_of(name: str) -> None:
    """The slider of a score."""
    st.select_slider(f"Score of key {name[-1]}", RANGE, key=name, format_func=plainly, **KEPT)


def why_e() -> None:
    """What speaks for e."""
    say(
        "Any way to make numbers positive would give shares that add up to 1. $e^x$ "
        "keeps their order, never gives 0, and turns differences into ratios: one more in the "
        f"logit is always e ≈ {number(e_of_the_stage())} times the share of before, "
        f"beside that of any other key. Another base is only another "
        f"[temperature](#term-temperature): ${BASE:g}^x$ is $e^{{x/T}}$ at $T$ ≈ "
        f"{number(of_base(BASE))}. Of all bases, e is the one for which the slope of $e^x$ is "
        "$e^x$ itself, which keeps the [gradient](#term-gradient) simple."
    )


def temperatures(row: list[int], at: float) -> None:
    """Each key's share at every temperature, and where the stage stands."""
    figure = temperature_figure(by_temperature(row), at)
    draw_chart(figure, "softmax_temperatures")
    best = leaders(row)
    ends = (
        "All four logits are equal, so the shares are equal at every temperature."
        if best == len(row)
        else f"Towards {COLDEST:g} the largest logit takes nearly all"
        + (f", shared among the {best} keys that have it" if best > 1 else "")
        + f"; towards {HOTTEST:g} and beyond all four shares approach a quarter."
    )
    say(
        f"A temperature $T$ divides every logit before softmax. {ends} A model that writes text "
        "may be asked to write at a low temperature (its likeliest words) or at a high one (more "
        "surprises)."
    )


def _what_came_of_it(trace: Trace, now: Options) -> str:
    """What the stage shows, in numbers."""
    first, last = (cell_number(trace, "portions", (0, 0, at)) for at in (0, 3))
    total = cell_number(trace, "totals", (0, 0, 0))
    begins = f"**Notice.** The sum is {total}; key 1 has {first} of it, key 4 {last}. "
    made = now[MADE.key]
    if cannot_be_divided(trace):
        return f"{begins}A sum of 0 cannot be divided by: there are no shares here."
    if made in (EXP, STABLE):
        return (
            f"{begins}All four shares are above 0, and a larger logit always has a larger share."
            + (" Subtracting the largest has changed none of them." if made == STABLE else "")
        )
    if made == SQUARE:
        pairs = twins(trace)
        return begins + (
            f"Squares forget the sign: {pairs} pairs of keys with opposite numbers have equal "
            "shares." if pairs > 1 else
            "Squares forget the sign: one pair of keys with opposite numbers has equal shares."
            if pairs else
            "Squares forget the sign: a number far below 0 counts as much as one far above."
        )  # fmt: skip
    below = below_zero(trace)
    return begins + (
        "Nothing was made positive. Here none of the four is below 0, which is luck: with numbers "
        "of both signs some are."
        if not below
        else f"Nothing was made positive, and {below} of the four {'is' if below == 1 else 'are'} "
        "below 0: they add up to 1, but they are no shares."
    )


def _noticed(row: list[int]) -> None:
    """The weights of the row as it is, with a number added, and times a number."""
    left, right = st.columns(2)
    add = left.select_slider("Add c to all", PLUS, key="softmax_add", format_func=plainly, **KEPT)
    times = right.select_slider("Multiply all by c", FACTORS, key="softmax_times", **KEPT)
    found = logits(row, add, times)
    figure = weights_figure(
        [name[-1] for name in LOGITS],
        [
            ("as they are", found.plain), (f"{plainly(add)} added to all", found.added),
            (f"all times {plainly(times)}", found.multiplied),
        ],
        LOGIT_BARS,
    )  # fmt: skip
    draw_chart(figure, "softmax_logits")
    say(
        f"Adding {plainly(add)} moves the weights by "
        f"**{number(found.moved_by_adding)}**; multiplying by {plainly(times)} moves them by up to "
        f"**{number(found.moved_by_multiplying)}**. Adding c puts the same factor $e^c$ into every "
        "exponential and into their sum, so it cancels. Multiplying by another number than 1 "
        "changes the weights, unless all are equal. Subtracting the row's maximum adds, so it "
        "changes none, and it is what keeps softmax numerically stable: "
        + (
            f"without it the exponentials here sum to {number(found.total)} in float64, and every "
            "weight would be lost."
            if found.breaks
            else f"here the exponentials sum to {number(found.total)} without it, which float64 "
            f"still holds. Try adding {plainly(PLUS[-1])}."
        )
    )


@fragment
def over_which() -> None:
    """A sentence whose weights add up over the keys, over the queries, or not at all."""
    st.text_input("Sentence", key="softmax_text", width=360, **KEPT)
    text = what_works(FITTING, KEYS, fits).made
    family = over_family(text)
    now = chosen(family)
    trace = family.run(**now)
    last = len(trace.tokens) - 1
    say(
        "In attention the scores are a matrix: a row for each "
        "[query](#term-query), a column for each key. Which sum should divide? The scale of "
        "attention, 1/√d_k, is a temperature too: $T$ = √d_k."
    )
    say_drawn(trace)
    draw_exhibit(trace, ("weights", (0, last, 0)), KEYS, "softmax_over_", family=family)
    rows, columns = row_sums(trace), column_sums(trace)
    with st.container(key="beside_sums"):
        labels = [str(n + 1) for n in range(len(rows))]
        say(
            markdown_table(
                ["sum", *labels],
                [
                    ["each query's weights add up to", *(typeset(cell_text(x)) for x in rows)],
                    ["each key's weights add up to", *(typeset(cell_text(x)) for x in columns)],
                ],
            )
        )
    say(_over(now[OVER.key]))


def _over(chosen_sum: str) -> str:
    """What the choice of the sum does."""
    if chosen_sum == QUERIES:
        return (
            "**Over the queries** each column adds up to 1, the rows do not have to. The queries "
            "compete for a key: a later token changes what earlier ones read, so the causal mask "
            "no longer keeps the future out. Divided over the wrong axis, a program still runs, "
            "and its matrix looks plausible."
        )
    if chosen_sum == NOTHING:
        return (
            "**Without a sum** the weights are the bare exponentials. Rows may differ in how much "
            "they read altogether, and what comes out tends to grow with the number of keys."
        )
    return (
        "**Over the keys** each query's weights add up to 1: its context is a mean of "
        "[values](#term-value), each entry between the smallest and the largest of theirs. What a "
        "query reads depends on its own row alone."
    )


@fragment
def longer_text() -> None:
    """One query over more and more keys, divided by the sum and not."""
    grown = growth()
    figure = growth_figure(grown)
    draw_chart(figure, "softmax_growth")
    say(
        f"One query of a drawn text reads its first keys, up to {MANY}. With {MANY} keys the "
        f"context is **{number(grown.plain[-1])}** long where nothing is "
        f"divided, and **{number(grown.normalised[-1])}** where it is: never longer than the "
        f"longest value row, {number(grown.longest)}. A longer text does not raise that bound. It "
        "is an upper bound only: a mean of many values may be much shorter."
    )


frame(
    "softmax",
    "Softmax: how do scores become shares?",
    "To read several [tokens](#term-token) at once, a token needs a [weight](#term-weight) for "
    "each: numbers that are not negative and add up to 1. It starts with [scores](#term-score) of "
    "any size and sign. [Softmax](#term-softmax) turns them into weights.",
)
open_link("softmax", KEYS, link_that_fits(FITTING, KEYS, fits))
say_messages()
four_scores()
later = fold_for_later(
    "Over which axis, and why divide at all?", "over", KEYS,
    ["softmax_text", OVER.key, *stage_keys("softmax_over_")], after="walkthrough",
)  # fmt: skip
if later.open:
    with later:
        over_which()
        longer_text()
ask_each(SOFTMAX_QUESTIONS, "softmax")
in_code(
    softmax.forward,
    logits,
    origin="The name and its use for probabilities: Bridle, *Training Stochastic Model Recognition "
    "Algorithms as Networks* (1990); the same formula is the Boltzmann distribution of physics, "
    "whence the temperature. In attention: Bahdanau, Cho and Bengio (2015), section 3.1; of scaled "
    "dot products: Vaswani et al. (2017), section 3.2.1.",
    step="portions",
    exhibit="softmax_",
)
way_on(
    "softmax",
    "Softmax takes e to each score and divides by the sum: positive shares that add up to 1. It "
    "notices the differences of scores alone: adding to all changes nothing, multiplying all "
    "makes the shares sharper or more even.",
)
save_link(KEYS)
