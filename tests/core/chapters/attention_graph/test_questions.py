"""The questions on graphs, each instance worked out another way."""

import re

import numpy as np
import pytest
import torch

from core.chapters.attention_graph.questions import QUESTIONS
from core.questions.engine import Question
from tests.core.support import asked, read


@pytest.fixture(scope="module")
def questions() -> dict[str, list[Question]]:
    return {title: asked(maker) for title, maker in QUESTIONS.items()}


def wholes(question: Question) -> list[int]:
    return [int(n) for n in re.findall(r"\b\d+\b(?!\.)", read(question.prompt))]


def test_an_edge_less_is_what_softmax_of_the_others_makes(
    questions: dict[str, list[Question]],
) -> None:
    for question in questions["One edge less"]:
        shares = [float(n) for n in re.findall(r"\$(0\.\d)\$", question.prompt)]
        assert sum(shares) == pytest.approx(1)
        scores = torch.tensor(shares, dtype=torch.float64).log()
        scores[1] = -torch.inf
        assert question.answer == pytest.approx(torch.softmax(scores, 0)[0].item(), abs=1e-9)


def test_weights_between_two_sentences_are_counted_by_an_attention_of_that_shape(
    questions: dict[str, list[Question]],
) -> None:
    for question in questions["Between two sentences"]:
        asking, keys = wholes(question)[:2]
        assert question.answer == (np.zeros((asking, 3)) @ np.zeros((3, keys))).size


def test_how_far_layers_reach_is_what_a_walk_over_edges_finds(
    questions: dict[str, list[Question]],
) -> None:
    for question in questions["Reach of layers"]:
        window, layers = (
            int(re.findall(pattern, question.prompt)[0])
            for pattern in (r"w = (\d+)", r"There are (\d+)")
        )
        reached = {100}
        for _ in range(layers):
            reached = {at - back for at in reached for back in range(window)}
        assert question.answer == 100 - min(reached)
