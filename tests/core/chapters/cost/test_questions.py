"""The questions on cost, each instance worked out another way."""

import re

import pytest
import torch

from core.chapters.cost.questions import QUESTIONS
from core.questions.engine import Question
from tests.core.support import asked, read


@pytest.fixture(scope="module")
def questions() -> dict[str, list[Question]]:
    return {title: asked(maker) for title, maker in QUESTIONS.items()}


def numbers(question: Question) -> list[int]:
    return [int(text) for text in re.findall(r"\d+", read(question.prompt))]


def test_a_longer_text_takes_as_much_as_its_pairs(questions: dict[str, list[Question]]) -> None:
    for question in questions["A longer text"]:
        d, short, work, long = numbers(question)
        X, scores = (torch.empty(short, n, device="meta") for n in (d, short))
        assert work * 10**6 == scores.numel() * X.shape[1] + scores.numel() * X.shape[1]
        times = torch.ones(long // 100, long // 100).sum() / (short // 100) ** 2
        assert question.answer == pytest.approx(work * float(times))
        assert f"{long // short} times the queries" in question.explanation
        named = {wrong.name: wrong.value for wrong in question.wrong}
        factor = long // short
        assert named == {
            "you let the work grow linearly": work * factor,
            "you doubled the factor and did not square it": work * 2 * factor,
            "you doubled for the two products": 2 * question.answer,
            "you let the work grow with the third power": work * factor**3,
        }


def test_the_parameters_are_those_of_pytorchs_layers(questions: dict[str, list[Question]]) -> None:
    for question in questions["Parameters of a layer"]:
        d, heads, d_k, groups, rows, d_ff = numbers(question)
        assert rows == d == heads * d_k
        assert heads % groups == 0
        matrices = 3 if "three matrices" in question.prompt else 2
        linear = lambda a, b: torch.nn.Linear(a, b, bias=False, device="meta")  # noqa: E731
        layers = torch.nn.ModuleList([
            linear(d, heads * d_k), linear(d, groups * d_k), linear(d, groups * d_k),
            linear(heads * d_k, d), *(linear(d, d_ff) for _ in range(matrices - 1)),
            linear(d_ff, d),
        ])  # fmt: skip
        assert question.answer == sum(each.numel() for each in layers.parameters())
        attention = next(w.value for w in question.wrong if "attention only" in w.name)
        feeding = next(w.value for w in question.wrong if "feed-forward only" in w.name)
        assert attention + feeding == question.answer  # type: ignore[operator]
        assert feeding > attention  # type: ignore[operator]
