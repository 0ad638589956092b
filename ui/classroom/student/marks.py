"""What is right of the answers of one student, question by question."""

from core.errors import InputError
from core.questions.engine import mark_answer, parse_answer
from ui.classroom.questions.asked import asked_question
from ui.classroom.store.room import Ask

RIGHT, WRONG, UNANSWERED, UNMARKED = "right", "wrong", "unanswered", "unmarked"


def mark_of(ask: Ask, text: str | None) -> str:
    """Return RIGHT or WRONG for an answer, UNANSWERED for None; UNMARKED where nothing is right.

    That is a free text, or a question that can no longer be made.
    """
    try:
        question = asked_question(ask)
    except InputError:
        return UNMARKED
    if question.is_free:
        return UNMARKED
    if text is None:
        return UNANSWERED
    try:
        return RIGHT if mark_answer(question, parse_answer(question, text)).right else WRONG
    except InputError:
        return WRONG
