"""Before the answer is shown, no byte of a student's socket says how a question is answered."""

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
from ui.classroom.questions.asked import asked_question
from ui.classroom.questions.covered import cell_question
from ui.classroom.store.rooms import ANSWER, BARS, Rooms
from ui.lessons.shelf import shipped
from ui.links.path import address_of

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
    """What nobody may read before the answer is shown: texts that the question itself has not."""
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


async def received(url: str, store: Rooms, code: str, key: str) -> list[str]:
    """All that the server sends to a student who joins and looks, until the answer is shown, and
    from then on.
    """
    part = student_part(code)
    async with visiting(url, part.page, part.query) as visitor:
        await part.arrive(visitor, 1)
        if "Your answer" in visitor.drawn:
            await part.look(visitor)
        assert b"Send" in b"".join(visitor.received)
        store.close_vote(code, key)
        for shown in ("", BARS, ANSWER):
            if shown == ANSWER:
                before = len(visitor.received)
            if shown:
                store.show(code, key, shown)
            await part.look(visitor)
        assert "The vote is closed" in " ".join(visitor.said)
        halves = visitor.received[:before], visitor.received[before:]
        return [b"".join(half).decode("utf-8", "ignore") for half in halves]


SCENE = "?lesson=class.3"
COVER = "why-mask?mask_edit_step=weights&mask_edit_cell=weights.0.2.1&mask_edit_cover=weights"


@pytest.mark.parametrize("link", [*three(LINKS), SCENE])
def test_no_byte_says_the_answer_before_it_is_shown(server: str, link: str) -> None:
    assert_keeps(server, link, asked_question(link))


def test_no_byte_says_the_number_of_a_chapters_cover(server: str) -> None:
    """What a page asks for its cover: only the page's run has the number."""
    run = edit_token("The cat sat on the mat", 4, "under", True).after
    question = replace(cell_question(run, "weights", (0, 2, 1)), title="Why mask: a weight")
    assert len(secrets_of(question)) > 3
    assert_keeps(server, COVER, question, question_to_json(question))


def assert_keeps(server: str, link: str, question: Question, saved: str = "") -> None:
    scene = shipped("class").scenes[2] if link == SCENE else None
    kept = {scene.note[:40], scene.answer[:40]} if scene else set()
    with rooms_of(server) as store, ThreadPoolExecutor(1) as thread:
        code, key = store.create()
        store.ask(code, key, link, saved)
        before, after = thread.submit(asyncio.run, received(server, store, code, key)).result()
        assert not [text for text in (key, saved, link) if text and text in before]
        assert not [text for text in secrets_of(question) | kept if is_in(text, before)]
        assert any(is_in(text, after) for text in secrets_of(question)), "now it is told"
