"""The questions on generation, each instance worked out another way."""

import re

import numpy as np
import pytest
import torch

from core.chapters.one_query.questions import QUESTIONS
from core.questions.engine import Question
from tests.core.support import asked, read


@pytest.fixture(scope="module")
def questions() -> dict[str, list[Question]]:
    return {title: asked(maker) for title, maker in QUESTIONS.items()}


def numbers(question: Question) -> list[int]:
    return [int(text) for text in re.findall(r"\d+", read(question.prompt))]


def test_rows_computed_again_are_those_of_a_loop_over_growing_texts(
    questions: dict[str, list[Question]],
) -> None:
    for question in questions["Computed again"]:
        (T,) = numbers(question)
        W_K, text, rows = torch.ones(3, 2), torch.ones(T, 3), 0
        for t in range(1, T + 1):
            rows += len(text[:t] @ W_K)
        assert question.answer == rows
        assert f"With a cache it would be {T} rows" in question.explanation


def test_pytorchs_is_causal_lets_the_last_query_see_so_many(
    questions: dict[str, list[Question]],
) -> None:
    """With one-hot values a row of attention shows which keys its query sees."""
    for question in questions["Which corner"]:
        new, keys, kept = numbers(question)
        assert keys - new == kept
        q, k = torch.zeros(1, new, 4, dtype=torch.float64), torch.zeros(1, keys, 4).double()
        values = torch.eye(keys, dtype=torch.float64)[None]
        read_ = torch.nn.functional.scaled_dot_product_attention(q, k, values, is_causal=True)[0]
        assert int((read_[-1] > 0).sum()) == question.answer
        table = np.array([[int(cell) for cell in row] for row in question.after[0].cells])
        np.testing.assert_array_equal(table, (read_ > 0).int().numpy())


def test_what_is_left_is_what_a_loop_leaves(questions: dict[str, list[Question]]) -> None:
    for question in questions["What is left"]:
        factor = float(re.findall(r"multiplied by (\d+(?:\.\d+)?)", read(question.prompt))[0])
        t = int(re.findall(r"at token (\d+)\?", read(question.prompt))[0])
        entering = [1.0] + [0.0] * (t - 1)
        state = 0.0
        for x in entering:
            state = factor * state + x
        assert question.answer == pytest.approx(state, rel=1e-12)
        assert f"there are {t - 1} steps" in question.explanation
