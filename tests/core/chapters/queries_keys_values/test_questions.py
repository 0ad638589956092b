"""The questions on queries, keys and values: answers by exact integers and by PyTorch."""

import math
import re
from fractions import Fraction

import numpy as np
import pytest
import torch

from core.chapters.queries_keys_values.questions import (
    BASIS,
    CHANGE,
    LARGER,
    NOTHING,
    QUESTIONS,
    SAME,
    SMALLER,
    basis_question,
    parameters_question,
    symmetric_question,
)
from core.hash_random import Draw
from core.questions.answers import Choice, NumberAnswer
from core.questions.engine import Question, QuestionMaker, is_askable, mark_answer, parse_answer
from tests.core.support import asked, read

Rows = list[list[Fraction]]


@pytest.fixture(scope="module")
def pairs() -> list[Question]:
    return asked(symmetric_question)


@pytest.fixture(scope="module")
def bases() -> list[Question]:
    return asked(basis_question)


@pytest.fixture(scope="module")
def counts() -> list[Question]:
    return asked(parameters_question)


def printed(question: Question, number: int) -> tuple[Rows, Rows]:
    """The left and right half of a table as exact numbers, as a person reads them."""
    lines = [
        [Fraction(text.replace("−", "-")) for text in line]
        for line in question.tables[number].cells
    ]
    return [line[:2] for line in lines], [line[2:] for line in lines]


def dot(a: list[Fraction], b: list[Fraction]) -> Fraction:
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def test_the_mirrored_score_is_compared_in_exact_numbers(pairs: list[Question]) -> None:
    for question in pairs:
        q, k = printed(question, 0)
        there, back = dot(q[0], k[1]), dot(q[1], k[0])
        assert question.answer == (LARGER if back > there else SMALLER if back < there else SAME)
        said = [
            int(n.replace("−", "-")) for n in re.findall(r" is (−?\d+)", read(question.explanation))
        ]
        assert said == [there, back]
        assert f"the score {str(there).replace('-', '−')}: its query" in read(question.prompt)


def test_pytorch_s_scores_are_symmetric_only_where_that_is_the_answer(
    pairs: list[Question],
) -> None:
    for question in pairs:
        (seen,) = question.evidence
        Q, K = (torch.tensor(seen.trace["X"] @ seen.trace[w][0]) for w in ("W_Q", "W_K"))
        scores = Q @ K.T
        np.testing.assert_array_equal(scores, seen.trace["scores"][0])
        assert torch.equal(scores, scores.T) == (question.answer == SAME)
        assert seen.cell == (0, 1, 0)
        assert torch.equal(Q, K) == (question.answer == SAME)


def test_the_weights_stay_where_the_product_of_the_printed_maps_stays(
    bases: list[Question],
) -> None:
    for question in bases:
        products = []
        for number in range(2):
            W_Q, W_K = printed(question, 1 + number)
            products.append([[dot(a, b) for b in W_K] for a in W_Q])
        assert question.answer == (BASIS if products[0] == products[1] else CHANGE)
        assert any(entry for row in products[0] for entry in row)


def test_the_tables_alone_say_whether_the_weights_change(bases: list[Question]) -> None:
    for question in bases:
        X, *maps = ([[float(x) for x in line] for line in t.cells] for t in question.tables)
        weights = []
        for both in map(torch.tensor, maps):
            Q, K = (torch.tensor(X) @ part for part in (both[:, :2], both[:, 2:]))
            weights.append(torch.softmax(Q @ K.T / math.sqrt(2), dim=-1))
        moved = float((weights[0] - weights[1]).abs().max())
        assert moved < 1e-6 if question.answer == BASIS else moved >= 0.05


def test_pytorch_s_weights_say_the_same(bases: list[Question]) -> None:
    def stacked(name: str, place: int) -> torch.Tensor:
        return torch.tensor(np.stack([q.evidence[place].trace[name] for q in bases]))

    X, found = stacked("X", 0), []
    assert torch.equal(X, stacked("X", 1))
    for place in range(2):
        Q, K = (X @ stacked(name, place)[:, 0] for name in ("W_Q", "W_K"))
        weights = torch.softmax(Q @ K.mT / math.sqrt(2), dim=-1)
        ours = stacked("weights", place)[:, 0]
        torch.testing.assert_close(weights, ours, rtol=0, atol=1e-14)
        found.append((Q, K, weights))
    Q, K, weights = ((a - b).abs().amax(dim=(1, 2)) for a, b in zip(*found, strict=True))
    stay = torch.tensor([question.answer == BASIS for question in bases])
    assert weights[stay].max() < 1e-14
    assert min(Q[stay].min(), K[stay].min()) > 0
    assert weights[~stay].min() >= 0.05


