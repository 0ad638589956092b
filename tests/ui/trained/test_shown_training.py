"""A training in words: its heads, what they carry, and which of them are off."""

from core.models.trained.shipped import shipped_training
from ui.trained import shown_training

LAST = shipped_training("repeats").measures[800]


def test_what_is_said_of_heads_is_what_was_measured() -> None:
    shown = shown_training.as_shown(shipped_training("repeats"))
    assert shown.said[-1] == "loss 0.04 · 99 % right"
    assert shown.heads[-1] == (
        (None, ("previous token", 87)),
        (("induction", 97), ("induction", 96)),
    )
    assert shown.heads[0] == ((None, None), (None, None))
    assert shown_training.heads_in_words(LAST)[0] == "layer 1, head 2: previous token 87 %"


def test_each_head_has_a_row_of_what_its_loss_would_be() -> None:
    rows = shown_training.off_table(LAST).splitlines()[2:]
    assert len(rows) == len(LAST.without) == 6
    assert "layer 1, head 2" in rows[1]
    assert shown_training.off_name("2.1") == "layer 2, head 1"
    assert shown_training.off_name("induction") == "all induction heads"
    assert shown_training.signed(-0.5) == "−0.50"
    assert shown_training.signed(0.5) == "+0.50"
