"""Before a vote is closed, no byte of a student's socket says how the question is answered."""

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from benchmarks.classroom import student_part
from benchmarks.visitor import visiting
from core.chapters.why_mask.causality import edit_token
from core.path import PATH
from core.questions.answers import Choice
from core.questions.engine import Question
from core.questions.saved import question_to_json
from tests.browser.conftest import rooms_of
from tests.sampling import three
from ui.classroom.asked import asked_question
from ui.classroom.covered import cell_question
from ui.path import address_of

SHORT = 4
"""A text of fewer characters may be anywhere by chance."""
LONG = 12
"""Letters of a text that nothing else has by chance."""
LINKS = [
    f"{address_of(name)}?question={make.name}.3"
    for name, chapter in PATH.items()
    for make in chapter.questions.values()
]


def secrets_of(question: Question) -> set[str]:
    """What nobody may read before the vote is closed: texts that the question itself has not."""
    said = " ".join([question.prompt, *(str(t) for t in question.tables)])
    told = {question.explanation, question.fact, question.hint}
    told |= {text for wrong in question.wrong for text in (wrong.name, wrong.hint)}
    if not isinstance(question.kind, Choice):
        values = [question.answer, *(wrong.value for wrong in question.wrong)]
        told |= {question.kind.text(value) for value in values}
    return {text for text in told if len(text) >= SHORT and letters(text) not in letters(said)}


def letters(text: str) -> str:
    """A text without what is written differently in Markdown, LaTeX or a message."""
    return re.sub(r"[\W_]+", "", text)


def is_in(text: str, got: str) -> bool:
    """Whether a text was sent, however it was marked up; a number as it is written.

    A length of a style sheet is none.
    """
    written = re.search(rf"{re.escape(text)}(?!em\b)", got)
    return bool(written) or (len(letters(text)) > LONG and letters(text) in letters(got))


async def received(url: str, code: str) -> bytes:
    """All that the server sends to a student who joins, answers and changes the answer."""
    part = student_part(code)
    async with visiting(url, part.page, part.query) as visitor:
        await part.arrive(visitor, 1)
        if "Your answer" in visitor.drawn:
            await part.look(visitor)
        return b"".join(visitor.received)


COVER = "why-mask?mask_edit_step=weights&mask_edit_cell=weights.0.2.1&mask_edit_cover=weights"


def covered_question() -> Question:
    """What a page asks for its cover: only the page's run has the number."""
    run = edit_token("The cat sat on the mat", 4, "under", True).after
    return replace(cell_question(run, "weights", (0, 2, 1)), title="Why mask: a weight")


@pytest.mark.parametrize("link", three(LINKS))
def test_no_byte_says_the_answer_while_the_vote_is_open(server: str, link: str) -> None:
    assert_keeps(server, link, asked_question(link))


def test_no_byte_says_the_number_of_a_chapters_cover(server: str) -> None:
    question = covered_question()
    assert len(secrets_of(question)) > 3
    assert_keeps(server, COVER, question, question_to_json(question))


def assert_keeps(server: str, link: str, question: Question, saved: str = "") -> None:
    with rooms_of(server) as store, ThreadPoolExecutor(1) as thread:
        code, key = store.create()
        store.ask(code, key, link, saved)
        got = thread.submit(asyncio.run, received(server, code)).result()
        assert key.encode() not in got
        assert b"Send" in got
        assert all(text.encode() not in got for text in (saved, link) if text)
        sent = got.decode("utf-8", "ignore")
        assert [text for text in secrets_of(question) if is_in(text, sent)] == []
