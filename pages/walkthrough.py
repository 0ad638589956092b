"""How does one sentence turn into another?

Causal self-attention on a person's own sentence, one step at a time, every number explained.
"""

import streamlit as st

from core.attention.program import attention_program
from core.chapters.walkthrough.questions import WALKTHROUGH_QUESTIONS
from ui.asking import ask_each
from ui.code import in_code
from ui.frame import frame
from ui.walkthrough.walk import walkthrough

frame(
    "Causal self-attention, step by step",
    "Every number below is computed from what you type and choose. Point at any cell to see what "
    "it is made of and what it feeds; click it for the arithmetic.",
)
walkthrough()
st.markdown(
    "**What to notice.** A row of [scores](#stage-scores) is one token's query against every key. "
    "Softmax turns it into [weights](#stage-weights), shares of 1, and [context](#stage-context) "
    "mixes rows of [V](#stage-V) by them. A causal mask takes the future out of "
    "[masked](#stage-masked) before softmax: the first token then reads itself alone, and no token "
    "reads from a later one. Without a mask, every token reads from all."
)
ask_each(WALKTHROUGH_QUESTIONS, "walkthrough")
in_code(
    attention_program,
    origin="Vaswani et al., *Attention Is All You Need* (2017), equation 1 and section 3.2.2; "
    "sharing of keys and values: Shazeer (2019), Ainslie et al. (2023).",
)
