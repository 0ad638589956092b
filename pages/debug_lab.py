"""Which line is wrong?

A broken attention runs beside the right one, and the first cell where they part is found.
"""

import streamlit as st

from core.attention.setups import DEFAULT_TEXT
from core.chapters.debug_lab.lab import (
    CASES,
    EXAMPLES,
    ORDER,
    broken_run,
    first_difference,
    mending,
    verdict,
)
from core.chapters.debug_lab.questions import DEBUG_QUESTIONS
from core.limits import MAX_HEADS
from core.program.display import shown
from core.program.labels import cell_name
from core.program.patterns import Cell
from core.program.program import Program
from core.program.rounding import typeset
from stage.places import cell_id
from ui.asking import ask_each
from ui.code import in_code
from ui.exhibit import exhibit
from ui.fallback import what_works
from ui.frame import frame
from ui.links import Key, Keys, cell_of, cover_of, one_of, sentence_of, whole
from ui.selection import start_anew
from ui.session import KEPT, open_link, save_link, say_messages
from ui.text import escape_markdown

NAMES = sorted({name for case in CASES.values() for name in case.base().names})
KEYS: Keys = {
    "lab_case": Key(1, whole(1, len(ORDER))),
    "lab_text": Key(DEFAULT_TEXT, sentence_of),
    "lab_on": Key("sentence", one_of(*EXAMPLES)),
    "lab_guess": Key(None, one_of(*CASES)),
    "lab_step": Key("", one_of(*NAMES)),
    "lab_cell": Key("", cell_of),
    "lab_head": Key(1, whole(1, MAX_HEADS)),
    "lab_cover": Key("", cover_of(*NAMES)),
}


def another_case() -> None:
    """A new case: no guess yet, and the stage shows where it parts."""
    st.session_state.lab_guess = None
    start_anew("lab_")


open_link("debug_lab", KEYS)
frame(
    "Debug lab: which line is wrong?",
    "Attention that is slightly wrong still runs, and most often its numbers look plausible. "
    "Each case is the right program with one step replaced. Find it from the numbers.",
)
say_messages()
state = st.session_state
with st.container(horizontal=True, vertical_alignment="bottom"):
    number = st.segmented_control(
        "Case", list(range(1, len(ORDER) + 1)), key="lab_case", required=True,
        on_change=another_case, width="content", wrap=True, **KEPT,
    )  # fmt: skip
    case = CASES[ORDER[number - 1]]
    st.segmented_control(
        "Try it on", list(EXAMPLES), key="lab_on", format_func=EXAMPLES.__getitem__,
        required=True, on_change=start_anew, args=("lab_",), width="content", wrap=True,
        disabled=not case.on_scores, **KEPT,
    )  # fmt: skip
    st.text_input(
        "Sentence", key="lab_text", disabled=state.lab_on != "sentence" and case.on_scores,
        on_change=start_anew, args=("lab_",), **KEPT,
    )  # fmt: skip
right, wrong = what_works(
    {"lab_text": "the sentence"}, KEYS, lambda lab_text: broken_run(case, state.lab_on, lab_text)
).made
found = first_difference(right, wrong)
if found is None:
    st.success("Here the broken program gives the same numbers. Try it on something else.")
    opening: tuple[str, Cell] = ("weights", (0, 0, 0))
else:
    numbers = [typeset(shown(run, found.array, found.cell)) for run in (right, wrong)]
    st.markdown(
        f"All steps before [{found.array}](#stage-{found.array}) agree. The first cell that does "
        f"not is **{escape_markdown(cell_name(wrong, found.array, found.cell))}**: the right "
        f"program has **{numbers[0]}**, the broken one "
        f"[**{numbers[1]}**](#stage-{cell_id(found.array, found.cell)}); {found.count} of "
        f"{right[found.array].size} cells of {found.array} differ. Below is the broken run. Under "
        "each changed number stands its difference from the right one, or the right one itself "
        "in brackets."
    )
    if case.padded:
        st.markdown("The first token stands for padding here: it is hidden from all, itself too.")
    opening = (found.array, found.cell)
exhibit(wrong, opening, KEYS, "lab_", other=right, fills=True)

with st.container(border=True):
    guess = st.radio(
        "**What is the mistake?** Guess before you read on.", list(CASES), index=None,
        format_func=lambda name: CASES[name].name, key="lab_guess", **KEPT,
    )  # fmt: skip
    if guess:
        (st.success if CASES[guess] is case else st.warning)(verdict(guess, case))
        st.markdown(case.mistake.why)
        st.code(mending(case, right, wrong), language="python", wrap_lines=True)
st.markdown(
    "**What to notice.** Many of these mistakes leave rows of weights that look fine. Checks help: "
    "do rows add up to 1, does a row change when a later token does, does one head of two equal "
    "the run with one head? None of them finds every mistake."
)
ask_each(DEBUG_QUESTIONS, "lab")
in_code(
    Program.replaced,
    first_difference,
    origin="The mistakes are those that reviews and forums return to. Two tokens are enough to "
    f"show several of them: try “{EXAMPLES['P6']}”.",
    step="weights",
    settings="&preset=P6",
)
save_link(KEYS)
