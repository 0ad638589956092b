"""How does one sentence turn into another?

Causal self-attention on a person's own sentence, one step at a time, every number explained.
"""

from core.walkthrough_questions import score_question, unchanged_row_question
from ui.asking import ask
from ui.frame import frame
from ui.walk import walkthrough

frame(
    "Causal self-attention, step by step",
    "Every number below is computed from your sentence. Point at any cell to see what it is made "
    "of and what it feeds; click it for the arithmetic.",
)
walkthrough()
ask(score_question, "score", "Predict, then reveal: one score")
ask(unchanged_row_question, "row", "Predict, then reveal: what the mask leaves alone")
