"""The questions of the dot-product page: answers checked with fractions and with PyTorch."""

import math
import re
from fractions import Fraction

import numpy as np
import pytest
import torch

from core.chapters.dot_products.questions import (
    QUESTIONS,
    cosine_question,
    favourite_question,
)
from core.questions.answers import Choice
from core.questions.engine import Question, QuestionMaker, is_askable, mark_answer, parse_answer
from tests.core.support import asked, read


@pytest.fixture(scope="module")
def cosines() -> list[Question]:
    return asked(cosine_question)


@pytest.fixture(scope="module")
def favourites() -> list[Question]:
    return asked(favourite_question)


def rows(question: Question) -> list[tuple[Fraction, ...]]:
    """The vectors, from the numbers that a person sees."""
    (table,) = question.tables
    return [tuple(map(Fraction, line)) for line in table.cells]


def dot(a: tuple[Fraction, ...], b: tuple[Fraction, ...]) -> Fraction:
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def root(square: Fraction) -> Fraction:
    found = Fraction(math.isqrt(int(square)))
    assert found * found == square
    return found


def test_cosine_answers_are_the_exact_quotient(cosines: list[Question]) -> None:
    for question in cosines:
        q, k = rows(question)
        exact = dot(q, k) / (root(dot(q, q)) * root(dot(k, k)))
        assert math.isclose(float(question.answer), exact, abs_tol=1e-15)  # type: ignore[arg-type]
        ended, told = question.working[-1].right.text, question.kind.text(question.answer)
        assert float(ended) == float(told)


def test_cosine_mistakes_lead_to_the_values_they_are_named_for(cosines: list[Question]) -> None:
    for question in cosines:
        q, k = rows(question)
        product, long_q, long_k = dot(q, k), root(dot(q, q)), root(dot(k, k))
        sizes = dot(tuple(map(abs, q)), tuple(map(abs, k)))
        angle = math.degrees(math.acos(product / (long_q * long_k)))
        wanted = {
            "you gave the dot product": product,
            "you divided only by the length of k": product / long_k,
            "you divided only by the length of q": product / long_q,
            "you divided by the sum of the lengths": product / (long_q + long_k),
            "you lost the minus signs": sizes / (long_q * long_k),
            "you gave the angle": angle,
        }
        assert {read(w.name) for w in question.wrong} == set(wanted)
        for wrong in question.wrong:
            assert math.isclose(float(wrong.value), wanted[read(wrong.name)], rel_tol=1e-9)  # type: ignore[arg-type]


def test_the_favourite_key_is_the_exact_one(favourites: list[Question]) -> None:
    for question in favourites:
        q, *keys = rows(question)
        assert isinstance(question.kind, Choice)
        names = question.kind.options

        def cosine_order(k: tuple[Fraction, ...], q: tuple[Fraction, ...] = q) -> Fraction:
            """cos |cos| ‖q‖²: in the order of the cosines, without a root."""
            return dot(q, k) * abs(dot(q, k)) / dot(k, k)

        by_dot = max(range(3), key=lambda j: dot(q, keys[j]))
        by_cosine = max(range(3), key=lambda j: cosine_order(keys[j]))
        longest = max(range(3), key=lambda j: dot(keys[j], keys[j]))
        assert len({by_dot, by_cosine, longest}) == 3
        dots = "dot product" in read(question.prompt)
        assert question.answer == names[by_dot if dots else by_cosine]
        wanted = {
            "you looked only at the direction" if dots else "you let the length count":
                names[by_cosine if dots else by_dot],
            "you picked the longest arrow": names[longest],
        }  # fmt: skip
        assert {read(w.name): w.value for w in question.wrong} == wanted


def test_pytorch_gives_the_favourite_the_most_weight(favourites: list[Question]) -> None:
    for question in favourites:
        q, *keys = (torch.tensor([float(x) for x in row]).double() for row in rows(question))
        K = torch.stack(keys)
        dots = "dot product" in read(question.prompt)
        scores = K @ q if dots else torch.cosine_similarity(K, q[None], dim=-1)
        weights = torch.softmax(scores, 0)
        (seen,) = question.evidence
        np.testing.assert_allclose(seen.trace["weights"][0, 0], weights, rtol=1e-12)
        assert question.kind.options[int(weights.argmax())] == question.answer  # type: ignore[union-attr]
        said = re.findall(r" gets (?:≈ )?([.\d]+) of", read(question.explanation))
        assert abs(float(said[0]) - weights.max()) <= 0.005 + 1e-9
        assert weights.sort().values[-1] - weights.sort().values[-2] > 0.01


def test_the_evidence_is_the_cell_of_the_answer(
    cosines: list[Question], favourites: list[Question]
) -> None:
    for question in cosines:
        (seen,) = question.evidence
        assert seen.cell is not None
        assert math.isclose(seen.trace["scores"][seen.cell], float(question.answer), abs_tol=1e-12)  # type: ignore[arg-type]
    for question in favourites:
        (seen,) = question.evidence
        assert seen.cell is not None
        assert seen.trace.tokens[seen.cell[-1]] == question.answer


def test_every_mistake_is_told_from_the_answer_and_from_the_others(
    cosines: list[Question], favourites: list[Question]
) -> None:
    for question in cosines + favourites:
        assert is_askable(question)
        assert mark_answer(
            question, parse_answer(question, question.kind.text(question.answer))
        ).right
        for wrong in question.wrong:
            verdict = mark_answer(question, wrong.value)
            assert (verdict.right, verdict.mistake) == (False, wrong)
            assert wrong.hint.endswith(".")


@pytest.mark.parametrize("maker", QUESTIONS.values())
def test_the_same_seed_asks_the_same_and_another_seed_another(maker: QuestionMaker) -> None:
    questions = [maker(seed) for seed in range(40)]
    assert [maker(seed) for seed in (0, 1, 39)] == [questions[0], questions[1], questions[39]]
    assert len({question.tables for question in questions}) > 30
    assert len({question.id for question in questions}) == 40
