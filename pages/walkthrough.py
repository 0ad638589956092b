"""How does one sentence turn into another?

Causal self-attention on a person's own sentence, one step at a time, every number explained.
"""

from functools import partial

from core.attention.program import cached_program
from ui.chapters.walkthrough.keys import WALKTHROUGH
from ui.chapters.walkthrough.sharing import implement_it_yourself
from ui.chapters.walkthrough.walkthrough_page import walkthrough
from ui.page.chapter import end_chapter
from ui.page.fold import fold
from ui.page.frame import frame
from ui.page.prose import say
from ui.page_texts import page_texts

TEXTS = page_texts("walkthrough")
KEYS = WALKTHROUGH

if __name__ == "__main__":
    frame("walkthrough", TEXTS("lede"))
    walkthrough()
    say(TEXTS("try"))
    say(TEXTS("notice"))
    with fold(TEXTS("more"), "notice", KEYS):
        say(TEXTS("notice_more"))
    yourself = partial(implement_it_yourself, place="code")
    end_chapter("walkthrough", None, [cached_program], exhibit="", below=yourself)
