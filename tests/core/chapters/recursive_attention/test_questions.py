"""The questions on merging, each instance worked out another way."""

import re
from fractions import Fraction

import numpy as np
import pytest
import torch

from core.chapters.recursive_attention.questions import QUESTIONS
from core.questions.engine import Question
from tests.core.support import asked, read


@pytest.fixture(scope="module")
def questions() -> dict[str, list[Question]]:
    return {title: asked(maker) for title, maker in QUESTIONS.items()}


def logs(question: Question) -> list[int]:
    return [int(n) for n in re.findall(r"\\ln (\d+)", question.prompt)]


def number_of(question: Question) -> float:
    assert isinstance(question.answer, int | float)
    return float(question.answer)


def test_two_pieces_are_what_softmax_over_their_scores_reads(
    questions: dict[str, list[Question]],
) -> None:
    for question in questions["Two pieces"]:
        scores = torch.tensor(logs(question), dtype=torch.float64).log()
        values = [float(n) for n in re.findall(r"v\([IJ]\) = (\d+)", question.prompt)]
        expected = torch.softmax(scores, -1) @ torch.tensor(values, dtype=torch.float64)
        assert number_of(question) == pytest.approx(expected.item(), abs=1e-9)


def test_a_key_counted_twice_is_softmax_over_four_keys(
    questions: dict[str, list[Question]],
) -> None:
    for question in questions["Counted twice"]:
        one, two, three = logs(question)
        values = [float(n) for n in re.findall(r"\$(\d0)\$", question.prompt)]
        scores = torch.tensor([one, two, two, three], dtype=torch.float64).log()
        twice = torch.tensor([values[0], values[1], values[1], values[2]], dtype=torch.float64)
        assert number_of(question) == pytest.approx((torch.softmax(scores, -1) @ twice).item())


def test_a_sum_is_rescaled_as_it_is_made_anew(questions: dict[str, list[Question]]) -> None:
    for question in questions["A larger maximum"]:
        largest, new = logs(question)
        old_sum = float(re.findall(r"sum so far is \$([\d.]+)\$", question.prompt)[0])
        everything = old_sum * np.exp(np.log(largest)) + new
        assert number_of(question) == pytest.approx(everything / new)


def test_needed_tiles_are_those_with_a_visible_cell(questions: dict[str, list[Question]]) -> None:
    for question in questions["Tiles needed"]:
        (said,) = re.findall(r"of ([\d,]+) tokens .* blocks of (\d+) q", read(question.prompt))
        T, width = (int(text.replace(",", "")) for text in said)
        n = T // width
        visible = np.tri(T, dtype=bool).reshape(n, width, n, width).any(axis=(1, 3))
        assert Fraction(number_of(question)) == int(visible.sum())
