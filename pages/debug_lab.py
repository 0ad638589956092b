"""Which line is wrong?

A broken attention is told by its numbers alone; the step, a cell and the mistake are to be found.
"""

import streamlit as st

from core.attention.setups import DEFAULT_TEXT
from core.chapters.debug_lab.checks import CHECKS, sums_of_weights
from core.chapters.debug_lab.lab import (
    CASES,
    NUMBERS,
    Difference,
    Runs,
    counted,
    lab_runs,
    lines_of_numpy,
    order,
    parting,
    place,
    right_program,
)
from core.chapters.debug_lab.questions import DEBUG_QUESTIONS
from core.chapters.debug_lab.verdicts import (
    Verdict,
    verdict_on_cell,
    verdict_on_name,
    verdict_on_step,
)
from core.program.display import shown
from core.program.labels import told_cell
from core.program.mistakes import Mistake
from core.program.program import Program
from core.program.rounding import typeset
from core.program.trace import Trace
from stage.places import is_inside
from ui.asking import ask_each
from ui.code import in_code
from ui.exhibit import draw_exhibit, exhibit_keys
from ui.fallback import what_works
from ui.fold import fold
from ui.fragments import fragment
from ui.frame import frame
from ui.links import SENTENCE, Key, Keys, cell_of, one_of, parse_cell, sentence_of, whole
from ui.maps.steps import step_maps
from ui.prose import cell_number, say, say_drawn, set_off
from ui.selection import View, start_anew
from ui.session import KEPT, open_link, save_link, say_messages
from ui.walk import way_on
from ui.yourself import implement_it_yourself

KEYS: Keys = {
    "lab_case": Key(order()[0], whole(1, len(NUMBERS))),
    "lab_text": Key(DEFAULT_TEXT, sentence_of, SENTENCE),
    "lab_on": Key("sentence", one_of("sentence")),  # given scores, of older links, are no more
    "lab_stop": Key("", one_of(*right_program().names)),
    "lab_found": Key("", cell_of),
    "lab_guess": Key(None, one_of(*CASES)),
    "lab_told": Key("", one_of("yes")),
    **exhibit_keys(right_program(), "", "lab_", right_program().sizes["h"]),
}
OPENING = "Q_all", (0, 0)  # the first step that computes anything
HIGH = 108  # of the steps' pictures, in pixels
PASSED = {True: "This holds here", False: "This does not hold here"}
RIGHT_RUN = (
    "The [causal](#term-causal) [mask](#term-mask) hides later [keys](#term-key) from each "
    "[query](#term-query), and the first [token](#term-token) from all, as "
    "[padding](#term-padding). In a right run hidden [scores](#term-score) become −∞, and "
    "[softmax](#term-softmax) makes the first row of [weights](#term-weight) 0. Guess in any order."
)
CLOSED = (
    "Closed until the mistake is named or shown. The lit cells are what the right program makes it "
    "of: work it out from them."
)


def another_case() -> None:
    """Nothing is guessed yet, and the stage shows the first step."""
    st.session_state.update(lab_stop="", lab_found="", lab_guess=None, lab_told="", lab_checks=[])
    start_anew("lab_")


def guess(key: str, value: str) -> None:
    st.session_state[key] = value


def tell() -> None:
    st.session_state.lab_told = "yes"
    start_anew("lab_")


def named() -> None:
    """The mistake that was named is this one: the stage shows where it begins."""
    if st.session_state.lab_guess == NUMBERS[st.session_state.lab_case]:
        start_anew("lab_")


@fragment
def lab(runs: Runs, number: int) -> None:
    """The steps of a case, its stage, and what is to be found; then what it was."""
    state, name = st.session_state, NUMBERS[number]
    above = st.container()
    if not state.lab_told and state.lab_guess != name:
        view = draw_exhibit(
            runs.told[name], OPENING, KEYS, "lab_", fills=True, doubted=True, closed=CLOSED,
            code=False,
        )  # fmt: skip
        with above:
            say(f"**One of these {len(right_program().phases)} steps is wrong.** Which one?")
            steps(view)
            checked(runs, name)
            guesses(runs, name, view)
        return
    found = parting(runs, name)
    draw_exhibit(
        runs.broken[name], (found.array, found.cell), KEYS, "lab_", other=runs.right, fills=True,
        doubted=True,
    )  # fmt: skip
    with above:
        with st.container(horizontal=True, vertical_alignment="center"):
            right = "Right. " if state.lab_guess == name else ""
            st.header(f"{right}Case {place(number)}: {CASES[name].name}", anchor=False)
            st.button("Close it again", key="lab_close", on_click=another_case)
        say(
            f"{CASES[name].mistake.why} Below is the broken run with its own arithmetic. Where "
            "its numbers are written, under each changed one stands its difference from the right "
            "one, or the right one in brackets."
        )
        say_drawn(runs.right)
    what_it_was(runs, name, found)


def steps(view: View) -> None:
    """The steps of a run as pictures; what each row of weights adds up to."""
    step_maps(
        "beside_lab_maps", view, "lab_stage", title="The steps of this run", high=HIGH,
        beside={"weights": sums_of_weights(view.trace)},
    )  # fmt: skip
    say_drawn(view.trace)


