"""The questions on heads, each instance counted another way."""

import re

import numpy as np
import pytest
import torch

from core.chapters.heads.questions import QUESTIONS
from core.questions.answers import Choice
from core.questions.engine import Question
from tests.core.support import asked, read


@pytest.fixture(scope="module")
def questions() -> dict[str, list[Question]]:
    return {title: asked(maker) for title, maker in QUESTIONS.items()}


def numbers(question: Question) -> list[int]:
    return [int(text) for text in re.findall(r"\d+", read(question.prompt))]


def held(d_model: int, heads: int, d_k: int) -> int:
    """What four linear layers hold that a person would write for so many heads."""
    with torch.device("meta"):
        layers = [torch.nn.Linear(d_model, heads * d_k, bias=False) for _ in range(3)]
        layers.append(torch.nn.Linear(heads * d_k, d_model, bias=False))
    return sum(p.numel() for layer in layers for p in layer.parameters())


def test_parameters_are_those_of_linear_layers(questions: dict[str, list[Question]]) -> None:
    answers = []
    for question in questions["More parameters?"]:
        assert isinstance(question.kind, Choice)
        d_model, _, heads = numbers(question)[:3]
        d_k = numbers(question)[-1]
        one, many = held(d_model, 1, d_model), held(d_model, heads, d_k)
        assert question.answer == ("the same" if one == many else "more" if many > one else "fewer")
        assert f"{one:,} before, {many:,} now" in read(question.explanation)
        if f"d_model / {heads}" in read(question.prompt):
            assert question.answer == "the same"
            assert one == many == 4 * d_model**2
        else:
            assert question.answer == "more"
        answers.append(question.answer)
    assert answers.count("the same") > answers.count("more") > len(answers) / 10


def test_the_cache_is_what_is_appended_token_by_token(questions: dict[str, list[Question]]) -> None:
    groups_seen = set()
    for question in questions["What a cache holds"]:
        heads, d_k, groups, T = numbers(question)
        assert read(question.prompt).count("heads") >= 1
        kept = {"K": np.empty((groups, 0, d_k)), "V": np.empty((groups, 0, d_k))}
        for _ in range(T):
            row = np.zeros((groups, 1, d_k))
            kept = {name: np.concatenate([array, row], axis=1) for name, array in kept.items()}
        assert question.answer == sum(array.size for array in kept.values())
        wrong = {read(w.name): w.value for w in question.wrong}
        assert wrong["you counted only K or V"] == groups * d_k * T
        assert wrong["you counted all heads"] == 2 * heads * d_k * T
        groups_seen.add(groups)
    assert groups_seen == {1, 2, 4}


def test_the_head_of_a_feature_is_that_of_a_concatenation(
    questions: dict[str, list[Question]],
) -> None:
    for question in questions["Whose feature"]:
        d_model, heads, _, c = numbers(question)
        made = [torch.full((1, d_model // heads), h + 1) for h in range(heads)]
        assert question.answer == torch.cat(made, dim=1)[0, c - 1].item()
        dealt = torch.arange(1, heads + 1).repeat(d_model // heads)
        wrong = {read(w.name): w.value for w in question.wrong}
        assert wrong["you dealt the features out in turn"] == dealt[c - 1].item()
