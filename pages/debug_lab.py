"""Which line is wrong?

Only its numbers show that an attention is broken: find the step, a cell and the mistake.
"""

from functools import partial
from operator import attrgetter

import streamlit as st

from core.attention.setups import DEFAULT_TEXT
from core.chapters.debug_lab import lab as bugs
from core.chapters.debug_lab import verdicts
from core.chapters.debug_lab.checks import CHECKS, sums_of_weights
from core.program.labels import told_cell
from core.program.mistakes import Mistake
from core.program.numbers.display import shown
from core.program.numbers.rounding import typeset
from core.program.program import Program
from core.program.trace import Trace
from stage.document.places import is_inside
from ui.chapters.walkthrough.sharing import implement_it_yourself
from ui.components.maps import step_maps
from ui.links.links import (
    SENTENCE_KEY,
    Key,
    Keys,
    cell_of,
    one_of,
    parse_cell,
    sentence_of,
    whole_number_reader,
)
from ui.links.session import PERSIST
from ui.links.stage_position import View, reset_position
from ui.page.chapter import begin_chapter, end_chapter
from ui.page.controls import choose_one
from ui.page.fold import fold
from ui.page.last_valid import of_one, what_works
from ui.page.prose import cell_number, say, say_drawn, set_off
from ui.page_texts import chart_texts, page_texts
from ui.server.fragments import fragment
from ui.stage.exhibit import draw_exhibit, exhibit_keys
from ui.stage.settings import Layout, Telling
from ui.text import Markdown

TEXTS, PLAIN = page_texts("debug_lab"), chart_texts("debug_lab")
KEYS: Keys = {
    "lab_case": Key(bugs.order()[0], whole_number_reader(1, len(bugs.NUMBERS))),
    "lab_text": Key(DEFAULT_TEXT, sentence_of, SENTENCE_KEY),
    "lab_on": Key("sentence", one_of("sentence")),  # given scores, of older links, are no more
    "lab_stop": Key("", one_of(*bugs.right_program().names)),
    "lab_found": Key("", cell_of),
    "lab_guess": Key(None, one_of(*bugs.CASES)),
    "lab_told": Key("", one_of("yes")),
    **exhibit_keys(bugs.right_program(), "", "lab_", bugs.right_program().sizes["h"]),
}
OPENING = "Q_all", (0, 0)  # the first step that computes anything
HIGH = 108  # of the steps' pictures, in pixels


def another_case() -> None:
    """Nothing is guessed yet, and the stage shows the first step."""
    st.session_state.update(lab_stop="", lab_found="", lab_guess=None, lab_told="", lab_checks=[])
    reset_position("lab_")


def guess(key: str, value: str) -> None:
    st.session_state[key] = value


def tell() -> None:
    st.session_state.lab_told = "yes"
    reset_position("lab_")


def named() -> None:
    """The mistake that was named is this one: the stage shows where it begins."""
    if st.session_state.lab_guess == bugs.NUMBERS[st.session_state.lab_case]:
        reset_position("lab_")


@fragment
def lab(runs: bugs.Runs, number: int) -> None:
    """The steps of a case, its stage, and what is to be found; then what it was."""
    state, name = st.session_state, bugs.NUMBERS[number]
    above = st.container()
    if not state.lab_told and state.lab_guess != name:
        view = draw_exhibit(
            runs.disguised[name], OPENING, KEYS, "lab_", layout=Layout(fills=True),
            telling=Telling(doubted=True, closed=PLAIN("closed"), code=False),
        )  # fmt: skip
        with above:
            say(TEXTS("try", steps=len(bugs.right_program().phases)))
            steps(view)
            checked(runs, name)
            guesses(runs, name, view)
        return
    found = bugs.parting(runs, name)
    at, run, layout = (found.array, found.cell), runs.broken[name], Layout(fills=True)
    telling = Telling(doubted=True)
    draw_exhibit(run, at, KEYS, "lab_", other=runs.right, telling=telling, layout=layout)
    with above:
        with st.container(horizontal=True, vertical_alignment="center"):
            right, called = state.lab_guess == name, set_off(bugs.CASES[name].name)
            title = TEXTS("opened", right=right, place=bugs.place(number), name=called)
            st.header(title, anchor=False)
            st.button(TEXTS("close"), key="lab_close", on_click=another_case)
        say(bugs.CASES[name].why)
        say(TEXTS("broken_run"))
        say_drawn(runs.right)
    what_it_was(runs, name, found)


def steps(view: View) -> None:
    """The steps of a run as pictures; what each row of weights adds up to."""
    title, beside = PLAIN("steps_title"), {"weights": sums_of_weights(view.trace)}
    step_maps("beside_lab_maps", view, "lab_stage", title=title, high=HIGH, beside=beside)
    say_drawn(view.trace)


