"""A training that somebody asks for: what may be asked, and the task that comes of a text."""

from core.errors import input_error
from core.models.trained.tasks import CONTEXT, HELD_OUT, LETTERS, letters_task, tasks
from core.pytorch.training import Task
from core.texts import core_texts

TEXTS = core_texts("trained")
MOST_LAYERS = 2
HEADS_OFFERED = (1, 2, 4)
WIDTHS_OFFERED = (16, 32, 48, 64)
"""Of d_model: every number of heads divides them."""
LEAST_STEPS, MOST_STEPS = 50, 1_500
LEAST_LETTERS, MOST_LETTERS = 400, 100_000
"""Characters of a text: the part that is kept for judging is longer than what is read at once."""
MOST_KINDS = 100
"""Different characters of a text: each is a token of the vocabulary."""


def requested_task(name: str, text: str = "") -> Task:
    """The task of that name; if it is `LETTERS`, of a text, where one is given.

    Raises `InputError` for a text of which nothing can be learned.
    """
    if name != LETTERS or not text.strip():
        return tasks()[name]
    cleaned = usable_text(text)
    kept = int(len(cleaned) * (1 - HELD_OUT))
    return letters_task(cleaned, cleaned[kept : kept + CONTEXT])


def usable_text(text: str) -> str:
    """A text with single spaces between its words. Raises `InputError` if it cannot be used."""
    if len(text) > MOST_LETTERS:
        raise input_error(TEXTS, "long_text", count=f"{len(text):,}", limit=f"{MOST_LETTERS:,}")
    cleaned = " ".join(text.encode("utf-8", "replace").decode().split())
    if len(cleaned) < LEAST_LETTERS:
        raise input_error(TEXTS, "short_text", count=len(cleaned), limit=LEAST_LETTERS)
    kinds = len(set(cleaned))
    if kinds == 1:
        raise input_error(TEXTS, "one_letter", letter=cleaned[0])
    if kinds > MOST_KINDS:
        raise input_error(TEXTS, "many_kinds", count=f"{kinds:,}", limit=MOST_KINDS)
    return cleaned
