"""How does one sentence turn into another?

Causal self-attention on a person's own sentence, one step at a time, every number explained.
"""

from core.attention.program import cached_program
from ui.chapters.walkthrough.exercise_download import implement_it_yourself
from ui.chapters.walkthrough.keys import WALKTHROUGH
from ui.chapters.walkthrough.walkthrough_page import walkthrough
from ui.page.asking import ask_each
from ui.page.code import in_code
from ui.page.fold import fold
from ui.page.frame import frame
from ui.page.path_navigation import page_footer
from ui.page.prose import say
from ui.page_texts import page_texts

TEXTS = page_texts("walkthrough")

frame("walkthrough", TEXTS("lede"))
walkthrough()
say(TEXTS("try"))
say(TEXTS("notice"))
with fold(TEXTS("more"), "notice", WALKTHROUGH):
    say(TEXTS("notice_more"))
ask_each("walkthrough")
in_code(
    cached_program,
    origin=TEXTS("origin"),
    exhibit="",
    below=lambda now: implement_it_yourself(now, "code"),
)
page_footer("walkthrough", TEXTS("takeaway"))
