"""A question in a link: its name and the seed that draws its numbers, `weights.3`."""

from collections.abc import Mapping

from core.attention.examples.presets import OPENING
from core.errors import input_error
from core.limits import MAX_SEED
from core.questions.engine import QuestionMaker
from ui.links.links import Reader
from ui.links.path import HOME
from ui.page_texts import plain_ui_texts

LINK = "question"
"""The link's key for a question of its page."""
PLAIN = plain_ui_texts("asking")


def keys_of_question(page: str, id: str) -> dict[str, str]:
    """The keys of a link to a question of a page; the walkthrough then opens as it does bare."""
    return {"preset": OPENING, LINK: id} if page == HOME else {LINK: id}


def question_of(makers: Mapping[str, QuestionMaker]) -> Reader:
    """A reader of `name.seed`, as the title of the question and the seed. Raises `InputError`."""
    named = {maker.name: title for title, maker in makers.items()}

    def reader(key: str, text: str) -> tuple[str, int]:
        name, _, seed = text.partition(".")
        shown = repr(text[:30])
        if name not in named:
            raise input_error(PLAIN, "no_question", key=key, text=shown, names=list(named))
        digits = seed.isascii() and seed.isdigit() and len(seed) <= len(str(MAX_SEED))
        if not digits or int(seed) > MAX_SEED:
            limit = f"{MAX_SEED:,}"
            raise input_error(PLAIN, "no_seed", key=key, text=shown, limit=limit, name=name)
        return named[name], int(seed)

    return reader
