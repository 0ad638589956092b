"""The questions on merging, each instance worked out another way."""

import re
from fractions import Fraction

import numpy as np
import pytest
import torch

from core.chapters.recursive_attention.questions import RECURSIVE_QUESTIONS
from core.questions.engine import Question, is_askable, mark, parse_answer
from tests.core.support import asked, read
from tests.deep import SEEDS


@pytest.fixture(scope="module")
def questions() -> dict[str, list[Question]]:
    return {title: asked(maker) for title, maker in RECURSIVE_QUESTIONS.items()}


def logs(question: Question) -> list[int]:
    return [int(n) for n in re.findall(r"\\ln (\d+)", question.prompt)]


def number_of(question: Question) -> float:
    assert isinstance(question.answer, int | float)
    return float(question.answer)


def test_every_instance_can_be_asked_and_tells_mistakes_apart(
    questions: dict[str, list[Question]],
) -> None:
    for title, made in questions.items():
        assert len(made) == len(SEEDS), title
        assert all(is_askable(question) for question in made), title
        assert len({read(q.prompt) for q in made}) >= 12, title


def test_answers_and_mistakes_are_told_apart_when_marked(
    questions: dict[str, list[Question]],
) -> None:
    for made in questions.values():
        for question in made[:100]:
            assert mark(question, parse_answer(question, str(question.answer))).right
            for wrong in question.wrong:
                verdict = mark(question, parse_answer(question, str(wrong.value)))
                assert not verdict.right
                assert verdict.mistake == wrong


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
