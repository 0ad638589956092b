"""The questions about softmax: answers checked with PyTorch, and every mistake told apart."""

import math
import re
from collections.abc import Iterator

import numpy as np
import pytest
import torch

from core.chapters.softmax.questions import (
    ALL_GROW,
    GROWS,
    NOTHING,
    QUESTIONS,
    SHRINKS,
    ratio_question,
    softmax_change_question,
)
from core.questions.answers import NumberAnswer
from core.questions.engine import Question, QuestionMaker, is_askable, mark_answer, parse_answer
from tests.core.support import asked, read


@pytest.fixture(scope="module")
def changes() -> list[Question]:
    return asked(softmax_change_question)


@pytest.fixture(scope="module")
def ratios() -> list[Question]:
    return asked(ratio_question)


def numbers(pattern: str, text: str) -> Iterator[int]:
    """The whole numbers that a prompt names."""
    found = re.search(pattern, text)
    assert found, text
    return map(int, found.groups())


def changed(prompt: str, row: torch.Tensor) -> torch.Tensor:
    """Do to a row of scores what the prompt says."""
    (c,) = numbers(r"(?:^|\D)(\d+)(?: is (?:added|subtracted)|\. What)", prompt)
    if "is added to" in prompt:
        return row + c
    if "is subtracted from" in prompt:
        return row - c
    assert "multiplied by" in prompt or "divided by" in prompt
    return row * c if "multiplied" in prompt else row / c


def test_pytorch_finds_the_change_that_is_the_answer(changes: list[Question]) -> None:
    for question in changes:
        (shown,) = question.tables
        row = torch.tensor([float(x) for x in shown.cells[0]], dtype=torch.float64)
        old, new = (torch.softmax(s, -1) for s in (row, changed(read(question.prompt), row)))
        moved = new - old
        if moved.abs().max() < 1e-12:
            wanted = NOTHING
        else:
            wanted = GROWS if moved[old.argmax()] > 0.04 else SHRINKS
            assert abs(moved[old.argmax()]) > 0.04
        assert question.answer == wanted
        assert not (moved > 1e-12).all()


def test_every_option_but_the_impossible_one_is_an_answer(changes: list[Question]) -> None:
    assert {q.answer for q in changes} == {NOTHING, GROWS, SHRINKS}
    for question in changes:
        assert {w.value for w in question.wrong} == {NOTHING, GROWS, SHRINKS, ALL_GROW} - {
            question.answer
        }


def test_adding_leaves_the_weights_and_multiplying_does_not(changes: list[Question]) -> None:
    for question in changes:
        adds = "is added" in read(question.prompt) or "is subtracted" in read(question.prompt)
        assert (question.answer == NOTHING) == adds


def test_the_evidence_shows_the_weights_before_and_after(changes: list[Question]) -> None:
    for question in changes[:300]:
        before, after = question.evidence
        cell = before.cell
        assert cell is not None
        assert cell == after.cell
        row = torch.from_numpy(before.trace["scores"][cell[:2]].copy())
        np.testing.assert_allclose(
            after.trace["scores"][cell[:2]], changed(read(question.prompt), row), atol=1e-12
        )
        for seen in (before, after):
            wanted = torch.softmax(torch.from_numpy(seen.trace["scores"].copy()), -1)
            np.testing.assert_allclose(seen.trace["weights"], wanted, rtol=0, atol=1e-13)
        assert before.trace["weights"][cell] == before.trace["weights"][cell[:2]].max()
        moved = after.trace["weights"][cell] - before.trace["weights"][cell]
        assert (abs(moved) < 1e-12) == (question.answer == NOTHING)
        names = before.trace.tokens
        assert question.tables[0].columns == names
        assert question.tables[0].rows == (names[cell[1]],)


def test_pytorch_divides_the_shares(ratios: list[Question]) -> None:
    for question in ratios:
        told = [int(n.replace("−", "-")) for n in re.findall(r"(−?-?\d+)", question.prompt)]
        *row, temperature = told
        shares = torch.softmax(torch.tensor(row, dtype=torch.float64) / temperature, -1)
        assert question.answer == pytest.approx(float(shares[0] / shares[1]))


def test_no_mistake_is_taken_for_the_ratio(ratios: list[Question]) -> None:
    for question in ratios:
        assert is_askable(question)
        assert isinstance(question.kind, NumberAnswer)
        for wrong in question.wrong:
            verdict = mark_answer(question, wrong.value)
            assert not verdict.right
            assert verdict.mistake is not None
            assert verdict.mistake.value == pytest.approx(wrong.value)
        text = question.kind.text(question.answer)
        assert mark_answer(question, parse_answer(question, text)).right


def test_each_mistake_makes_the_number_that_it_says(ratios: list[Question]) -> None:
    temperatures = set()
    for question in ratios:
        high, low, *_, T = (
            int(n.replace("−", "-")) for n in re.findall(r"(−?-?\d+)", question.prompt)
        )
        made = {
            "you divided the logits": high / low,
            "you took the difference of the logits": high - low,
            "you left out the temperature": math.exp(high - low),
            "you multiplied by the temperature": math.exp((high - low) * T),
        }
        for wrong in question.wrong:
            assert wrong.value == pytest.approx(made[wrong.name])
        temperatures.add(T)
    assert temperatures == {1, 2, 4}


def test_another_ratio_is_answered_with_the_logits_it_takes(ratios: list[Question]) -> None:
    for question in ratios[:200]:
        assert question.would_mean is not None
        said = question.would_mean(math.e)
        assert "would differ by $1$" in said
        assert "positive" in question.would_mean(-1.0)


@pytest.mark.parametrize("title", QUESTIONS)
def test_questions_differ_by_seed(title: str) -> None:
    maker: QuestionMaker = QUESTIONS[title]
    assert len({read(question.prompt) for question in asked(maker)[:40]}) > 20