def checked(runs: bugs.Runs, name: str) -> None:
    """Checks to run, and the result of each check that was run."""
    asked = st.pills(
        TEXTS("run_check"), CHECKS, selection_mode="multi", key="lab_checks",
        format_func=attrgetter("asks"), **PERSIST,
    )  # fmt: skip
    for check in asked:
        judged(verdicts.verdict_on_check(runs, name, check))


def guesses(runs: bugs.Runs, name: str, view: View) -> None:
    """What can be guessed, in any order, and the verdict on each guess."""
    state, program = st.session_state, bugs.right_program()
    title = program.phases[program.phase(view.array)].title
    cell = set_off(told_cell(view.trace, view.name, view.cell))
    with st.container(horizontal=True):
        step, number = TEXTS("guess_step", step=Markdown(title)), TEXTS("guess_cell", cell=cell)
        st.button(step, key="lab_this_step", on_click=guess, args=("lab_stop", view.array))
        st.button(number, key="lab_this_cell", on_click=guess, args=("lab_found", view.selected))
        st.selectbox(
            TEXTS("guess_mistake"), list(bugs.CASES), index=None, key="lab_guess", on_change=named,
            format_func=lambda name: bugs.CASES[name].name, placeholder=TEXTS("guess_mistake_is"),
            label_visibility="collapsed", **PERSIST,
        )  # fmt: skip
        st.button(TEXTS("reveal"), key="lab_show", on_click=tell)
    if state.lab_stop:
        judged(verdicts.verdict_on_step(runs, name, state.lab_stop))
    found = parse_cell(state.lab_found)
    if found and is_inside(runs.right, *found):
        judged(verdicts.verdict_on_cell(runs, name, *found))
    if state.lab_guess:
        judged(verdicts.verdict_on_name(runs, name, state.lab_guess))


def judged(verdict: verdicts.LabVerdict) -> None:
    """What is said of a guess, the tokens in it set off."""
    (st.success if verdict.right else st.warning)(set_off(verdict.text))


def what_it_was(runs: bugs.Runs, name: str, found: bugs.FirstDifference) -> None:
    """Where the two runs part, which checks find it, and the lines that are wrong and fixed."""
    at, wrong = (found.array, found.cell), runs.broken[name]
    numbers = {
        "array": Markdown(found.array),
        "cell": set_off(told_cell(wrong, *at)),
        "ours": typeset(shown(runs.right, *at)),
        "theirs": cell_number(wrong, *at),
    }
    say(TEXTS("first_wrong", counted=set_off(bugs.first_wrong_counts(runs, name)), **numbers))
    checks = [check.asks for check in runs.found_by[name]]
    say(TEXTS("found_by", checks=checks, total=len(CHECKS)))
    for title, lines in (
        (TEXTS("in_numpy"), bugs.lines_of_numpy(runs, name)),
        (TEXTS("in_pytorch"), bugs.CASES[name].mistake.torch),
    ):
        say(f"**{title}**")
        if lines.helper:
            st.code(lines.helper.strip(), language="python", wrap_lines=True)
        left, right = st.columns(2)
        left.code(f"# {TEXTS('broken')}\n{lines.broken}", language="python", wrap_lines=True)
        right.code(f"# {TEXTS('mended')}\n{lines.mended}", language="python", wrap_lines=True)


def about_checks(runs: bugs.Runs) -> None:
    """What the checks are for, and how many mistakes each of them finds."""
    cases = len(bugs.CASES)
    say(TEXTS("checks", cases=cases, missed=len(runs.not_found)))
    found = [TEXTS("check", says=c.says, finds=runs.finds(c), cases=cases) for c in CHECKS]
    say("\n".join([TEXTS("checks_hold"), *found]))


if __name__ == "__main__":
    begin_chapter("debug_lab", KEYS)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        cases = {number: str(bugs.place(number)) for number in bugs.order()}
        number = choose_one(
            TEXTS("case"), cases, "lab_case", on_change=another_case, width="content", wrap=True
        )
        st.text_input(
            TEXTS("sentence"), key="lab_text", width=360, on_change=another_case, **PERSIST
        )
        with st.popover(TEXTS("right_title")):
            say(TEXTS("right_run"))
    runs = what_works({"lab_text": "the sentence"}, KEYS, of_one(bugs.lab_runs)).made
    lab(runs, number)
    with fold(TEXTS("checks_title"), "lab_checks", KEYS):
        about_checks(runs)
    code = (Program.replaced, Mistake.change, Trace.with_program_of)
    yourself = partial(implement_it_yourself, place="lab")
    end_chapter("debug_lab", KEYS, code, "weights", run=runs.right, below=yourself)
