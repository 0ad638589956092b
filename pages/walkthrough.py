"""How does one sentence turn into another?

Causal self-attention on a person's own sentence, one step at a time, every number explained.
"""

from ui.controls import controls, read_link
from ui.frame import frame
from ui.walk import walk

read_link()
frame(
    "Causal self-attention, step by step",
    "Every number below is computed from your sentence. Point at any cell to see what it is made "
    "of and what it feeds; click it for the arithmetic.",
)
walk(controls())
