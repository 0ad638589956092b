"""Does *bank* change, and who adds more: answers by hand."""

import re
from fractions import Fraction

import pytest
import torch

from core.chapters.words.questions import (
    AFTER,
    BEFORE,
    EVEN,
    FIRST,
    SAME,
    SECOND,
    bank_question,
    contributor_question,
)
from core.chapters.words.vectors import TABLE
from core.questions.engine import is_askable
from tests.core.support import asked, read


def test_bank_moves_where_a_word_comes_before_it_and_never_by_a_later_one() -> None:
    """M6."""
    answers = set()
    for question in asked(bank_question):
        words = read(question.prompt)[1:].partition("”")[0].split()
        at = words.index("bank")
        x = torch.tensor([TABLE[word] for word in words], dtype=torch.float64)
        read_of_all = torch.softmax(x[at] @ x[: at + 1].T / 3**0.5, -1) @ x[: at + 1]
        moved = bool((read_of_all - x[at]).abs().max() > 0.05)
        assert question.answer == (BEFORE if moved else SAME)
        assert moved == (at > 0)
        answers.add(question.answer)
        assert is_askable(question)
        assert {w.value for w in question.wrong} | {question.answer} == {SAME, BEFORE, AFTER}
    assert answers == {SAME, BEFORE}


def test_who_adds_more_is_weight_times_value() -> None:
    """M14: .9 of nothing is nothing."""
    answers = set()
    against_the_weight = 0
    for question in asked(contributor_question):
        small, first, large, second = (
            Fraction(n) for n in re.findall(r"\$(\d+(?:\.\d+)?)\$", question.prompt)
        )
        assert first + second == 1
        parts = small * first, large * second
        wanted = EVEN if parts[0] == parts[1] else FIRST if parts[0] > parts[1] else SECOND
        assert question.answer == wanted
        assert question.evidence[0].trace["average"][0, 0] == pytest.approx(float(sum(parts)))
        answers.add(wanted)
        against_the_weight += wanted == SECOND
    assert {FIRST, SECOND} <= answers
    assert against_the_weight > 10
