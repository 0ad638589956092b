"""The debug lab's questions, each instance worked out another way."""

import math
import re
from fractions import Fraction

import pytest
import torch

from core.chapters.debug_lab.library_questions import SEES
from core.chapters.debug_lab.questions import QUESTIONS
from core.questions.engine import Question
from tests.core.support import asked, figure, read

attention = torch.nn.functional.scaled_dot_product_attention


@pytest.fixture(scope="module")
def questions() -> dict[str, list[Question]]:
    return {title: asked(maker) for title, maker in QUESTIONS.items()}


def numbers(prompt: str, before: str, after: str) -> list[str]:
    return prompt.partition(before)[2].partition(after)[0].split(", ")


def test_a_late_mask_leaves_the_visible_fraction(questions: dict[str, list[Question]]) -> None:
    for question in questions["Mask after softmax"]:
        counts = [
            int(t.removeprefix("ln ")) for t in numbers(read(question.prompt), "is ", ". A program")
        ]
        row = int(read(question.prompt).split()[1])
        exact = Fraction(sum(counts[:row]), sum(counts))
        assert math.isclose(float(question.answer), exact)  # type: ignore[arg-type]


def test_zeros_leak_what_torch_says(questions: dict[str, list[Question]]) -> None:
    for question in questions["0 for −∞"]:
        words = read(question.prompt).split()
        T, own = int(words[3]), float(words[8])
        row = torch.zeros(T, dtype=torch.float64)
        row[0] = own
        leak = 1 - float(row.softmax(0)[0])
        assert math.isclose(float(question.answer), leak, abs_tol=1e-12)  # type: ignore[arg-type]


def scores(question: Question) -> torch.Tensor:
    cells = question.tables[0].cells
    return torch.tensor(
        [[float(t) if "inf" not in t else -torch.inf for t in row] for row in cells]
    )


def test_renormalising_gives_what_masking_first_gives(
    questions: dict[str, list[Question]],
) -> None:
    draw = torch.Generator().manual_seed(1)
    for question in questions["Renormalised"]:
        masked = scores(question).double()
        free = torch.where(masked.isneginf(), torch.randn(3, 3, generator=draw).double(), masked)
        late = free.softmax(-1) * ~masked.isneginf()
        torch.testing.assert_close(late / late.sum(-1, keepdim=True), masked.softmax(-1))
        assert question.answer == "the same"


def test_columns_let_a_later_query_change_an_earlier_row(
    questions: dict[str, list[Question]],
) -> None:
    for question in questions["Wrong axis"]:
        said = read(question.explanation)
        masked = scores(question)
        changed = masked.clone()
        told = [figure(n) for n in re.findall(r"from (−?\d) to (−?\d)\. Then", said)[0]]
        assert changed[2, 0] == told[0]
        changed[2, 0] = told[1]
        texts = re.findall(r"from (\S+) to (\S+)\.$", said)[0]
        assert texts[0] != texts[1]
        for text, run in zip(texts, (masked, changed), strict=True):
            assert abs(figure(text) - run.double().softmax(-2)[0, 0]) <= 0.005 + 1e-9
        assert masked.softmax(-2)[0, 0] != changed.softmax(-2)[0, 0]
        assert question.answer == "no"


def test_whether_exp_underflows_is_what_float64_says(questions: dict[str, list[Question]]) -> None:
    answers = set()
    for question in questions["Very small score"]:
        score = -float(read(question.prompt).partition("−")[2].split(".")[0])
        weight = torch.tensor([0.0, score], dtype=torch.float64).softmax(0)[1]
        assert question.answer == ("more than 0" if weight > 0 else "exactly 0")
        answers.add(question.answer)
    assert len(answers) == 2


def test_an_empty_row_is_nan_as_written(questions: dict[str, list[Question]]) -> None:
    for question in questions["No visible key"]:
        keys = int(read(question.prompt).partition("of the ")[2].split()[0])
        row = torch.full((keys,), -torch.inf).softmax(0)
        assert row.isnan().all()
        assert question.answer == "NaN"
        assert f"As written: {', '.join(['NaN'] * keys)}. " in read(question.explanation)
        nothing = torch.zeros(1, keys, dtype=torch.bool)
        some = torch.ones(keys, 2)
        assert torch.equal(attention(some[:1], some, some, attn_mask=nothing), torch.zeros(1, 2))


def test_true_means_what_pytorch_makes_of_it(questions: dict[str, list[Question]]) -> None:
    kinds = set()
    for question in questions["What True means"][:200]:
        kinds.add(read(question.prompt).split()[2])
        i, j = (int(n) - 1 for n in re.findall(r"query (\d+), key (\d+)", question.prompt)[0])
        T = 5
        mask = torch.zeros(T, T, dtype=torch.bool)
        mask[i, j] = True
        x = torch.eye(T)[None]
        if "scaled_dot" in read(question.prompt):
            seen = attention(x, x, x, attn_mask=mask)[0, i, j] > 0
        else:
            layer = torch.nn.MultiheadAttention(T, 1, batch_first=True)
            seen = layer(x, x, x, attn_mask=mask)[1][0, i, j] > 0
        assert (question.answer == SEES) == bool(seen)
    assert len(kinds) == 2


def test_a_causal_mask_is_aligned_as_in_pytorch(questions: dict[str, list[Question]]) -> None:
    for question in questions["Cached keys"]:
        keys = int(read(question.prompt).partition("meets ")[2].split()[0])
        values = torch.eye(keys)[None, None]
        zero = torch.zeros(1, 1, 1, keys)
        seen = attention(zero, values, values, is_causal=True)[0, 0, 0]
        assert seen.nonzero().ravel().tolist() == [0]
        assert question.answer == "only key 1"
