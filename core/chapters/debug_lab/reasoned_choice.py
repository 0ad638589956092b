"""A question with options, each wrong one with its reason."""

from collections.abc import Mapping
from typing import Any

from core.hash_random import Draw
from core.questions.answers import Choice
from core.questions.engine import Question, WrongAnswer
from core.texts import core_texts

TEXTS = core_texts("debug_lab")


def reasoned_choice(
    draw: Draw,
    prompt: str,
    options: tuple[str, ...],
    answer: str,
    reasons: Mapping[str, str],
    hint: str,
    explanation: str,
    **more: Any,
) -> Question:
    """Return a question with options in a drawn order.

    `reasons` say of each wrong option why it is wrong.
    """
    options = tuple(draw.some_of(options, len(options)))
    wrong = tuple(
        WrongAnswer(TEXTS("chosen", option=option), option, reasons[option])
        for option in options
        if option != answer
    )
    return Question("", prompt, Choice(options), answer, wrong, explanation, hint, **more)
