"""The questions on masks, each instance worked out another way."""

import math
import re

import pytest
import torch

from core.chapters.why_mask.questions import QUESTIONS
from core.questions.engine import Question
from tests.core.support import asked, read


@pytest.fixture(scope="module")
def questions() -> dict[str, list[Question]]:
    return {title: asked(maker) for title, maker in QUESTIONS.items()}


def test_the_first_token_has_weight_one_on_itself(questions: dict[str, list[Question]]) -> None:
    for question in questions["The first token"]:
        scores = torch.tensor([[float(t) for t in row] for row in question.tables[0].cells])
        hidden = torch.ones_like(scores, dtype=torch.bool).triu(1)
        weights = scores.masked_fill(hidden, -torch.inf).softmax(-1)
        assert question.answer == float(weights[0, 0]) == 1
        unmasked = float(scores.softmax(-1)[0, 0])
        assert math.isclose(float(question.wrong[0].value), unmasked, abs_tol=0.01)  # type: ignore[arg-type]


def test_what_is_added_up_is_what_each_query_sees(questions: dict[str, list[Question]]) -> None:
    """The first query sees so many keys, the last so many, and the sum is the answer."""
    for question in questions["What is computed"]:
        T = int(read(question.prompt).split()[3])
        sees = [sum(j <= i for j in range(T)) for i in range(T)]
        said = re.search(
            r"Query i sees i keys: (\d+) for the first query, (\d+) for the last\. Their sum is "
            r"half of (\d+)·(\d+)\.", read(question.explanation),
        )  # fmt: skip
        assert said, read(question.explanation)
        first, last, one, other = map(int, said.groups())
        assert (first, last) == (sees[0], sees[-1])
        assert sum(range(first, last + 1)) == sum(sees) == one * other / 2 == question.answer
