"""Answers of the questions on trained heads, by plain loops over what is printed."""

import pytest

from core.chapters.real_heads.questions import score_question, what_head_does_question
from core.models.captures import captured_runs
from tests.core.support import asked

ASKED = {
    "Previous token": lambda t, i: [i - 1],
    "Own token": lambda t, i: [i],
    "First token": lambda t, i: [0],
    "Same token again": lambda t, i: [j for j in range(i) if t[j] == t[i]],
    "Induction": lambda t, i: [j + 1 for j in range(i - 1) if t[j] == t[i]],
}


def numbered(tokens: list[str]) -> list[str]:
    """Labels as in the table: a token that occurs twice has a number."""
    plain = [token.replace("Ġ", "") for token in tokens]
    return [
        token + (str(plain[: n + 1].count(token)) if plain.count(token) > 1 else "")
        for n, token in enumerate(plain)
    ]


def test_only_the_answer_explains_every_row() -> None:
    texts = {run.prompt: list(run.tokens) for run in captured_runs() if run.mask == "causal"}
    for question in asked(what_head_does_question):
        (prompt,) = (text for text in texts if text in question.prompt)
        tokens = texts[prompt]
        digits = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
        labels = numbered(tokens)
        (table,) = question.tables
        reads = {
            labels.index(row.translate(digits)): labels.index(cells[0].translate(digits))
            for row, cells in zip(table.rows, table.cells, strict=True)
        }
        explains = [
            kind
            for kind, places in ASKED.items()
            if all(j in places(tokens, i) for i, j in reads.items())
        ]
        assert explains == [question.answer]
        for wrong in question.wrong:
            assert wrong.value not in explains
            (i,) = (
                i for i in reads if f"Look at *{table.rows[list(reads).index(i)]}*." in wrong.hint
            )
            assert reads[i] not in ASKED[str(wrong.value)](tokens, i)
            for j in ASKED[str(wrong.value)](tokens, i):
                assert labels[j] in wrong.hint.translate(digits)


def test_a_score_is_the_mean_below_the_diagonal() -> None:
    for question in asked(score_question):
        rows = [[float(text) for text in row] for row in question.tables[0].cells]
        assert all(sum(row) == pytest.approx(1) for row in rows)
        below = [rows[i][i - 1] for i in (1, 2, 3)]
        assert question.answer == pytest.approx(sum(below) / 3)
        values = {wrong.name: wrong.value for wrong in question.wrong}
        assert values["you forgot to divide"] == pytest.approx(sum(below))
        assert values["you divided by the number of all tokens"] == pytest.approx(sum(below) / 4)
        assert values["you took the diagonal"] == pytest.approx(
            sum(rows[i][i] for i in (1, 2, 3)) / 3
        )
        assert values["you took the first column"] == pytest.approx(
            sum(rows[i][0] for i in (1, 2, 3)) / 3
        )