def checked(runs: Runs, name: str) -> None:
    """Checks to run, and what each of those that were run says."""
    asked = st.pills(
        "Run a check", CHECKS, selection_mode="multi", key="lab_checks",
        format_func=lambda check: check.asks, **KEPT,
    )  # fmt: skip
    for check in asked:
        holds = check not in runs.found_by[name]
        judged(Verdict(holds, f"{PASSED[holds]}: {check.says}."))


def guesses(runs: Runs, name: str, view: View) -> None:
    """What can be guessed, in any order, and what is said of what was."""
    state, program = st.session_state, right_program()
    title = program.phases[program.phase(view.array)].title
    cell = set_off(told_cell(view.trace, view.name, view.cell))
    with st.container(horizontal=True):
        st.button(
            f"1. The first wrong step: {title}", key="lab_this_step", on_click=guess,
            args=("lab_stop", view.array),
        )  # fmt: skip
        st.button(
            f"2. A wrong cell of it: {cell}", key="lab_this_cell", on_click=guess,
            args=("lab_found", view.selected),
        )  # fmt: skip
        st.selectbox(
            "3. The mistake", list(CASES), index=None, key="lab_guess", on_change=named,
            format_func=lambda name: CASES[name].name, placeholder="3. The mistake is …",
            label_visibility="collapsed", **KEPT,
        )  # fmt: skip
        st.button("Show me", key="lab_show", on_click=tell)
    if state.lab_stop:
        judged(verdict_on_step(runs, name, state.lab_stop))
    found = parse_cell(state.lab_found)
    if found and is_inside(runs.right, *found):
        judged(verdict_on_cell(runs, name, *found))
    if state.lab_guess:
        judged(verdict_on_name(runs, name, state.lab_guess))


def judged(verdict: Verdict) -> None:
    """What is said of a guess, the tokens in it set off."""
    (st.success if verdict.right else st.warning)(set_off(verdict.text))


def what_it_was(runs: Runs, name: str, found: Difference) -> None:
    """Where the two runs part, which checks find it, and the lines that are wrong and right."""
    at, wrong, by = (found.array, found.cell), runs.broken[name], runs.found_by[name]
    ours = typeset(shown(runs.right, *at))
    checks = "; ".join(f"“{check.says}”" for check in by)
    say(
        f"All steps before [{found.array}](#stage-{found.array}) agree with the right run. The "
        f"first cell that does not is {set_off(told_cell(wrong, *at))}: the right "
        f"program has **{ours}**, the broken one "
        f"**{cell_number(wrong, *at)}**; {counted(runs, name)} differ. "
        f"Of the {len(CHECKS)} checks under “What the checks find”, "
        + (f"{len(by)} find{'s' * (len(by) == 1)} it: {checks}." if by else "none finds it.")
    )
    for title, lines in (
        ("In numpy", lines_of_numpy(runs, name)),
        ("In PyTorch", CASES[name].mistake.torch),
    ):
        say(f"**{title}**")
        if lines.helper:
            st.code(lines.helper.strip(), language="python", wrap_lines=True)
        for column, word, code in zip(
            st.columns(2), ("broken", "mended"), (lines.broken, lines.mended), strict=True
        ):
            column.code(f"# {word}\n{code}", language="python", wrap_lines=True)


frame(
    "debug_lab",
    "Debug lab: which line is wrong?",
    "[Attention](#term-attention) that is slightly wrong can still run. Each case is the same "
    "program of several [heads](#term-head), with a usual mistake in one step. Until it is named "
    "or shown, formulas and captions are those of the right program: only the numbers tell.",
)
open_link("debug_lab", KEYS)
say_messages()
with st.container(horizontal=True, vertical_alignment="bottom"):
    number = st.segmented_control(
        "Case, the easier ones first", order(), key="lab_case", required=True,
        format_func=lambda number: str(place(number)), on_change=another_case, width="content",
        wrap=True, **KEPT,
    )  # fmt: skip
    st.text_input("Sentence", key="lab_text", width=360, on_change=another_case, **KEPT)
    with st.popover("What a right run looks like"):
        say(RIGHT_RUN)
runs = what_works({"lab_text": "the sentence"}, KEYS, lambda lab_text: lab_runs(lab_text)).made
lab(runs, number)
with fold("What the checks find", "lab_checks", KEYS):
    say(
        f"Checks that need no right run find most of these {len(CASES)} mistakes, "
        f"but not {len(runs.not_found)} of them: for those a cell has to be worked out. Several "
        "checks may find the same mistake. In a right run:\n"
        + ";\n".join(
            f"- {check.says} (this finds {runs.finds(check)} of {len(CASES)})" for check in CHECKS
        )
        + "."
    )
ask_each(DEBUG_QUESTIONS, "lab")
in_code(
    Program.replaced,
    Mistake.change,
    Trace.under,
    origin="Each mistake is a change to one step of the right program: "
    "`core/attention/mistakes.py` has them all.",
    step="weights",
    run=runs.right,
    below=lambda now: implement_it_yourself(now, "lab"),
)
way_on(
    "debug_lab",
    "Wrong attention can run without an error, and with shapes that fit: its numbers alone tell. "
    "What finds a mistake is a case that is small enough to work by hand, compared step by step.",
)
save_link(KEYS)
