"""The questions on the block, each instance worked out another way."""

import re

import pytest

from core.attention.block import POST, PRE, BlockKind
from core.chapters.block.moved import PARTS
from core.chapters.block.questions import ALL, OWN, QUESTIONS, SEEING
from core.questions.engine import Question
from tests.core.support import asked


@pytest.fixture(scope="module")
def questions() -> dict[str, list[Question]]:
    return {title: asked(maker) for title, maker in QUESTIONS.items()}


def test_rows_move_as_the_part_and_the_mask_let_them(questions: dict[str, list[Question]]) -> None:
    names = {
        name.lower() for norm in (POST, PRE) for name, *_ in PARTS[BlockKind(norm, "relu").norm]
    }
    for question in questions["Which rows move"]:
        part = re.search(r"In the input of the (.+), only", question.prompt)[1]  # type: ignore[index]
        assert part in names
        causal = "with a causal mask" in question.prompt
        assert question.answer == ((SEEING if causal else ALL) if part == "attention" else OWN)


def test_the_next_word_is_the_one_after_the_last_time(questions: dict[str, list[Question]]) -> None:
    for question in questions["The next word"]:
        prompt = re.search(r"“(.+)”", question.prompt)[1].split()  # type: ignore[index]
        places = [at for at, word in enumerate(prompt[:-1]) if word == prompt[-1]]
        assert question.answer == prompt[places[-1] + 1]
        assert prompt[places[0] + 1] != question.answer
