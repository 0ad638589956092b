"""Texts that a visitor pastes: learned from, or refused with what is wrong and what to do."""

import numpy as np
import pytest

from core.errors import InputError
from core.models.trained import own_training
from core.models.trained.own_training import LEAST_LETTERS, MOST_LETTERS, requested_task
from core.models.trained.tasks import AGREEMENT, CONTEXT, LETTERS, PERIOD, REPEATS, tasks
from core.models.trained.training_file import TrainingRun
from core.pytorch.training import TrainingSettings

FEW = TrainingSettings(steps=1, d_model=16)
SENTENCES = {
    "english": "the cat sat on the mat and the dog ran off. ",
    "emoji": "🙂🙃 🎉 yes 🙂 no 🙃🎉 ",
    "right to left": "שלום עולם מה שלומך היום ",
    "combining": "e\u0301 a\u0300 o\u0302 \u0301\u0301 u ",
    "surrogate": "ab\ud83d cd \udc00 ef ",
    "lines": "one\ttwo\n\n three\r\nfour  ",
    "markup": "<b>$x$</b> **a** `b` {{ c }} [d](e) ",
}


@pytest.mark.parametrize("text", SENTENCES.values(), ids=SENTENCES)
def test_a_text_in_any_letters_is_learned_from(text: str) -> None:
    task = requested_task(LETTERS, text * 60)
    assert len(task.shown) == CONTEXT
    "".join(task.words).encode()  # it can be sent and saved
    assert "".join(task.shown) == " ".join("".join(task.shown).split(" "))
    run = TrainingRun(task, FEW, (1,))
    while not run.is_over:
        run.advance()
    assert np.isfinite(run.losses).all()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a", "1 character"), ("word " * 20, "99 characters"),
        ("a b" + 500 * " ", "3 characters"), ("a" * 1000, "only one letter"),
        ("x" * (MOST_LETTERS + 1), "100,001 characters"), ("ab " * 700_000, "2,100,000 characters"),
        ("".join(map(chr, range(0x4E00, 0x4E00 + 500))), "500 different characters"),
    ],
)  # fmt: skip
def test_a_text_of_which_nothing_can_be_learned_is_refused(text: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        requested_task(LETTERS, text)


def test_without_a_text_the_one_that_ships_is_learned_from() -> None:
    for name in (LETTERS, REPEATS, PERIOD, AGREEMENT):
        assert requested_task(name, " \n ") is tasks()[name]
    assert requested_task(REPEATS, "ignored " * 99) is tasks()[REPEATS]


def test_what_is_offered_fits_together() -> None:
    for width in own_training.WIDTHS_OFFERED:
        assert all(width % heads == 0 for heads in own_training.HEADS_OFFERED)
    assert LEAST_LETTERS * 0.1 > CONTEXT
