"""The debug lab's questions, each instance worked out another way."""

import re

import pytest
import torch

from core.chapters.debug_lab.questions import QUESTIONS
from core.questions.engine import Question
from tests.core.support import asked, figure, read

attention = torch.nn.functional.scaled_dot_product_attention


@pytest.fixture(scope="module")
def questions() -> dict[str, list[Question]]:
    return {title: asked(maker) for title, maker in QUESTIONS.items()}


def scores(question: Question) -> torch.Tensor:
    cells = question.tables[0].cells
    return torch.tensor(
        [[float(t) if "inf" not in t else -torch.inf for t in row] for row in cells]
    )


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
