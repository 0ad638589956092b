"""The questions on other kinds, each instance worked out another way."""

import re

import numpy as np
import pytest

from core.chapters.other_kinds.questions import NO_WEIGHT, QUESTIONS, SOME_WEIGHTS
from core.questions.engine import Question
from tests.core.support import asked


@pytest.fixture(scope="module")
def questions() -> dict[str, list[Question]]:
    return {title: asked(maker) for title, maker in QUESTIONS.items()}


def printed(question: Question) -> list[float]:
    """The numbers of the prompt that are set as mathematics."""
    return [float(n) for n in re.findall(r"\$(-?\d+(?:\.\d+)?)\$", question.prompt)]


def test_a_row_is_a_mean_by_dot_products(questions: dict[str, list[Question]]) -> None:
    for question in questions["A row by hand"]:
        numbers = printed(question)
        query, keys, values = numbers[:2], np.reshape(numbers[2:8], (3, 2)), numbers[8:]
        met = keys @ query
        assert question.answer == pytest.approx(float(met @ values / met.sum()))


def test_a_state_has_d_squared_and_d_numbers(questions: dict[str, list[Question]]) -> None:
    for question in questions["What is kept"]:
        d, _ = printed(question)
        assert question.answer == np.outer(np.ones(int(d)), np.ones(int(d))).size + d


def test_content_moves_weights_of_attention_alone(questions: dict[str, list[Question]]) -> None:
    kinds = set()
    for question in questions["Which weights"]:
        convolution = "causal convolution" in question.prompt
        words = re.search(r"“(.+)”", question.prompt)[1].split()  # type: ignore[index]
        changed = re.search(r"row of \$X\$ for \*(.+)\*", question.prompt)[1]  # type: ignore[index]
        # With another key, the first row too has but one key to see.
        assert changed in words
        assert question.answer == (NO_WEIGHT if convolution else SOME_WEIGHTS)
        kinds.add(convolution)
    assert kinds == {True, False}


def test_the_pattern_that_is_most_alike_comes_back(questions: dict[str, list[Question]]) -> None:
    for question in questions["Recall"]:
        numbers = [n for n in printed(question) if abs(n) == 1][:16]
        patterns, state = np.reshape(numbers[:12], (3, 4)), np.array(numbers[12:])
        best = int((patterns @ state).argmax())
        assert question.answer == f"Pattern {best + 1}"
