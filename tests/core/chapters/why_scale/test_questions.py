"""The questions about scaling: answers checked with exact fractions and with PyTorch."""

import math
import re
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest
import torch

from core.chapters.why_scale.questions import (
    QUESTIONS,
    aligned_score_question,
    divisor_question,
)
from core.questions.answers import Choice, NumberAnswer
from core.questions.engine import Question, QuestionMaker, is_askable, mark_answer, parse_answer
from tests.core.support import asked, read


@pytest.fixture(scope="module")
def aligned() -> list[Question]:
    return asked(aligned_score_question)


@pytest.fixture(scope="module")
def divisors() -> list[Question]:
    return asked(divisor_question)


def numbers(pattern: str, text: str) -> Iterator[int]:
    """The whole numbers that a prompt names."""
    found = re.search(pattern, text)
    assert found, text
    return map(int, found.groups())


def test_the_variance_of_an_entry_is_that_of_its_two_values(aligned: list[Question]) -> None:
    for question in aligned:
        one, other, variance = re.findall(
            r"is (\S+) or (\S+) with equal chance, so its variance is (\S+)\.",
            read(question.prompt),
        )[0]
        values = [float(text.replace("−", "-")) for text in (one, other)]
        assert float(np.var(values)) == float(variance)


def test_the_hint_on_the_sign_says_which_way_k_points(aligned: list[Question]) -> None:
    said = set()
    for question in aligned:
        (trace,) = (shown.trace for shown in question.evidence)
        q, k = trace["Q"][0, 0], trace["K"][0, 1]
        (hint,) = (read(w.hint) for w in question.wrong if read(w.name) == "you lost the sign")
        way, products = re.findall(r"k points in the (.+) q, so each product .+ is (.+)\.$", hint)[
            0
        ]
        turned = {"same direction as": 1, "direction opposite to": -1}[way]
        np.testing.assert_array_equal(k, turned * q)
        np.testing.assert_array_equal(q * k, float(products.replace("−", "-")))
        said.add(way)
    assert len(said) == 2


def test_the_aligned_score_is_the_root_of_d_k(aligned: list[Question]) -> None:
    for question in aligned:
        (d_k,) = numbers(r"d_k = (\d+)", read(question.prompt))
        sign = 1 if "k = q." in read(question.prompt) else -1
        assert ("k = −q." in read(question.prompt)) == (sign == -1)
        assert Fraction(float(question.answer)) == sign * math.isqrt(d_k)  # type: ignore[arg-type]
        assert math.isqrt(d_k) ** 2 == d_k
        values = {read(w.name): Fraction(float(w.value)) for w in question.wrong}  # type: ignore[arg-type]
        assert values == {
            "you gave the cosine": sign,
            "you forgot √d_k": sign * d_k,
            "you lost the sign": -sign * math.isqrt(d_k),
            "you took the mean for independent vectors": 0,
        }


def test_the_aligned_score_is_that_of_its_vectors(aligned: list[Question]) -> None:
    for question in aligned[:300]:
        (seen,) = question.evidence
        q, k = (torch.from_numpy(seen.trace[name][0, n].copy()) for name, n in (("Q", 0), ("K", 1)))
        assert set(q.tolist()) | set(k.tolist()) <= {1.0, -1.0}
        assert seen.trace[seen.array][seen.cell] == question.answer
        assert (q @ k / math.sqrt(len(q))).item() == pytest.approx(question.answer, abs=1e-12)
        cosine = torch.nn.functional.cosine_similarity(q, k, dim=0).item()
        assert abs(abs(cosine) - 1) < 1e-12


def test_the_aligned_score_of_64_entries_is_8_and_not_1(aligned: list[Question]) -> None:
    found = [q for q in aligned if "d_k = 64 " in read(q.prompt) and "k = q." in read(q.prompt)]
    assert found
    for question in found:
        assert question.answer == 8
        verdict = mark_answer(question, 1)
        assert verdict.mistake is not None
        assert verdict.mistake.name == "you gave the cosine"


def test_the_divisor_is_the_root_of_the_head_dimension(divisors: list[Question]) -> None:
    for question in divisors:
        d_model, heads = numbers(r"d_model = (\d+) and H = (\d+)", read(question.prompt))
        d_k = Fraction(d_model, heads)
        assert d_k.denominator == 1
        assert Fraction(float(question.answer)) ** 2 == d_k  # type: ignore[arg-type]
        values = {read(w.name): w.value for w in question.wrong}
        assert values == {
            "you took the root of d_model": pytest.approx(math.sqrt(d_model)),
            "you forgot the root": d_k,
            "you took the root of H": pytest.approx(math.sqrt(heads)),
            "you gave the factor": pytest.approx(1 / math.sqrt(d_k)),
        }


def test_pytorch_divides_by_the_same_number(divisors: list[Question]) -> None:
    """Softmax over one key of score d_k / divisor and one of score 0."""
    for question in divisors[:200]:
        d_model, heads = numbers(r"d_model = (\d+) and H = (\d+)", read(question.prompt))
        d_k = d_model // heads
        q = torch.full((1, 1, 1, d_k), 0.1, dtype=torch.float64)
        keys = torch.stack([torch.ones(d_k), torch.zeros(d_k)])[None, None].double()
        values = torch.eye(2, dtype=torch.float64)[None, None]
        weights = torch.nn.functional.scaled_dot_product_attention(q, keys, values).flatten()
        divisor = 0.1 * d_k / math.log(weights[0] / weights[1])
        assert divisor == pytest.approx(question.answer)
        assert question.evidence[0].trace["K"].shape == (heads, 1, d_k)


@pytest.mark.parametrize("maker", QUESTIONS.values())
def test_the_same_seed_asks_the_same_and_another_seed_another(maker: QuestionMaker) -> None:
    questions = [maker(seed) for seed in range(40)]
    assert [maker(seed) for seed in (0, 1, 39)] == [questions[0], questions[1], questions[39]]
    assert len({question.answer for question in questions}) >= 3
    assert len({read(question.prompt) for question in questions}) > 25
    assert len({question.id for question in questions}) == 40


def test_every_mistake_is_told_from_the_answer_and_from_the_others(
    aligned: list[Question], divisors: list[Question]
) -> None:
    for question in aligned + divisors:
        assert is_askable(question)
        values = [question.answer, *(w.value for w in question.wrong)]
        assert len(set(values)) == len(values)
        if isinstance(question.kind, NumberAnswer):
            in_order = np.sort(np.array(values, dtype=float))
            assert np.diff(in_order).min() > 2 * question.kind.tolerance
        else:
            assert isinstance(question.kind, Choice)
        for wrong in question.wrong:
            verdict = mark_answer(question, wrong.value)
            assert (verdict.right, verdict.mistake) == (False, wrong)
            assert wrong.hint.endswith(".")
        text = question.kind.text(question.answer)
        assert mark_answer(question, parse_answer(question, text)).right
