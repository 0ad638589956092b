"""How does one sentence turn into another?

Causal self-attention on a person's own sentence, one step at a time, every number explained.
"""

from core.attention.phases import PHASES
from core.attention.program import program_of
from core.chapters.walkthrough.questions import WALKTHROUGH_QUESTIONS
from ui.asking import ask_each
from ui.code import in_code
from ui.frame import frame
from ui.prose import say
from ui.walk import way_on
from ui.walkthrough.walk import walkthrough
from ui.yourself import implement_it_yourself

frame(
    "walkthrough",
    "Self-attention: how does a word read the others?",
    f"A word's neighbours change what it means. See how, in {len(PHASES)} steps.",
)
walkthrough()
say(
    "**What to notice.** A row of [scores](#stage-scores) belongs to one [token](#term-token)'s "
    "[query](#term-query): a number for every [key](#term-key). Scaled and masked, it becomes a "
    "row of [weights](#stage-weights) by [softmax](#term-softmax): shares of 1, or zeros where no "
    "key is visible. [Context](#stage-context) mixes rows of [V](#stage-V) by them. A "
    "[causal](#term-causal) [mask](#term-mask) takes the future out of [masked](#stage-masked) "
    "before softmax: no token reads from a later one. Without a mask, every token may read from "
    "all."
)
ask_each(WALKTHROUGH_QUESTIONS, "walkthrough")
in_code(
    program_of,
    origin="Vaswani et al., *Attention Is All You Need* (2017), equation 1 and section 3.2.2; "
    "sharing of keys and values: Shazeer (2019), Ainslie et al. (2023).",
    exhibit="",
    below=lambda now: implement_it_yourself(now, "code"),
)
way_on(
    "walkthrough",
    "Each token reads from the tokens it may see: [scores](#term-score) say how well its query "
    "matches their keys, softmax makes shares of them, and the shares mix their "
    "[values](#term-value). A real model learns the weight matrices; the steps stay the same.",
)