def test_the_maps_change_as_the_prompt_says(bases: list[Question]) -> None:
    swap, turn = [[0, 1], [1, 0]], [[0, 1], [-1, 0]]
    one, minus = np.eye(2), -np.eye(2)
    said = {
        "W_Q is doubled and W_K halved": (2 * one, one / 2),
        "W_Q is halved and W_K multiplied by 4": (one / 2, 4 * one),
        "W_Q and W_K are both doubled": (2 * one, 2 * one),
        "every entry of W_Q changes its sign": (minus, one),
        "every entry of W_Q and of W_K changes its sign": (minus, minus),
        "the two columns of W_Q change places": (swap, one),
        "the two columns of W_Q change places, and so do those of W_K": (swap, swap),
        "all queries and all keys are turned by the same quarter turn": (turn, turn),
    }
    met = set()
    for question in bases:
        what = read(question.prompt).removeprefix("In a head with d_k = 2, ").split(". X stays")[0]
        met.add(what)
        before, after = ([seen.trace[w][0] for w in ("W_Q", "W_K")] for seen in question.evidence)
        if what == "W_Q and W_K change places":
            assert all(np.array_equal(a, b) for a, b in zip(before, reversed(after), strict=True))
        else:
            for a, b, A in zip(before, after, said[what], strict=True):
                np.testing.assert_array_equal(a @ A, b)
    assert met == {*said, "W_Q and W_K change places"}


def test_parameters_are_counted_by_pytorch(counts: list[Question]) -> None:
    for question in counts:
        n, d_model, d_k = map(int, re.findall(r"= (\d+)", read(question.prompt)))
        maps = [torch.nn.Linear(d_model, d_k, bias=False, device="meta") for _ in range(2)]
        assert question.answer == sum(p.numel() for m in maps for p in m.parameters())
        assert {read(w.name): w.value for w in question.wrong} == {
            "you counted one projection": d_model * d_k,
            "you counted the scores": n * n,
            "you counted W_V too": 3 * d_model * d_k,
            "you made the projections square": 2 * d_model * d_model,
            "you counted queries and keys": 2 * n * d_k,
        }


def test_every_answer_comes_up_often(pairs: list[Question], bases: list[Question]) -> None:
    for questions, options in ((pairs, (SMALLER, SAME, LARGER)), (bases, (BASIS, CHANGE))):
        answers = [question.answer for question in questions]
        assert set(answers) == set(options)
        assert min(map(answers.count, options)) > len(answers) / len(options) / 2


def test_every_mistake_is_told_from_the_answer(
    pairs: list[Question], bases: list[Question], counts: list[Question]
) -> None:
    for question in pairs + bases + counts:
        assert is_askable(question)
        values = [question.answer, *(wrong.value for wrong in question.wrong)]
        assert len(set(values)) == len(values)
        if isinstance(question.kind, Choice):
            assert set(values) == set(question.kind.options)


@pytest.mark.parametrize("maker", QUESTIONS.values())
def test_the_shown_answer_is_right_and_each_mistake_is_recognised(maker: QuestionMaker) -> None:
    for seed in range(50):
        question = maker(seed)
        assert question.id == f"{maker.name}.{seed}"
        assert maker(seed).prompt == question.prompt
        assert mark_answer(
            question, parse_answer(question, question.kind.text(question.answer))
        ).right
        for wrong in question.wrong:
            assert mark_answer(question, wrong.value).mistake == wrong
            assert wrong.hint.endswith(".")


def test_questions_never_change_between_machines() -> None:
    asked = read(symmetric_question(3).prompt)
    assert asked.startswith("“fox cat”: is QKᵀ symmetric here? fox gives cat the score 7:")
    assert basis_question(3).answer == BASIS
    assert NOTHING in basis_question(3).kind.options  # type: ignore[union-attr]
    assert isinstance(parameters_question(3).kind, NumberAnswer)
    assert parameters_question(3).answer == 256


@pytest.mark.parametrize("seed", [8, 207, 217, 304, 363])
def test_maps_whose_product_is_zero_are_drawn_again(seed: int) -> None:
    """The first draw of these seeds has W_Q W_Kᵀ = 0: no change of it could be seen."""
    assert basis_question.draw_once(Draw(f"question:basis:{seed}:0")) is None
